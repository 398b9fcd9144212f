//! `java.io.RandomAccessFile`, for reading.

use super::{descriptor, open, streams};
use crate::common::{Entry, non_null, unsupported};
use machine::{Args, Machine, Outcome, raise};

const FILE: &str = "java/io/RandomAccessFile";

/// The mode of a file that is only read.
const READ_ONLY: u32 = 1;

pub(crate) const METHODS: &[Entry] = &[
    (FILE, "open0", "(Ljava/lang/String;I)V", |m, args| {
        if args.word(2) & READ_ONLY == 0 {
            let path = m.text(non_null(args.word(1))?);
            return unsupported(format!("writing the file {path}"));
        }
        let fd = m.get(args.word(0), FILE, "fd");
        streams::open_for_reading(m, fd, args.word(1))
    }),
    (FILE, "read0", "()I", |m, args| {
        let fd = this_file(m, args);
        streams::read_one(m, fd)
    }),
    (FILE, "readBytes", "([BII)I", |m, args| {
        let fd = this_file(m, args);
        streams::read_bytes(m, fd, args)
    }),
    (FILE, "readBytes0", "([BII)I", |m, args| {
        let fd = this_file(m, args);
        streams::read_bytes(m, fd, args)
    }),
    (FILE, "length", "()J", |m, args| {
        let fd = this_file(m, args);
        streams::length(m, fd)
    }),
    (FILE, "length0", "()J", |m, args| {
        let fd = this_file(m, args);
        streams::length(m, fd)
    }),
    (FILE, "getFilePointer", "()J", |m, args| {
        let fd = this_file(m, args);
        if !open::is_open(m, fd) {
            return streams::closed();
        }
        Ok(open::position(m, fd).into())
    }),
    (FILE, "seek0", "(J)V", |m, args| {
        let fd = this_file(m, args);
        if !open::is_open(m, fd) {
            return streams::closed();
        }
        let to = args.wide(1);
        if (to as i64) < 0 {
            return raise("java/io/IOException", "Negative seek offset");
        }
        open::set_position(m, fd, to);
        Ok(Outcome::Void)
    }),
    (FILE, "setLength", "(J)V", |_, _| {
        unsupported("java.io.RandomAccessFile.setLength")
    }),
    (FILE, "setLength0", "(J)V", |_, _| {
        unsupported("java.io.RandomAccessFile.setLength")
    }),
    (FILE, "write0", "(I)V", |_, _| {
        unsupported("java.io.RandomAccessFile.write")
    }),
    (FILE, "writeBytes", "([BII)V", |_, _| {
        unsupported("java.io.RandomAccessFile.write")
    }),
    (FILE, "writeBytes0", "([BII)V", |_, _| {
        unsupported("java.io.RandomAccessFile.write")
    }),
];

fn this_file(m: &mut Machine<'_>, args: &Args) -> i32 {
    let fd = m.get(args.word(0), FILE, "fd");
    descriptor::number(m, fd)
}
