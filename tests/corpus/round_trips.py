"""Writes an account of nasty values in every format, reads it with other programs' readers, and imports it again.

Usage: round_trips.py [--quick]   with ROOST_BIN naming another binary than the one that was built.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import vobject

import roost
from model import mobile
from roost import FOLDER, LIST

HERE = FOLDER / "round-trips"
CONTACTS = 500 if "--quick" in sys.argv else 10_000
SEED = 20260105

NASTY = [
    # Formulas, and what looks like the guard before one.
    "=1+1", "+SUM(A1:A9)", "-2+3", "@cmd", "'=1+1", "'quoted", "''two", "%0A=1",
    # Quotes, separators, line ends, and what is an escape somewhere.
    '"both"', 'say "no", twice', "a,b", "a;b", "a\tb", "a|b", "line\nfeed", "carriage\rreturn", "both\r\nends",
    "\nfeed first", "feed last\n", "back\\slash\\n; \\,", "_x0041_ escaped", "<b>&amp;</b>", "BEGIN:VCARD",
    # White space, seen and unseen.
    " before", "behind ", "  two  inside  ", "\u00a0hard\u00a0", "zero\u200bwidth", "\ufeffmark", "\u2028separator",
    # What spreadsheets make something else of.
    "#REF!", "#N/A", "TRUE", "NULL", "nan", "007", "1e5", "4.48E+11", "12345678901234567890", "0.10", "2026-01-05",
    "03/04/1990", "12:30",
    # Letters.
    "שלום עולם", "\u202eback\u202c", "👩‍👩‍👧‍👦 family", "e\u0301 and \u00e9", "\u2400 is NUL", "\x7fdelete",
]  # fmt: skip
assert len(NASTY) == len(set(NASTY)) == 49

# Names of fields, and whether a vCard has a property for them.
FIELDS = {
    "firstname": True,
    "lastname": True,
    "title": True,
    "company_name": True,
    "email_address": True,
    "address_1": True,
    "city": True,
    "state": True,
    "zip": True,
    "country": True,
    "date_of_birth": False,
    "field_1": False,
    "field_2": False,
}
LONGEST = {"zip": 24, "title": 30}
# Area codes whose 555-0100 to 555-0199 are reserved for fiction.
AREA_CODES = [
    201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229, 231, 234,
    239, 240, 248, 251, 252, 253, 254, 256, 260, 262, 267, 269, 270, 276, 281, 301, 302, 303, 304, 305, 307, 308, 309,
    310, 312, 313, 314, 315, 316, 317, 318, 319, 320, 321, 323, 325, 330, 334, 336, 337, 347, 351, 352, 360, 361, 386,
    401, 402, 404, 405, 406, 407, 408, 409, 410, 412, 413, 414, 415, 417, 419, 423, 425, 430, 432, 434, 435,
]  # fmt: skip

Row = dict[str, str]

# One of so many opted out.
OPTED_OUT_EVERY = 7


def numbers() -> list[str]:
    return [mobile(at) for at in range(1000)] + [
        f"+1{code}555{at:04d}" for code in AREA_CODES for at in range(100, 200)
    ]


def people() -> list[Row]:
    """Every nasty value in every field at least once, the rest by chance."""
    chance = random.Random(SEED)
    made = []
    for at, number in enumerate(numbers()[:CONTACTS]):
        one = {"phone_number": number}
        for place, name in enumerate(FIELDS):
            value = (
                NASTY[(at + place * 7) % len(NASTY)] if at < len(NASTY) else chance.choice([*NASTY, "", "", "plain"])
            )
            if value and len(value) <= LONGEST.get(name, 50):
                one[name] = value
        made.append(one)
    return made


def opted_out() -> frozenset[str]:
    return frozenset(numbers()[:CONTACTS:OPTED_OUT_EVERY])


# ---- Readers: each gives the rows of a file as mappings of its own names.


def read_csv(separator: str) -> Callable[[bytes], Iterable[Row]]:
    def read(content: bytes) -> Iterable[Row]:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=separator))
        frame = pd.read_csv(io.BytesIO(content), sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        # pandas makes one line end of the three; they are compared by what `csv` reads.
        assert len(frame) == len(rows), f"csv reads {len(rows)} rows, pandas {len(frame)}"
        return rows

    return read


def _unescaped(text: str) -> str:
    """Office Open XML writes what XML cannot hold as `_x000D_`, and such a text itself as `_x005F_x000D_`."""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match[1], 16)), text)


def read_xlsx(content: bytes) -> Iterable[Row]:
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    made: list[Row] = []
    for sheet in book.worksheets:
        rows = sheet.iter_rows()
        heads = [str(cell.value) for cell in next(rows)]
        for cells in rows:
            kinds = {cell.data_type for cell in cells if cell.value is not None}
            assert kinds <= {"s", "inlineStr"}, f"a text is stored as {kinds}"
            values = ["" if cell.value is None else _unescaped(str(cell.value)) for cell in cells]
            made.append(dict(zip(heads, values, strict=False)))
    frame = pd.read_excel(io.BytesIO(content), dtype=str, keep_default_na=False)
    assert len(frame) == len(made), f"openpyxl reads {len(made)} rows, pandas {len(frame)}"
    return made


def read_cards(content: bytes) -> Iterable[Row]:
    for card in vobject.readComponents(content.decode()):
        found: Row = {}
        name = card.n.value if hasattr(card, "n") else vobject.vcard.Name()
        found |= {"firstname": _joined(name.given), "lastname": _joined(name.family), "title": _joined(name.prefix)}
        found["phone_number"] = card.tel.value.removeprefix("tel:")
        if hasattr(card, "email"):
            found["email_address"] = card.email.value
        if hasattr(card, "org"):
            found["company_name"] = card.org.value[0]
        if hasattr(card, "adr"):
            adr = card.adr.value
            found |= {"address_1": _joined(adr.street), "city": _joined(adr.city), "state": _joined(adr.region)}
            found |= {"zip": _joined(adr.code), "country": _joined(adr.country)}
        yield found


def _joined(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ",".join(value)


def read_lines(content: bytes) -> Iterable[Row]:
    return [
        {name: value for name, value in json.loads(line).items() if isinstance(value, str)}
        for line in content.decode().split("\n")
        if line
    ]


@dataclass(frozen=True)
class Format:
    name: str
    flags: Sequence[str]
    ending: str
    read: Callable[[bytes], Iterable[Row]]
    # What a cell may be instead of the value: a spreadsheet is kept from running it.
    guarded: bool = False
    is_card: bool = False


FORMATS = [
    Format("csv", ["--format", "csv"], "csv", read_csv(","), guarded=True),
    Format("csv-semicolon-bom", ["--format", "csv", "--separator", "semicolon", "--bom"], "csv", read_csv(";"), guarded=True),
    Format("csv-tab-no-guard", ["--format", "csv", "--separator", "tab", "--no-guard"], "tsv", read_csv("\t")),
    Format("xlsx", ["--format", "xlsx"], "xlsx", read_xlsx),
    Format("vcf", ["--format", "vcf"], "vcf", read_cards, is_card=True),
    Format("vcf3", ["--format", "vcf3"], "vcf", read_cards, is_card=True),
    Format("jsonl", ["--format", "jsonl"], "jsonl", read_lines),
]  # fmt: skip

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def differences(wanted: Mapping[str, Row], got: Iterable[Row], form: Format | None, names: Iterable[str]) -> list[str]:
    """What differs between people by their numbers: at most a few of each kind of value."""
    found: dict[str, str] = {}
    left = dict(wanted)
    for actual in got:
        number = actual.get("phone_number", "").removeprefix("'")
        expected = left.pop(number, None)
        if expected is None:
            found.setdefault(f"unknown {number}"[:9], f"an unknown row: {actual}")
            continue
        for name in names:
            value, read = expected.get(name, ""), actual.get(name, "") or ""
            # A text that looks guarded already is guarded in every text.
            may_be_guarded = form and (form.guarded or (form.ending in ("csv", "tsv") and value.startswith("'")))
            allowed = {value, f"'{value}"} if may_be_guarded else {value}
            if form and form.guarded and value.startswith(_FORMULA):
                allowed.remove(value)
            if form and form.is_card:
                # A card knows one line end.
                allowed.add(re.sub("\r\n?", "\n", value))
            if read not in allowed:
                found.setdefault(value, f"{name} of {number}: expected {value!r}, got {read!r}")
    if left:
        found["missing"] = f"{len(left)} of {len(wanted)} are missing, such as {next(iter(left.values()))}"
    return list(found.values())


def check_format(at: int, account: Path, empty: Path) -> list[str]:
    """One format, out and in again: by its place, for a format does not go to another process."""
    form = FORMATS[at]
    wanted = {one["phone_number"]: one for one in people()}
    folder = roost.fresh_folder(HERE / form.name)
    out, own, back = folder / f"people.{form.ending}", folder / "account.db", folder / "back.db"
    # An account is open in one process at a time.
    shutil.copy(account, own)
    exported = roost.run("export", "--db", own, *form.flags, "--out", out)
    if exported.status != 0:
        return [f"export failed: {exported.said}"]
    names = [name for name, has_property in FIELDS.items() if has_property or not form.is_card]
    found: list[str] = []
    try:
        found += [f"read: {one}" for one in differences(wanted, form.read(out.read_bytes()), form, names)]
    except Exception as error:
        found.append(f"read: {error!r}"[:400])
    shutil.copy(empty, back)
    list_column = "Groups" if form.is_card else "list"
    count = str(len(opted_out()))
    imported = roost.run(
        "import", out, "--db", back, "--list", LIST, "--json", "--ignore-columns", list_column, "--opt-outs", count
    )
    if not imported.out.startswith("{"):
        return [*found, f"import: {imported.said[:400]}"]
    if imported.status != 0:
        entries = roost.read_report(imported.out).entries
        reasons = json.loads(imported.out)["reasons"]
        found.append(f"import: exit {imported.status}: {[one.text for one in entries][:6]}, {reasons}")
    held = roost.read_account(back)
    found += [f"import: {one}" for one in differences(wanted, held.contacts, None, FIELDS)]
    if held.opt_outs != opted_out():
        found.append(f"import: {len(held.opt_outs)} opted out, not {count}")
    return found


def write_seed(path: Path) -> None:
    seed: dict[str, Any] = {
        "custom_fields": ["Field 1", "Field 2", "Field 3"],
        "lists": [{"name": LIST, "contacts": people()}],
        "opt_outs": [{"number": number, "channel": "SMS"} for number in sorted(opted_out())],
    }
    path.write_text(json.dumps(seed))


def main() -> int:
    begun = time.monotonic()
    roost.fresh_folder(HERE)
    seed, account, empty = HERE / "seed.json", HERE / "account.db", HERE / "empty.db"
    write_seed(seed)
    with roost.server("--db", str(account), "--seed", str(seed)):
        pass
    roost.make_empty_account(empty)
    held = roost.read_account(account)
    wanted = {one["phone_number"]: one for one in people()}
    failures = [f"seed: {one}" for one in differences(wanted, held.contacts, None, FIELDS)]
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        jobs = [(form, workers.submit(check_format, at, account, empty)) for at, form in enumerate(FORMATS)]
        for form, job in jobs:
            failures += [f"{form.name}: {one}" for one in job.result()]
    for one in failures:
        print(one)
    print(
        f"{CONTACTS} contacts through {len(FORMATS)} formats: {len(failures)} failures; {time.monotonic() - begun:.0f} s"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
