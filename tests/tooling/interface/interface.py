"""Tests the REST interface from outside: schemathesis against the document that the server itself hands out.

Every answer must be one that the document allows: no 5xx, no undocumented status, no other content type, header or shape.
Usage: interface.py [the binary `roost`]
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "target" / "interface"

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
]
EXAMPLES_PER_OPERATION = 60
MOST_SECONDS = 300

# As many as deletions can use up, and some more.
RECORDS = 400


def ids(prefix: str) -> list[str]:
    return [f"{prefix}_{number:027d}" for number in range(1, RECORDS + 1)]


def number(at: int) -> str:
    return f"+447700900{at:03d}"


def account() -> dict:
    """An account in which every operation finds something."""
    lists = [
        {"uid": uid, "name": f"List {at}", "contacts": [{"uid": contact, "phone_number": number(at)}]}
        for at, (uid, contact) in enumerate(zip(ids("LST"), ids("CON"), strict=True))
    ]
    assets = [
        {"id": ids("num")[0], "channel": "SMS", "number": number(901)},
        {"id": ids("wbp")[0], "channel": "WHATSAPP", "number": number(902)},
    ]
    return {
        "senders": [{"id": uid, "name": f"Acme{at}", "status": "Verified"} for at, uid in enumerate(ids("ssd"))],
        "assets": assets,
        "custom_fields": ["Tier", "Branch"],
        "lists": lists,
        "opt_outs": [{"number": number(at), "channel": "SMS"} for at in range(100)],
        "short_links": [
            {"link_id": uid, "title": f"Link {at}", "target_url": f"https://shop.example/{at}"}
            for at, uid in enumerate(ids("shl"))
        ],
    }


# Half of the time a value of the account, else whatever the document allows or forbids.
DICTIONARIES = {
    "senders": (ids("ssd"), ["path.sender_id"]),
    "lists": (ids("LST"), ["path.list_uid", "body.list_id"]),
    "contacts": (ids("CON"), ["path.contact_uid"]),
    "links": (ids("shl"), ["path.link_id"]),
    "assets": ([ids("num")[0], ids("wbp")[0]], ["query.asset_id", "body.asset_id"]),
    "numbers": ([number(at) for at in range(120)], ["query.number", "query.search"]),
}


def settings() -> str:
    lines = []
    for name, (values, _) in DICTIONARIES.items():
        lines += [f"[dictionaries.{name}]", f"values = {json.dumps(values)}"]
    lines.append("[parameters]")
    for name, (_, places) in DICTIONARIES.items():
        lines += [f'"{place}" = {{ dictionary = "{name}", probability = 0.5 }}' for place in places]
    return "\n".join(lines) + "\n"


def start(binary: Path, ready: Path, log) -> subprocess.Popen:
    own = {f"XDG_{kind}_HOME": str(FOLDER / "home" / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE", "STATE")}
    seed = FOLDER / "seed.json"
    seed.write_text(json.dumps(account()))
    arguments = ["serve", "--port", "0", "--ready-file", ready, "--limits", "off", "--seed", seed]
    return subprocess.Popen([binary, *arguments], stdout=log, stderr=log, env=os.environ | own)


def wait_until_ready(server: subprocess.Popen, ready: Path) -> dict:
    deadline = time.monotonic() + 30
    while not ready.exists():
        if server.poll() is not None:
            raise SystemExit(f"roost serve ended with status {server.returncode} before it was ready")
        if time.monotonic() > deadline:
            raise SystemExit("roost serve was not ready after 30 s")
        time.sleep(0.02)
    return json.loads(ready.read_text())


def run_schemathesis(url: str) -> int:
    config = FOLDER / "schemathesis.toml"
    config.write_text(settings())
    command = [Path(sys.executable).parent / "schemathesis", "--config-file", config, "--no-color"]
    command += ["run", f"{url}/openapi.json", "--header", "X-AUTH-KEY: test", "--checks", ",".join(CHECKS)]
    command += ["--mode", "all", "--max-examples", str(EXAMPLES_PER_OPERATION), "--continue-on-failure"]
    command += ["--generation-deterministic"]
    command += ["--request-timeout", "10", "--suppress-health-check", "all", "--warnings", "off"]
    # In its own folder, for it leaves things behind.
    return subprocess.run(command, cwd=FOLDER, timeout=MOST_SECONDS, stdin=subprocess.DEVNULL).returncode


def stop(server: subprocess.Popen) -> int:
    if server.poll() is None:
        server.send_signal(signal.SIGTERM)
    try:
        return server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        raise SystemExit("roost serve did not end within 10 s of SIGTERM") from None


def main() -> int:
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "debug" / "roost").resolve()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    log_path, ready = FOLDER / "server.log", FOLDER / "ready.json"
    with log_path.open("w") as log:
        server = start(binary, ready, log)
        try:
            status = run_schemathesis(wait_until_ready(server, ready)["url"])
            died = server.poll() is not None
        except subprocess.TimeoutExpired:
            print(f"schemathesis took more than {MOST_SECONDS} s", file=sys.stderr)
            status, died = 1, server.poll() is not None
        finally:
            ended = stop(server)
            log_text = log_path.read_text()
            if ended != 0 or "panicked at" in log_text:
                print(f"--- the end of the log of the server\n{log_text[-4000:]}", file=sys.stderr)
    if died or ended != 0 or "panicked at" in log_text:
        print(f"the server died or panicked (status {ended})", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
