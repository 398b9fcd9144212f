//! Which cells of objects a native method accesses, by its arguments: fields, elements, ranges of bytes.

use crate::layout::frame;
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Touches;
use kernel::{AccessKind, Location};
use program::world::{ARRAY_HEADER_WORDS, ClassKind, HEADER_WORDS};
use std::ops::Range;

/// Cells of one object, in a row; of the whole object, [`Location::WHOLE`] alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub object: Address,
    pub cells: Range<u32>,
    pub access: AccessKind,
}

/// More cells than these are taken for the whole object in a footprint.
const FEW: usize = 8;

impl Extent {
    fn whole(object: Address, access: AccessKind) -> Extent {
        Extent {
            object,
            cells: Location::WHOLE..Location::WHOLE + 1,
            access,
        }
    }

    /// The locations of a footprint that cover it.
    pub(crate) fn locations(&self) -> impl Iterator<Item = Location> {
        let cells = match self.cells.len() > FEW {
            true => Location::WHOLE..Location::WHOLE + 1,
            false => self.cells.clone(),
        };
        let object = self.object;
        cells.map(move |cell| Location { object, cell })
    }
}

impl Machine<'_> {
    /// Appends the cells that a native method in this frame accesses; none where it raises an exception instead. `false`: what it
    /// touches is not just cells of objects.
    pub(crate) fn add_extents(&mut self, fp: Address, touches: Touches, out: &mut Vec<Extent>) -> bool {
        let register = |machine: &Self, position: u32| machine.memory.load(fp + frame::REGISTERS + position);
        let extent = match touches {
            Touches::Nothing => None,
            Touches::Several(all) => return all.iter().all(|&one| self.add_extents(fp, one, out)),
            Touches::Object { object, access } => {
                Some(register(self, object)).map(|object| Extent::whole(object, access))
            }
            Touches::Field {
                object,
                class,
                field,
                access,
            } => {
                let (object, cell) = (register(self, object), self.offset(class, field));
                Some(Extent {
                    object,
                    cells: cell..cell + 1,
                    access,
                })
            }
            Touches::Behind {
                object,
                class,
                field,
                access,
            } => {
                let (object, cell) = (register(self, object), self.offset(class, field));
                let behind = if object == 0 {
                    0
                } else {
                    self.memory.load(object + cell)
                };
                Some(Extent::whole(behind, access))
            }
            Touches::Element { array, index, access } => {
                let (array, first) = (register(self, array), register(self, index));
                self.elements_at(array, first, 1, access)
            }
            Touches::Elements {
                array,
                first,
                count,
                access,
            } => {
                let (array, first) = (register(self, array), register(self, first));
                self.elements_at(array, first, register(self, count), access)
            }
            Touches::Bytes {
                object,
                offset,
                length,
                access,
            } => {
                let (object, wide) = (register(self, object), |at: u32| {
                    self.memory.load_wide(fp + frame::REGISTERS + at)
                });
                if object == 0 {
                    return false;
                }
                let cells = self.cells_over(object, wide(offset), wide(length));
                Some(Extent { object, cells, access })
            }
            Touches::Copy => {
                self.add_copied(fp, out);
                None
            }
            Touches::Pointees { array, access } => {
                let array = register(self, array);
                if array != 0 {
                    out.push(Extent::whole(array, AccessKind::Read));
                    self.references_of(array, |object| out.push(Extent::whole(object, access)));
                    out.retain(|extent| extent.object != 0);
                }
                None
            }
            _ => return false,
        };
        out.extend(extent.filter(|extent| extent.object != 0 && !extent.cells.is_empty()));
        true
    }

    /// Elements of an array, if all of them are there.
    fn elements_at(&self, array: Address, first: u32, count: u32, access: AccessKind) -> Option<Extent> {
        let is_array = array != 0 && self.program.class(self.class_of(array)).is_array();
        let end = first.checked_add(count)?;
        (is_array && end <= self.array_length(array)).then(|| Extent {
            object: array,
            cells: ARRAY_HEADER_WORDS + first..ARRAY_HEADER_WORDS + end,
            access,
        })
    }

    /// The cells of an object that have some of these bytes; none if they are not all in it.
    pub(crate) fn cells_over(&self, object: Address, offset: u64, bytes: u64) -> Range<u32> {
        let described = self.program.class(self.class_of(object));
        let header = match described.is_array() {
            true => ARRAY_HEADER_WORDS,
            false => HEADER_WORDS,
        };
        let Some(end) = offset.checked_add(bytes) else {
            return 0..0;
        };
        let is_inside = offset >= u64::from(header) * 4 && end <= u64::from(self.object_words(object)) * 4;
        if bytes == 0 || !is_inside {
            return 0..0;
        }
        let (first, last) = (offset as u32, (end - 1) as u32);
        if described.is_array() {
            let cell = |at: u32| header + ((at - header * 4) >> described.element_shift);
            return cell(first)..cell(last) + 1;
        }
        // A long or double has the cell of its lower word.
        let is_upper = |word: u32| described.wides.binary_search(&word.wrapping_sub(1)).is_ok();
        first / 4 - u32::from(is_upper(first / 4))..last / 4 + 1
    }

    /// What `System.arraycopy` reads and writes: nothing, if an argument is wrong; elements up to the first that does not fit.
    fn add_copied(&self, fp: Address, out: &mut Vec<Extent>) {
        let [source, from, target, to, length] =
            std::array::from_fn(|position| self.memory.load(fp + frame::REGISTERS + position as u32));
        if source == 0 || target == 0 {
            return;
        }
        let element = |array: Address| match self.program.class(self.class_of(array)).kind {
            ClassKind::Array(element) => Some(element),
            _ => None,
        };
        let (Some(given), Some(wanted)) = (element(source), element(target)) else {
            return;
        };
        let is_primitive = |of| self.program.class(of).is_primitive();
        if given != wanted && (is_primitive(given) || is_primitive(wanted)) {
            return;
        }
        let (mut read, mut written) = (length, length);
        let (Some(_), Some(_)) = (
            self.elements_at(source, from, length, AccessKind::Read),
            self.elements_at(target, to, length, AccessKind::Write),
        ) else {
            return;
        };
        if given != wanted && !self.program.is_subclass(given, wanted) {
            let fits = |&index: &u32| {
                let object = self.element(source, from + index);
                object == 0 || self.program.is_subclass(self.class_of(object), wanted)
            };
            let fitting = (0..length).take_while(fits).count() as u32;
            (read, written) = (length.min(fitting + 1), fitting);
        }
        out.extend(self.elements_at(source, from, read, AccessKind::Read));
        out.extend(self.elements_at(target, to, written, AccessKind::Write));
        out.retain(|extent| !extent.cells.is_empty());
    }

    /// The same for the native method that a thread is about to execute; `None` if it is about more than cells of objects.
    pub(crate) fn next_extents(&mut self, number: u32) -> Option<Vec<Extent>> {
        let next = self.next_instruction(number)?;
        let touches = self.bind(next.method).ok()?.touches;
        let mut extents = Vec::new();
        self.add_extents(next.fp, touches, &mut extents).then_some(extents)
    }
}
