#!/usr/bin/env bash
# Checks how Roost reads files that other programs wrote, and how their readers read Roost's exports.
# Usage: run.sh [--quick]   with ROOST_BIN naming another binary than the built one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

ROOST_BIN=$(realpath "${ROOST_BIN:-target/debug/roost}")
export ROOST_BIN
VENV=$PWD/target/venv/bin
CORPUS=tests/corpus
export PYTHONDONTWRITEBYTECODE=1

MYPYPATH=$CORPUS "$VENV/mypy" --config-file "$CORPUS/mypy.ini" --cache-dir target/mypy-corpus "$CORPUS"
"$VENV/python" "$CORPUS/check.py" "$@"
"$VENV/python" "$CORPUS/random_tables.py" "$@"
"$VENV/python" "$CORPUS/round_trips.py" "$@"
