"""A world: an account, jobs, callbacks, a journal, faults and limits of its own."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

from . import story
from .admin import Admin, to_milliseconds, told
from .errors import AdminError, NotSettled, NotThere
from .faults import Faults
from .hooks import Receiver
from .journal import Journal
from .line import PATIENCE, Answer, send
from .snapshots import Snapshots
from .types import Callback, SettleResult, ClockAdvanced, Job, CreatedWorld, ResetReport, SeedResult

if TYPE_CHECKING:
    from .server import Server

#: A failed test shows its own lines, not those of this module.
__tracebackhide__ = True

#: The most seconds that the server takes to run what becomes due.
ADVANCING = 30.0


class World:
    """Removed at the end of its `with` block, with everything in it."""

    def __init__(self, server: Server, made: CreatedWorld) -> None:
        self.server = server
        self.name: str = made["id"]
        #: Its base address. Any key works there.
        self.url: str = rebased(made["base_url"], server)
        #: Selects the world: send it in the header X-AUTH-KEY to `server.url` or `url`.
        self.key: str = made["api_key"]
        #: The token of this world's admin routes.
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
        """Send a request with this world's key, to prepare or inspect something in a test.

        A lost response raises the standard library's `OSError` or `http.client.HTTPException`.
        """
        return send(method, f"{self.url}{path}", json, {"X-AUTH-KEY": self.key, **(headers or {})}, timeout)

    def reset(self, *keep: str) -> ResetReport:
        """Reset to the seed. This also removes fault rules, policies and receivers, and clears the journal. `keep`:
        settings, limits, faults (with the policies), journal, clock, random. Work in progress ends without a response.
        """
        return cast(ResetReport, self.admin.post("/reset", keep=",".join(keep) or None))

    def seed(self, account: dict[str, Any], *, once: bool = False) -> SeedResult:
        """Replace the account, in the form of `export`. A reset returns to it, unless `once` is set. Like a reset, this
        removes fault rules, policies and receivers, and clears the journal.
        """
        return cast(SeedResult, self.admin.put("/seed", account, once="true" if once else None))

    def export(self) -> dict[str, Any]:
        """Return the whole account in the form of `seed`."""
        return cast("dict[str, Any]", self.admin.get("/export"))

    def set(self, settings: dict[str, Any]) -> None:
        """Change settings by name, all or none: `world.set({"limits": "off"})`."""
        self.admin.patch("/settings", settings)

    def jobs(self) -> list[Job]:
        """List contact jobs, newest first."""
        return cast("list[Job]", self.admin.get("/jobs")["items"])

    def callbacks(
        self,
        state: Literal["waiting", "held", "delivered", "given_up"] | None = None,
        *,
        correlation_id: str | None = None,
    ) -> list[Callback]:
        """List callbacks with every attempt, newest first. `world.admin.put("/callback_policy", {"hold": True})`
        holds new ones. `world.admin.post(f"/callbacks/{callback['id']}/release")` releases one; `hold`, `cancel` and
        `redeliver` work the same way.
        """
        return cast("list[Callback]", self.admin.get("/callbacks", state=state, correlation_id=correlation_id)["items"])

    def hook(self, name: str = "inbox") -> Receiver:
        """The receiver of this name. Its `url` is for `callback_url`, and it records the calls."""
        return Receiver(self.admin, name)

    def settle(self, timeout: float = 5, *, correlation_id: str | None = None) -> SettleResult:
        """Wait until no job is waiting and no callback is due. Held callbacks do not count.

        Raise NotSettled if that takes longer, or immediately if waiting cannot help: a job that is run by hand, or
        something due later on a frozen clock, which `advance` moves. Raise AdminError if no job has the
        `correlation_id` when the time is over.
        """
        asked = {"timeout": to_milliseconds(timeout), "correlation_id": correlation_id}
        waited = cast(SettleResult, told(self.admin.ask("POST", "/settle", asked, {}, timeout)))
        if not waited["settled"]:
            now = self.admin.get("/clock")["now"]
            raise NotSettled(story.unsettled(waited, timeout, now), waited)
        return waited

    def advance(
        self, by: str | None = None, *, to: str | None = None, until: Literal["idle"] | None = None
    ) -> ClockAdvanced:
        """Move the clock `by` a duration ("1h"), `to` a time, or `until="idle"`: until nothing is waiting. Jobs,
        callbacks and retries that become due run in order; `ran` lists them. By "0s", only what is due now runs.
        """
        wish = {"by": by, "to": to, "until": until}
        asked = {key: value for key, value in wish.items() if value is not None}
        return cast(ClockAdvanced, self.admin.call("POST", "/clock/advance", asked, {}, ADVANCING))

    def story(self, last: int = 10) -> str:
        """A summary for a failed test: the last requests, and which faults fired."""
        return story.told(self, last)

    def remove(self) -> None:
        """Remove the world. Does nothing if it was removed before."""
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
    """Replace the host: from a container or through a tunnel, the server has another address than its own."""
    return server.url + urlsplit(url).path
