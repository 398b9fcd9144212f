//! What may be accessed by offset: `Unsafe` and what is built on it.
//!
//! No such access makes a reference of a number or a number of a reference, none reaches a word that only the machine knows, and no
//! reference is stored where the code that reads it expects an object of another class: code that was verified reads fields without
//! looking at the object. The program itself, through `sun.misc.Unsafe`, gets no further into the objects of the JDK's own classes than
//! to numbers that it reads, because the machine and its native methods trust what these hold. A JVM would go on, to an undefined end;
//! here all of that is unsupported.

use crate::layout::frame;
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use program::descriptor::Kind;
use program::world::{ClassId, ClassKind, LoaderId, MethodId, Program};

/// What a word of an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The machine's own.
    Hidden,
    /// A number, or a part of one.
    Number(Declarer),
    /// A reference.
    Reference(Declarer),
}

/// Whose class declares a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declarer {
    /// The JDK's.
    Jdk,
    /// The program's.
    Program,
}

impl Machine<'_> {
    /// Whether bytes of an object may be read, or written, as numbers. They lie in it.
    pub fn check_bytes(&mut self, object: Address, offset: usize, size: usize, writes: bool) -> Result<(), Trap> {
        let class = self.class_of(object);
        if let ClassKind::Array(element) = self.program.class(class).kind {
            if size > 0 && !self.program.class(element).is_primitive() {
                return self.refuse_access(class, "a reference as a number");
            }
            return Ok(());
        }
        for word in offset / 4..(offset + size).div_ceil(4) {
            match self.facts.slot(self.program, class, word) {
                Slot::Number(Declarer::Jdk) if writes && self.asks_program() => {
                    return self.refuse_access(class, "what belongs to the JDK");
                }
                Slot::Number(_) => {}
                Slot::Reference(_) => return self.refuse_access(class, "a reference as a number"),
                Slot::Hidden => return self.refuse_access(class, "no field"),
            }
        }
        Ok(())
    }

    /// Whether a word of an object may be read as a reference, and this one be written there. It lies in the object.
    pub fn check_reference(&mut self, object: Address, offset: usize, value: Address) -> Result<(), Trap> {
        let class = self.class_of(object);
        if !offset.is_multiple_of(4) {
            return self.refuse_access(class, "a part of a reference");
        }
        let slot = match self.program.class(class).kind {
            ClassKind::Array(element) if self.program.class(element).is_primitive() => Slot::Number(Declarer::Program),
            ClassKind::Array(_) => Slot::Reference(Declarer::Program),
            _ => self.facts.slot(self.program, class, offset / 4),
        };
        match slot {
            Slot::Reference(Declarer::Jdk) if self.asks_program() => {
                return self.refuse_access(class, "what belongs to the JDK");
            }
            Slot::Reference(_) => {}
            Slot::Number(_) => return self.refuse_access(class, "a number as a reference"),
            Slot::Hidden => return self.refuse_access(class, "no field"),
        }
        if value == 0 {
            return Ok(());
        }
        let stored = self.class_of(value);
        if !self.facts.is_storable(self.program, class, offset as u32 / 4, stored) {
            let name = self.program.class(stored).external_name();
            return self.refuse_access(class, &format!("a reference of another type than {name}"));
        }
        Ok(())
    }

    #[cold]
    fn refuse_access(&self, class: ClassId, what: &str) -> Result<(), Trap> {
        let name = self.program.class(class).external_name();
        Err(Trap::Unsupported(format!("an Unsafe access to {what} in {name}")))
    }

    /// Whether it is the program that called the native method at hand, a method of the JDK's `Unsafe`, and not the JDK itself.
    fn asks_program(&self) -> bool {
        let mut at = self.fp();
        while at != 0 {
            let method = self.program.method(MethodId(self.memory.load(at + frame::METHOD)));
            match &*self.program.class(method.class).name {
                "jdk/internal/misc/Unsafe" => at = self.memory.load(at + frame::CALLER),
                name => return name == "sun/misc/Unsafe",
            }
        }
        false
    }
}

/// What the words of the objects of a class are.
pub(crate) fn find_slots(program: &Program, class: ClassId) -> Box<[Slot]> {
    let mut slots = vec![Slot::Hidden; program.class(class).words as usize];
    for (declaring, field) in program.fields_of(class) {
        let is_wide = matches!(field.kind, Kind::Long | Kind::Double);
        let declarer = match declaring.loader < LoaderId::APP {
            true => Declarer::Jdk,
            false => Declarer::Program,
        };
        for word in field.offset..field.offset + 1 + u32::from(is_wide) {
            if let Some(slot) = slots.get_mut(word as usize).filter(|_| field.index != u16::MAX) {
                *slot = match field.kind {
                    Kind::Reference => Slot::Reference(declarer),
                    _ => Slot::Number(declarer),
                };
            }
        }
    }
    slots.into()
}

/// Whether code that reads a word of an object, or an element of an array, may find an object of this class there.
pub(crate) fn fits(program: &Program, class: ClassId, word: u32, stored: ClassId) -> bool {
    match program.class(class).element() {
        Some(element) => program.class(element).is_interface() || program.is_subclass(stored, element),
        None => fits_field(program, class, word, stored),
    }
}

/// Whether code that reads a field may find an object of this class there. For an interface that is any object.
fn fits_field(program: &Program, class: ClassId, word: u32, stored: ClassId) -> bool {
    let mut fields = program.fields_of(class);
    let Some((declaring, field)) = fields.find(|(_, field)| field.offset == word) else {
        return false;
    };
    let (loader, descriptor) = (declaring.loader, field.descriptor);
    let descriptor = program.text(descriptor).clone();
    let name = match descriptor.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')) {
        Some(name) => name,
        None => &*descriptor,
    };
    if name == "java/lang/Object" {
        return true;
    }
    let wanted = match loader.is_builtin() {
        true => program.load(loader, name).ok(),
        false => program.loaded(loader, name),
    };
    match wanted {
        Some(wanted) => program.class(wanted).is_interface() || program.is_subclass(stored, wanted),
        // A loader of the program's own that was not asked yet: what it will say goes by the name.
        None => program.class(stored).supers.iter().any(|&above| {
            let above = program.class(above);
            *above.name == *name && (above.loader == loader || above.loader.is_builtin())
        }),
    }
}
