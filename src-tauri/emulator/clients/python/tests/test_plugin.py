"""The plugin, seen from outside: worlds that are gone, failures that tell, workers side by side."""

from __future__ import annotations

import json
import re

import pytest
from roost import Server

FAILS = """
def test_of_a_shop(roost_world):
    roost_world.faults.fail(503, "lists.query", name="overloaded")
    roost_world.send("GET", "/contacts/v1/lists/")
    roost_world.send("GET", "/contacts/v1/list")
    roost_world.send("POST", "/contacts/v1/lists/create", {"name": 7})
    roost_world.journal.verify("lists.create", exactly=2)
"""

WORKERS = """
import json, os, pathlib, pytest

@pytest.mark.parametrize("turn", range(8))
def test_of_a_worker(roost_world, roost_server, turn):
    assert roost_world.send("GET", "/contacts/v1/lists/").json()["items"] == []
    assert roost_world.send("POST", "/contacts/v1/lists/create", {"name": "VIP"}).status == 200
    told = {"worker": os.environ["PYTEST_XDIST_WORKER"], "server": roost_server.url, "world": roost_world.name}
    pathlib.Path(os.environ["TOLD"], f"{turn}.json").write_text(json.dumps(told))
"""


@pytest.fixture
def shared(roost_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The tests inside run on the server of the tests outside."""
    monkeypatch.setenv("ROOST_ADMIN_URL", roost_server.admin.url)
    monkeypatch.setenv("ROOST_ADMIN_TOKEN", roost_server.token)
    return roost_server


def worlds(server: Server) -> set[str]:
    return {world["id"] for world in server.admin.get("/worlds")["items"]}


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_a_failure_tells_what_was_asked_and_which_fault_fired(pytester: pytest.Pytester, shared: Server) -> None:
    pytester.makepyfile(FAILS)
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            # The line of the test is the last that is shown, and not one of ours.
            ">*roost_world.journal.verify(*",
            "E*NotVerified: expected exactly 2, found 1 of *",
            "*_tells_what_was_asked_and_which_fault_fired.py:*: NotVerified",
            "*- Roost world test-of-a-shop-* -*",
            "the last requests (-> to the service, <- from it):",
            "*1 -> GET /contacts/v1/lists/: 503 (fault 'overloaded'*",
            "*2 -> GET /contacts/v1/list: 404 *",
            "*3 -> POST /contacts/v1/lists/create: 400 (The request breaks 1 rule. * name*",
            "fault 'overloaded' fired on 1 of 1 matching requests",
            "unmatched: GET /contacts/v1/list. Did you mean GET /contacts/v1/lists/?",
        ]
    )
    assert not any(name.startswith("test-of-a-shop") for name in worlds(shared))


def test_a_refusal_is_shown_at_the_line_of_the_test(pytester: pytest.Pytester, shared: Server) -> None:
    pytester.makepyfile("def test_it(roost_world):\n    roost_world.faults.remove('none')\n")
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">*roost_world.faults.remove('none')", "E*AdminError: DELETE /faults/rules/none: *"])
    result.stdout.no_fnmatch_line("*admin.py:*")


def test_a_mark_says_how_a_world_is_to_be(pytester: pytest.Pytester, shared: Server) -> None:
    pytester.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.roost(settings={"limits": "off"}, account={"lists": [{"name": "Far"}]})

        @pytest.mark.roost(account={"lists": [{"name": "Near"}]})
        def test_marked(roost_world):
            lists = roost_world.send("GET", "/contacts/v1/lists/").json()["items"]
            assert [item["name"] for item in lists] == ["Near"]
            assert roost_world.admin.get("/settings")["limits"] == "off"
        """
    )
    run(pytester, "--strict-markers").assert_outcomes(passed=1)


def test_a_mistyped_mark_says_what_was_meant(pytester: pytest.Pytester, shared: Server) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.rooost(settings={"limits": "off"})
        def test_mark(roost_world): ...

        @pytest.mark.roost(setings={"limits": "off"})
        def test_argument(roost_world): ...

        @pytest.mark.roost({"limits": "off"})
        def test_without_a_name(roost_world): ...

        @pytest.mark.roost(colour="red")
        def test_of_something_else(roost_world): ...

        def test_of_another_world(roost_make_world):
            roost_make_world(clok={"mode": "frozen"})

        @pytest.mark.slow
        def test_of_another_mark(roost_world): ...
        """
    )
    result = run(pytester, "-W", "ignore::pytest.PytestUnknownMarkWarning")
    result.assert_outcomes(passed=1, errors=4, failed=1)
    result.stdout.fnmatch_lines_random(
        [
            "Unknown mark pytest.mark.rooost. Did you mean pytest.mark.roost?",
            "pytest.mark.roost has no argument setings. Did you mean settings?",
            "pytest.mark.roost takes arguments with names only: name, source, settings, *",
            "pytest.mark.roost has no argument colour. It takes name, source, *",
            "roost_make_world has no argument clok. Did you mean clock?",
        ]
    )
    result.stdout.no_fnmatch_line("*plugin.py*")


def test_failures_hide_the_frames_of_the_client(pytester: pytest.Pytester, shared: Server) -> None:
    pytester.makepyfile(
        """
        def test_settings(roost_world):
            roost_world.set({"limit": "off"})

        def test_faults(roost_world):
            roost_world.faults.fail(503, "lists.quer")

        def test_snapshots(roost_world):
            roost_world.snapshots.restore("nothing")

        def test_wait(roost_world):
            roost_world.hook("inbox").wait(1, timeout=0.05)

        def test_settle(roost_world):
            roost_world.journal.wait("lists.create", timeout=0.05)
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=5)
    result.stdout.no_fnmatch_line("*/roost/*.py:*")
    shown = [line for line in result.outlines if re.match(r"[^ ]+\.py:\d+: ", line)]
    assert len(shown) == 5, shown


def of_workers(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    monkeypatch.setenv("TOLD", str(pytester.path))
    pytester.makepyfile(WORKERS)
    run(pytester, "-n", "2").assert_outcomes(passed=8)
    told = [json.loads(file.read_text()) for file in pytester.path.glob("*.json")]
    assert len({one["world"] for one in told}) == 8
    assert {one["worker"] for one in told} == {"gw0", "gw1"}
    return told


def test_each_worker_has_a_server_of_its_own(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROOST_ADMIN_URL", "ROOST_ADMIN_TOKEN", "ROOST_READY_FILE"):
        monkeypatch.delenv(name, raising=False)
    told = of_workers(pytester, monkeypatch)
    assert len({(one["worker"], one["server"]) for one in told}) == len({one["server"] for one in told}) == 2


def test_workers_share_the_server_of_the_environment(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, shared: Server
) -> None:
    told = of_workers(pytester, monkeypatch)
    assert {one["server"] for one in told} == {shared.url}
    assert not any(name.startswith("test-of-a-worker") for name in worlds(shared))
