//! Which methods take effect at once, and how.

/// A table of operations. What is said of a method first holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    entries: Vec<Entry>,
}

/// What a table says of some methods.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    pattern: Pattern,
    effect: Effect,
    /// Whether it is so because the user says it, whatever the program does.
    is_assumed: bool,
    /// Whether it is so for subclasses of the program's, too.
    is_open: bool,
}

/// How an operation takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// At once, except where it has to wait, because the user says so. If it is interrupted, it notices that first.
    Assumed,
    /// At once, except where it has to wait.
    AtOnce,
    /// At once, and not before it need not wait: until then it has not begun. For methods that do nothing but wait until they can do what
    /// they do, so that nobody else can tell.
    WhenAble,
    /// At once: where it would wait with a time limit, the limit is over. So it waits by not having begun. For methods that do nothing but
    /// wait as long as they may until they can do what they do.
    GivesUp,
    /// At once, except where it has to wait for a signal. Where it would wait with a time limit, the limit is over, as long as no
    /// [`Effect::Signalling`] operation is used, and nobody is interrupted or looks at the clock.
    AwaitsSignal,
    /// At once. It signals others.
    Signalling,
    /// When able as long as no [`Effect::Crowding`] operation is used; else at once.
    WhenAbleAlone,
    /// At once. How others wait makes a difference to it.
    Crowding,
    /// At once, as an operation of its own also where another operation calls it.
    Task,
    /// A task as long as no [`Effect::Cancelling`] method is used; else it is explored inside, wherever it is called.
    TaskUncancelled,
    /// It is explored inside, wherever it is called.
    Cancelling,
    /// When able, as an operation of its own, where an operation of a condition calls it to have the lock back; else it is none.
    Reacquiring,
    /// It looks at who waits in operations, so that nothing of the library is one where it is used.
    Looking,
}

/// Names methods: `Class.method`, with or without the package, and `*` for any part of a name. A method may be given with its descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    class: String,
    method: String,
}

impl Pattern {
    fn read(text: &str) -> Option<Pattern> {
        let name_end = text.find('(').unwrap_or(text.len());
        let (class, name) = text[..name_end].rsplit_once('.')?;
        let is_complete = !class.is_empty() && !name.is_empty();
        is_complete.then(|| Pattern {
            class: class.to_owned(),
            method: format!("{name}{}", &text[name_end..]),
        })
    }

    /// Whether it names a method of a class, by its name with the package.
    fn names(&self, class: &str, method: &str, descriptor: &str) -> bool {
        let simple = class.rsplit('.').next().unwrap_or(class);
        let is_method = match self.method.contains('(') {
            true => fits(&self.method, &format!("{method}{descriptor}")),
            false => fits(&self.method, method),
        };
        is_method && (fits(&self.class, class) || fits(&self.class, simple))
    }
}

impl Operations {
    /// The methods that any of these patterns names, at once because the user says so; or the first one that is no pattern.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Operations, String> {
        let mut table = Operations::default();
        for pattern in patterns {
            table.assume(pattern)?;
        }
        Ok(table)
    }

    /// Adds the methods that a pattern names, at once because the user says so; the pattern itself is the error if it is none.
    pub fn assume(&mut self, pattern: &str) -> Result<(), String> {
        self.push(pattern, Effect::Assumed, true, false)
    }

    /// Adds the methods that a pattern names, as they were proved to take effect; if they are `open`, the program may extend their class.
    pub fn add(&mut self, pattern: &str, effect: Effect, open: bool) -> Result<(), String> {
        self.push(pattern, effect, false, open)
    }

    fn push(&mut self, pattern: &str, effect: Effect, is_assumed: bool, is_open: bool) -> Result<(), String> {
        let pattern = Pattern::read(pattern).ok_or_else(|| pattern.to_owned())?;
        self.entries.push(Entry {
            pattern,
            effect,
            is_assumed,
            is_open,
        });
        Ok(())
    }

    /// Whether a pattern names one of these methods, given with the names of their classes.
    pub fn names(pattern: &str, methods: &[String]) -> bool {
        let split = methods.iter().filter_map(|method| method.rsplit_once('.'));
        Pattern::read(pattern)
            .is_some_and(|read| split.into_iter().any(|(class, method)| read.names(class, method, "")))
    }

    /// Whether a method takes effect at once because it was proved to.
    pub(crate) fn is_proved(&self, class: &str, method: &str, descriptor: &str) -> bool {
        let mut entries = self.entries.iter();
        let found = entries.find(|entry| entry.pattern.names(class, method, descriptor));
        found.is_some_and(|entry| !entry.is_assumed)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether some of them are at once because they were proved to be.
    pub fn has_proved(&self) -> bool {
        self.entries.iter().any(|entry| !entry.is_assumed)
    }

    /// How a method of a class, by its name with the package, takes effect, and whether the program may extend its class. If only what is
    /// `assumed` counts, nothing that was proved does.
    pub(crate) fn find(&self, assumed: bool, class: &str, method: &str, descriptor: &str) -> Option<(Effect, bool)> {
        let mut entries = self.entries.iter().filter(|entry| entry.is_assumed || !assumed);
        let found = entries.find(|entry| entry.pattern.names(class, method, descriptor));
        found
            .filter(|_| !method.starts_with('<'))
            .map(|entry| (entry.effect, entry.is_open))
    }
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.any(|at| fits(after, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "java.util.concurrent.locks.ReentrantLock";
    const QUEUE: &str = "java.util.concurrent.ArrayBlockingQueue";

    #[test]
    fn a_pattern_names_methods_of_classes() {
        let cases = [
            ("ReentrantLock.lock", LOCK, "lock", true),
            ("ReentrantLock.lock()V", LOCK, "lock", true),
            ("ReentrantLock.lock(I)V", LOCK, "lock", false),
            ("ReentrantLock.lock(*", LOCK, "lock", true),
            ("java.util.concurrent.*.*", LOCK, "lock", true),
            ("java.util.concurrent.*.*", "java.util.ArrayList", "add", false),
            ("*Queue.p*t", QUEUE, "put", true),
            ("*Queue.p*t", QUEUE, "poll", false),
            ("Map$Entry.get*", "p.Map$Entry", "getKey", true),
            ("*.*", "p.A", "<init>", false),
            ("*.*", "p.A", "", true),
        ];
        for (pattern, class, method, expected) in cases {
            let table = Operations::new([pattern]).expect("a pattern");
            let found = table.find(false, class, method, "()V").is_some();
            assert_eq!(found, expected, "{pattern} {class} {method}");
        }
        for wrong in ["", "lock", ".lock", "ReentrantLock.", "lock(Ljava.lang.Object;)V"] {
            assert_eq!(Operations::new([wrong]), Err(wrong.to_owned()));
        }
    }

    #[test]
    fn what_is_said_first_holds() {
        let mut table = Operations::default();
        for (pattern, effect) in [
            ("ReentrantLock.lock", Effect::WhenAble),
            ("ReentrantLock.*", Effect::AtOnce),
        ] {
            table.add(pattern, effect, false).expect("a pattern");
        }
        let effect = |class, method| table.find(false, class, method, "()V").map(|(effect, _)| effect);
        assert_eq!(effect(LOCK, "lock"), Some(Effect::WhenAble));
        assert_eq!(effect(LOCK, "unlock"), Some(Effect::AtOnce));
        assert_eq!(effect(QUEUE, "put"), None);
        assert_eq!(table.find(true, LOCK, "lock", "()V"), None);
    }
}
