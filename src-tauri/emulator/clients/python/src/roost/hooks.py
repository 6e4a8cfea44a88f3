"""The built-in receiver: an address for `callback_url`, and the calls that arrived there."""

from __future__ import annotations

from typing import cast

from .admin import Admin, to_milliseconds
from .errors import NotSettled
from .types import Hook, HookAnswer, HookCall, HookScript

#: A failed test shows its own lines, not those of this module.
__tracebackhide__ = True


class Receiver:
    """Answers 200 unless `answers` sets something else. Give its `url` to the code under test."""

    def __init__(self, admin: Admin, name: str) -> None:
        self._admin = admin
        self._path = f"/hooks/{name}"
        self.name = name
        self.url: str = self._look()["url"]

    def answers(self, *script: HookAnswer, then: HookAnswer | None = None) -> None:
        """Answer with these in turn, for example `500, 500, 200`, then always with `then` (default 200)."""
        wish: HookScript = {"answers": list(script)}
        if then is not None:
            wish["then"] = then
        self._admin.put(self._path, wish)

    def calls(self) -> list[HookCall]:
        """Return the calls so far, oldest first. `json` is the body, `answered` the status of the answer."""
        return self._look()["items"]

    def wait(self, count: int = 1, *, timeout: float = 5) -> list[HookCall]:
        """Wait until there are `count` calls and return them. Raise NotSettled if they do not arrive in time."""
        asked = {"count": count, "wait": to_milliseconds(timeout)}
        hook = cast(Hook, self._admin.call("GET", self._path, None, asked, timeout))
        if len(hook["items"]) < count:
            arrived = f"{len(hook['items'])} of {count} calls"
            raise NotSettled(f"{arrived} arrived at '{self.name}' in {timeout} s; world.callbacks() has every attempt")
        return hook["items"]

    def _look(self) -> Hook:
        return cast(Hook, self._admin.get(self._path))
