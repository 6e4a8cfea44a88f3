# The commands a person types. Each sets up what it needs first; a second run does no set-up again.
SETUP := tests/tooling/setup.sh

.PHONY: help run serve test bench setup setup-run setup-serve setup-test ui

help:
	@echo 'make run                  open the window'
	@echo 'make serve [ARGS="…"]     the REST interface on localhost: roost serve …'
	@echo 'make test                 everything that is checked'
	@echo 'make bench [ONLY=P3]      the figures, as a table and in target/bench.json'
	@echo 'make setup                install what all of these need'

# The development profile: it compiles in half the time of a release, and the heavy crates are optimised in it too.
# The feature puts the built pages into the program; without it the window looks for a development server.
run: setup-run ui
	cargo build --locked --package roost-desktop --features custom-protocol
	tests/tooling/window.sh

serve: setup-serve
	cargo run --locked --package roost-cli --bin roost -- serve $(ARGS)

test:
	tests/tooling/test.sh

# One build of both, so that what they share is compiled once.
bench: setup-serve
	cargo build --locked --release --package roost-cli --package roost-tests --bin roost --bin roost-bench
	target/release/roost-bench $(if $(ONLY),--only $(ONLY))

setup:
	@$(SETUP) all

setup-run setup-serve setup-test:
	@$(SETUP) $(@:setup-%=%)

ui:
	cd ui && npm run --silent build
