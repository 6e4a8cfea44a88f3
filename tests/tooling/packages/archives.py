"""Archives whose bytes depend on nothing but what is in them: sorted entries, fixed times, owners and modes."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

#: What a ZIP archive can hold at the earliest: 1980-01-01.
EARLIEST = 315_532_800
FILE, PROGRAM = 0o644, 0o755


@dataclass(frozen=True)
class Entry:
    name: str
    data: bytes
    mode: int = FILE


def read_epoch() -> int:
    """The time of every file, in seconds: SOURCE_DATE_EPOCH, or the earliest."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), EARLIEST)


def list_entries(folder: Path, prefix: str = "") -> list[Entry]:
    """Every file below a folder, but for what Python leaves behind."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            mode = PROGRAM if os.access(path, os.X_OK) and path.parent.name == "bin" else FILE
            found.append(Entry(prefix + path.relative_to(folder).as_posix(), path.read_bytes(), mode))
    return found


def write_tar(path: Path, entries: list[Entry], level: int) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for entry in sorted(entries, key=lambda entry: entry.name):
            header = tarfile.TarInfo(entry.name)
            header.size, header.mode, header.mtime = len(entry.data), entry.mode, read_epoch()
            tar.addfile(header, io.BytesIO(entry.data))
    # Without a file name, and with the same time, in its header.
    path.write_bytes(gzip.compress(packed.getvalue(), level, mtime=read_epoch()))


def write_zip(path: Path, entries: list[Entry], level: int) -> None:
    """Writes the entries in the given order, because readers of wheels expect the metadata last."""
    moment = time.gmtime(read_epoch())[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for entry in entries:
            header = zipfile.ZipInfo(entry.name, moment)
            header.create_system, header.external_attr = 3, (0o100000 | entry.mode) << 16
            header.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(header, entry.data, compresslevel=level)
