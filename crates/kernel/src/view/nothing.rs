//! The answers of a system that knows nothing of a subject, all in one place.

/// Gives a system the answers that are always safe, for each subject of [`crate::View`] that it knows nothing of.
///
/// `knows_nothing_of!(Toy)` is all of them; `knows_nothing_of!(Toy: Reachability, Locks)` those that are named.
///
/// SOUNDNESS: each answer is the one that lets a reduction leave out least. That needs no more of the system than footprints that name
/// all that is touched, cell by cell, and enabled actions that enable or disable others only by what they touch.
#[macro_export]
macro_rules! knows_nothing_of {
    (@ Reachability for $system:ty) => {
        impl $crate::Reachability for $system {
            fn is_local(&self, _: &mut Self::State, _: $crate::ThreadId, _: $crate::Location) -> bool {
                false
            }

            fn is_soon_known_local(
                &self,
                _: &mut Self::State,
                _: $crate::ThreadId,
                _: $crate::Location,
            ) -> Option<bool> {
                None
            }

            fn is_dominated(
                &self,
                _: &mut Self::State,
                _: $crate::ThreadId,
                _: $crate::Location,
                _: &dyn Fn(u32) -> bool,
            ) -> bool {
                false
            }

            fn has_escaped(&self, _: &mut Self::State, _: $crate::Location) -> bool {
                true
            }

            fn is_proved_local(&self, _: &mut Self::State, _: $crate::Location) -> bool {
                false
            }
        }
    };
    (@ Immutability for $system:ty) => {
        impl $crate::Immutability for $system {
            fn is_final(&self, _: &mut Self::State, _: $crate::Location) -> bool {
                false
            }

            fn is_settled(&self, _: &mut Self::State, _: $crate::Location) -> bool {
                false
            }
        }
    };
    (@ Locks for $system:ty) => {
        impl $crate::Locks for $system {
            fn holds(&self, _: &mut Self::State, _: $crate::ThreadId, _: $crate::Location) -> bool {
                false
            }

            fn locks_of(&self, _: &mut Self::State, _: $crate::ThreadId, _: &mut Vec<$crate::Location>) {}

            fn steals_lock(&self, _: &mut Self::State, _: $crate::ThreadId, _: $crate::Location) -> bool {
                true
            }

            fn distrust(&self, _: &mut Self::State) {}
        }
    };
    (@ Locksets for $system:ty) => {
        impl $crate::Locksets for $system {
            fn protection(
                &self,
                _: &mut Self::State,
                _: $crate::ThreadId,
                _: $crate::Location,
                _: $crate::AccessKind,
            ) -> Option<$crate::Protection> {
                None
            }

            fn may_be_protected(&self, _: &mut Self::State, _: $crate::Location) -> bool {
                true
            }

            fn reconsider(&self, _: &mut Self::State, _: (u32, u32), _: bool) {}
        }
    };
    (@ Ownership for $system:ty) => {
        impl $crate::Ownership for $system {
            fn stands_for(&self, _: &mut Self::State, _: $crate::ThreadId, _: $crate::Location) -> Option<bool> {
                None
            }

            fn owner_access(
                &self,
                _: &mut Self::State,
                _: $crate::ThreadId,
                _: $crate::MemoryAccess,
            ) -> Option<$crate::OwnerAccess> {
                None
            }

            fn may_be_held(&self, _: &mut Self::State, _: $crate::Location) -> bool {
                true
            }
        }
    };
    (@ Variables for $system:ty) => {
        impl $crate::Variables for $system {
            fn class_of(&self, _: &mut Self::State, _: $crate::Location) -> Option<u32> {
                None
            }

            fn variable_of(&self, _: &mut Self::State, location: $crate::Location) -> (u32, u32) {
                (location.object, location.cell)
            }

            fn kind_of(&self, _: &mut Self::State, _: $crate::Location) -> Option<(u32, u32)> {
                None
            }

            fn parts(
                &self,
                _: &mut Self::State,
                touch: $crate::MemoryAccess,
                out: &mut Vec<$crate::MemoryAccess>,
            ) {
                out.push(touch);
            }
        }
    };
    (@ Interference for $system:ty) => {
        impl $crate::Interference for $system {
            fn is_wild(&self, _: &mut Self::State, _: $crate::ThreadId) -> bool {
                true
            }

            /// Whatever footprints leave open does not commute.
            fn commute(
                &self,
                _: &mut Self::State,
                transitions: &$crate::Transitions<Self::Action>,
                one: &$crate::Transition<Self::Action>,
                two: &$crate::Transition<Self::Action>,
            ) -> bool {
                !$crate::conflict(transitions.footprint(one), transitions.footprint(two))
            }

            fn interfering_threads(
                &self,
                _: &mut Self::State,
                _: &[$crate::ThreadId],
                _: &mut Vec<$crate::ThreadId>,
            ) -> bool {
                false
            }
        }
    };
    (@ Symmetry for $system:ty) => {
        impl $crate::Symmetry for $system {
            fn is_renamed(&self, _: &mut Self::State, _: $crate::ThreadId) -> bool {
                true
            }

            fn name(&self, _: &mut Self::State, _: Self::Action) -> Option<u64> {
                None
            }
        }
    };
    (@ Transactions for $system:ty) => {
        impl $crate::Transactions for $system {
            fn begins(&self, _: &mut Self::State, _: $crate::ThreadId) -> bool {
                true
            }

            fn moves_left(&self, _: &mut Self::State, _: $crate::ThreadId, _: $crate::MemoryAccess) -> bool {
                false
            }

            fn is_open(&self, _: &mut Self::State, _: $crate::Location) -> bool {
                true
            }
        }
    };
    (@ Discipline for $system:ty) => {
        impl $crate::Discipline for $system {
            fn has_access(&self, _: &mut Self::State, _: $crate::ThreadId, _: $crate::Location) -> Option<bool> {
                None
            }

            fn disputed(
                &self,
                _: &mut Self::State,
                _: &mut Vec<($crate::Location, $crate::ThreadId, $crate::ThreadId)>,
            ) {}

            fn expels(&self, _: &mut Self::State, _: Self::Action, _: &mut Vec<($crate::Location, $crate::ThreadId)>) {}
        }
    };
    (@ Describe for $system:ty) => {
        impl $crate::Describe for $system {
            fn describe(&self, _: &mut Self::State, location: $crate::Location) -> String {
                format!("{location:?}")
            }

            fn spot(&self, _: &mut Self::State, _: $crate::ThreadId) -> u64 {
                0
            }

            fn whereabouts(&self, _: &mut Self::State, thread: $crate::ThreadId) -> $crate::Whereabouts {
                $crate::Whereabouts {
                    thread: format!("thread {}", thread.0),
                    ..$crate::Whereabouts::default()
                }
            }
        }
    };
    ($system:ty) => {
        $crate::knows_nothing_of!(
            $system: Reachability, Immutability, Locks, Locksets, Ownership, Variables, Interference, Symmetry, Transactions,
            Discipline, Describe
        );
    };
    ($system:ty: $($subject:ident),+ $(,)?) => {
        $($crate::knows_nothing_of!(@ $subject for $system);)+
    };
}
