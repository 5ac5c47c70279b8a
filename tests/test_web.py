"""Building and shipping the front end: our modules, the libraries from npm, and the wheel."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(600)  # pip, npm and tsc are slow on a busy machine
ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "src/rigless/panel/web"
OURS = sorted(path for path in WEB.rglob("*.js") if "vendor" not in path.relative_to(WEB).parts)
THEIRS = sorted((WEB / "vendor").rglob("*.js"))
IMPORT = re.compile(
    r"""^\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*["']([^"']+)["']"""
    r"""|\bimport\(\s*["']([^"']+)["']""",
    re.M,
)
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.S | re.M)
IMPORT_MAP = re.compile(r"""<script[^>]*\btype=["']importmap["'][^>]*>(.*?)</script>""", re.S)


def imports(path: Path) -> set[str]:
    found = IMPORT.findall(COMMENT.sub("", path.read_text("utf-8")))
    return {static or dynamic for static, dynamic in found}


def import_map() -> dict[str, Path]:
    maps = IMPORT_MAP.findall((WEB / "index.html").read_text("utf-8"))
    assert len(maps) == 1, "index.html has one import map"
    return {name: served(address, WEB) for name, address in json.loads(maps[0])["imports"].items()}


def served(address: str, folder: Path) -> Path:
    """Return the file behind an address in a file of `folder`; web/ is served below /web/."""
    return WEB / address.removeprefix("/web/") if address.startswith("/web/") else folder / address


def target(name: str, path: Path) -> Path | None:
    """Return the file that an import in the module `path` leads to in a browser."""
    if name.startswith((".", "/")):
        return served(name, path.parent)
    known = import_map()
    if name in known:
        return known[name]
    folders = [prefix for prefix in known if prefix.endswith("/") and name.startswith(prefix)]
    return (
        known[best] / name.removeprefix(best)
        if (best := max(folders, key=len, default=""))
        else None
    )


def build_web(root: Path, *task: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "scripts/build-web"), *task]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a copy of the front end's files as in a fresh checkout."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("scripts/build-web", "package.json", "package-lock.json"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    place = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(place)]
    command = [sys.executable, "-m", "pip", "wheel", *options, str(ROOT)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    (built,) = place.glob("*.whl")
    return set(zipfile.ZipFile(built).namelist())


def test_the_types_of_our_modules_hold():
    run = build_web(ROOT, "types")
    assert run.returncode == 0, run.stdout + run.stderr


def test_imports_of_every_form_are_found(tmp_path):
    (tmp_path / "one.js").write_text(
        'import "a";\nimport b from "b";\nimport {\n  c,\n  d,\n} from "c";\nexport * from "d";\n'
        'const e = await import("e");\n'
        '// import x from "x";\n/** @type {import("y").Z} */\nimport * as f from \'f\';\n'
    )
    assert imports(tmp_path / "one.js") == {"a", "b", "c", "d", "e", "f"}


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(WEB)))
def test_every_import_of_ours_leads_to_a_file(path):
    assert {
        name
        for name in imports(path)
        if (found := target(name, path)) is None or not found.is_file()
    } == set()


def test_every_import_of_theirs_leads_to_a_file():
    minified = re.compile(r"""(?:\bfrom|^import)\s*["']([^"']+)["']""")
    for path in THEIRS:
        names = imports(path) | set(minified.findall(COMMENT.sub("", path.read_text("utf-8"))))
        assert {
            name for name in names if (found := target(name, path)) is None or not found.is_file()
        } == set(), path


def test_the_import_map_leads_into_vendor():
    assert {
        name
        for name, path in import_map().items()
        if not path.exists() or WEB / "vendor" not in path.parents
    } == set()
    assert {
        name for name, path in import_map().items() if name.endswith("/") != path.is_dir()
    } == set()


def test_the_page_and_its_styles_name_files_that_exist():
    pages = [*WEB.glob("*.html"), *WEB.glob("*.css")]
    pattern = r"""(?:\b(?:src|href)=["']|\burl\(["']?|@import ["'])([\w./-]+)["')]"""
    named = {
        served(link, page.parent)
        for page in pages
        for link in re.findall(pattern, page.read_text("utf-8"))
    }
    assert WEB / "vendor/uplot/uPlot.min.css" in named
    assert {path for path in named if not path.is_file()} == set()


def test_vendor_has_no_source_maps_and_all_licences():
    assert [path for path in THEIRS if "sourceMappingURL" in path.read_text("utf-8")] == []
    assert THEIRS
    folders = [path for path in (WEB / "vendor").iterdir() if path.is_dir()]
    assert [path for path in folders if not (path / "LICENSE").is_file()] == []


def test_the_lock_names_no_host_and_pins_every_package():
    text = (ROOT / "package-lock.json").read_text("utf-8")
    assert "://" not in text
    assert '"resolved"' not in text
    packages = json.loads(text)["packages"]
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []
    wanted = json.loads((ROOT / "package.json").read_text("utf-8"))
    for kind in ("dependencies", "devDependencies"):
        assert packages[""][kind] == wanted[kind]
        assert {
            name: packages[f"node_modules/{name}"]["version"] for name in wanted[kind]
        } == wanted[kind]


def test_git_tracks_no_file_from_npm():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    assert "pyproject.toml" in listed
    assert [name for name in listed if "/vendor/" in name or "node_modules/" in name] == []


def test_the_wheel_has_the_whole_front_end(wheel):
    there = {
        name.removeprefix("rigless/panel/web/")
        for name in wheel
        if name.startswith("rigless/panel/web/")
    }
    folders = [path for path in (WEB / "vendor").iterdir() if path.is_dir()]
    wanted = [
        WEB / "index.html",
        *OURS,
        *(path for folder in folders for path in folder.rglob("*") if path.is_file()),
    ]
    assert {str(path.relative_to(WEB)) for path in wanted} - there == set()
    assert [
        name
        for name in wheel
        if "node_modules" in name or name.endswith((".map", ".d.ts", ".built-from"))
    ] == []


def test_the_wheel_has_the_examples_and_scenarios(wheel):
    command = ["git", "ls-files", "examples", "scenarios"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert {f"rigless/data/{name}" for name in listed.stdout.split()} - wheel == set()


def test_building_again_does_nothing():
    stamp = WEB / "vendor/.built-from"
    before = stamp.stat()
    assert build_web(ROOT, PATH="").returncode == 0  # no npm was needed
    after = stamp.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_without_a_network_one_sentence_says_what_to_do(copy, tmp_path):
    nowhere = {"npm_config_registry": "http://127.0.0.1:9", "npm_config_fetch_retries": "0"}
    run = build_web(copy, npm_config_cache=str(tmp_path), **nowhere)
    assert run.returncode == 1
    assert re.fullmatch(
        r"npm could not install .+ECONNREFUSED.+ npm registry .+ run again\.\n", run.stderr
    ), run.stderr
    assert not (copy / "src").exists()


def test_a_lock_that_does_not_match_is_an_error(copy, tmp_path):
    changed = tmp_path / "copy"
    shutil.copytree(copy, changed)
    wanted = (changed / "package.json").read_text("utf-8")
    (changed / "package.json").write_text(wanted.replace('"uplot": "1.', '"uplot": "0.'), "utf-8")
    run = build_web(changed, PATH="")  # npm was not run
    assert run.returncode == 1
    assert (
        run.stderr
        == "package.json and package-lock.json do not match: run scripts/build-web lock\n"
    )


def test_without_npm_one_sentence_says_what_to_do(copy):
    command = [
        sys.executable,
        "-S",
        str(copy / "scripts/build-web"),
    ]  # -S: without installed wheels
    run = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert re.fullmatch(
        r"The panel's front end is built with npm, .+ requirements-npm\.lock\n", run.stderr
    ), run.stderr


def test_an_unknown_task_is_refused_with_the_known_ones():
    run = build_web(ROOT, "everything")
    assert run.returncode == 1
    assert "'everything'" in run.stderr
    assert "tools, types, lock" in run.stderr
