"""Runs every example of the emulator's guide. Usage: guide.py [the binary `roost`]

Each section's shell commands run in a server of their own; a block of text behind them has what they print, with … for
anything. Python examples run under pytest, TypeScript examples under tsc and vitest. A comment `not run: …` before a block
leaves its commands out, but their flags are looked up all the same.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
EMULATOR = ROOT / "src-tauri" / "emulator"
CLIENTS = EMULATOR / "clients"
GUIDE = EMULATOR / "GUIDE.md"
README = EMULATOR / "README.md"
UI = ROOT / "ui" / "node_modules"
VENV = ROOT / "target" / "venv" / "bin"
MADE = ROOT / "target" / "guide"
PATIENCE = 120
#: The section whose commands all others need.
HELPERS = "Before you start"


class Block(NamedTuple):
    section: str
    language: str
    text: str
    why_not: str | None
    line: int

    @property
    def file(self) -> str | None:
        """The name in a first line such as `# account.yaml`."""
        found = re.match(r"(?:#|//) ([a-z_]+\.[a-z]+)\n", self.text)
        return found[1] if found else None


def blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    section, why_not, opened = page.stem, None, None
    lines: list[str] = []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if opened is not None:
            if line == "```":
                found.append(Block(section, opened[0], "\n".join(lines) + "\n", why_not, opened[1]))
                opened, why_not = None, None
            else:
                lines.append(line)
        elif line.startswith("```"):
            opened, lines = (line[3:].strip(), number), []
        elif line.startswith("#"):
            section, why_not = line.lstrip("# "), None
        elif comment := re.fullmatch(r"<!-- not run: (.+) -->", line):
            why_not = comment[1]
    return found


def slug(section: str) -> str:
    return re.sub("[^a-z0-9]+", "_", section.lower()).strip("_")


class Failed(Exception):
    pass


def shell(all_blocks: list[Block], roost: str) -> int:
    """Runs the commands of each section, and looks for what they are to print."""
    own = [block for block in all_blocks if block.language in ("sh", "text", "yaml") and not block.why_not]
    helpers = "".join(block.text for block in own if block.section == HELPERS and block.language == "sh")
    sections = {block.section: [one for one in own if one.section == block.section] for block in own}
    del sections[HELPERS]
    faults = [fault for section in sections.values() for fault in faults_of(section, helpers, roost)]
    if faults:
        raise Failed("\n\n".join(faults))
    return len(sections)


def faults_of(section: list[Block], helpers: str, roost: str) -> list[str]:
    script = helpers + "".join(block.text for block in section if block.language == "sh")
    with tempfile.TemporaryDirectory() as folder:
        for block in section:
            if block.file:
                Path(folder, block.file).write_text(block.text)
        command = [roost, "exec", "--", "bash", "-euo", "pipefail", "-c", script]
        own = environment(roost) | {"ROOST_DATA_DIR": folder}
        done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=PATIENCE)
    printed = done.stdout + done.stderr
    wanted = [line for block in section if block.language == "text" for line in block.text.splitlines()]
    wrong = [
        f"not printed: {line}" for line in wanted if not re.search(".*?".join(map(re.escape, line.split("…"))), printed)
    ]
    # curl succeeds whatever the server says.
    wrong += re.findall(r'\{"error":\{"code":"[^"]*","message":"[^"]*', printed)
    if done.returncode != 0:
        wrong.append(f"the commands end with {done.returncode}")
    at = f"{GUIDE.name}:{section[0].line}: {section[0].section}"
    return [f"{at}: {why}" for why in wrong[:-1]] + [f"{at}: {wrong[-1]}\n{printed}"] if wrong else []


def written(all_blocks: list[Block], language: str, form: str) -> int:
    """Writes the examples of one language to files of their own."""
    count = 0
    for block in all_blocks:
        if block.language == language:
            name = block.file or form.format(slug(block.section))
            path = MADE / language / name
            if path.exists():
                raise Failed(f"{GUIDE.name}:{block.line}: {block.section} has two examples in {language}")
            path.write_text(block.text)
            count += 1
    return count


def run(command: list[str | Path], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, timeout=PATIENCE)
    if done.returncode != 0:
        raise Failed(f"{command[0]} ends with {done.returncode}")


def environment(roost: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")}
    return own | {"PATH": f"{Path(roost).parent}:{own['PATH']}", "ROOST_BIN": roost}


def python(all_blocks: list[Block], roost: str) -> int:
    count = written(all_blocks, "python", "test_{}.py")
    package = MADE / "package"
    pip: list[str | Path] = [
        VENV / "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
    ]
    run([*pip, "--target", package, CLIENTS / "python"], ROOT, dict(os.environ))
    paths = {"PYTHONPATH": f"{package}:{MADE / 'python'}", "PYTHONDONTWRITEBYTECODE": "1"}
    pytest: list[str | Path] = [
        VENV / "pytest",
        "--quiet",
        "-p",
        "no:cacheprovider",
        "--strict-markers",
        "--rootdir",
        ".",
    ]
    run(pytest, MADE / "python", environment(roost) | paths)
    return count


TSCONFIG = """{
  "compilerOptions": {
    "target": "ES2023", "module": "NodeNext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true,
    "noUncheckedIndexedAccess": true, "noPropertyAccessFromIndexSignature": true, "skipLibCheck": true,
    "lib": ["ES2023", "ESNext.Disposable", "DOM"], "types": ["node"]
  },
  "include": ["*.ts"]
}
"""


def typescript(all_blocks: list[Block], roost: str) -> int:
    folder = MADE / "ts"
    count = written(all_blocks, "ts", "{}.test.ts")
    (folder / "tsconfig.json").write_text(TSCONFIG)
    (folder / "package.json").write_text('{ "type": "module" }\n')
    modules = folder / "node_modules"
    (modules / "@roost").mkdir(parents=True)
    (modules / "@roost" / "test").symlink_to(CLIENTS / "typescript")
    for name in ("vitest", "@types"):
        (modules / name).symlink_to(UI / name)
    run([UI / ".bin" / "tsc", "--project", folder], ROOT, dict(os.environ))
    run([UI / ".bin" / "vitest", "run", "--no-cache", "--root", folder], ROOT, environment(roost))
    return count


def quick_starts(roost: str) -> int:
    """Runs the start of the emulator's page, and the test that the first page of the repository shows."""
    [start] = [block for block in blocks(README) if block.section == "Quick start"]
    # What builds, installs or opens a shell is there already.
    lines = [line for line in start.text.splitlines() if not re.match("cargo|pip|roost exec", line)]
    [test] = [block for block in blocks(ROOT / "README.md") if block.file == "test_lists.py"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_lists.py").write_text(test.text)
        for command, wanted in [
            (["exec", "--", "bash", "-c", "\n".join(lines)], ['"name":"VIP"', '"rule":"fault-1"']),
            (["exec", "--require-no-unmatched", "--", sys.executable, "-m", "unittest", "test_lists"], ["OK"]),
        ]:
            done = subprocess.run([roost, *command], cwd=folder, env=environment(roost), capture_output=True, text=True)
            printed = done.stdout + done.stderr
            if done.returncode != 0 or not all(one in printed for one in wanted):
                raise Failed(f"roost {command[-1]}: {printed}")
    return len(lines) + 1


def flags(pages: list[Path], roost: str) -> int:
    """Looks up every command of roost and every flag that the pages name, of what is not run, too."""
    helps: dict[str, str] = {}

    def help_of(verb: str, place: str) -> str:
        if verb not in helps:
            completed = subprocess.run([roost, *verb.split(), "--help"], capture_output=True, text=True)
            if completed.returncode != 0:
                raise Failed(f"{place}: there is no command roost {verb}")
            helps[verb] = completed.stdout
        return helps[verb]

    def commands(parent: str) -> list[str]:
        listed = help_of(parent, "roost --help").partition("Commands:\n")[2].partition("\n\n")[0]
        below = [f"{parent} {name}".strip() for name in re.findall(r"^  ([a-z][a-z-]*)", listed, re.M) if name != "help"]
        return [*below, *(one for name in below for one in commands(name))]

    verbs = commands("")
    every = "".join(help_of(verb, "roost --help") for verb in verbs)
    # The longest names first: `roost account list` is not `roost account`.
    names = "|".join(sorted(verbs, key=len, reverse=True))
    seen = 0
    for page in pages:
        for number, line in enumerate(page.read_text().splitlines(), 1):
            place = f"{page.name}:{number}"
            line = re.sub(r"(?:^| )# .*", "", line)
            for verb, rest in re.findall(rf"(?:^|[ ;|(`])roost ({names})(?![a-z-])([^`;|)]*)", line):
                for flag in re.findall(r"(?<=[\s[])--[a-z][a-z-]*", rest.split(" -- ")[0]):
                    seen += 1
                    if not re.search(rf"{flag}\b(?!-)", help_of(verb, place)):
                        raise Failed(f"{place}: roost {verb} has no flag {flag}")
            for span in re.findall(r"`(--[a-z][a-z-]*)", line):
                seen += 1
                if not re.search(rf"{span}\b(?!-)", every):
                    raise Failed(f"{place}: no command has the flag {span}")
    return seen


def main() -> None:
    roost = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "debug" / "roost")
    shutil.rmtree(MADE, ignore_errors=True)
    for language in ("python", "ts"):
        (MADE / language).mkdir(parents=True)
    guide = blocks(GUIDE)
    try:
        found = flags([GUIDE, README, CLIENTS / "README.md", EMULATOR / "ADMIN.md", ROOT / "README.md"], roost)
        print(f"{found} flags are there", flush=True)
        print(f"{quick_starts(roost)} lines of quick starts ran", flush=True)
        print(f"{shell(guide, roost)} sections of commands ran", flush=True)
        examples = guide + blocks(CLIENTS / "README.md")
        print(f"{python(examples, roost)} examples in Python ran", flush=True)
        print(f"{typescript(examples, roost)} examples in TypeScript ran", flush=True)
    except Failed as why:
        sys.exit(f"guide: {why}")


if __name__ == "__main__":
    main()
