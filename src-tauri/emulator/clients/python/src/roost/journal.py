"""What was asked of a world: found, counted, waited for, verified."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

from .admin import Admin, told
from .errors import NotVerified
from .faults import matcher
from .types import JournalLine, JournalPlace, Matcher, Operation, Stray, Verified

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True

#: As many of the requests that fit are told when they are not as many as wanted.
FITS = 5


class Journal:
    """A `match` is a matcher, or the name of an operation such as "contacts.create"; none is every request."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def lines(self, last: int | None = None) -> list[JournalLine]:
        """The newest lines, oldest first; a hundred of them unless `last` says how many."""
        return cast("list[JournalLine]", self._admin.get("/requests", limit=last)["items"])

    def find(self, match: Operation | Matcher | None = None, *, since: JournalPlace | None = None) -> list[JournalLine]:
        """The requests that fit, oldest first, the newest thousand of them."""
        asked = given(match=matcher(match), since=since, limit=1_000)
        return cast("list[JournalLine]", self._admin.post("/journal/find", asked)["items"])

    def count(self, match: Operation | Matcher | None = None, *, since: JournalPlace | None = None) -> int:
        """How many requests fit."""
        return cast(int, self._admin.post("/journal/count", given(match=matcher(match), since=since))["count"])

    def verify(
        self,
        match: Operation | Matcher | None = None,
        *,
        exactly: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        since: JournalPlace | None = None,
        timeout: float = 0,
    ) -> list[int]:
        """The numbers of the lines that fit. Raises NotVerified when they are not as many as wanted: at least one,
        unless something else is said. With a `timeout`, in seconds, it waits for them.
        """
        times = given(exactly=exactly, at_least=at_least, at_most=at_most)
        return self._verify(given(match=matcher(match), times=times or None, since=since), timeout)

    def verify_order(
        self,
        *matches: Operation | Matcher,
        since: JournalPlace | None = None,
        timeout: float = 0,
    ) -> list[int]:
        """Whether they came one after another; others may come between."""
        return self._verify(given(match=[matcher(one) for one in matches], order=True, since=since), timeout)

    def wait(
        self,
        match: Operation | Matcher | None = None,
        *,
        since: JournalPlace | None = None,
        timeout: float = 5,
    ) -> JournalLine:
        """The first request that fits, as soon as it is there; NotVerified when none came in time."""
        lines = self.verify(match, since=since, timeout=timeout)
        return self.line(lines[0])

    def line(self, seq: int) -> JournalLine:
        """One line by its number, with headers and bodies."""
        return cast(JournalLine, self._admin.get(f"/requests/{seq}"))

    def curl(self, seq: int) -> str:
        """The request as a line for a shell, secrets as variables."""
        return cast(str, self._admin.get(f"/requests/{seq}/curl"))

    def unmatched(self) -> list[Stray]:
        """Requests that led nowhere, each with the route that was probably meant."""
        return cast("list[Stray]", self._admin.get("/unmatched", page_size=1_000)["items"])

    def place(self) -> str:
        """Where the journal is now, for `since`."""
        return cast(str, self._admin.get("/requests", limit=1)["next"])

    def save(self, file: str | Path) -> int:
        """Writes the lines, the newest thousand of them, as `roost tail --json` prints them and `roost replay` sends
        them again; answers how many.
        """
        lines = self.lines(1_000)
        Path(file).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return len(lines)

    def clear(self) -> None:
        """Forgets all lines."""
        self._admin.delete("/requests")

    def _verify(self, asked: dict[str, Any], timeout: float) -> list[int]:
        asked["timeout"] = f"{round(timeout * 1_000)}ms"
        verified = cast(Verified, told(self._admin.ask("POST", "/journal/verify", asked, {}, timeout)))
        if not verified["verified"]:
            fits = [self.line(seq) for seq in verified["lines"][:FITS]]
            raise NotVerified(verified, said(verified, asked["match"], fits))
        return verified["lines"]


def given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def said(verified: Verified, match: object, fits: list[JournalLine]) -> str:
    lines = [f"wanted {verified['wanted']}, found {verified['matched']} of {match}"]
    lines += [f"  fits: line {line['seq']}, {outline(line['method'], line['url'], line['status'])}" for line in fits]
    for near in verified["nearest"]:
        lines.append(f"  near: line {near['seq']}, {outline(near['method'], near['url'], near['status'])}")
        for miss in near["misses"]:
            lines.append(f"    {miss['field']}: wanted {miss['wanted']}, found {miss['found']}")
    return "\n".join(lines)


def outline(method: str, url: str, status: int | None) -> str:
    return f"{method} {plain(url)}, {status or 'no answer'}"


def plain(url: str) -> str:
    """Without the part that names the world; the operator's side is not to be found behind it."""
    return re.sub("^/w/[^/?]+(?!/__admin)(?=[/?]|$)", "", url)
