"""Installs the packages as a developer does who has neither Rust nor this clone, and uses them.

The program in them is the debug build, without its debug information.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from check_window import read_header, read_main_header, unpack_rpm
from conftest import CLIENTS, HERE, PROGRAM, ROOT, Packed, pack

#: pytest, pytest-xdist and what they consist of.
PYTEST = (
    "pytest",
    "_pytest",
    "py.py",
    "pluggy",
    "iniconfig",
    "packaging",
    "pygments",
    "xdist",
    "pytest_xdist",
    "execnet",
)


def run(command: list[str | Path], env: dict[str, str], **how: object) -> str:
    done = subprocess.run(command, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, **how)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return str(done.stdout)


def check_that_it_serves(roost: list[str | Path], env: dict[str, str], folder: Path) -> None:
    """Starts `roost serve`, waits for it with `roost wait`, and stops it."""
    ready = folder / "ready.json"
    command = [*roost, "serve", "--port", "0", "--ready-file", ready]
    with subprocess.Popen(command, env=env, cwd=folder, start_new_session=True) as server:
        try:
            run([*roost, "wait", "--ready-file", ready, "--timeout", "20s"], env, cwd=folder)
            assert json.loads(ready.read_text())["url"].startswith("http://127.0.0.1:")
        finally:
            # npx does not pass the signal on to what it runs.
            os.killpg(server.pid, signal.SIGTERM)


def test_the_same_program_gives_the_same_bytes(
    packed: Packed, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another folder, another time of the program, another zone, and other modes of new files.
    copy = tmp_path / "roost"
    shutil.copyfile(program, copy)
    copy.chmod(0o700)
    old = os.umask(0o077)
    try:
        again = pack(copy, tmp_path / "again", TZ="Asia/Tokyo", LC_ALL="C")
    finally:
        os.umask(old)
    names = sorted(path.name for path in packed.folder.iterdir())
    assert len(names) == 4, names
    for name in names:
        one, other = ((at.folder / name).read_bytes() for at in (packed, again))
        assert hashlib.sha256(one).digest() == hashlib.sha256(other).digest(), name
    modes = {path.relative_to(again.tree): path.stat().st_mode & 0o777 for path in again.tree.rglob("*")}
    assert set(modes.values()) == {0o644, 0o755} and modes[Path("bin/roost")] == 0o755


def test_the_wheel_serves_and_passes_the_tests_of_the_client(
    packed: Packed, bare: dict[str, str], tmp_path: Path
) -> None:
    venv = tmp_path / "venv"
    run([sys.executable, "-m", "venv", venv], bare)
    run([venv / "bin/pip", "install", "--quiet", packed.find("*.whl")], bare)
    python = venv / "bin/python"
    # Its program is found without the PATH.
    start = "import roost\nwith roost.Server.start() as server, server.world() as world: print(world.url)"
    assert run([python, "-c", start], bare).startswith("http://127.0.0.1:")
    env = {**bare, "PATH": f"{venv / 'bin'}:{bare['PATH']}"}
    check_without_rust(env)
    check_that_it_serves(["roost"], env, tmp_path)
    (site,) = venv.glob("lib/python*/site-packages")
    lend_pytest(site)
    tests = tmp_path / "client"
    for name in ("tests", "examples"):
        shutil.copytree(CLIENTS / "python" / name, tests / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CLIENTS / "python/pyproject.toml", tests)
    output = run([python, "-m", "pytest", "--quiet", "--numprocesses", "2"], env, cwd=tests)
    assert " passed" in output
    assert str(site) in run([python, "-c", "import roost; print(roost.__file__)"], env, cwd=tests)
    # Nothing of it stays.
    run([venv / "bin/pip", "uninstall", "--quiet", "--yes", "roost"], bare)
    assert not (venv / "bin/roost").exists() and not (site / "roost").exists()


def test_the_wheel_serves_from_a_folder_of_its_own(packed: Packed, bare: dict[str, str], tmp_path: Path) -> None:
    target = tmp_path / "target"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target]
    run([*pip, packed.find("*.whl")], bare)
    start = "import roost\nwith roost.Server.start() as server: print(server.url)"
    assert run([sys.executable, "-c", start], {**bare, "PYTHONPATH": str(target)}).startswith("http://127.0.0.1:")


def test_the_npm_package_serves_and_passes_the_tests_of_the_client(
    packed: Packed, bare: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "package.json").write_text('{ "name": "tests-of-a-developer", "private": true }\n')
    run(["npm", "install", "--save-dev", packed.find("*.tgz")], bare, cwd=tmp_path)
    check_without_rust(bare)
    check_that_it_serves(["npx", "--no-install", "roost"], bare, tmp_path)
    for name in ("typescript/tests", "python/tests"):
        shutil.copytree(CLIENTS / name, tmp_path / name)
    files = sorted(tmp_path.glob("typescript/tests/*.test.mjs"))
    output = run(["node", "--test", "--test-concurrency=2", "--test-reporter=tap", *files], bare, cwd=tmp_path)
    assert "# fail 0" in output and "# pass 0" not in output, output
    where = "console.log(import.meta.resolve('@roost/test'))"
    output = run(["node", "--input-type=module", "--eval", where], bare, cwd=tmp_path)
    assert output.strip() == f"file://{tmp_path}/node_modules/@roost/test/src/index.js"
    run(["npm", "uninstall", "@roost/test"], bare, cwd=tmp_path)
    assert not (tmp_path / "node_modules/.bin/roost").exists()


def lend_pytest(site: Path) -> None:
    """Adds the pytest that the developer already has, without the other plugins of this repository's tests."""
    own = Path(pytest.__file__).parents[1]
    for name in PYTEST:
        for path in (own / name, *own.glob(f"{name}-*.dist-info")):
            if path.exists():
                (site / path.name).symlink_to(path)


def check_without_rust(env: dict[str, str]) -> None:
    for name in ("cargo", "rustc"):
        assert shutil.which(name, path=env["PATH"]) is None


def test_the_archive_is_unpacked_below_usr_local(packed: Packed, bare: dict[str, str], tmp_path: Path) -> None:
    with tarfile.open(packed.find("*.tar.gz")) as tar:
        assert all((entry.uid, entry.gid, entry.uname) == (0, 0, "") for entry in tar)
        tar.extractall(tmp_path, filter="data")
    (top,) = tmp_path.iterdir()
    assert run([top / "bin/roost", "--version"], bare).startswith("roost ")
    manual = {path.name for path in (top / "share/man/man1").iterdir()}
    assert {"roost.1", "roost-serve.1", "roost-import.1"} <= manual
    assert "roost" in (top / "share/bash-completion/completions/roost").read_text()
    assert (top / "share/zsh/site-functions/_roost").read_text().startswith("#compdef roost")
    assert "complete -c roost" in (top / "share/fish/vendor_completions.d/roost.fish").read_text()
    licences = (top / "share/doc/roost/LICENSES-OF-DEPENDENCIES.txt").read_text()
    for name in ("libsqlite3-sys", "tokio", "tauri", "svelte"):
        assert f"\n{name} " in licences, name
    assert "Permission is hereby granted" in licences and str(Path.home()) not in licences
    assert {"LICENSE-APACHE", "LICENSE-MIT"} <= {path.name for path in (top / "share/doc/roost").iterdir()}


def test_the_bill_of_materials_names_every_package_with_its_licence(packed: Packed) -> None:
    documents = packed.tree / "share/doc/roost"
    materials = json.loads((documents / "roost.cdx.json").read_text())
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert (materials["bomFormat"], materials["specVersion"]) == ("CycloneDX", "1.6")
    assert materials["metadata"]["component"]["version"] == version
    components = materials["components"]
    licences = (documents / "LICENSES-OF-DEPENDENCIES.txt").read_text().partition("=" * 100)[0]
    listed = re.findall(r"^(\S+ \d\S*):", licences, re.MULTILINE)
    assert [f"{one['name']} {one['version']}" for one in components] == listed
    urls = {one["purl"] for one in components}
    assert len(urls) == len(components)
    assert all(re.fullmatch(r"pkg:(cargo|npm)/[\w%/.-]+@\d[\w.+-]*", url) for url in urls), urls
    assert all(re.fullmatch(r"[\w.+() -]+", one["licenses"][0]["expression"]) for one in components)
    with zipfile.ZipFile(packed.find("*.whl")) as wheel:
        assert json.loads(wheel.read(f"roost-{version}.dist-info/sboms/roost.cdx.json")) == materials
    with tarfile.open(packed.find("*.tgz")) as tar:
        assert json.load(tar.extractfile("package/roost.cdx.json") or io.BytesIO()) == materials


def test_the_wheel_lists_what_it_contains(packed: Packed) -> None:
    with zipfile.ZipFile(packed.find("*.whl")) as wheel:
        (record,) = (name for name in wheel.namelist() if name.endswith("/RECORD"))
        listed = {line.split(",")[0] for line in wheel.read(record).decode().splitlines()}
        assert listed == set(wheel.namelist())
        assert wheel.namelist()[-1] == record and "roost/py.typed" in listed


def test_the_configuration_of_the_window_is_one_for_each_system() -> None:
    schema = json.loads((ROOT / "ui/node_modules/@tauri-apps/cli/config.schema.json").read_text())
    config = json.loads((ROOT / "tauri.conf.json").read_text())
    output = subprocess.run(
        [sys.executable, HERE / "window_config.py", PROGRAM], check=True, capture_output=True, text=True
    ).stdout
    jsonschema.validate(config, schema)
    jsonschema.validate({**config, "bundle": {**config["bundle"], **json.loads(output)["bundle"]}}, schema)
    bundle = config["bundle"]
    assert {"deb", "rpm", "app", "dmg", "nsis"} == set(bundle["targets"])
    assert all((ROOT / icon).is_file() for icon in bundle["icon"])
    assert {".icns", ".ico"} <= {Path(icon).suffix for icon in bundle["icon"]}
    # Roost calls nobody to ask for updates.
    assert bundle["createUpdaterArtifacts"] is False and config["plugins"]["updater"]["endpoints"] == []


def test_each_package_of_the_window_contains_the_files_of_the_archive(packed: Packed) -> None:
    bundle = json.loads((ROOT / "tauri.conf.json").read_text())["bundle"]
    in_tree = {path.relative_to(packed.tree).as_posix() for path in packed.tree.rglob("*") if path.is_file()}
    for files in (bundle["linux"]["deb"]["files"], bundle["linux"]["rpm"]["files"], bundle["macOS"]["files"]):
        covered = set()
        for source in files.values():
            inside = source.removeprefix("target/dist-tree/")
            assert (packed.tree / inside if inside != source else ROOT / source).exists(), source
            covered |= {name for name in in_tree if name == inside or name.startswith(f"{inside}/")}
        assert covered == in_tree


def test_an_rpm_of_files_with_other_times_has_the_same_bytes(tmp_path: Path) -> None:
    settled = []
    for times in ((1_600_000_000, 1_600_000_001), (1_790_000_000, 1_234_567_890)):
        path = tmp_path / f"{times[0]}.rpm"
        path.write_bytes(write_rpm(*times))
        before = unpack_rpm(path)
        run([sys.executable, HERE / "settle_rpm.py", path], {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        assert unpack_rpm(path) == before
        settled.append(path.read_bytes())
    one, other = settled
    assert one == other and one[:96] == b"lead".ljust(96, b"\0")
    signatures, end = read_header(one, 96)
    start = end + -end % 8
    assert one[end:start] == bytes(start - end)
    header, end = read_main_header(one)
    payload = one[end:]
    unpacked = gzip.decompress(payload)
    assert header[1006] == (1_700_000_000,) and header[1034] == (1_700_000_000,) * 2
    assert unpacked.count(b"%08x" % 1_700_000_000) == 2
    assert header[5092] == [hashlib.sha256(payload).hexdigest()]
    assert header[5097] == [hashlib.sha256(unpacked).hexdigest()]
    assert signatures[269] == [hashlib.sha1(one[start:end]).hexdigest()]
    assert signatures[273] == [hashlib.sha256(one[start:end]).hexdigest()]
    assert signatures[1000] == (len(one) - start,) and signatures[1007] == (len(unpacked),)
    assert hashlib.md5(one[start:]).digest() in one[96:start]


def test_an_rpm_that_is_signed_is_not_settled(tmp_path: Path) -> None:
    path = tmp_path / "signed.rpm"
    path.write_bytes(write_rpm(1, 2, [(268, 7, 4, b"seal")]))
    done = subprocess.run([sys.executable, HERE / "settle_rpm.py", path], capture_output=True, text=True)
    assert done.returncode == 1 and "[268]" in done.stderr


def write_rpm(first: int, second: int, more: list[tuple[int, int, int, bytes]] | None = None) -> bytes:
    """A package of two files with these times, whose digests and sizes are not right."""
    entries = [("./usr/a", b"some", first), ("./usr/bc", b"other", second), ("TRAILER!!!", b"", 0)]
    archive = b""
    for name, data, time in entries:
        fields = (1, 0o100644, 0, 0, 1, time, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        archive += b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        archive += bytes(-len(archive) % 4) + data
        archive += bytes(-len(archive) % 4)
    # Number 4 is a kind of numbers, 6 of text, 7 of bytes, and 8 of texts.
    signatures = [(269, 6, 1, b"0" * 40 + b"\0"), (273, 6, 1, b"0" * 64 + b"\0\0\0"), (1000, 4, 1, bytes(4))]
    signatures += [(1004, 7, 16, bytes(16)), (1007, 4, 1, bytes(4)), *(more or [])]
    header = [(1006, 4, 1, struct.pack(">I", first)), (1034, 4, 2, struct.pack(">II", first, second))]
    header += [(5093, 4, 1, struct.pack(">I", 8)), (1126, 6, 1, b"6\0")]
    header += [(tag, 8, 1, b"0" * 64 + b"\0") for tag in (5092, 5097)]
    front = b"lead".ljust(96, b"\0") + write_header(signatures)
    return front + bytes(-len(front) % 8) + write_header(header) + gzip.compress(archive, 9, mtime=first)


def write_header(tags: list[tuple[int, int, int, bytes]]) -> bytes:
    index = store = b""
    for tag, kind, count, data in tags:
        index += struct.pack(">IIII", tag, kind, len(store), count)
        store += data
    return b"\x8e\xad\xe8\x01" + struct.pack(">III", 0, len(tags), len(store)) + index + store
