"""The licences and the bill of materials of what is compiled into the programs: crates, and packages of the pages."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[3]
NAMES = re.compile(r"(?:licen[cs]e|copying|notice|copyright)", re.IGNORECASE)
RULE = "=" * 100
#: What the compilers of the pages put into them, besides the packages that the pages import.
COMPILED_IN = ("svelte", "clsx", "esm-env", "@inlang/paraglide-js")


class Package(NamedTuple):
    name: str
    version: str
    licence: str | None
    #: Where its files are.
    folder: str
    #: The registry in its package URL: `cargo` or `npm`.
    registry: str


@functools.cache
def list_packages() -> list[Package]:
    return sorted({*list_crates(), *list_page_packages()}, key=lambda package: (package.name, package.version))


@functools.cache
def describe_licences() -> str:
    """A text with each package, its licence, and each text of a licence once, under the packages that have it."""
    owners: dict[str, list[str]] = {}
    for package in list_packages():
        for path in sorted(Path(package.folder).iterdir()):
            if path.is_file() and NAMES.match(path.name):
                text = path.read_text(encoding="utf-8", errors="replace").strip()
                owners.setdefault(text, []).append(f"{package.name} {package.version}")
    lines = ["Roost contains these packages, each under its own licence.", ""]
    lines += [f"{one.name} {one.version}: {one.licence or 'see its file'}" for one in list_packages()]
    for text, names in sorted(owners.items(), key=lambda item: item[1]):
        lines += ["", RULE, ", ".join(names), RULE, "", text]
    return "\n".join(lines) + "\n"


def describe_materials(version: str) -> str:
    """The same packages as a bill of materials in the format of CycloneDX, which scanners for known faults read."""
    materials = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "roost", "version": version}},
        "components": [describe_component(package) for package in list_packages()],
    }
    return json.dumps(materials, indent=1, ensure_ascii=False) + "\n"


def describe_component(package: Package) -> dict[str, Any]:
    name = package.name.replace("@", "%40")
    url = f"pkg:{package.registry}/{name}@{package.version}"
    component = {"type": "library", "bom-ref": url, "name": package.name, "version": package.version, "purl": url}
    # Older crates write `MIT/Apache-2.0`, which is no expression of SPDX.
    licences = [{"expression": package.licence.replace("/", " OR ")}] if package.licence else []
    return {**component, "licenses": licences} if licences else component


def list_crates() -> list[Package]:
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
        Package(one["name"], one["version"], one["license"], str(Path(one["manifest_path"]).parent), "cargo")
        for one in packages
    ]


def is_macro(package: dict[str, Any]) -> bool:
    return any("proc-macro" in target["kind"] for target in package["targets"])


def list_page_packages() -> list[Package]:
    wanted = json.loads((ROOT / "ui/package.json").read_text()).get("dependencies", {})
    found = []
    for name in (*wanted, *COMPILED_IN):
        folder = ROOT / "ui/node_modules" / name
        described = json.loads((folder / "package.json").read_text())
        found.append(Package(name, described["version"], described.get("license"), str(folder), "npm"))
    return found


def run_cargo(*command: str) -> str:
    return subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout
