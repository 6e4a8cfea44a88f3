"""What the tests of the packages share: the packages, and a machine to install them on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CLIENTS = ROOT / "src-tauri/emulator/clients"
PROGRAM = Path(os.environ.get("ROOST_BIN", ROOT / "target/debug/roost"))
#: What a package needs of a machine, apart from Python and Node.js.
NEEDED = ("bash", "cat", "env", "sh")


@dataclass(frozen=True)
class Packed:
    folder: Path
    tree: Path

    def find(self, pattern: str) -> Path:
        (path,) = self.folder.glob(pattern)
        return path


def pack(program: Path, folder: Path, **env: str) -> Packed:
    packed = Packed(folder / "dist", folder / "tree")
    command: list[str | Path] = [sys.executable, HERE / "pack.py", "--program", program, "--level", "0"]
    command += ["--dist", packed.folder, "--tree", packed.tree]
    subprocess.run(command, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", **env})
    return packed


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "roost"
    subprocess.run(["strip", "-o", path, PROGRAM], check=True)
    return path


@pytest.fixture(scope="session")
def packed(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Packed:
    return pack(program, tmp_path_factory.mktemp("packed"))


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a machine without Rust, with an empty home folder and no network for pip and npm."""
    folder = tmp_path_factory.mktemp("bare")
    tools, home = folder / "tools", folder / "home"
    tools.mkdir()
    home.mkdir()
    for name in (*NEEDED, "node", "npm", "npx"):
        found = shutil.which(name)
        assert found, name
        (tools / name).symlink_to(found)
    yield {
        **{"PATH": str(tools), "HOME": str(home), "LANG": "C.UTF-8", "TMPDIR": str(folder)},
        **{"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        **{"npm_config_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false"},
        **{"npm_config_update_notifier": "false"},
    }
    # Tests and programs kept to their own folders.
    assert {path.name for path in home.iterdir()} <= {".npm", ".cache", ".local", ".config"}
