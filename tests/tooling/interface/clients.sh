#!/usr/bin/env bash
# Tests the clients for Python and TypeScript, and clients that other generators produce, against a built server.
# Usage: clients.sh [the binary `roost`]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

ROOST_BIN=$(realpath "${1:-target/debug/roost}")
export ROOST_BIN
# Never test a server that the user is running.
unset ROOST_ADMIN_URL ROOST_ADMIN_TOKEN ROOST_READY_FILE
VENV=$PWD/target/venv/bin
CLIENTS=$PWD/src-tauri/emulator/clients
MADE=$PWD/target/clients

python_client() {
    # Install it as a user does, so that the plugin is found by its entry point.
    rm -rf "$MADE/python"
    "$VENV/pip" install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --target "$MADE/python" "$CLIENTS/python"
    "$VENV/mypy" --config-file "$CLIENTS/python/pyproject.toml" --cache-dir "$MADE/mypy" \
        "$CLIENTS/python/src" "$CLIENTS/python/tests" "$CLIENTS/python/examples" "$CLIENTS/generate.py"
    (cd "$CLIENTS/python" && PYTHONPATH=$MADE/python PYTHONDONTWRITEBYTECODE=1 "$VENV/pytest" --quiet --numprocesses 2)
}

typescript_client() {
    local bin=$PWD/ui/node_modules/.bin client=$CLIENTS/typescript
    (cd ui && "$bin/prettier" --config .prettierrc.json --check --log-level warn "$client"/{src,tests,examples,declare.mjs})
    "$bin/oxlint" -c ui/.oxlintrc.json --deny-warnings "$client"
    node "$client/declare.mjs" --check
    (cd "$client" && node --test --test-concurrency=2 --test-reporter=spec tests/*.test.mjs)
    "$bin/vitest" run --no-cache --globals --root "$client" --dir "$client/tests/vitest"
    # As documented for the clients: one server for all tests, and no unmatched request.
    "$ROOST_BIN" exec --require-no-unmatched -- \
        "$bin/vitest" run --no-cache --root "$client" --dir "$client/examples" --test-timeout 120000
}

# Tests clients that other generators produce from the document of the admin interface.
generated_clients() {
    "$VENV/python" tests/tooling/interface/generators/generators.py "$ROOST_BIN"
}

python3 "$CLIENTS/generate.py" --check
python_client
typescript_client
generated_clients
