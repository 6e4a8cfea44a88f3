"""Imports every file of the corpus, by the command line and by the console, and compares what came of it.

What does not come out right yet is in `open.tsv`, each file with its cause: those must fail, and all others must not.
Usage: check.py [--quick] [--only TEXT] [--report FILE]   with ROOST_BIN naming another binary than the one that was built.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import roost
from compare import (
    Failure,
    account_differences,
    ledger_differences,
    reject_differences,
)
from corpus import CASES, write_files
from model import COLUMN, MEMBER, ROUNDED, SHEET, SPACE, Case, Left
from roost import FOLDER, LIST, Account, Run

# Exit statuses, as `roost import --help` has them.
REJECTED, LEFT_OUT = 1, 3

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


# What the ledger lists although it is taken: it does not make an import fail.
TAKEN = {SPACE, ROUNDED}


def check_bare(case: Case, db: Path) -> Found:
    """Without a word about what is left out, the import fails, and its ledger has all of it."""
    base: list[str | Path] = ["import", *paths(case), "--db", db, "--list", LIST, "--json", "--dry-run"]
    options = replace(case.options, consent=None, sheet=None, all_sheets=False, mapped=(), ignore=())
    found: Found = []
    unnamed = list(case.left)
    if case.options.consent or case.options.ignore:
        # Consent is never passed over, whatever else is allowed to be left out.
        consent, others = case.options.consent, case.options.ignore
        asked = [consent.column] if consent else list(others)
        run = roost.run(*base, *roost.flags(replace(options, ignore=others if consent else ()), ignores_rest=True))
        if run.status == 0 or run.out.startswith("{"):
            found.append(("consent is passed over", f"exit {run.status}, though nobody said what {asked} means"))
        elif not any(one in run.error for one in asked):
            found.append(("consent is not named", f"expected one of {asked} in {run.error!r}"))
        options = replace(options, ignore=(*([consent.column] if consent else []), *others))
        unnamed = [one for one in case.left if one.name not in options.ignore]
    options = replace(options, mapped=case.options.mapped)
    run = roost.run(*base, *roost.flags(options, ignores_rest=False))
    if not run.out.startswith("{"):
        return [*found, ("refused", run.said)]
    report = roost.read_report(run.out)
    found += ledger_differences(case.left, report.entries)
    lost = [one for one in unnamed if one.kind not in TAKEN]
    if lost and run.status != LEFT_OUT:
        found.append(("status", f"exit {run.status} though {len(lost)} things are left out: {lost[:3]}"))
    return found


def check_command_line(case: Case, is_quick: bool = False) -> Found:
    folder = roost.fresh_folder(FOLDER / "runs" / case.file)
    db, rejects = folder / "account.db", folder / "rejects.csv"
    shutil.copy(EMPTY, db)
    options = roost.flags(case.options, ignores_rest=_may_leave_out(case))
    if case.opt_outs:
        # Of every number on SMS and on WhatsApp.
        options += ["--opt-outs", str(2 * len(case.opt_outs))]
    base: list[str | Path] = ["import", *paths(case), "--db", db, "--list", LIST, "--json", *options]
    dry = None if is_quick else roost.run(*base, "--dry-run")
    real = roost.run(*base, "--rejects", rejects)
    dry = dry or real
    found = _ended_badly(dry) + _ended_badly(real)
    account = roost.read_account(db)
    if case.refused is not None or (case.may_refuse and not real.out.startswith("{")):
        return found + check_refusal(case, real, account)
    if not real.out.startswith("{") or not dry.out.startswith("{"):
        return [*found, ("refused", real.said or dry.said or "without a word")]
    said, rehearsed = roost.read_report(real.out), roost.read_report(dry.out)
    found += [("dry run differs", name) for name in roost.same_report(rehearsed, said)]
    found += [("sums", one) for one in roost.sum_differences(said.raw)]
    found += account_differences(case, account, said.entries)
    found += reject_differences(case, roost.read_rejects(rejects))
    expected = REJECTED if case.rejected else 0
    if real.status != expected:
        found.append(
            ("status", f"expected exit {expected}, got {real.status}: {[one.text for one in said.entries][:4]}")
        )
    if case.left:
        found += ledger_differences([one for one in case.left if not _is_taken(one, case)], said.entries)
    if case.left and not is_quick:
        shutil.copy(EMPTY, db)
        found += check_bare(case, db)
    return found


def _may_leave_out(case: Case) -> bool:
    """Whether something is left out, or may be, as the program likes."""
    return bool(case.left) or any("others" in one or "maybe" in one for one in case.contacts)


def _is_taken(one: Left, case: Case) -> bool:
    """Whether the options have it that something is taken that is left out without them."""
    options = case.options
    if one.kind == COLUMN:
        return options.consent is not None and one.name == options.consent.column
    return one.kind in (SHEET, MEMBER) and (options.all_sheets or one.name == options.sheet)


def goes_through_console(case: Case, one_of: int = 2) -> bool:
    """A part of the files, without the options that the wizard has on other screens than those of files and columns."""
    options = case.options
    is_plain = case.console and not (options.all_sheets or options.take_part or options.mapped or options.sheet)
    return is_plain and zlib.crc32(case.file.encode()) % one_of == 0


def check_console(case: Case) -> Found:
    with roost.server("--console", "--limits", "off") as ready:
        console = roost.Console(ready)
        try:
            rehearsal = console.import_files(paths(case), case.options)
        except roost.Refusal as refusal:
            run = Run(1, "", str(refusal))
            if case.refused is not None or case.may_refuse:
                return check_refusal(case, run, console.account())
            return [("refused", str(refusal))] if case.contacts else []
        account = console.account()
    if case.refused is not None:
        return check_refusal(case, Run(0, "", ""), account)
    entries = roost.read_entries(rehearsal["ledger"])
    found = ledger_differences([one for one in case.left if not _is_taken(one, case)], entries)
    return found + account_differences(case, account, entries)


def checked(kind: str, check: Callable[[Case], Found], case: Case) -> list[Failure]:
    try:
        return [Failure(f"{kind}: {cause}", case.file, detail) for cause, detail in check(case)]
    except Exception as error:
        return [Failure(f"{kind}: the check failed", case.file, repr(error))]


def fingerprints() -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FILES.iterdir()}


def known_causes() -> dict[str, str]:
    """Files that do not come out right yet, each with why."""
    lines = Path(__file__).with_name("open.tsv").read_text().splitlines()
    return dict(line.split("\t", 1) for line in lines if line and not line.startswith("#"))


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
    parser.add_argument(
        "--quick", action="store_true", help="each file by one import, and few by the console: a third of the time"
    )
    parser.add_argument("--only", default="", help="files whose name contains this text")
    parser.add_argument("--report", type=Path, help="where to write the failures by their cause")
    given = parser.parse_args()
    begun = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
    write_files(FILES)
    roost.make_empty_account(EMPTY)
    before = fingerprints()
    cases = [one for one in CASES if given.only in one.file]
    through = [one for one in cases if goes_through_console(one, one_of=16 if given.quick else 2)]
    by_command_line = partial(check_command_line, is_quick=given.quick)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        jobs = [workers.submit(checked, "import", by_command_line, one) for one in cases]
        jobs += [workers.submit(checked, "console", check_console, one) for one in through]
        failures = [failure for job in jobs for failure in job.result()]
    if fingerprints() != before:
        failures.append(Failure("a source was changed", "", "or a file was added beside the sources"))
    if given.report:
        write_report(failures, given.report)
    failed, known = {one.file for one in failures}, known_causes()
    for one in failures:
        if one.file not in known:
            print(f"{one.file}: {one.cause}: {one.detail}")
    # The quick check does not see everything that may be wrong.
    mended = [] if given.quick else [one.file for one in cases if one.file in known and one.file not in failed]
    for file in mended:
        print(f"{file} comes out right: take it out of open.tsv ({known[file]})")
    unknown = sorted(set(known) - {one.file for one in CASES})
    for file in unknown:
        print(f"{file} of open.tsv is no file of the corpus")
    print(
        f"{len(cases)} files by the command line, {len(through)} of them by the console: {len(failed - set(known))} failed,"
        f" {len(failed & set(known))} are known to fail; {time.monotonic() - begun:.0f} s"
    )
    return 1 if failed - set(known) or mended or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
