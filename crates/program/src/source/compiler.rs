//! A compiler as a process: its output, and an end to it when nobody wants to wait any longer.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The compilers that run, and the folder that each writes to.
static RUNNING: Mutex<Vec<(u32, PathBuf)>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<(u32, PathBuf)>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all compilers that run, with whatever they have started, and removes what they have written so far.
pub fn end_compilers() {
    for (id, folder) in running().drain(..) {
        kill(id);
        std::fs::remove_dir_all(folder).ok();
    }
}

/// Runs a command that writes into `folder` to its end: what it printed, and its status.
pub(super) fn run(mut command: Command, folder: &Path) -> io::Result<(String, ExitStatus)> {
    let (mut printed, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    apart(&mut command);
    let mut child = {
        // Entered before anybody can ask who runs.
        let mut running = running();
        let child = command.spawn()?;
        running.push((child.id(), folder.to_owned()));
        child
    };
    // With the command go its ends of the pipe, so that what is printed has an end.
    drop(command);
    let mut bytes = Vec::new();
    let read = printed.read_to_end(&mut bytes);
    wait(child.id());
    // Only now, and before its number is given back to the system, it is nobody's to end.
    running().retain(|&(id, _)| id != child.id());
    let status = child.wait()?;
    read?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), status))
}

/// Puts a command into a group of processes of its own, so that all of it can be ended together.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Ends a group of processes.
#[cfg(unix)]
fn kill(id: u32) {
    if let Ok(id) = libc::pid_t::try_from(id) {
        // SAFETY: sends a signal to a group that is ours: its first process was not waited for yet.
        unsafe { libc::kill(-id, libc::SIGKILL) };
    }
}

/// Waits until a process has ended, and lets it keep its number.
#[cfg(unix)]
fn wait(id: u32) {
    // SAFETY: all zeros is a value of the structure, which the call fills in. An interrupted call is repeated.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        while libc::waitid(libc::P_PID, id, &mut info, libc::WEXITED | libc::WNOWAIT) != 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}

#[cfg(not(unix))]
fn kill(_: u32) {}

#[cfg(not(unix))]
fn wait(_: u32) {}
