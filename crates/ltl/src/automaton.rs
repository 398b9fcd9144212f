//! Generalised Büchi automata with acceptance on edges.

use std::fmt;

/// A conjunction of literals over the atoms: which must hold and which must not, as sets. The rest does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// Atoms that hold.
    pub positive: u64,
    /// Atoms that do not.
    pub negative: u64,
}

impl Label {
    /// Whether a state in which just these atoms hold is meant.
    pub fn admits(self, letter: u64) -> bool {
        self.positive & !letter == 0 && self.negative & letter == 0
    }

    /// Both labels; `None` if that is nothing.
    pub fn and(self, other: Label) -> Option<Label> {
        let both = Label {
            positive: self.positive | other.positive,
            negative: self.negative | other.negative,
        };
        (both.positive & both.negative == 0).then_some(both)
    }

    /// Whether it admits whatever the other one does.
    pub fn covers(self, other: Label) -> bool {
        self.positive & !other.positive == 0 && self.negative & !other.negative == 0
    }

    /// Whether it admits everything.
    pub fn is_true(self) -> bool {
        self == Label::default()
    }
}

/// A step of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// What it reads.
    pub label: Label,
    /// The acceptance conditions that it does not meet, as a set: those that it puts off.
    pub pending: u64,
    /// Where it leads.
    pub target: u32,
}

impl Edge {
    /// Whether whatever can be done by way of the other one can be done by way of this one, if that is known of the targets.
    pub(crate) fn covers(&self, other: &Edge, targets: impl FnOnce(u32, u32) -> bool) -> bool {
        self.label.covers(other.label) && self.pending & !other.pending == 0 && targets(self.target, other.target)
    }
}

/// A generalised Büchi automaton: it accepts a word if on some run each condition is met infinitely often, by edges that do not put it off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The state in which every run begins.
    pub initial: u32,
    /// How many conditions there are; they are numbered from 0.
    pub conditions: u32,
    /// The edges of each state.
    pub edges: Vec<Vec<Edge>>,
}

impl Automaton {
    /// How many states there are.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// How many edges there are.
    pub fn transitions(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// All conditions, as a set.
    pub fn all_conditions(&self) -> u64 {
        match self.conditions {
            0 => 0,
            some => u64::MAX >> (64 - some),
        }
    }

    /// The edges of a state, to go over the graph.
    pub(crate) fn targets(&self, state: usize) -> impl Iterator<Item = usize> {
        self.edges[state].iter().map(|edge| edge.target as usize)
    }

    /// The automaton that accepts nothing.
    pub(crate) fn nothing() -> Automaton {
        Automaton {
            initial: 0,
            conditions: 0,
            edges: vec![Vec::new()],
        }
    }

    /// The automaton with only these states, which are renumbered in order; edges to others are gone. The initial state is among them.
    pub(crate) fn restricted(&self, is_kept: &[bool]) -> Automaton {
        let mut numbers = vec![None; self.states()];
        for (number, state) in (0..self.states()).filter(|&state| is_kept[state]).enumerate() {
            numbers[state] = Some(number as u32);
        }
        let mut edges = Vec::new();
        for state in (0..self.states()).filter(|&state| is_kept[state]) {
            let kept = self.edges[state].iter().filter_map(|edge| {
                let target = numbers[edge.target as usize]?;
                Some(Edge { target, ..*edge })
            });
            edges.push(kept.collect());
        }
        Automaton {
            initial: numbers[self.initial as usize].unwrap_or_default(),
            conditions: self.conditions,
            edges,
        }
    }
}

/// One line for each edge, for people who look into it.
impl fmt::Display for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "initial {}, {} conditions", self.initial, self.conditions)?;
        let list = |set: u64| (0..64).filter(move |bit| set >> bit & 1 == 1);
        for (state, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                write!(f, "{state} -> {}:", edge.target)?;
                list(edge.label.positive).try_for_each(|atom| write!(f, " {atom}"))?;
                list(edge.label.negative).try_for_each(|atom| write!(f, " !{atom}"))?;
                list(edge.pending).try_for_each(|condition| write!(f, " -{condition}"))?;
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
