//! What every call may run: types flow from where objects are made to where methods are called on them, until nothing new
//! comes (the object flow that appendix A of Dwyer et al. asks for in phase 1).
//!
//! One set of types for each variable, each field by its declaration, the elements of each array class and each captured
//! value; nothing is told apart by caller. Only objects that the code looked into makes are followed. A value from
//! outside has no types here.
//!
//! SOUNDNESS: a set may lack the type of an object that went outside and came back. Such an object is shared wherever it is
//! met again, and a method called on a shared object of unknown class is a call to the outside (see [`crate::bottom_up_top_down`]).

use crate::body::{Bodies, Body, Stmt, Target, Type, Unit, Var};
use crate::scope::{Scope, scope};
use crate::sets::Edge;
use program::world::{ClassId, MethodId};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A unit that is reached, its body, and what its calls run.
pub(crate) struct Reached {
    pub unit: Unit,
    pub body: Rc<Body>,
    /// For each call, numbers of reached units.
    pub targets: Vec<Vec<u32>>,
    first: u32,
}

/// A place that types flow through, other than a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Cell {
    Field(ClassId, u32),
    Static(ClassId, u32),
    Element(ClassId),
    Captured(u32, u32),
    Kept,
}

/// What happens when a type comes to a node.
#[derive(Clone, Copy)]
enum Use {
    Receiver(u32, u32),
    Load(Edge, u32),
    Store(Edge, u32),
}

/// The call graph.
pub(crate) struct Flow<'b, 'p> {
    pub bodies: &'b mut Bodies<'p>,
    pub reached: Vec<Reached>,
    /// Types of which objects are made.
    pub made: BTreeSet<Type>,
    numbers: HashMap<Unit, u32>,
    cells: HashMap<Cell, u32>,
    types: Vec<BTreeSet<Type>>,
    edges: Vec<Vec<u32>>,
    uses: Vec<Vec<Use>>,
    initialized: HashSet<ClassId>,
    todo: Vec<(u32, Type)>,
    fresh: Vec<u32>,
}

impl<'b, 'p> Flow<'b, 'p> {
    /// Follows what these units lead to.
    pub fn new(bodies: &'b mut Bodies<'p>, entries: impl IntoIterator<Item = Unit>) -> Flow<'b, 'p> {
        let program = bodies.program;
        let mut flow = Flow {
            bodies,
            reached: Vec::new(),
            made: BTreeSet::new(),
            numbers: HashMap::new(),
            cells: HashMap::new(),
            types: Vec::new(),
            edges: Vec::new(),
            uses: Vec::new(),
            initialized: HashSet::new(),
            todo: Vec::new(),
            fresh: Vec::new(),
        };
        for unit in entries {
            if let Unit::Method(id) = unit {
                flow.initialize(program.method(id).class);
            }
            flow.reach(unit);
        }
        flow.run();
        flow
    }

    /// The number of a unit that was reached.
    pub fn number(&self, unit: Unit) -> Option<u32> {
        self.numbers.get(&unit).copied()
    }

    /// What a method is on an object of this type.
    pub fn select(&self, of: Type, method: MethodId) -> Option<Unit> {
        let program = self.bodies.program;
        let called = program.method(method);
        let number = match of {
            Type::Class(class) if !program.is_subclass(class, called.class) => return None,
            Type::Class(class) => return program.select(class, method).ok().map(Unit::Method),
            Type::Lambda(number) => number,
        };
        let lambda = self.bodies.lambdas.get(number as usize)?;
        let object = program.class(lambda.interface).supers.first().copied()?;
        if called.class == object {
            let abstract_name = called.name == lambda.name && program.class(lambda.interface).is_interface();
            let again = abstract_name.then(|| program.declared(lambda.interface, called.name, called.descriptor));
            return Some(match again.flatten() {
                Some(_) => Unit::Lambda(number),
                None => Unit::Method(method),
            });
        }
        if !program.is_subclass(lambda.interface, called.class) {
            return None;
        }
        let found = program
            .lookup(lambda.interface, called.name, called.descriptor)
            .unwrap_or(method);
        if program.method(found).is_abstract() {
            // The one abstract method that is not one of Object's.
            (called.name == lambda.name).then_some(Unit::Lambda(number))
        } else {
            Some(Unit::Method(found))
        }
    }

    fn node(&mut self) -> u32 {
        self.types.push(BTreeSet::new());
        self.edges.push(Vec::new());
        self.uses.push(Vec::new());
        self.types.len() as u32 - 1
    }

    fn cell(&mut self, cell: Cell) -> u32 {
        if let Some(&node) = self.cells.get(&cell) {
            return node;
        }
        let node = self.node();
        self.cells.insert(cell, node);
        node
    }

    fn add(&mut self, node: u32, of: Type) {
        if self.types[node as usize].insert(of) {
            self.todo.push((node, of));
        }
    }

    fn connect(&mut self, from: u32, to: u32) {
        if from == to || self.edges[from as usize].contains(&to) {
            return;
        }
        self.edges[from as usize].push(to);
        let known: Vec<Type> = self.types[from as usize].iter().copied().collect();
        for of in known {
            self.add(to, of);
        }
    }

    fn use_at(&mut self, node: u32, what: Use) {
        self.uses[node as usize].push(what);
        let known: Vec<Type> = self.types[node as usize].iter().copied().collect();
        for of in known {
            self.apply(what, of);
        }
    }

    fn initialize(&mut self, class: ClassId) {
        let program = self.bodies.program;
        if !self.initialized.insert(class) {
            return;
        }
        let described = program.class(class);
        let above = described
            .supers
            .iter()
            .chain(described.all_interfaces.iter())
            .chain([&class]);
        for &id in above {
            let here = program.class(id);
            if scope(here) == Scope::Program
                && let Some(initializer) = here.initializer
            {
                self.reach(Unit::Method(initializer));
            }
        }
    }

    fn reach(&mut self, unit: Unit) -> u32 {
        if let Some(&number) = self.numbers.get(&unit) {
            return number;
        }
        let number = self.reached.len() as u32;
        self.numbers.insert(unit, number);
        let body = self.bodies.get(unit);
        let first = self.types.len() as u32;
        (0..body.variables).for_each(|_| {
            self.node();
        });
        let targets = body.calls.iter().map(|_| Vec::new()).collect();
        self.reached.push(Reached {
            unit,
            body,
            targets,
            first,
        });
        self.fresh.push(number);
        number
    }

    fn run(&mut self) {
        loop {
            if let Some(number) = self.fresh.pop() {
                self.open(number);
            } else if let Some((node, of)) = self.todo.pop() {
                for position in 0..self.edges[node as usize].len() {
                    let to = self.edges[node as usize][position];
                    self.add(to, of);
                }
                for position in 0..self.uses[node as usize].len() {
                    let what = self.uses[node as usize][position];
                    self.apply(what, of);
                }
            } else {
                return;
            }
        }
    }

    /// Enters what a body does.
    fn open(&mut self, number: u32) {
        let reached = &self.reached[number as usize];
        let first = reached.first;
        let body = reached.body.clone();
        let node = |var: Var| first + var;
        for stmt in &body.stmts {
            match *stmt {
                Stmt::Move { to, from } => self.connect(node(from), node(to)),
                Stmt::New { to, of, .. } => {
                    self.made.insert(of);
                    self.add(node(to), of);
                }
                Stmt::Load { to, from, edge } => match edge {
                    Edge::Field(class, offset) => {
                        let cell = self.cell(Cell::Field(class, offset));
                        self.connect(cell, node(to));
                    }
                    _ => self.use_at(node(from), Use::Load(edge, node(to))),
                },
                Stmt::Store { into, edge, value } => match edge {
                    Edge::Field(class, offset) => {
                        let cell = self.cell(Cell::Field(class, offset));
                        self.connect(node(value), cell);
                    }
                    _ => self.use_at(node(into), Use::Store(edge, node(value))),
                },
                Stmt::LoadStatic { to, class, offset } => {
                    let cell = self.cell(Cell::Static(class, offset));
                    self.connect(cell, node(to));
                }
                Stmt::StoreStatic {
                    value, class, offset, ..
                } => {
                    let cell = self.cell(Cell::Static(class, offset));
                    self.connect(node(value), cell);
                }
                Stmt::Initialize(class) => self.initialize(class),
                Stmt::Call(call) => match body.calls[call as usize].target {
                    Target::Exactly(unit) => {
                        let callee = self.reach(unit);
                        self.reached[number as usize].targets[call as usize].push(callee);
                    }
                    Target::Virtually(_) => {}
                },
                Stmt::Outside { .. } | Stmt::Escape { .. } | Stmt::Caught { .. } => {}
            }
        }
        for call in 0..self.reached[number as usize].targets.len() as u32 {
            for callee in self.reached[number as usize].targets[call as usize].clone() {
                self.link(number, call, callee);
            }
            let described = &self.reached[number as usize].body.calls[call as usize];
            if let (Target::Virtually(_), Some(&receiver)) = (described.target, described.arguments.first()) {
                self.use_at(node(receiver), Use::Receiver(number, call));
            }
        }
    }

    fn apply(&mut self, what: Use, of: Type) {
        match what {
            Use::Receiver(number, call) => {
                let Target::Virtually(method) = self.reached[number as usize].body.calls[call as usize].target else {
                    return;
                };
                let Some(unit) = self.select(of, method) else { return };
                let callee = self.reach(unit);
                if !self.reached[number as usize].targets[call as usize].contains(&callee) {
                    self.reached[number as usize].targets[call as usize].push(callee);
                    self.link(number, call, callee);
                }
            }
            Use::Load(edge, to) => {
                if let Some(cell) = self.inner(edge, of) {
                    self.connect(cell, to);
                }
            }
            Use::Store(edge, from) => {
                if let Some(cell) = self.inner(edge, of) {
                    self.connect(from, cell);
                }
            }
        }
    }

    fn inner(&mut self, edge: Edge, of: Type) -> Option<u32> {
        let cell = match (edge, of) {
            (Edge::Element, Type::Class(class)) if self.bodies.program.class(class).is_array() => Cell::Element(class),
            (Edge::Captured(position), Type::Lambda(number)) => Cell::Captured(number, position),
            (Edge::Kept, _) => Cell::Kept,
            _ => return None,
        };
        Some(self.cell(cell))
    }

    fn link(&mut self, number: u32, call: u32, callee: u32) {
        let (caller, called) = (&self.reached[number as usize], &self.reached[callee as usize]);
        let site = &caller.body.calls[call as usize];
        let mut pairs: Vec<(u32, u32)> = site
            .arguments
            .iter()
            .zip(&called.body.parameters)
            .map(|(&argument, &parameter)| (caller.first + argument, called.first + parameter))
            .collect();
        if let Some(result) = site.result {
            pairs.push((called.first + called.body.returned, caller.first + result));
        }
        pairs.push((called.first + called.body.thrown, caller.first + site.thrown));
        for (from, to) in pairs {
            self.connect(from, to);
        }
    }
}
