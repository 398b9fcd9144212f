//! Which scenarios are examined: all, if they are few; else all pairs of methods, and more calls as long as there is room.

use crate::arguments::same;
use crate::draw::Draw;
use crate::scenario::{Call, Method, Scenario, callable};
use std::collections::BTreeSet;

/// Methods that put something in, the likeliest first.
const ADDERS: &[&str] = &[
    "add",
    "addLast",
    "offer",
    "put",
    "push",
    "enqueue",
    "insert",
    "set",
    "store",
    "increment",
];

/// How often the same methods are tried with other arguments.
const ROUNDS: usize = 3;

/// How many initial calls are tried at most.
const FILLED: usize = 2;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How many threads at most.
    pub threads: usize,
    /// How many calls each at most.
    pub calls: usize,
    /// What is called first; a few things if nothing is said.
    pub init: Option<Vec<Call>>,
    /// How many scenarios at most.
    pub most: usize,
    /// Where choices come from.
    pub seed: u64,
    /// Whether threads also interrupt each other.
    pub interrupts: bool,
}

/// What was chosen, those with fewest calls first.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The scenarios.
    pub scenarios: Vec<Scenario>,
    /// How many there are, as far as they can be counted.
    pub all: u64,
    /// Methods for which no arguments are known.
    pub left_out: Vec<Method>,
}

/// Scenarios of these methods.
pub fn choose(methods: &[Method], wanted: &Wanted) -> Choice {
    let (able, left_out): (Vec<&Method>, Vec<&Method>) =
        methods.iter().partition(|method| !callable(method, false).is_empty());
    let is_overloaded = |method: &Method| {
        let same = |other: &&Method| other.name == method.name && other.parameters.len() == method.parameters.len();
        methods.iter().filter(same).count() > 1
    };
    let mut chooser = Chooser {
        calls: able
            .iter()
            .map(|method| callable(method, is_overloaded(method)))
            .collect(),
        inits: inits(&able, wanted),
        draw: Draw::new(wanted.seed),
        interrupts: wanted.interrupts,
        chosen: BTreeSet::new(),
    };
    if wanted.interrupts {
        // In whose place the number of another thread is put.
        chooser.calls.push(vec![Call::interrupt(0)]);
    }
    let shapes = shapes(wanted);
    let single: u64 = chooser.calls.iter().map(|calls| calls.len() as u64).sum();
    let count = |shape: &Vec<usize>| {
        let calls = single.saturating_pow(shape.iter().sum::<usize>() as u32);
        calls.saturating_mul(chooser.inits.len() as u64)
    };
    let all = shapes.iter().map(count).fold(0, u64::saturating_add);
    if single > 0 {
        // Threads with the same calls in another order are counted twice here.
        match all <= 2 * wanted.most as u64 {
            true => shapes.iter().for_each(|shape| chooser.every(shape)),
            false => chooser.some(&shapes, wanted.most),
        }
    }
    let mut scenarios: Vec<Scenario> = chooser.chosen.into_iter().collect();
    scenarios.sort_by_key(|scenario| (scenario.calls(), scenario.threads.len(), scenario.init.len()));
    Choice {
        all: all.max(scenarios.len() as u64),
        scenarios,
        left_out: left_out.into_iter().cloned().collect(),
    }
}

/// How many calls each thread makes: the numbers do not grow, and there are two at least.
fn shapes(wanted: &Wanted) -> Vec<Vec<usize>> {
    let mut shapes: Vec<Vec<usize>> = Vec::new();
    let mut open: Vec<Vec<usize>> = (1..=wanted.calls).map(|calls| vec![calls]).collect();
    while let Some(shape) = open.pop() {
        if shape.len() < wanted.threads {
            let last = shape[shape.len() - 1];
            open.extend((1..=last).map(|calls| [&shape[..], &[calls]].concat()));
        }
        if shape.len() > 1 {
            shapes.push(shape);
        }
    }
    shapes.sort_by_key(|shape| (shape.iter().sum::<usize>(), shape.len()));
    shapes
}

/// What is called first: nothing, or something that puts one or two things in.
fn inits(methods: &[&Method], wanted: &Wanted) -> Vec<Vec<Call>> {
    if let Some(init) = &wanted.init {
        return vec![init.clone()];
    }
    let find = |name: &&str| {
        methods
            .iter()
            .find(|method| method.name == **name && !method.parameters.is_empty())
    };
    let adder = ADDERS.iter().find_map(find);
    let call = |number: usize| Some(Call::new(adder?, &same(&adder?.parameters, number)?));
    (0..=FILLED)
        .filter_map(|count| (0..count).map(call).collect::<Option<Vec<_>>>())
        .collect()
}

struct Chooser {
    /// By method.
    calls: Vec<Vec<Call>>,
    inits: Vec<Vec<Call>>,
    draw: Draw,
    interrupts: bool,
    chosen: BTreeSet<Scenario>,
}

impl Chooser {
    /// Enters a scenario.
    fn enter(&mut self, init: &[Call], mut threads: Vec<Vec<Call>>) {
        if self.interrupts {
            let count = threads.len();
            for (number, calls) in threads.iter_mut().enumerate() {
                let own = calls.iter_mut().filter(|call| call.other.is_some());
                own.for_each(|call| *call = Call::interrupt((number + 1) % count));
            }
        }
        let init = init.to_vec();
        self.chosen.insert(Scenario { init, threads }.canonical());
    }

    /// All scenarios of a shape.
    fn every(&mut self, shape: &[usize]) {
        let all: Vec<Call> = self.calls.iter().flatten().cloned().collect();
        let (length, inits) = (shape.iter().sum::<usize>(), self.inits.clone());
        let mut digits = vec![0; length];
        loop {
            let chosen: Vec<Call> = digits.iter().map(|&digit| all[digit].clone()).collect();
            for init in &inits {
                self.enter(init, cut(&chosen, shape));
            }
            let Some(last) = digits.iter().rposition(|&digit| digit + 1 < all.len()) else {
                return;
            };
            digits[last] += 1;
            digits[last + 1..].fill(0);
        }
    }

    /// Of each shape all choices of methods, with each way to begin, as long as there is room; else some of them by chance. Small shapes
    /// come first. Each choice is tried with arguments that differ, then with the same ones, then with any.
    fn some(&mut self, shapes: &[Vec<usize>], most: usize) {
        let methods = self.calls.len();
        for (number, shape) in shapes.iter().enumerate() {
            let length = shape.iter().sum::<usize>();
            let choices = methods.saturating_pow(length as u32);
            for round in 0..ROUNDS {
                let left = most.saturating_sub(self.chosen.len());
                let each = choices.saturating_mul(self.inits.len());
                match () {
                    () if each <= left / 3 * 2 => {
                        for choice in 0..choices {
                            for init in 0..self.inits.len() {
                                self.enter_choice(shape, choice, init, round);
                            }
                        }
                    }
                    () if round > 0 => break,
                    () if number == 0 && choices <= left / 3 * 2 => {
                        for choice in 0..choices {
                            let init = self.draw.below(self.inits.len());
                            self.enter_choice(shape, choice, init, round);
                        }
                    }
                    () => {
                        let share = self.chosen.len() + left / (shapes.len() - number);
                        // What was drawn before is drawn again, so there is an end to trying.
                        for _ in 0..left * 10 {
                            if self.chosen.len() >= share {
                                break;
                            }
                            let (choice, init) = (self.draw.below(choices), self.draw.below(self.inits.len()));
                            let round = self.draw.below(ROUNDS);
                            self.enter_choice(shape, choice, init, round);
                        }
                    }
                }
            }
        }
    }

    /// Enters a scenario of these methods, which are the digits of a number.
    fn enter_choice(&mut self, shape: &[usize], mut choice: usize, init: usize, round: usize) {
        let init = self.inits[init].clone();
        let calls: Vec<Call> = (init.len()..init.len() + shape.iter().sum::<usize>())
            .map(|position| {
                let method = choice % self.calls.len();
                choice /= self.calls.len();
                let own = self.calls[method].len();
                let number = match round {
                    0 => position % own,
                    1 => 0,
                    _ => self.draw.below(own),
                };
                self.calls[method][number].clone()
            })
            .collect();
        self.enter(&init, cut(&calls, shape));
    }
}

/// Calls as those of threads with so many each.
fn cut(calls: &[Call], shape: &[usize]) -> Vec<Vec<Call>> {
    let mut rest = calls;
    shape
        .iter()
        .map(|&count| {
            let (own, others) = rest.split_at(count);
            rest = others;
            own.to_vec()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(name: &str, parameters: &[&str]) -> Method {
        Method {
            name: name.to_owned(),
            parameters: parameters.iter().map(|&one| one.to_owned()).collect(),
            result: None,
        }
    }

    fn wanted(most: usize) -> Wanted {
        Wanted {
            threads: 2,
            calls: 2,
            init: Some(Vec::new()),
            most,
            seed: 1,
            interrupts: false,
        }
    }

    #[test]
    fn few_scenarios_are_all_examined_the_smallest_first() {
        let choice = choose(&[method("a", &[]), method("b", &[])], &wanted(100));
        let lines: Vec<String> = choice.scenarios.iter().map(Scenario::line).collect();
        assert_eq!(lines[..3], ["a() | a()", "a() | b()", "b() | b()"]);
        // Two calls and one: 2^3. Two and two: 4 threads, 10 pairs of them.
        assert_eq!(lines.len(), 3 + 8 + 10);
    }

    #[test]
    fn of_many_scenarios_each_pair_of_methods_comes_first() {
        let methods = ["a", "b", "c", "d"].map(|name| method(name, &["I", "I"]));
        let choice = choose(&methods, &wanted(40));
        assert_eq!(choice.scenarios.len(), 40);
        let names = |one: &Scenario| {
            one.threads
                .concat()
                .iter()
                .map(|call| call.text[..1].to_owned())
                .collect()
        };
        let pairs: BTreeSet<Vec<String>> = choice
            .scenarios
            .iter()
            .filter(|one| one.calls() == 2)
            .map(names)
            .collect();
        assert_eq!(pairs.len(), 10);
        assert_eq!(choose(&methods, &wanted(40)).scenarios, choice.scenarios);
    }

    #[test]
    fn what_cannot_be_called_is_left_out_and_named() {
        let choice = choose(&[method("a", &["Lp/Unknown;"]), method("add", &["I"])], &wanted(40));
        assert_eq!(choice.left_out.len(), 1);
        assert_eq!(choice.left_out[0].signature(), "a(Unknown)");
        let filled = choose(
            &[method("add", &["I"])],
            &Wanted {
                init: None,
                ..wanted(100)
            },
        );
        let inits: BTreeSet<usize> = filled.scenarios.iter().map(|one| one.init.len()).collect();
        assert_eq!(inits.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn arguments_say_which_of_several_methods_is_meant() {
        let methods = [method("remove", &["I"]), method("remove", &["Ljava/lang/Object;"])];
        let choice = choose(&methods, &wanted(1000));
        let calls: BTreeSet<&str> = choice
            .scenarios
            .iter()
            .flat_map(|one| &one.threads[0])
            .map(|call| &*call.java)
            .collect();
        assert!(calls.contains("subject.remove((int) (1))"), "{calls:?}");
        assert!(calls.contains("subject.remove((java.lang.Object) (1))"), "{calls:?}");
    }

    #[test]
    fn threads_that_interrupt_name_another_one() {
        let choice = choose(
            &[method("a", &[])],
            &Wanted {
                interrupts: true,
                ..wanted(100)
            },
        );
        let first = &choice.scenarios[0];
        assert!(
            choice.scenarios.iter().any(|one| one.line() == "a() | interrupt A"),
            "{first:?}"
        );
    }
}
