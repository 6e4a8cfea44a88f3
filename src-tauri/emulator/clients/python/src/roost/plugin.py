"""Fixtures for pytest: `roost_world` is a world of its own for the test, `roost_server` the server it runs on.

Under pytest-xdist each worker has a server of its own, unless the environment names one for all (`roost exec`).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Generator, Iterator
from typing import Any, Protocol

import pytest

from .errors import RoostError
from .server import Server
from .world import World

WORLDS = pytest.StashKey[list[World]]()
MARKER = (
    "roost(source=…, settings=…, account=…, keys=…, clock=…, seed=…, ids=…): "
    "how the world of a test is to be, as Server.world takes it"
)


class MakeWorld(Protocol):
    """Makes further worlds for a test, with what `Server.world` takes; they go when the test ends."""

    def __call__(self, **wish: Any) -> World: ...


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(scope="session")
def roost_server() -> Iterator[Server]:
    """The server of ROOST_ADMIN_URL or ROOST_READY_FILE, or one of our own for as long as the tests run."""
    with Server.obtain() as server:
        yield server


@pytest.fixture
def roost_make_world(request: pytest.FixtureRequest, roost_server: Server) -> Iterator[MakeWorld]:
    """Makes as many worlds as a test wants: `roost_make_world(clock={"mode": "frozen"})`, as Server.world takes it."""
    made: list[World] = []
    request.node.stash[WORLDS] = made

    def make(**wish: Any) -> World:
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
    """A world of its own for this test; `@pytest.mark.roost(settings={"limits": "off"})` says how it is to be."""
    wish: dict[str, Any] = {}
    # The nearest mark last, so that its word counts.
    for mark in reversed(list(request.node.iter_markers("roost"))):
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
                told = f"nothing can be told of it: {why}"
            report.sections.append((f"Roost world {world.name}", told))
    return report


def name_of(test: str) -> str:
    """So that the console shows whose world it is; no two are alike."""
    plain = re.sub("[^a-z0-9]+", "-", test.lower()).strip("-")[:50].strip("-")
    return f"{plain or 'test'}-{secrets.token_hex(4)}"
