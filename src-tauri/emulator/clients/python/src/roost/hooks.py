"""The receiver that is built in: an address for `callback_url`, and what came to it."""

from __future__ import annotations

from typing import cast

from .admin import Admin
from .errors import NotSettled
from .types import Hook, HookAnswer, HookCall, HookScript

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True


class Receiver:
    """Answers 200 unless `answers` said something else; give its `url` to the code under test."""

    def __init__(self, admin: Admin, name: str) -> None:
        self._admin = admin
        self._path = f"/hooks/{name}"
        self.name = name
        self.url: str = self._look()["url"]

    def answers(self, *script: HookAnswer, then: HookAnswer | None = None) -> None:
        """One after the other, such as `500, 500, 200`; then always `then`, which is 200 when left out."""
        wish: HookScript = {"answers": list(script)}
        if then is not None:
            wish["then"] = then
        self._admin.put(self._path, wish)

    def calls(self) -> list[HookCall]:
        """What came so far, oldest first; the body is in `json`, and how it was answered in `answered`."""
        return self._look()["items"]

    def wait(self, count: int = 1, *, timeout: float = 5) -> list[HookCall]:
        """The same, as soon as there are `count`; NotSettled when they did not come in time."""
        asked = {"count": count, "wait": f"{round(timeout * 1_000)}ms"}
        hook = cast(Hook, self._admin.call("GET", self._path, None, asked, timeout))
        if len(hook["items"]) < count:
            came = f"{len(hook['items'])} of {count} calls"
            raise NotSettled(f"{came} came to '{self.name}' in {timeout} s; world.callbacks() tells of every try")
        return hook["items"]

    def _look(self) -> Hook:
        return cast(Hook, self._admin.get(self._path))
