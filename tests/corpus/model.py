"""What a file of the corpus holds, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

# A contact as the account must hold it: names of fields as `roost export` writes them. A field that is not named is
# empty. Three keys are not fields:
#   name    the whole name, in one field or in several
#   others  further telephones, separated by spaces: each is in `alternate_phone`, or the ledger names it
#   maybe   fields, separated by spaces, that may hold anything
# A value that holds `|` allows each of its parts.
Contact = Mapping[str, str]

COLUMN, SHEET, MEMBER, TELEPHONE, CELL, ROW, SPACE, ROUNDED, NAME = (
    "column",
    "sheet",
    "member",
    "telephone",
    "cell",
    "row",
    "space",
    "rounded",
    "name",
)


class Left(NamedTuple):
    """Something that is not taken, or not as it was: the ledger must have an entry of this kind that names it."""

    kind: str
    name: str = ""


class Consent(NamedTuple):
    """A column that says who opted out, and the values that mean it."""

    column: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Options:
    country: str | None = None
    consent: Consent | None = None
    sheet: str | None = None
    all_sheets: bool = False
    # The name of a file, or of a part of it, in which everybody opted out.
    opted_out_list: str | None = None
    # Columns that look like consent and are not used: `--ignore-rest` does not cover these.
    ignore: tuple[str, ...] = ()
    mapped: tuple[str, ...] = ()
    # `day-first` or `month-first`, for dates that can be read in two ways.
    date_order: str | None = None
    take_part: bool = False


@dataclass(frozen=True)
class Case:
    file: str
    content: Callable[[], bytes]
    contacts: Sequence[Contact] = ()
    # Numbers that must be opted out of SMS afterwards.
    opt_outs: frozenset[str] = frozenset()
    # For each rejected row its line (0: not checked), and a text of its cells.
    rejected: Sequence[tuple[int, str]] = ()
    left: Sequence[Left] = ()
    options: Options = field(default_factory=Options)
    # The file as a whole is refused, with a message that matches this pattern; nothing is imported.
    refused: str | None = None
    # A form that may as well be refused as a whole, with a message: nobody can say that it holds a table.
    may_refuse: bool = False
    # Named with the content of each, for an import of several files.
    more: Sequence[tuple[str, Callable[[], bytes]]] = ()
    console: bool = True


# ---- People: five of them, and their numbers are from the ranges that are reserved for fiction.

HEADS = ["First name", "Last name", "Mobile", "E-mail", "City"]

# First name, last name, e-mail, city; the number of each is its place.
_NAMES = [
    ("Ada", "Müller", "ada@example.com", "York"),
    ("Zoë", "O'Brien", "zoe@example.com", "Bath"),
    ("José", "Smith, Jr", "jose@example.com", "Leeds"),
    ("Mei", "Ward", "", "Hull"),
    ("Åse", "Dahl", "ase@example.com", "Derby"),
]


def mobile(at: int) -> str:
    """A mobile number of the United Kingdom, reserved for fiction."""
    return f"+447700900{at:03d}"


def landline(at: int) -> str:
    return f"+442079460{at:03d}"


def american(at: int) -> str:
    """Of area code 202, whose 555-0100 to 555-0199 are reserved for fiction."""
    return f"+1202555{at:04d}"


def national(number: str) -> str:
    """As it is written at home."""
    return "0" + number[3:7] + " " + number[7:] if number.startswith("+44") else number[2:]


def person(at: int, **fields: str) -> dict[str, str]:
    """The person at a place as the account must hold them; fields can be replaced, or removed by an empty text."""
    first, last, email, city = _NAMES[at % len(_NAMES)]
    base = {
        "phone_number": mobile(at + 101),
        "firstname": first,
        "lastname": last,
        "email_address": email,
        "city": city,
    }
    return {name: value for name, value in (base | fields).items() if value}


def row(at: int, number: str | None = None) -> list[str]:
    """The same person as a row of a table with `HEADS`."""
    one = person(at)
    given = number if number is not None else national(one["phone_number"])
    return [one["firstname"], one["lastname"], given, one.get("email_address", ""), one["city"]]


PEOPLE: list[Contact] = [person(at) for at in range(5)]
ROWS = [row(at) for at in range(5)]
TABLE = [HEADS, *ROWS]


def only(*names: str) -> list[Contact]:
    """The five people, with these fields only."""
    return [{name: one[name] for name in names if name in one} for one in map(person, range(5))]


def with_fields(*fields: Mapping[str, str]) -> list[Contact]:
    """The first people, each with fields of their own."""
    return [person(at, **more) for at, more in enumerate(fields)]
