//! `java.util`.

pub(crate) mod checksum;
pub(crate) mod codes;
pub(crate) mod deflate;
pub(crate) mod deflater;
pub(crate) mod inflate;
pub(crate) mod inflater;
pub(crate) mod trees;
pub(crate) mod zone;
