"""Random tables by several writers: every cell is in the account, in a rejected row, or in the ledger.

Each cell has a text that is nowhere else, so that it is found wherever it came to.
Usage: random_tables.py [--quick]   with ROOST_BIN naming another binary than the one that was built.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import roost
from cases.documents import ods
from cases.records import as_json
from cases.text import text
from cases.workbooks import openpyxl_book, xlsxwriter_book
from model import CELL, mobile
from roost import FOLDER, LIST, Entry

HERE = FOLDER / "random-tables"
TABLES = 150
SEED = 20260105

Table = Sequence[Sequence[str]]
KNOWN = ["First name", "Last name", "Email", "City", "Postcode", "Country", "Company", "Title", "Address line 1"]
UNKNOWN = ["Shoe size", "Branch", "Ref", "Colour", "Shelf", "Weight", "Lane"]


def as_records(table: Table) -> Callable[[], bytes]:
    heads, *rows = table
    return as_json([{head: cell for head, cell in zip(heads, row, strict=False) if cell} for row in rows])


WRITERS: dict[str, Callable[[Table], Callable[[], bytes]]] = {
    "comma.csv": text,
    "semicolon.csv": lambda table: text(table, delimiter=";"),
    "tab.tsv": lambda table: text(table, "utf-16", delimiter="\t"),
    "openpyxl.xlsx": lambda table: openpyxl_book(("Sheet1", table)),
    "xlsxwriter.xlsx": xlsxwriter_book,
    "odfpy.ods": lambda table: ods(("Sheet1", table)),
    "records.json": as_records,
}


def random_table(chance: random.Random, has_surplus: bool) -> Table:
    """Columns with a meaning and without, gaps, rows without a number, and cells beyond the last column."""
    known = chance.sample(KNOWN, chance.randint(2, 6))
    unknown = chance.sample(UNKNOWN, chance.randint(0, 4))
    heads = [*known, *unknown, "Mobile"]
    chance.shuffle(heads)
    rows = []
    for at in range(chance.randint(5, 40)):
        cells = [f"v{at}k{column}v" if chance.random() < 0.8 else "" for column in range(len(heads))]
        cells[heads.index("Mobile")] = mobile(at) if chance.random() < 0.9 else f"x{at}x"
        if has_surplus and chance.random() < 0.1:
            cells.append(f"v{at}k{len(heads)}v")
        rows.append(cells)
    return [heads, *rows]


def lost_cells(table: Table, account: str, rejects: str, entries: Sequence[Entry]) -> list[str]:
    heads, *rows = table
    left = {one.text.split(":")[0] for one in entries}
    has_surplus = any(one.kind == CELL for one in entries)
    found = []
    for row in rows:
        for column, cell in enumerate(row):
            is_named = heads[column] in left if column < len(heads) else has_surplus
            if cell and not (cell in account or cell in rejects or is_named):
                found.append(f"{cell} of column {column} is nowhere")
    return found


def read_drafts(db: Path) -> str:
    """The values that wait in their cells until somebody fixes them."""
    with closing(sqlite3.connect(db)) as connection:
        return " ".join(text for (text,) in connection.execute("SELECT text FROM drafts"))


def check_table(at: int) -> list[str]:
    chance = random.Random(SEED + at)
    writer = list(WRITERS)[at % len(WRITERS)]
    table = random_table(chance, has_surplus=writer != "records.json")
    folder = roost.fresh_folder(HERE / str(at))
    path, db, rejects = folder / writer, folder / "account.db", folder / "rejects.csv"
    path.write_bytes(WRITERS[writer](table)())
    shutil.copy(HERE / "empty.db", db)
    run = roost.run("import", path, "--db", db, "--list", LIST, "--json", "--ignore-rest", "--rejects", rejects)
    name = f"{at} {writer}"
    if not run.out.startswith("{"):
        return [f"{name}: {run.said}"]
    report = roost.read_report(run.out)
    found = [f"sums: {one}" for one in roost.sum_differences(report.raw)]
    # A record has no heading row.
    counted = table[1:] if writer == "records.json" else table
    cells = sum(1 for row in counted for cell in row if cell)
    if report.raw["ledger"]["cells"]["all"] != cells:
        found.append(f"there are {cells} cells, and the ledger has {report.raw['ledger']['cells']}")
    account = roost.run("export", "--db", db).out + read_drafts(db)
    kept = rejects.read_text("utf-8-sig") if rejects.exists() else ""
    return [f"{name}: {one}" for one in found + lost_cells(table, account, kept, report.entries)]


def main() -> int:
    begun = time.monotonic()
    count = TABLES // 5 if "--quick" in sys.argv else TABLES
    roost.fresh_folder(HERE)
    roost.make_empty_account(HERE / "empty.db")
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        failures = [one for each in workers.map(check_table, range(count)) for one in each]
    for one in failures:
        print(one)
    print(f"{count} random tables: {len(failures)} failures; {time.monotonic() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
