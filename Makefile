# The commands a person types. Each sets up what it needs first; a second run does no set-up again.
SETUP := tests/tooling/setup.sh

.PHONY: help run serve test bench fuzz soak screenshots setup setup-run setup-serve setup-test setup-bench setup-peers ui

help:
	@echo 'make run                  open the window'
	@echo 'make serve [ARGS="…"]     the REST interface on localhost: roost serve …'
	@echo 'make test                 everything that is checked'
	@echo 'make bench [ONLY=P3,P5]   the figures, as a table and in target/bench.json'
	@echo 'make fuzz [SECONDS=600]  random files for every reader; needs a nightly toolchain'
	@echo 'make soak [CASES=5000000] [SEEDS=2000]  the properties of working offline, for hours; SEED=7 tries one alone'
	@echo 'make screenshots          a picture of every screen, in target/screenshots'
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

# One build of both, so that what they share is compiled once. The window is built for its own figures only.
comma := ,
WINDOW_BENCH := $(filter P6 P11,$(or $(subst $(comma), ,$(ONLY)),P11))
PEERS_BENCH := $(filter PEERS,$(or $(subst $(comma), ,$(ONLY)),PEERS))
bench: setup-bench $(if $(PEERS_BENCH),setup-peers) $(if $(WINDOW_BENCH),ui)
	cargo build --locked --release --package roost-cli --package roost-tests --bin roost --bin roost-bench
	$(if $(WINDOW_BENCH),cargo build --locked --release --package roost-desktop --features custom-protocol --bins --examples)
	target/release/roost-bench $(if $(ONLY),--only $(ONLY))

# What `make test` does in seconds with the same damaged files each time, for as long as one likes and led by the code.
SECONDS ?= 60
fuzz: setup-serve
	tests/tooling/fuzz.sh $(SECONDS) $(READERS)

# What `make test` tries with few worlds, with as many as one has time for.
CASES ?= 5000000
SEEDS ?= 2000
soak: setup-serve
	tests/tooling/soak.sh $(CASES) $(SEEDS) $(SEED)

# From what `make test` builds and needs: the server in a browser, the window on a screen that nobody sees.
screenshots: setup-test ui
	cargo build --locked --workspace --features xtask/codegen,roost-desktop/custom-protocol --bins
	node tests/tooling/screenshots/main.mjs

setup:
	@$(SETUP) all

setup-run setup-serve setup-test setup-bench setup-peers:
	@$(SETUP) $(@:setup-%=%)

ui:
	cd ui && npm run --silent build
