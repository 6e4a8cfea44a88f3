#!/usr/bin/env bash
# Checks that the binary `roost` needs no webview library, so that a server can be built and run on a machine without
# one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Assign it to a variable, so that a failure of cargo is noticed.
crates=$(cargo tree --locked --package roost-cli --edges normal,build --prefix none --format '{p}')
if grep -E '^(tauri|wry|tao|gtk|webkit2gtk|glib)' <<<"$crates"; then
    echo "The binary roost depends on the crates above. Remove the dependency, or move the code to src-tauri/shell."
    exit 1
fi
echo "$(sort -u <<<"$crates" | wc -l) crates, no webview library among them"
