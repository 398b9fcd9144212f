//! Running a schedule again.

use kernel::{System, Transitions, Unsupported};

/// A schedule that cannot be followed to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The position of the action that could not be taken.
    pub at: usize,
    /// Why, if it was possible but not supported; otherwise it was no transition of the state or not enabled.
    pub unsupported: Option<Unsupported>,
}

/// Applies a schedule. `see` is shown each state with its transitions and the action that is about to be taken, and the last
/// state with none. The state is left at the end of the schedule, or where it was if the schedule cannot be followed;
/// [`rewind`] takes it back.
pub fn replay<S: System>(
    system: &S,
    state: &mut S::State,
    actions: &[S::Action],
    mut see: impl FnMut(&mut S::State, &Transitions<S::Action>, Option<S::Action>),
) -> Result<Vec<S::Undo>, Blocked> {
    let mut transitions = Transitions::default();
    let mut undos = Vec::with_capacity(actions.len());
    for at in 0..=actions.len() {
        transitions.clear();
        system.transitions(state, &mut transitions);
        let Some(&action) = actions.get(at) else { break };
        let offered = transitions
            .entries()
            .iter()
            .any(|entry| entry.enabled && entry.action == action);
        let taken = if offered {
            see(state, &transitions, Some(action));
            system.apply(state, action).map_err(Some)
        } else {
            Err(None)
        };
        match taken {
            Ok(undo) => undos.push(undo),
            Err(unsupported) => {
                rewind(system, state, undos);
                return Err(Blocked { at, unsupported });
            }
        }
    }
    see(state, &transitions, None);
    Ok(undos)
}

/// Undoes the steps, the latest first.
pub fn rewind<S: System>(system: &S, state: &mut S::State, undos: Vec<S::Undo>) {
    for undo in undos.into_iter().rev() {
        system.undo(state, undo);
    }
}
