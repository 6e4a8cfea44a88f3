"""All files of the corpus."""

from __future__ import annotations

import datetime
import time
from pathlib import Path
from unittest import mock

from cases import cards, documents, frames, programs, records, text, values, workbooks, wrong
from model import Case

CASES: list[Case] = [
    *text.CASES,
    *values.CASES,
    *frames.CASES,
    *workbooks.CASES,
    *documents.CASES,
    *cards.CASES,
    *records.CASES,
    *programs.CASES,
    *wrong.CASES,
]


# Workbooks and archives hold the time at which they are written.
NOW = datetime.datetime(2026, 1, 5, 9, 0, 0)


class StoppedClock(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> StoppedClock:
        return cls(*NOW.timetuple()[:6], tzinfo=tz)


def write_files(folder: Path) -> None:
    """Writes every file of every case, each with its own name; the same bytes each time."""
    folder.mkdir(parents=True)
    stopped = time.struct_time(NOW.timetuple())
    with (
        mock.patch("time.localtime", lambda _seconds=None: stopped),
        mock.patch("openpyxl.writer.excel.datetime.datetime", StoppedClock),
        mock.patch("xlsxwriter.core.datetime", StoppedClock),
    ):
        for case in CASES:
            for name, content in ((case.file, case.content), *case.more):
                path = folder / name
                assert not path.exists(), f"{name} is the name of two files"
                path.write_bytes(content())
