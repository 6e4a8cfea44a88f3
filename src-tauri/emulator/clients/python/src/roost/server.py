"""A server: one of our own for as long as we live, or one that runs already."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which
from threading import Timer
from types import TracebackType
from typing import IO, Any, cast

from .admin import ADMIN, Admin
from .errors import AdminError, NotThere, StartError
from .line import trust
from .types import ClockWish, IdStyle, MadeWorld
from .world import World

#: Failures end at the line of the test: pytest shows no frame of this module.
__tracebackhide__ = True

#: `roost exec` serves while this runs. It says where the server is, and ends when we do, however that comes about.
HOLD = """
import json, os, sys
print(json.dumps({name: os.environ.get("ROOST_" + name) for name in ("ADMIN_URL", "ADMIN_TOKEN", "CA")}), flush=True)
sys.stdin.read()
"""
#: Meant for another server, or for whoever asks one.
NOT_FOR_OURS = (
    *("ADMIN_TOKEN", "ADMIN_URL", "BIND", "CA", "CONSOLE", "DB", "NO_PORT"),
    *("PORT", "READY_FD", "READY_FILE", "SOCKET", "UNIX", "WORLD"),
)
#: Seconds for a server to answer, and to end.
START, END = 30.0, 10.0
#: A world whose test was killed goes by itself, when nobody used it for so long.
TTL = "1h"


class Server:
    """`obtain` takes the one that the environment names, and starts one where there is none."""

    def __init__(
        self, url: str, token: str, process: subprocess.Popen[bytes] | None = None, ca: str | None = None
    ) -> None:
        self.url = url.rstrip("/").removesuffix(ADMIN)
        self.token = token
        #: The file of the authority behind its TLS, for code under test: `requests.Session().verify`. None without TLS.
        self.ca = ca if self.url.startswith("https:") else None
        self.admin = Admin(self.url + ADMIN, token)
        self._process = process

    @classmethod
    def obtain(cls) -> Server:
        """The server of ROOST_ADMIN_URL and ROOST_ADMIN_TOKEN, as `roost exec` sets them, or of ROOST_READY_FILE;
        without either, one of our own.
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
                raise StartError(f"ROOST_READY_FILE names no ready file of roost serve: {why}") from why
        if not token:
            raise StartError("ROOST_ADMIN_URL names a server; ROOST_ADMIN_TOKEN has to say its token")
        return cls.attach(cast(str, url), token, ca=ca)

    @classmethod
    def attach(cls, url: str, token: str, *, ca: str | None = None) -> Server:
        """One that runs already, by its address and its admin token; it is asked whether it is there."""
        trust(ca)
        server = cls(url, token, ca=ca)
        try:
            server.admin.get("/info")
        except (AdminError, NotThere) as why:
            raise StartError(f"no server of ours at {server.url}: {why}") from why
        return server

    @classmethod
    def start(cls, *flags: str, binary: str | Path | None = None, timeout: float = START) -> Server:
        """One of our own on a free port, in memory, with a journal; `flags` are those of `roost serve`.

        The program is `binary`, or what ROOST_BIN names, or `roost` on the PATH.
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
                said = words.read().decode("utf-8", "replace").strip() or "it said nothing"
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
        clock: ClockWish | None = None,
        seed: int | None = None,
        ids: IdStyle | None = None,
        ttl: str = TTL,
    ) -> World:
        """A world of its own.

        `source` is what it begins with: "seed" (that of the server), "empty", "snapshot:NAME" of the default world,
        or "world:NAME". `account` is one in the form of `roost export`, and goes before it.
        `settings` are those of `roost serve --set`: `{"limits": "off"}`. Its address names a world whatever key comes
        with it; `{"auth": "keys"}` lets in its own and `keys` alone.
        `clock` may stand still: `{"mode": "frozen", "now": "2026-01-05T09:00:00Z"}`, see `World.advance`.
        `seed` settles its ids, and `ids` says what they look like.
        """
        wish = {
            **{"name": name, "from": source, "settings": settings, "keys": keys},
            **{"clock": clock, "seed": seed, "ids": ids, "ttl": ttl},
        }
        given = {key: value for key, value in wish.items() if value is not None}
        world = World(self, cast(MadeWorld, self.admin.post("/worlds", given)))
        try:
            world.admin.patch("/journal", {"enabled": True})
            if account is not None:
                world.seed(account)
        except BaseException:
            world.remove()
            raise
        return world

    def is_running(self) -> bool:
        """Of a server of our own: whether it lives. Of another that is not known, and so it is said to."""
        return self._process is None or self._process.poll() is None

    def stop(self) -> None:
        """Ends a server of our own; another is left as it is."""
        if self._process is not None:
            end(self._process)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Server at {self.url}>"


def found(binary: str | Path | None) -> str:
    named = os.fspath(binary) if binary is not None else os.environ.get("ROOST_BIN") or "roost"
    program = which(named)
    if program is None:
        raise StartError(
            f"there is no program '{named}'. Build it with `cargo build --package roost-cli` and put it on the PATH, "
            "or say in ROOST_BIN where it is"
        )
    return program


def first_line(process: subprocess.Popen[bytes], timeout: float) -> dict[str, Any] | None:
    """None when it ended without one, or did not say it in time."""
    watch = Timer(timeout, process.kill)
    watch.start()
    try:
        line = cast("IO[bytes]", process.stdout).readline()
    finally:
        watch.cancel()
    return cast("dict[str, Any]", json.loads(line)) if line.endswith(b"\n") else None


def end(process: subprocess.Popen[bytes]) -> int:
    """What it holds on to ends, and so it ends in good order."""
    cast("IO[bytes]", process.stdin).close()
    try:
        status = process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    cast("IO[bytes]", process.stdout).close()
    return status
