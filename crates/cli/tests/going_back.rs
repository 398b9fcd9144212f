//! Going back and writing down, on real programs: `undo` after `apply` restores every word, `decode` after `encode`
//! gives the same state, and the order of allocation does not show.

mod common;

use kernel::Pending;
use machine::Machine;
use machine::system::Action;

/// Numbers that look random and are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

fn vector(machine: &mut Machine<'_>) -> Vec<u32> {
    let mut words = Vec::new();
    machine.encode(&mut words);
    words
}

/// Every word of the tables and the heap.
fn everything(machine: &Machine<'_>) -> Vec<u32> {
    machine.memory.snapshot(0, machine.memory.top())
}

/// Walks `steps` steps through a program by chance, checking each; how many were taken.
fn walk(machine: &mut Machine<'_>, other: &mut Machine<'_>, name: &str, steps: usize, seed: u64) -> usize {
    machine.restart();
    machine
        .launch(name, &[])
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut dice = Dice(seed);
    let mut pending: Vec<Pending<Action>> = Vec::new();
    for step in 0..steps {
        machine.pending(&mut pending);
        let enabled: Vec<Action> = pending
            .iter()
            .filter(|next| next.enabled)
            .map(|next| next.action)
            .collect();
        if enabled.is_empty() {
            return step;
        }
        let action = enabled[dice.below(enabled.len())];
        // Comparing all of memory is slow: at first always, then now and then; the vector each time.
        let thorough = step < 40 || step % 97 == 0;
        let before = vector(machine);
        let all_before = thorough.then(|| everything(machine));
        let (undo, _) = machine
            .apply(action)
            .unwrap_or_else(|error| panic!("{name}, step {step}: {error}"));
        let after = vector(machine);
        machine.undo(undo);
        assert!(
            vector(machine) == before,
            "{name}, step {step}: undo changes the state ({action:?})"
        );
        if let Some(all_before) = all_before {
            let all = everything(machine);
            let word = all.iter().zip(&all_before).position(|(now, then)| now != then);
            assert!(
                word.is_none() && all.len() == all_before.len(),
                "{name}, step {step}: word {word:?} is not restored"
            );
        }
        machine
            .apply(action)
            .unwrap_or_else(|error| panic!("{name}, step {step}, again: {error}"));
        assert!(
            vector(machine) == after,
            "{name}, step {step}: the same step leads elsewhere ({action:?})"
        );
        if thorough {
            other
                .decode(&after)
                .unwrap_or_else(|_| panic!("{name}, step {step}: the vector cannot be read"));
            let again = vector(other);
            let word = again.iter().zip(&after).position(|(now, then)| now != then);
            assert!(
                again == after,
                "{name}, step {step}: decode changes the state at word {word:?}"
            );
        }
    }
    steps
}

#[test]
fn steps_can_be_undone_and_states_written_down() {
    let all = common::fixtures();
    let classes = common::compile(&all);
    for jdk in common::jdks() {
        common::with_machine(&jdk, &classes, |machine, _| {
            common::with_second_machine(machine, |machine, other| {
                let mut total = 0;
                let wanted = std::env::var("RADDLE_FIXTURES").unwrap_or_default();
                for fixture in all
                    .iter()
                    .filter(|fixture| fixture.jdk <= jdk.feature() && fixture.stdin.is_empty())
                    .filter(|fixture| wanted.is_empty() || wanted.split(',').any(|name| name == fixture.name))
                {
                    let seed = 0x9e37_79b9 + fixture.name.len() as u64;
                    total += walk(machine, other, &fixture.name, 150, seed);
                }
                eprintln!("JDK {}: {total} steps taken, undone and taken again", jdk.feature());
            });
        });
    }
}
