"""Jobs, callbacks and the clock: waited for, moved on, and told of where they are not done."""

from __future__ import annotations

import pytest
from roost import AdminError, NotSettled, NotVerified, World
from roost.types import ClockRequest

FROZEN: ClockRequest = {"mode": "frozen", "now": "2026-01-05T09:00:00Z"}
CONTACTS = "/contacts/v1/contacts"


def create(world: World, name: str) -> str:
    return str(world.send("POST", "/contacts/v1/lists/create", {"name": name}).json()["uid"])


def ask(world: World, told_at: str, correlation_id: str = "job-17") -> None:
    job = {
        "list_id": create(world, "VIP"),
        "merge_type": "skipDuplicates",
        "callback_url": told_at,
        "correlation_id": correlation_id,
        "contacts": [{"phone_number": "+447700900001"}],
    }
    assert world.send("POST", CONTACTS, job).status == 200


def test_a_world_settles_and_the_receiver_tells_what_came(roost_world: World) -> None:
    inbox = roost_world.hook()
    assert inbox.calls() == []
    ask(roost_world, inbox.url)
    assert roost_world.settle(20, correlation_id="job-17")["delivered"] == 1
    (call,) = inbox.wait(timeout=20)
    assert (call["json"]["correlation_id"], call["answered"]) == ("job-17", 200)
    assert [callback["id"] for callback in roost_world.callbacks("delivered", correlation_id="job-17")] == [1]
    assert roost_world.callbacks("held") == []


def test_what_does_not_come_is_told(roost_world: World) -> None:
    with pytest.raises(AdminError, match="No job has the correlation_id 'job-18'"):
        roost_world.settle(0.05, correlation_id="job-18")
    with pytest.raises(NotSettled, match=r"0 of 2 calls arrived at 'inbox' in 0\.05 s") as missed:
        roost_world.hook().wait(2, timeout=0.05)
    assert isinstance(missed.value, AssertionError)


@pytest.mark.roost(clock=FROZEN)
def test_a_retry_waits_for_the_clock_and_says_so(roost_world: World) -> None:
    inbox = roost_world.hook()
    inbox.answers(500, then={"status": 204})
    ask(roost_world, inbox.url)
    # What is due by now.
    roost_world.advance("0s")
    with pytest.raises(NotSettled) as late:
        roost_world.settle(0.05)
    owed = "callback 1 of job 1 is waiting until 2026-01-05T09:01:00Z, after 500"
    assert f"jobs waiting: 0, callbacks waiting: 1\n  {owed}\n" in str(late.value)
    assert "clock shows 2026-01-05T09:00:00Z; world.advance" in str(late.value)
    assert late.value.waited is not None and late.value.waited["waiting"] == 1
    assert owed in roost_world.story()
    assert roost_world.advance(until="idle")["now"] == "2026-01-05T09:01:00Z"
    assert [call["answered"] for call in inbox.calls()] == [500, 204]
    assert roost_world.settle(20)["delivered"] == 1
    assert "callback" not in roost_world.story()


@pytest.mark.roost(clock=FROZEN)
def test_a_job_that_is_not_done_is_in_the_story(roost_world: World) -> None:
    roost_world.admin.put("/__admin/job_policy", {"progress": "manual"})
    ask(roost_world, roost_world.hook().url)
    with pytest.raises(NotSettled) as stuck:
        roost_world.settle(20)
    assert "not settled and waiting cannot help: jobs waiting: 1" in str(stuck.value)
    assert "job 1: the job policy waits for it to be run by hand" in str(stuck.value)
    assert "Run it with POST /__admin/jobs/1/run" in str(stuck.value) and "advance" not in str(stuck.value)
    assert "job 1 has 0 of 1 contacts done and is waiting" in roost_world.story()


def test_what_differs_since_a_snapshot_is_told(roost_world: World) -> None:
    roost_world.snapshots.take("before")
    ask(roost_world, roost_world.hook().url)
    roost_world.settle(20)
    told = roost_world.snapshots.diff("before")
    assert (told["resources"]["lists"]["added"]["count"], told["resources"]["contacts"]["added"]["count"]) == (1, 1)
    assert roost_world.snapshots.diff("before", ignore=["lists", "contacts", "jobs"])["is_empty"]
    assert roost_world.snapshots.diff("seed", "before")["is_empty"]


def test_a_fault_that_never_fired_is_in_the_story(roost_world: World) -> None:
    roost_world.faults.fail(503, "senders.query", name="unused")
    roost_world.faults.lose("lists.create", name="used")
    with pytest.raises(OSError):
        create(roost_world, "VIP")
    told = roost_world.story()
    assert "fault 'unused' never fired: because no request matched" in told
    assert "fault 'used' fired on 1 of 1 matching requests" in told


def test_what_was_arranged_since_a_snapshot_is_told(roost_world: World) -> None:
    roost_world.snapshots.take("before")
    roost_world.set({"limits.per_second": 7})
    [change] = roost_world.snapshots.diff("before")["arrangement"]
    assert change == {"part": "settings", "name": "limits.per_second", "from": 10, "to": 7}
    assert roost_world.snapshots.diff("before", ignore=["settings"])["is_empty"]


def test_what_fits_is_told_where_it_is_too_much(roost_world: World) -> None:
    roost_world.faults.fail(500, "lists.create", first=1)
    roost_world.send("POST", "/contacts/v1/lists/create", {"name": "VIP"})
    create(roost_world, "VIP")
    with pytest.raises(NotVerified) as failed:
        roost_world.journal.verify("lists.create", exactly=1)
    assert "matches: line 1, POST /contacts/v1/lists/create, 500" in str(failed.value)
    assert "matches: line 2, POST /contacts/v1/lists/create, 200" in str(failed.value)


def test_paths_may_stand_as_the_documents_have_them(roost_world: World) -> None:
    assert {roost_world.admin.get(path)["limits"] for path in ("/settings", "settings", "/__admin/settings")} == {"on"}
    with pytest.raises(AdminError, match=r"GET /limit: .*/limit\. Did you mean GET /__admin/.*limits\?"):
        roost_world.admin.get("/limit")
    with pytest.raises(AdminError, match="Expected a duration .*, got 60"):
        roost_world.admin.post("/clock/advance", {"by": 60})
