"""Compares what is there with what must be there; says each difference in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from model import CELL, Case, Contact, Left
from roost import Account, Entry


class Failure(NamedTuple):
    """A difference: of what kind, in which file, and what."""

    cause: str
    file: str
    detail: str


SPECIAL = {"name", "others", "maybe"}


def _digits(text: str) -> str:
    """Digits without what differs between the ways in which one number is written."""
    digits = "".join(one for one in text if one.isdigit())
    return digits[-10:]


def _named(entries: Sequence[Entry], kinds: set[str]) -> bool:
    return any(one.kind in kinds for one in entries)


def _other_numbers(expected: Contact, actual: dict[str, str], entries: Sequence[Entry]) -> list[str]:
    """Further telephones are in `alternate_phone`, or the ledger names them."""
    alternate = actual.get("alternate_phone", "")
    written = "".join(one for one in alternate if one.isdigit())
    sets = [one.split() for one in expected["others"].split("|")]
    fitting = [one for one in sets if actual.get("phone_number") not in one] or sets
    lost = min(
        ([number for number in one if _digits(number) not in written] for one in fitting),
        key=len,
    )
    return lost if not _named(entries, {"telephone", "column", "cell"}) else []


def contact_differences(expected: Contact, actual: dict[str, str], entries: Sequence[Entry]) -> list[tuple[str, str]]:
    maybe = set(expected.get("maybe", "").split())
    found = []
    whole = " ".join(filter(None, (actual.get("firstname"), actual.get("lastname"))))
    if "name" in expected:
        maybe |= {"firstname", "lastname"}
        if whole not in expected["name"].split("|") and (whole or not _named(entries, {"column", "name"})):
            found.append(("name", f"expected the name {expected['name']!r}, got {whole!r}"))
    if "others" in expected:
        maybe.add("alternate_phone")
        found += [("other telephones", f"{number} is lost") for number in _other_numbers(expected, actual, entries)]
    for name in sorted((set(expected) | set(actual)) - SPECIAL - maybe):
        wanted, got = expected.get(name, ""), actual.get(name, "")
        if got not in wanted.split("|"):
            found.append((f"field {name}", f"expected {wanted!r}, got {got!r}"))
    return found


def _key(contact: Contact) -> set[str]:
    return set((contact.get("phone_number") or contact.get("whatsapp_id") or "").split("|"))


def account_differences(case: Case, account: Account, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    left = list(account.contacts)
    for expected in case.contacts:
        actual = next((one for one in left if _key(one) & _key(expected)), None)
        if actual is None:
            found.append(("contact is missing", str(dict(expected))))
            continue
        left.remove(actual)
        number = actual.get("phone_number") or actual.get("whatsapp_id")
        found += [(cause, f"{number}: {detail}") for cause, detail in contact_differences(expected, actual, entries)]
    found += [("contact is too many", str(one)) for one in left]
    for number in sorted(case.opt_outs - account.opt_outs):
        found.append(("opt-out is missing", number))
    for number in sorted(account.opt_outs - case.opt_outs):
        found.append(("opt-out is too many", number))
    return found


def reject_differences(case: Case, rejects: Sequence[tuple[int, str]]) -> list[tuple[str, str]]:
    left = list(rejects)
    found = []
    for line, text in case.rejected:
        actual = next((one for one in left if text in one[1] and line in (0, one[0])), None)
        if actual is None:
            where = next((f"; it is said to be in line {one[0]}" for one in left if text in one[1]), "")
            found.append(("rejected row", f"line {line} with {text!r} is not among the rejects{where}"))
        else:
            left.remove(actual)
    return found + [("rejected row", f"line {line} is rejected too: {text!r}") for line, text in left]


def ledger_differences(wanted: Sequence[Left], entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """What is not named. An entry that counts several things shows one of them, and stands for the others of its kind."""
    uses: dict[Entry, int] = {}
    found = []
    for one in wanted:
        name = "" if one.name == "?" else one.name.casefold()
        fitting = [entry for entry in entries if entry.kind == one.kind and uses.get(entry, 0) < entry.size]
        actual = next((entry for entry in fitting if name in entry.text.casefold()), None)
        if actual is None and one.kind == CELL:
            actual = next((entry for entry in fitting if entry in uses), None)
        if actual is None:
            found.append(
                (f"ledger: {one.kind}", f"{one.name!r} is not named; named are {[e.text for e in entries][:6]}")
            )
        else:
            uses[actual] = uses.get(actual, 0) + 1
    return found
