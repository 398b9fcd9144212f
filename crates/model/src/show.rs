//! A model in words, for traces and reports.

use crate::code::{Fault, Model, Op};
use crate::run::{Ready, Run};
use crate::syntax::Kind;
use crate::system::{Action, State, What};
use kernel::{AccessKind, Flaw, Location, Property, System, Transitions};

/// One thing that happens in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A variable is read.
    Read {
        /// Its name.
        location: String,
        /// Its value.
        value: i32,
    },
    /// A variable is written.
    Write {
        /// Its name.
        location: String,
        /// What it was.
        old: i32,
        /// What it is.
        new: i32,
    },
    /// A lock is taken.
    Lock(String),
    /// A lock is given back.
    Unlock(String),
    /// Anything else, in words.
    Other(String),
}

/// A lock that a thread has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its name.
    pub lock: String,
    /// Who has it.
    pub owner: usize,
    /// Who wants it.
    pub wanted_by: Vec<usize>,
}

/// What a flaw is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// What happened, in one sentence.
    pub message: String,
    /// Why, a line each.
    pub why: Vec<String>,
    /// The line, 0 if there is none.
    pub line: u32,
}

impl Model {
    /// The name of a thread.
    pub fn thread_name(&self, thread: usize) -> &str {
        &self.instances[thread].name
    }

    /// What an observation looks at, and the line: the upper half of a mark is its number, the lower one a value.
    pub fn observation(&self, mark: u128) -> Option<(&str, u32, i32)> {
        let (text, at) = self.observations.get((mark >> 32) as usize)?;
        Some((text, at.line, mark as u32 as i32))
    }

    /// The line on which a thread stands or has failed; `None` if it has ended.
    pub fn line(&self, state: &State, thread: usize) -> Option<u32> {
        match Fault::of(self.point(state, thread)) {
            Some((_, step)) => Some(self.steps[step as usize].at.line),
            None => self.step(state, thread).map(|step| step.at.line),
        }
    }

    /// The global variable, element or lock at a word.
    fn word_name(&self, word: u32) -> String {
        match self.variable_at(word) {
            Some(variable) if variable.array => format!("{}[{}]", variable.name, word - variable.first),
            Some(variable) => variable.name.clone(),
            None => format!("word {word}"),
        }
    }

    /// The variable, element or lock of a location.
    pub fn location_name(&self, location: Location) -> String {
        let cell = if location.cell == Location::MONITOR {
            0
        } else {
            location.cell
        };
        self.word_name(location.object.wrapping_sub(1).wrapping_add(cell))
    }

    /// The word of a location, unless it is that of a lock.
    fn word_of(&self, location: Location) -> Option<u32> {
        (location.cell != Location::MONITOR).then(|| location.object - 1 + location.cell)
    }

    /// What a step would do. The state stays as it is.
    pub fn events(&self, state: &mut State, action: Action) -> Vec<Event> {
        let thread = action.thread as usize;
        let ready = self.look(state, thread);
        let touches = state.touches.clone();
        let before = state.clone();
        let Ok(undo) = self.apply(state, action) else {
            return Vec::new();
        };
        let after = state.clone();
        self.undo(state, undo);
        let mut events = Vec::new();
        self.tell_choice(&before, action, &ready, &mut events);
        for touch in touches {
            let Some(word) = self.word_of(touch.location) else {
                continue;
            };
            let (old, new) = (before.words[word as usize] as i32, after.words[word as usize] as i32);
            let location = self.word_name(word);
            events.push(if touch.access.is_read() {
                Event::Read { location, value: old }
            } else {
                Event::Write { location, old, new }
            });
        }
        let first = self.instances[thread].first;
        for variable in &self.templates[self.instances[thread].template].locals {
            for index in 0..variable.size {
                let word = (first + variable.first + index) as usize;
                let (old, new) = (before.words[word] as i32, after.words[word] as i32);
                let location = match variable.array {
                    true => format!("{}[{index}]", variable.name),
                    false => variable.name.clone(),
                };
                if old != new {
                    events.push(Event::Write { location, old, new });
                }
            }
        }
        if let Some((fault, _)) = Fault::of(self.point(&after, thread)) {
            events.push(Event::Other(format!("fails: {}", fault.text())));
        } else if self.step(&after, thread).is_none() {
            events.push(Event::Other("ends".to_owned()));
        }
        events
    }

    /// What is done to locks, and what is chosen.
    fn tell_choice(&self, state: &State, action: Action, ready: &Ready, events: &mut Vec<Event>) {
        let mut state = state.clone();
        let thread = action.thread as usize;
        let Some(step) = self.step(&state, thread) else { return };
        let mut run = Run::new(self, &mut state, thread, false);
        let waits = run.waits_for().0;
        let mut name = |cell| {
            run.lock(cell, AccessKind::Acquire)
                .ok()
                .map(|word| self.word_name(word))
        };
        let other = |text: String| Some(Event::Other(text));
        let event = match (&step.op, action.what) {
            (Op::Acquire(lock), _) => name(lock).map(Event::Lock),
            (Op::Release(lock), _) => name(lock).map(Event::Unlock),
            (Op::Reacquire, _) => Some(Event::Lock(self.word_name(waits))),
            (Op::Wait(lock), _) => name(lock).and_then(|lock| other(format!("waits on {lock}"))),
            (Op::Waiting, _) => other("wakes up for no reason".to_owned()),
            (Op::Notify(_), What::Wake(waiter)) => other(format!("notifies \"{}\"", self.thread_name(waiter as usize))),
            (Op::Notify(lock), _) => name(lock).and_then(|lock| other(format!("notifies nobody on {lock}"))),
            (Op::NotifyAll(lock), _) => name(lock).and_then(|lock| other(format!("notifies all on {lock}"))),
            (Op::Either(targets), What::Choose(number)) => {
                other(format!("takes way {} of {}", number + 1, targets.len()))
            }
            (Op::Choose(..), What::Choose(number)) => match ready {
                Ready::Choices(count) => other(format!("chooses number {} of {count}", number + 1)),
                _ => None,
            },
            _ => None,
        };
        events.extend(event);
    }

    /// The locks that somebody has.
    pub fn held(&self, state: &mut State) -> Vec<Held> {
        let mut out = Vec::new();
        let wanted: Vec<Option<u32>> = (0..self.threads()).map(|thread| self.wanted(state, thread)).collect();
        let locks = self.variables.iter().filter(|variable| variable.kind == Kind::Lock);
        for word in locks.flat_map(|variable| variable.first..variable.first + variable.size) {
            if let Some(owner) = self.holder(state, word) {
                let wants = |thread: &usize| wanted[*thread] == Some(word) && *thread != owner;
                out.push(Held {
                    lock: self.word_name(word),
                    owner,
                    wanted_by: (0..self.threads()).filter(wants).collect(),
                });
            }
        }
        out
    }

    /// What a thread is up to: `runs`, `wants m, held by "t"`, `waits for a condition`.
    pub fn status(&self, state: &mut State, thread: usize) -> String {
        if let Some((fault, _)) = Fault::of(self.point(state, thread)) {
            return format!("has failed: {}", fault.text());
        }
        let Some(step) = self.step(state, thread) else {
            return "has ended".to_owned();
        };
        let wanted = self.wanted(state, thread);
        let waits = Run::new(self, state, thread, false).waits_for().0;
        match (self.look(state, thread), wanted, &step.op) {
            (Ready::No, _, Op::Waiting) => format!("waits to be notified on {}", self.word_name(waits)),
            (Ready::No, Some(word), _) => {
                let owner = self.holder(state, word).map(|owner| self.thread_name(owner));
                let held = owner.map(|owner| format!(", held by \"{owner}\""));
                format!("wants {}{}", self.word_name(word), held.unwrap_or_default())
            }
            (Ready::No, None, Op::Down(_)) => {
                let word = state.touches.last().and_then(|touch| self.word_of(touch.location));
                let name = word.map(|word| self.word_name(word)).unwrap_or_default();
                format!("waits for semaphore {name}")
            }
            (Ready::No, ..) => "waits for a condition".to_owned(),
            _ => "runs".to_owned(),
        }
    }

    fn status_line(&self, state: &mut State, thread: usize) -> String {
        let line = self.line(state, thread).map(|line| format!(", at line {line}"));
        let status = self.status(state, thread);
        format!("\"{}\" {status}{}", self.thread_name(thread), line.unwrap_or_default())
    }

    /// What a flaw of a state is about. `transitions` are those of the state.
    pub fn explain(&self, state: &mut State, transitions: &Transitions<Action>, flaw: Flaw) -> Explanation {
        match flaw.property {
            one if one == Property::EXCEPTION => self.explain_failure(state, flaw.key),
            one if one == Property::RACE => self.explain_race(state, transitions, flaw.key),
            one if one == Property::LOCK => self.explain_lock(state, flaw.key),
            one if one == Property::DEADLOCK || one == Property::LIVELOCK => {
                self.explain_stuck(state, transitions, one)
            }
            other => Explanation {
                message: other.violated(),
                ..Explanation::default()
            },
        }
    }

    fn explain_failure(&self, state: &mut State, key: u64) -> Explanation {
        let failed = (0..self.threads()).find(|&thread| u64::from(self.point(state, thread)) == key);
        let fault = Fault::of(key as u32);
        let (Some(thread), Some((fault, step))) = (failed, fault) else {
            return Explanation::default();
        };
        Explanation {
            message: format!("failure in thread \"{}\": {}", self.thread_name(thread), fault.text()),
            why: Vec::new(),
            line: self.steps[step as usize].at.line,
        }
    }

    fn explain_race(&self, state: &mut State, transitions: &Transitions<Action>, key: u64) -> Explanation {
        for (one, two) in transitions.races() {
            let threads = [one.thread.0 as usize, two.thread.0 as usize];
            if self.race_key(state, threads[0], threads[1]) != Some(key) {
                continue;
            }
            let Some((first, second)) = self.race_touch(state, threads[0], threads[1]) else {
                continue;
            };
            let word = self.word_of(first.location).unwrap_or_default();
            let (name, names) = (self.word_name(word), threads.map(|thread| self.thread_name(thread)));
            let why = [(first, 0), (second, 1)].map(|(touch, which)| {
                let verb = if touch.access.is_read() { "reads" } else { "writes" };
                let line = self.line(state, threads[which]).unwrap_or_default();
                format!("\"{}\" {verb} {name}, at line {line}", names[which])
            });
            return Explanation {
                message: format!("data race on {name} between \"{}\" and \"{}\"", names[0], names[1]),
                why: why.to_vec(),
                line: self.line(state, threads[0]).unwrap_or_default(),
            };
        }
        Explanation::default()
    }

    fn explain_lock(&self, state: &mut State, key: u64) -> Explanation {
        let left = self.left_locks(state);
        let Some((_, word)) = left.into_iter().find(|(position, _)| *position as u64 == key) else {
            return Explanation::default();
        };
        let owner = self.holder(state, word).map(|owner| self.thread_name(owner).to_owned());
        let (name, owner) = (self.word_name(word), owner.unwrap_or_default());
        Explanation {
            message: format!("{name} is still held by \"{owner}\", which is over"),
            ..Explanation::default()
        }
    }

    fn explain_stuck(&self, state: &mut State, transitions: &Transitions<Action>, property: Property) -> Explanation {
        let circle = self.circle(state);
        let could_move = |thread: &usize| {
            let mut entries = transitions.entries().iter();
            entries.any(|entry| entry.thread.0 as usize == *thread && entry.enabled && !entry.spurious)
        };
        let is_livelock = property == Property::LIVELOCK;
        let members = match () {
            () if is_livelock => self.live(state).into_iter().filter(could_move).collect(),
            () if circle.is_empty() => self.live(state),
            () => circle.clone(),
        };
        let names: Vec<String> = members
            .iter()
            .map(|&thread| format!("\"{}\"", self.thread_name(thread)))
            .collect();
        let names = match &names[..] {
            [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
            _ => names.concat(),
        };
        let message = match () {
            () if is_livelock && members.len() == 1 => {
                format!("livelock: {names} runs for ever and changes nothing that another thread looks at")
            }
            () if is_livelock => {
                format!("livelock: {names} run for ever and change nothing that another thread looks at")
            }
            () if circle.is_empty() => format!("deadlock: nobody can go on ({names})"),
            () => format!("deadlock: {names} wait for each other"),
        };
        Explanation {
            message,
            why: members.iter().map(|&thread| self.status_line(state, thread)).collect(),
            line: members
                .first()
                .and_then(|&thread| self.line(state, thread))
                .unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn model(text: &str) -> Model {
        Model::new(&parse(text).expect("a model"), true).expect("a model")
    }

    #[test]
    fn steps_are_told() {
        let model = model(
            "int x = 3, a[2]; lock m; thread t(i) [2] { int y; y = x + a[i]; lock m { a[1] = y; } choose y in 1..2; assert y == 1; }",
        );
        let mut state = model.start();
        let read = |location: &str, value| Event::Read {
            location: location.to_owned(),
            value,
        };
        let write = |location: &str, old, new| Event::Write {
            location: location.to_owned(),
            old,
            new,
        };
        let other = |text: &str| Event::Other(text.to_owned());
        let expected = [
            (What::Go, vec![read("x", 3), read("a[1]", 0), write("y", 0, 3)]),
            (What::Go, vec![Event::Lock("m".to_owned())]),
            (What::Go, vec![write("a[1]", 0, 3)]),
            (What::Go, vec![Event::Unlock("m".to_owned())]),
            (What::Choose(1), vec![other("chooses number 2 of 2"), write("y", 3, 2)]),
            (What::Go, vec![other("fails: the assertion does not hold")]),
        ];
        for (what, events) in expected {
            let action = Action { thread: 1, what };
            let before = state.clone();
            assert_eq!(model.events(&mut state, action), events);
            assert_eq!(state, before);
            model.apply(&mut state, action).expect("a step");
        }
        assert_eq!(model.status(&mut state, 1), "has failed: the assertion does not hold");
        let mut transitions = Transitions::default();
        model.transitions(&mut state, &mut transitions);
        let told = model.explain(&mut state, &transitions, transitions.flaws[0]);
        assert_eq!(told.message, "failure in thread \"t[1]\": the assertion does not hold");
    }

    #[test]
    fn who_waits_for_what_is_told() {
        let model = model(
            "lock m, n; semaphore s; thread a { acquire m; acquire n; } thread b { acquire n; acquire m; }
             thread c { down s; } thread d { await false; } thread e { acquire n; wait n; }",
        );
        let mut state = model.start();
        let steps = [4, 4, 0, 1];
        for thread in steps {
            let action = Action { thread, what: What::Go };
            model.apply(&mut state, action).expect("a step");
        }
        let status: Vec<String> = (0..5).map(|thread| model.status(&mut state, thread)).collect();
        let expected = [
            "wants n, held by \"b\"",
            "wants m, held by \"a\"",
            "waits for semaphore s",
            "waits for a condition",
            "waits to be notified on n",
        ];
        assert_eq!(status, expected);
        let told = model.explain_stuck(&mut state, &Transitions::default(), Property::DEADLOCK);
        assert_eq!(told.message, "deadlock: \"a\" and \"b\" wait for each other");
        assert_eq!(
            told.why,
            [
                "\"a\" wants n, held by \"b\", at line 1",
                "\"b\" wants m, held by \"a\", at line 1"
            ]
        );
        assert_eq!(model.held(&mut state).len(), 2);
    }
}
