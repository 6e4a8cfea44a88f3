"""JSON by Python's `json`: arrays, lines, records inside an object, records inside records."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pandas as pd

from cases.frames import frame
from model import (
    COLUMN,
    PEOPLE,
    ROW,
    Case,
    Consent,
    Left,
    Options,
    landline,
    mobile,
    national,
    person,
)

NAMES = {
    "firstname": "firstName",
    "lastname": "lastName",
    "phone_number": "mobile",
    "email_address": "email",
    "city": "city",
}


def record(at: int, **more: Any) -> dict[str, Any]:
    return {NAMES[name]: value for name, value in person(at).items()} | more


def as_json(value: Any, encoding: str = "utf-8", **form: Any) -> Callable[[], bytes]:
    return lambda: json.dumps(value, **({"ensure_ascii": False} | form)).encode(encoding)


def as_lines(values: list[Any], end: str = "\n") -> Callable[[], bytes]:
    return lambda: "".join(json.dumps(one, ensure_ascii=False) + end for one in values).encode()


RECORDS = [record(at) for at in range(5)]
_BARE = [{"phone_number": mobile(101 + at)} for at in range(3)]


def _frame_json(**form: Any) -> Callable[[], bytes]:
    return lambda: str(frame().to_json(force_ascii=False, **form)).encode()


CASES = [
    Case("json-array.json", as_json(RECORDS), PEOPLE),
    Case("json-indented.json", as_json(RECORDS, indent=2), PEOPLE),
    Case("json-escaped.json", as_json(RECORDS, ensure_ascii=True), PEOPLE),
    Case("json-utf-16.json", as_json(RECORDS, "utf-16"), PEOPLE),
    Case("json-byte-order-mark.json", as_json(RECORDS, "utf-8-sig"), PEOPLE),
    Case("json-lines.ndjson", as_lines(RECORDS), PEOPLE),
    Case("json-lines-crlf.jsonl", as_lines(RECORDS, "\r\n"), PEOPLE),
    Case("json-lines-named-json.json", as_lines(RECORDS), PEOPLE),
    Case("json-contacts-in-object.json", as_json({"contacts": RECORDS}), PEOPLE),
    Case("json-contacts-one.json", as_json({"contacts": RECORDS[:1]}), PEOPLE[:1]),
    Case("json-deeper.json", as_json({"meta": {"page": 1, "total": 5}, "data": {"items": RECORDS}}), PEOPLE, left=[Left(COLUMN, "meta")]),
    Case("json-beside-other-lists.json", as_json({"version": 3, "tags": ["a", "b"], "contacts": RECORDS}), PEOPLE, left=[Left(COLUMN, "version"), Left(COLUMN, "tags")]),
    Case("json-one-record.json", as_json(RECORDS[0]), PEOPLE[:1]),
    Case("json-array-of-arrays.json", as_json([list(NAMES.values()), *([one.get(name, "") for name in NAMES.values()] for one in RECORDS)]), PEOPLE, may_refuse=True),
    Case("json-numbers.json", as_json([{"name": "Ada", "phone": 447700900101}, {"name": "Zoë", "phone": 447700900102.0}]), [{"name": "Ada", "phone_number": mobile(101)}, {"name": "Zoë", "phone_number": mobile(102)}]),
    Case("json-exponent.json", lambda: b'[{"firstName":"Ada","phone":4.47700900101E11},{"firstName":"Mei","phone":4.48E+11}]', [{"firstname": "Ada", "phone_number": mobile(101)}], rejected=[(0, "Mei")]),
    Case("json-null-and-missing.json", as_json([record(0, city=None), {"mobile": mobile(102)}]), [person(0, city=""), {"phone_number": mobile(102)}]),
    Case("json-booleans.json", as_json([record(at, unsubscribed=at in (1, 3)) for at in range(5)]), PEOPLE, frozenset([mobile(102), mobile(104)]), left=[Left(COLUMN, "unsubscribed")], options=Options(consent=Consent("unsubscribed", ("true",)))),
    Case("json-nested-object.json", as_json([{"name": {"first": "Ada", "last": "Müller"}, "phone": mobile(101), "address": {"city": "York", "postcode": "YO1 7AA"}}]), [{"firstname": "Ada", "lastname": "Müller", "phone_number": mobile(101), "city": "York", "zip": "YO1 7AA"}]),
    Case("json-list-of-phones.json", as_json([{"firstName": "Ada", "phones": [mobile(101), landline(101)]}, {"firstName": "Zoë", "phones": [mobile(102)]}]), [{"firstname": "Ada", "phone_number": mobile(101), "others": landline(101)}, {"firstname": "Zoë", "phone_number": mobile(102)}]),
    Case("json-phones-with-types.json", as_json([{"firstName": "Ada", "phones": [{"type": "work", "number": landline(101)}, {"type": "mobile", "number": mobile(101)}]}]), [{"firstname": "Ada", "phone_number": mobile(101), "others": landline(101), "maybe": "alternate_phone"}]),
    Case("json-other-fields-later.json", as_json([record(0), record(1), record(2, shoeSize=41)]), PEOPLE[:3], left=[Left(COLUMN, "shoeSize")]),
    Case("json-same-key-twice.json", lambda: f'[{{"firstName":"Ada","mobile":"{mobile(101)}","mobile":"{landline(101)}"}}]'.encode(), [{"firstname": "Ada", "phone_number": mobile(101), "others": landline(101)}]),
    Case("json-national.json", as_json([record(at, mobile=national(mobile(101 + at))) for at in range(5)]), PEOPLE, options=Options(country="GB")),
    Case("json-without-names.json", as_json([mobile(101 + at) for at in range(3)]), _BARE, may_refuse=True),
    Case("json-blank-lines.ndjson", as_lines(RECORDS, "\n\n"), PEOPLE),
    Case("json-broken-line.ndjson", lambda: as_lines(RECORDS[:2])() + b'{"firstName":"Jo\n' + as_lines(RECORDS[3:])(), [person(0), person(1)], left=[Left(ROW)], options=Options(take_part=True)),
    Case("json-broken-array.json", lambda: as_json(RECORDS)()[:-60], PEOPLE[:4], left=[Left(ROW)], options=Options(take_part=True)),
    Case("json-comments.json", lambda: b"// people\n" + as_json(RECORDS)(), refused="JSON|column"),
    Case("json-empty-array.json", as_json([]), may_refuse=True),
    Case("json-empty-object.json", as_json({}), may_refuse=True),
    Case("json-a-number.json", as_json(42), may_refuse=True),
    Case("pandas-records.json", _frame_json(orient="records"), PEOPLE),
    Case("pandas-lines.jsonl", _frame_json(orient="records", lines=True), PEOPLE),
    Case("pandas-split.json", _frame_json(orient="split"), PEOPLE, may_refuse=True),
    Case("pandas-columns.json", _frame_json(orient="columns"), PEOPLE),
    Case("pandas-table.json", _frame_json(orient="table", index=False), PEOPLE, left=[Left(COLUMN, "schema")]),
    Case("pandas-series-of-numbers.json", lambda: str(pd.DataFrame({"phone": [447700900101, 447700900102, 447700900103]}).to_json(orient="records")).encode(), _BARE),
]  # fmt: skip
