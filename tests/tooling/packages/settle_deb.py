"""Writes a package of Debian again with sorted files that have the time of SOURCE_DATE_EPOCH, as the bundler does not.

Usage: settle_deb.py PACKAGE
"""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from pathlib import Path

from archives import read_epoch

MAGIC = b"!<arch>\n"
HEADER = 60


def main() -> None:
    path = Path(sys.argv[1])
    members = [(name, settle_tar(data) if name.endswith(".tar.gz") else data) for name, data in read_members(path)]
    packed = io.BytesIO(MAGIC)
    packed.seek(0, io.SEEK_END)
    for name, data in members:
        packed.write(f"{name:<16}{read_epoch():<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode())
        packed.write(data + b"\n" * (len(data) % 2))
    path.write_bytes(packed.getvalue())


def read_members(path: Path) -> list[tuple[str, bytes]]:
    data: bytes = path.read_bytes()
    if not data.startswith(MAGIC):
        raise SystemExit(f"{path} is no package of Debian")
    members, at = [], len(MAGIC)
    while at < len(data):
        header = data[at : at + HEADER].decode()
        size = int(header[48:58])
        members.append((header[:16].strip().removesuffix("/"), data[at + HEADER : at + HEADER + size]))
        at += HEADER + size + size % 2
    return members


def settle_tar(packed: bytes) -> bytes:
    written = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(packed)) as before,
        tarfile.open(fileobj=written, mode="w", format=tarfile.GNU_FORMAT) as after,
    ):
        for entry in sorted(before, key=lambda entry: entry.name):
            file = before.extractfile(entry) if entry.isfile() else None
            data = file.read() if file else b""
            if entry.name.removeprefix("./") == "md5sums":
                # In the order in which the bundler found them in its folder.
                data = b"".join(sorted(data.splitlines(keepends=True), key=lambda line: bytes(line).split(None, 1)[1]))
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = read_epoch(), 0, 0, "root", "root"
            entry.size, entry.pax_headers = len(data), {}
            after.addfile(entry, io.BytesIO(data))
    return gzip.compress(written.getvalue(), 9, mtime=read_epoch())


if __name__ == "__main__":
    main()
