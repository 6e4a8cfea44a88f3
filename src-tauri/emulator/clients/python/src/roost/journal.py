"""The request journal of a world: find, count, wait for and verify requests."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

from .admin import Admin, to_milliseconds, told
from .errors import NotVerified
from .faults import matcher
from .types import JournalLine, JournalPosition, Matcher, Operation, OperationGroup, UnmatchedRequest, Verified

#: A failed test shows its own lines, not those of this module.
__tracebackhide__ = True

#: How many of the matching requests a failure shows.
FITS = 5


class Journal:
    """A `match` is a matcher, or the name of an operation such as "contacts.create". None matches every request."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def lines(self, last: int | None = None) -> list[JournalLine]:
        """Return the newest lines, oldest first: a hundred, or `last`."""
        return cast("list[JournalLine]", self._admin.get("/requests", limit=last)["items"])

    def find(
        self,
        match: Operation | OperationGroup | Matcher | None = None,
        *,
        since: JournalPosition | None = None,
    ) -> list[JournalLine]:
        """Return the newest thousand matching requests, oldest first."""
        asked = given(match=matcher(match), since=since, limit=1_000)
        return cast("list[JournalLine]", self._admin.post("/journal/find", asked)["items"])

    def count(
        self,
        match: Operation | OperationGroup | Matcher | None = None,
        *,
        since: JournalPosition | None = None,
    ) -> int:
        """Count the matching requests. Without a match, those to the world's receivers count too."""
        return cast(int, self._admin.post("/journal/count", given(match=matcher(match), since=since))["count"])

    def verify(
        self,
        match: Operation | OperationGroup | Matcher | None = None,
        *,
        exactly: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        since: JournalPosition | None = None,
        timeout: float = 0,
    ) -> list[int]:
        """Return the numbers of the matching lines. Raise NotVerified if there are not as many as expected: at least
        one, unless a bound is given. With a `timeout`, in seconds, wait for them.
        """
        times = given(exactly=exactly, at_least=at_least, at_most=at_most)
        return self._verify(given(match=matcher(match), times=times or None, since=since), timeout)

    def verify_order(
        self,
        *matches: Operation | OperationGroup | Matcher,
        since: JournalPosition | None = None,
        timeout: float = 0,
    ) -> list[int]:
        """Verify that the requests came in this order. Others may come between them."""
        return self._verify(given(match=[matcher(one) for one in matches], order=True, since=since), timeout)

    def wait(
        self,
        match: Operation | OperationGroup | Matcher | None = None,
        *,
        since: JournalPosition | None = None,
        timeout: float = 5,
    ) -> JournalLine:
        """Wait for the first matching request and return it. Raise NotVerified if none arrives in time."""
        lines = self.verify(match, since=since, timeout=timeout)
        return self.line(lines[0])

    def line(self, seq: int) -> JournalLine:
        """Return one line by its number, with headers and bodies."""
        return cast(JournalLine, self._admin.get(f"/requests/{seq}"))

    def curl(self, seq: int) -> str:
        """Return the request as a curl command, with secrets as variables."""
        return cast(str, self._admin.get(f"/requests/{seq}/curl"))

    def unmatched(self) -> list[UnmatchedRequest]:
        """Return the unmatched requests, each with the route that was probably meant."""
        return cast("list[UnmatchedRequest]", self._admin.get("/unmatched", page_size=1_000)["items"])

    def place(self) -> str:
        """Return the current position in the journal, for `since`."""
        return cast(str, self._admin.get("/requests", limit=1)["next"])

    def save(self, file: str | Path) -> int:
        """Write the newest thousand lines in the form of `roost tail --json`, for `roost replay`. Return how many.
        """
        lines = self.lines(1_000)
        Path(file).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return len(lines)

    def clear(self) -> None:
        """Remove all lines."""
        self._admin.delete("/requests")

    def _verify(self, asked: dict[str, Any], timeout: float) -> list[int]:
        asked["timeout"] = to_milliseconds(timeout)
        verified = cast(Verified, told(self._admin.ask("POST", "/journal/verify", asked, {}, timeout)))
        if not verified["verified"]:
            fits = [self.line(seq) for seq in verified["lines"][:FITS]]
            raise NotVerified(verified, said(verified, asked["match"], fits))
        return verified["lines"]


def given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def said(verified: Verified, match: object, fits: list[JournalLine]) -> str:
    lines = [f"expected {verified['wanted']}, found {verified['matched']} of {match}"]
    lines += [f"  matches: line {line['seq']}, {outline(line['method'], line['url'], line['status'])}" for line in fits]
    for near in verified["nearest"]:
        lines.append(f"  near: line {near['seq']}, {outline(near['method'], near['url'], near['status'])}")
        for miss in near["misses"]:
            lines.append(f"    {miss['field']}: expected {miss['wanted']}, found {miss['found']}")
    return "\n".join(lines)


def outline(method: str, url: str, status: int | None) -> str:
    return f"{method} {plain(url)}, {status or 'no response'}"


def plain(url: str) -> str:
    """Remove the part that selects the world. Admin routes keep it, because they do not exist below it."""
    return re.sub("^/w/[^/?]+(?!/__admin)(?=[/?]|$)", "", url)
