#!/usr/bin/env bash
# Runs the random tests with far more cases than `make test` has time for, and the journeys of the long list at full
# length: every decision with CASES random cases, the core and the copies of accounts with twenty times as many, the
# engine with SEEDS seeds each against a service in memory and against the emulator and with fifty times as many
# histories of a world, the program and the worlds of the emulator with a quarter as many, mixed load on the server for
# MINUTES and then mixed work in the window for as many, with a picture of both curves, each bound of the server
# exceeded for a minute, the long list with ROWS rows.
# Usage: [MINUTES=60] [KEEP=VERSION] soak.sh CASES SEEDS ROWS [SEED: only this one of the emulator's worlds]
# KEEP keeps the picture in tests/bench/soak.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

CASES=$1
SEEDS=$2
ROWS=$3
HISTORIES=$((SEEDS * 50))
rust() { node tests/tooling/rust.mjs test "$@"; }

if [ -n "${4:-}" ]; then
    ROOST_SEED=$4 rust it remote::sync::
    exit
fi
echo "=== decisions, $CASES cases each"
ROOST_CASES=$CASES rust reconcile ''
echo "=== histories of a world that remembers, $HISTORIES of them"
ROOST_HISTORIES=$HISTORIES rust world ''
ROOST_HISTORIES=$HISTORIES rust sync whatever_happens
ROOST_DISTURBANCES_EVERY=1 rust sync whatever_disturbs
PROGRAMS=$((SEEDS / 4))
echo "=== the same with the program over HTTP and kill -9, $PROGRAMS of them"
ROOST_BIN=$PWD/target/debug/roost ROOST_HISTORIES=$PROGRAMS rust sync the_program_over_http ignored
echo '=== core'
ROOST_TIMES=20 rust ops ''
rust ops a_hundred_thousand ignored
echo '=== copies of accounts that end badly'
ROOST_TIMES=20 rust store safety_histories
ROOST_TIMES=20 rust sync histories::backups
echo "=== engine, $SEEDS seeds each"
ROOST_CASES=$SEEDS rust sync tests::
echo "=== engine against the emulator, $SEEDS seeds each"
ROOST_SEEDS=$SEEDS rust it remote::sync::
MINUTES=${MINUTES:-60}
echo "=== mixed load for $MINUTES minutes; the curve in target/soak.csv"
rm -f target/soak.csv target/soak-window.csv
# A failure leaves its curve, too.
trap 'node tests/tooling/support/soak-picture.mjs target/soak.csv target/soak-window.csv target/soak.svg' EXIT
ROOST_SOAK_SECONDS=$((MINUTES * 60)) rust it an_hour_of_mixed_load ignored
# One after the other: each measures times, and would measure the other's load.
echo "=== mixed work in the window for $MINUTES minutes; the curve in target/soak-window.csv, both in target/soak.svg"
ROOST_SOAK_MINUTES=$MINUTES node tests/tooling/e2e.mjs soak
if [ -n "${KEEP:-}" ]; then
    mkdir -p tests/bench/soak
    node tests/tooling/support/soak-picture.mjs target/soak.csv target/soak-window.csv "tests/bench/soak/$KEEP.svg"
fi
echo '=== a thousand recordings on a clock that stands'
ROOST_RECORDINGS=1000 rust it a_frozen_recording
WORLDS=$((SEEDS / 4))
echo "=== $WORLDS histories of a world of the emulator, restored, imported and begun again"
ROOST_HISTORIES=$WORLDS rust it any_history_comes_back
echo '=== exhaustion, a minute for each bound; figures in target/exhaustion.txt'
rust it every_bound_holds_for_a_minute ignored
echo "=== a list of $ROWS rows"
ROOST_E2E_ROWS=$ROWS node tests/tooling/e2e.mjs browser grid/million
ROOST_E2E_ROWS=$ROWS node tests/tooling/e2e.mjs window window/grid
echo 'soak: nothing found'
