"""A world per test: isolated, with faults, proof, and ways back."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from roost import AdminError, NotVerified, RoostWarning, Server, World
from roost.line import send
from roost.plugin import MakeWorld
from roost.types import Fault

LISTS = "/contacts/v1/lists/"
CREATE = "/contacts/v1/lists/create"


def create(world: World, name: str) -> str:
    answer = world.send("POST", CREATE, {"name": name})
    assert answer.status == 200, answer
    return str(answer.json()["uid"])


def names(world: World) -> list[str]:
    return sorted(item["name"] for item in world.send("GET", LISTS).json()["items"])


# Each begins with nothing, whichever ran before it or runs beside it.
@pytest.mark.parametrize("name", ["one", "two", "three", "four", "five", "six"])
def test_each_test_has_a_world_of_its_own(roost_world: World, name: str) -> None:
    assert names(roost_world) == []
    create(roost_world, name)
    assert names(roost_world) == [name]


def test_two_worlds_share_nothing(roost_make_world: MakeWorld) -> None:
    here, there = roost_make_world(), roost_make_world()
    create(here, "VIP")
    here.faults.fail(503, "lists.query")
    assert (here.send("GET", LISTS).status, there.send("GET", LISTS).status) == (503, 200)
    assert names(there) == []
    assert (here.journal.count("lists.create"), there.journal.count("lists.create")) == (1, 0)
    assert (here.journal.count("lists"), here.journal.count("contacts")) == (2, 0)


def test_a_key_names_its_world_at_the_servers_own_address(roost_server: Server, roost_world: World) -> None:
    create(roost_world, "VIP")
    answer = send("GET", roost_server.url + LISTS, headers={"X-AUTH-KEY": roost_world.key})
    assert [item["name"] for item in answer.json()["items"]] == ["VIP"]


def test_a_delay_is_in_seconds(roost_world: World) -> None:
    fault = roost_world.faults.delay(0.25, "lists.query")
    assert fault["rule"].get("effect", {}).get("latency") == {"fixed": "250ms"}


def test_a_wrong_type_or_name_is_called_wrong(roost_world: World) -> None:
    for act in (
        lambda: roost_world.faults.delay("200ms", "lists.query"),  # type: ignore[arg-type]
        lambda: roost_world.faults.fail(429, "lists.query", retry_after="1s"),  # type: ignore[arg-type]
        lambda: roost_world.settle(timeout="5s"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="expected a number of seconds, got '"):
            act()
    with pytest.raises(AdminError, match="In Box"):
        roost_world.hook("In Box")


def test_a_lost_answer_is_stored_all_the_same(roost_world: World) -> None:
    fault = roost_world.faults.lose("lists.create", first=1)
    with pytest.raises(ConnectionError):
        roost_world.send("POST", CREATE, {"name": "VIP"})
    assert names(roost_world) == ["VIP"]
    line = roost_world.journal.find("lists.create")[0]
    assert (line["status"], line["rule"]) == (None, fault["name"])
    assert line["meant"] is not None and line["meant"]["status"] == 200
    # Only the first answer was lost.
    create(roost_world, "Other")


def test_every_fault_fires_on_each_request_unless_first_is_given(roost_world: World) -> None:
    faults = roost_world.faults
    arm: list[Callable[[], Fault]] = [
        lambda: faults.fail(503, "lists.query"),
        lambda: faults.lose("lists.query"),
        lambda: faults.delay(0.01, "lists.query"),
        lambda: faults.add({"match": {"operation": "lists.query"}, "effect": {"status": 503}}),
    ]
    for begin in arm:
        assert begin()["rule"].get("apply", {}).get("first") is None
        for _ in range(2):
            with suppress(ConnectionError):
                roost_world.send("GET", LISTS)
        assert [(fault["seen"], fault["hits"]) for fault in faults.all()] == [(2, 2)]
        faults.clear()


def test_a_429_says_when_to_come_again(roost_world: World) -> None:
    roost_world.faults.fail(429, "lists.query", first=1, retry_after=7)
    answer = roost_world.send("GET", LISTS)
    assert (answer.status, answer.headers["retry-after"]) == (429, "7")
    assert roost_world.send("GET", LISTS).status == 200
    assert [fault["hits"] for fault in roost_world.faults.all()] == [1]


@pytest.mark.roost(settings={"limits.per_second": 1})
def test_limits_are_those_of_the_world(roost_world: World, roost_make_world: MakeWorld) -> None:
    statuses = {roost_world.send("GET", LISTS).status for _ in range(20)}
    assert 429 in statuses
    free = roost_make_world(settings={"limits": "off"})
    assert {free.send("GET", LISTS).status for _ in range(20)} == {200}


def test_what_nearly_fits_is_told(roost_world: World) -> None:
    create(roost_world, "Basil")
    with pytest.raises(NotVerified) as failed:
        roost_world.journal.verify({"operation": "lists.create", "body": {"pointer": {"/name": "Thyme"}}}, exactly=1)
    assert "expected exactly 1, found 0" in str(failed.value)
    assert f"near: line 1, POST {CREATE}, 200" in str(failed.value)
    assert 'body/name: expected Thyme, found "Basil"' in str(failed.value)
    assert isinstance(failed.value, AssertionError)


def test_requests_are_verified_by_number_and_by_order(roost_world: World) -> None:
    place = roost_world.journal.place()
    create(roost_world, "VIP")
    names(roost_world)
    assert roost_world.journal.verify("lists.create", exactly=1, since=place) == [1]
    assert roost_world.journal.verify_order("lists.create", "lists.query") == [1, 2]
    with pytest.raises(NotVerified):
        roost_world.journal.verify_order("lists.query", "lists.create")
    with pytest.raises(NotVerified):
        roost_world.journal.verify(at_most=1)
    with pytest.raises(ValueError, match=r"unknown operation 'lists\.creat'; operations: .*lists\.create"):
        roost_world.journal.verify("lists.creat")  # type: ignore[arg-type]


def test_a_request_that_comes_later_is_waited_for(roost_world: World) -> None:
    other = threading.Thread(target=create, args=(roost_world, "Late"))
    other.start()
    line = roost_world.journal.wait("lists.create", timeout=20)
    other.join()
    assert line["request"]["body"]["text"] == '{"name": "Late"}'
    assert CREATE in roost_world.journal.curl(line["seq"])


def test_reset_goes_back_to_the_seed(roost_world: World) -> None:
    roost_world.seed({"lists": [{"name": "Seeded"}]})
    create(roost_world, "VIP")
    roost_world.faults.fail(500)
    roost_world.reset()
    assert names(roost_world) == ["Seeded"]
    roost_world.faults.fail(500)
    roost_world.reset("faults")
    assert roost_world.send("GET", LISTS).status == 500


def test_a_snapshot_is_gone_back_to(roost_world: World) -> None:
    create(roost_world, "Kept")
    roost_world.snapshots.take("before")
    create(roost_world, "Lost")
    roost_world.snapshots.restore("before")
    assert names(roost_world) == ["Kept"]
    assert [snapshot["name"] for snapshot in roost_world.snapshots.all()] == ["before"]
    roost_world.snapshots.remove("before")
    assert roost_world.snapshots.all() == []


def test_an_account_is_taken_to_another_world(roost_world: World, roost_make_world: MakeWorld) -> None:
    create(roost_world, "VIP")
    other = roost_make_world(account=roost_world.export())
    assert names(other) == ["VIP"]
    other.reset()
    assert names(other) == ["VIP"]
    assert names(roost_make_world(source=f"world:{other.name}")) == ["VIP"]


def test_a_callback_comes_and_is_told(roost_world: World) -> None:
    came: list[bytes] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        receiver.timeout = 20
        job = {
            "list_id": create(roost_world, "VIP"),
            "merge_type": "skipDuplicates",
            "callback_url": f"http://127.0.0.1:{receiver.server_port}/done",
            "correlation_id": "job-17",
            "contacts": [{"phone_number": "+447700900001"}],
        }
        assert roost_world.send("POST", "/contacts/v1/contacts", job).status == 200
        receiver.handle_request()
    assert b"job-17" in came[0]
    line = roost_world.journal.wait({"direction": "out"}, timeout=20)
    assert (line["status"], line["attempt"]) == (204, 1)
    assert roost_world.callbacks()[0]["correlation_id"] == "job-17"
    assert roost_world.jobs()[0]["state"] == "done"


def test_every_other_route_is_one_call_away(roost_world: World) -> None:
    sender = roost_world.admin.post("/senders", {"name": "Acme"})
    assert roost_world.admin.get("/senders", page_number=1)["items"][0]["name"] == sender["name"]
    roost_world.faults.profile("flaky")
    assert roost_world.admin.get("/faults/profile") == {"name": "flaky"}


def test_time_callbacks_and_differences_are_one_call_away(roost_make_world: MakeWorld) -> None:
    world = roost_make_world(clock={"mode": "frozen", "now": "2026-01-05T09:00:00Z"}, seed=7)
    assert world.admin.post("/clock/advance", {"by": "1h"})["now"] == "2026-01-05T10:00:00Z"
    world.snapshots.take("before")
    job = {
        "list_id": create(world, "VIP"),
        "merge_type": "skipDuplicates",
        "callback_url": world.admin.put("/hooks/inbox", {})["url"],
        "contacts": [{"phone_number": "+447700900001"}],
    }
    assert world.send("POST", "/contacts/v1/contacts", job).status == 200
    assert world.admin.post("/settle", {})["delivered"] == 1
    assert world.admin.get("/hooks/inbox")["came"] == 1
    assert world.admin.get("/snapshots/before/diff/now")["resources"]["lists"]["added"]["count"] == 1


def test_a_change_without_effect_is_warned_of(roost_world: World) -> None:
    with pytest.warns(RoostWarning, match=r"^PATCH /limits: per_second: has no effect while enabled is false\.$"):
        roost_world.admin.patch("/limits", {"enabled": False, "per_second": 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        roost_world.admin.patch("/limits", {"enabled": True})
