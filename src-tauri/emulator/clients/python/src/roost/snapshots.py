"""What a world was like, kept under a name."""

from __future__ import annotations

from typing import cast

from .admin import Admin
from .types import Reset, Snapshot


class Snapshots:
    """Taken, listed, gone back to, forgotten. A name has a-z, 0-9 and the hyphen."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def take(self, name: str) -> Snapshot:
        return cast(Snapshot, self._admin.post("/snapshots", {"name": name}))

    def restore(self, name: str) -> Reset:
        """Back to it, jobs and all; what is under way can neither answer nor write any more."""
        return cast(Reset, self._admin.post(f"/snapshots/{name}/restore"))

    def all(self) -> list[Snapshot]:
        return cast("list[Snapshot]", self._admin.get("/snapshots")["items"])

    def remove(self, name: str) -> None:
        self._admin.delete(f"/snapshots/{name}")
