"""Follows the Containerfile as far as that is possible without a container.

What it copies is there, and its commands work with its environment.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import tarfile
from pathlib import Path

from conftest import CLIENTS, Packed

RECIPE = CLIENTS / "recipes/Containerfile"
KNOWN = {"FROM", "COPY", "RUN", "USER", "WORKDIR", "VOLUME", "ENV", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def read_instructions(text: str) -> list[tuple[str, str]]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(line.split(None, 1)[0], line.split(None, 1)[1].strip()) for line in joined.splitlines() if line.strip()]


def test_the_container_file_copies_what_is_there(packed: Packed) -> None:
    assert (packed.folder / "Containerfile").read_text() == RECIPE.read_text()
    instructions = read_instructions(RECIPE.read_text())
    assert {name for name, _ in instructions} <= KNOWN
    (from_context,) = (what for name, what in instructions if name == "COPY" and not what.startswith("--from"))
    # One file, because several could not be copied to the name of one.
    archive = packed.find(from_context.split()[0])
    with tarfile.open(archive) as tar:
        inside = {name.split("/", 1)[1] for name in tar.getnames()}
    for name, what in instructions:
        if name == "COPY" and what.startswith("--from"):
            path = what.split()[1].removeprefix("/usr/local/")
            assert path in inside or any(one.startswith(f"{path}/") for one in inside), what
    names = [name for name, _ in instructions]
    # The account is made before the program runs as it, and owns the volume.
    assert names.index("USER") < names.index("VOLUME") < names.index("ENTRYPOINT")
    assert dict(instructions)["USER"] == "roost"


def test_the_container_serves_as_its_file_says(packed: Packed, bare: dict[str, str], tmp_path: Path) -> None:
    instructions = dict(read_instructions(RECIPE.read_text()))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    env = {**bare, "PATH": f"{packed.tree / 'bin'}:{bare['PATH']}", "ROOST_PORT": port}
    env |= dict(pair.split("=", 1) for pair in shlex.split(instructions["ENV"]))
    command = json.loads(instructions["ENTRYPOINT"]) + json.loads(instructions["CMD"])
    refused = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert refused.returncode != 0 and "auth.keys" in refused.stderr, refused.stderr
    # The tests of this repository listen on this machine only; and the volume keeps the account.
    database = tmp_path / "kept.roost"
    given = {"ROOST_SET_AUTH_KEYS": "a-key", "ROOST_ADMIN_TOKEN": "a-token-for-this-test"}
    env |= {**given, "ROOST_BIND": "127.0.0.1", "ROOST_DB": str(database)}
    health = json.loads(instructions["HEALTHCHECK"].split(" CMD ")[1])
    health = [part.replace(f":{instructions['EXPOSE']}", f":{port}") for part in health]
    health[health.index("--timeout") + 1] = "20s"
    with subprocess.Popen(command, env=env, cwd=tmp_path) as server:
        try:
            healthy = subprocess.run(health, env=env, capture_output=True, text=True, timeout=30)
            assert healthy.returncode == 0, healthy.stderr
        finally:
            server.terminate()
    assert server.returncode in (0, 128 + 15, -15) and database.is_file()
    ill = subprocess.run([*health[:-1], "0s"], env=env, capture_output=True, timeout=30)
    assert ill.returncode != 0
    assert os.environ.get("ROOST_BIND") is None
