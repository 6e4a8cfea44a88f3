"""What a program needs of the machine that it runs on, in the words of each kind of package."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

#: What Python, npm and Rust call a processor.
NPM_PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}
#: Libraries that every Linux with the GNU C library has (PEP 600).
EVERYWHERE = re.compile(r"(?:libc|libm|libdl|librt|libpthread|libgcc_s)\.so\.\d|ld-linux[\w-]*\.so\.\d")


def read_processor() -> str:
    return os.uname().machine


def read_glibc(program: Path) -> tuple[int, int]:
    """The oldest version of the GNU C library with everything that the program calls."""
    versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", read_elf(program, "--version-info"))
    if not versions:
        raise SystemExit(f"{program} names no version of the GNU C library")
    return max((int(major), int(minor)) for major, minor in versions)


def check_libraries(program: Path) -> None:
    """Refuses a program that would need more than a Python wheel or an npm package may ask for."""
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", read_elf(program, "--dynamic"))
    foreign = [name for name in needed if not EVERYWHERE.fullmatch(name)]
    if foreign:
        raise SystemExit(f"{program} needs libraries that not every Linux has: {', '.join(foreign)}")


def read_elf(program: Path, what: str) -> str:
    command = ["readelf", "--wide", what, str(program)]
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
