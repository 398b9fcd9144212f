//! What comes and goes whole, and is too large to be moved about.

use std::ops::{Deref, DerefMut};

/// Something that comes and goes: it moves faster than what is in it.
#[derive(Default)]
pub(crate) struct Handle<T>(Box<T>);

impl<T> Deref for Handle<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Handle<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
