//! Temporal formulas: reading them, looking for executions that break them, and telling one.
//!
//! Formulas are decided by searches of their own, which take no two accesses together: what a formula can see is every state. Threads keep
//! their numbers there, so that it can be told which of them moves. Without fairness, what a formula does not see may be left out.

use crate::check::Plan;
use crate::observer::{Observer, Watch};
use crate::options::{Check, StoreKind};
use crate::subject::{ActionOf, PropositionOf, StateOf, Subject, SystemOf};
use crate::{Failure, limits};
use kernel::{Assumptions, Definition, Flaw, Kind, Property, Reduction, Unsupported, Visible};
use ltl::{Automaton, Lasso, Parsed, Reading};
use machine::StepSemantics;
use machine::system::Java;
use program::input::{self, TEXT_LIMIT, quoted_path};
use reduction::{Ample, Combination};
use report::model::{Event, Report, Violation};
use search::temporal::{Answer, Execution, Fairness, Question, find_execution};
use search::{Ending, Found, Options, Order, Why};
use std::path::Path;
use std::sync::Arc;
use store::StateTable;

/// What a violated formula is called in reports.
static LTL: Definition = Definition {
    name: "ltl",
    summary: "a temporal formula is violated",
    is_default: false,
    kind: Kind::Endless,
    visible: Visible::EveryStep,
};

/// A formula that is to hold.
#[derive(Clone)]
pub(crate) struct Wanted {
    /// What its file calls it.
    name: Option<String>,
    text: String,
    parsed: Parsed,
    /// Accepts the executions that break it.
    automaton: Automaton,
}

impl Wanted {
    /// What it is called, if it has a name, and its text.
    fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{name}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

/// A subject whose steps are as formulas see them, before its first step, and what the atoms of each formula mean to it.
pub(crate) struct Prepared<S: Subject> {
    subject: S,
    state: StateOf<S>,
    propositions: Vec<Vec<PropositionOf<S>>>,
}

/// How the search for executions that break formulas ended, and the steps that are not supported, each with its schedule.
pub(crate) struct Decided<A> {
    pub ending: Ending,
    pub unsupported: Vec<(Unsupported, Vec<A>)>,
}

/// Reads the formulas of a check, and refuses what does not go with them.
pub(crate) fn read(options: &Check) -> Result<Vec<Wanted>, Failure> {
    let how = &options.how;
    let refused = [
        (
            how.search != Order::Depth,
            "a formula is decided by depth-first search: choose --search dfs",
        ),
        (
            how.store == StoreKind::Bits,
            "a formula is decided on cycles of states, and --store bits cannot tell states apart: choose another store",
        ),
        (
            options.preemptions.is_some(),
            "a formula is about all executions: it does not go with --preemptions",
        ),
        (
            !how.operation.is_empty(),
            "--operation hides what happens in a method, which a formula may see: it does not go with --ltl",
        ),
    ];
    if options.ltl.is_empty() && options.ltl_file.is_none() {
        return Ok(Vec::new());
    }
    if let Some((_, message)) = refused.iter().find(|(is_given, _)| *is_given) {
        return Err(Failure::input(*message));
    }
    let typed = options.ltl.iter().map(|text| wanted(text, options));
    let mut formulas: Vec<Wanted> = typed.collect::<Result<_, _>>()?;
    if let Some(file) = &options.ltl_file {
        formulas.extend(read_file(file, options)?);
    }
    Ok(formulas)
}

/// Reads the formulas of a file: a line each, with a name and a colon before it if it has one. `#` begins a comment.
fn read_file(file: &Path, options: &Check) -> Result<Vec<Wanted>, Failure> {
    let name = quoted_path(file);
    let wrong = |message: String| Failure::input(format!("{name}{message}"));
    let text = input::read_text(file, TEXT_LIMIT).map_err(|error| wrong(format!(" cannot be read: {error}")))?;
    let mut formulas = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let is_name = |name: &&str| {
            name.chars()
                .all(|letter| letter.is_alphanumeric() || "_-. ".contains(letter))
        };
        let (label, formula) = match line.split_once(':').filter(|(label, _)| is_name(label)) {
            Some((label, formula)) => (Some(label.trim().to_owned()), formula),
            None => (None, line),
        };
        let mut made = wanted(formula.trim(), options)
            .map_err(|failure| wrong(format!(":{}: {}", number + 1, failure.message())))?;
        made.name = label;
        formulas.push(made);
    }
    match formulas.is_empty() {
        true => Err(wrong(" has no formula".to_owned())),
        false => Ok(formulas),
    }
}

fn wanted(text: &str, options: &Check) -> Result<Wanted, Failure> {
    let parsed = ltl::parse(text).map_err(|error| shown(text, &error))?;
    if parsed.formula.has_next() && !options.reductions.is_finest() {
        return Err(Failure::input(format!(
            "--ltl '{text}': `X` tells how many steps something takes, which depends on how steps are counted: \
             use --reduce none, or say it without `X`"
        )));
    }
    let automaton = ltl::translate(&parsed.formula.negated())
        .map_err(|error| Failure::input(format!("--ltl '{text}': {error}")))?;
    Ok(Wanted {
        name: None,
        text: text.trim().to_owned(),
        parsed,
        automaton,
    })
}

/// What is wrong with a formula, with a caret below the place.
fn shown(text: &str, error: &ltl::Error) -> Failure {
    let line = text.lines().nth(error.line as usize - 1).unwrap_or_default();
    let line: String = line
        .chars()
        .map(|one| if one.is_control() { ' ' } else { one })
        .collect();
    let indent = " ".repeat(error.column as usize - 1);
    Failure::input(format!("--ltl: {}\n  {}\n  {indent}^", error.message, line.trim_end()))
}

/// How far from the beginning of a proposition something is wrong, and what: `1:8: expected …`.
fn placed(message: &str) -> (usize, &str) {
    let parts = message.split_once(": ");
    let found = parts.and_then(|(place, rest)| {
        let column = place.strip_prefix("1:")?.parse::<usize>().ok()?;
        Some((column.checked_sub(1)?, rest))
    });
    found.unwrap_or((0, message))
}

impl<S: Subject> Prepared<S> {
    /// Looks up what the formulas speak of.
    pub fn new(subject: S, formulas: &[Wanted]) -> Result<Prepared<S>, Failure> {
        let state = subject.start()?;
        let mut propositions = Vec::new();
        for formula in formulas {
            let atoms = &formula.parsed.atoms;
            let mut known = Vec::new();
            for (number, atom) in atoms.texts().iter().enumerate() {
                let offset = atoms.offset(ltl::Atom(number as u32));
                let wrong = |message: String| {
                    let (further, message) = placed(&message);
                    shown(&formula.text, &ltl::Error::at(&formula.text, offset + further, message))
                };
                known.push(subject.proposition(&state, atom).map_err(wrong)?);
            }
            propositions.push(known);
        }
        Ok(Prepared {
            subject,
            state,
            propositions,
        })
    }
}

impl Plan {
    /// Decides the formulas: adds executions that break them to the report.
    pub(crate) fn check_formulas<S: Subject>(
        &self,
        mut prepared: Prepared<S>,
        report: &mut Report,
        observer: &mut dyn Observer,
    ) -> Decided<ActionOf<S>> {
        let mut decided = Decided {
            ending: Ending::Complete,
            unsupported: Vec::new(),
        };
        let propositions = std::mem::take(&mut prepared.propositions);
        for (formula, propositions) in self.formulas.iter().zip(propositions) {
            let question = Question {
                automaton: formula.automaton.clone(),
                propositions,
                fairness: self.given.fairness,
            };
            let (answer, assumptions) = self.decide(&mut prepared, &question, observer);
            report.notes.push(cost(formula, &answer));
            report.restarts += answer.restarts;
            let mut told = Report::default();
            let subject = &prepared.subject;
            subject.tell_assumptions(&mut prepared.state, &assumptions, &mut told);
            told.assumed.retain(|one| !report.assumed.contains(one));
            told.dropped.retain(|one| !report.dropped.contains(one));
            report.assumed.extend(told.assumed);
            report.dropped.extend(told.dropped);
            decided.unsupported.extend(answer.unsupported);
            if let Some(execution) = &answer.execution {
                report
                    .violations
                    .push(tell(&mut prepared, formula, self.given.fairness, execution));
                if !self.options.all {
                    decided.ending = Ending::Stopped(Why::FirstViolation);
                    break;
                }
            } else if decided.ending == Ending::Complete {
                decided.ending = answer.ending;
            }
        }
        decided
    }

    /// Whether threads are left out where their steps change nothing that a formula sees. What is fair depends on every step.
    pub(crate) fn reduces_formulas(&self) -> bool {
        self.given.fairness == Fairness::None && !self.combination.is_full()
    }

    /// Looks for an execution that breaks a formula. What reductions took for granted comes with the answer.
    fn decide<S: Subject>(
        &self,
        prepared: &mut Prepared<S>,
        question: &Question<PropositionOf<S>>,
        observer: &mut dyn Observer,
    ) -> (Answer<ActionOf<S>>, Assumptions) {
        let mut visited: Box<dyn StateTable> = match self.given.how.store {
            StoreKind::Fingerprint => Box::new(store::Fingerprint::new()),
            _ => Box::new(store::Exact::new()),
        };
        let options = Options {
            time: limits::time_left(),
            ..self.options.clone()
        };
        // What the user claims and cannot be read was told before.
        let claims = prepared.subject.assumptions(&mut prepared.state, &self.given);
        let combination = Some(&self.combination).filter(|_| self.reduces_formulas());
        let mut ample = combination.and_then(|one| one.make::<SystemOf<S>>(claims.unwrap_or_default()));
        let reduction = ample.as_mut().map(|ample| ample as &mut dyn Reduction<SystemOf<S>>);
        observer.begins(options.time, self.memory);
        let answer = find_execution(
            prepared.subject.system(),
            &mut prepared.state,
            &mut *visited,
            question,
            &options,
            reduction,
            &mut Watch(&mut *observer),
        );
        observer.ends();
        (answer, ample.map(Ample::into_assumptions).unwrap_or_default())
    }

    /// The same program with steps as formulas see them: each access is one, of library code as well, whether or not another thread is there,
    /// and no thread is taken for another.
    pub(crate) fn fine<'p>(&self, system: &Java<'p>) -> Java<'p> {
        let needs = match self.combination.is_full() || self.reduces_formulas() {
            true => self.combination.instrumentation(),
            false => Combination::base().instrumentation(),
        };
        Java {
            shared: system.shared,
            start: system.start.clone(),
            semantics: StepSemantics {
                spurious: system.semantics.spurious,
                solo: false,
                names_threads: true,
                ..StepSemantics::new(needs)
            },
            alone: true,
            allowed: system.allowed.clone(),
            operations: Arc::default(),
        }
    }

    /// What verdicts about formulas rest on.
    pub(crate) fn fairness_line(&self) -> Option<String> {
        let line = match self.given.fairness {
            _ if self.formulas.is_empty() => return None,
            Fairness::None => "formulas: any thread may be put off for ever (--fair none)",
            Fairness::Weak => "formulas: a thread that can always move does so at some time (--fair weak)",
            Fairness::Strong => "formulas: a thread that can move again and again does so at some time (--fair strong)",
        };
        Some(line.to_owned())
    }

    /// The formulas, as names of properties.
    pub(crate) fn formula_names(&self) -> impl Iterator<Item = String> {
        self.formulas.iter().map(|formula| format!("ltl: {}", formula.title()))
    }
}

fn cost<A>(formula: &Wanted, answer: &Answer<A>) -> String {
    format!(
        "{}: {} states with an automaton of {}",
        formula.text,
        answer.figures.states,
        formula.automaton.states()
    )
}

/// An execution that breaks a formula, in words.
fn tell<S: Subject>(
    prepared: &mut Prepared<S>,
    formula: &Wanted,
    fairness: Fairness,
    execution: &Execution<ActionOf<S>>,
) -> Violation {
    // SOUNDNESS: what the search found is evaluated once more, without any automaton.
    let word = Lasso {
        letters: execution.letters.clone(),
        loop_start: execution.loop_start,
    };
    assert!(
        !word.satisfies(&formula.parsed.formula),
        "an execution that breaks no formula"
    );
    // What comes after it is violated for good need not be told.
    let last = broken_for_good(&formula.automaton, &execution.letters);
    let told = &execution.steps[..last.unwrap_or(execution.steps.len())];
    let (stem, round) = told.split_at(execution.loop_start.min(told.len()));
    let before = stem.iter().flatten().count();
    let is_endless = last.is_none() && round.iter().any(Option::is_some);
    let found = Found {
        flaw: Flaw {
            property: Property::new(&LTL),
            key: 0,
        },
        actions: told.iter().flatten().copied().collect(),
        loop_start: is_endless.then_some(before),
    };
    let mut violation = prepared
        .subject
        .narrate(&mut prepared.state, &found)
        .unwrap_or_default();
    violation.property = LTL.name.to_owned();
    violation.message = format!("formula violated: {}", formula.title());
    violation.why = match last {
        Some(_) => vec!["whatever follows, the formula is violated".to_owned()],
        None => why(formula, fairness, execution),
    };
    let end = match (last, execution.steps.last()) {
        (Some(last), _) => execution.letters[last],
        (None, Some(Some(_))) => execution.letters[execution.loop_start],
        _ => execution.letters.last().copied().unwrap_or_default(),
    };
    // The letters before each step that is told, and after the last one.
    let before = told.iter().zip(&execution.letters);
    let before = before.filter_map(|(step, &letter)| step.as_ref().map(|_| letter));
    let letters: Vec<u64> = before.chain([end]).collect();
    note_changes(&mut violation, formula, &letters);
    violation
}

/// The first state of an execution at which it breaks a formula whatever follows, by the automaton of the formula's negation; `None` if that
/// cannot be told.
fn broken_for_good(automaton: &Automaton, letters: &[u64]) -> Option<usize> {
    let mut finite = automaton.finite()?;
    let mut reading = finite.start();
    for (position, &letter) in letters.iter().enumerate() {
        if let Reading::Open(state) = reading {
            reading = finite.read(state, letter);
        }
        if reading == Reading::Accepted {
            return Some(position);
        }
    }
    None
}

/// What the loop is, and what holds in it.
fn why<A>(formula: &Wanted, fairness: Fairness, execution: &Execution<A>) -> Vec<String> {
    let round = &execution.steps[execution.loop_start..];
    let letters = &execution.letters[execution.loop_start..];
    let mut why = vec![match round.iter().flatten().count() {
        0 => "in the end no thread moves, and all stays as it is".to_owned(),
        1 => "its last step is repeated for ever".to_owned(),
        steps => format!("its last {steps} steps are repeated for ever"),
    }];
    let is_endless = round.iter().any(Option::is_some);
    for (number, atom) in formula.parsed.atoms.texts().iter().enumerate() {
        let holds = letters.iter().filter(|&letter| letter >> number & 1 == 1).count();
        let when = match holds {
            0 => "never holds",
            all if all == letters.len() => "always holds",
            _ => "holds again and again, not always",
        };
        why.push(format!("from then on, {atom} {when}"));
    }
    let fair = match fairness {
        Fairness::None => None,
        Fairness::Weak => Some("every thread that can always move does move (--fair weak)"),
        Fairness::Strong => Some("every thread that can move at times does move (--fair strong)"),
    };
    why.extend(fair.filter(|_| is_endless).map(str::to_owned));
    why
}

/// Says at each row which propositions begin or cease to hold there. The letters are those before each step, and after the last one.
fn note_changes(violation: &mut Violation, formula: &Wanted, letters: &[u64]) {
    let rows = &mut violation.trace.rows;
    if rows.iter().map(|row| row.steps).sum::<usize>() + 1 != letters.len() {
        return;
    }
    let mut at = 0;
    for row in rows {
        let (before, after) = (letters[at], letters[at + row.steps]);
        at += row.steps;
        for (number, atom) in formula.parsed.atoms.texts().iter().enumerate() {
            let [was, is] = [before, after].map(|letter| letter >> number & 1 == 1);
            if was != is {
                let verb = if is { "now" } else { "no more" };
                let text = format!("{verb} {atom}");
                row.events.push(Event::Other { text });
            }
        }
    }
}
