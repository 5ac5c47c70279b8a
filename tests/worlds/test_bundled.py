import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from rigless.kernel.problems import InputError
from rigless.worlds.bundled import bundled_maps, find_map
from rigless.worlds.grid import DARK, GLASS, MIRROR
from rigless.worlds.maps import load_map
from rigless.worlds.pgm import read_gray

ROOT = Path(__file__).resolve().parents[2]
NAMES = ["apartment", "corridor", "empty_room", "hall", "maze", "room_with_box", "warehouse"]
NAMES += ["warehouse_100", "warehouse_1000", "yard"]


def room_to_move(grid):
    """Return metres from each cell's centre to the nearest occupied cell's centre."""
    return ndimage.distance_transform_edt(~grid.occupied) * grid.resolution_m


def cell(grid, x_m, y_m):
    x, y = grid.to_cells(x_m, y_m)
    return int(y), int(x)


def test_the_bundled_maps():
    assert list(bundled_maps()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_robot_can_start_at_the_origin_and_cannot_leave(name):
    grid = load_map(bundled_maps()[name])
    assert room_to_move(grid)[cell(grid, 0, 0)] > 0.4
    assert not grid.cliff[cell(grid, 0, 0)]
    assert np.isfinite(grid.cast([[0, 0, 0]], np.linspace(-np.pi, np.pi, 720), 150.0)).all()
    edge = np.ones(grid.shape, bool)
    edge[1:-1, 1:-1] = False
    assert grid.occupied[edge].all()


@pytest.mark.parametrize(
    ("name", "x_m", "y_m"),
    [
        ("apartment", 2.6, -0.6),  # kitchen
        ("apartment", -3.0, 2.05),  # hall
        ("apartment", 4.3, 2.05),  # top of the stairs
        ("apartment", -1.3, 4.3),  # bedroom
        ("apartment", 1.3, 3.5),  # bathroom
        ("apartment", 3.2, 3.6),  # study
        ("maze", 7.0, 7.0),
        ("maze", 3.0, 4.0),
        ("warehouse", 16.0, 6.0),
    ],
)
def test_every_place_is_reached_through_doors_of_80_cm(name, x_m, y_m):
    grid = load_map(bundled_maps()[name])
    places, _ = ndimage.label(room_to_move(grid) > 0.36)  # 0.8 m, less what centres of cells lose
    assert places[cell(grid, 0, 0)] != 0
    assert places[cell(grid, x_m, y_m)] == places[cell(grid, 0, 0)]


def test_the_apartment_has_what_is_hard_for_a_robot():
    grid = load_map(bundled_maps()["apartment"])
    assert grid.shape == (400, 500)
    assert grid.resolution_m == 0.02
    assert grid.is_cliff(5.0, 2.0)
    assert not grid.is_cliff(4.6, 2.0)
    assert not (grid.cliff & grid.occupied).any()
    assert {GLASS, DARK, MIRROR} <= set(grid.material[grid.occupied])
    assert not grid.material[~grid.occupied].any()
    things, count = ndimage.label(grid.occupied)
    sizes = np.bincount(things.ravel())[1:]
    assert (sizes == 1).sum() == 16  # 2 cm legs of four chairs
    assert (sizes == 4).sum() == 12  # 4 cm legs of three tables
    assert count > 28


def test_plain_rooms_have_their_documented_sizes():
    east_north_west_south = [0, np.pi / 2, np.pi, -np.pi / 2]
    for name, expected in {
        "empty_room": [3, 3, 3, 3],
        "room_with_box": [1, 3, 3, 3],
        "corridor": [11, 0.6, 1, 0.6],
    }.items():
        ranges = load_map(bundled_maps()[name]).cast([[0, 0, 0]], east_north_west_south, 40.0)[0]
        assert ranges == pytest.approx(expected, abs=1e-9)
    warehouse = load_map(bundled_maps()["warehouse"])
    assert (
        warehouse.shape[1] * warehouse.resolution_m,
        warehouse.shape[0] * warehouse.resolution_m,
    ) == (20.0, 15.0)
    assert warehouse.unknown.any()


def test_the_drawing_script_makes_the_files_that_are_here(tmp_path):
    subprocess.run([sys.executable, ROOT / "scripts" / "draw-maps", tmp_path], check=True)
    folder = bundled_maps()["apartment"].parent
    drawn = {path.name: path for path in tmp_path.iterdir()}
    assert sorted(drawn) == sorted(path.name for path in folder.iterdir())
    for name, path in drawn.items():
        if path.suffix == ".png":  # which bytes hold the pixels is up to the compressor
            assert np.array_equal(read_gray(path)[0], read_gray(folder / name)[0]), name
        else:
            assert path.read_bytes() == (folder / name).read_bytes(), name
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_000_000


@pytest.mark.parametrize(
    "name", ["apartment", "apartment.yaml", "maps/apartment.yaml", Path("maps/apartment.yml")]
)
def test_a_bundled_map_is_found_by_its_name(name, tmp_path):
    assert find_map(name, tmp_path) == find_map(name) == bundled_maps()["apartment"]


def test_a_file_takes_precedence_over_a_bundled_map(tmp_path, monkeypatch):
    near, here = tmp_path / "near", tmp_path / "here"
    for folder in (near, here):
        folder.mkdir()
        (folder / "apartment.yaml").touch()
    (near / "mock.toml").touch()
    monkeypatch.chdir(here)
    assert (
        find_map("apartment.yaml", near)
        == find_map("apartment.yaml", near / "mock.toml")
        == near / "apartment.yaml"
    )
    assert find_map("apartment.yaml").resolve() == here / "apartment.yaml"
    assert find_map(near / "apartment.yaml") == near / "apartment.yaml"
    assert find_map("apartment") == bundled_maps()["apartment"]


@pytest.mark.parametrize("name", ["apartmnt", "maps/apartmnt.yaml", "apartment.pgm"])
def test_an_unknown_map_name_gets_a_hint(name):
    with pytest.raises(InputError, match=r"there is no map file .* \(did you mean 'apartment'\?\)"):
        find_map(name)


@pytest.mark.parametrize("name", ["", "nul\0", "x" * 5000, "."])
def test_odd_names_are_input_errors(name, tmp_path):
    with pytest.raises(InputError, match="choose from: apartment, corridor"):
        find_map(name, tmp_path)
