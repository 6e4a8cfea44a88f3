"""Servers: begun, ended, not begun, and worlds that are gone with their test."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from roost import AdminError, NotThere, Server, StartError

SECONDS = 20


def answers(url: str) -> bool:
    parts = urlsplit(url)
    with socket.socket() as line:
        return line.connect_ex((parts.hostname, parts.port)) == 0


def test_a_world_is_gone_after_its_block(roost_server: Server) -> None:
    with roost_server.world(name="short-lived") as world:
        assert roost_server.admin.get(f"/worlds/{world.name}")["id"] == "short-lived"
    with pytest.raises(AdminError) as gone:
        roost_server.admin.get("/worlds/short-lived")
    assert gone.value.status == 404
    world.remove()


def test_a_world_that_cannot_be_seeded_is_not_left_behind(roost_server: Server) -> None:
    with pytest.raises(AdminError):
        roost_server.world(name="misfit", account={"lists": [{"nam": "x"}]})
    with pytest.raises(AdminError) as gone:
        roost_server.admin.get("/worlds/misfit")
    assert gone.value.status == 404


def test_what_the_server_does_not_know_of_worlds_it_says(roost_server: Server) -> None:
    with pytest.raises(AdminError, match="colour"):
        roost_server.world(settings={"colour": "red"})


def test_a_server_of_our_own_ends_with_its_block() -> None:
    with Server.start("--limits", "off") as server:
        assert server.admin.get("/settings")["limits"] == "off" and answers(server.url)
        world = server.world()
    assert not answers(server.url) and not server.is_running()
    # Whoever clears up after the end has nothing to do.
    world.remove()
    with pytest.raises(NotThere, match="does not answer"):
        server.admin.get("/info")


def test_a_flag_that_is_none_is_told_with_the_servers_own_words() -> None:
    with pytest.raises(StartError, match="unknown argument '--limit'.* '--limits'"):
        Server.start("--limit", "off")


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=f"{port} is in use"):
            Server.start("--port", str(port))


def test_a_program_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_BIN", "no-such-roost")
    with pytest.raises(StartError, match="'no-such-roost' was not found.*cargo build.*ROOST_BIN"):
        Server.start()


def test_a_program_that_says_nothing_is_ended() -> None:
    # It reads what we hold open, and so would go on for ever.
    with pytest.raises(StartError, match=r"did not start \(status -9\): no output"):
        Server.start(binary=Path(__file__).parent / "silent.sh", timeout=0.2)


def test_the_environment_names_a_server(
    roost_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ROOST_READY_FILE", raising=False)
    monkeypatch.setenv("ROOST_ADMIN_URL", roost_server.admin.url)
    monkeypatch.setenv("ROOST_ADMIN_TOKEN", "another-token-altogether")
    with pytest.raises(StartError, match="admin token is missing or wrong"):
        Server.obtain()
    monkeypatch.delenv("ROOST_ADMIN_TOKEN")
    with pytest.raises(StartError, match="ROOST_ADMIN_TOKEN must be set"):
        Server.obtain()
    monkeypatch.setenv("ROOST_ADMIN_TOKEN", roost_server.token)
    with Server.obtain() as same, same.world() as world:
        assert same.url == roost_server.url and world.url.startswith(roost_server.url)
    # It is not ours to end.
    assert answers(roost_server.url)

    monkeypatch.delenv("ROOST_ADMIN_URL")
    ready = tmp_path / "ready.json"
    monkeypatch.setenv("ROOST_READY_FILE", str(ready))
    with pytest.raises(StartError, match="not a ready file"):
        Server.obtain()
    ready.write_text(f'{{"admin_url": "{roost_server.admin.url}", "admin_token": "{roost_server.token}"}}')
    with Server.obtain() as same:
        assert same.url == roost_server.url


def test_worlds_are_where_the_server_was_found(roost_server: Server) -> None:
    port = urlsplit(roost_server.url).port
    with Server.attach(f"http://localhost:{port}/", roost_server.token) as named, named.world() as world:
        assert world.url == f"http://localhost:{port}/w/{world.name}"
        assert world.admin.url == f"http://localhost:{port}/__admin/worlds/{world.name}"
        assert world.send("GET", "/contacts/v1/lists/").status == 200 and world.journal.count() == 1


def test_a_server_does_not_outlive_who_started_it() -> None:
    begin = "import roost, sys; server = roost.Server.start(); print(server.url, flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", begin], stdin=pipe, stdout=pipe, env=os.environ) as starter:
        assert starter.stdout is not None
        url = starter.stdout.readline().decode().strip()
        assert answers(url)
        starter.send_signal(signal.SIGKILL)
    # It hears of the end through the pipe that it held; there is nobody left to ask but the port.
    until = time.monotonic() + SECONDS
    while answers(url):
        assert time.monotonic() < until, f"{url} still answers {SECONDS} s after its starter was killed"
        time.sleep(0.01)
