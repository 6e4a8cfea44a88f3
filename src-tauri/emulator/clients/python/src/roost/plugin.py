"""Fixtures for pytest: `roost_world`, a separate world for the test, and `roost_server`, its server.

With pytest-xdist each worker starts its own server, unless the environment names one for all (`roost exec`).
"""

from __future__ import annotations

import inspect
import re
import secrets
from collections.abc import Generator, Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Protocol

import pytest

from .errors import RoostError
from .server import Server
from .world import World

MARK = "roost"
#: What a mark may say: what `Server.world` takes.
ARGUMENTS = tuple(inspect.signature(Server.world).parameters)[1:]
WORLDS = pytest.StashKey[list[World]]()
MARKER = (
    f"{MARK}(source=…, settings=…, account=…, keys=…, clock=…, seed=…, ids=…): "
    "options of the test's world, see Server.world"
)


class MakeWorld(Protocol):
    """Creates more worlds for a test, with the options of `Server.world`. They are removed when the test ends."""

    def __call__(self, **wish: Any) -> World: ...


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(scope="session")
def roost_server() -> Iterator[Server]:
    """The server of ROOST_ADMIN_URL or ROOST_READY_FILE, or one that runs until the tests end."""
    with Server.obtain() as server:
        yield server


@pytest.fixture
def roost_make_world(request: pytest.FixtureRequest, roost_server: Server) -> Iterator[MakeWorld]:
    """Create any number of worlds: `roost_make_world(clock={"mode": "frozen"})`, see Server.world."""
    made: list[World] = []
    request.node.stash[WORLDS] = made

    def make(**wish: Any) -> World:
        check_arguments("roost_make_world", wish)
        wish.setdefault("name", name_of(request.node.name))
        world = roost_server.world(**wish)
        made.append(world)
        return world

    try:
        yield make
    finally:
        for world in reversed(made):
            world.remove()


@pytest.fixture
def roost_world(request: pytest.FixtureRequest, roost_make_world: MakeWorld) -> World:
    """A separate world for this test. `@pytest.mark.roost(settings={"limits": "off"})` sets its options."""
    wish: dict[str, Any] = {}
    check_marks(request.node.iter_markers(), request.config.getini("markers"))
    # The nearest mark last, so that it takes precedence.
    for mark in reversed(list(request.node.iter_markers(MARK))):
        if mark.args:
            pytest.fail(f"pytest.mark.{MARK} takes arguments with names only: {', '.join(ARGUMENTS)}", pytrace=False)
        check_arguments(f"pytest.mark.{MARK}", mark.kwargs)
        wish |= mark.kwargs
    return roost_make_world(**wish)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed:
        for world in item.stash.get(WORLDS, []):
            try:
                told = world.story()
            except RoostError as why:
                told = f"its requests are unknown: {why}"
            report.sections.append((f"Roost world {world.name}", told))
    return report


def check_marks(marks: Iterable[pytest.Mark], known: list[str]) -> None:
    """A mark that nobody knows and that looks like ours would be ignored without a word."""
    names = {re.split("[:(]", line, maxsplit=1)[0].strip() for line in known}
    for mark in marks:
        if mark.name not in names and get_close_matches(mark.name.lower(), [MARK]):
            pytest.fail(f"Unknown mark pytest.mark.{mark.name}. Did you mean pytest.mark.{MARK}?", pytrace=False)


def check_arguments(taker: str, given: Iterable[str]) -> None:
    for name in given:
        if name not in ARGUMENTS:
            meant = get_close_matches(name, ARGUMENTS, 1)
            hint = f"Did you mean {meant[0]}?" if meant else f"It takes {', '.join(ARGUMENTS)}."
            pytest.fail(f"{taker} has no argument {name}. {hint}", pytrace=False)


def name_of(test: str) -> str:
    """A unique name that shows in the console which test the world belongs to."""
    plain = re.sub("[^a-z0-9]+", "-", test.lower()).strip("-")[:50].strip("-")
    return f"{plain or 'test'}-{secrets.token_hex(4)}"
