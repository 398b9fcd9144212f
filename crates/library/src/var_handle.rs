//! `java.lang.invoke.VarHandle`: its methods are the machine's own; only reflection calls them by their descriptors.

use crate::common::Entry;
use machine::{Answer, Args, Machine, raise};

macro_rules! accesses {
    ($($descriptor:literal: $($name:literal)*;)*) => {
        &[$($(("java/lang/invoke/VarHandle", $name, concat!("([Ljava/lang/Object;)", $descriptor), access)),*),*]
    };
}

pub(crate) const METHODS: &[Entry] = accesses!(
    "V": "set" "setVolatile" "setOpaque" "setRelease";
    "Z": "compareAndSet" "weakCompareAndSetPlain" "weakCompareAndSet" "weakCompareAndSetAcquire"
        "weakCompareAndSetRelease";
    "Ljava/lang/Object;": "get" "getVolatile" "getOpaque" "getAcquire" "compareAndExchange"
        "compareAndExchangeAcquire" "compareAndExchangeRelease" "getAndSet" "getAndSetAcquire" "getAndSetRelease"
        "getAndAdd" "getAndAddAcquire" "getAndAddRelease" "getAndBitwiseOr" "getAndBitwiseOrAcquire"
        "getAndBitwiseOrRelease" "getAndBitwiseAnd" "getAndBitwiseAndAcquire" "getAndBitwiseAndRelease"
        "getAndBitwiseXor" "getAndBitwiseXorAcquire" "getAndBitwiseXorRelease";
);

fn access(_: &mut Machine<'_>, _: &Args) -> Answer {
    let message = "VarHandle access mode methods cannot be invoked reflectively";
    raise("java/lang/UnsupportedOperationException", message)
}
