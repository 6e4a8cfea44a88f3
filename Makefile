# The commands a person types. Each sets up what it needs first; a second run does no set-up again. `make help` lists them.
SETUP := tests/tooling/setup.sh
.NOTPARALLEL:

.PHONY: help run serve dev check codegen test test-rust test-ui test-e2e test-window test-corpus audit bench fuzz soak screenshots \
	dist ui programs setup setup-run setup-serve setup-dev setup-check setup-ui setup-test setup-bench setup-peers setup-audit

help:
	@echo 'Use'
	@echo '  make run                      open the window'
	@echo '  make serve [ARGS="…"]         start the emulator: the REST interface on localhost'
	@echo 'Change'
	@echo '  make dev                      window, pages with hot reload, and a server beside them'
	@echo '  make check [SINCE=REV]        format, lints, types and unit tests of what changed since a commit (HEAD)'
	@echo '  make codegen                  write the types of the commands for the pages'
	@echo 'Test'
	@echo '  make test [ALL=1]             everything that is checked before a change lands; ALL: also what did not change since it passed'
	@echo '  make test-rust [P=ops] [T=…]  Rust tests of one crate (or "it" for those in tests), or those whose name contains T'
	@echo '  make test-ui [T=…]            unit tests, lints and types of the pages'
	@echo '  make test-e2e [SPEC=import]   journeys in the browser'
	@echo '  make test-window [SPEC=sync]  journeys in the real window'
	@echo '  make test-corpus              files that other programs wrote, imported by command line and console'
	@echo 'Now and then'
	@echo '  make audit                    security advisories, licences, bans and sources, by cargo-deny'
	@echo '  make bench [ONLY=P3,P5] [ROUNDS=3] [KEEP=0.1.0]  the figures, as a table and a page of charts; KEEP keeps those of a release'
	@echo '  make fuzz [SECONDS=600]       random bytes for every reader and the server; needs a nightly toolchain'
	@echo '  make soak [CASES=5000000] [SEEDS=2000] [ROWS=1000000] [MINUTES=60] [KEEP=0.1.0]  the random tests, mixed load on server and window for hours, exhaustion, the long list; KEEP keeps the picture of the load'
	@echo '  make screenshots              a picture of every screen, in target/screenshots'
	@echo '  make dist                     what is shipped, in target/dist: packages of the window and of roost, for Linux, Python and npm'
	@echo '  make setup                    install what all of these need'

# The development profile: it compiles in half the time of a release, and the hot crates are optimised in it too.
# The feature puts the built pages into the program; without it the window looks for a development server.
run: setup-run ui
	cargo build --locked --package roost-desktop --features custom-protocol
	tests/tooling/window.sh

serve: setup-serve
	cargo run --locked --package roost-cli --bin roost -- serve $(ARGS)

dev: setup-dev
	node tests/tooling/dev.mjs

check: setup-check
	node tests/tooling/check.mjs $(SINCE)

test: export ALL ?=
test: setup-test
	node tests/tooling/test.mjs

P ?=
T ?=
test-rust: setup-check ui
	node tests/tooling/rust.mjs test "$(P)" "$(T)"

test-ui: setup-ui
	cd ui && npm run --silent lint && npm run --silent check && npm run --silent test -- $(T)

SPEC ?=
test-e2e: setup-test programs
	node tests/tooling/e2e.mjs browser $(SPEC)

test-window: setup-test programs
	node tests/tooling/e2e.mjs window $(SPEC)

test-corpus: setup-test programs
	tests/corpus/run.sh

# The list of advisories is on the network, so a machine that does not reach it cannot fail for that.
audit: setup-audit
	tests/tooling/audit.sh

# One build of both, so that what they share is compiled once. The window is built for its own figures only.
comma := ,
WINDOW_BENCH := $(filter P6 P11,$(or $(subst $(comma), ,$(ONLY)),P11))
PEERS_BENCH := $(filter PEERS,$(or $(subst $(comma), ,$(ONLY)),PEERS))
bench: setup-bench $(if $(PEERS_BENCH),setup-peers) $(if $(WINDOW_BENCH),ui)
	cargo build --locked --release --package roost-cli --package roost-tests --bin roost --bin roost-bench
	$(if $(WINDOW_BENCH),cargo build --locked --release --package roost-desktop --features custom-protocol --bins --examples)
	target/release/roost-bench $(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(KEEP),--keep $(KEEP))

# What `make test` does in seconds with the same damaged files each time, for as long as one likes and led by the code.
SECONDS ?= 60
fuzz: setup-serve
	tests/tooling/fuzz.sh $(SECONDS) $(READERS)

# What `make test` tries with few worlds and rows, with as many as one has time for.
CASES ?= 5000000
SEEDS ?= 2000
ROWS ?= 1000000
soak: setup-test programs
	tests/tooling/soak.sh $(CASES) $(SEEDS) $(ROWS) $(SEED)

# The server in a browser, the window on a screen that nobody sees.
screenshots: setup-test programs
	node tests/tooling/screenshots/main.mjs

dist: setup-run ui
	tests/tooling/packages/dist.sh

setup:
	@$(SETUP) all

setup-run setup-serve setup-dev setup-check setup-ui setup-test setup-bench setup-peers setup-audit:
	@$(SETUP) $(@:setup-%=%)

# The documents that the guide shows besides its own; ui/guides/contents.mjs lists them all.
DOCUMENTS := $(addprefix src-tauri/,ops/imports/IMPORT.md sync/PROMISES.md cli/FAULTS.md emulator/GUIDE.md emulator/ADMIN.md \
	emulator/clients/README.md)
# Built again only if something changed: the programs contain the pages, and would be compiled again with them.
PAGES := $(DOCUMENTS) $(shell find ui/src ui/messages ui/guides ui/public ui/index.html ui/package-lock.json ui/*.ts -path ui/src/gen -prune -o -print)
ui: ui/dist/index.html
ui/dist/index.html: $(PAGES)
	npm --prefix ui run --silent build

# What the journeys drive, as `make test` builds it.
programs: ui
	node tests/tooling/rust.mjs build

codegen: setup-serve
	cargo xtask codegen
