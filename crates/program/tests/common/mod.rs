//! What the tests of lowering share.
#![allow(dead_code)] // each test file uses its part

pub mod assembler;
pub mod interpreter;

use program::classfile::{ClassFile, flags};
use program::ir::{Code, Instr, Pc, Reg, RegisterKind};
use program::lower::Rules;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The rules for the JDK's own classes.
pub struct Trusting;

impl Rules for Trusting {
    fn assignable(&self, _from: &str, _to: &str) -> Result<bool, String> {
        Ok(true)
    }

    fn trusted(&self) -> bool {
        true
    }
}

/// The rules for classes whose superclasses are known: name to superclass and whether it is an interface.
#[derive(Default)]
pub struct Hierarchy(pub HashMap<String, (String, bool)>);

impl Hierarchy {
    pub fn add(&mut self, file: &ClassFile) {
        let name = |index| file.pool.class_name(index).to_owned();
        let is_interface = file.flags & flags::INTERFACE != 0;
        self.0
            .insert(name(file.this_class), (name(file.super_class), is_interface));
    }

    fn get(&self, name: &str) -> Result<&(String, bool), String> {
        self.0.get(name).ok_or_else(|| format!("no class {name}"))
    }
}

impl Rules for Hierarchy {
    fn assignable(&self, from: &str, to: &str) -> Result<bool, String> {
        if self.get(to)?.1 {
            return Ok(true);
        }
        let mut class = from;
        while !class.is_empty() {
            if class == to {
                return Ok(true);
            }
            class = &self.get(class)?.0;
        }
        Ok(false)
    }

    fn trusted(&self) -> bool {
        false
    }
}

/// The runtime images of the JDKs that are installed here.
pub fn images() -> Vec<PathBuf> {
    let homes = [
        "/usr/lib/jvm/java-17-openjdk-amd64",
        "/usr/lib/jvm/temurin-25-jdk-amd64",
    ];
    homes
        .iter()
        .map(|home| Path::new(home).join("lib/modules"))
        .filter(|path| path.exists())
        .collect()
}

/// A folder that is removed in the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("raddle-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a source file; `None`, with a message, if there is no `javac`.
pub fn compile(folder: &Folder, name: &str, source: &str) -> Option<HashMap<String, ClassFile>> {
    let path = folder.0.join(name);
    std::fs::write(&path, source).expect("a source file");
    let output = match Command::new("javac")
        .arg("-g")
        .arg("-d")
        .arg(&folder.0)
        .arg(&path)
        .output()
    {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: no javac ({error})");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut files = HashMap::new();
    for entry in std::fs::read_dir(&folder.0).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "class") {
            let bytes = std::fs::read(&path).expect("a class file");
            let file = ClassFile::parse(bytes.into()).expect("a class");
            files.insert(file.pool.class_name(file.this_class).to_owned(), file);
        }
    }
    Some(files)
}

/// Fails unless the code is well formed: jumps and handlers stay inside, nothing falls off the end, every register is
/// used as what it is, and whatever is read has been written on every way there.
pub fn check_form(name: &str, code: &Code) {
    let length = code.instrs.len() as Pc;
    assert_eq!(code.bcis.len(), code.instrs.len(), "{name}");
    assert!(
        code.instrs.last().is_some_and(|last| !last.falls_through()),
        "{name}: falls off the end"
    );
    let mut next = 0;
    for register in &code.registers {
        assert_eq!(register.reg, next, "{name}: registers have gaps");
        next += if register.kind == RegisterKind::Wide { 2 } else { 1 };
    }
    assert_eq!(next, code.frame_words, "{name}");
    for (pc, instr) in code.instrs.iter().enumerate() {
        instr.targets(code, |target| assert!(target < length, "{name}: {pc} jumps outside"));
        check_kinds(name, code, pc, instr);
    }
    for handler in &code.handlers {
        assert!(
            handler.start < handler.end && handler.end <= length && handler.target < length,
            "{name}: {handler:?}"
        );
        assert_eq!(kind(code, handler.reg), Some(RegisterKind::Ref), "{name}: {handler:?}");
    }
    for (position, register) in code.registers.iter().enumerate() {
        let parameter = register.reg < code.parameter_words;
        let live = code.liveness().is_live(0, position);
        assert!(
            parameter || !live,
            "{name}: v{} is read before it is written",
            register.reg
        );
    }
}

fn kind(code: &Code, reg: Reg) -> Option<RegisterKind> {
    let at = code
        .registers
        .binary_search_by_key(&reg, |register| register.reg)
        .ok()?;
    Some(code.registers[at].kind)
}

fn check_kinds(name: &str, code: &Code, pc: usize, instr: &Instr) {
    use Instr::*;
    use RegisterKind::{Ref, Wide, Word};
    let known = |reg: Reg| kind(code, reg).unwrap_or_else(|| panic!("{name}: {pc} {instr:?}: v{reg} is no register"));
    let expect = |wanted: &[(Reg, RegisterKind)]| {
        for &(reg, kind) in wanted {
            assert_eq!(known(reg), kind, "{name}: {pc} {instr:?}: v{reg}");
        }
    };
    instr.uses(code, |reg| {
        known(reg);
    });
    if let Some(reg) = instr.def(code) {
        known(reg);
    }
    match *instr {
        Move { d, s } => assert!(known(d) == known(s) && known(d) != Wide, "{name}: {pc} {instr:?}"),
        MoveWide { d, s } => expect(&[(d, Wide), (s, Wide)]),
        Const { d, value } => assert!(
            known(d) == Word || known(d) == Ref && value == 0,
            "{name}: {pc} {instr:?}"
        ),
        ConstWide { d, .. } | GetStaticWide { d, .. } => expect(&[(d, Wide)]),
        AddI { d, a, b }
        | SubI { d, a, b }
        | AndI { d, a, b }
        | DivI { d, a, b }
        | AddF { d, a, b }
        | ShlI { d, a, b } => expect(&[(d, Word), (a, Word), (b, Word)]),
        AddL { d, a, b } | SubL { d, a, b } | AndL { d, a, b } | DivL { d, a, b } | AddD { d, a, b } => {
            expect(&[(d, Wide), (a, Wide), (b, Wide)])
        }
        ShlL { d, a, b } | ShrL { d, a, b } => expect(&[(d, Wide), (a, Wide), (b, Word)]),
        CmpL { d, a, b } | CmpD { d, a, b, .. } => expect(&[(d, Word), (a, Wide), (b, Wide)]),
        AddImm { d, a, .. } | AndImm { d, a, .. } | IntToNarrow { d, a, .. } => expect(&[(d, Word), (a, Word)]),
        AddLImm { d, a, .. } | AndLImm { d, a, .. } | ShlLImm { d, a, .. } => expect(&[(d, Wide), (a, Wide)]),
        IntToLong { d, a } | FloatToDouble { d, a } => expect(&[(d, Wide), (a, Word)]),
        LongToInt { d, a } | DoubleToFloat { d, a } => expect(&[(d, Word), (a, Wide)]),
        IfEq { a, b, .. } | IfNe { a, b, .. } => {
            assert!(known(a) == known(b) && known(a) != Wide, "{name}: {pc} {instr:?}")
        }
        IfLt { a, b, .. } | IfGe { a, b, .. } => expect(&[(a, Word), (b, Word)]),
        IfLtImm { a, .. } | IfGeImm { a, .. } | Switch { a, .. } => expect(&[(a, Word)]),
        IfEqL { a, b, .. } | IfLtL { a, b, .. } => expect(&[(a, Wide), (b, Wide)]),
        GetField { o, .. } | PutField { o, .. } | CheckCast { o, .. } | MonitorEnter { o } | MonitorExit { o } => {
            expect(&[(o, Ref)])
        }
        GetFieldWide { d, o, .. } => expect(&[(d, Wide), (o, Ref)]),
        PutFieldWide { o, s, .. } => expect(&[(o, Ref), (s, Wide)]),
        GetFieldNarrow { d, o, .. } | InstanceOf { d, o, .. } | ArrayLength { d, o } => expect(&[(d, Word), (o, Ref)]),
        ArrayGet { o, i, .. } | ArrayPut { o, i, .. } => expect(&[(o, Ref), (i, Word)]),
        ArrayGetWide { d, o, i } => expect(&[(d, Wide), (o, Ref), (i, Word)]),
        ArrayPutRef { o, i, s } => expect(&[(o, Ref), (i, Word), (s, Ref)]),
        New { d, .. } => expect(&[(d, Ref)]),
        NewArray { d, len, .. } => expect(&[(d, Ref), (len, Word)]),
        ReturnWide { s } => expect(&[(s, Wide)]),
        Throw { s } => expect(&[(s, Ref)]),
        _ => {}
    }
}
