"""Packs a built `roost` as an archive, a Python wheel and an npm package.

They are the same bytes for the same program, clone and SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from archives import PROGRAM, Entry, list_entries, write_tar, write_zip
from licences import describe_licences, describe_materials
from platform_tags import NPM_PROCESSORS, check_libraries, read_glibc, read_processor

ROOT = Path(__file__).resolve().parents[3]
CLIENTS = ROOT / "src-tauri/emulator/clients"
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")
#: Where each shell looks for completions below /usr or /usr/local.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/roost",
    "fish": "share/fish/vendor_completions.d/roost.fish",
    "zsh": "share/zsh/site-functions/_roost",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="the built roost")
    parser.add_argument("--dist", type=Path, required=True, help="the folder for the packages")
    parser.add_argument("--tree", type=Path, required=True, help="the folder for the files that belong below /usr")
    parser.add_argument("--level", type=int, default=9, help="how much time compression may take")
    given = parser.parse_args()
    check_libraries(given.program)
    given.dist.mkdir(parents=True, exist_ok=True)
    make_tree(given.program, given.tree)
    version = read_version()
    pack_archive(given.tree, given.dist, version, given.level)
    pack_wheel(given.program, given.dist, version, given.level)
    pack_npm(given.program, given.dist, version, given.level)
    shutil.copyfile(CLIENTS / "recipes/Containerfile", given.dist / "Containerfile")


def read_version() -> str:
    version: str = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    python = read_pyproject()["version"]
    npm = read_package_json()["version"]
    if {python, npm} != {version}:
        raise SystemExit(f"Cargo.toml has version {version}, the Python client {python}, the TypeScript client {npm}")
    return version


def read_pyproject() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((CLIENTS / "python/pyproject.toml").read_text())["project"]
    return project


def read_package_json() -> dict[str, Any]:
    described: dict[str, Any] = json.loads((CLIENTS / "typescript/package.json").read_text())
    return described


def list_licences(prefix: str) -> list[Entry]:
    own = [Entry(prefix + name, (ROOT / name).read_bytes()) for name in LICENCES]
    return [*own, Entry(prefix + "LICENSES-OF-DEPENDENCIES.txt", describe_licences().encode())]


def make_materials_entry(prefix: str) -> Entry:
    return Entry(f"{prefix}roost.cdx.json", describe_materials(read_version()).encode())


def make_tree(program: Path, tree: Path) -> None:
    """Writes the program with its manual, completions and licences, as they lie below /usr."""
    shutil.rmtree(tree, ignore_errors=True)
    write_file(tree / "bin/roost", program.read_bytes(), PROGRAM)
    manual = tree / "share/man/man1"
    subprocess.run([program, "man", manual], check=True, stdout=subprocess.DEVNULL)
    for page in manual.iterdir():
        page.chmod(0o644)
    for shell, path in COMPLETIONS.items():
        write_file(
            tree / path, subprocess.run([program, "completions", shell], check=True, stdout=subprocess.PIPE).stdout
        )
    for entry in (*list_licences(""), make_materials_entry("")):
        write_file(tree / "share/doc/roost" / entry.name, entry.data)
    # The packages of the window take over the modes.
    for folder in (tree, *(path for path in tree.rglob("*") if path.is_dir())):
        folder.chmod(0o755)


def write_file(path: Path, data: bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def pack_archive(tree: Path, dist: Path, version: str, level: int) -> None:
    name = f"roost-{version}-linux-{read_processor()}"
    write_tar(dist / f"{name}.tar.gz", list_entries(tree, f"{name}/"), level)


def pack_wheel(program: Path, dist: Path, version: str, level: int) -> None:
    """Packs the program as a script of the wheel, so that pip puts it on the PATH, and the client with its plugin."""
    project = read_pyproject()
    major, minor = read_glibc(program)
    tag = f"py3-none-manylinux_{major}_{minor}_{read_processor()}"
    info = f"roost-{version}.dist-info"
    points = project["entry-points"]
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {entry.name}" for entry in list_licences("")),
        *(f"Classifier: {line}" for line in project["classifiers"]),
        "Description-Content-Type: text/markdown",
        "",
        (CLIENTS / "python/README.md").read_text(),
    ]
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in sorted(names.items()))
        for group, names in sorted(points.items())
    ]
    entries = [
        *list_entries(CLIENTS / "python/src"),
        Entry(f"roost-{version}.data/scripts/roost", program.read_bytes(), PROGRAM),
        Entry(f"{info}/METADATA", "\n".join(metadata).encode()),
        Entry(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: roost\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()),
        Entry(f"{info}/entry_points.txt", "\n".join(groups).encode()),
        *list_licences(f"{info}/licenses/"),
        make_materials_entry(f"{info}/sboms/"),
    ]
    record = "".join(f"{entry.name},sha256={digest(entry.data)},{len(entry.data)}\n" for entry in entries)
    entries.append(Entry(f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    write_zip(dist / f"roost-{version}-{tag}.whl", entries, level)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def pack_npm(program: Path, dist: Path, version: str, level: int) -> None:
    """Packs the program as what the package runs as `roost`, and the client."""
    processor = NPM_PROCESSORS[read_processor()]
    described = read_package_json()
    described["files"] = [*described["files"], "bin"]
    described |= {"bin": {"roost": "bin/roost"}, "os": ["linux"], "cpu": [processor], "libc": ["glibc"]}
    client = CLIENTS / "typescript"
    entries = [
        Entry("package/package.json", (json.dumps(described, indent=2) + "\n").encode()),
        Entry("package/README.md", (client / "README.md").read_bytes()),
        Entry("package/bin/roost", program.read_bytes(), PROGRAM),
        *(entry for part in read_package_json()["files"] for entry in list_entries(client / part, f"package/{part}/")),
        *list_licences("package/"),
        make_materials_entry("package/"),
    ]
    write_tar(dist / f"roost-npm-{version}-linux-{processor}.tgz", entries, level)


if __name__ == "__main__":
    main()
