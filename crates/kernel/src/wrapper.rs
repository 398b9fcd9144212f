//! Systems and reductions that stand for another one and differ in a few answers.
//!
//! Whatever a wrapper does not say itself is asked of what it wraps. A question that is missing here does not compile.

use crate::{
    AccessKind, Describe, Discipline, Immutability, Interference, Location, Locks, Locksets, MemoryAccess, OwnerAccess,
    Ownership, Protection, Reachability, StateVector, Symmetry, System, ThreadId, Transactions, Transition,
    Transitions, Unsupported, Variables, View, Whereabouts,
};

type State<W> = <<W as Wrapper>::Inner as System>::State;
type Action<W> = <<W as Wrapper>::Inner as System>::Action;
type Undo<W> = <<W as Wrapper>::Inner as System>::Undo;

/// Makes [`Wrapper`] of the questions to a system, and every wrapper a system.
macro_rules! wrapper {
    ($($subject:ident {
        $(type $associated:ident;)*
        $(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $answer:ty)?;)*
    })*) => {
        /// A system that stands for another one, with the same states, actions and names, and answers some questions itself.
        ///
        /// Whoever implements this has a [`System`] and a [`View`]. A method that is not overridden asks the inner system.
        pub trait Wrapper {
            /// The system that it stands for.
            type Inner: View;

            /// That system.
            fn inner(&self) -> &Self::Inner;

            $($(
                #[doc = concat!("The answer to [`", stringify!($subject), "::", stringify!($name), "`].")]
                fn $name(&self $(, $argument: $type)*) $(-> $answer)? {
                    $subject::$name(self.inner() $(, $argument)*)
                }
            )*)*
        }

        $(impl<W: Wrapper> $subject for W {
            $(type $associated = <W::Inner as System>::$associated;)*

            $(fn $name(&self $(, $argument: $type)*) $(-> $answer)? {
                Wrapper::$name(self $(, $argument)*)
            })*
        })*
    };
}

wrapper! {
    System {
        type State;
        type Action;
        type Undo;

        fn initial(&self) -> Result<State<Self>, Unsupported>;
        fn transitions(&self, state: &mut State<Self>, transitions: &mut Transitions<Action<Self>>);
        fn apply(&self, state: &mut State<Self>, action: Action<Self>) -> Result<Undo<Self>, Unsupported>;
        fn undo(&self, state: &mut State<Self>, undo: Undo<Self>);
        fn wrote(&self, undo: &Undo<Self>) -> bool;
        fn encode(&self, state: &mut State<Self>, out: &mut StateVector);
        fn decode(&self, state: &mut State<Self>, words: &[u32]) -> Result<(), Unsupported>;
        fn canonical_id(&self, state: &mut State<Self>, thread: ThreadId) -> Option<ThreadId>;
        fn stuck(&self, state: &mut State<Self>) -> u64;
        fn is_broken(&self) -> bool;
        fn refine(&self, state: &mut State<Self>) -> Result<bool, Unsupported>;
        fn race(
            &self,
            state: &mut State<Self>,
            one: &Transition<Action<Self>>,
            two: &Transition<Action<Self>>
        ) -> Option<u64>;
    }
    Reachability {
        fn is_local(&self, state: &mut State<Self>, thread: ThreadId, location: Location) -> bool;
        fn is_soon_known_local(&self, state: &mut State<Self>, thread: ThreadId, location: Location) -> Option<bool>;
        fn is_dominated(
            &self,
            state: &mut State<Self>,
            thread: ThreadId,
            location: Location,
            locks: &dyn Fn(u32) -> bool
        ) -> bool;
        fn has_escaped(&self, state: &mut State<Self>, location: Location) -> bool;
        fn is_proved_local(&self, state: &mut State<Self>, location: Location) -> bool;
    }
    Immutability {
        fn is_final(&self, state: &mut State<Self>, location: Location) -> bool;
        fn is_settled(&self, state: &mut State<Self>, location: Location) -> bool;
    }
    Locks {
        fn holds(&self, state: &mut State<Self>, thread: ThreadId, location: Location) -> bool;
        fn locks_of(&self, state: &mut State<Self>, thread: ThreadId, out: &mut Vec<Location>);
        fn steals_lock(&self, state: &mut State<Self>, thread: ThreadId, location: Location) -> bool;
        fn distrust(&self, state: &mut State<Self>);
    }
    Locksets {
        fn protection(
            &self,
            state: &mut State<Self>,
            thread: ThreadId,
            location: Location,
            access: AccessKind
        ) -> Option<Protection>;
        fn may_be_protected(&self, state: &mut State<Self>, location: Location) -> bool;
        fn reconsider(&self, state: &mut State<Self>, variable: (u32, u32), open: bool);
    }
    Ownership {
        fn stands_for(&self, state: &mut State<Self>, thread: ThreadId, location: Location) -> Option<bool>;
        fn owner_access(&self, state: &mut State<Self>, thread: ThreadId, touch: MemoryAccess) -> Option<OwnerAccess>;
        fn may_be_held(&self, state: &mut State<Self>, location: Location) -> bool;
    }
    Variables {
        fn class_of(&self, state: &mut State<Self>, location: Location) -> Option<u32>;
        fn variable_of(&self, state: &mut State<Self>, location: Location) -> (u32, u32);
        fn kind_of(&self, state: &mut State<Self>, location: Location) -> Option<(u32, u32)>;
        fn parts(&self, state: &mut State<Self>, touch: MemoryAccess, out: &mut Vec<MemoryAccess>);
    }
    Interference {
        fn is_wild(&self, state: &mut State<Self>, thread: ThreadId) -> bool;
        fn commute(
            &self,
            state: &mut State<Self>,
            transitions: &Transitions<Action<Self>>,
            one: &Transition<Action<Self>>,
            two: &Transition<Action<Self>>
        ) -> bool;
        fn interfering_threads(&self, state: &mut State<Self>, still: &[ThreadId], out: &mut Vec<ThreadId>) -> bool;
    }
    Symmetry {
        fn is_renamed(&self, state: &mut State<Self>, thread: ThreadId) -> bool;
        fn name(&self, state: &mut State<Self>, action: Action<Self>) -> Option<u64>;
    }
    Transactions {
        fn begins(&self, state: &mut State<Self>, thread: ThreadId) -> bool;
        fn moves_left(&self, state: &mut State<Self>, thread: ThreadId, touch: MemoryAccess) -> bool;
        fn is_open(&self, state: &mut State<Self>, location: Location) -> bool;
    }
    Discipline {
        fn has_access(&self, state: &mut State<Self>, thread: ThreadId, location: Location) -> Option<bool>;
        fn disputed(&self, state: &mut State<Self>, out: &mut Vec<(Location, ThreadId, ThreadId)>);
        fn expels(&self, state: &mut State<Self>, action: Action<Self>, out: &mut Vec<(Location, ThreadId)>);
    }
    Describe {
        fn describe(&self, state: &mut State<Self>, location: Location) -> String;
        fn spot(&self, state: &mut State<Self>, thread: ThreadId) -> u64;
        fn whereabouts(&self, state: &mut State<Self>, thread: ThreadId) -> Whereabouts;
    }
}

/// In an implementation of [`crate::Reduction`], hands the named methods on to the reduction in a field.
///
/// `forward_reduction!(S, inner: sleeps, is_broken);` is for systems `S`.
#[macro_export]
macro_rules! forward_reduction {
    (@ $system:ty, $inner:tt, ample) => {
        fn ample(
            &mut self,
            system: &$system,
            state: &mut <$system as $crate::System>::State,
            transitions: &$crate::Transitions<<$system as $crate::System>::Action>,
            last: Option<$crate::ThreadId>,
            enough: &mut Vec<$crate::ThreadId>,
        ) {
            self.$inner.ample(system, state, transitions, last, enough);
        }
    };
    (@ $system:ty, $inner:tt, diverges) => {
        fn diverges(
            &mut self,
            system: &$system,
            state: &mut <$system as $crate::System>::State,
            thread: $crate::ThreadId,
        ) {
            self.$inner.diverges(system, state, thread);
        }
    };
    (@ $system:ty, $inner:tt, commute) => {
        fn commute(
            &mut self,
            system: &$system,
            state: &mut <$system as $crate::System>::State,
            transitions: &$crate::Transitions<<$system as $crate::System>::Action>,
            one: &$crate::Transition<<$system as $crate::System>::Action>,
            two: &$crate::Transition<<$system as $crate::System>::Action>,
        ) -> bool {
            self.$inner.commute(system, state, transitions, one, two)
        }
    };
    (@ $system:ty, $inner:tt, name) => {
        fn name(
            &self,
            system: &$system,
            state: &mut <$system as $crate::System>::State,
            action: <$system as $crate::System>::Action,
        ) -> Option<u64> {
            self.$inner.name(system, state, action)
        }
    };
    (@ $system:ty, $inner:tt, refine) => {
        fn refine(&mut self, system: &$system, state: &mut <$system as $crate::System>::State) -> bool {
            self.$inner.refine(system, state)
        }
    };
    (@ $system:ty, $inner:tt, renew) => {
        fn renew(&mut self) {
            self.$inner.renew();
        }
    };
    (@ $system:ty, $inner:tt, $question:ident) => {
        fn $question(&self) -> bool {
            self.$inner.$question()
        }
    };
    ($system:ty, $inner:tt: $($method:ident),+ $(,)?) => {
        $($crate::forward_reduction!(@ $system, $inner, $method);)+
    };
}
