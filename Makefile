# Raddle: two commands for newcomers, a few for those who work on it.

.PHONY: demo test bench bench-check bless bless-check fmt

# Build, then check a small program that deadlocks, and its mended version.
demo: jdk
	@cargo build --release --quiet
	@target/release/raddle check examples/Bank.java || [ $$? = 1 ]
	@echo
	@target/release/raddle check examples/BankFixed.java

# Everything that CI checks.
test: jdk
	@scripts/chromium.sh
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet --document-private-items
	RADDLE_JDK_21="$$(scripts/jdk21.sh)" cargo test --workspace --profile checked --quiet

# The same class files under `raddle run` and `java -Xint`, side by side.
bench: jdk
	@cargo build --release --quiet
	@benches/run.sh

# States a second and bytes a state of `raddle check`; the largest has over ten million states.
bench-check: jdk
	@cargo build --release --quiet
	@benches/check.sh

# Take the fixtures' expected output anew from `java`.
bless:
	fixtures/bless.sh

# Take the numbers of states of the programs under fixtures/check anew, into fixtures/states.txt; says which ones change, and by how much.
# RADDLE_CHECK=Name,Name takes only those of these programs.
bless-check: jdk
	RADDLE_BLESS=1 cargo test --profile checked --quiet -p raddle --test check -- --nocapture every_program_has_its_verdict

fmt:
	cargo fmt --all

.PHONY: jdk
jdk:
	@scripts/jdk.sh
