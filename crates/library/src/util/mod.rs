//! `java.util`.

pub(crate) mod checksum;
pub(crate) mod deflater;
pub(crate) mod inflate;
pub(crate) mod inflater;
pub(crate) mod zone;
