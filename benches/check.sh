#!/usr/bin/env bash
# What `raddle check` does in a second and what a state costs: a bounded buffer with three movers, in two sizes, and
# a toy with two threads. One core each; the time includes the JDK's start-up.
set -eu
cd "$(dirname "$0")/.."
classes=target/bench-check
mkdir -p "$classes"
javac -g -nowarn -d "$classes" benches/check/*.java
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# field NAME: a number of the last report.
field() {
    sed -n "s/^  \"$1\": \([0-9.e+-]*\),\{0,1\}$/\1/p" "$report"
}

measure() {
    target/release/raddle check --reduce base --quiet --json "$report" -cp "$classes" "$@" >/dev/null || true
    awk -v name="$*" -v states="$(field states)" -v steps="$(field transitions)" -v seconds="$(field seconds)" \
        -v bytes="$(field bytes_per_state)" \
        'BEGIN { printf "%-16s %10d states %11d steps %7.2f s %9d states/s %6.1f bytes a state\n", name, states, steps, seconds, states / seconds, bytes }'
}

measure Toy
measure Movers 2 2
measure Movers 6 6
[ "${1:-}" = quick ] || measure Movers 48 48
