"""The files of a sweep: those that a run needs travel, and decide which rows a table may hold."""

import os
from pathlib import Path

import pytest

from rigless.sweeps.again import run_again
from rigless.sweeps.engines.local import LocalEngine
from rigless.sweeps.engines.remote import run_remote
from rigless.sweeps.files import Bundle, bundle_of, encode_bundle
from rigless.sweeps.preparation import Prepared, Question, prepare
from rigless.sweeps.row import Row
from rigless.sweeps.sweep import Sweep
from rigless.sweeps.table.formats import write_rows
from rigless.sweeps.task import decode_rows, encode
from rigless.sweeps.vary.plan import Plan, Point, Sample, choose_settings

MAP = "image: {name}.pgm\nresolution: 1.0\norigin: [-5.0, -5.0, 0.0]\nnegate: 0\n"
LIMITS = "occupied_thresh: 0.65\nfree_thresh: 0.196\n"
SCENARIO = """
duration_s = 0.2
[world]
map = "maps/a.yaml"
[[robots]]
kind = "vacuum"
[[expect]]
no_collision = true
"""
PROGRAM = """
[[programs]]
name = "nav"
command = "build/nav"
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a scenario, two maps, and the builds of a program; be in it."""
    site = tmp_path / "site"
    for folder in ("maps", "build", "builds/dist"):
        (site / folder).mkdir(parents=True)
    for name in "ab":
        (site / f"maps/{name}.yaml").write_text(MAP.format(name=name) + LIMITS)
        (site / f"maps/{name}.pgm").write_bytes(b"P5 10 10 255\n" + b"\xfe" * 100)
    for build in ("build/nav", "builds/dist/old", "builds/dist/new"):
        (site / build).write_text("#!/bin/sh\n")
    (site / "nav.toml").write_text(SCENARIO)
    (site / "driven.toml").write_text(SCENARIO + PROGRAM)
    monkeypatch.chdir(site)
    return site


def rows_of(prepared: Prepared) -> list[Row]:
    engine = LocalEngine(1)
    try:
        plan = Plan(choose_settings(prepared.axes, Sample()), prepared.seeds)
        return list(Sweep(prepared, engine).run(plan))
    finally:
        engine.close()


def bundle(prepared: Prepared) -> Bundle:
    return bundle_of(prepared.built, prepared.question.target, prepared.all_settings())


def test_a_run_over_a_varied_map_is_the_same_again(site: Path) -> None:
    rows = rows_of(prepare(Question("nav.toml", ["world.map=maps/a.yaml,maps/b.yaml"])))
    assert [row.verdict for row in rows] == ["pass", "pass"]
    for row in rows:
        assert run_again(row)[1].content == row.content
    (site / "maps/b.pgm").write_bytes(b"P5 10 10 255\n" + b"\xfd" * 100)
    changed = {run_again(row)[1].content == row.content for row in rows}
    assert changed == {True, False}  # only one of the runs used it


def test_maps_of_an_axis_travel_and_are_found_where_they_are_unpacked(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scenario is named from a folder above it, and one of the maps from that folder."""
    monkeypatch.chdir(tmp_path)
    axis = "world.map=maps/a.yaml,site/maps/b.yaml"
    prepared = prepare(Question("site/nav.toml", [axis]))
    made = bundle(prepared)
    assert {name for name in made.files if "maps" in name} == {
        f"site/maps/{name}.{suffix}" for name in "ab" for suffix in ("yaml", "pgm")
    }
    files = encode_bundle(made)
    settings = choose_settings(prepared.axes, Sample())
    tasks = [prepared.task(index, Point(each, 0)) for index, each in enumerate(settings)]
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    site.rename(tmp_path / "moved")
    for task in tasks:
        [row] = decode_rows(run_remote(encode([task]), files, "dask"))
        assert (row.verdict, row.note) == ("pass", "")


def test_commands_of_programs_travel_from_the_current_folder(site: Path) -> None:
    commands = {"nav": ["builds/dist/new", "--fast"]}
    one = prepare(Question("driven.toml", ["program.nav=builds/dist/old"]))
    assert {"build/nav", "builds/dist/old"} <= set(bundle(one).files)
    assert "builds/dist/new" not in bundle(one).files  # a folder of builds does not travel
    two = prepare(Question("driven.toml", commands=commands))
    assert "builds/dist/new" in bundle(two).files
    assert Path(bundle(two).root) == site


def test_a_new_build_at_the_same_path_is_another_program(site: Path) -> None:
    question = Question("driven.toml", commands={"nav": ["builds/dist/new"]})
    before = prepare(question).task(0, Point({}, 0)).row
    Path("builds/dist/new").write_text("#!/bin/sh\necho new\n")
    after = prepare(question).task(0, Point({}, 0)).row
    assert before.content == after.content
    assert before.programs != after.programs
    assert before.key != after.key


def test_a_file_by_an_absolute_path_is_named_if_a_worker_lacks_it(
    site: Path, tmp_path: Path
) -> None:
    prepared = prepare(Question("nav.toml", [f"world.map={site}/maps/b.yaml"]))
    made = bundle(prepared)
    assert made.elsewhere == [f"{site}/maps/b.yaml", f"{site}/maps/b.pgm"]
    task = prepared.task(0, Point({"world.map": f"{site}/maps/b.yaml"}, 0))
    os.rename(site / "maps/b.pgm", tmp_path / "gone")
    [row] = decode_rows(run_remote(encode([task]), encode_bundle(made), "dask"))
    assert row.verdict == "error"
    assert f"missing on {os.uname().nodename}: {site}/maps/b.pgm: copy it there" in row.note


def test_files_that_a_cleaner_removed_are_unpacked_again(tmp_path: Path) -> None:
    made = Bundle(files={"a/run": b"#!/bin/sh\n", "b": b"text"})
    folder = made.unpack(tmp_path)
    os.remove(folder / "a/run")
    kept = os.stat(folder / "b").st_mtime_ns
    assert made.unpack(tmp_path) == folder
    assert os.access(folder / "a/run", os.X_OK)
    assert os.stat(folder / "b").st_mtime_ns == kept
    assert list(tmp_path.iterdir()) == [folder]


def test_a_file_that_a_run_writes_does_not_change_the_keys_of_later_runs(site: Path) -> None:
    prepared = prepare(Question("nav.toml"))
    points = [Point({"log": "notes.txt"}, seed) for seed in (0, 1)]
    before = [prepared.key(point) for point in points]
    (site / "notes.txt").write_text("of the first run")
    assert [prepared.task(0, point).row.key for point in points] == before


def test_outputs_of_a_sweep_in_the_folder_of_a_program_are_no_other_program(site: Path) -> None:
    """Otherwise the second call of a sweep would refuse the table of the first."""
    before = prepare(Question("driven.toml")).digests.of({})
    rows = [Row("a" * 20, {}, 1)]
    for name in ("t.parquet", "t.csv", "t.jsonl", "t.csv.journal"):
        write_rows(site / name, rows) if "journal" not in name else (site / name).touch()
    (site / "small.toml").write_text(SCENARIO)
    (site / "runs" / "0123456789abcdef0123").mkdir(parents=True)
    for name in ("report.html", "run.mcap", "runs/0123456789abcdef0123/nav.stdout"):
        (site / name).write_text("x")
    assert prepare(Question("driven.toml")).digests.of({}) == before
    for name in ("routes.csv", "settings.toml"):
        (site / name).write_text("a = 1\n")
        now = prepare(Question("driven.toml")).digests.of({})
        assert now != before
        before = now
