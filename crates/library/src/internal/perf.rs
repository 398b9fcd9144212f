//! `jdk.internal.perf.Perf`: counters that nobody reads.

use crate::common::{Entry, jdk_class, nothing, unsupported};
use machine::{Answer, Machine, Outcome};

const PERF: &str = "jdk/internal/perf/Perf";

pub(crate) const METHODS: &[Entry] = &[
    (
        PERF,
        "createLong",
        "(Ljava/lang/String;IIJ)Ljava/nio/ByteBuffer;",
        |m, _| buffer(m, 8),
    ),
    (
        PERF,
        "createByteArray",
        "(Ljava/lang/String;II[BI)Ljava/nio/ByteBuffer;",
        |m, args| {
            let length = args.int(5).clamp(1, 1 << 16);
            buffer(m, length as u32)
        },
    ),
    (PERF, "attach", "(Ljava/lang/String;II)Ljava/nio/ByteBuffer;", |_, _| {
        unsupported("jdk.internal.perf.Perf.attach")
    }),
    (PERF, "attach0", "(I)Ljava/nio/ByteBuffer;", |_, _| {
        unsupported("jdk.internal.perf.Perf.attach")
    }),
    (PERF, "detach", "(Ljava/nio/ByteBuffer;)V", nothing),
    (PERF, "highResCounter", "()J", |m, _| Ok(m.clock().into())),
    (PERF, "highResFrequency", "()J", |_, _| Ok(1_000_000_000i64.into())),
];

/// A buffer in the heap: `ByteBuffer.allocate(size)`.
fn buffer(m: &mut Machine<'_>, size: u32) -> Answer {
    let class = jdk_class(m, "java/nio/ByteBuffer")?;
    match m.program.find_method(class, "allocate", "(I)Ljava/nio/ByteBuffer;") {
        Some(allocate) => Ok(Outcome::Call(allocate, vec![size])),
        None => unsupported("java.nio.ByteBuffer.allocate"),
    }
}
