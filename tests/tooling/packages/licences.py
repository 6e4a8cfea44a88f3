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
    """Every package that the two programs contain on this platform; not what only builds or tests them."""
    (host,) = re.findall(r"^host: (.+)$", read_output("rustc", "-vV"), re.MULTILINE)
    listed = json.loads(read_output("node", "ui/guides/licences.mjs", "--list", host))
    packages = {
        Package(one["name"], one["version"], one.get("license"), one["folder"], one["registry"]) for one in listed
    }
    return sorted(packages, key=lambda package: (package.name, package.version))


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


def read_output(*command: str) -> str:
    return subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout
