#!/usr/bin/env bash
# Builds what is shipped into target/dist: packages of the window (deb, rpm), and the program roost alone as an archive,
# a Python wheel, an npm package and what a container is built from. Needs no network once `make setup-run` is done.
# With TAURI_SIGNING_PRIVATE_KEY the packages of the window are signed, as an updater wants them.
# Usage: dist.sh [debug: pack the programs that `make test` built, to try the packages]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

HERE=tests/tooling/packages
DIST=target/dist
TREE=target/dist-tree
STAGE=target/dist-stage
PROFILE=${1:-release}
# The files that tauri.conf.json names are below target.
unset CARGO_TARGET_DIR
# The time of the files in every package, so that the same commit gives the same bytes at any time.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 946684800)
fi
export SOURCE_DATE_EPOCH

if [ "$PROFILE" = release ]; then
    # Neither the folder of this clone nor that of cargo is part of the programs.
    export RUSTFLAGS="--remap-path-prefix=$PWD=/roost --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo ${RUSTFLAGS:-}"
    # One build of both, so that what they share is compiled once.
    cargo build --locked --release --package roost-cli --package roost-desktop \
        --features roost-desktop/custom-protocol --bin roost --bin roost-desktop
fi

# The bundler writes the kind of package into the program of the window, so it gets a copy.
rm -rf "$DIST" "$STAGE"
mkdir -p "$STAGE/release"
for program in roost roost-desktop; do
    strip -o "$STAGE/release/$program" "target/$PROFILE/$program"
done
python3 "$HERE/pack.py" --program "$STAGE/release/roost" --dist "$DIST" --tree "$TREE"
CARGO_TARGET_DIR=$STAGE ui/node_modules/.bin/tauri bundle --bundles deb,rpm \
    --config "$(python3 "$HERE/window_config.py" "$STAGE"/release/roost{,-desktop})"
find "$STAGE/release/bundle" -maxdepth 2 -type f -exec mv {} "$DIST" \;
python3 "$HERE/settle_deb.py" "$DIST"/*.deb
python3 "$HERE/settle_rpm.py" "$DIST"/*.rpm
python3 "$HERE/check_window.py" "$DIST" "$TREE"
# Only now, because the signature is of the bytes that are shipped.
if [ -n "${TAURI_SIGNING_PRIVATE_KEY:-}" ]; then
    for package in "$DIST"/*.deb "$DIST"/*.rpm; do
        ui/node_modules/.bin/tauri signer sign "$package" >/dev/null
    done
fi
(cd "$DIST" && sha256sum -- * >SHA256SUMS)
ls -l "$DIST"
