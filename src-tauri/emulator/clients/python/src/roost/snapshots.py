"""What a world was like, kept under a name, and what differs since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from .admin import Admin
from .types import Reset, Snapshot, StateDiff

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True


class Snapshots:
    """Taken, compared, listed, gone back to, forgotten. A name has a-z, 0-9 and the hyphen."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def take(self, name: str) -> Snapshot:
        """Keeps what the world is like now."""
        return cast(Snapshot, self._admin.post("/snapshots", {"name": name}))

    def restore(self, name: str) -> Reset:
        """Back to it, jobs and all; what is under way can neither answer nor write any more."""
        return cast(Reset, self._admin.post(f"/snapshots/{name}/restore"))

    def diff(self, before: str, after: str = "now", *, ignore: str | Sequence[str] = (), limit: int = 100) -> StateDiff:
        """What was added, removed and changed between two, of which either may be "now" or "seed".

        `ignore` names resources and fields that are of no interest, such as "jobs" or "lists.updated_at":
        `assert world.snapshots.diff("before", ignore=["jobs"])["is_empty"]`. Of each kind `limit` records are told.
        """
        told = self._admin.get(f"/snapshots/{before}/diff/{after}", ignore=ignore or None, limit=limit)
        return cast(StateDiff, told)

    def all(self) -> list[Snapshot]:
        """Those there are."""
        return cast("list[Snapshot]", self._admin.get("/snapshots", page_size=1_000)["items"])

    def remove(self, name: str) -> None:
        """Forgets it."""
        self._admin.delete(f"/snapshots/{name}")
