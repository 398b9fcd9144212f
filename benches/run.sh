#!/usr/bin/env bash
# Runs each program of benches/java under `raddle run` and `java -Xint`, the same class files, turn by turn, and prints the
# best of three and the ratio: above 1, Raddle is the faster.
set -eu
cd "$(dirname "$0")/.."
jdk=${JDK:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}
classes=target/benches
mkdir -p "$classes"
"$jdk/bin/javac" -g -nowarn -d "$classes" benches/java/*.java
raddle=target/release/raddle
now() { date +%s%N; }
once() { local start; start=$(now); "$@" >/dev/null 2>&1; echo $((($(now) - start) / 1000000)); }
best() { local a=$1; shift; for b in "$@"; do [ "$b" -lt "$a" ] && a=$b; done; echo "$a"; }
printf '%-14s %10s %12s %8s\n' program raddle 'java -Xint' ratio
log=0; count=0
for source in ${@:-benches/java/*.java}; do
  name=$(basename "$source" .java)
  want=$("$jdk/bin/java" -Xint -cp "$classes" "$name"); got=$($raddle run --jdk "$jdk" -cp "$classes" "$name" || true)
  [ "$want" = "$got" ] || { printf '%-14s prints something else than java\n' "$name"; continue; }
  ours=(); theirs=()
  for _ in 1 2 3; do
    ours+=("$(once $raddle run --jdk "$jdk" -cp "$classes" "$name")")
    theirs+=("$(once "$jdk/bin/java" -Xint -cp "$classes" "$name")")
  done
  a=$(best "${ours[@]}"); b=$(best "${theirs[@]}")
  printf '%-14s %7d ms %9d ms %8s\n' "$name" "$a" "$b" "$(echo "scale=2; $b / $a" | bc)"
  log=$(echo "$log + l($b / $a)" | bc -l); count=$((count + 1))
done
printf '%-14s %32s %8.2f\n' 'geometric mean' '' "$(echo "e($log / $count)" | bc -l)"
