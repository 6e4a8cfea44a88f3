"""XLSX workbooks by openpyxl, xlsxwriter and pandas."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
import pandas as pd
import xlsxwriter
from openpyxl.cell.cell import MergedCell
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table as SheetTable

from cases.frames import frame, gap_frame, numbers_frame
from model import (
    CELL,
    COLUMN,
    HEADS,
    PEOPLE,
    ROUNDED,
    SHEET,
    SPACE,
    TABLE,
    Case,
    Consent,
    Contact,
    Left,
    Options,
    landline,
    mobile,
    national,
    person,
    row,
)

Rows = Sequence[Sequence[Any]]
MADE = datetime.datetime(2026, 1, 5, 9, 0, 0)
BORN = datetime.date(1990, 3, 14)


def openpyxl_book(
    *sheets: tuple[str, Rows], change: Callable[[openpyxl.Workbook], None] = lambda _: None
) -> Callable[[], bytes]:
    """Sheets of rows, and what is changed in the workbook afterwards."""

    def write() -> bytes:
        book = openpyxl.Workbook()
        book.properties.created = book.properties.modified = MADE
        for at, (name, rows) in enumerate(sheets):
            sheet = book.active if at == 0 else book.create_sheet()
            sheet.title = name
            for one in rows:
                sheet.append(list(one))
        change(book)
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()

    return write


Change = Callable[[Any, Any], None]


def xlsxwriter_book(rows: Rows, change: Change = lambda _book, _sheet: None, **options: Any) -> Callable[[], bytes]:
    """One sheet "People" of rows, and what is changed in it afterwards."""

    def write() -> bytes:
        out = io.BytesIO()
        book = xlsxwriter.Workbook(out, {"in_memory": True, **options})
        book.set_properties({"created": MADE})
        sheet = book.add_worksheet("People")
        for at, one in enumerate(rows):
            sheet.write_row(at, 0, one)
        change(book, sheet)
        book.close()
        return out.getvalue()

    return write


def pandas_book(engine: str, *sheets: tuple[str, Callable[[], pd.DataFrame]], **form: Any) -> Callable[[], bytes]:
    def write() -> bytes:
        out = io.BytesIO()
        with pd.ExcelWriter(out, engine=engine) as writer:
            for name, make in sheets:
                make().to_excel(writer, sheet_name=name, **({"index": False} | form))
        return out.getvalue()

    return write


def styled(cell: str, number_format: str) -> Callable[[openpyxl.Workbook], None]:
    def change(book: openpyxl.Workbook) -> None:
        for one in book.active[cell]:
            for each in one:
                each.number_format = number_format

    return change


def on_sheet(act: Callable[[Any], None]) -> Callable[[openpyxl.Workbook], None]:
    return lambda book: act(book.active)


NAMES = ["Ada", "Zoë", "José"]
NAMED: list[Contact] = [{"firstname": name, "phone_number": mobile(101 + at)} for at, name in enumerate(NAMES)]


def column(head: str, cells: Sequence[Any]) -> Rows:
    """Names, numbers as text, and one more column."""
    return [["First name", "Mobile", head], *([name, mobile(101 + at), cells[at]] for at, name in enumerate(NAMES))]


def numeric(cells: Sequence[Any]) -> Rows:
    return [["First name", "Mobile"], *([name, cells[at]] for at, name in enumerate(NAMES))]


FULL = [447700900101, 447700900102, 447700900103]


def _merge_title(sheet: Any) -> None:
    sheet.insert_rows(1, 2)
    sheet["A1"] = "Customers of the spring"
    sheet.merge_cells("A1:E1")


def _indent(sheet: Any) -> None:
    sheet.move_range("A1:E6", rows=3, cols=2)


def _merge_cities(sheet: Any) -> None:
    sheet.merge_cells("E2:E3")
    assert isinstance(sheet["E3"], MergedCell)


def _comment(sheet: Any) -> None:
    sheet["C2"].comment = Comment("call after six", "Ada")
    sheet.auto_filter.ref = "A1:E6"
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["D"].hidden = True


def _hide(book: openpyxl.Workbook, state: str = "hidden") -> None:
    book.worksheets[1].sheet_state = state


def _table(sheet: Any) -> None:
    sheet.add_table(SheetTable(displayName="People", ref="A1:E6"))


NOTE = ("Read me", [["Made on 5 January 2026"]])
PEOPLE_SHEET = ("People", TABLE)
FIRST = ("North", [HEADS, row(0), row(1)])
REST = ("South", [HEADS, row(2), row(3), row(4)])
OTHER = ("South", [HEADS[::-1], *(row(at)[::-1] for at in (2, 3, 4))])

OPENPYXL = [
    Case("openpyxl.xlsx", openpyxl_book(PEOPLE_SHEET), PEOPLE),
    Case("openpyxl-numbers.xlsx", openpyxl_book(("People", numeric(FULL))), NAMED),
    Case("openpyxl-floats.xlsx", openpyxl_book(("People", numeric([float(one) for one in FULL]))), NAMED),
    Case("openpyxl-numbers-shown-shortened.xlsx", openpyxl_book(("People", numeric(FULL)), change=styled("B2:B4", "0.00E+00")), NAMED),
    Case("openpyxl-numbers-with-separators.xlsx", openpyxl_book(("People", numeric(FULL)), change=styled("B2:B4", "#,##0")), NAMED),
    Case("openpyxl-numbers-with-plus-format.xlsx", openpyxl_book(("People", numeric(FULL)), change=styled("B2:B4", '"+"00 0000 000000')), NAMED),
    Case("openpyxl-numbers-with-zero-format.xlsx", openpyxl_book(("People", numeric([7700900101, 7700900102, 7700900103])), change=styled("B2:B4", "00000000000")), NAMED, options=Options(country="GB")),
    Case("openpyxl-numbers-lost-zero.xlsx", openpyxl_book(("People", numeric([7700900101, 7700900102, 7700900103]))), NAMED, options=Options(country="GB")),
    Case("openpyxl-number-with-fraction.xlsx", openpyxl_book(("People", numeric([447700900101, 447700900102.5, 447700900103]))), [NAMED[0], NAMED[2]], rejected=[(3, "Zoë")]),
    Case("openpyxl-birthday.xlsx", openpyxl_book(("People", column("Birthday", [BORN] * 3))), [{**one, "date_of_birth": "1990-03-14"} for one in NAMED]),
    Case("openpyxl-birthday-with-time.xlsx", openpyxl_book(("People", column("Birthday", [datetime.datetime(1990, 3, 14)] * 3))), [{**one, "date_of_birth": "1990-03-14"} for one in NAMED]),
    Case("openpyxl-birthday-own-format.xlsx", openpyxl_book(("People", column("Birthday", [BORN] * 3)), change=styled("C2:C4", "dd/mm/yy")), [{**one, "date_of_birth": "1990-03-14"} for one in NAMED]),
    Case("openpyxl-birthday-1904.xlsx", openpyxl_book(("People", column("Birthday", [BORN] * 3)), change=lambda book: setattr(book, "epoch", openpyxl.utils.datetime.CALENDAR_MAC_1904)), [{**one, "maybe": "date_of_birth"} for one in NAMED]),
    Case("openpyxl-times.xlsx", openpyxl_book(("People", column("Call at", [datetime.time(9, 30)] * 3))), NAMED, left=[Left(COLUMN, "Call at")]),
    Case("openpyxl-error-cells.xlsx", openpyxl_book(("People", column("City", ["York", "#REF!", "#N/A"]))), [{**NAMED[0], "city": "York"}, NAMED[1], NAMED[2]], left=[Left(CELL, "#REF!"), Left(CELL, "#N/A")]),
    Case("openpyxl-formula-without-value.xlsx", openpyxl_book(("People", column("City", ["York", '=UPPER("Bath")', "Leeds"]))), [{**NAMED[0], "city": "York"}, NAMED[1], {**NAMED[2], "city": "Leeds"}], left=[Left(CELL, "")]),
    Case("openpyxl-two-sheets-one-table.xlsx", openpyxl_book(FIRST, REST), PEOPLE),
    Case("openpyxl-two-sheets-second.xlsx", openpyxl_book(FIRST, OTHER), PEOPLE[2:], left=[Left(SHEET, "South")], options=Options(sheet="South")),
    Case("openpyxl-two-sheets-other-order.xlsx", openpyxl_book(FIRST, OTHER), PEOPLE, left=[Left(SHEET, "South")], options=Options(all_sheets=True)),
    Case("openpyxl-sheet-of-others.xlsx", openpyxl_book(FIRST, ("Unsubscribed", REST[1])), PEOPLE[:2], left=[Left(SHEET, "Unsubscribed")], options=Options(sheet=FIRST[0], ignore=("Unsubscribed",))),
    Case("openpyxl-another-sheet.xlsx", openpyxl_book(FIRST, ("Unsubscribed", REST[1])), refused="its name says that everyone in it opted out"),
    Case("openpyxl-another-hidden-sheet.xlsx", openpyxl_book(PEOPLE_SHEET, ("STOP", [HEADS, row(7)]), change=_hide), refused="its name says that everyone in it opted out"),
    Case("openpyxl-empty-sheets-behind.xlsx", openpyxl_book(PEOPLE_SHEET, ("Sheet2", []), ("Sheet3", [])), PEOPLE),
    Case("openpyxl-empty-sheet-before.xlsx", openpyxl_book(("Sheet1", []), PEOPLE_SHEET), PEOPLE),
    Case("openpyxl-note-sheet-before.xlsx", openpyxl_book(NOTE, PEOPLE_SHEET), PEOPLE, left=[Left(SHEET, "Read me")], options=Options(sheet="People")),
    Case("openpyxl-hidden-sheet.xlsx", openpyxl_book(PEOPLE_SHEET, ("Old", [HEADS, row(7)]), change=_hide), PEOPLE, left=[Left(SHEET, "Old")], options=Options(sheet="People")),
    Case("openpyxl-very-hidden-sheet.xlsx", openpyxl_book(PEOPLE_SHEET, ("Old", [HEADS, row(7)]), change=lambda book: _hide(book, "veryHidden")), PEOPLE, left=[Left(SHEET, "Old")], options=Options(sheet="People")),
    Case("openpyxl-merged-title.xlsx", openpyxl_book(PEOPLE_SHEET, change=on_sheet(_merge_title)), PEOPLE),
    Case("openpyxl-merged-cells.xlsx", openpyxl_book(PEOPLE_SHEET, change=on_sheet(_merge_cities)), [PEOPLE[0], {**person(1), "city": ""}, *PEOPLE[2:]]),
    Case("openpyxl-indented.xlsx", openpyxl_book(PEOPLE_SHEET, change=on_sheet(_indent)), PEOPLE),
    Case("openpyxl-preamble.xlsx", openpyxl_book(("People", [["Acme Ltd"], ["Made on", datetime.date(2026, 1, 5)], [], *TABLE])), PEOPLE),
    Case("openpyxl-hidden-rows-and-comments.xlsx", openpyxl_book(PEOPLE_SHEET, change=on_sheet(_comment)), PEOPLE, left=[Left(CELL)]),
    Case("openpyxl-table.xlsx", openpyxl_book(PEOPLE_SHEET, change=on_sheet(_table)), PEOPLE),
    Case("openpyxl-template.xltx", openpyxl_book(PEOPLE_SHEET, change=lambda book: setattr(book, "template", True)), PEOPLE),
    Case("openpyxl-consent.xlsx", openpyxl_book(("People", column("Opted out", [False, True, False]))), NAMED, frozenset([mobile(102)]), left=[Left(COLUMN, "Opted out")], options=Options(consent=Consent("Opted out", ("TRUE",)))),
    Case("openpyxl-space-and-lines.xlsx", openpyxl_book(("People", column("City", ["York ", " Bath", "Leeds\nWest"]))), [{**NAMED[0], "city": "York"}, {**NAMED[1], "city": "Bath"}, {**NAMED[2], "city": "Leeds\nWest"}], left=[Left(SPACE)]),
    Case("openpyxl-escaped-control.xlsx", openpyxl_book(("People", column("City", ["York_x0041_", "Bath", "Leeds"]))), [{**one, "city": city} for one, city in zip(NAMED, ["York_x0041_|YorkA", "Bath", "Leeds"])]),
    Case("openpyxl-long-number.xlsx", openpyxl_book(("People", column("Field 1", [12345678901234567890, 0.1, 1e21]))), [{**one, "maybe": "field_1"} for one in NAMED], left=[Left(ROUNDED)]),
    Case("openpyxl-landline.xlsx", openpyxl_book(("People", [["First name", "Work phone"], ["Ada", national(landline(101))]])), [{"firstname": "Ada", "phone_number": landline(101)}], options=Options(country="GB")),
    Case("openpyxl-only-heads.xlsx", openpyxl_book(("People", [HEADS])), may_refuse=True),
    Case("openpyxl-nothing.xlsx", openpyxl_book(("Sheet1", [])), may_refuse=True),
]  # fmt: skip


def _formulas(_book: Any, sheet: Any) -> None:
    sheet.write_formula("B2", '="+"&447700900101', None, mobile(101))
    sheet.write_formula("B3", "=447700900100+2", None, 447700900102)
    sheet.write_formula("B4", "=1/0", None, "#DIV/0!")


def _rich(book: Any, sheet: Any) -> None:
    sheet.write_rich_string("A2", "A", book.add_format({"bold": True}), "d", "a")
    sheet.write_url("D2", "mailto:ada@example.com", string="ada@example.com")


def _more_sheets(book: Any, _sheet: Any) -> None:
    chart = book.add_chartsheet("Chart")
    figures = book.add_chart({"type": "column"})
    figures.add_series({"values": "=People!$C$2:$C$6"})
    chart.set_chart(figures)


def _text_formats(book: Any, sheet: Any) -> None:
    kept = book.add_format({"num_format": "@", "quote_prefix": True})
    sheet.write_string("C2", "07700900101", kept)


def _dates(book: Any, sheet: Any) -> None:
    form = book.add_format({"num_format": "d mmm yyyy"})
    for at in range(3):
        sheet.write_datetime(at + 1, 2, datetime.datetime(1990, 3, 14), form)


XLSXWRITER = [
    Case("xlsxwriter.xlsx", xlsxwriter_book(TABLE), PEOPLE),
    Case("xlsxwriter-inline-strings.xlsx", xlsxwriter_book(TABLE, constant_memory=True), PEOPLE),
    Case("xlsxwriter-numbers.xlsx", xlsxwriter_book(numeric(FULL)), NAMED),
    Case("xlsxwriter-strings-to-numbers.xlsx", xlsxwriter_book(numeric(["447700900101", "447700900102", "447700900103"]), strings_to_numbers=True), NAMED),
    Case("xlsxwriter-formulas.xlsx", xlsxwriter_book(numeric([""] * 3), _formulas), NAMED[:2], rejected=[(4, "José")]),
    Case("xlsxwriter-formulas-guessed.xlsx", xlsxwriter_book(column("City", ["=A2", "York", "Leeds"])), [{**NAMED[0], "maybe": "city"}, {**NAMED[1], "city": "York"}, {**NAMED[2], "city": "Leeds"}]),
    Case("xlsxwriter-rich-text-and-links.xlsx", xlsxwriter_book(TABLE, _rich), PEOPLE),
    Case("xlsxwriter-chart-sheet.xlsx", xlsxwriter_book(TABLE, _more_sheets), PEOPLE),
    Case("xlsxwriter-quote-prefix.xlsx", xlsxwriter_book(TABLE, _text_formats), PEOPLE),
    Case("xlsxwriter-date-1904.xlsx", xlsxwriter_book(column("Birthday", [""] * 3), _dates, date_1904=True), [{**one, "date_of_birth": "1990-03-14|14 Mar 1990"} for one in NAMED]),
    Case("xlsxwriter-booleans.xlsx", xlsxwriter_book(column("Unsubscribed", [False, True, True])), NAMED, frozenset([mobile(102), mobile(103)]), left=[Left(COLUMN, "Unsubscribed")], options=Options(consent=Consent("Unsubscribed", ("TRUE",)))),
    Case("xlsxwriter-many-rows.xlsx", xlsxwriter_book([["Mobile", "Last name"], *([mobile(at), f"No. {at}"] for at in range(1000))]), [{"phone_number": mobile(at), "lastname": f"No. {at}"} for at in range(1000)], console=False),
]  # fmt: skip

_CALLED = [{"name": name, "phone_number": mobile(101 + at)} for at, name in enumerate(NAMES)]
PANDAS = [
    Case("pandas-openpyxl.xlsx", pandas_book("openpyxl", ("Sheet1", frame)), PEOPLE),
    Case("pandas-xlsxwriter.xlsx", pandas_book("xlsxwriter", ("Sheet1", frame)), PEOPLE),
    Case("pandas-index.xlsx", pandas_book("openpyxl", ("Sheet1", frame), index=True), PEOPLE, left=[Left(COLUMN, "?")]),
    Case("pandas-start-row.xlsx", pandas_book("openpyxl", ("Sheet1", frame), startrow=4, startcol=1), PEOPLE),
    Case("pandas-numbers.xlsx", pandas_book("xlsxwriter", ("Sheet1", numbers_frame)), _CALLED),
    Case("pandas-numbers-with-gap.xlsx", pandas_book("openpyxl", ("Sheet1", gap_frame)), [_CALLED[0], _CALLED[2]], rejected=[(3, "Zoë")]),
    Case("pandas-two-sheets.xlsx", pandas_book("xlsxwriter", ("a", lambda: frame().head(2)), ("b", lambda: frame().tail(3))), PEOPLE),
    Case("pandas-dates.xlsx", pandas_book("xlsxwriter", ("Sheet1", lambda: numbers_frame(birthday=pd.to_datetime(["1990-03-14"] * 3)))), [{**one, "date_of_birth": "1990-03-14"} for one in _CALLED]),
]  # fmt: skip

CASES = [*OPENPYXL, *XLSXWRITER, *PANDAS]
