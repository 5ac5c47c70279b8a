"""`make release`: its checks, on small inputs. The whole is run before a release."""

import importlib.machinery
import importlib.util
import json
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def script(path: Path):
    loader = importlib.machinery.SourceFileLoader(path.stem, str(path))
    spec = importlib.util.spec_from_loader(path.stem, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def release():
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # scripts has no cache
    yield script(ROOT / "scripts" / "release")
    sys.dont_write_bytecode = written


def test_the_version_of_all_files_agrees(release, tmp_path, monkeypatch):
    monkeypatch.setattr(release, "ROOT", tmp_path)
    (tmp_path / "CITATION.cff").write_text("title: x\nversion: 1.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## 1.2.0 (2026-12-01)\n")
    release.check_version("1.2.0", draft=False)
    with pytest.raises(SystemExit, match="another version than"):
        release.check_version("1.3.0", draft=False)
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n")
    release.check_version("1.2.0", draft=True)
    with pytest.raises(SystemExit, match=r"no section '## 1.2.0 \(DATE\)'"):
        release.check_version("1.2.0", draft=False)


def test_the_version_of_the_repository_is_in_its_citation_and_its_changelog(release):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert release.check_version(project["version"], draft=False) is None


def test_pythons_of_pyenv_are_found(release, tmp_path, monkeypatch):
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    for version in ("3.12.9", "3.12.10"):
        (tmp_path / "versions" / version / "bin").mkdir(parents=True)
        (tmp_path / "versions" / version / "bin" / "python").touch()
    assert release.installed("3.12") == str(tmp_path / "versions" / "3.12.10" / "bin" / "python")
    assert release.installed("3.13") == "3.13"


def test_the_wheel_with_all_extras_is_used_with_a_scenario_of_each_robot(
    release, tmp_path, monkeypatch
):
    commands = []

    def run(*words, **options):
        commands.append([str(word) for word in words])
        environment = options.get("env", {})
        assert not {"NUMBA_CACHE_DIR", "PYTHONPATH"} & set(environment)
        return ""

    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")
    monkeypatch.setattr(release, "run", run)
    monkeypatch.setattr(release, "uv", lambda: "true")  # a uv that makes every environment
    release.smoke(tmp_path / "rigless-1-py3-none-any.whl", ["Python :: 3.12"])
    installs = [words[-1] for words in commands if "install" in words]
    assert len(installs) == 2
    assert installs[1].startswith("rigless[all] @ file:///")
    texts = [(ROOT / "scenarios" / f"{name}.toml").read_text() for name in release.ROBOTS]
    kinds = {tomllib.loads(text)["robots"][0]["kind"] for text in texts}
    assert kinds == {path.parent.name for path in ROOT.glob("src/rigless/robots/*/robot.py")}
    assert any("vacuum_gyro_bias" in words for words in commands)


def test_a_lock_file_gives_licences_and_an_sbom(release, tmp_path):
    lock = tmp_path / "lock"
    lock.write_text("numpy==2.0.1 ; python_version > '3'\n    # via rigless\npyzmq==26.0\n")
    packages = release.locked(lock)
    assert packages == {"numpy": "2.0.1", "pyzmq": "26.0"}
    assert "| pyzmq | 26.0 | BSD-3-Clause |" in release.licences(packages)
    document = json.loads(release.sbom("0.1.0", packages))
    assert document["components"][0]["purl"] == "pkg:pypi/numpy@2.0.1"


@pytest.mark.parametrize("text", ["GPL-3.0-only", "", "Proprietary"])
def test_a_licence_that_does_not_fit_stops_the_release(release, monkeypatch, text):
    monkeypatch.setattr(release, "licence", lambda name: text)
    with pytest.raises(SystemExit, match="licences to look at: thing"):
        release.licences({"thing": "1"})


def test_the_readme_of_pypi_has_absolute_links():
    absolute = script(ROOT / "hatch_build.py").absolute
    text = "![p](docs/a.png) [b](docs/b.md) [c](#c) [d](https://d.example)"
    assert absolute(text, "https://x.example/r", "v1") == (
        "![p](https://x.example/r/raw/v1/docs/a.png) [b](https://x.example/r/blob/v1/docs/b.md)"
        " [c](#c) [d](https://d.example)"
    )
