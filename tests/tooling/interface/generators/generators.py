"""Takes the document of the admin interface to the tools that others have.

openapi-spec-validator accepts it, openapi-python-client and openapi-typescript make clients from it that work, and
schemathesis finds no answer that it does not allow. Usage: generators.py [the binary `roost`]
"""

import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from openapi_spec_validator import validate

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
FOLDER = ROOT / "target" / "generators"
TOOLS = FOLDER / "tools" / "node_modules" / ".bin"
WORK = FOLDER / "work"
TYPES_OF_UI = ROOT / "ui" / "src" / "api" / "admin.generated.ts"

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
]
EXAMPLES_PER_OPERATION = 12
MOST_SECONDS = 240
# It has no end.
STREAM = "events"
# Nothing waits for longer than the test lasts, and no name is that of something that has to stay.
DICTIONARIES = {
    "waits": (["0ms", "1ms", "20ms"], ["query.wait", "body.timeout"], 1.0),
    "times": (["2026-01-05T09:00:00Z", "2026-02-01T10:30:00Z"], ["body.now", "body.to"], 0.7),
    "names": (["one", "two"], ["path.world", "path.snapshot", "path.other", "path.hook", "path.fault", "body.name"], 0.7),
    "numbers": ([1, 2, 3], ["path.job_id", "path.callback_id", "path.seq", "path.number"], 0.7),
}


def run(command: list, **how) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], check=True, stdin=subprocess.DEVNULL, **how)


@contextmanager
def server(binary: Path):
    ready, home = WORK / "ready.json", WORK / "home"
    own = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE", "STATE")}
    arguments = ["serve", "--port", "0", "--ready-file", ready, "--limits", "off", "--journal", "on"]
    with (WORK / "server.log").open("w") as log:
        process = subprocess.Popen([binary, *arguments], stdout=log, stderr=log, env=os.environ | own)
        try:
            deadline = time.monotonic() + 30
            while not ready.exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("roost serve was not ready after 30 s")
                time.sleep(0.02)
            yield json.loads(ready.read_text())
            if process.poll() is not None:
                raise SystemExit(f"roost serve ended with status {process.returncode}")
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                raise SystemExit("roost serve did not end within 10 s of SIGTERM") from None


def python_client(url: str, token: str) -> None:
    """Makes the client, and does with it what a test would."""
    made = run(
        [sys.executable, "-m", "openapi_python_client", "generate", "--path", WORK / "admin.json"]
        + ["--output-path", WORK / "roost_admin", "--meta", "none", "--config", HERE / "client.yaml"],
        capture_output=True,
        text=True,
    )
    if "Unable" in made.stdout + made.stderr or "Warning" in made.stdout + made.stderr:
        raise SystemExit(f"openapi-python-client leaves something out:\n{made.stdout}{made.stderr}")
    sys.path.insert(0, str(WORK))
    client_of = importlib.import_module("roost_admin").AuthenticatedClient
    models = importlib.import_module("roost_admin.models")

    def call(operation: str, client, **given):
        module = importlib.import_module(f"roost_admin.api.default.{operation}")
        return module.sync_detailed(client=client, **given)

    def refused(answer, status: int, pointer: str) -> None:
        assert (answer.status_code, answer.parsed.error.pointer) == (status, pointer), answer

    with client_of(base_url=f"{url}/__admin", token=token) as host:
        index = call("index", host).parsed
        assert (index.version, index.document) == ("1", "/__admin/openapi.json"), index
        world = call("worlds_add", host, body=models.WorldRequest(name="generated")).parsed
        assert call("worlds_list", host, page_size=1).parsed.paging.total_items == 2
    # The same routes of a named world are below another server.
    with client_of(base_url=world.admin_url, token=world.admin_token) as inside:
        rule = models.FaultRule(effect=models.FaultEffect(status=503), match=models.Matcher(operation="lists.create"))
        fault = call("faults_add", inside, body=rule).parsed
        assert (fault.name, fault.position) == ("fault-1", 1), fault
        page = call("faults_list", inside).parsed
        assert [one.name for one in page.items] == ["fault-1"] and page.paging.total_items == 1
        request = models.FaultExplainRequest(url="/contacts/v1/lists/create", method="POST")
        assert call("faults_explain", inside, body=request).parsed.fires == "fault-1"
        refused(call("faults_add", inside, body=models.FaultRule(effect=models.FaultEffect(status=200))), 400, "/effect/status")
        frozen = models.ClockRequest.from_dict({"mode": "frozen", "now": "2026-01-05T09:00:00Z"})
        clock = call("clock_put", inside, body=frozen).parsed
        assert clock.now.isoformat() == "2026-01-05T09:00:00+00:00", clock
        settled = call("settle", inside, body=models.SettleRequest(timeout="20ms")).parsed
        assert settled.settled, settled


def declare(document: Path, types: Path) -> None:
    command = [TOOLS / "openapi-typescript", document, "--output", types, "--default-non-nullable", "false"]
    run(command, stdout=subprocess.DEVNULL)


def typescript_types() -> None:
    declare(WORK / "admin.json", WORK / "admin.d.ts")
    shutil.copy(HERE / "consumer.ts", WORK)
    run([TOOLS / "tsc", "--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022", WORK / "consumer.ts"])


def without_texts(part):
    """The part without what a type does not need."""
    if isinstance(part, list):
        return [without_texts(one) for one in part]
    if not isinstance(part, dict):
        return part
    texts = ("description", "summary", "title", "format", "example", "examples", "default")
    return {name: without_texts(one) for name, one in part.items() if name not in texts or isinstance(one, dict)}


def check_types_of_ui(document: dict) -> None:
    """The pages of the window and the console are checked against the types of successful requests."""
    slim = without_texts(document)
    for operation in (one for path in slim["paths"].values() for one in path.values() if isinstance(one, dict)):
        done = {status: answer for status, answer in operation["responses"].items() if status.startswith("2")}
        operation["responses"] = {
            status: {"description": "", **{part: answer[part] for part in ("content",) if part in answer}}
            for status, answer in done.items()
        }
    (WORK / "slim.json").write_text(json.dumps(slim))
    declare(WORK / "slim.json", WORK / "slim.ts")
    wanted = "// Written by tests/tooling/interface/clients.sh from the admin document; do not edit.\n"
    wanted += re.sub(r"^/\*\*.*?\*/\n", "", (WORK / "slim.ts").read_text(), count=1, flags=re.DOTALL).lstrip()
    if TYPES_OF_UI.exists() and TYPES_OF_UI.read_text() == wanted:
        return
    if os.environ.get("UPDATE_SNAPSHOTS") != "1":
        name = TYPES_OF_UI.relative_to(ROOT)
        raise SystemExit(f"{name} is not current: run UPDATE_SNAPSHOTS=1 tests/tooling/interface/clients.sh and commit it")
    TYPES_OF_UI.write_text(wanted)


def schemathesis(url: str, token: str) -> int:
    lines = []
    for name, (values, _, _) in DICTIONARIES.items():
        lines += [f"[dictionaries.{name}]", f"values = {json.dumps(values)}"]
    lines.append("[parameters]")
    for name, (_, places, probability) in DICTIONARIES.items():
        lines += [f'"{place}" = {{ dictionary = "{name}", probability = {probability} }}' for place in places]
    config = WORK / "schemathesis.toml"
    config.write_text("\n".join(lines) + "\n")
    command = [Path(sys.executable).parent / "schemathesis", "--config-file", config, "--no-color", "run"]
    command += [WORK / "admin.json", "--url", f"{url}/__admin", "--header", f"Authorization: Bearer {token}"]
    command += ["--exclude-operation-id", STREAM, "--checks", ",".join(CHECKS), "--mode", "all", "--phases", "fuzzing"]
    command += ["--max-examples", str(EXAMPLES_PER_OPERATION), "--continue-on-failure", "--generation-deterministic"]
    command += ["--request-timeout", "10", "--suppress-health-check", "all", "--warnings", "off"]
    command = [str(part) for part in command]
    return subprocess.run(command, cwd=WORK, timeout=MOST_SECONDS, stdin=subprocess.DEVNULL).returncode


def main() -> int:
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "debug" / "roost").resolve()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    text = run([binary, "openapi", "--admin"], capture_output=True, text=True).stdout
    (WORK / "admin.json").write_text(text)
    validate(json.loads(text))
    typescript_types()
    check_types_of_ui(json.loads(text))
    with server(binary) as ready:
        python_client(ready["url"], ready["admin_token"])
    (WORK / "ready.json").unlink(missing_ok=True)
    with server(binary) as ready:
        return schemathesis(ready["url"], ready["admin_token"])


if __name__ == "__main__":
    sys.exit(main())
