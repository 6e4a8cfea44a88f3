"""A world: an account, jobs, callbacks, a journal, faults and limits of its own."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

from . import story
from .admin import Admin, told
from .errors import AdminError, NotSettled, NotThere
from .faults import Faults
from .hooks import Receiver
from .journal import Journal
from .line import PATIENCE, Answer, send
from .snapshots import Snapshots
from .types import Callback, CallbackWaited, ClockAdvanced, Job, MadeWorld, Reset, Seeded

if TYPE_CHECKING:
    from .server import Server

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True

#: Seconds that the server takes at most to do what becomes due.
ADVANCING = 30.0


class World:
    """Goes away at the end of its `with` block, and all that goes on in it."""

    def __init__(self, server: Server, made: MadeWorld) -> None:
        self.server = server
        self.name: str = made["id"]
        #: Where it is called, with any key.
        self.url: str = rebased(made["base_url"], server)
        #: Names it wherever it is called: show it in the header X-AUTH-KEY at `server.url` or at `url`.
        self.key: str = made["api_key"]
        #: Good for this world's admin routes and for nothing else.
        self.token: str = made["admin_token"]
        #: Every admin route of this world: `world.admin.post("/senders", {…})`.
        self.admin = Admin(rebased(made["admin_url"], server), made["admin_token"])
        self.faults = Faults(self.admin)
        self.journal = Journal(self.admin)
        self.snapshots = Snapshots(self.admin)

    def send(
        self,
        method: str,
        path: str,
        json: Any = None,
        headers: dict[str, str] | None = None,
        timeout: float = PATIENCE,
    ) -> Answer:
        """Calls the interface with this world's key, for what a test wants to arrange or to look at by itself.

        A lost answer raises what the standard library raises: `OSError` or `http.client.HTTPException`.
        """
        return send(method, f"{self.url}{path}", json, {"X-AUTH-KEY": self.key, **(headers or {})}, timeout)

    def reset(self, *keep: str) -> Reset:
        """Back to the seed; `keep` may name settings, limits, faults, journal, clock and random. What was under way
        before can neither answer nor write any more.
        """
        return cast(Reset, self.admin.post("/reset", keep=",".join(keep) or None))

    def seed(self, account: dict[str, Any], *, once: bool = False) -> Seeded:
        """The whole account, in the form of `export`: what the world holds now, and goes back to unless only `once`."""
        return cast(Seeded, self.admin.put("/seed", account, once="true" if once else None))

    def export(self) -> dict[str, Any]:
        """The whole account, in the form that `seed` takes."""
        return cast("dict[str, Any]", self.admin.get("/export"))

    def set(self, settings: dict[str, Any]) -> None:
        """Settings by their names, all or none: `world.set({"limits": "off"})`."""
        self.admin.patch("/settings", settings)

    def jobs(self) -> list[Job]:
        """Contact jobs, newest first."""
        return cast("list[Job]", self.admin.get("/jobs")["items"])

    def callbacks(
        self,
        state: Literal["waiting", "held", "delivered", "given_up"] | None = None,
        *,
        correlation_id: str | None = None,
    ) -> list[Callback]:
        """Callbacks with every attempt, newest first. One is held, released, cancelled or sent again by
        `world.admin.post(f"/callbacks/{callback['id']}/release")`; `world.admin.put("/callback_policy",
        {"hold": True})` holds all that come.
        """
        return cast("list[Callback]", self.admin.get("/callbacks", state=state, correlation_id=correlation_id)["items"])

    def hook(self, name: str = "inbox") -> Receiver:
        """The receiver of this name: its `url` is for `callback_url`, and it tells what came."""
        return Receiver(self.admin, name)

    def settle(self, timeout: float = 5, *, correlation_id: str | None = None) -> CallbackWaited:
        """Waits until no job waits and no callback is owed; callbacks that are held may stay. NotSettled when that takes
        longer, and at once where it never comes by itself: a job that is run by hand, or something due on a clock that
        stands still, where `advance` does it.
        """
        asked = {"timeout": f"{round(timeout * 1_000)}ms", "correlation_id": correlation_id}
        waited = cast(CallbackWaited, told(self.admin.ask("POST", "/settle", asked, {}, timeout)))
        if not waited["settled"]:
            now = self.admin.get("/clock")["now"]
            raise NotSettled(story.unsettled(waited, timeout, now, correlation_id), waited)
        return waited

    def advance(
        self, by: str | None = None, *, to: str | None = None, until: Literal["idle"] | None = None
    ) -> ClockAdvanced:
        """Moves the clock on `by` so long ("1h"), `to` a time, or `until="idle"`, until nothing waits, and does the jobs,
        callbacks and retries that become due, in their order, before it answers what `ran`. By "0s" it does what is due
        now.
        """
        wish = {"by": by, "to": to, "until": until}
        asked = {key: value for key, value in wish.items() if value is not None}
        return cast(ClockAdvanced, self.admin.call("POST", "/clock/advance", asked, {}, ADVANCING))

    def story(self, last: int = 10) -> str:
        """What was asked last and which faults were met, for whoever wonders why a test failed."""
        return story.told(self, last)

    def remove(self) -> None:
        """Nothing of it is left afterwards. Gone already, it stays gone."""
        try:
            self.server.admin.delete(f"/worlds/{self.name}")
        except AdminError as why:
            if why.status != 404:
                raise
        except NotThere:
            if self.server.is_running():
                raise

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<World {self.name} at {self.url}>"


def rebased(url: str, server: Server) -> str:
    """The server tells the address it knows itself by; from a container or through a tunnel it has another."""
    return server.url + urlsplit(url).path
