"""Runs the program: imports by its command line and by the commands of its web console, and reads the account back."""

from __future__ import annotations

import base64
import csv
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from model import CELL, COLUMN, MEMBER, ROUNDED, ROW, SHEET, SPACE, TELEPHONE, Options

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("ROOST_BIN", ROOT / "target" / "debug" / "roost")).resolve()
FOLDER = ROOT / "target" / "corpus"
MOST_SECONDS = 30
LIST = "People"
CHUNK = 1 << 20


def environment() -> dict[str, str]:
    """Without the variables that are flags, and with folders of the user that are ours."""
    ours = {f"XDG_{kind}_HOME": str(FOLDER / "home" / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE", "STATE")}
    return {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")} | ours


class Run(NamedTuple):
    """A finished command. Its output is text, its status negative where a signal ended it."""

    status: int
    out: str
    error: str

    @property
    def said(self) -> str:
        return f"{self.out}\n{self.error}".strip()


def run(*arguments: str | Path) -> Run:
    command = [str(BINARY), *map(str, arguments)]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=MOST_SECONDS, env=environment(), stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return Run(-signal.SIGKILL, "", f"did not end within {MOST_SECONDS} s")
    return Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def flags(options: Options, ignores_rest: bool) -> list[str]:
    """The options of an import as its command line spells them."""
    spelt: list[str] = []
    if options.country:
        spelt += ["--country", options.country]
    if options.consent:
        spelt += ["--opt-out-column", f"{options.consent.column}={','.join(options.consent.values)}"]
    if options.sheet:
        spelt += ["--sheet", options.sheet]
    if options.opted_out_list:
        spelt += ["--opted-out-list", options.opted_out_list]
    if options.all_sheets:
        spelt += ["--all-sheets"]
    for one in options.mapped:
        spelt += ["--map", one]
    if options.ignore:
        spelt += ["--ignore-columns", ",".join(options.ignore)]
    if options.date_order:
        spelt += ["--date-order", options.date_order]
    if options.take_part:
        spelt += ["--take-part"]
    if ignores_rest:
        spelt += ["--ignore-rest"]
    return spelt


# ---- What an import says of itself.


class Entry(NamedTuple):
    """Something that the ledger says was not taken, or not as it was: its kind as `Left` has it."""

    kind: str
    text: str
    size: int


# What the ledger has, and the kind it is for the corpus. Anything else that is left out is a cell.
_KINDS = {
    "column": COLUMN,
    "property": COLUMN,
    "consent": COLUMN,
    "telephone": TELEPHONE,
    "sheet": SHEET,
    "archive_member": MEMBER,
    "rows_after_break": ROW,
    "duplicate_rows": ROW,
    "ambiguous_rows": ROW,
}
# Listed although they are taken.
_CHANGED = {"trimmed_space": SPACE, "rounded_number": ROUNDED}


@dataclass(frozen=True)
class Report:
    counts: dict[str, int]
    opt_outs: int
    entries: list[Entry]
    raw: dict[str, Any]


def read_entries(ledger: dict[str, Any]) -> list[Entry]:
    """The only place that knows the form of the ledger, which `roost import --json` and the console's rehearsal share."""
    entries = []
    for one in ledger["entries"]:
        kind = _CHANGED.get(one["what"])
        if one["outcome"] == "left_out":
            kind = kind or _KINDS.get(one["what"], CELL)
        if kind and one["count"] != 0:
            entries.append(Entry(kind, f"{one['name']}: {one['example']} ({one['file']})", one["count"] or 1))
    return entries


def sum_differences(report: dict[str, Any]) -> list[str]:
    """Sums that do not match: of rows by their group, and of columns, cells and rows by what became of them."""
    ledger = report["ledger"]
    # `rows` are those that hold values; the headings and blank rows are beside them.
    sums = {"counts": ({name: count for name, count in report["counts"].items() if name != "blank"}, "rows")}
    sums |= {name: (ledger[name], "all") for name in ("columns", "cells", "rows")}
    found = []
    for name, (parts, whole) in sums.items():
        if parts[whole] != sum(count for part, count in parts.items() if part != whole):
            found.append(f"{name}: {parts}")
    return found


def read_report(text: str) -> Report:
    raw = json.loads(text)
    return Report(raw["counts"], raw["opt_outs_added"], read_entries(raw["ledger"]), raw)


def same_report(one: Report, other: Report) -> list[str]:
    """The names of what differs between a dry run and the run."""
    differs = {"dry_run", "import", "list", "step"}
    names = sorted((set(one.raw) | set(other.raw)) - differs)
    return [name for name in names if one.raw.get(name) != other.raw.get(name)]


# ---- Accounts.

_INTERNAL = {"uid", "phone_region", "whatsapp_region", "created_at", "updated_at"}


@dataclass(frozen=True)
class Account:
    contacts: list[dict[str, str]]
    # Numbers that are opted out of SMS.
    opt_outs: frozenset[str]

    @staticmethod
    def parse(seed: str) -> Account:
        raw = json.loads(seed)
        people = [one for each in raw["lists"] for one in each["contacts"]]
        contacts = [{name: value for name, value in one.items() if name not in _INTERNAL} for one in people]
        return Account(contacts, frozenset(one["number"] for one in raw["opt_outs"] if one["channel"] == "SMS"))


def read_account(path: Path) -> Account:
    done = run("export", "--db", path)
    if done.status != 0:
        raise RuntimeError(f"export failed: {done.said}")
    return Account.parse(done.out)


def read_rejects(path: Path) -> list[tuple[int, str]]:
    """The line of each row, and all of its cells."""
    if not path.exists():
        return []
    rows = list(csv.reader(path.read_text("utf-8-sig").splitlines(keepends=True)))
    return [(int(one[-2] or 0), "\n".join(one[:-1])) for one in rows[1:]]


def make_empty_account(path: Path) -> None:
    with server("--db", str(path)):
        pass
    # Whatever a server leaves beside it that was stopped as soon as it was ready.
    read_account(path)
    for companion in path.parent.glob(f"{path.name}-*"):
        raise RuntimeError(f"{companion} is left of a server that ended")


# ---- The console.


class Refusal(Exception):
    """The console answered with an error, or said why it does not go on."""


@contextmanager
def server(*arguments: str) -> Iterator[dict[str, Any]]:
    """A server of its own; answers its ready file."""
    ready = FOLDER / "ready" / f"{time.monotonic_ns()}.json"
    ready.parent.mkdir(parents=True, exist_ok=True)
    command = [str(BINARY), "serve", "--port", "0", "--ready-file", str(ready), *arguments]
    process = subprocess.Popen(
        command, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        deadline = time.monotonic() + MOST_SECONDS
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                assert process.stderr is not None
                raise RuntimeError(f"roost serve did not start: {process.stderr.read().decode()}")
            time.sleep(0.005)
        yield json.loads(ready.read_text()) | {"ready_file": str(ready)}
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stderr is not None
        said = process.stderr.read().decode(errors="replace")
        process.stderr.close()
        if "panicked at" in said:
            raise RuntimeError(said)


class Console:
    """The commands of the web console, called as its page calls them."""

    def __init__(self, ready: dict[str, Any]) -> None:
        self._ready = ready

    def call(self, name: str, **payload: Any) -> Any:
        request = urllib.request.Request(
            f"{self._ready['url']}/__console/call/{name}",
            json.dumps(payload).encode(),
            {
                "authorization": f"Bearer {self._ready['admin_token']}",
                "content-type": "application/json",
                "x-roost-origin": "corpus",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=MOST_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refusal(f"{name}: {error.read().decode(errors='replace')}") from None

    def _settled(self, number: int, *stages: str) -> dict[str, Any]:
        """The import once nothing is under way; it must have come to one of the stages."""
        deadline = time.monotonic() + MOST_SECONDS
        generation = None
        while time.monotonic() < deadline:
            state: dict[str, Any] = self.call("import_state", **{"import": number}, generation=generation, wait_ms=200)
            generation = state["generation"]
            if state["progress"] is None and state["stage"] not in ("uploading", "reading", "rehearsing", "accepting"):
                broken = [file["broken"]["message"] for file in state["files"] if file["broken"]]
                if state["stage"] in stages and not broken:
                    return state
                said = [state["fault"], *broken, *(one["message"] for one in state["obstacles"])]
                raise Refusal("; ".join(filter(None, said)) or f"the import stays in {state['stage']}")
        raise Refusal(f"did not come to {stages} within {MOST_SECONDS} s")

    def import_files(self, files: Sequence[Path], options: Options) -> dict[str, Any]:
        """Uploads the files, follows what is suggested for their columns, rehearses and accepts; answers the rehearsal."""
        sources = [{"upload": {"name": path.name, "size": path.stat().st_size}} for path in files]
        target = {"new_list": LIST}
        state = self.call("import_open", purpose="contacts", sources=sources, target=target)
        me = {"import": state["import"]}
        for given, path in zip(state["files"], files, strict=True):
            self._upload(me, given["file"], path.read_bytes())
        state = self._settled(me["import"], "mapping", "rehearsed")
        table = self.call("import_columns", **me)
        mapping = table["mapping"]
        if options.country:
            mapping["region"] = options.country
        if options.date_order:
            mapping["date_order"] = options.date_order.replace("-", "_")
        if options.consent:
            mapping["consents"] = [_consent(table, options)]
        mapping["left_out"] = [_column(table, name) for name in options.ignore]
        mapping["opted_out_lists"] = [options.opted_out_list] if options.opted_out_list else []
        mapped = self.call("import_map", **me, mapping=mapping)
        if mapped["faults"]:
            raise Refusal("; ".join(one["message"] for one in mapped["faults"]))
        self.call("import_rehearse", **me)
        self._settled(me["import"], "rehearsed")
        rehearsal: dict[str, Any] = self.call("import_rehearsal", **me)
        self.call("import_accept", **me, typed_count=rehearsal["opt_outs"] or None)
        self._settled(me["import"], "accepted")
        return rehearsal

    def _upload(self, me: dict[str, Any], file: int, content: bytes) -> None:
        sent = 0
        while True:
            piece = content[sent : sent + CHUNK]
            is_last = sent + len(piece) >= len(content)
            encoded = base64.b64encode(piece).decode()
            self.call("import_upload", **me, file=file, **{"from": sent}, content_base64=encoded, is_last=is_last)
            sent += len(piece)
            if is_last:
                return

    def account(self) -> Account:
        done = run("export", "--server", "--ready-file", self._ready["ready_file"])
        if done.status != 0:
            raise RuntimeError(f"export of the server failed: {done.said}")
        return Account.parse(done.out)


def _column(table: dict[str, Any], name: str) -> int:
    for one in table["columns"]:
        if one["name"].strip() == name:
            return int(one["column"])
    raise Refusal(f"there is no column {name}")


def _consent(table: dict[str, Any], options: Options) -> dict[str, Any]:
    assert options.consent is not None
    piece = {"column": {"column": _column(table, options.consent.column), "part": None}}
    return {"pieces": [piece], "between": "", "words": list(options.consent.values), "channels": ["SMS"]}


def fresh_folder(path: Path) -> Path:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path
