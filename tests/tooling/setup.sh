#!/usr/bin/env bash
# Installs what is missing, and nothing that is already installed.
# Usage: setup.sh serve | run | dev | check | ui | test | bench | peers | audit | all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

STAMPS=target/setup
CARGO_DENY=0.20.2
OLDEST_RUST=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
OLDEST_NODE=20.19

WINDOW_PACKAGES=(build-essential pkg-config file libwebkit2gtk-4.1-dev libgtk-3-dev libdbus-1-dev)
# A virtual screen for machines without one, with a font, because otherwise every letter is a box.
SCREEN_PACKAGES=(xvfb xauth fonts-dejavu-core)
TEST_PACKAGES=(webkit2gtk-driver xdotool dbus-daemon gnome-keyring fonts-noto-color-emoji chromium-headless-shell python3-venv curl haproxy strace
    # The bus of screen readers, and the library with which they read it.
    at-spi2-core gir1.2-atspi-2.0 python3-gi)

say() { printf 'setup: %s\n' "$*" >&2; }
give_up() { say "$@"; exit 1; }

# at_least WANTED FOUND: succeeds if the version FOUND is not older.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

need_rust() {
    command -v cargo >/dev/null || give_up "cargo is missing: install Rust $OLDEST_RUST or newer (https://rustup.rs)"
    local found
    found=$(rustc --version | cut -d' ' -f2)
    at_least "$OLDEST_RUST" "$found" || give_up "Rust $found is too old, $OLDEST_RUST is the oldest that will do: rustup update"
}

need_node() {
    command -v npm >/dev/null || give_up "npm is missing: install Node.js $OLDEST_NODE or newer (https://nodejs.org)"
    local found
    found=$(node --version)
    at_least "$OLDEST_NODE" "${found#v}" || give_up "Node.js $found is too old, $OLDEST_NODE is the oldest that will do"
}

# packages NAME…: installs the missing ones with apt.
packages() {
    local lacking=() name
    if ! command -v dpkg-query >/dev/null; then
        say "this is no Debian or Ubuntu; your system's counterparts of these must be there: $*"
        return 0
    fi
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || lacking+=("$name")
    done
    [ ${#lacking[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            say "system packages are lacking; install them and call again:"
            give_up "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${lacking[*]}"
        fi
        as_root=(sudo -n)
    fi
    say "installing ${lacking[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${lacking[@]}"
}

# once NAME FILE…: succeeds if NAME has not been done yet for these contents; `did` then records that it has.
once() {
    local name=$1
    shift
    STAMP=$STAMPS/$name-$(cat "$@" | sha256sum | cut -c1-16)
    [ ! -e "$STAMP" ]
}
did() { mkdir -p "$STAMPS" && rm -f "${STAMP%-*}"-* && touch "$STAMP"; }

web_packages() {
    need_node
    if once npm ui/package-lock.json || [ ! -d ui/node_modules ]; then
        say "installing the UI's packages"
        (cd ui && npm ci --no-audit --no-fund)
        did
    fi
}

python_packages() {
    local list=tests/tooling/interface/requirements.txt
    if once venv "$list" || [ ! -x target/venv/bin/openapi-python-client ]; then
        say "installing the tests' Python packages"
        rm -rf target/venv
        python3 -m venv target/venv
        target/venv/bin/pip install --quiet --disable-pip-version-check --requirement "$list"
        did
    fi
}

# Installs the generators of types from the document of the admin interface, in their own folder and without running
# their scripts.
generators() {
    local list=tests/tooling/interface/generators/package.json
    need_node
    if once generators "$list" || [ ! -d target/generators/tools/node_modules ]; then
        say "installing what generates clients"
        mkdir -p target/generators/tools
        cp "$list" target/generators/tools/
        (cd target/generators/tools && npm install --no-audit --no-fund --ignore-scripts --no-package-lock)
        did
    fi
}

# Installs cargo-deny in a debug build, because compiling is most of the cost and it runs for only six seconds.
cargo_deny() {
    local tool=target/tools/bin/cargo-deny
    [ "$("$tool" --version 2>/dev/null)" = "cargo-deny $CARGO_DENY" ] && return 0
    say "compiling cargo-deny $CARGO_DENY, for make audit only (about two minutes)"
    cargo install cargo-deny --version "$CARGO_DENY" --locked --debug --root target/tools --target-dir target/tools/build
    rm -rf target/tools/build
}

for_serve() {
    need_rust
    # SQLite is compiled in, so only a C compiler is needed besides Rust.
    command -v cc >/dev/null || packages build-essential
}

for_run() {
    need_rust
    local wanted=("${WINDOW_PACKAGES[@]}")
    [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || wanted+=("${SCREEN_PACKAGES[@]}")
    packages "${wanted[@]}"
    web_packages
}

for_test() {
    need_rust
    packages "${WINDOW_PACKAGES[@]}" "${SCREEN_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
    web_packages
    python_packages
    generators
}

for_bench() {
    for_run
    # The import is compared with sqlite3 and with python-calamine.
    packages "${SCREEN_PACKAGES[@]}" xdotool webkit2gtk-driver chromium sqlite3 python3-venv
    python_packages
}

# Installs the mock servers that ours is compared with, in their own folder and without running their scripts.
for_peers() {
    local list=tests/bench/server/peers/package.json
    command -v java >/dev/null || packages default-jre-headless
    need_node
    if once peers "$list" || [ ! -d target/peers/node_modules ]; then
        say "installing the mock servers to measure against"
        mkdir -p target/peers
        cp "$list" target/peers/
        (cd target/peers && npm install --no-audit --no-fund --ignore-scripts --no-package-lock)
        did
    fi
}

case "${1:-}" in
    peers) for_peers ;;
    bench) for_bench ;;
    serve) for_serve ;;
    run) for_run ;;
    test) for_test ;;
    dev | check) for_run ;;
    ui) web_packages ;;
    audit) cargo_deny ;;
    all)
        for_serve
        for_run
        for_test
        for_bench
        cargo_deny
        ;;
    *) give_up "usage: setup.sh serve | run | dev | check | ui | test | bench | peers | audit | all" ;;
esac
