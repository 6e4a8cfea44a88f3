"""Snapshots of a world, and comparisons with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from .admin import Admin
from .types import ResetReport, Snapshot, StateDiff

#: A failed test shows its own lines, not those of this module.
__tracebackhide__ = True


class Snapshots:
    """Take, compare, list, restore and remove snapshots. A name consists of a-z, 0-9 and -."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def take(self, name: str) -> Snapshot:
        """Take a snapshot of the world."""
        return cast(Snapshot, self._admin.post("/snapshots", {"name": name}))

    def restore(self, name: str) -> ResetReport:
        """Restore it, including jobs, callbacks, fault rules, policies and receivers. The journal is cleared, and work
        in progress ends without a response.
        """
        return cast(ResetReport, self._admin.post(f"/snapshots/{name}/restore"))

    def diff(self, before: str, after: str = "now", *, ignore: str | Sequence[str] = (), limit: int = 100) -> StateDiff:
        """Return what was added, removed and changed between two snapshots. "now", "seed" and "@7", the state after line
        7 of the journal and its job, work too. `arrangement` lists other changes: settings, policies, fault rules,
        receivers, the clock and everything else that a test can arrange.

        `ignore`: resources, fields and other parts to ignore, such as "jobs", "lists.updated_at" or "settings":
        `assert world.snapshots.diff("before", ignore=["jobs"])["is_empty"]`. At most `limit` records of each kind.
        """
        told = self._admin.get(f"/snapshots/{before}/diff/{after}", ignore=ignore or None, limit=limit)
        return cast(StateDiff, told)

    def all(self) -> list[Snapshot]:
        """List the snapshots."""
        return cast("list[Snapshot]", self._admin.get("/snapshots", page_size=1_000)["items"])

    def remove(self, name: str) -> None:
        """Remove a snapshot."""
        self._admin.delete(f"/snapshots/{name}")
