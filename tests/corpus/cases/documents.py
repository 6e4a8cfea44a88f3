"""ODS spreadsheets by odfpy and by pandas."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from odf.element import Element
from odf.office import Annotation
from odf.opendocument import OpenDocumentSpreadsheet
from odf.style import Style, TableProperties
from odf.table import CoveredTableCell, Table, TableCell, TableColumn, TableRow
from odf.text import LineBreak, P, S, Span, Tab

from cases.frames import frame, gap_frame, numbers_frame
from cases.workbooks import NAMED, NAMES, column, numeric, pandas_book
from model import (
    CELL,
    COLUMN,
    HEADS,
    PEOPLE,
    SHEET,
    SPACE,
    TABLE,
    Case,
    Consent,
    Left,
    Options,
    mobile,
    row,
)

Cells = Sequence[Sequence[Any]]


class Typed(dict[str, Any]):
    """A cell by the attributes that it has, `shown` being its text."""


def _cell(value: Any) -> Element:
    if isinstance(value, Element):
        return value
    if isinstance(value, Typed):
        shown = value.get("shown", "")
        cell = TableCell(**{name: one for name, one in value.items() if name != "shown"})
    elif isinstance(value, bool):
        shown, cell = str(value).upper(), TableCell(valuetype="boolean", booleanvalue=str(value).lower())
    elif isinstance(value, (int, float)):
        shown, cell = str(value), TableCell(valuetype="float", value=str(value))
    else:
        shown, cell = str(value), TableCell(valuetype="string") if value != "" else TableCell()
    if shown != "":
        for line in shown.split("\n"):
            cell.addElement(P(text=line))
    return cell


def ods(*sheets: tuple[str, Cells], hidden: str = "", columns_before: int = 0) -> Callable[[], bytes]:
    def write() -> bytes:
        document = OpenDocumentSpreadsheet()
        unseen = Style(name="unseen", family="table")
        unseen.addElement(TableProperties(display="false"))
        document.automaticstyles.addElement(unseen)
        for name, rows in sheets:
            table = Table(name=name, **({"stylename": unseen} if name == hidden else {}))
            table.addElement(TableColumn(numbercolumnsrepeated=1024))
            for cells in rows:
                line = TableRow()
                if columns_before:
                    line.addElement(TableCell(numbercolumnsrepeated=columns_before))
                for one in cells:
                    line.addElement(_cell(one))
                table.addElement(line)
            document.spreadsheet.addElement(table)
        out = io.BytesIO()
        document.write(out)
        return out.getvalue()

    return write


def _float(value: str, shown: str) -> Typed:
    return Typed(valuetype="float", value=value, shown=shown)


def _date(value: str, shown: str) -> Typed:
    return Typed(valuetype="date", datevalue=value, shown=shown)


def _spaced(*parts: Any) -> Callable[[], Element]:
    """A cell with one paragraph of several parts: an element belongs to one document, so it is made for each."""

    def make() -> Element:
        cell, paragraph = TableCell(valuetype="string"), P()
        for part in parts:
            if isinstance(part, str):
                paragraph.addText(part)
            else:
                paragraph.addElement(part())
        cell.addElement(paragraph)
        return cell

    return make


def _noted() -> Element:
    cell = TableCell(valuetype="string")
    note = Annotation()
    note.addElement(P(text="call after six"))
    cell.addElement(note)
    cell.addElement(P(text="York"))
    return cell


def later(head: str, cells: Sequence[Callable[[], Any]]) -> Callable[[], bytes]:
    return lambda: ods(("People", column(head, [one() for one in cells])))()


def _repeated() -> bytes:
    """Two rows that are the same but for nothing, and empty ones by the thousand: as LibreOffice pads a sheet."""
    document = OpenDocumentSpreadsheet()
    table = Table(name="People")
    for cells in TABLE:
        line = TableRow()
        for one in cells:
            line.addElement(_cell(one))
        line.addElement(TableCell(numbercolumnsrepeated=1000))
        table.addElement(line)
    empty = TableRow(numberrowsrepeated=1048000)
    empty.addElement(TableCell(numbercolumnsrepeated=1024))
    table.addElement(empty)
    document.spreadsheet.addElement(table)
    out = io.BytesIO()
    document.write(out)
    return out.getvalue()


def _merged() -> bytes:
    first = TableCell(valuetype="string", numberrowsspanned=2, numbercolumnsspanned=1)
    first.addElement(P(text="York"))
    return ods(
        (
            "People",
            [["First name", "Mobile", "City"], ["Ada", mobile(101), first], ["Zoë", mobile(102), CoveredTableCell()]],
        )
    )()


_CALLED = [{"name": name, "phone_number": mobile(101 + at)} for at, name in enumerate(NAMES)]
_BORN = [{**one, "date_of_birth": "1990-03-14"} for one in NAMED]

CASES = [
    Case("odfpy.ods", ods(("People", TABLE)), PEOPLE),
    Case("odfpy-numbers.ods", ods(("People", numeric([447700900101, 447700900102, 447700900103]))), NAMED),
    Case("odfpy-floats.ods", ods(("People", numeric([447700900101.0, 447700900102.0, 447700900103.0]))), NAMED),
    Case("odfpy-numbers-shown-shortened.ods", ods(("People", numeric([_float(f"44770090010{at}", "4.48E+11") for at in (1, 2, 3)]))), NAMED),
    Case("odfpy-numbers-shown-with-commas.ods", ods(("People", numeric([_float(f"44770090010{at}.0", f"447,700,900,10{at}.00") for at in (1, 2, 3)]))), NAMED),
    Case("odfpy-exponent-values.ods", ods(("People", numeric([_float(f"4.4770090010{at}E11", "4.48E+11") for at in (1, 2, 3)]))), NAMED),
    Case("odfpy-dates.ods", ods(("People", column("Birthday", [_date("1990-03-14", "14/03/90")] * 3))), _BORN),
    Case("odfpy-dates-with-time.ods", ods(("People", column("Birthday", [_date("1990-03-14T00:00:00", "14/03/90 00:00")] * 3))), _BORN),
    Case("odfpy-times.ods", ods(("People", column("Call at", [Typed(valuetype="time", timevalue="PT09H30M00S", shown="09:30")] * 3))), NAMED, left=[Left(COLUMN, "Call at")]),
    Case("odfpy-consent.ods", ods(("People", column("Opt out", [False, True, False]))), NAMED, frozenset([mobile(102)]), left=[Left(COLUMN, "Opt out")], options=Options(consent=Consent("Opt out", ("TRUE",)))),
    Case("odfpy-formulas.ods", ods(("People", column("City", [Typed(valuetype="string", stringvalue="York", formula="of:=UPPER([.A2])", shown="York"), Typed(valuetype="string", stringvalue="", formula="of:=[.#REF!.A1]", shown="#REF!"), "Leeds"]))), [{**NAMED[0], "city": "York"}, NAMED[1], {**NAMED[2], "city": "Leeds"}], left=[Left(CELL, "#REF!")]),
    Case("odfpy-two-sheets.ods", ods(("North", [HEADS, row(0), row(1)]), ("South", [HEADS, row(2), row(3), row(4)])), PEOPLE),
    Case("odfpy-hidden-sheet.ods", ods(("People", TABLE), ("Old", [HEADS, row(7)]), hidden="Old"), PEOPLE, left=[Left(SHEET, "Old")], options=Options(sheet="People")),
    Case("odfpy-note-sheet-before.ods", ods(("Read me", [["Made on 5 January 2026"]]), ("People", TABLE)), PEOPLE, left=[Left(SHEET, "Read me")], options=Options(sheet="People")),
    Case("odfpy-preamble.ods", ods(("People", [["Acme Ltd"], ["Customers"], [""], *TABLE])), PEOPLE),
    Case("odfpy-indented.ods", ods(("People", TABLE), columns_before=3), PEOPLE),
    Case("odfpy-repeated.ods", _repeated, PEOPLE),
    Case("odfpy-merged.ods", _merged, [{**NAMED[0], "city": "York"}, NAMED[1]]),
    Case("odfpy-comment.ods", later("City", [_noted, lambda: "Bath", lambda: "Leeds"]), [{**one, "city": city} for one, city in zip(NAMED, ["York", "Bath", "Leeds"])], left=[Left(CELL)]),
    Case("odfpy-spaces-and-lines.ods", later("City", [_spaced("St", lambda: S(c=3), "Ives"), _spaced("Bath", LineBreak, "Spa"), _spaced("Leeds", Tab, "West")]), [{**one, "city": city} for one, city in zip(NAMED, ["St   Ives", "Bath\nSpa", "Leeds\tWest"])]),
    Case("odfpy-two-paragraphs.ods", ods(("People", column("City", ["Bath\nSpa", "York", "Leeds"]))), [{**one, "city": city} for one, city in zip(NAMED, ["Bath\nSpa", "York", "Leeds"])]),
    Case("odfpy-spans.ods", later("City", [_spaced("Yo", lambda: Span(text="rk")), lambda: "Bath", lambda: "Leeds"]), [{**one, "city": city} for one, city in zip(NAMED, ["York", "Bath", "Leeds"])]),
    Case("odfpy-currency.ods", ods(("People", column("Spent", [Typed(valuetype="currency", currency="GBP", value="12.5", shown="£12.50")] * 3))), NAMED, left=[Left(COLUMN, "Spent")]),
    Case("odfpy-space-at-ends.ods", later("City", [_spaced("York", lambda: S(c=1)), lambda: "Bath", lambda: "Leeds"]), [{**one, "city": city} for one, city in zip(NAMED, ["York", "Bath", "Leeds"])], left=[Left(SPACE)]),
    Case("pandas.ods", pandas_book("odf", ("Sheet1", frame)), PEOPLE),
    Case("pandas-numbers.ods", pandas_book("odf", ("Sheet1", numbers_frame)), _CALLED),
    Case("pandas-numbers-with-gap.ods", pandas_book("odf", ("Sheet1", gap_frame)), [_CALLED[0], _CALLED[2]], rejected=[(3, "Zoë")]),
    Case("pandas-index.ods", pandas_book("odf", ("Sheet1", frame), index=True), PEOPLE, left=[Left(COLUMN, "?")]),
]  # fmt: skip
