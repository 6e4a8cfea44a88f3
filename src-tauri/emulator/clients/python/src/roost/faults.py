"""Fault rules: which requests, what happens, how often."""

from __future__ import annotations

from typing import Any, cast, get_args

from .admin import Admin, to_milliseconds
from .types import Fault, FaultRule, Matcher, Operation, OperationGroup

#: A failed test shows its own lines, not those of this module.
__tracebackhide__ = True

OPERATIONS: tuple[str, ...] = get_args(Operation)


def matcher(match: Operation | OperationGroup | Matcher | None) -> Matcher:
    """A text is the name of an operation, such as "contacts.create", or of a group, such as "contacts". None matches
    every request.
    """
    if not isinstance(match, str):
        return match or {}
    if not any(operation == match or operation.startswith(f"{match}.") for operation in OPERATIONS):
        # The rule would never match, without an error.
        raise ValueError(f"unknown operation '{match}'; operations: {', '.join(OPERATIONS)}")
    return {"operation": match}


class Faults:
    """`fail`, `lose` and `delay` cover most tests, and `add` takes any rule. Each rule fires on every request that
    matches, unless `first` says on how many: `first=1` for the next one only.
    """

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def add(self, rule: FaultRule) -> Fault:
        """Add a rule: `{"match": {…}, "effect": {…}, "apply": {"first": 2}, "commit": "after"}`. See FaultRule."""
        return cast(Fault, self._admin.post("/faults/rules", rule))

    def fail(
        self,
        status: int,
        match: Operation | OperationGroup | Matcher | None = None,
        *,
        first: int | None = None,
        retry_after: int | None = None,
        error: str | None = None,
        name: str | None = None,
    ) -> Fault:
        """Answer with an error in the service's own shape, without carrying out the request. A 429 has
        `Retry-After: 1` unless `retry_after` is given.
        """
        after = None if retry_after is None else to_milliseconds(retry_after)
        effect = {"status": status, "error": error, "retry_after": after}
        return self._arm(effect, match, first, name)

    def lose(
        self,
        match: Operation | OperationGroup | Matcher | None = None,
        *,
        first: int | None = None,
        name: str | None = None,
    ) -> Fault:
        """Carry out and store the request, then reset the connection instead of answering. With `first=1` a retry gets
        its response.
        """
        return self._arm({"line": "reset"}, match, first, name, commit="after")

    def delay(
        self,
        seconds: float,
        match: Operation | OperationGroup | Matcher | None = None,
        *,
        first: int | None = None,
        name: str | None = None,
    ) -> Fault:
        """Delay the response by this many seconds of real time."""
        return self._arm({"latency": {"fixed": to_milliseconds(seconds)}}, match, first, name)

    def all(self) -> list[Fault]:
        """List the rules in the order in which they are tried. `hits` says how often each fired."""
        return cast("list[Fault]", self._admin.get("/faults/rules", page_size=1_000)["items"])

    def remove(self, name: str) -> None:
        """Remove a rule by the `name` that adding it returned."""
        self._admin.delete(f"/faults/rules/{name}")

    def clear(self) -> None:
        """Remove all rules, the plan and the profile."""
        self._admin.delete("/faults")

    def profile(self, name: str | None) -> None:
        """Set a profile, a named set of rules such as "flaky". None removes it."""
        self._admin.put("/faults/profile", {"name": name})

    def _arm(
        self,
        effect: dict[str, Any],
        match: Operation | OperationGroup | Matcher | None,
        first: int | None,
        name: str | None,
        **more: str,
    ) -> Fault:
        rule: dict[str, Any] = {"effect": {key: value for key, value in effect.items() if value is not None}, **more}
        if match is not None:
            rule["match"] = matcher(match)
        if first is not None:
            rule["apply"] = {"first": first}
        if name is not None:
            rule["name"] = name
        return self.add(cast(FaultRule, rule))
