#!/usr/bin/env bash
# Fuzzes every reader of bytes from outside and the server, guided by coverage. Needs a nightly toolchain and installs cargo-fuzz.
# Usage: fuzz.sh [SECONDS for each reader] [READER…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

CARGO_FUZZ=0.13.2
EACH=${1:-60}
shift || true
READERS=("$@")
[ ${#READERS[@]} -gt 0 ] || READERS=(
    any delimited json vcard xlsx ods frame
    spelling setting filter query body seed recording answer account sealed_key command
    request connection world
)

cargo +nightly --version >/dev/null 2>&1 || {
    echo 'fuzz: a nightly toolchain is missing: rustup toolchain install nightly --profile minimal' >&2
    exit 1
}
tool=$PWD/target/tools/bin/cargo-fuzz
if [ "$("$tool" --version 2>/dev/null)" != "cargo-fuzz $CARGO_FUZZ" ]; then
    echo "fuzz: compiling cargo-fuzz $CARGO_FUZZ (about two minutes)" >&2
    cargo install cargo-fuzz --version "$CARGO_FUZZ" --locked --debug --root target/tools --target-dir target/tools/build
    rm -rf target/tools/build
fi

# It starts with the files that the tests damage, and keeps the inputs that reached new code.
seeds=$PWD/target/fuzz-seeds
export FUZZ_SEEDS=$seeds
cargo test --quiet --locked --package roost-sheets --test mutated -- --ignored seeds_are_written >/dev/null
cargo test --quiet --locked --package roost-tests --test it -- --ignored damaged::seeds_are_written >/dev/null

failed=()
for reader in "${READERS[@]}"; do
    corpus=$PWD/target/fuzz-corpus/$reader
    mkdir -p "$corpus" "target/fuzz-found/$reader"
    echo "=== $reader, $EACH s"
    RUSTUP_TOOLCHAIN=nightly PATH=$PWD/target/tools/bin:$PATH cargo fuzz run --fuzz-dir tests/fuzz --target-dir target/fuzz "$reader" \
        "$corpus" "$seeds/$reader" -- -max_total_time="$EACH" -timeout=20 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 \
        -artifact_prefix="$PWD/target/fuzz-found/$reader/" || failed+=("$reader")
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "fuzz: gave up: ${failed[*]}. The bytes lie in target/fuzz-found; read one again by naming it behind the reader:" >&2
    echo '  cargo +nightly fuzz run --fuzz-dir tests/fuzz --target-dir target/fuzz READER FILE' >&2
    exit 1
fi
echo "fuzz: ${#READERS[@]} readers, nothing found"
