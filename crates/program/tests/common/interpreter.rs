//! A small interpreter of the IR, for tests only: one thread, the classes of one source file, and no library but the
//! exceptions that instructions throw. Slow and simple, so that it can be trusted.

use program::classfile::{ClassFile, flags};
use program::descriptor;
use program::ir::{Call, Code, Instr, Narrow, Pc, Reg, RegisterKind, SiteForm, Switch};
use program::lower::{Rules, lower};
use std::collections::HashMap;
use std::rc::Rc;

/// An object; references are positions in the heap, 0 is null.
struct Object {
    class: String,
    fields: HashMap<String, u64>,
    elements: Vec<u64>,
}

/// The machine.
pub struct Interpreter<'a> {
    files: &'a HashMap<String, ClassFile>,
    rules: &'a dyn Rules,
    heap: Vec<Object>,
    statics: HashMap<String, u64>,
    codes: HashMap<(String, String), Rc<Code>>,
    /// Instructions run so far.
    pub steps: u64,
}

/// A result, or the exception that was thrown.
type Outcome<T> = Result<T, u32>;

impl<'a> Interpreter<'a> {
    pub fn new(files: &'a HashMap<String, ClassFile>, rules: &'a dyn Rules) -> Interpreter<'a> {
        let null = Object {
            class: String::new(),
            fields: HashMap::new(),
            elements: Vec::new(),
        };
        Interpreter {
            files,
            rules,
            heap: vec![null],
            statics: HashMap::new(),
            codes: HashMap::new(),
            steps: 0,
        }
    }

    /// The class of an object, such as of an exception that was thrown.
    pub fn class_of(&self, object: u32) -> &str {
        &self.heap[object as usize].class
    }

    fn make(&mut self, class: &str, length: usize) -> u32 {
        self.heap.push(Object {
            class: class.to_owned(),
            fields: HashMap::new(),
            elements: vec![0; length],
        });
        (self.heap.len() - 1) as u32
    }

    fn throw<T>(&mut self, class: &str) -> Outcome<T> {
        Err(self.make(&format!("java/lang/{class}"), 0))
    }

    fn parent(&self, class: &str) -> String {
        if let Some(file) = self.files.get(class) {
            return file.pool.class_name(file.super_class).to_owned();
        }
        let parent = match class {
            "java/lang/ArrayIndexOutOfBoundsException" => "java/lang/IndexOutOfBoundsException",
            "java/lang/RuntimeException" => "java/lang/Exception",
            "java/lang/Exception" => "java/lang/Throwable",
            "java/lang/Throwable" | "java/lang/Object" => "java/lang/Object",
            exception if exception.ends_with("Exception") => "java/lang/RuntimeException",
            _ => "java/lang/Object",
        };
        parent.to_owned()
    }

    fn is_instance(&self, object: u32, class: &str) -> bool {
        let mut own = self.class_of(object).to_owned();
        while own != class {
            if own == "java/lang/Object" {
                return false;
            }
            own = self.parent(&own);
        }
        true
    }

    /// Calls a method by class, name and descriptor; the result is a word or two.
    pub fn call(&mut self, class: &str, name: &str, descriptor: &str, words: &[u32]) -> Outcome<u64> {
        let key = format!("{name}{descriptor}");
        let mut class = class.to_owned();
        let method = loop {
            let Some(file) = self.files.get(&class) else {
                return Ok(0); // constructors of the library
            };
            let is_it = |method: &&program::classfile::MethodInfo| {
                file.pool.text(method.name) == name && file.pool.text(method.descriptor) == descriptor
            };
            match file.methods.iter().find(is_it) {
                Some(method) => break (file, method),
                None => class = file.pool.class_name(file.super_class).to_owned(),
            }
        };
        let (file, info) = method;
        let code = match self.codes.get(&(class.clone(), key.clone())) {
            Some(code) => code.clone(),
            None => {
                let code = lower(file, info, self.rules).unwrap_or_else(|error| panic!("{error}"));
                super::check_form(&key, &code);
                let code = Rc::new(code);
                self.codes.insert((class, key), code.clone());
                code
            }
        };
        self.run(file, &code, words)
    }

    fn run(&mut self, file: &ClassFile, code: &Code, words: &[u32]) -> Outcome<u64> {
        let mut frame = vec![0xDEAD_BEEF; usize::from(code.frame_words)];
        for register in code
            .registers
            .iter()
            .filter(|register| register.kind == RegisterKind::Ref)
        {
            frame[usize::from(register.reg)] = 0;
        }
        assert_eq!(words.len(), usize::from(code.parameter_words));
        frame[..words.len()].copy_from_slice(words);
        let mut pc: Pc = 0;
        loop {
            self.steps += 1;
            assert!(self.steps < 200_000_000, "an endless loop");
            match self.step(file, code, &mut frame, pc) {
                Ok(Next::Go(next)) => pc = next,
                Ok(Next::Return(value)) => return Ok(value),
                Err(exception) => {
                    let handler = code.handlers.iter().find(|handler| {
                        (handler.start..handler.end).contains(&pc)
                            && handler.class.is_none_or(|site| {
                                let index = code.classes[site as usize].index;
                                self.is_instance(exception, file.pool.class_name(index))
                            })
                    });
                    let Some(handler) = handler else { return Err(exception) };
                    frame[usize::from(handler.reg)] = exception;
                    pc = handler.target;
                }
            }
        }
    }

    fn element(&mut self, frame: &[u32], o: Reg, i: Reg) -> Outcome<&mut u64> {
        let (array, index) = (frame[usize::from(o)], frame[usize::from(i)] as i32);
        if array == 0 {
            return self.throw("NullPointerException");
        }
        match usize::try_from(index) {
            Ok(index) if index < self.heap[array as usize].elements.len() => {
                Ok(&mut self.heap[array as usize].elements[index])
            }
            _ => self.throw("ArrayIndexOutOfBoundsException"),
        }
    }

    fn field(&mut self, frame: &[u32], o: Reg, name: String) -> Outcome<&mut u64> {
        match frame[usize::from(o)] {
            0 => self.throw("NullPointerException"),
            object => Ok(self.heap[object as usize].fields.entry(name).or_insert(0)),
        }
    }

    fn site_class(&self, file: &ClassFile, code: &Code, site: u32) -> String {
        let site = &code.classes[site as usize];
        let name = file.pool.class_name(site.index);
        match site.form {
            SiteForm::Plain => name.to_owned(),
            SiteForm::ArrayOf if name.starts_with('[') => format!("[{name}"),
            SiteForm::ArrayOf => format!("[L{name};"),
            SiteForm::Primitive(letter) => format!("[{}", char::from(letter)),
        }
    }

    #[allow(clippy::too_many_lines)] // one arm an instruction
    fn step(&mut self, file: &ClassFile, code: &Code, frame: &mut [u32], pc: Pc) -> Outcome<Next> {
        use Instr::*;
        let field_name = |site: u32| {
            let (class, name, _) = file.pool.member(code.fields[site as usize].index);
            (format!("{class}.{name}"), name.to_owned())
        };
        macro_rules! r {
            ($reg:expr) => {
                frame[usize::from($reg)] as i32
            };
        }
        macro_rules! l {
            ($reg:expr) => {
                wide(frame, $reg) as i64
            };
        }
        macro_rules! f {
            ($reg:expr) => {
                f32::from_bits(frame[usize::from($reg)])
            };
        }
        macro_rules! dd {
            ($reg:expr) => {
                f64::from_bits(wide(frame, $reg))
            };
        }
        macro_rules! set {
            ($d:expr, $value:expr) => {{
                let value = $value;
                frame[usize::from($d)] = value as u32;
            }};
        }
        macro_rules! set_l {
            ($d:expr, $value:expr) => {{
                let value = $value;
                set_wide(frame, $d, value as u64);
            }};
        }
        macro_rules! branch {
            ($condition:expr, $target:expr) => {
                return Ok(Next::Go(if $condition { $target } else { pc + 1 }))
            };
        }
        match code.instrs[pc as usize] {
            Move { d, s } => set!(d, r!(s)),
            MoveWide { d, s } => set_l!(d, l!(s)),
            Const { d, value } => set!(d, value),
            ConstWide { d, value } => set_l!(d, value),
            LoadConst { d, .. } => set!(d, self.make("java/lang/Class", 0)),
            AddI { d, a, b } => set!(d, r!(a).wrapping_add(r!(b))),
            SubI { d, a, b } => set!(d, r!(a).wrapping_sub(r!(b))),
            MulI { d, a, b } => set!(d, r!(a).wrapping_mul(r!(b))),
            DivI { b, .. } | RemI { b, .. } if r!(b) == 0 => return self.throw("ArithmeticException"),
            DivI { d, a, b } => set!(d, r!(a).wrapping_div(r!(b))),
            RemI { d, a, b } => set!(d, r!(a).wrapping_rem(r!(b))),
            AndI { d, a, b } => set!(d, r!(a) & r!(b)),
            OrI { d, a, b } => set!(d, r!(a) | r!(b)),
            XorI { d, a, b } => set!(d, r!(a) ^ r!(b)),
            ShlI { d, a, b } => set!(d, r!(a).wrapping_shl(r!(b) as u32)),
            ShrI { d, a, b } => set!(d, r!(a).wrapping_shr(r!(b) as u32)),
            UshrI { d, a, b } => set!(d, (r!(a) as u32).wrapping_shr(r!(b) as u32)),
            NegI { d, a } => set!(d, r!(a).wrapping_neg()),
            AddImm { d, a, imm } => set!(d, r!(a).wrapping_add(imm)),
            MulImm { d, a, imm } => set!(d, r!(a).wrapping_mul(imm)),
            DivImm { d, a, imm } => set!(d, r!(a).wrapping_div(imm)),
            RemImm { d, a, imm } => set!(d, r!(a).wrapping_rem(imm)),
            AndImm { d, a, imm } => set!(d, r!(a) & imm),
            OrImm { d, a, imm } => set!(d, r!(a) | imm),
            XorImm { d, a, imm } => set!(d, r!(a) ^ imm),
            ShlImm { d, a, imm } => set!(d, r!(a) << imm),
            ShrImm { d, a, imm } => set!(d, r!(a) >> imm),
            UshrImm { d, a, imm } => set!(d, r!(a) as u32 >> imm),
            AddL { d, a, b } => set_l!(d, l!(a).wrapping_add(l!(b))),
            SubL { d, a, b } => set_l!(d, l!(a).wrapping_sub(l!(b))),
            MulL { d, a, b } => set_l!(d, l!(a).wrapping_mul(l!(b))),
            DivL { b, .. } | RemL { b, .. } if l!(b) == 0 => return self.throw("ArithmeticException"),
            DivL { d, a, b } => set_l!(d, l!(a).wrapping_div(l!(b))),
            RemL { d, a, b } => set_l!(d, l!(a).wrapping_rem(l!(b))),
            AndL { d, a, b } => set_l!(d, l!(a) & l!(b)),
            OrL { d, a, b } => set_l!(d, l!(a) | l!(b)),
            XorL { d, a, b } => set_l!(d, l!(a) ^ l!(b)),
            ShlL { d, a, b } => set_l!(d, l!(a).wrapping_shl(r!(b) as u32)),
            ShrL { d, a, b } => set_l!(d, l!(a).wrapping_shr(r!(b) as u32)),
            UshrL { d, a, b } => set_l!(d, (l!(a) as u64).wrapping_shr(r!(b) as u32)),
            NegL { d, a } => set_l!(d, l!(a).wrapping_neg()),
            AddLImm { d, a, imm } => set_l!(d, l!(a).wrapping_add(imm.into())),
            AndLImm { d, a, imm } => set_l!(d, l!(a) & i64::from(imm)),
            MulLImm { d, a, imm } => set_l!(d, l!(a).wrapping_mul(imm.into())),
            ShlLImm { d, a, imm } => set_l!(d, l!(a) << imm),
            ShrLImm { d, a, imm } => set_l!(d, l!(a) >> imm),
            UshrLImm { d, a, imm } => set_l!(d, l!(a) as u64 >> imm),
            AddF { d, a, b } => set!(d, (f!(a) + f!(b)).to_bits()),
            SubF { d, a, b } => set!(d, (f!(a) - f!(b)).to_bits()),
            MulF { d, a, b } => set!(d, (f!(a) * f!(b)).to_bits()),
            DivF { d, a, b } => set!(d, (f!(a) / f!(b)).to_bits()),
            RemF { d, a, b } => set!(d, (f!(a) % f!(b)).to_bits()),
            NegF { d, a } => set!(d, (-f!(a)).to_bits()),
            AddD { d, a, b } => set_l!(d, (dd!(a) + dd!(b)).to_bits()),
            SubD { d, a, b } => set_l!(d, (dd!(a) - dd!(b)).to_bits()),
            MulD { d, a, b } => set_l!(d, (dd!(a) * dd!(b)).to_bits()),
            DivD { d, a, b } => set_l!(d, (dd!(a) / dd!(b)).to_bits()),
            RemD { d, a, b } => set_l!(d, (dd!(a) % dd!(b)).to_bits()),
            NegD { d, a } => set_l!(d, (-dd!(a)).to_bits()),
            IntToLong { d, a } => set_l!(d, i64::from(r!(a))),
            IntToFloat { d, a } => set!(d, (r!(a) as f32).to_bits()),
            IntToDouble { d, a } => set_l!(d, f64::from(r!(a)).to_bits()),
            LongToInt { d, a } => set!(d, l!(a)),
            LongToFloat { d, a } => set!(d, (l!(a) as f32).to_bits()),
            LongToDouble { d, a } => set_l!(d, (l!(a) as f64).to_bits()),
            FloatToInt { d, a } => set!(d, f!(a) as i32),
            FloatToLong { d, a } => set_l!(d, f!(a) as i64),
            FloatToDouble { d, a } => set_l!(d, f64::from(f!(a)).to_bits()),
            DoubleToInt { d, a } => set!(d, dd!(a) as i32),
            DoubleToLong { d, a } => set_l!(d, dd!(a) as i64),
            DoubleToFloat { d, a } => set!(d, (dd!(a) as f32).to_bits()),
            IntToNarrow { d, a, to } => set!(d, narrow(r!(a), to)),
            CmpL { d, a, b } => set!(d, l!(a).cmp(&l!(b)) as i32),
            CmpF { d, a, b, nan } => set!(
                d,
                f!(a).partial_cmp(&f!(b)).map_or(i32::from(nan), |order| order as i32)
            ),
            CmpD { d, a, b, nan } => set!(
                d,
                dd!(a).partial_cmp(&dd!(b)).map_or(i32::from(nan), |order| order as i32)
            ),
            Goto { target } => return Ok(Next::Go(target)),
            IfEq { a, b, target } => branch!(r!(a) == r!(b), target),
            IfNe { a, b, target } => branch!(r!(a) != r!(b), target),
            IfLt { a, b, target } => branch!(r!(a) < r!(b), target),
            IfGe { a, b, target } => branch!(r!(a) >= r!(b), target),
            IfGt { a, b, target } => branch!(r!(a) > r!(b), target),
            IfLe { a, b, target } => branch!(r!(a) <= r!(b), target),
            IfEqImm { a, imm, target } => branch!(r!(a) == imm, target),
            IfNeImm { a, imm, target } => branch!(r!(a) != imm, target),
            IfLtImm { a, imm, target } => branch!(r!(a) < imm, target),
            IfGeImm { a, imm, target } => branch!(r!(a) >= imm, target),
            IfGtImm { a, imm, target } => branch!(r!(a) > imm, target),
            IfLeImm { a, imm, target } => branch!(r!(a) <= imm, target),
            IfEqL { a, b, target } => branch!(l!(a) == l!(b), target),
            IfNeL { a, b, target } => branch!(l!(a) != l!(b), target),
            IfLtL { a, b, target } => branch!(l!(a) < l!(b), target),
            IfGeL { a, b, target } => branch!(l!(a) >= l!(b), target),
            IfGtL { a, b, target } => branch!(l!(a) > l!(b), target),
            IfLeL { a, b, target } => branch!(l!(a) <= l!(b), target),
            Switch { a, table } => return Ok(Next::Go(select(&code.switches[table as usize], r!(a)))),
            GetField { d, o, site } | GetFieldNarrow { d, o, site, .. } => {
                let value = *self.field(frame, o, field_name(site).1)?;
                set!(d, value);
            }
            GetFieldWide { d, o, site } => {
                let value = *self.field(frame, o, field_name(site).1)?;
                set_l!(d, value);
            }
            PutField { o, s, site } => *self.field(frame, o, field_name(site).1)? = u64::from(frame[usize::from(s)]),
            PutFieldWide { o, s, site } => *self.field(frame, o, field_name(site).1)? = wide(frame, s),
            PutFieldNarrow { o, s, kind, site } => {
                *self.field(frame, o, field_name(site).1)? = narrow(r!(s), kind) as u32 as u64;
            }
            GetStatic { d, site } | GetStaticNarrow { d, site, .. } => {
                set!(d, *self.statics.entry(field_name(site).0).or_insert(0));
            }
            GetStaticWide { d, site } => set_l!(d, *self.statics.entry(field_name(site).0).or_insert(0)),
            PutStatic { s, site } => {
                self.statics
                    .insert(field_name(site).0, u64::from(frame[usize::from(s)]));
            }
            PutStaticWide { s, site } => {
                self.statics.insert(field_name(site).0, wide(frame, s));
            }
            PutStaticNarrow { s, kind, site } => {
                self.statics
                    .insert(field_name(site).0, narrow(r!(s), kind) as u32 as u64);
            }
            ArrayLength { o, .. } if r!(o) == 0 => return self.throw("NullPointerException"),
            ArrayLength { d, o } => set!(d, self.heap[r!(o) as usize].elements.len()),
            ArrayGet { d, o, i } | ArrayGetByte { d, o, i } | ArrayGetChar { d, o, i } | ArrayGetShort { d, o, i } => {
                set!(d, *self.element(frame, o, i)?);
            }
            ArrayGetWide { d, o, i } => set_l!(d, *self.element(frame, o, i)?),
            ArrayPut { o, i, s } | ArrayPutRef { o, i, s } => {
                *self.element(frame, o, i)? = u64::from(frame[usize::from(s)]);
            }
            ArrayPutWide { o, i, s } => *self.element(frame, o, i)? = wide(frame, s),
            ArrayPutByte { o, i, s } => {
                self.element(frame, o, i)?;
                let kind = if self.class_of(frame[usize::from(o)]) == "[Z" {
                    Narrow::Boolean
                } else {
                    Narrow::Byte
                };
                *self.element(frame, o, i)? = narrow(r!(s), kind) as u32 as u64;
            }
            ArrayPutShort { o, i, s } => {
                self.element(frame, o, i)?;
                let kind = if self.class_of(frame[usize::from(o)]) == "[C" {
                    Narrow::Char
                } else {
                    Narrow::Short
                };
                *self.element(frame, o, i)? = narrow(r!(s), kind) as u32 as u64;
            }
            New { d, site } => set!(d, self.make(&self.site_class(file, code, site), 0)),
            NewArray { len, .. } if r!(len) < 0 => return self.throw("NegativeArraySizeException"),
            NewArray { d, len, site } => set!(d, self.make(&self.site_class(file, code, site), r!(len) as usize)),
            NewMultiArray { d, count, first, site } => {
                let operands = &code.operands[first as usize..first as usize + usize::from(count)];
                let sizes: Vec<i32> = operands.iter().map(|&reg| r!(reg)).collect();
                if sizes.iter().any(|&size| size < 0) {
                    return self.throw("NegativeArraySizeException");
                }
                set!(d, self.make_nested(&self.site_class(file, code, site), &sizes));
            }
            CheckCast { o, site } => {
                let object = frame[usize::from(o)];
                if object != 0 && !self.is_instance(object, &self.site_class(file, code, site)) {
                    return self.throw("ClassCastException");
                }
            }
            InstanceOf { d, o, site } => {
                let object = frame[usize::from(o)];
                set!(
                    d,
                    object != 0 && self.is_instance(object, &self.site_class(file, code, site))
                );
            }
            MonitorEnter { o } | MonitorExit { o } => {
                if r!(o) == 0 {
                    return self.throw("NullPointerException");
                }
                // A lock's depth is kept where no field can be.
                let depth = self.heap[r!(o) as usize].fields.entry(" lock".to_owned()).or_insert(0);
                let enters = matches!(code.instrs[pc as usize], MonitorEnter { .. });
                *depth = if enters {
                    *depth + 1
                } else {
                    depth.checked_sub(1).expect("unlock without lock")
                };
            }
            Instr::Call { site } => self.invoke(file, code, frame, site)?,
            ReturnVoid => return Ok(Next::Return(0)),
            Return { s } => return Ok(Next::Return(u64::from(frame[usize::from(s)]))),
            ReturnWide { s } => return Ok(Next::Return(wide(frame, s))),
            Throw { s } if r!(s) == 0 => return self.throw("NullPointerException"),
            Throw { s } => return Err(frame[usize::from(s)]),
            Special { .. } => unreachable!("no such thing in lowered code"),
        }
        Ok(Next::Go(pc + 1))
    }

    fn invoke(&mut self, file: &ClassFile, code: &Code, frame: &mut [u32], site: u32) -> Outcome<()> {
        use program::ir::CallKind;
        let call = &code.calls[site as usize];
        let operands = &code.operands[call.first as usize..call.first as usize + usize::from(call.count)];
        let words: Vec<u32> = operands.iter().map(|&reg| frame[usize::from(reg)]).collect();
        let (class, name, descriptor) = file.pool.member(call.index);
        let mut class = class.to_owned();
        if call.kind != CallKind::Static && words[0] == 0 {
            return self.throw("NullPointerException");
        }
        if matches!(call.kind, CallKind::Virtual | CallKind::Interface) {
            class = self.class_of(words[0]).to_owned();
        }
        let value = self.call(&class, name, descriptor, &words)?;
        if call.dest != Call::NO_RESULT {
            match descriptor::return_type(descriptor) {
                Some((_, kind)) if kind.words() == 2 => set_wide(frame, call.dest, value),
                _ => frame[usize::from(call.dest)] = value as u32,
            }
        }
        Ok(())
    }

    fn make_nested(&mut self, class: &str, sizes: &[i32]) -> u32 {
        let (size, rest) = sizes.split_first().expect("a dimension");
        let array = self.make(class, *size as usize);
        if !rest.is_empty() {
            for index in 0..*size as usize {
                let inner = self.make_nested(class.strip_prefix('[').unwrap_or(class), rest);
                self.heap[array as usize].elements[index] = u64::from(inner);
            }
        }
        array
    }

    /// Whether no lock is held.
    pub fn all_unlocked(&self) -> bool {
        self.heap
            .iter()
            .all(|object| object.fields.get(" lock").is_none_or(|&depth| depth == 0))
    }
}

enum Next {
    Go(Pc),
    Return(u64),
}

fn wide(frame: &[u32], reg: Reg) -> u64 {
    u64::from(frame[usize::from(reg)]) | u64::from(frame[usize::from(reg) + 1]) << 32
}

fn set_wide(frame: &mut [u32], reg: Reg, value: u64) {
    frame[usize::from(reg)] = value as u32;
    frame[usize::from(reg) + 1] = (value >> 32) as u32;
}

fn narrow(value: i32, kind: Narrow) -> i32 {
    match kind {
        Narrow::Boolean => value & 1,
        Narrow::Byte => i32::from(value as i8),
        Narrow::Char => i32::from(value as u16),
        Narrow::Short => i32::from(value as i16),
    }
}

fn select(table: &Switch, key: i32) -> Pc {
    match table {
        Switch::Table { low, targets, default } => {
            let index = i64::from(key) - i64::from(*low);
            usize::try_from(index)
                .ok()
                .and_then(|index| targets.get(index))
                .copied()
                .unwrap_or(*default)
        }
        Switch::Lookup { keys, targets, default } => keys.binary_search(&key).map_or(*default, |at| targets[at]),
    }
}

/// The static methods of a class that take two ints and give a long.
pub fn entries(file: &ClassFile) -> Vec<String> {
    let wanted = |method: &&program::classfile::MethodInfo| {
        method.flags & flags::STATIC != 0 && file.pool.text(method.descriptor) == "(II)J"
    };
    file.methods
        .iter()
        .filter(wanted)
        .map(|method| file.pool.text(method.name).to_owned())
        .collect()
}
