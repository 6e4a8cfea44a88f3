#!/usr/bin/env bash
# Opens the window, on a virtual screen if there is no other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec target/debug/roost-desktop "$@"
fi
echo "run: there is no display, so the window opens on a virtual one (Xvfb); Ctrl-C closes it" >&2
# Without a session bus the toolkit would start one, and helpers that outlive the window.
export DBUS_SESSION_BUS_ADDRESS=${DBUS_SESSION_BUS_ADDRESS:-disabled:} NO_AT_BRIDGE=1
exec xvfb-run --auto-servernum --server-args='-screen 0 1280x800x24 -nolisten tcp' target/debug/roost-desktop "$@"
