//! Propositions about models: `x == 2 and owner(m) != t[0]`, `t[1].at(12)`, `t[1].y > 0`, `done(t[1])`.
//!
//! The language is that of the rules of a `discipline`, but for what these say about the thread `i`: here, threads are named.

use crate::code::Model;
use crate::condition::{Case, Reader, When};
use crate::lexer::{Expressions, Token};
use crate::system::{Action, State};
use kernel::{Propositions, Transition, Transitions};
use std::ops::Range;

/// A condition over a state, and what it looks at.
#[derive(Clone, Debug)]
pub struct Proposition {
    when: When,
    /// Words of variables, locks and semaphores.
    words: Vec<Range<u32>>,
    /// Threads whose own variables or control points matter.
    threads: Vec<usize>,
}

impl Proposition {
    fn look(&mut self, when: &When) {
        match when {
            When::Number(_) | When::Thread | When::Element | When::Own(_) | When::At(_) | When::Done => {}
            When::Owner(first, size, index) | When::Word(first, size, index) => {
                self.words.push(*first..first + size);
                index.iter().for_each(|index| self.look(index));
            }
            When::Of(thread, inner) => {
                self.threads.push(*thread);
                self.look(inner);
            }
            When::Minus(inner) | When::Not(inner) => self.look(inner),
            When::Binary(_, left, right) => {
                self.look(left);
                self.look(right);
            }
        }
    }
}

impl Model {
    /// The proposition that a text stands for, or what is wrong with the text.
    pub fn proposition(&self, text: &str) -> Result<Proposition, String> {
        let read = || {
            let mut reader = Reader::new(self, text)?;
            reader.names_threads = true;
            let when = reader.expression()?;
            match reader.cursor.peek() {
                Token::End => Ok(when),
                other => reader.cursor.wrong(format!("expected an operator instead of {other}")),
            }
        };
        let when = read().map_err(|error| error.to_string())?;
        let mut made = Proposition {
            when: when.clone(),
            words: Vec::new(),
            threads: Vec::new(),
        };
        made.look(&when);
        Ok(made)
    }
}

impl Propositions for Model {
    type Proposition = Proposition;

    fn holds(&self, state: &mut State, proposition: &Proposition) -> bool {
        let case = Case {
            model: self,
            state,
            thread: 0,
            element: 0,
        };
        proposition.when.value(case).is_some_and(|value| value != 0)
    }

    /// SOUNDNESS: the local work after a step changes words of its thread alone. A notified thread stays on the line of its `wait`.
    fn may_change(
        &self,
        _state: &mut State,
        transitions: &Transitions<Action>,
        step: &Transition<Action>,
        proposition: &Proposition,
    ) -> bool {
        // The object of a location is a word and one: the first of a variable, or that of one lock or semaphore.
        let is_seen = |object: u32| {
            proposition
                .words
                .iter()
                .any(|words| words.contains(&(object.wrapping_sub(1))))
        };
        let mut touches = transitions.footprint(step).iter();
        proposition.threads.contains(&(step.thread.0 as usize))
            || touches.any(|touch| !touch.access.is_read() && is_seen(touch.location.object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "int x; volatile int a[2]; lock m; semaphore s = 1;\n\
        thread t(i) [2] { int y = i;\n acquire m;\n x = x + 1;\n release m; }\n\
        thread u { down s;\n a[1] = 2; }";

    fn model() -> Model {
        Model::new(&crate::parse(TEXT).expect("a model"), true).expect("a model")
    }

    #[test]
    fn propositions_are_about_variables_locks_and_control_points() {
        let model = model();
        let mut state = model.start();
        let cases = [
            ("x == 0", true),
            ("x + 1 > 1 or a[1] == 0", true),
            ("s == 1 and !(x < 0)", true),
            ("a[x + 7] == 0", false),
            ("owner(m) == -1", true),
            ("owner(m) == t[0]", false),
            ("t[1].y == 1", true),
            ("t[0].y == 1", false),
            ("t[0].at(3)", true),
            ("t[0].at(4, 5) || done(u)", false),
            ("not done(t[1])", true),
        ];
        for (text, expected) in cases {
            let made = model.proposition(text);
            let made = made.unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(model.holds(&mut state, &made), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_proposition_is_told() {
        let model = model();
        for (text, expected) in [
            ("z == 1", "1:1: the model has no variable `z`; it has x, a, s"),
            ("y == 1", "1:1: the model has no variable `y`; it has x, a, s"),
            ("i == 0", "1:1: the model has no variable `i`; it has x, a, s"),
            ("x == 1 x", "1:8: expected an operator instead of `x`"),
            ("done(x)", "1:6: expected the name of a thread instead of `x`"),
            ("u.y == 1", "1:3: `u` has no variable `y` that is no array"),
            ("u.at(99)", "1:6: no statement begins at line 99"),
        ] {
            let refused = model.proposition(text);
            assert_eq!(refused.map(|_| ()), Err(expected.to_owned()), "{text}");
        }
    }
}
