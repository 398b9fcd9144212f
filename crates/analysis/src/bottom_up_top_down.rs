//! The second and third phase of the escape analysis (Dwyer et al., appendix A): callees first, then callers first, over the
//! components of the call graph.
//!
//! Going up, a method's sets are merged as its body says; at a call, the callee's context is pasted in anew (or, within a
//! component, merged as it is). Going down, what is shared at any call becomes shared in the callee.
//!
//! A method called on an object whose class may be unknown is the one thing that the papers do not have. Its arguments hang on
//! the receiver's set by edges of their own: if the receiver turns out to be shared, in whichever caller, they are
//! shared with it, and only there.

use crate::body::{Stmt, Target, Type, Unit};
use crate::components::components;
use crate::flow::Flow;
use crate::models::method_of;
use crate::scope::{Scope, is_own, scope, value};
use crate::sets::{Cause, Context, Edge, Sets};
use crate::verdict::Reason;
use program::descriptor::{self, Kind};
use program::ir::Pc;
use program::world::{ClassId, MethodId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The sets of all units, when both phases are done.
pub(crate) struct BottomUpTopDown<'f, 'b, 'p> {
    flow: &'f Flow<'b, 'p>,
    /// Whether the program may have objects of classes that were not seen.
    unseen: bool,
    /// Types whose objects are known to escape.
    escaped: &'f BTreeSet<Type>,
    sets: Sets,
    reasons: Vec<Reason>,
    causes: HashMap<Reason, Cause>,
    firsts: Vec<u32>,
    contexts: Vec<Context>,
    component: Vec<u32>,
    /// What a method of the program's own may be, on any object that is ever made.
    versions: HashMap<MethodId, Vec<Unit>>,
    /// Methods of the program's own that are called on a shared object whose class did not flow there.
    pub missed: BTreeSet<Unit>,
}

impl<'f, 'b, 'p> BottomUpTopDown<'f, 'b, 'p> {
    /// Goes up and down the call graph. The entries are called from outside.
    pub fn new(
        flow: &'f Flow<'b, 'p>,
        entries: &BTreeMap<Unit, Reason>,
        escaped: &'f BTreeSet<Type>,
        unseen: bool,
    ) -> BottomUpTopDown<'f, 'b, 'p> {
        let edges: Vec<Vec<u32>> = flow.reached.iter().map(|reached| reached.targets.concat()).collect();
        let order = components(&edges);
        let mut component = vec![0; edges.len()];
        for (number, members) in (0..).zip(&order) {
            members.iter().for_each(|&unit| component[unit as usize] = number);
        }
        let count = flow.reached.len();
        let mut passes = BottomUpTopDown {
            flow,
            unseen,
            escaped,
            sets: Sets::default(),
            // Number 0 means that there is no reason.
            reasons: vec![Reason::Single],
            causes: HashMap::new(),
            firsts: vec![0; count],
            contexts: (0..count).map(|_| Context::default()).collect(),
            component,
            versions: HashMap::new(),
            missed: BTreeSet::new(),
        };
        for members in &order {
            passes.up(members);
        }
        for (&unit, &why) in entries {
            if let Some(number) = flow.number(unit) {
                let cause = passes.cause(why);
                for root in passes.roots(number) {
                    passes.sets.share(root, cause);
                }
            }
        }
        for members in order.iter().rev() {
            members.iter().for_each(|&unit| passes.down(unit));
        }
        passes.find_missed();
        passes
    }

    /// Why a variable's objects are shared.
    pub fn why(&mut self, unit: u32, var: u32) -> Option<Reason> {
        let cause = self.sets.cause(self.firsts[unit as usize] + var);
        (cause != 0).then(|| self.reasons[cause as usize])
    }

    /// Why the objects of an array are shared, or the arrays in it, so many dimensions deep.
    pub fn why_deep(&mut self, unit: u32, var: u32, dimensions: u8) -> Option<Reason> {
        let mut set = self.firsts[unit as usize] + var;
        for _ in 1..dimensions {
            set = self.sets.follow(set, Edge::Element);
        }
        // What a shared set leads to is shared, so the innermost one decides.
        let cause = self.sets.cause(set);
        (cause != 0).then(|| self.reasons[cause as usize])
    }

    /// The types whose objects are shared.
    pub fn shared_types(&mut self) -> BTreeSet<Type> {
        let mut found = BTreeSet::new();
        for (number, reached) in (0..).zip(&self.flow.reached) {
            for stmt in &reached.body.stmts {
                if let Stmt::New { to, of, .. } = *stmt
                    && self.why(number, to).is_some()
                {
                    found.insert(of);
                }
            }
        }
        found
    }

    /// How many sets there are.
    pub fn size(&self) -> usize {
        self.sets.len()
    }

    fn cause(&mut self, why: Reason) -> Cause {
        *self.causes.entry(why).or_insert_with(|| {
            self.reasons.push(why);
            self.reasons.len() as Cause - 1
        })
    }

    fn roots(&self, unit: u32) -> Vec<u32> {
        let body = &self.flow.reached[unit as usize].body;
        let first = self.firsts[unit as usize];
        let vars = body.parameters.iter().copied().chain([body.returned, body.thrown]);
        vars.map(|var| first + var).collect()
    }

    /// The method, if a unit is one of the program's own.
    fn own(&self, unit: u32) -> Option<MethodId> {
        let id = method_of(self.flow.reached[unit as usize].unit)?;
        let program = self.flow.bodies.program;
        is_own(program, program.method(id).class).then_some(id)
    }

    fn up(&mut self, members: &[u32]) {
        for &unit in members {
            self.firsts[unit as usize] = self.sets.len() as u32;
            for _ in 0..self.flow.reached[unit as usize].body.variables {
                self.sets.fresh();
            }
        }
        for &unit in members {
            self.body(unit);
        }
        for &unit in members {
            let roots = self.roots(unit);
            self.contexts[unit as usize] = self.sets.cut(&roots);
        }
    }

    fn body(&mut self, unit: u32) {
        let flow = self.flow;
        let first = self.firsts[unit as usize];
        let own = self.own(unit);
        for stmt in &flow.reached[unit as usize].body.stmts {
            match *stmt {
                Stmt::Move { to, from } => self.sets.unify(first + to, first + from),
                Stmt::Load { to, from, edge } => {
                    let inner = self.sets.follow(first + from, edge);
                    self.sets.unify(inner, first + to);
                }
                Stmt::Store { into, edge, value } => {
                    let inner = self.sets.follow(first + into, edge);
                    self.sets.unify(inner, first + value);
                }
                Stmt::LoadStatic { to, class, offset } => {
                    let cause = self.cause(Reason::Static(class, offset, None));
                    self.sets.share(first + to, cause);
                }
                Stmt::StoreStatic {
                    value,
                    class,
                    offset,
                    pc,
                } => {
                    let cause = self.cause(Reason::Static(class, offset, own.map(|method| (method, pc))));
                    self.sets.share(first + value, cause);
                }
                Stmt::Outside { to: var, why } | Stmt::Escape { value: var, why } => {
                    let cause = self.cause(why);
                    self.sets.share(first + var, cause);
                }
                Stmt::Call(call) => self.call(unit, call),
                Stmt::Caught { to, by } => {
                    if self.comes_from_outside(by) {
                        let cause = self.cause(Reason::Caught);
                        self.sets.share(first + to, cause);
                    }
                }
                Stmt::New { .. } | Stmt::Initialize(_) => {}
            }
        }
    }

    /// Whether what is caught may be an object from outside. One of the program's own classes must have escaped first.
    fn comes_from_outside(&self, by: Option<ClassId>) -> bool {
        let program = self.flow.bodies.program;
        match by {
            Some(class) if is_own(program, class) => {
                let is_caught = |of: &Type| matches!(of, Type::Class(of) if program.is_subclass(*of, class));
                self.unseen || self.escaped.iter().any(is_caught)
            }
            _ => true,
        }
    }

    fn call(&mut self, unit: u32, number: u32) {
        let flow = self.flow;
        let reached = &flow.reached[unit as usize];
        let call = &reached.body.calls[number as usize];
        let own = self.own(unit);
        for &callee in &reached.targets[number as usize] {
            let roots = if self.component[callee as usize] == self.component[unit as usize] {
                self.roots(callee)
            } else {
                self.paste(callee, own.map(|method| (method, call.pc)))
            };
            for (site, root) in self.pairs(unit, number, callee).into_iter().zip(roots) {
                if let Some(site) = site {
                    self.sets.unify(site, root);
                }
            }
        }
        let Target::Virtually(method) = call.target else { return };
        if !self.may_be_unseen(unit, number, method) {
            return;
        }
        let first = self.firsts[unit as usize];
        let Some(&receiver) = call.arguments.first() else {
            return;
        };
        let mut hang = |edge: Edge, var: u32| {
            let inner = self.sets.follow(first + receiver, edge);
            self.sets.unify(inner, first + var);
        };
        let program = flow.bodies.program;
        let text = program.text(program.method(method).descriptor);
        let given = descriptor::parameters(text).filter(|&(_, kind)| kind == Kind::Reference);
        for (position, (&argument, (text, _))) in (1..).zip(call.arguments.iter().skip(1).zip(given)) {
            if value(text).is_none() {
                hang(Edge::Passed(method, position), argument);
            }
        }
        let returned = descriptor::return_type(text).and_then(|(text, _)| value(text));
        if let (Some(result), None) = (call.result, returned) {
            hang(Edge::Returned(method), result);
        }
    }

    /// A copy of a callee's context, its reasons told by the program's own code that calls it.
    fn paste(&mut self, callee: u32, place: Option<(MethodId, Pc)>) -> Vec<u32> {
        let context = std::mem::take(&mut self.contexts[callee as usize]);
        let library = self.own(callee).is_none();
        let unit = self.flow.reached[callee as usize].unit;
        let mut sets = std::mem::take(&mut self.sets);
        let roots = sets.paste(&context, |cause| match place.filter(|_| library) {
            Some(place) => {
                let why = self.reasons[cause as usize].called_at(method_of(unit), place);
                self.cause(why)
            }
            None => cause,
        });
        self.sets = sets;
        self.contexts[callee as usize] = context;
        roots
    }

    /// The sets at a call for each root of a callee's context.
    fn pairs(&self, unit: u32, number: u32, callee: u32) -> Vec<Option<u32>> {
        let first = self.firsts[unit as usize];
        let call = &self.flow.reached[unit as usize].body.calls[number as usize];
        let parameters = self.flow.reached[callee as usize].body.parameters.len();
        (0..parameters)
            .map(|position| call.arguments.get(position).copied())
            .chain([call.result, Some(call.thrown)])
            .map(|var| var.map(|var| first + var))
            .collect()
    }

    fn down(&mut self, unit: u32) {
        let flow = self.flow;
        for (number, targets) in (0..).zip(&flow.reached[unit as usize].targets) {
            for &callee in targets {
                if self.component[callee as usize] == self.component[unit as usize] {
                    continue;
                }
                let mut seen = HashSet::new();
                for (site, root) in self.pairs(unit, number, callee).into_iter().zip(self.roots(callee)) {
                    if let Some(site) = site {
                        self.sets.carry(site, root, &mut seen);
                    }
                }
            }
        }
    }

    /// Whether a call may be made on an object of a class that did not flow to it.
    fn may_be_unseen(&mut self, unit: u32, number: u32, method: MethodId) -> bool {
        let flow = self.flow;
        let program = flow.bodies.program;
        let class = program.class(program.method(method).class);
        if self.unseen || scope(class) != Scope::Program {
            return true;
        }
        // SOUNDNESS: objects of the program's own classes are made by code that was looked into, all of it. If the call
        // leads to every version that any of them has, there is no other.
        let targets = &flow.reached[unit as usize].targets[number as usize];
        let known = |unit: &Unit| flow.number(*unit).is_some_and(|number| targets.contains(&number));
        let versions = self.versions(method);
        versions.is_empty() || !versions.iter().all(known)
    }

    fn versions(&mut self, method: MethodId) -> &[Unit] {
        let flow = self.flow;
        self.versions.entry(method).or_insert_with(|| {
            let found: BTreeSet<Unit> = flow.made.iter().filter_map(|&of| flow.select(of, method)).collect();
            found.into_iter().collect()
        })
    }

    fn find_missed(&mut self) {
        let flow = self.flow;
        for (unit, reached) in (0..).zip(&flow.reached) {
            for (number, call) in (0..).zip(&reached.body.calls) {
                let (Target::Virtually(method), Some(&receiver)) = (call.target, call.arguments.first()) else {
                    continue;
                };
                let class = flow.bodies.program.method(method).class;
                if is_own(flow.bodies.program, class)
                    && self.why(unit, receiver).is_some()
                    && self.may_be_unseen(unit, number, method)
                {
                    let versions = self.versions(method).to_vec();
                    self.missed.extend(versions);
                }
            }
        }
    }
}
