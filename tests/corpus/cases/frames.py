"""Text files as pandas writes them, with what pandas makes of numbers, dates and gaps on the way; and packed ones."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from typing import Any

import pandas as pd

from cases.cards import card
from cases.text import text
from model import (
    COLUMN,
    HEADS,
    MEMBER,
    PEOPLE,
    ROWS,
    TABLE,
    Case,
    Consent,
    Left,
    Options,
    mobile,
    national,
    person,
    row,
)


def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=HEADS)


def frame_csv(make: Callable[[], pd.DataFrame], encoding: str = "utf-8", **form: Any) -> Callable[[], bytes]:
    def write() -> bytes:
        out = io.BytesIO()
        make().to_csv(out, **({"index": False, "encoding": encoding} | form))
        return out.getvalue()

    return write


def numbers_frame(**more: list[Any]) -> pd.DataFrame:
    """Numbers as numbers: a gap among them makes all of them floats."""
    return pd.DataFrame({"name": ["Ada", "Zoë", "José"], "phone": [447700900101, 447700900102, 447700900103], **more})


def gap_frame() -> pd.DataFrame:
    return pd.DataFrame({"name": ["Ada", "Zoë", "José"], "phone": [447700900101, None, 447700900103]})


_NAMED = [{"name": name, "phone_number": mobile(101 + at)} for at, name in enumerate(("Ada", "Zoë", "José"))]
_BORN = pd.to_datetime(["1990-03-14", "1985-12-01", "2001-07-30"])
_SEEN = pd.to_datetime(["2026-01-05 09:00:00.123456", "2026-01-06 10:30:00", "2026-01-07 00:00:00"], format="ISO8601")

FRAMES = [
    Case("pandas.csv", frame_csv(frame), PEOPLE),
    Case("pandas-tab-utf-16.tsv", frame_csv(frame, "utf-16", sep="\t"), PEOPLE),
    Case("pandas-semicolon-latin-1.csv", frame_csv(frame, "latin-1", sep=";"), PEOPLE),
    Case("pandas-pipe.csv", frame_csv(frame, sep="|"), PEOPLE),
    Case("pandas-quote-all.csv", frame_csv(frame, quoting=1), PEOPLE),
    Case("pandas-backslash.csv", frame_csv(frame, quoting=3, escapechar="\\"), [one for at, one in enumerate(PEOPLE) if at != 2], rejected=[(4, "José")]),
    Case("pandas-index.csv", frame_csv(frame, index=True), PEOPLE, left=[Left(COLUMN, "?")]),
    Case("pandas-named-index.csv", frame_csv(lambda: frame().rename_axis("row"), index=True), PEOPLE, left=[Left(COLUMN, "row")]),
    Case("pandas-phone-as-index.csv", frame_csv(lambda: frame().set_index("Mobile"), index=True), PEOPLE),
    Case("pandas-numbers.csv", frame_csv(numbers_frame), _NAMED),
    Case("pandas-numbers-with-gap.csv", frame_csv(gap_frame), [_NAMED[0], _NAMED[2]], rejected=[(3, "Zoë")]),
    Case("pandas-gap-as-nan.csv", frame_csv(gap_frame, na_rep="NaN"), [_NAMED[0], _NAMED[2]], rejected=[(3, "Zoë")]),
    Case("pandas-float-format.csv", frame_csv(gap_frame, float_format="%.2f"), [_NAMED[0], _NAMED[2]], rejected=[(3, "Zoë")]),
    Case("pandas-float-exponent.csv", frame_csv(gap_frame, float_format="%.2E"), rejected=[(2, "Ada"), (3, "Zoë"), (4, "José")]),
    Case("pandas-decimal-comma.csv", frame_csv(gap_frame, sep=";", decimal=","), [_NAMED[0], _NAMED[2]], rejected=[(3, "Zoë")]),
    Case("pandas-birthday.csv", frame_csv(lambda: numbers_frame(birthday=_BORN)), [{**one, "date_of_birth": str(born)[:10]} for one, born in zip(_NAMED, _BORN)]),
    Case("pandas-time-of-last-visit.csv", frame_csv(lambda: numbers_frame(last_visit=_SEEN)), _NAMED, left=[Left(COLUMN, "last_visit")]),
    Case("pandas-booleans.csv", frame_csv(lambda: numbers_frame(opted_out=[False, True, False])), _NAMED, frozenset([mobile(102)]), left=[Left(COLUMN, "opted_out")], options=Options(consent=Consent("opted_out", ("True",)))),
    Case("pandas-categories.csv", frame_csv(lambda: numbers_frame(tier=pd.Categorical(["gold", "silver", "gold"]))), _NAMED, left=[Left(COLUMN, "tier")]),
    Case("pandas-markdown-mail.csv", frame_csv(lambda: numbers_frame(email=["ada@example.com", None, "jose@example.com"])), [{**_NAMED[0], "email_address": "ada@example.com"}, _NAMED[1], {**_NAMED[2], "email_address": "jose@example.com"}]),
]  # fmt: skip


def packed(*members: tuple[str, Callable[[], bytes]], deflated: bool = True) -> Callable[[], bytes]:
    """A zip archive whose members are all from one time."""

    def write() -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED) as archive:
            for name, content in members:
                archive.writestr(
                    zipfile.ZipInfo(name, (2026, 1, 5, 9, 0, 0)), content(), compress_type=archive.compression
                )
        return out.getvalue()

    return write


def gzipped(content: Callable[[], bytes]) -> Callable[[], bytes]:
    return lambda: gzip.compress(content(), mtime=0)


FIRST = text([HEADS, row(0), row(1)])
REST = text([HEADS, row(2), row(3), row(4)])
CARDS = card(3.0, person(0))
PACKED = [
    Case("packed.csv.gz", gzipped(text(TABLE)), PEOPLE),
    Case("packed-without-ending.gz", gzipped(text(TABLE, delimiter=";")), PEOPLE),
    Case("packed-twice.csv.gz", lambda: gzip.compress(FIRST(), mtime=0) + gzip.compress(REST()[len(",".join(HEADS)) + 2 :], mtime=0), PEOPLE),
    Case("packed-vcard.vcf.gz", gzipped(card(3.0, person(0))), [person(0)]),
    Case("pandas-gzip.csv.gz", frame_csv(frame, compression={"method": "gzip", "mtime": 1}), PEOPLE),
    Case("pandas-zip.zip", packed(("frame.csv", frame_csv(frame))), PEOPLE),
    Case("packed-stored.zip", packed(("people.csv", text(TABLE)), deflated=False), PEOPLE),
    Case("packed-in-folder.zip", packed(("export/", lambda: b""), ("export/people.csv", text(TABLE))), PEOPLE),
    Case("packed-two-tables.zip", packed(("first.csv", FIRST), ("rest.csv", REST)), PEOPLE, left=[Left(MEMBER, "rest.csv")], options=Options(all_sheets=True)),
    Case("packed-table-and-text.zip", packed(("people.csv", text(TABLE)), ("readme.txt", lambda: b"Made on 5 January 2026.\n")), PEOPLE, left=[Left(MEMBER, "readme.txt")]),
    Case("packed-by-a-mac.zip", packed(("people.csv", text(TABLE)), ("__MACOSX/._people.csv", lambda: b"\0\5\26\7\0\2\0\0Mac OS X")), PEOPLE),
    Case("packed-another-file.zip", packed(("people.csv", text(TABLE)), ("STOP.vcf", card(3.0, person(7)))), refused="its name says that everyone in it opted out"),
    Case("packed-cards.zip", packed(("ada.vcf", CARDS), ("zoe.vcf", card(3.0, person(1)))), [person(0), person(1)], left=[Left(MEMBER, "zoe.vcf")], options=Options(all_sheets=True)),
    Case("packed-nothing.zip", packed(), refused="empty|no file|nothing|no table|no member"),
    Case("packed-picture.zip", packed(("photo.png", lambda: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")), refused="image|picture|PNG|not a table|no table"),
    Case("packed-cut-off.csv.gz", lambda: gzipped(text(TABLE * 40))()[:-40], refused="cut|broken|damaged|incomplete|ends"),
]  # fmt: skip

_HALF = text([[*HEADS, "Shoe size"], *([*row(at), 38] for at in (3, 4))])
SEVERAL = [
    Case("several-first.csv", FIRST, PEOPLE, more=[("several-rest.csv", REST)]),
    Case("several-other-columns.csv", text([HEADS, row(0), row(1), row(2)]), PEOPLE, left=[Left(COLUMN, "Shoe size")], more=[("several-shoes.csv", _HALF)]),
    Case("several-kinds.csv", FIRST, [person(0), person(1), person(2)], more=[("several-card.vcf", card(3.0, person(2)))]),
    Case("several-national.csv", text([["Name", "Mobile"], ["Ada", national(mobile(101))]]), [{"name": "Ada", "phone_number": mobile(101)}, {"name": "Zoë", "phone_number": mobile(102)}], more=[("several-national-2.csv", text([["Mobile", "Name"], [national(mobile(102)), "Zoë"]]))]),
]  # fmt: skip

CASES = [*FRAMES, *PACKED, *SEVERAL]
