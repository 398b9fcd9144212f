//! `jdk.internal.platform`: no containers.

use crate::common::{Entry, zero};

const CGROUP: &str = "jdk/internal/platform/CgroupMetrics";

pub(crate) const METHODS: &[Entry] = &[
    (CGROUP, "isUseContainerSupport", "()Z", zero),
    (CGROUP, "isContainerized0", "()Z", zero),
    (CGROUP, "getTotalMemorySize0", "()J", |_, _| Ok((1i64 << 32).into())),
    (CGROUP, "getTotalSwapSize0", "()J", crate::common::zero_wide),
];
