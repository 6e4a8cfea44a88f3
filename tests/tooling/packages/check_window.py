"""Checks that the packages of the window contain all that they should. Usage: check_window.py FOLDER TREE

FOLDER has the packages, and TREE the files that belong below /usr.
"""

from __future__ import annotations

import configparser
import gzip
import io
import struct
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

DESKTOP = "usr/share/applications/Roost.desktop"
ICONS = "usr/share/icons/hicolor"
WANTED = {
    "usr/bin/roost-desktop",
    DESKTOP,
    "usr/share/mime/packages/roost.xml",
    *(f"{ICONS}/{size}/apps/roost-desktop.png" for size in ("32x32", "128x128", "256x256")),
}
ZSH_OF_DEBIAN, ZSH_OF_FEDORA = "usr/share/zsh/vendor-completions/_roost", "usr/share/zsh/site-functions/_roost"
PROGRAMS = {"usr/bin/roost", "usr/bin/roost-desktop"}
#: Tags of a header of RPM.
MODES, REQUIRES, DIRECTORY_OF, NAMES, DIRECTORIES = 1030, 1049, 1116, 1117, 1118
NUMBERS = {3: "H", 4: "I"}
STRING, STRINGS = 6, 8


def main() -> None:
    folder, tree = Path(sys.argv[1]), Path(sys.argv[2])
    ours = {f"usr/{path.relative_to(tree).as_posix()}" for path in tree.rglob("*") if path.is_file()}
    if ZSH_OF_FEDORA not in ours:
        raise SystemExit(f"{tree} lacks {ZSH_OF_FEDORA}")
    (deb,), (rpm,) = folder.glob("*.deb"), folder.glob("*.rpm")
    files, depends = read_deb(deb)
    needed = ("libc6 (>= ", "libwebkit2gtk-4.1-0", "libgtk-3-0")
    check(deb.name, files, ours - {ZSH_OF_FEDORA} | {ZSH_OF_DEBIAN}, depends, needed)
    files, depends = read_rpm(rpm)
    check(rpm.name, files, ours, depends, ("libc.so.6(GLIBC_", "libwebkit2gtk-4.1.so.0", "libgtk-3.so.0"))
    for package, contents in ((deb, unpack_deb(deb)), (rpm, unpack_rpm(rpm))):
        check_desktop_entry(contents[DESKTOP].decode())
        check_icons(package.name, contents)
    print(f"{deb.name} and {rpm.name} contain what they should")


def check(name: str, files: dict[str, int], ours: set[str], depends: list[str], needed: tuple[str, ...]) -> None:
    lacking = sorted((WANTED | ours) - set(files))
    if lacking:
        raise SystemExit(f"{name} lacks {', '.join(lacking)}")
    wrong = {path: oct(mode) for path, mode in files.items() if mode != (0o755 if path in PROGRAMS else 0o644)}
    if wrong:
        raise SystemExit(f"{name} has files with other modes than it should: {wrong}")
    for one in needed:
        if not any(one in dependency for dependency in depends):
            raise SystemExit(f"{name} does not depend on {one}: {depends}")


def check_icons(name: str, contents: dict[str, bytes]) -> None:
    """The folder of an icon names its size, or a desktop scales it."""
    for path, data in contents.items():
        if not path.startswith(f"{ICONS}/"):
            continue
        width, height = struct.unpack_from(">II", data, 16)
        if path.split("/")[4] != f"{width}x{height}":
            raise SystemExit(f"{name} has an icon of {width} × {height} at {path}")


def check_desktop_entry(text: str) -> None:
    parser = configparser.RawConfigParser(strict=True, interpolation=None)
    parser.read_string(text)
    entry = parser["Desktop Entry"]
    if "application/x-roost-account" not in entry["MimeType"].split(";"):
        raise SystemExit(f"the desktop entry does not open accounts: {entry['MimeType']}")
    # Without %F the files that are opened would not reach the window.
    if entry["Exec"] != "roost-desktop %F" or entry["Icon"] != "roost-desktop":
        raise SystemExit(f"the desktop entry starts something else: {dict(entry)}")


def read_deb(path: Path) -> tuple[dict[str, int], list[str]]:
    files = {}
    for line in run("dpkg-deb", "--contents", str(path)).decode().splitlines():
        letters, name = line.split()[0], line.split(None, 5)[5]
        if letters.startswith("-"):
            bits = "".join("0" if letter == "-" else "1" for letter in letters[1:10])
            files[name.removeprefix("./").removeprefix("/")] = int(bits, 2)
    return files, run("dpkg-deb", "--field", str(path), "Depends").decode().strip().split(", ")


def unpack_deb(path: Path) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(run("dpkg-deb", "--fsys-tarfile", str(path)))) as tar:
        return {entry.name.removeprefix("./"): read_entry(tar, entry) for entry in tar if entry.isfile()}


def read_entry(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(entry)
    return b"" if file is None else file.read()


def read_rpm(path: Path) -> tuple[dict[str, int], list[str]]:
    header, _ = read_main_header(path.read_bytes())
    names, places, folders = header[NAMES], header[DIRECTORY_OF], header[DIRECTORIES]
    paths = [f"{folders[place]}{name}".removeprefix("/") for name, place in zip(names, places, strict=True)]
    modes = dict(zip(paths, header[MODES], strict=True))
    return {path: mode & 0o777 for path, mode in modes.items() if mode & 0o170000 == 0o100000}, header[REQUIRES]


def unpack_rpm(path: Path) -> dict[str, bytes]:
    data = path.read_bytes()
    _, end = read_main_header(data)
    archive, at = gzip.decompress(data[end:]), 0
    contents: dict[str, bytes] = {}
    while True:
        # An entry of cpio: 110 characters, the name and the data, each filled up to a multiple of four.
        size, length = (int(archive[at + start : at + start + 8], 16) for start in (54, 94))
        name = archive[at + 110 : at + 109 + length].decode()
        if name == "TRAILER!!!":
            return contents
        start = at + 110 + length
        start += -start % 4
        contents[name.removeprefix("./").removeprefix("/")] = archive[start : start + size]
        at = start + size + -size % 4


def read_main_header(data: bytes) -> tuple[dict[int, Any], int]:
    # The lead has 96 bytes, and the header after it begins at a multiple of eight.
    _, end = read_header(data, 96)
    return read_header(data, end + -end % 8)


def read_header(data: bytes, start: int) -> tuple[dict[int, Any], int]:
    """Reads one header: its tags with their values, and where it ends."""
    magic, count, size = struct.unpack_from(">8sII", data, start)
    if not magic.startswith(b"\x8e\xad\xe8\x01"):
        raise SystemExit("this is no header of RPM")
    store = start + 16 + 16 * count
    values: dict[int, Any] = {}
    for number in range(count):
        tag, kind, offset, length = struct.unpack_from(">IIII", data, start + 16 + 16 * number)
        if kind in NUMBERS:
            values[tag] = struct.unpack_from(f">{length}{NUMBERS[kind]}", data, store + offset)
        elif kind in (STRING, STRINGS):
            values[tag] = [part.decode() for part in data[store + offset : store + size].split(b"\0")[:length]]
    return values, store + size


def run(*command: str) -> bytes:
    return subprocess.run(command, check=True, capture_output=True).stdout


if __name__ == "__main__":
    main()
