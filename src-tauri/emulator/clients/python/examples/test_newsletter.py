"""How code is tested against Roost: a world for each test, faults, callbacks and time in hand. Run as `pytest -n 4`."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from subprocess import run
from threading import Thread
from typing import Any

import pytest
import roost
from newsletter import Newsletter, Refused
from roost.plugin import MakeWorld
from roost.types import ClockRequest

# These numbers are kept for fiction.
FILE = "phone_number,firstname\n+447700900001,Ann\n+447700900002,Bea\n+447700900003,Cai\n"
CONTACTS = list(csv.DictReader(io.StringIO(FILE)))
FROZEN: ClockRequest = {"mode": "frozen", "now": "2026-01-05T09:00:00Z"}


@pytest.fixture
def newsletter(roost_world: roost.World) -> Newsletter:
    return Newsletter(roost_world.url, roost_world.key, sleep=lambda _: None, trust=roost.trusting())


@pytest.fixture
def server_of_ours() -> Iterator[tuple[str, Queue[Any]]]:
    """The program's own receiver, as its users would run it."""
    came: Queue[Any] = Queue()

    class Told(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Told) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/told", came
        server.shutdown()


def first_names(world: roost.World, uid: str) -> list[str]:
    return sorted(each["firstname"] for each in world.send("GET", f"/contacts/v1/contacts/list/{uid}").json()["items"])


def test_contacts_are_taken_up_and_our_server_is_told(
    roost_world: roost.World, newsletter: Newsletter, server_of_ours: tuple[str, Queue[Any]]
) -> None:
    address, came = server_of_ours
    uid = newsletter.list_of("VIP")
    assert newsletter.list_of("VIP") == uid
    ids = newsletter.take_up(uid, CONTACTS, address, batch=2)
    assert {came.get(timeout=20)["correlation_id"] for _ in ids} == ids
    assert first_names(roost_world, uid) == ["Ann", "Bea", "Cai"]


def test_nothing_is_made_twice_when_answers_are_lost(roost_world: roost.World, newsletter: Newsletter) -> None:
    roost_world.faults.lose("lists.create", first=1)
    roost_world.faults.lose("shortlinks.create", first=1)
    newsletter.list_of("VIP")
    newsletter.link("spring", "https://example.com/spring")
    roost_world.journal.verify("lists.create", exactly=1)
    account = roost_world.export()
    assert (len(account["lists"]), len(account["short_links"])) == (1, 1)


def test_a_429_is_waited_out_as_long_as_it_says(roost_world: roost.World) -> None:
    slept: list[float] = []
    roost_world.faults.fail(429, "lists.create", first=2, retry_after=7)
    Newsletter(roost_world.url, roost_world.key, sleep=slept.append, trust=roost.trusting()).list_of("VIP")
    assert slept == [7, 7]
    roost_world.journal.verify("lists.create", exactly=3)


@pytest.mark.roost(settings={"auth": "keys"})
def test_a_wrong_key_is_not_tried_again(roost_world: roost.World) -> None:
    with pytest.raises(Refused, match="401"):
        Newsletter(roost_world.url, "wrong", trust=roost.trusting()).list_of("VIP")
    roost_world.journal.verify("lists.query", exactly=1)


def test_callbacks_come_late_and_in_the_wrong_order(roost_world: roost.World, newsletter: Newsletter) -> None:
    roost_world.admin.put("/callback_policy", {"hold": True})
    inbox = roost_world.hook("inbox")
    newsletter.take_up(newsletter.list_of("VIP"), CONTACTS, inbox.url, batch=2)
    roost_world.settle(20)
    held = roost_world.callbacks("held")
    assert inbox.calls() == []
    # The newest comes first.
    for number, callback in enumerate(held, 1):
        roost_world.admin.post(f"/callbacks/{callback['id']}/release")
        inbox.wait(number, timeout=20)
    assert [call["callback_id"] for call in inbox.calls()] == [callback["id"] for callback in held]


@pytest.mark.roost(clock=FROZEN)
def test_a_callback_comes_again_when_we_fail(roost_world: roost.World, newsletter: Newsletter) -> None:
    inbox = roost_world.hook("inbox")
    inbox.answers(500, 503)
    newsletter.take_up(newsletter.list_of("VIP"), CONTACTS, inbox.url)
    # Three tries in two minutes of its clock, and in no time of ours.
    roost_world.advance(until="idle")
    assert [(call["at"][11:19], call["answered"]) for call in inbox.calls()] == [
        ("09:00:00", 500),
        ("09:01:00", 503),
        ("09:02:00", 200),
    ]


@pytest.mark.roost(clock=FROZEN)
def test_a_slow_job_is_there_when_its_time_has_come(roost_world: roost.World, newsletter: Newsletter) -> None:
    roost_world.admin.put("/job_policy", {"progress": "after", "after": "10m"})
    uid = newsletter.list_of("VIP")
    newsletter.take_up(uid, CONTACTS, roost_world.hook().url)
    roost_world.advance("9m")
    assert first_names(roost_world, uid) == []
    roost_world.advance("1m")
    assert first_names(roost_world, uid) == ["Ann", "Bea", "Cai"]


def test_a_sender_has_to_be_approved(roost_world: roost.World, newsletter: Newsletter) -> None:
    sender = roost_world.admin.post("/senders", {"name": "Acme"})
    assert not newsletter.may_send_as("Acme")
    roost_world.admin.post(f"/senders/{sender['id']}/approve")
    assert newsletter.may_send_as("Acme")


def test_whoever_unsubscribes_is_opted_out_and_nothing_else_changes(
    roost_world: roost.World, newsletter: Newsletter
) -> None:
    newsletter.take_up(newsletter.list_of("VIP"), CONTACTS, roost_world.hook().url)
    roost_world.settle(20)
    roost_world.snapshots.take("before")
    newsletter.unsubscribe("+447700900001")
    changes = roost_world.snapshots.diff("before")
    assert (changes["added"], changes["removed"], changes["changed"]) == (1, 0, 0)
    assert changes["resources"]["opt_outs"]["added"]["items"][0]["fields"]["number"] == "+447700900001"
    roost_world.snapshots.restore("before")
    assert roost_world.snapshots.diff("before")["is_empty"]


def test_a_campaign_keeps_its_link(roost_world: roost.World, newsletter: Newsletter) -> None:
    link = newsletter.link("spring", "https://example.com/spring")
    assert newsletter.link("spring", "https://example.com/spring") == link
    assert roost_world.export()["short_links"][0]["target_url"] == "https://example.com/spring"


def test_a_run_is_recorded_and_goes_the_same_elsewhere(roost_make_world: MakeWorld, tmp_path: Path) -> None:
    here, there = roost_make_world(), roost_make_world()
    client = Newsletter(here.url, here.key, trust=roost.trusting())
    client.take_up(client.list_of("VIP"), CONTACTS, here.hook().url)
    here.settle(20)
    assert here.journal.save(tmp_path / "run.jsonl") > 2
    command = [os.environ.get("ROOST_BIN", "roost"), "replay", str(tmp_path / "run.jsonl"), "--against", there.url]
    replayed = run(command, capture_output=True, text=True)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
