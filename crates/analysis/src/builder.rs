//! Makes a body of a method's code, instruction by instruction.

use crate::body::{Alloc, Bodies, Body, Stmt, Target, Type, Unit, Var};
use crate::live_ranges::LiveRanges;
use crate::models;
use crate::resolve::{Called, call_site, class_site, field_site};
use crate::scope::{Scope, finds_by_name, is_own, scope, value as value_class};
use crate::sets::Edge;
use crate::verdict::Reason;
use program::classfile::{ClassFile, Constant};
use program::descriptor::{self, Kind};
use program::ir::{CallKind, Code, Instr, Pc, Reg, RegisterKind};
use program::world::{Class, LoaderId, Method};
use std::collections::{HashMap, HashSet};

/// A body in the making.
pub(crate) struct Builder<'b, 'p> {
    pub bodies: &'b mut Bodies<'p>,
    pub method: &'b Method,
    pub class: &'b Class,
    pub file: &'b ClassFile,
    code: &'b Code,
    ranges: LiveRanges<'b>,
    used: Vec<Var>,
    pub body: Body,
}

impl<'b, 'p> Builder<'b, 'p> {
    /// Begins the body of a method.
    pub fn new(
        bodies: &'b mut Bodies<'p>,
        method: &'b Method,
        class: &'b Class,
        file: &'b ClassFile,
        code: &'b Code,
    ) -> Builder<'b, 'p> {
        Builder {
            bodies,
            method,
            class,
            file,
            code,
            ranges: LiveRanges::new(code),
            used: Vec::new(),
            body: Body::default(),
        }
    }

    /// Goes through the code; the body.
    pub fn build(mut self) -> Body {
        self.body.returned = self.ranges.fresh();
        self.body.thrown = self.ranges.fresh();
        for register in self.code.registers.iter().filter(|r| r.reg < self.code.parameter_words) {
            if register.kind == RegisterKind::Ref
                && let Some(var) = self.ranges.read(register.reg)
            {
                self.body.parameters.push(var);
            }
        }
        for pc in 0..self.code.instrs.len() as Pc {
            self.ranges.enter(pc);
            self.instruction(pc, self.code.instrs[pc as usize]);
            self.ranges.leave(pc);
        }
        self.catch();
        self.number()
    }

    /// Adds what handlers may catch.
    ///
    /// SOUNDNESS: an exception from outside, or raised by the virtual machine, may come at any time. Where it is only thrown
    /// on, as `finally` does, nothing can happen to it; the next handler has its own.
    fn catch(&mut self) {
        let used: HashSet<Var> = std::mem::take(&mut self.used)
            .into_iter()
            .map(|var| self.ranges.find(var))
            .collect();
        for handler in &self.code.handlers {
            let Some(to) = self.ranges.caught(handler.target, handler.reg) else {
                continue;
            };
            if used.contains(&self.ranges.find(to)) {
                let by = handler.class.and_then(|site| {
                    let site = &self.code.classes[site as usize];
                    class_site(self.bodies.program, self.class, self.file, site)
                });
                self.push(Stmt::Caught { to, by });
            }
        }
    }

    /// The variable in a register, which is used.
    fn read(&mut self, reg: Reg) -> Option<Var> {
        let var = self.ranges.read(reg)?;
        self.used.push(var);
        Some(var)
    }

    /// Gives the variables their final numbers.
    fn number(mut self) -> Body {
        let mut body = std::mem::take(&mut self.body);
        let mut numbers = HashMap::new();
        let ranges = &mut self.ranges;
        let mut of = |var: &mut Var| {
            let next = numbers.len() as u32;
            *var = *numbers.entry(ranges.find(*var)).or_insert(next);
        };
        body.parameters.iter_mut().for_each(&mut of);
        of(&mut body.returned);
        of(&mut body.thrown);
        for stmt in &mut body.stmts {
            match stmt {
                Stmt::Move { to, from } | Stmt::Load { to, from, .. } => {
                    of(to);
                    of(from);
                }
                Stmt::Store { into, value, .. } => {
                    of(into);
                    of(value);
                }
                Stmt::New { to: var, .. }
                | Stmt::LoadStatic { to: var, .. }
                | Stmt::StoreStatic { value: var, .. }
                | Stmt::Outside { to: var, .. }
                | Stmt::Caught { to: var, .. }
                | Stmt::Escape { value: var, .. } => of(var),
                Stmt::Call(_) | Stmt::Initialize(_) => {}
            }
        }
        for call in &mut body.calls {
            call.arguments.iter_mut().for_each(&mut of);
            call.result.iter_mut().for_each(&mut of);
            of(&mut call.thrown);
        }
        body.sites.iter_mut().for_each(|site| of(&mut site.var));
        body.variables = numbers.len() as u32;
        body
    }

    pub fn push(&mut self, stmt: Stmt) {
        self.body.stmts.push(stmt);
    }

    pub fn fresh(&mut self) -> Var {
        self.ranges.fresh()
    }

    fn instruction(&mut self, pc: Pc, instr: Instr) {
        use Instr::*;
        match instr {
            Move { d, s } => {
                if let (Some(from), Some(to)) = (self.read(s), self.ranges.write(d)) {
                    self.push(Stmt::Move { to, from });
                }
            }
            LoadConst { d, site } => {
                let index = self.code.constants[site as usize].index;
                if !matches!(self.file.pool.get(index), Constant::String(_) | Constant::Class(_)) {
                    self.reflects(pc);
                }
                let Some(to) = self.ranges.write(d) else { return };
                let text = self.bodies.program.load(LoaderId::BOOT, "java/lang/String");
                match (self.file.pool.get(index), text) {
                    // SOUNDNESS: all threads share a literal, but it leads to nothing that they could share through it.
                    (Constant::String(_), Ok(of)) => self.push(Stmt::New {
                        to,
                        of: Type::Class(of),
                    }),
                    _ => self.push(Stmt::Outside {
                        to,
                        why: Reason::Constant,
                    }),
                }
            }
            GetField { d, o, site } => {
                let Some(from) = self.read(o) else { return };
                let Some(to) = self.ranges.write(d) else { return };
                match self.field_edge(site) {
                    Some(edge) => self.push(Stmt::Load { to, from, edge }),
                    None => self.push(Stmt::Outside {
                        to,
                        why: Reason::Unlinked,
                    }),
                }
            }
            PutField { o, s, site } => {
                let (Some(into), Some(value)) = (self.read(o), self.read(s)) else {
                    return;
                };
                match self.field_edge(site) {
                    Some(edge) => self.push(Stmt::Store { into, edge, value }),
                    None => self.push(Stmt::Escape {
                        value,
                        why: Reason::Unlinked,
                    }),
                }
            }
            GetStatic { site, .. } | GetStaticWide { site, .. } | GetStaticNarrow { site, .. } => {
                let to = instr.def(self.code).and_then(|d| self.ranges.write(d));
                self.static_field(pc, site, to, None);
            }
            PutStatic { s, site } | PutStaticWide { s, site } | PutStaticNarrow { s, site, .. } => {
                let value = self.read(s);
                self.static_field(pc, site, None, value);
            }
            ArrayGet { d, o, .. } => {
                if let (Some(from), Some(to)) = (self.read(o), self.ranges.write(d)) {
                    self.push(Stmt::Load {
                        to,
                        from,
                        edge: Edge::Element,
                    });
                }
            }
            ArrayPutRef { o, s, .. } => {
                if let (Some(into), Some(value)) = (self.read(o), self.read(s)) {
                    self.push(Stmt::Store {
                        into,
                        edge: Edge::Element,
                        value,
                    });
                }
            }
            New { d, site } | NewArray { d, site, .. } => self.allocate(pc, d, site, 1),
            NewMultiArray { d, count, site, .. } => self.allocate(pc, d, site, count),
            Call { site } => self.call(pc, site),
            Return { s } => {
                if let Some(from) = self.read(s) {
                    self.push(Stmt::Move {
                        to: self.body.returned,
                        from,
                    });
                }
            }
            Throw { s } => {
                if let Some(from) = self.ranges.read(s) {
                    self.throw(pc, from);
                }
            }
            _ => {
                if let Some(d) = instr.def(self.code) {
                    self.ranges.write(d);
                }
            }
        }
    }

    /// Moves an exception to where it may be caught.
    fn throw(&mut self, pc: Pc, from: Var) {
        for handler in self.code.handlers.iter().filter(|h| h.start <= pc && pc < h.end) {
            if let Some(to) = self.ranges.caught(handler.target, handler.reg) {
                self.push(Stmt::Move { to, from });
            }
            if handler.class.is_none() {
                return;
            }
        }
        self.push(Stmt::Move {
            to: self.body.thrown,
            from,
        });
    }

    /// What a field of an object is called, if it can be linked.
    fn field_edge(&self, site: u32) -> Option<Edge> {
        let index = self.code.fields[site as usize].index;
        let found = field_site(self.bodies.program, self.class, self.file, index)?;
        Some(Edge::Field(found.class, found.field.offset))
    }

    fn static_field(&mut self, pc: Pc, site: u32, to: Option<Var>, value: Option<Var>) {
        let program = self.bodies.program;
        let found = field_site(program, self.class, self.file, self.code.fields[site as usize].index);
        let Some(found) = found else {
            if let Some(value) = value {
                self.push(Stmt::Escape {
                    value,
                    why: Reason::Unlinked,
                });
            }
            if let Some(to) = to {
                self.push(Stmt::Outside {
                    to,
                    why: Reason::Unlinked,
                });
            }
            return;
        };
        let (class, offset) = (found.class, found.field.offset);
        let own = scope(program.class(class)) == Scope::Program;
        if own {
            self.push(Stmt::Initialize(class));
        }
        let text = program.text(found.field.descriptor);
        if let Some(Ok(of)) = value_class(text).map(|name| program.load(LoaderId::BOOT, name)) {
            if let Some(to) = to {
                self.push(Stmt::New {
                    to,
                    of: Type::Class(of),
                });
            }
            return;
        }
        match (to, value) {
            (Some(to), _) if own => self.push(Stmt::LoadStatic { to, class, offset }),
            (Some(to), _) if models::is_empty_array(program, program.class(class), &found.field) => {
                // SOUNDNESS: an array without elements leads to nothing, whoever shares it.
                if let Ok(of) = program.load_descriptor(LoaderId::BOOT, program.text(found.field.descriptor)) {
                    self.push(Stmt::New {
                        to,
                        of: Type::Class(of),
                    });
                }
            }
            (Some(to), _) => self.push(Stmt::Outside {
                to,
                why: Reason::Static(class, offset, None),
            }),
            (_, Some(value)) => self.push(Stmt::StoreStatic {
                value,
                class,
                offset,
                pc,
            }),
            (None, None) => {}
        }
    }

    fn allocate(&mut self, pc: Pc, d: Reg, site: u32, dimensions: u8) {
        let program = self.bodies.program;
        let Some(to) = self.ranges.write(d) else { return };
        let Some(of) = class_site(program, self.class, self.file, &self.code.classes[site as usize]) else {
            // Linking fails here, so there is nothing new.
            return;
        };
        if scope(program.class(of)) == Scope::Program && !program.class(of).is_array() {
            self.push(Stmt::Initialize(of));
        }
        self.new_object(pc, to, Type::Class(of), dimensions);
        let (mut array, mut at) = (of, to);
        for _ in 1..dimensions {
            let Some(inner) = program.class(array).element() else {
                break;
            };
            let value = self.fresh();
            self.push(Stmt::New {
                to: value,
                of: Type::Class(inner),
            });
            self.push(Stmt::Store {
                into: at,
                edge: Edge::Element,
                value,
            });
            (array, at) = (inner, value);
        }
    }

    pub fn new_object(&mut self, pc: Pc, to: Var, of: Type, dimensions: u8) {
        self.body.sites.push(Alloc {
            pc,
            of,
            var: to,
            dimensions,
        });
        self.push(Stmt::New { to, of });
    }

    fn call(&mut self, pc: Pc, number: u32) {
        let program = self.bodies.program;
        let call = &self.code.calls[number as usize];
        let first = call.first as usize;
        let words = self
            .code
            .operands
            .get(first..first + usize::from(call.count))
            .unwrap_or(&[]);
        let dynamic = call.kind == CallKind::Dynamic;
        let (class_name, name, text) = if dynamic {
            ("", "", crate::dynamic::descriptor(self.file, call.index))
        } else {
            self.file.pool.member(call.index)
        };
        let mut kinds: Vec<Kind> = Vec::new();
        if !dynamic && call.kind != CallKind::Static {
            kinds.push(Kind::Reference);
        }
        kinds.extend(descriptor::parameters(text).map(|(_, kind)| kind));
        let mut arguments = Vec::new();
        let mut at = 0;
        for kind in kinds {
            if kind == Kind::Reference {
                let var = words.get(at).and_then(|&reg| self.read(reg));
                let var = var.unwrap_or_else(|| self.fresh());
                arguments.push(var);
            }
            at += kind.words() as usize;
        }
        // The result is written after the arguments were read, whatever it is.
        let result = self.code.instrs[pc as usize]
            .def(self.code)
            .and_then(|d| self.ranges.write(d));
        let thrown = self.fresh();
        self.throw(pc, thrown);
        if dynamic {
            return self.dynamic(pc, call.index, arguments, result, thrown);
        }
        if self.is_reflection(class_name, name) {
            self.reflects(pc);
        }
        let target = match call_site(program, self.class, self.file, call.kind, call.index) {
            Called::Unknown => {
                return self.escape_all(&arguments, result, Reason::Handle(self.method.id, pc));
            }
            Called::Exactly(id) => {
                let callee = program.method(id);
                if call.kind == CallKind::Static && scope(program.class(callee.class)) == Scope::Program {
                    self.push(Stmt::Initialize(callee.class));
                }
                Target::Exactly(Unit::Method(id))
            }
            Called::Virtually(id) if models::prints(program, program.method(id)) && self.bodies.habits.plain => {
                // SOUNDNESS: no class that the program makes objects of overrides the printing methods, and the JDK has
                // none that does: the argument is turned into text and forgotten.
                if let [_, shown] = arguments[..] {
                    let target = Target::Exactly(Unit::Shown);
                    self.enter_call(pc, target, vec![shown], None, thrown);
                }
                return;
            }
            Called::Virtually(id) => Target::Virtually(id),
        };
        self.enter_call(pc, target, arguments, result, thrown);
    }

    /// Whether a method is one of the JDK's that finds classes or members by name.
    pub fn is_reflection(&self, class: &str, name: &str) -> bool {
        let program = self.bodies.program;
        let loaded = program.load(self.class.loader, class);
        loaded.is_ok_and(|id| !is_own(program, id)) && finds_by_name(class, name)
    }

    /// Notes that the program's own code finds classes or members by name.
    pub fn reflects(&mut self, pc: Pc) {
        if scope(self.class) == Scope::Program {
            self.body.reflection.get_or_insert(pc);
        }
    }

    /// Adds a call.
    pub fn enter_call(&mut self, pc: Pc, target: Target, arguments: Vec<Var>, result: Option<Var>, thrown: Var) {
        self.push(Stmt::Call(self.body.calls.len() as u32));
        self.body.calls.push(crate::body::Call {
            pc,
            target,
            arguments,
            result,
            thrown,
        });
    }

    /// A call of something that is not looked into.
    pub fn escape_all(&mut self, arguments: &[Var], result: Option<Var>, why: Reason) {
        for &value in arguments {
            self.push(Stmt::Escape { value, why });
        }
        if let Some(to) = result {
            self.push(Stmt::Outside { to, why });
        }
    }
}
