#!/usr/bin/env bash
# Makes sure that there is a JDK with a compiler: takes one that is there, else installs one from the system's packages.
set -eu
if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/javac" ]; then exit 0; fi
if command -v javac >/dev/null 2>&1; then exit 0; fi
for home in /usr/lib/jvm/*; do [ -x "$home/bin/javac" ] && exit 0; done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "no JDK found: installing one from the system's packages" >&2
  apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq openjdk-17-jdk-headless >/dev/null && exit 0
fi
echo "no JDK found: install one (for example: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME" >&2
exit 1
