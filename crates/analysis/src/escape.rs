//! Which objects only one thread can ever reach.
//!
//! What code outside may call depends on which objects it can get hold of, and that on what is looked into. So the call graph
//! and both phases are done again until nothing new escapes: the first time, only the entry method is called from
//! outside; then also the methods that objects which escaped have in common with the JDK's classes.

use crate::body::{Bodies, Type, Unit};
use crate::bottom_up_top_down::BottomUpTopDown;
use crate::flow::Flow;
use crate::models::Habits;
use crate::scope::{is_own, is_value};
use crate::verdict::{Made, Reason, SiteFact, Verdict, position};
use program::ir::Pc;
use program::world::{ClassKind, LoaderId, Method, MethodId, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The answers, for one program.
#[derive(Debug, Default)]
pub struct Escape {
    local: HashSet<(MethodId, Pc)>,
    sites: Vec<SiteFact>,
    /// How large it all was.
    pub figures: Figures,
}

/// How large an analysis was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Methods that were reached, stand-ins included.
    pub methods: usize,
    /// Alias sets.
    pub sets: usize,
    /// How often all was done again.
    pub rounds: usize,
    /// Whether the program may find its own members by name, so that any of its methods may be called from outside.
    pub reflection: bool,
}

/// Rounds after which nothing is claimed any more. Each round but the last adds an entry, so there is an end anyway; this
/// is against programs that make it long.
const MOST_ROUNDS: usize = 40;

/// Units after which nothing is claimed any more.
const MOST_UNITS: usize = 60_000;

impl Escape {
    /// Analyses the program that begins with this method. Classes are loaded on the way. `is_foreign` tells methods in whose place
    /// something else runs: these are not looked into.
    pub fn of(program: &Program, entry: MethodId, is_foreign: &dyn Fn(&Method) -> bool) -> Escape {
        let bodies = Bodies {
            program,
            is_foreign,
            made: HashMap::new(),
            lambdas: Vec::new(),
            numbers: HashMap::new(),
            habits: Habits {
                plain: true,
                mute: true,
            },
            exposed: Vec::new(),
        };
        Rounds::new(bodies, entry).run()
    }

    /// Whether the objects that an instruction makes are reached by no thread but the one that makes them, for as long as
    /// they live. `false` when it is not known.
    ///
    /// The instruction is a `New`, `NewArray` or `NewMultiArray` (then it is said of all the arrays), or the `Call` that
    /// makes a lambda's object.
    pub fn is_local(&self, method: MethodId, at: Pc) -> bool {
        self.local.contains(&(method, at))
    }

    /// All places where objects are made that the entry leads to, by method and instruction.
    pub fn sites(&self) -> &[SiteFact] {
        &self.sites
    }
}

struct Rounds<'p> {
    bodies: Bodies<'p>,
    entries: BTreeMap<Unit, Reason>,
    escaped: BTreeSet<Type>,
    reflection: bool,
}

impl<'p> Rounds<'p> {
    fn new(bodies: Bodies<'p>, entry: MethodId) -> Rounds<'p> {
        let program = bodies.program;
        let method = program.method(entry);
        let mut entries = BTreeMap::from([(Unit::Method(entry), Reason::Thrown(entry))]);
        if !method.is_static()
            && let Some(constructor) = program.find_method(method.class, "<init>", "()V")
        {
            entries.insert(Unit::Method(constructor), Reason::Called(constructor));
        }
        Rounds {
            bodies,
            entries,
            escaped: BTreeSet::new(),
            reflection: false,
        }
    }

    /// What a round may add to.
    fn progress(&self) -> (usize, usize, bool, Habits) {
        let habits = self.bodies.habits;
        (self.entries.len(), self.escaped.len(), self.reflection, habits)
    }

    fn run(mut self) -> Escape {
        for round in 1..=MOST_ROUNDS {
            let before = self.progress();
            let entries = self.entries.clone();
            let program = self.bodies.program;
            let flow = Flow::new(&mut self.bodies, entries.keys().copied());
            if flow.reached.len() > MOST_UNITS {
                return Escape::default();
            }
            let reflection = flow.reached.iter().any(|reached| reached.body.reflection.is_some());
            let mut passes = BottomUpTopDown::new(&flow, &entries, &self.escaped, self.reflection);
            let shared = passes.shared_types();
            let mut found: Vec<(Unit, Reason)> = Vec::new();
            for unit in passes.missed.iter().copied() {
                found.extend(called(&flow, unit));
            }
            for &of in shared.difference(&self.escaped) {
                found.extend(callbacks(&flow, of).into_iter().filter_map(|unit| called(&flow, unit)));
            }
            let figures = Figures {
                methods: flow.reached.len(),
                sets: passes.size(),
                rounds: round,
                reflection: self.reflection,
            };
            let sites = sites(&flow, &mut passes);
            self.escaped.extend(shared);
            self.reflection |= reflection;
            let mut exposed = std::mem::take(&mut self.bodies.exposed);
            if self.reflection {
                exposed.extend(own_methods(program));
            }
            found.extend(exposed.into_iter().map(|id| (Unit::Method(id), Reason::Called(id))));
            for (unit, why) in found {
                self.entries.entry(unit).or_insert(why);
            }
            self.bodies.habits = Habits::of(program);
            if before == self.progress() {
                let local = sites.iter().filter(|site| site.verdict == Verdict::Local);
                return Escape {
                    local: local.map(|site| (site.method, site.at)).collect(),
                    sites,
                    figures,
                };
            }
            if before.3 != self.bodies.habits {
                self.bodies.made.clear();
            }
        }
        Escape::default()
    }
}

fn called(flow: &Flow<'_, '_>, unit: Unit) -> Option<(Unit, Reason)> {
    let why = match unit {
        Unit::Method(id) => Reason::Called(id),
        Unit::Lambda(number) => Reason::CalledLambda(flow.bodies.lambdas.get(number as usize)?.interface),
        Unit::Shown => return None,
    };
    Some((unit, why))
}

/// The methods that code outside can call on an object of this type: those that the JDK's classes and interfaces declare.
fn callbacks(flow: &Flow<'_, '_>, of: Type) -> Vec<Unit> {
    let program = flow.bodies.program;
    let class = match of {
        Type::Class(class) => program.class(class),
        Type::Lambda(number) => return vec![Unit::Lambda(number)],
    };
    if class.loader < LoaderId::APP || class.is_array() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for &above in class.supers.iter().chain(class.all_interfaces.iter()) {
        let above = program.class(above);
        if above.loader >= LoaderId::APP {
            continue;
        }
        for &id in &above.methods {
            let method = program.method(id);
            let special = program.text(method.name).starts_with('<');
            if method.is_static() || method.is_private() || special {
                continue;
            }
            if let Some(Unit::Method(version)) = flow.select(of, id)
                && is_own(program, program.method(version).class)
            {
                found.push(Unit::Method(version));
            }
        }
    }
    found
}

/// Every method of the program's own classes that are loaded.
fn own_methods(program: &Program) -> Vec<MethodId> {
    program
        .classes()
        .filter(|class| class.loader >= LoaderId::APP && class.kind == ClassKind::Instance && class.file.is_some())
        .flat_map(|class| class.methods.iter())
        .copied()
        .filter(|&id| !program.method(id).is_abstract())
        .collect()
}

fn sites(flow: &Flow<'_, '_>, passes: &mut BottomUpTopDown<'_, '_, '_>) -> Vec<SiteFact> {
    let program = flow.bodies.program;
    let mut facts = Vec::new();
    let is_made_value = |of: Type| matches!(of, Type::Class(class) if is_value(&program.class(class).name));
    for (number, reached) in (0..).zip(&flow.reached) {
        let Unit::Method(method) = reached.unit else { continue };
        let own = is_own(program, program.method(method).class);
        for site in &reached.body.sites {
            let why = match passes.why_deep(number, site.var, site.dimensions) {
                None if site.dimensions == 0 => Some(Reason::Single),
                None if is_made_value(site.of) => Some(Reason::Value),
                // SOUNDNESS: code that is not looked into may run the same code of the JDK on its own objects.
                None if !own => Some(Reason::Library),
                other => other,
            };
            let (file, line) = position(program, method, site.pc);
            facts.push(SiteFact {
                method,
                at: site.pc,
                file,
                line,
                made: match site.of {
                    Type::Class(class) => Made::Class(class),
                    Type::Lambda(number) => Made::Lambda(flow.bodies.lambdas[number as usize].interface),
                },
                own,
                verdict: why.map_or(Verdict::Local, |why| Verdict::Shared(why.words(program))),
            });
        }
    }
    facts.sort_by_key(|fact| (fact.method, fact.at));
    facts
}
