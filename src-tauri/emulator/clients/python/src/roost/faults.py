"""Faults on purpose: which requests meet them, what happens, how often."""

from __future__ import annotations

from typing import Any, cast, get_args

from .admin import Admin
from .types import Fault, FaultRule, Matcher, Operation

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True

OPERATIONS: tuple[str, ...] = get_args(Operation)


def matcher(match: Operation | Matcher | None) -> Matcher:
    """A text is the name of an operation, such as "contacts.create"; nothing is every request."""
    if not isinstance(match, str):
        return match or {}
    if match not in OPERATIONS:
        # No request would ever fit, and nobody would say why.
        raise ValueError(f"there is no operation '{match}'; there are {', '.join(OPERATIONS)}")
    return {"operation": match}


class Faults:
    """`fail`, `lose` and `delay` are what most tests want; `add` takes any rule there is."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def add(self, rule: FaultRule) -> Fault:
        """Any rule: `{"match": {…}, "effect": {…}, "apply": {"first": 2}, "commit": "after"}`; see `roost.types`."""
        return cast(Fault, self._admin.post("/faults/rules", rule))

    def fail(
        self,
        status: int,
        match: Operation | Matcher | None = None,
        *,
        first: int | None = None,
        retry_after: int | None = None,
        error: str | None = None,
        name: str | None = None,
    ) -> Fault:
        """An error of the service's own shape, and nothing is done; only for the `first` so many when that is given."""
        after = None if retry_after is None else f"{retry_after}s"
        effect = {"status": status, "error": error, "retry_after": after}
        return self._arm(effect, match, first, name)

    def lose(self, match: Operation | Matcher | None = None, *, first: int | None = 1, name: str | None = None) -> Fault:
        """The request is done and stored, and the line is torn down in the place of its answer."""
        return self._arm({"line": "reset"}, match, first, name, commit="after")

    def delay(
        self,
        seconds: float,
        match: Operation | Matcher | None = None,
        *,
        first: int | None = None,
        name: str | None = None,
    ) -> Fault:
        """The answer comes so much later, in real time."""
        return self._arm({"latency": {"fixed": f"{round(seconds * 1_000)}ms"}}, match, first, name)

    def all(self) -> list[Fault]:
        """In the order they are tried, each with how many requests it met (`hits`)."""
        return cast("list[Fault]", self._admin.get("/faults/rules", page_size=1_000)["items"])

    def remove(self, name: str) -> None:
        """Disarms one, by the `name` that arming it answered."""
        self._admin.delete(f"/faults/rules/{name}")

    def clear(self) -> None:
        """Disarms rules, plan and profile."""
        self._admin.delete("/faults")

    def profile(self, name: str | None) -> None:
        """A named set of rules, such as "flaky"; None for none."""
        self._admin.put("/faults/profile", {"name": name})

    def _arm(
        self,
        effect: dict[str, Any],
        match: Operation | Matcher | None,
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
