//! What steps in operations access: found by taking the step, and undoing it.
//!
//! What is younger than the step is not part of it: nobody else can access that before the step ends.

use crate::machine::Machine;
use crate::system::{Action, What};
use kernel::{AccessKind, Location, MemoryAccess, OwnerAccess, Transitions};

/// What a step accesses.
#[derive(Default)]
pub(crate) struct Probe {
    /// Of what was there before it.
    pub touched: Vec<MemoryAccess>,
    /// What each of these has to do with who has a synchronizer.
    owned: Vec<Option<OwnerAccess>>,
    /// Whether it calls a native method of which nobody knows what it accesses.
    wild: bool,
    /// Whether it ends in waiting without a time limit, in the operation with which it began.
    pub waits: bool,
}

impl Probe {
    fn add(&mut self, touch: MemoryAccess, owned: Option<OwnerAccess>) {
        let worse = |one: Option<OwnerAccess>, two: Option<OwnerAccess>| match (one, two) {
            (Some(one), Some(two)) if one == two => Some(one),
            (None, None) => None,
            (Some(OwnerAccess::Broken), _) | (_, Some(OwnerAccess::Broken)) => Some(OwnerAccess::Broken),
            _ => Some(OwnerAccess::Kept),
        };
        match self.touched.iter().position(|&one| one == touch) {
            Some(at) => self.owned[at] = worse(self.owned[at], owned),
            None => {
                self.touched.push(touch);
                self.owned.push(owned);
            }
        }
    }
}

impl Machine<'_> {
    /// All that an action would access, which is an enabled one of the state: by taking the step, and undoing it.
    pub(crate) fn probe(&mut self, action: Action) -> Probe {
        self.operation.probe = Some(Probe::default());
        let began = self.operation_of(action.thread);
        let went = self.apply(action);
        let mut probe = self.operation.probe.take().unwrap_or_default();
        match went {
            Ok(undo) => {
                probe.waits = self.operation_of(action.thread) == began && self.waits_for_good(action.thread);
                self.undo(undo);
            }
            // Nobody knows what it would have accessed.
            Err(_) => {
                probe.wild = true;
                let everything = MemoryAccess {
                    location: Location::EVERYTHING,
                    access: AccessKind::AtomicWrite,
                };
                probe.add(everything, None);
            }
        }
        probe
    }

    /// Gives the actions of threads that are in an operation the footprints of their whole steps, and holds back those that would only wait;
    /// how many these are.
    pub(crate) fn widen(&mut self, transitions: &mut Transitions<Action>) -> u32 {
        let mut held = 0;
        if !self.has_operations() {
            return held;
        }
        self.operation.probes.clear();
        let mut looks_at_status = false;
        for position in 0..transitions.entries().len() {
            let entry = transitions.entries()[position];
            if entry.enabled && self.is_in_operation(entry.thread.0) {
                let is_unaware = entry.action.what == What::Unaware;
                if is_unaware && !looks_at_status {
                    // It makes no difference.
                    transitions.entries_mut()[position].enabled = false;
                    continue;
                }
                let mut probe = self.probe(entry.action);
                let location = self.interrupt_status(entry.thread.0);
                looks_at_status = probe.wild || probe.touched.iter().any(|touch| touch.location == location);
                if looks_at_status && self.is_to_begin(entry.action) {
                    transitions.entries_mut()[position].action.what = What::Begin;
                    let access = AccessKind::AtomicRead;
                    probe = Probe::default();
                    probe.add(MemoryAccess { location, access }, None);
                    transitions.replace_footprint(position, &probe.touched);
                    self.operation.probes.push((entry.thread.0, probe));
                    continue;
                }
                if is_unaware {
                    let access = AccessKind::AtomicWrite;
                    probe.add(MemoryAccess { location, access }, None);
                }
                // What the action does by itself, as the end of a time limit does to the clock.
                for &touch in transitions.footprint(&entry) {
                    if !probe.touched.iter().any(|one| one.location == touch.location) {
                        probe.add(touch, None);
                    }
                }
                transitions.replace_footprint(position, &probe.touched);
                if probe.waits && self.is_held_back(entry.thread.0) {
                    transitions.entries_mut()[position].enabled = false;
                    held += 1;
                }
                self.operation.probes.push((entry.thread.0, probe));
            }
        }
        held
    }

    /// What an access of the next step of a thread has to do with who has a synchronizer. The transitions of the state have been asked
    /// for.
    pub(crate) fn owner_access_within(&mut self, number: u32, touch: MemoryAccess) -> Option<OwnerAccess> {
        if !self.is_in_operation(number) {
            return self.owner_access(number, touch);
        }
        let probes = self.operation.probes.iter().filter(|(of, _)| *of == number);
        let found: Vec<Option<OwnerAccess>> = probes
            .flat_map(|(_, probe)| probe.touched.iter().zip(&probe.owned))
            .filter(|(one, _)| one.location == touch.location && one.access.is_read() == touch.access.is_read())
            .map(|(_, owned)| *owned)
            .collect();
        match found[..] {
            // Nobody can tell.
            [] => Some(OwnerAccess::Broken),
            [first, ..] if found.iter().all(|one| *one == first) => first,
            _ => Some(OwnerAccess::Broken),
        }
    }

    /// All that the next steps of a thread access, which are the rest of an operation, or all of it; `None` if nobody knows. The transitions
    /// of the state have been asked for.
    pub(crate) fn probed(&self, number: u32) -> Option<Vec<MemoryAccess>> {
        let mut probes = self.operation.probes.iter().filter(|(of, _)| *of == number).peekable();
        probes.peek()?;
        Some(probes.flat_map(|(_, probe)| &probe.touched).copied().collect())
    }

    /// Whether the next step of a thread may call a native method of which nobody knows what it accesses.
    pub(crate) fn is_step_wild(&mut self, number: u32) -> bool {
        if !self.is_in_operation(number) {
            return self.is_wild(number);
        }
        let mut probes = self.operation.probes.iter().filter(|(of, _)| *of == number).peekable();
        probes.peek().is_none() || probes.any(|(_, probe)| probe.wild)
    }

    /// A time limit ends in the midst of the step.
    pub(crate) fn note_time_out(&mut self) {
        if let Some(probe) = &mut self.operation.probe {
            let clock = MemoryAccess {
                location: Location::CLOCK,
                access: AccessKind::AtomicWrite,
            };
            probe.add(clock, None);
        }
    }

    /// An access with which a thread goes on. What the library has to itself is no data of the program's, and only orders.
    pub(crate) fn as_seen_by_clients(&mut self, number: u32, touch: MemoryAccess) -> MemoryAccess {
        let access = match touch.access {
            AccessKind::Read if self.is_librarys_own(number) => AccessKind::AtomicRead,
            AccessKind::Write if self.is_librarys_own(number) => AccessKind::AtomicWrite,
            other => other,
        };
        MemoryAccess { access, ..touch }
    }

    /// Notes the latest accesses as some of the step's, if it is probed.
    pub(crate) fn note_touched(&mut self, number: u32) {
        let Some(mut probe) = self.operation.probe.take() else {
            return;
        };
        for at in 0..self.step.written().len() {
            let touch = self.step.written()[at];
            if self.memory.is_young(touch.location.object) {
                continue;
            }
            let owned = self.owner_access(number, touch);
            probe.add(self.as_seen_by_clients(number, touch), owned);
        }
        probe.wild |= self.step.is_wild();
        self.operation.probe = Some(probe);
    }
}
