"""Writes a package of RPM again with files that have the time of SOURCE_DATE_EPOCH, as the bundler does not.

Usage: settle_rpm.py PACKAGE
"""

from __future__ import annotations

import gzip
import hashlib
import struct
import sys
from pathlib import Path

from archives import read_epoch

LEAD, INTRO, ENTRY = 96, 16, 16
#: Tags of the main header.
BUILD_TIME, BUILD_HOST, TIMES = 1006, 1007, 1034
LEVEL, PAYLOAD_DIGEST, PAYLOAD_ALGORITHM, UNPACKED_DIGEST = 1126, 5092, 5093, 5097
#: Tags of the header of signatures.
REGION, SHA1, LONG_SIZE, LONG_UNPACKED_SIZE, SHA256 = 62, 269, 270, 271, 273
SIZE, MD5, UNPACKED_SIZE, RESERVED = 1000, 1004, 1007, 1008
#: The number of SHA-256 as an algorithm.
WITH_SHA256 = 8
CPIO = 110


class Header:
    """One header, whose values are replaced by values of the same length, so that nothing in it moves."""

    def __init__(self, data: bytes, start: int) -> None:
        magic, count, size = struct.unpack_from(">8sII", data, start)
        if not magic.startswith(b"\x8e\xad\xe8\x01"):
            raise SystemExit("this is no header of RPM")
        self.store = INTRO + ENTRY * count
        self.end = start + self.store + size
        self.data = bytearray(data[start : self.end])
        entries = (struct.unpack_from(">IIII", self.data, INTRO + ENTRY * number) for number in range(count))
        self.tags = {tag: (self.store + offset, length) for tag, _, offset, length in entries}

    def put(self, tag: int, value: bytes) -> None:
        if tag in self.tags:
            at, _ = self.tags[tag]
            self.data[at : at + len(value)] = value

    def read_number(self, tag: int) -> int:
        return int(struct.unpack_from(">I", self.data, self.tags[tag][0])[0])

    def read_text(self, tag: int) -> str:
        at, _ = self.tags[tag]
        return self.data[at : self.data.index(0, at)].decode()


def main() -> None:
    path = Path(sys.argv[1])
    path.write_bytes(settle(path.read_bytes()))


def settle(package: bytes) -> bytes:
    signatures = Header(package, LEAD)
    known = {REGION, SHA1, LONG_SIZE, LONG_UNPACKED_SIZE, SHA256, SIZE, MD5, UNPACKED_SIZE, RESERVED}
    if unknown := set(signatures.tags) - known:
        raise SystemExit(f"the package has signatures that would no longer be right: {sorted(unknown)}")
    header = Header(package, signatures.end + -signatures.end % 8)
    if BUILD_HOST in header.tags:
        raise SystemExit("the package names the machine that built it")
    if header.read_number(PAYLOAD_ALGORITHM) != WITH_SHA256:
        raise SystemExit("the digest of the payload is not of SHA-256")

    unpacked = settle_cpio(gzip.decompress(package[header.end :]))
    payload = gzip.compress(unpacked, int(header.read_text(LEVEL)), mtime=0)
    moment = struct.pack(">I", read_epoch())
    header.put(BUILD_TIME, moment)
    header.put(TIMES, moment * header.tags[TIMES][1])
    header.put(PAYLOAD_DIGEST, hashlib.sha256(payload).hexdigest().encode())
    header.put(UNPACKED_DIGEST, hashlib.sha256(unpacked).hexdigest().encode())

    signed = bytes(header.data) + payload
    signatures.put(SHA1, hashlib.sha1(header.data).hexdigest().encode())
    signatures.put(SHA256, hashlib.sha256(header.data).hexdigest().encode())
    signatures.put(MD5, hashlib.md5(signed).digest())
    for tag, long_tag, size in ((SIZE, LONG_SIZE, len(signed)), (UNPACKED_SIZE, LONG_UNPACKED_SIZE, len(unpacked))):
        signatures.put(tag, struct.pack(">I", size))
        signatures.put(long_tag, struct.pack(">Q", size))
    return package[:LEAD] + bytes(signatures.data) + bytes(-len(signatures.data) % 8) + signed


def settle_cpio(archive: bytes) -> bytes:
    settled, at = bytearray(archive), 0
    while True:
        # An entry of cpio: 110 characters, the name and the data, each filled up to a multiple of four.
        if archive[at : at + 6] != b"070701":
            raise SystemExit("the payload is no archive of cpio")
        size, length = (int(archive[at + start : at + start + 8], 16) for start in (54, 94))
        if archive[at + CPIO : at + CPIO + length] == b"TRAILER!!!\0":
            return bytes(settled)
        settled[at + 46 : at + 54] = f"{read_epoch():08x}".encode()
        start = at + CPIO + length
        start += -start % 4
        at = start + size + -size % 4


if __name__ == "__main__":
    main()
