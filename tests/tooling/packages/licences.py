"""The licences of everything that is compiled into the programs: crates, and packages of the pages."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
NAMES = re.compile(r"(?:licen[cs]e|copying|notice|copyright)", re.IGNORECASE)
RULE = "=" * 100
#: What the compilers of the pages put into them, besides the packages that the pages import.
COMPILED_IN = ("svelte", "@inlang/paraglide-js")


@functools.cache
def describe_licences() -> str:
    """A text with each package, its licence, and each text of a licence once, under the packages that have it."""
    packages = sorted({*list_crates(), *list_page_packages()}, key=lambda package: (package[0], package[1]))
    owners: dict[str, list[str]] = {}
    for name, version, _, folder in packages:
        for path in sorted(Path(folder).iterdir()):
            if path.is_file() and NAMES.match(path.name):
                text = path.read_text(encoding="utf-8", errors="replace").strip()
                owners.setdefault(text, []).append(f"{name} {version}")
    lines = ["Roost contains these packages, each under its own licence.", ""]
    lines += [f"{name} {version}: {licence}" for name, version, licence, _ in packages]
    for text, names in sorted(owners.items(), key=lambda item: item[1]):
        lines += ["", RULE, ", ".join(names), RULE, "", text]
    return "\n".join(lines) + "\n"


def list_crates() -> list[tuple[str, str, str, str]]:
    """Every crate that the two programs contain on this platform; not what only builds or tests them."""
    host = re.search(r"^host: (.+)$", run_cargo("rustc", "-vV"), re.MULTILINE)
    platform = ["--filter-platform", host.group(1)] if host else []
    output = run_cargo("cargo", "metadata", "--locked", "--offline", "--format-version", "1", *platform)
    metadata: dict[str, Any] = json.loads(output)
    by_id = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [package["id"] for package in metadata["packages"] if package["name"] in ("roost-cli", "roost-desktop")]
    seen: set[str] = set()
    while waiting:
        one = waiting.pop()
        if one in seen or is_macro(by_id[one]):
            continue
        seen.add(one)
        waiting += [
            dependency["pkg"]
            for dependency in nodes[one]["deps"]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]
    packages = [by_id[one] for one in seen if by_id[one]["source"] is not None]
    return [
        (one["name"], one["version"], one["license"] or "see its file", str(Path(one["manifest_path"]).parent))
        for one in packages
    ]


def is_macro(package: dict[str, Any]) -> bool:
    return any("proc-macro" in target["kind"] for target in package["targets"])


def list_page_packages() -> list[tuple[str, str, str, str]]:
    wanted = json.loads((ROOT / "ui/package.json").read_text()).get("dependencies", {})
    found = []
    for name in (*wanted, *COMPILED_IN):
        folder = ROOT / "ui/node_modules" / name
        described = json.loads((folder / "package.json").read_text())
        found.append((name, described["version"], str(described.get("license", "see its file")), str(folder)))
    return found


def run_cargo(*command: str) -> str:
    return subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout
