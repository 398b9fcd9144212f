//! `java.util.TimeZone`: the machine's clock is in UTC.

use crate::common::Entry;
use machine::{Answer, Args, Machine};

const ZONE: &str = "java/util/TimeZone";

pub(crate) const METHODS: &[Entry] = &[
    (
        ZONE,
        "getSystemTimeZoneID",
        "(Ljava/lang/String;)Ljava/lang/String;",
        utc,
    ),
    (ZONE, "getSystemGMTOffsetID", "()Ljava/lang/String;", utc),
];

fn utc(m: &mut Machine<'_>, _: &Args) -> Answer {
    Ok(m.new_string("UTC")?.into())
}
