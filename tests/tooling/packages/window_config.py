"""Prints what tauri.conf.json cannot know: which C library the built programs need.

Usage: window_config.py PROGRAM…
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from platform_tags import read_glibc

ROOT = Path(__file__).resolve().parents[3]


def main() -> None:
    linux = json.loads((ROOT / "tauri.conf.json").read_text())["bundle"]["linux"]
    major, minor = max(read_glibc(Path(program)) for program in sys.argv[1:])
    deb = [f"libc6 (>= {major}.{minor})", *linux["deb"].get("depends", [])]
    rpm = [f"libc.so.6(GLIBC_{major}.{minor})(64bit)", *linux["rpm"].get("depends", [])]
    print(json.dumps({"bundle": {"linux": {"deb": {"depends": deb}, "rpm": {"depends": rpm}}}}))


if __name__ == "__main__":
    main()
