"""A server: one that ends with this process, or one that is already running."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shutil import which
from threading import Timer
from types import TracebackType
from typing import IO, Any, cast

from .admin import ADMIN, Admin
from .errors import AdminError, NotThere, StartError
from .line import trust
from .types import ClockRequest, IdStyle, CreatedWorld
from .world import World

#: A failed test shows its own lines, not those of this module.
__tracebackhide__ = True

#: `roost exec` serves while this runs. It prints the server's address, and ends when this process ends in any way.
HOLD = """
import json, os, sys
print(json.dumps({name: os.environ.get("ROOST_" + name) for name in ("ADMIN_URL", "ADMIN_TOKEN", "CA")}), flush=True)
sys.stdin.read()
"""
#: Variables that are meant for another server, or for its clients.
NOT_FOR_OURS = (
    *("ADMIN_TOKEN", "ADMIN_URL", "BIND", "CA", "CONSOLE", "DB", "NO_PORT"),
    *("PORT", "READY_FD", "READY_FILE", "SOCKET", "UNIX", "WORLD"),
)
#: Seconds for a server to start, and to stop.
START, END = 30.0, 10.0
#: A world whose test was killed is removed when it has not been used for this long.
TTL = "1h"


class Server:
    """`obtain` uses the server that the environment names, or starts one."""

    def __init__(
        self, url: str, token: str, process: subprocess.Popen[bytes] | None = None, ca: str | None = None
    ) -> None:
        self.url = url.rstrip("/").removesuffix(ADMIN)
        self.token = token
        #: The certificate authority's file, for code under test: `requests.Session().verify`. None without TLS.
        self.ca = ca if self.url.startswith("https:") else None
        self.admin = Admin(self.url + ADMIN, token)
        self._process = process

    @classmethod
    def obtain(cls) -> Server:
        """Use the server of ROOST_ADMIN_URL and ROOST_ADMIN_TOKEN, which `roost exec` sets, or of ROOST_READY_FILE.
        Without either, start one.
        """
        named = ("ADMIN_URL", "ADMIN_TOKEN", "CA", "READY_FILE")
        url, token, ca, file = (os.environ.get(f"ROOST_{name}") for name in named)
        if not url and not file:
            return cls.start()
        if not url and file:
            try:
                ready = json.loads(Path(file).read_text())
                url, token, ca = ready["admin_url"], ready["admin_token"], ready.get("ca")
            except (OSError, ValueError, LookupError, TypeError) as why:
                raise StartError(f"ROOST_READY_FILE is not a ready file of roost serve: {why}") from why
        if not token:
            raise StartError("ROOST_ADMIN_URL is set, so ROOST_ADMIN_TOKEN must be set too")
        return cls.attach(cast(str, url), token, ca=ca)

    @classmethod
    def attach(cls, url: str, token: str, *, ca: str | None = None) -> Server:
        """Use a running server, by its address and its admin token. Checks that it answers."""
        trust(ca)
        server = cls(url, token, ca=ca)
        try:
            server.admin.get("/info")
        except (AdminError, NotThere) as why:
            raise StartError(f"no Roost server at {server.url}: {why}") from why
        return server

    @classmethod
    def start(cls, *flags: str, binary: str | Path | None = None, timeout: float = START) -> Server:
        """Start a server on a free port, in memory, with a journal. `flags` are those of `roost serve`.

        The program is `binary`, or ROOST_BIN, or the one that was installed with this package, or `roost` on the PATH.
        """
        program = found(binary)
        env = {name: value for name, value in os.environ.items() if name.removeprefix("ROOST_") not in NOT_FOR_OURS}
        command = [program, "exec", *flags, "--", sys.executable, "-I", "-S", "-c", HOLD]
        with tempfile.TemporaryFile() as words:
            try:
                pipe = subprocess.PIPE
                process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=words, env=env)
            except OSError as why:
                raise StartError(f"{program} cannot be started: {why}") from why
            try:
                ready = first_line(process, timeout)
            except BaseException:
                end(process)
                raise
            if ready is None:
                status = end(process)
                words.seek(0)
                said = words.read().decode("utf-8", "replace").strip() or "no output"
                raise StartError(f"{program} did not start (status {status}): {said}")
        trust(ready["CA"])
        return cls(ready["ADMIN_URL"], ready["ADMIN_TOKEN"], process, ready["CA"])

    def world(
        self,
        *,
        name: str | None = None,
        source: str | None = None,
        settings: dict[str, Any] | None = None,
        account: dict[str, Any] | None = None,
        keys: list[str] | None = None,
        clock: ClockRequest | None = None,
        seed: int | None = None,
        ids: IdStyle | None = None,
        ttl: str = TTL,
    ) -> World:
        """Create a world.

        `source`: its initial data, "seed" (the server's), "empty", "snapshot:NAME" of the default world, or
        "world:NAME". `account`: initial data in the form of `roost export`, instead of `source`.
        `settings`: as for `roost serve --set`, for example `{"limits": "off"}`. Any key works at the world's own
        address, unless `{"auth": "keys"}` admits only its own key and `keys`.
        `clock`: for example `{"mode": "frozen", "now": "2026-01-05T09:00:00Z"}`, see `World.advance`.
        `seed`: the same seed gives the same ids. `ids`: the form of ids.
        """
        wish = {
            **{"name": name, "from": source, "settings": settings, "keys": keys},
            **{"clock": clock, "seed": seed, "ids": ids, "ttl": ttl},
        }
        given = {key: value for key, value in wish.items() if value is not None}
        world = World(self, cast(CreatedWorld, self.admin.post("/worlds", given)))
        try:
            world.admin.patch("/journal", {"enabled": True})
            if account is not None:
                world.seed(account)
        except BaseException:
            world.remove()
            raise
        return world

    def is_running(self) -> bool:
        """Whether a server that this process started still runs. True for any other server."""
        return self._process is None or self._process.poll() is None

    def stop(self) -> None:
        """Stop the server if this process started it."""
        if self._process is not None:
            end(self._process)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Server at {self.url}>"


def found(binary: str | Path | None) -> str:
    named = os.fspath(binary) if binary is not None else os.environ.get("ROOST_BIN") or installed() or "roost"
    program = which(named)
    if program is None:
        raise StartError(
            f"the program '{named}' was not found. Install the wheel that contains it, or build it with "
            "`cargo build --package roost-cli` and put it on the PATH, or set ROOST_BIN to its path"
        )
    return program


def installed() -> str | None:
    """The program of the wheel that this package came in, which need not be on the PATH."""
    try:
        files = distribution("roost").files or []
    except PackageNotFoundError:
        files = []
    listed = [str(file.locate()) for file in files if file.name == "roost"]
    # `pip install --target` moves the program, but not its entry in the list.
    candidates = [*listed, str(Path(__file__).parents[1] / "bin" / "roost")]
    return next(filter(None, map(which, candidates)), None)


def first_line(process: subprocess.Popen[bytes], timeout: float) -> dict[str, Any] | None:
    """None when the process ended without one, or took too long."""
    watch = Timer(timeout, process.kill)
    watch.start()
    try:
        line = cast("IO[bytes]", process.stdout).readline()
    finally:
        watch.cancel()
    return cast("dict[str, Any]", json.loads(line)) if line.endswith(b"\n") else None


def end(process: subprocess.Popen[bytes]) -> int:
    """Close its input, so that it stops cleanly."""
    cast("IO[bytes]", process.stdin).close()
    try:
        status = process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    cast("IO[bytes]", process.stdout).close()
    return status
