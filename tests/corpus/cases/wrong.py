"""What is no file of contacts: each is refused with a message that says what it is."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

from cases.frames import packed
from cases.text import text
from cases.workbooks import openpyxl_book
from model import PEOPLE, TABLE, Case

PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\nxref\n0 3\n0000000000 65535 f \ntrailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n110\n%%EOF\n"
PAGE = "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body><form action='/login'>\n<input name='user'>, <input name='password'>\n</form></body></html>\n"
HTML_TABLE = "<html><body><table><tr><th>First name</th><th>Mobile</th></tr><tr><td>Ada</td><td>+447700900101</td></tr></table></body></html>"
# The head of a compound file, which .xls, .doc and .msg share, with a directory entry "Workbook".
XLS = (
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    + b"\0" * 16
    + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
    + b"\0" * 478
    + "Workbook".encode("utf-16-le")
    + b"\0" * 496
)
RTF = b"{\\rtf1\\ansi\\deff0 {\\fonttbl{\\f0 Arial;}}\\f0 Ada +447700900101\\par}"


def _png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("people.csv")
        info.size = len(text(TABLE)())
        archive.addfile(info, io.BytesIO(text(TABLE)()))
    return out.getvalue()


def _half_zip(whole: Callable[[], bytes]) -> Callable[[], bytes]:
    return lambda: whole()[: len(whole()) // 2]


def _bad_member() -> bytes:
    """A workbook whose sheet is damaged in the middle: the directory is whole."""
    content = bytearray(openpyxl_book(("People", TABLE * 20))())
    with zipfile.ZipFile(io.BytesIO(bytes(content))) as archive:
        sheet = archive.getinfo("xl/worksheets/sheet1.xml")
    middle = sheet.header_offset + 30 + len(sheet.filename) + sheet.compress_size // 2
    content[middle : middle + 8] = b"\xff" * 8
    return bytes(content)


def _always(content: bytes) -> Callable[[], bytes]:
    return lambda: content


CASES = [
    Case("wrong-empty.csv", _always(b""), refused="empty"),
    Case("wrong-only-a-mark.csv", _always(b"\xef\xbb\xbf"), refused="empty|nothing"),
    Case("wrong-only-spaces.csv", _always(b"  \r\n \r\n"), refused="empty|no row|nothing"),
    Case("wrong-one-byte.csv", _always(b"x"), refused="number|phone|telephone|column|row"),
    Case("wrong-one-nul.csv", _always(b"\0"), refused="text|table|binary|empty|number|character"),
    Case("wrong-pdf.csv", _always(PDF), refused="PDF"),
    Case("wrong-pdf.pdf", _always(PDF), refused="PDF"),
    Case("wrong-web-page.csv", _always(PAGE.encode()), refused="web page|HTML"),
    Case("wrong-web-page.html", _always(PAGE.encode()), refused="web page|HTML"),
    Case("wrong-web-page-as-workbook.xlsx", _always(PAGE.encode()), refused="web page|HTML"),
    Case("wrong-table-in-a-web-page.xls", _always(HTML_TABLE.encode()), refused="web page|HTML"),
    Case("wrong-xls.xls", _always(XLS), refused=r"\.xls|Excel 97|older|Excel"),
    Case("wrong-xls-named-csv.csv", _always(XLS), refused=r"\.xls|Excel 97|older|Excel"),
    Case("wrong-xls-named-xlsx.xlsx", _always(XLS), refused=r"\.xls|Excel 97|older|Excel|password"),
    Case("wrong-picture.png", lambda: _png(), refused="image|picture|PNG"),
    Case("wrong-picture.csv", lambda: _png(), refused="image|picture|PNG"),
    Case("wrong-jpeg.jpg", _always(b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xd9"), refused="image|picture|JPEG"),
    Case("wrong-gif.csv", _always(b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"), refused="image|picture|GIF"),
    Case("wrong-program.csv", _always(b"\x7fELF\2\1\1" + b"\0" * 57 + bytes(range(256)) * 4), refused="program|binary|text|table"),
    Case("wrong-rich-text.rtf", _always(RTF), refused="RTF|rich text|document|not a table"),
    Case("wrong-document.docx", packed(("[Content_Types].xml", _always(b"<Types/>")), ("word/document.xml", _always(b"<document/>"))), refused="Word|document|no table|workbook|sheet"),
    Case("wrong-sqlite.db", _always(b"SQLite format 3\0" + b"\x10\0\1\1\0\x40\x20\x20" + b"\0" * 500), refused="SQLite|database"),
    Case("wrong-parquet.parquet", _always(b"PAR1\x15\4\x15\x10\x15\x14" + b"\0" * 40 + b"PAR1"), refused="Parquet"),
    Case("wrong-arrow.arrow", _always(b"ARROW1\0\0\xff\xff\xff\xff" + b"\0" * 40 + b"ARROW1"), refused="Arrow"),
    Case("wrong-tar.tar", lambda: _tar(), refused="tar|archive"),
    Case("wrong-tar.tar.gz", lambda: gzip.compress(_tar(), mtime=0), refused="tar|archive"),
    Case("wrong-7z.7z", _always(b"7z\xbc\xaf\x27\x1c\0\4" + b"\0" * 40), refused="7z|7-Zip|archive"),
    Case("wrong-rar.rar", _always(b"Rar!\x1a\7\1\0" + b"\0" * 40), refused="RAR|archive"),
    Case("wrong-xml.xml", _always(b"<?xml version='1.0'?><contacts><contact phone='+447700900101'/></contacts>"), refused="XML"),
    Case("wrong-half-a-workbook.xlsx", _half_zip(openpyxl_book(("People", TABLE))), refused="cut|broken|damaged|incomplete|end|ZIP|zip"),
    Case("wrong-damaged-workbook.xlsx", _bad_member, refused="cut|broken|damaged|corrupt|incomplete"),
    Case("wrong-half-a-zip.zip", _half_zip(packed(("people.csv", text(TABLE)))), refused="cut|broken|damaged|incomplete|end|ZIP|zip"),
    Case("wrong-random-bytes.csv", lambda: zlib.compress(bytes(range(256)) * 64, 9)[2:] * 20, refused="text|table|binary|encoding|character"),
    Case("named-wrong-workbook.csv", openpyxl_book(("People", TABLE)), PEOPLE),
    Case("named-wrong-text.xlsx", text(TABLE), PEOPLE),
    Case("named-nothing", text(TABLE), PEOPLE),
    Case("named-wrong-zip.csv", packed(("people.csv", text(TABLE))), PEOPLE),
]  # fmt: skip
