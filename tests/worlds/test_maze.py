"""Mazes: both forms of file, their geometry, their problems, and the bundled mazes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from rigless.kernel.documents import Document
from rigless.kernel.problems import InputError
from rigless.worlds import bundled_mazes, find_maze, load_maze
from rigless.worlds.mazes.maze import MazeWorld
from rigless.worlds.mazes.maze_file import maze_of

ROOT = Path(__file__).resolve().parents[2]
RING = [[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]]


def written(folder, data, name="mine.json"):
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def problems_of(data, file="m.json"):
    with pytest.raises(InputError) as caught:
        maze_of(Document(data, file))
    return caught.value.problems


def test_a_maze_with_a_grid(tmp_path):
    maze = load_maze(
        written(tmp_path, {"name": "ring", "description": "small", "cell_size": 0.5, "grid": RING})
    )
    assert (maze.name, maze.description, maze.cell_size_m) == ("ring", "small", 0.5)
    assert maze.cells.tolist() == [[bool(cell) for cell in row] for row in RING]
    assert maze.centre(1, 2) == (1.25, 0.75)


def test_the_older_shape(tmp_path):
    maze = load_maze(written(tmp_path, {"width": 4, "height": 4, "maze": RING}))
    assert (maze.name, maze.cell_size_m, maze.cells.shape) == ("mine", 0.3, (4, 4))


def test_row_0_is_the_bottom():
    grid = maze_of(Document({"grid": RING})).grid
    assert grid.cast([(0.45, 0.45, 0.0)], [0.0, np.pi / 2], 5.0)[0] == pytest.approx([0.45, 0.15])
    assert grid.cast([(0.75, 0.45, 0.0)], [0.0, np.pi / 2], 5.0)[0] == pytest.approx([0.15, 0.45])


def test_beyond_the_edge_is_wall():
    grid = maze_of(Document({"grid": [[0, 0], [0, 0]], "cell_size": 1})).grid
    angles = np.linspace(-np.pi, np.pi, 721)
    ranges = grid.cast([(1.0, 1.0, 0.0)], angles, 9.0)[0]
    assert ranges == pytest.approx(1 / np.maximum(abs(np.cos(angles)), abs(np.sin(angles))))


@pytest.mark.parametrize(
    ("data", "start"),
    [
        ({"grid": [[1, 1, 1], [1, 0, 1], [1, 0, 1]]}, (1, 1)),
        ({"grid": [[1, 1, 1, 0], [0, 1, 1, 1], [1, 1, 1, 1]]}, (0, 3)),
        ({"grid": [[1, 1, 1], [1, 0, 1], [1, 0, 1]], "start": [2, 1]}, (2, 1)),
    ],
)
def test_the_start_is_given_or_the_centre_or_the_first_open_cell(data, start):
    assert maze_of(Document(data)).start == start


def test_thin_walls_have_their_faces_on_the_centres_of_wall_cells():
    cells = [[1] * 6, [1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1], [1, 0, 0, 0, 0, 1], [1] * 6]
    grid = maze_of(Document({"grid": cells, "cell_size": 1, "walls": "lines"})).grid
    ranges = grid.cast([(1.5, 1.5, 0.0)], [0, np.pi / 2, np.pi, -np.pi / 2], 9.0)[0]
    assert ranges == pytest.approx([1, 3, 1, 1])  # half a cell more than the cells' own faces
    assert grid.cast([(3.0, 4.0, 0.0)], [-np.pi / 2], 9.0)[0] == pytest.approx(
        [1.5]
    )  # the top of the block
    thick = maze_of(Document({"grid": cells, "cell_size": 1})).grid
    assert thick.cast([(1.5, 1.5, 0.0)], [0.0], 9.0)[0] == pytest.approx([0.5])


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        ({"grid": 5}, "grid", "not a list of rows"),
        ({"grid": []}, "grid", "not a list of rows"),
        ({"grid": [1, 0]}, "grid", "not a list of rows"),
        ({"grid": [[]]}, "grid", "1 rows of 0 cells"),
        ({"grid": [[0] * 501]}, "grid", "1 rows of 501 cells"),
        ({"grid": [[1, 0], [1]]}, "grid[1]", "has 1 cells, and other rows have 2"),
        ({"grid": [[1, 0], [1, 2]]}, "grid[1][1]", "2 is not from 0 to 1"),
        ({"grid": [[1, 0], [1, True]]}, "grid[1][1]", "True is not"),
        ({"grid": [[1, 0], [1, "#"]]}, "grid[1][1]", "'#' is not"),
        ({"grid": [[1, 0], [1, 0.0]]}, "grid[1][1]", "0.0 is not"),
        ({"grid": [[1, 1], [1, 1]]}, "grid", "no open cell"),
        ({"cell_size": 0}, "cell_size", "metres"),
        ({"cell_size": "0.3"}, "cell_size", "metres"),
        ({"cell_size": float("nan")}, "cell_size", "metres"),
        ({"cell_size": True}, "cell_size", "metres"),
        ({"name": 5}, "name", "short text"),
        ({"cellsize": 0.3}, "cellsize", "unknown key"),
        ({"width": 9}, "width", "is 9, but the rows of 'grid' make 4"),
        ({"height": "4"}, "height", "is '4'"),
        ({"maze": RING}, "maze", "a 'grid' and a 'maze'"),
        ({"start": [0, 0]}, "start", "open cell"),
        ({"start": [9, 0]}, "start", "open cell"),
        ({"start": [-3, 1]}, "start", "open cell"),
        ({"start": [1.0, 1]}, "start", "open cell"),
        ({"start": "centre"}, "start", "open cell"),
        ({"walls": "thick"}, "walls", "neither"),
        ({"walls": []}, "walls", "neither"),
        ({"pellets": [[1]]}, "pellets", "do not lie"),
        ({"pellets": RING}, "pellets", "do not lie"),
        ({"pellets": 1}, "pellets", "not a list of rows"),
    ],
)
def test_a_mistake_is_reported_with_its_key(change, where, what):
    found = problems_of({"grid": RING, **change})
    assert [problem.where for problem in found] == [where]
    assert what in found[0].what
    assert found[0].fix
    assert found[0].file == "m.json"


def test_all_mistakes_are_reported_at_once():
    found = problems_of({"grid": [[2]], "cell_size": -1, "nmae": "x", "walls": 3})
    assert {problem.where for problem in found} == {"grid[0][0]", "cell_size", "nmae", "walls"}
    assert "did you mean 'name'?" in str(
        next(problem for problem in found if problem.where == "nmae")
    )


BROKEN = """{
  "cel_size": 0.3,
  "grid": [
    [1, 1, 1, 1],
    [1, 0, 1],
    [1, 2, 0, 1],
    [1, "a", 2, 2],
    7,
    [1, 1, 1, 1]
  ],
  "height": 9,
  "start": "here",
  "pellets": [[3, 0], 1]
}"""


def test_all_mistakes_of_a_file_are_reported_with_their_lines(tmp_path):
    with pytest.raises(InputError) as caught:
        load_maze(written(tmp_path, BROKEN))
    found = caught.value.problems
    assert [(problem.line, problem.where) for problem in found] == [
        (2, "cel_size"),
        (5, "grid[1]"),
        (6, "grid[2][1]"),
        (7, "grid[3][1]"),
        (7, "grid[3][2]"),
        (8, "grid[4]"),
        (11, "height"),
        (12, "start"),
        (13, "pellets[0][0]"),
        (13, "pellets[1]"),
    ]
    assert "2 is not from 0 to 1 (2 times in this row)" in found[4].what


def test_so_many_mistakes_are_cut_short():
    found = problems_of({"grid": [[2, 3] * 100] * 400})
    assert len(found) == 21
    assert "rows from 10 on are not checked" in found[-1].what
    assert len(problems_of({"grid": [[*range(2, 500)]]})) == 20


@pytest.mark.parametrize("data", [[], 5, None, {}, {"robots": []}, "grid"])
def test_other_json_is_not_a_maze(data):
    assert "neither 'grid' nor 'maze'" in problems_of(data)[0].what


@pytest.mark.parametrize(
    "text", ["", "{", "{'grid': 1}", "[" * 100_000, "\x00", '{"grid": [[' + "9" * 5000 + "]]}"]
)
def test_invalid_json_is_reported_with_its_file(tmp_path, text):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_maze(path)
    assert caught.value.problems[0].file == str(path)


def test_missing_long_and_non_utf8_files_are_rejected(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_maze(tmp_path / "none.json")
    with pytest.raises(InputError, match="longer than"):
        load_maze(written(tmp_path, " " * 4_000_001))
    (tmp_path / "latin.json").write_bytes(b'{"name": "\xe9"}')
    with pytest.raises(InputError, match="not UTF-8"):
        load_maze(tmp_path / "latin.json")


def test_mazes_are_found_by_name_or_path(tmp_path):
    path = written(tmp_path, {"grid": RING})
    assert find_maze("medium") == find_maze("medium.json") == bundled_mazes()["medium"]
    assert find_maze("mine.json", tmp_path) == path
    with pytest.raises(InputError, match="did you mean 'medium'"):
        find_maze("medum")
    with pytest.raises(InputError):
        find_maze("a\0b")


# Bundled


@pytest.mark.parametrize("name", ["arena", "empty", "full", "medium", "mini"])
def test_a_bundled_maze_is_connected_and_closed(name):
    maze = load_maze(bundled_mazes()[name])
    assert maze.name == name
    assert maze.description
    assert ndimage.label(~maze.cells)[1] == 1
    assert not maze.cells[maze.start]
    world = MazeWorld(maze)
    room = (
        ndimage.distance_transform_edt(~np.kron(world.grid.occupied, np.ones((8, 8), bool)))
        * maze.cell_size_m
        / 8
    )
    assert ndimage.label(room > 0.075)[1] == 1  # a robot of 15 cm gets everywhere
    edge = np.ones(world.grid.shape, bool)
    edge[1:-1, 1:-1] = False
    assert world.grid.occupied[edge].all()


def test_the_bundled_mazes():
    sizes = {name: load_maze(path).cells.shape for name, path in bundled_mazes().items()}
    assert sizes == {
        "arena": (31, 28),
        "empty": (7, 7),
        "full": (31, 28),
        "medium": (12, 12),
        "mini": (5, 5),
    }


def test_the_classic_maze_has_its_facts():
    arena, full = load_maze(find_maze("arena")), load_maze(find_maze("full"))
    assert (arena.cells == full.cells).all()
    assert (arena.cells == arena.cells[:, ::-1]).all()
    for maze in (arena, full):
        assert (maze.pellets > 0).sum() == 244
        assert (maze.pellets == 2).sum() == 4
    assert (30 - arena.start[0], arena.start[1]) == (23, 13)  # counted from the top
    assert arena.pellets[arena.start] == 0


def test_the_arena_has_the_competitions_measures():
    arena = load_maze(find_maze("arena"))
    inch = 0.0254
    assert arena.cell_size_m == pytest.approx(3.5 * inch)
    x, y = arena.centre(*arena.start)
    up, down = arena.grid.cast([(x, y, 0.0)], [np.pi / 2, -np.pi / 2], 9.0)[0]
    assert up + down == pytest.approx(7 * inch)  # the width of a passage
    x, y = arena.centre(1, 1)
    left, down = arena.grid.cast([(x, y, 0.0)], [np.pi, -np.pi / 2], 9.0)[0]
    assert (left, down) == pytest.approx((3.5 * inch, 3.5 * inch))


def test_they_are_drawn_by_their_script(tmp_path):
    subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "draw-mazes"), str(tmp_path)], check=True
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in bundled_mazes().values()
    }
