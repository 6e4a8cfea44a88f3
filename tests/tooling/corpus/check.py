"""Imports every file of the corpus, by the command line and by the console, and compares what came of it.

Usage: check.py [--only TEXT] [--report FILE]   with ROOST_BIN naming another binary than the one that was built.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import roost
from compare import (
    Failure,
    account_differences,
    ledger_differences,
    reject_differences,
    sum_differences,
)
from corpus import CASES, write_files
from model import COLUMN, Case, Left, Options
from roost import FOLDER, LIST, Account, Run

FILES = FOLDER / "files"
EMPTY = FOLDER / "empty.db"
Found = list[tuple[str, str]]


def paths(case: Case) -> list[Path]:
    return [FILES / case.file, *(FILES / name for name, _ in case.more)]


def _ended_badly(run: Run) -> Found:
    if "panicked at" in run.error or run.status < 0:
        return [("crash", run.error[-400:])]
    return []


def check_refusal(case: Case, run: Run, account: Account) -> Found:
    """The file as a whole is refused: with a reason, and without a trace."""
    found: Found = []
    if run.status == 0:
        found.append(("not refused", f"exit 0; expected an error that matches {case.refused!r}"))
    elif not re.search(case.refused or ".", run.said, re.IGNORECASE):
        found.append(("message", f"expected {case.refused!r}, got {run.said!r}"))
    if account.contacts or account.opt_outs:
        found.append(("refused file left contacts", str(account)))
    return found


def check_bare(case: Case, db: Path) -> Found:
    """Without a word about what is left out, the import fails and its ledger has all of it."""
    options = Options(country=case.options.country, take_part=case.options.take_part)
    base = ["import", *paths(case), "--db", db, "--list", LIST, "--json", "--dry-run"]
    run = roost.run(*base, *roost.flags(options, ignores_rest=False))
    if not run.out.startswith("{"):
        # A script that must name something first is told so on the line of errors.
        return [("bare run says nothing", run.said)]
    found = ledger_differences(case.left, roost.read_report(run.out).entries)
    if run.status == 0:
        found.append(("exit 0 though something is left out", ", ".join(f"{one.kind} {one.name}" for one in case.left)))
    return found


def check_command_line(case: Case) -> Found:
    folder = roost.fresh_folder(FOLDER / "runs" / case.file)
    db, rejects = folder / "account.db", folder / "rejects.csv"
    shutil.copy(EMPTY, db)
    options = roost.flags(case.options, ignores_rest=bool(case.left))
    if case.opt_outs:
        options += ["--opt-outs", str(len(case.opt_outs))]
    base = ["import", *paths(case), "--db", db, "--list", LIST, "--json", *options]
    dry = roost.run(*base, "--dry-run")
    real = roost.run(*base, "--rejects", rejects)
    found = _ended_badly(dry) + _ended_badly(real)
    account = roost.read_account(db)
    if case.refused is not None or (case.may_refuse and not real.out.startswith("{")):
        return found + check_refusal(case, real, account)
    if not real.out.startswith("{") or not dry.out.startswith("{"):
        return [*found, ("refused", real.said or dry.said or "without a word")]
    said, rehearsed = roost.read_report(real.out), roost.read_report(dry.out)
    found += [("dry run differs", name) for name in roost.same_report(rehearsed, said)]
    found += sum_differences(said)
    found += account_differences(case, account, said.entries)
    found += reject_differences(case, roost.read_rejects(rejects))
    if (real.status != 0) != bool(case.rejected):
        found.append(("status", f"exit {real.status} with {len(case.rejected)} rejected rows expected: {real.error.strip()}"))
    if case.left:
        shutil.copy(EMPTY, db)
        used = {case.options.consent.column} if case.options.consent else set()
        kept = [one for one in case.left if not (one.kind == COLUMN and one.name in used)]
        taken = {"sheet", "member"} if case.options.all_sheets else set()
        found += ledger_differences([one for one in kept if one.kind not in taken and not _is_chosen(one, case)], said.entries)
        found += check_bare(case, db)
    return found


def _is_chosen(one: Left, case: Case) -> bool:
    return one.kind == "sheet" and one.name == case.options.sheet


def goes_through_console(case: Case) -> bool:
    """What a page does without a hand: the options that are clicks on other screens are for the command line."""
    options = case.options
    return case.console and not (options.all_sheets or options.take_part or options.mapped)


def check_console(case: Case) -> Found:
    with roost.server("--console", "--limits", "off") as ready:
        console = roost.Console(ready)
        try:
            console.import_files(paths(case), case.options)
        except roost.Refusal as refusal:
            run = Run(1, "", str(refusal))
            if case.refused is not None or case.may_refuse:
                return check_refusal(case, run, console.account())
            return [("refused", str(refusal))] if case.contacts else []
        account = console.account()
    if case.refused is not None:
        return check_refusal(case, Run(0, "", ""), account)
    return account_differences(case, account, None if not case.left else [])


def checked(kind: str, check: Callable[[Case], Found], case: Case) -> list[Failure]:
    try:
        return [Failure(f"{kind}: {cause}", case.file, detail) for cause, detail in check(case)]
    except Exception as error:
        return [Failure(f"{kind}: the check failed", case.file, repr(error))]


def fingerprints() -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FILES.iterdir()}


def write_report(failures: Sequence[Failure], path: Path) -> None:
    by_cause: dict[str, list[Failure]] = defaultdict(list)
    for one in failures:
        by_cause[one.cause].append(one)
    lines: list[str] = []
    for cause, those in sorted(by_cause.items(), key=lambda one: -len(one[1])):
        lines += [f"## {cause} ({len(those)})", ""]
        lines += [f"- `{one.file}`: {one.detail[:300]}" for one in those]
        lines.append("")
    path.write_text("\n".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="files whose name contains this text")
    parser.add_argument("--report", type=Path, help="where to write the failures by their cause")
    given = parser.parse_args()
    begun = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
    write_files(FILES)
    roost.make_empty_account(EMPTY)
    before = fingerprints()
    cases = [one for one in CASES if given.only in one.file]
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        jobs = [workers.submit(checked, "import", check_command_line, one) for one in cases]
        jobs += [workers.submit(checked, "console", check_console, one) for one in cases if goes_through_console(one)]
        failures = [failure for job in jobs for failure in job.result()]
    if fingerprints() != before:
        failures.append(Failure("a source was changed", "", "or a file was added beside the sources"))
    for one in failures:
        print(f"{one.file}: {one.cause}: {one.detail}")
    if given.report:
        write_report(failures, given.report)
    failed = {one.file for one in failures}
    through = sum(map(goes_through_console, cases))
    print(
        f"{len(cases)} files by the command line, {through} of them by the console, {len(failed)} failed;"
        f" {time.monotonic() - begun:.0f} s"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
