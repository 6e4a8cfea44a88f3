#!/usr/bin/env bash
# The properties of working offline with far more worlds than `make test` has time for: every decision by CASES random
# cases, the engine in the service's memory and against the emulator itself by SEEDS seeds each.
# Usage: soak.sh CASES SEEDS [SEED: only this one of the emulator's worlds]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

CASES=$1
SEEDS=$2

if [ -n "${3:-}" ]; then
    ROOST_SEED=$3 cargo test --locked --package roost-tests --test it -- remote::sync::
    exit
fi
echo "=== decisions, $CASES cases each"
ROOST_CASES=$CASES cargo test --locked --package roost-reconcile -- --test-threads "$(nproc)"
echo "=== engine, $SEEDS seeds each"
ROOST_CASES=$SEEDS cargo test --locked --package roost-sync --lib tests::
echo "=== engine against the emulator, $SEEDS seeds each"
ROOST_SEEDS=$SEEDS cargo test --locked --package roost-tests --test it -- remote::sync::
echo 'soak: nothing found'
