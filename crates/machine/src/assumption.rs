//! What the steps of a program rest on, until an execution shows that it does otherwise.
//!
//! Steps are fewer and states are alike as long as nobody can tell: so printing locks nothing, threads have no names, nobody is
//! interrupted, and nobody looks at what other threads are doing. A program that does such a thing breaks the assumption, and all is
//! explored again with the setting of [`StepSemantics`] that stands for it.
//!
//! SOUNDNESS: the first use is never left out by what rests on there being none. It is noted where it happens ([`Machine::violate`]), in
//! whatever step of whichever search, and a search that has seen one is not trusted.

use crate::boot::LaunchError;
use crate::machine::{Machine, Shared, StepSemantics};
use crate::solo::AHEAD;
use crate::system::Java;
use crate::warmup::Nowhere;
use kernel::{AssumptionKind, Assumptions, Instrumentation, Location, ThreadId, Whereabouts};
use std::sync::{MutexGuard, PoisonError};

/// Printing is output and nothing else.
pub static PRINTS: AssumptionKind = AssumptionKind::new("prints", 1, |_, _| {
    "no code of the program runs while a standard stream is locked".to_owned()
});

/// No thread is interrupted.
pub static INTERRUPTS: AssumptionKind =
    AssumptionKind::new("interrupts", 2, |_, _| "no thread is interrupted".to_owned());

/// No thread asks which threads there are: then it could tell when one starts or ends, and get hold of any.
pub static COUNTS: AssumptionKind =
    AssumptionKind::new("counts", 3, |_, _| "no thread asks which threads there are".to_owned());

/// No thread looks at what another one is doing.
pub static WATCHES: AssumptionKind = AssumptionKind::new("watches", 4, |_, _| {
    "no thread looks at the state or the stack of another one".to_owned()
});

/// No thread can tell threads apart by what they are called: names, ids, hash codes that they have drawn.
pub static NAMES: AssumptionKind = AssumptionKind::new("names", 5, |_, _| {
    "threads are not told apart by names, ids or hash codes".to_owned()
});

/// No thread looks at who waits inside of the library, or can tell in another way how the library's operations wait.
pub static LOOKS: AssumptionKind = AssumptionKind::new("looks", 6, |_, _| {
    "no thread looks at who waits in operations of the library or is interrupted in them, or parks outside of them"
        .to_owned()
});

/// No thread uses an operation to which it makes a difference how others wait.
pub static CROWDS: AssumptionKind = AssumptionKind::new("crowds", 7, |_, _| {
    "no operation is used to which it makes a difference how others wait".to_owned()
});

/// No thread cancels a task.
pub static CANCELS: AssumptionKind = AssumptionKind::new("cancels", 8, |_, _| "no task is cancelled".to_owned());

/// No thread signals a condition, or looks at the clock.
pub static SIGNALS: AssumptionKind = AssumptionKind::new("signals", 9, |_, _| {
    "no condition is signalled, and no thread looks at the clock".to_owned()
});

/// One of them, as a setting.
struct Premise {
    kind: &'static AssumptionKind,
    /// What is so if it is not assumed.
    setting: fn(&mut StepSemantics) -> &mut bool,
    /// Whether such steps rest on it.
    matters: fn(&StepSemantics) -> bool,
}

const fn premise(kind: &'static AssumptionKind, setting: fn(&mut StepSemantics) -> &mut bool) -> Premise {
    Premise {
        kind,
        setting,
        matters: |_| true,
    }
}

/// It matters only to what is left out, so that a search that leaves nothing out does not rest on it.
fn to_reductions(semantics: &StepSemantics) -> bool {
    semantics.has(Instrumentation::REDUCED)
}

/// It matters only where operations of the library take effect at once.
fn to_operations(semantics: &StepSemantics) -> bool {
    semantics.at_once
}

/// All of them.
static PREMISES: [Premise; 9] = [
    premise(&PRINTS, |semantics| &mut semantics.prints),
    premise(&INTERRUPTS, |semantics| &mut semantics.interrupts),
    Premise {
        matters: to_reductions,
        ..premise(&COUNTS, |semantics| &mut semantics.counts_threads)
    },
    Premise {
        matters: to_reductions,
        ..premise(&WATCHES, |semantics| &mut semantics.watches_threads)
    },
    premise(&NAMES, |semantics| &mut semantics.names_threads),
    Premise {
        matters: to_operations,
        ..premise(&LOOKS, |semantics| &mut semantics.looks_inside)
    },
    Premise {
        matters: to_operations,
        ..premise(&CROWDS, |semantics| &mut semantics.crowds)
    },
    Premise {
        matters: to_operations,
        ..premise(&CANCELS, |semantics| &mut semantics.cancels)
    },
    Premise {
        matters: to_operations,
        ..premise(&SIGNALS, |semantics| &mut semantics.signals)
    },
];

impl StepSemantics {
    /// What steps rest on.
    fn premises(mut self) -> impl Iterator<Item = &'static Premise> {
        PREMISES
            .iter()
            .filter(move |premise| (premise.matters)(&self) && !*(premise.setting)(&mut self))
    }

    /// The same, without resting on what is not assumed any more.
    fn without_dropped(mut self, assumptions: &Assumptions) -> StepSemantics {
        for premise in self.premises() {
            *(premise.setting)(&mut self) = !assumptions.holds(premise.kind.alone());
        }
        self
    }

    /// Names of what steps do not rest on, for whoever takes the same steps again.
    pub fn dropped(mut self) -> Vec<&'static str> {
        let dropped = PREMISES.iter().filter(|premise| *(premise.setting)(&mut self));
        dropped.map(|premise| premise.kind.name).collect()
    }

    /// Steps that do not rest on what has one of these names.
    pub fn drop_named(&mut self, names: &[&str]) {
        for premise in PREMISES.iter().filter(|premise| names.contains(&premise.kind.name)) {
            *(premise.setting)(self) = true;
        }
    }
}

impl Shared<'_> {
    /// What is assumed about the program, and what executions have shown of it.
    pub fn assumptions(&self) -> MutexGuard<'_, Assumptions> {
        self.assumptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Machine<'_> {
    /// The running thread does what was assumed of none.
    pub fn violate(&self, kind: &'static AssumptionKind) {
        self.violate_by(self.current(), kind);
    }

    /// The same for a thread that is about to.
    #[cold]
    pub(crate) fn violate_by(&self, number: u32, kind: &'static AssumptionKind) {
        let nowhere = Location { object: 0, cell: 0 };
        let mut assumptions = self.shared.assumptions();
        if assumptions.violate(kind.alone(), ThreadId(number), nowhere) {
            // No step depends on what the report says.
            assumptions.locate(|| self.settled(|machine| machine.whereabouts(number)));
        }
    }

    /// Where a thread is, in code of the program's own if it can be.
    pub(crate) fn whereabouts(&self, number: u32) -> Whereabouts {
        let thread = self.thread_name(number);
        let Some((method, pc)) = self.user_position(number) else {
            return Whereabouts {
                thread,
                ..Whereabouts::default()
            };
        };
        let frame = self.frame(method, self.bci(method, pc));
        Whereabouts {
            thread,
            class: frame.class,
            file: frame.file,
            line: frame.line,
        }
    }
}

impl<'p> Java<'p> {
    /// How steps are counted as long as all that they rest on holds.
    fn wanted_semantics(&self) -> StepSemantics {
        StepSemantics {
            at_once: self.operations.has_proved(),
            ..self.semantics
        }
    }

    /// How steps are counted now: as was wanted, without what was dropped.
    pub fn current_semantics(&self) -> StepSemantics {
        self.wanted_semantics().without_dropped(&self.shared.assumptions())
    }

    /// Whether steps rest on something that an execution has shown to be wrong.
    pub(crate) fn rests_on_broken(&self) -> bool {
        let mut assumptions = self.shared.assumptions();
        for premise in self.wanted_semantics().premises() {
            assumptions.try_rely(premise.kind.alone());
        }
        assumptions.is_broken()
    }

    /// Drops what is wrong. Machines have the steps that they had until they begin anew.
    pub fn drop_broken(&self) -> bool {
        self.rests_on_broken() && self.shared.assumptions().refine()
    }

    /// Puts a machine whose image was made for this program, among others, before its first step.
    pub fn begin(&self, machine: &mut Machine<'p>) -> Result<(), LaunchError> {
        machine.semantics = self.current_semantics();
        machine.take_at_once(self.operations.clone());
        machine.begin(&self.start)
    }

    /// Takes the steps of the main thread before which there is nothing to choose, on a machine before the first of them.
    pub fn go_ahead(&self, machine: &mut Machine<'p>) -> Result<(), LaunchError> {
        // Getting ready may have shown that already, and nobody has a name yet.
        self.shared.assumptions().drop_if_broken(NAMES.alone());
        machine.semantics = self.current_semantics();
        machine.run_ahead(&self.start, AHEAD)
    }

    /// Begins the program anew, with the steps that it has now.
    pub(crate) fn begin_anew(&self, machine: &mut Machine<'p>) -> Result<(), LaunchError> {
        if !self.alone {
            return self.begin(machine);
        }
        // Other steps need other classes, so the image is another one. There is not to be room for both.
        let (proved, discipline) = (machine.proved.clone(), machine.discipline.clone());
        *machine = Machine::new(self.shared, Box::new(Nowhere)).map_err(LaunchError::Start)?;
        self.prepare(machine)?;
        (machine.proved, machine.discipline) = (proved, discipline);
        self.go_ahead(machine)
    }
}
