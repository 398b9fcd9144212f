//! Which steps others can see, and what is a variable: what transactions rest on.

use crate::layout::{ESCAPED, HEAP, status, thread};
use crate::machine::Machine;
use crate::native::Touches;
use crate::special;
use kernel::{AccessKind, Location, MemoryAccess};
use program::ir::Instr;
use program::world::{ClassId, ClassKind};

impl Machine<'_> {
    /// Whether the next step of a thread is its first, or may have to wait, or begins to, or is about more than data.
    pub(crate) fn begins_step(&mut self, number: u32) -> bool {
        if self.thread_word(number, thread::STATUS) != status::RUNNABLE || self.thread_word(number, thread::READY) == 0
        {
            return true;
        }
        if self.may_grant(number) || self.is_in_operation(number) {
            return true;
        }
        let Some(next) = self.next_instruction(number) else {
            return true;
        };
        match next.instr {
            Instr::MonitorEnter { .. } => self
                .monitor_wanted(number, next)
                .is_some_and(|object| object < self.memory.image_end() || self.has_flag(object, ESCAPED)),
            Instr::Special { op, .. } if op == special::NATIVE => {
                let bound = self.bind(next.method);
                !bound.is_ok_and(|bound| match bound.touches {
                    Touches::Monitor { access, .. } => access == AccessKind::Release,
                    touches => touches.is_data(),
                })
            }
            Instr::Special { .. } => true,
            _ => false,
        }
    }

    /// Whether a location is a field that is neither final nor volatile, or an element of an array.
    pub(crate) fn is_variable(&mut self, location: Location) -> bool {
        let is_data = location.object >= HEAP && location.cell != Location::MONITOR;
        is_data && self.declared_at(location).is_variable() && !self.is_unprotected(location)
    }

    fn is_array(&self, object: u32) -> bool {
        matches!(self.program.class(self.class_of(object)).kind, ClassKind::Array(_))
    }

    /// What a location is one of many of: the field, or the elements of arrays of a class.
    pub(crate) fn variable_at(&self, location: Location) -> Option<(ClassId, u32)> {
        let object = self.object_at(location)?;
        let cell = if self.is_array(object) { 0 } else { location.cell };
        Some((self.class_of(object), cell))
    }

    /// Appends what a touch is about, a field each.
    pub(crate) fn add_parts(&mut self, touch: MemoryAccess, out: &mut Vec<MemoryAccess>) {
        let Location { object, .. } = touch.location;
        if object < HEAP {
            return out.push(touch);
        }
        for cell in self.cells_touched(touch) {
            let location = Location { object, cell };
            out.push(MemoryAccess { location, ..touch });
        }
    }

    /// The field, or the class of the array or the lock, that a location is.
    pub(crate) fn describe_location(&self, location: Location) -> String {
        let Some(object) = self.object_at(location) else {
            return String::new();
        };
        let class = self.class_of(object);
        if location.cell == Location::MONITOR {
            return self.program.class(class).external_name();
        }
        let variable = self.variable_at(location);
        variable.map_or_else(String::new, |variable| self.variable_name(variable))
    }

    /// The name of a field, or of what the elements of arrays are called.
    pub fn variable_name(&self, (class, cell): (ClassId, u32)) -> String {
        let described = self.program.class(class);
        match self.field_at(class, cell) {
            _ if described.is_array() => format!("elements of {}", described.external_name()),
            Some((of, name)) => format!("{}.{name}", self.program.class(of).external_name()),
            None => described.external_name(),
        }
    }

    /// The class that declares the field in a cell, and its name.
    pub(crate) fn field_at(&self, class: ClassId, cell: u32) -> Option<(ClassId, &str)> {
        let mut fields = self.program.fields_of(class);
        let (declaring, field) = fields.find(|(_, field)| field.offset == cell)?;
        Some((declaring.id, self.program.text(field.name)))
    }

    /// Where a thread stands, as a number.
    pub(crate) fn spot(&self, number: u32) -> u64 {
        match self.top_frame(number) {
            0 => 0,
            fp => {
                let (method, pc, _) = self.frame_at(fp);
                u64::from(method.0) << 32 | u64::from(pc)
            }
        }
    }
}
