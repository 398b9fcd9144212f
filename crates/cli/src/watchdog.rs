//! The end that waits for nothing: when the user's time is up, when a signal asks for it, or when there is no memory left.
//!
//! Whatever takes long looks at [`limits::is_over`] where it can, and ends in good order. What does not end within a moment (the compiler,
//! the start of the JDK, one long step) is not waited for: the watchdog, a thread of its own, says the last words that were agreed on, and
//! ends the process. Either it or the main thread speaks, never both.

use driver::budget;
use driver::limits::{self, Cause};
use program::source;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long the main thread has to end in good order.
const GRACE: Duration = Duration::from_millis(700);

/// How often the watchdog looks at the memory.
const TICK: Duration = Duration::from_millis(10);

/// Status of a command without a verdict that a signal has ended.
const ENDED: i32 = 130;

/// Says what is known and why there is no more; the exit status.
type LastWords = Box<dyn FnOnce(Cause) -> u8 + Send>;

struct Watch {
    last_words: Option<LastWords>,
    /// Who says how it ended.
    speaker: Option<Speaker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Main,
    Watchdog,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch {
    last_words: None,
    speaker: None,
});
static CHANGED: Condvar = Condvar::new();
static EXHAUSTED: AtomicBool = AtomicBool::new(false);
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

fn watch() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// From now on Ctrl-C, SIGTERM and SIGHUP ask for an end, and a second one does not wait for it.
pub fn listen() {
    let keeps_running = is_hangup_ignored();
    // Without a handler a signal ends the process at once, and without the thread nothing ends it sooner: that is all that is lost.
    let handled = ctrlc::set_handler(|| {
        if limits::interrupt() {
            source::end_compilers();
            std::process::exit(3);
        }
        CHANGED.notify_all();
    });
    if handled.is_ok() && keeps_running {
        ignore_hangup();
    }
    let _ = std::thread::Builder::new()
        .name("watchdog".to_owned())
        .spawn(keep_watch);
}

/// Whether whoever started the process wants it to go on when its terminal is gone (`nohup`).
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    // SAFETY: all zeros is a value of the structure, and the call only fills it in.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(unix)]
fn ignore_hangup() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
}

#[cfg(not(unix))]
fn is_hangup_ignored() -> bool {
    false
}

#[cfg(not(unix))]
fn ignore_hangup() {}

/// What is to be said if there must be an end from now on.
pub fn agree(last_words: impl FnOnce(Cause) -> u8 + Send + 'static) {
    watch().last_words = Some(Box::new(last_words));
}

/// Does what must not be left half done: meanwhile the watchdog does not end the process.
pub fn undisturbed<T>(act: impl FnOnce() -> T) -> T {
    let _kept = watch();
    act()
}

/// From now on the main thread says how it ended. Does not return if the watchdog does.
pub fn speak() {
    let mut watch = watch();
    if watch.speaker.is_none() {
        watch.speaker = Some(Speaker::Main);
        budget::lift();
    }
    if watch.speaker == Some(Speaker::Watchdog) {
        drop(watch);
        wait();
    }
}

/// Leaves it to the watchdog to say how it ended, if there must be an end anyway: what fails then fails for that reason.
pub fn give_up() {
    if limits::is_over() && watch().speaker != Some(Speaker::Main) {
        GIVEN_UP.store(true, Ordering::Relaxed);
        wait();
    }
}

/// Waits until the watchdog ends the process.
fn wait() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// There is no room for a block that is needed. Called by the allocator: takes no lock and allocates nothing.
pub fn run_out_of_memory() -> ! {
    EXHAUSTED.store(true, Ordering::Relaxed);
    wait()
}

fn keep_watch() {
    let mut state = watch();
    let cause = loop {
        let now = Instant::now();
        let cause = match () {
            () if EXHAUSTED.load(Ordering::Relaxed) || !budget::has_room(0) => Cause::Memory,
            () if limits::is_interrupted() => Cause::Interrupted,
            () if limits::is_late() => Cause::Time,
            () => {
                state = wait_at_most(state, TICK);
                continue;
            }
        };
        if state.speaker == Some(Speaker::Main) {
            return;
        }
        // Who takes too much memory cannot be waited for.
        let is_patient = cause != Cause::Memory && state.last_words.is_some();
        if is_patient {
            let until = now + GRACE;
            let is_worth_it = || !EXHAUSTED.load(Ordering::Relaxed) && !GIVEN_UP.load(Ordering::Relaxed);
            while Instant::now() < until && state.speaker.is_none() && is_worth_it() && budget::has_room(0) {
                state = wait_at_most(state, TICK);
            }
            // The user may have been given more time meanwhile.
            if state.speaker.is_some() || cause == Cause::Time && !limits::is_over() {
                continue;
            }
        }
        break cause;
    };
    state.speaker = Some(Speaker::Watchdog);
    budget::lift();
    let last_words = state.last_words.take();
    drop(state);
    source::end_compilers();
    let status = last_words.map_or(ENDED, |last_words| i32::from(last_words(cause)));
    std::process::exit(status);
}

fn wait_at_most(state: MutexGuard<'static, Watch>, time: Duration) -> MutexGuard<'static, Watch> {
    match CHANGED.wait_timeout(state, time) {
        Ok((state, _)) => state,
        Err(poisoned) => poisoned.into_inner().0,
    }
}
