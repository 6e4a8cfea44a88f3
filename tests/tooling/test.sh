#!/usr/bin/env bash
# Everything that is checked, the cheap first. Stops at the first failure; tells the time of each step at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# One selection of packages and features for checking, building and testing: another one would compile the rooms again.
ALL=(--locked --workspace --features xtask/codegen,roost-desktop/custom-protocol)

NAMES=()
SECONDS_OF=()
CURRENT=

step() {
    CURRENT=$1
    shift
    printf '\n=== %s\n' "$CURRENT"
    local began=$SECONDS
    # Not in a condition: bash would switch `set -e` off inside the step.
    "$@"
    NAMES+=("$CURRENT")
    SECONDS_OF+=($((SECONDS - began)))
    CURRENT=
}

report() {
    local status=$? i
    printf '\n=== times\n'
    for i in "${!NAMES[@]}"; do
        printf '%5d s  %s\n' "${SECONDS_OF[$i]}" "${NAMES[$i]}"
    done
    printf '%5d s  in all\n' "$SECONDS"
    [ -z "$CURRENT" ] || printf 'failed: %s (the steps after it were not run)\n' "$CURRENT"
    printf 'steps: %d passed, %d failed\n' "${#NAMES[@]}" "$([ "$status" -eq 0 ] && echo 0 || echo 1)"
    rm -f "$BEFORE"
}

# Nothing of the tests may land where the user keeps their own files.
user_files() {
    local folder
    for folder in "${XDG_DATA_HOME:-$HOME/.local/share}" "${XDG_CONFIG_HOME:-$HOME/.config}" \
        "${XDG_CACHE_HOME:-$HOME/.cache}" "${XDG_STATE_HOME:-$HOME/.local/state}"; do
        [ ! -d "$folder" ] || find "$folder" -ipath '*roost*' -printf '%p %s %T@\n'
    done | sort
}
nothing_left_behind() {
    user_files | diff "$BEFORE" - || {
        echo "the lines above (path, size, time) were written into the user's own folders: point the test at a folder of its own"
        return 1
    }
    echo "nothing new in the user's folders"
}

ui() {
    local script
    for script in "$@"; do
        echo "--- npm run $script"
        (cd ui && npm run --silent "$script")
    done
}

without_webview() {
    local found
    # Into a variable, so that a failing cargo is seen.
    found=$(cargo tree --locked --package roost-cli --edges normal,build --prefix none --format '{p}')
    if grep -E '^(tauri|wry|tao|gtk|webkit2gtk|glib)' <<<"$found"; then
        echo "the binary roost must need no webview library"
        return 1
    fi
    echo "$(sort -u <<<"$found" | wc -l) crates, no webview library among them"
}

rust_tests() {
    if command -v cargo-nextest >/dev/null; then
        cargo nextest run "${ALL[@]}"
        cargo test "${ALL[@]}" --doc
    else
        cargo test "${ALL[@]}"
    fi
}

deny() {
    tests/tooling/setup.sh deny
    target/tools/bin/cargo-deny --locked check licenses bans sources
}

# The list of advisories lives on the network, so a machine that does not reach it cannot fail for that.
advisories() {
    local said status=0
    said=$(target/tools/bin/cargo-deny --locked check advisories 2>&1) || status=$?
    printf '%s\n' "$said"
    if [ "$status" -ne 0 ] && grep -q 'failed to fetch advisory database' <<<"$said"; then
        echo 'NOT CHECKED: the advisory database could not be fetched; run `target/tools/bin/cargo-deny check advisories` with a network'
        return 0
    fi
    return "$status"
}

BEFORE=$(mktemp)
user_files >"$BEFORE"
trap report EXIT

step 'set-up' tests/tooling/setup.sh test
step 'format' cargo fmt --all --check
step 'tidy' cargo xtask tidy
step 'no webview below the window' without_webview
step 'ui: format, lint, types, tests, build, size' ui format:check lint check test build size
step 'clippy' cargo clippy "${ALL[@]}" --all-targets -- -D warnings
step 'the window alone, as it is run' cargo check --locked --package roost-desktop --features custom-protocol
step 'build' cargo build "${ALL[@]}" --bins --tests
step 'generated files' target/debug/xtask codegen --check
step 'tests' rust_tests
step 'the interface, from outside' target/venv/bin/python tests/tooling/interface.py
step 'clients' tests/tooling/clients.sh
step 'browser' ui e2e:console e2e:grid
step 'window' ui e2e:window
step 'licences, bans, sources' deny
step 'advisories' advisories
step 'nothing left behind' nothing_left_behind
