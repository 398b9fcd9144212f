# Raddle: two commands for newcomers, a few for those who work on it.

.PHONY: demo test bench bless fmt

# Build, then run a small program with threads on your JDK.
demo: jdk
	@cargo build --release --quiet
	@target/release/raddle run examples/Hello.java

# Everything that CI checks.
test: jdk
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	RADDLE_JDK_21="$$(scripts/jdk21.sh)" cargo test --workspace --release --quiet

# The same class files under `raddle run` and `java -Xint`, side by side.
bench: jdk
	@cargo build --release --quiet
	@benches/run.sh

# Take the fixtures' expected output anew from `java`.
bless:
	fixtures/bless.sh

fmt:
	cargo fmt --all

.PHONY: jdk
jdk:
	@scripts/jdk.sh
