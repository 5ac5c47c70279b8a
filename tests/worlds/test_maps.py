import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow

import rigless
from rigless.kernel.problems import InputError
from rigless.worlds.grid import DARK, GLASS, MIRROR, PLAIN
from rigless.worlds.map_file import MapFile
from rigless.worlds.maps import load_map, occupancy_of_levels

GOOD = {
    "image": "map.pgm",
    "resolution": 0.5,
    "origin": [0, 0, 0],
    "occupied_thresh": 0.65,
    "free_thresh": 0.196,
    "negate": 0,
}


@pytest.fixture
def draw(tmp_path):
    """Write map.yaml and its image, rows of pixels from the top.

    Further keys change the YAML; None leaves one out.
    """

    def write(rows, maxval=255, **keys):
        pixels = np.array(rows, ">u1" if maxval < 256 else ">u2")
        head = f"P5 {pixels.shape[1]} {pixels.shape[0]} {maxval}\n".encode()
        (tmp_path / "map.pgm").write_bytes(head + pixels.tobytes())
        lines = [f"{key}: {value}" for key, value in {**GOOD, **keys}.items() if value is not None]
        (tmp_path / "map.yaml").write_text("\n".join(lines))
        return tmp_path / "map.yaml"

    return write


def classes(path, dialect="ros1"):
    """Return a row of characters per cell row, bottom first: # occupied, ? unknown, . free."""
    grid = load_map(path, dialect)
    assert not (grid.occupied & grid.unknown).any()
    marks = np.where(grid.occupied, "#", np.where(grid.unknown, "?", "."))
    return ["".join(row) for row in marks]


def problems(path, dialect="ros1"):
    with pytest.raises(InputError) as caught:
        load_map(path, dialect)
    return caught.value.problems


def levels(maxval=255, dialect="ros1", **keys):
    return occupancy_of_levels(maxval, MapFile.model_validate({**GOOD, **keys}), dialect)


def test_the_thresholds_of_map_server(draw):
    assert classes(draw([[0, 89, 90, 205, 206, 255]])) == ["##??.."]


def test_negate_turns_black_and_white_around(draw):
    assert classes(draw([[255, 166, 165, 50, 49, 0]], negate=1)) == ["##??.."]
    assert classes(draw([[255, 0]], negate="true")) == ["#."]


@pytest.mark.parametrize(("dialect", "expected"), [("ros1", "#??."), ("nav2", "##..")])
def test_nav2_includes_the_thresholds(draw, dialect, expected):
    path = draw([[101, 102, 204, 205]], occupied_thresh=0.6, free_thresh=0.2)
    assert classes(path, dialect) == [expected]


def test_other_depths_mean_the_same(draw):
    assert classes(draw([[0, 1, 2, 3]], maxval=3)) == ["##?."]
    assert classes(draw([[0, 22_937, 22_938, 52_690, 52_691, 65_535]], maxval=65_535)) == ["##??.."]


def test_the_top_row_of_the_image_is_the_top_of_the_grid(draw):
    assert classes(draw([[0, 255, 255], [255, 255, 205]])) == ["..?", "#.."]


def test_resolution_and_origin_place_the_cells(draw):
    grid = load_map(draw([[255, 255], [255, 0]], resolution=0.25, origin=[-1, 2, 0]))
    assert (grid.resolution_m, grid.origin, grid.shape) == (0.25, (-1.0, 2.0, 0.0), (2, 2))
    assert grid.cast([[-0.9, 2.1, 0.0]], [0.0], 5.0)[0, 0] == pytest.approx(0.15)


def test_the_yaw_of_the_origin_turns_the_map_about_its_corner(draw):
    grid = load_map(draw([[255, 255, 0]], resolution=1, origin=[10, 20, np.pi / 2]))
    assert grid.cast([[9.5, 20.5, np.pi / 2]], [0.0], 5.0)[0, 0] == pytest.approx(1.5)
    assert np.isinf(grid.cast([[9.5, 20.5, 0.0]], [0.0], 5.0)[0, 0])


def test_scale_interpolates_between_the_thresholds():
    ros1, nav2 = levels(mode="scale"), levels(mode="scale", dialect="nav2")
    share = ((255 - 150) / 255 - 0.196) / (0.65 - 0.196)
    assert ros1[[0, 89, 90, 150, 205, 206, 255]].tolist() == [
        100,
        100,
        98,
        int(99 * share),
        0,
        0,
        0,
    ]
    assert nav2[[0, 89, 90, 150, 205, 206, 255]].tolist() == [
        100,
        100,
        99,
        round(100 * share),
        0,
        0,
        0,
    ]
    assert sorted(ros1.tolist(), reverse=True) == ros1.tolist()


def test_the_last_half_percent_of_scale_is_occupied_in_nav2():
    assert levels(65_535, "nav2", mode="scale")[22_950] == 100
    assert levels(65_535, "ros1", mode="scale")[22_950] == 98


def test_raw_is_the_pixel_itself():
    at = [0, 1, 99, 100, 101, 254, 255]
    assert levels(mode="raw")[at].tolist() == [0, 1, 99, 100, 101, 254, -1]
    assert levels(mode="raw", dialect="nav2")[at].tolist() == [0, 1, 99, 100, -1, -1, -1]
    assert levels(mode="raw", negate=1)[at].tolist() == [-1, 254, 156, 155, 154, 1, 0]
    assert levels(mode="raw", negate=1, dialect="nav2")[at].tolist() == [0, 1, 99, 100, -1, -1, -1]


def test_intermediate_occupancies_count_as_free(draw):
    assert classes(draw([[0, 150, 255]], mode="scale")) == ["#.."]
    assert classes(draw([[0, 99, 100, 254, 255]], mode="raw")) == ["..##?"]
    assert classes(draw([[0, 99, 100, 254, 255]], mode="RAW"), "nav2") == ["..#??"]


@settings(deadline=None, derandomize=True)
@given(
    st.sampled_from(["trinary", "scale"]),
    st.sampled_from(["ros1", "nav2"]),
    st.booleans(),
    st.data(),
)
def test_every_level_follows_the_servers_formula(mode, dialect, negate, data):
    free = data.draw(st.floats(0, 1))
    occupied = data.draw(st.floats(free, 1))
    table = levels(
        255, dialect, mode=mode, negate=negate, free_thresh=free, occupied_thresh=occupied
    )
    x = data.draw(st.integers(0, 255))
    p = x / 255 if negate else (255 - x) / 255
    if p > occupied or (dialect == "nav2" and p == occupied and p > free):
        assert table[x] == 100
    elif p < free or (dialect == "nav2" and p == free):
        assert table[x] == 0
    elif mode == "trinary":
        assert table[x] == -1
    else:
        assert 0 <= table[x] <= 100


@pytest.mark.parametrize(
    ("mode", "expected"), [("trinary", "#??"), ("scale", "#??"), ("raw", "..#")]
)
@pytest.mark.parametrize("dialect", ["ros1", "nav2"])
def test_transparent_pixels_are_unknown(draw, tmp_path, mode, expected, dialect):
    path = draw([[0]], image="map.png", mode=mode)
    pixels = np.array([[[0, 0, 0, 255], [0, 0, 0, 254], [100, 100, 100, 0]]], np.uint8)
    Pillow.fromarray(pixels).save(tmp_path / "map.png")
    assert classes(path, dialect) == [expected]


def test_masks_mark_cliffs_and_materials(draw, tmp_path):
    path = draw([[0, 0, 0, 0], [255] * 4], cliff_mask="cliffs.png", materials="materials.pgm")
    Pillow.fromarray(np.array([[255, 128, 127, 0], [255] * 4], np.uint8)).save(
        tmp_path / "cliffs.png"
    )
    (tmp_path / "materials.pgm").write_bytes(b"P2 4 2 3\n3 2 1 0\n3 3 3 3")
    grid = load_map(path)
    assert grid.cliff.tolist() == [[False] * 4, [False, False, True, True]]
    assert grid.material.tolist() == [[PLAIN] * 4, [PLAIN, GLASS, DARK, MIRROR]]


def test_the_nearest_material_counts(draw, tmp_path):
    path = draw([[0] * 6], materials="materials.pgm")
    (tmp_path / "materials.pgm").write_bytes(b"P5 6 1 255\n" + bytes([213, 212, 128, 127, 43, 42]))
    assert load_map(path).material.tolist() == [[PLAIN, GLASS, GLASS, DARK, DARK, MIRROR]]


def test_numbers_are_read_as_yaml_cpp_reads_them(draw):
    assert load_map(draw([[255]], resolution="5e-2")).resolution_m == 0.05


def test_all_problems_of_a_map_are_reported_with_file_line_and_fix(draw, tmp_path):
    path = draw(
        [[255, 0]],
        resolution=-1,
        occupied_tresh=0.65,
        origin=None,
        cliff_mask="no.pgm",
        materials="m.pgm",
    )
    (tmp_path / "m.pgm").write_bytes(b"P5 1 1 255\n\xff")
    text = str(InputError(problems(path)))
    lines = [line.removeprefix(str(tmp_path)) for line in text.splitlines()]
    assert lines[0] == (
        "/map.yaml:2: resolution: -1 is not right: input should be greater than 0"
        " (metres per pixel: resolution: 0.05)"
    )
    assert lines[1].startswith("/map.yaml:1: origin: this key is required (three numbers, the low")
    assert lines[2] == (
        "/map.yaml:6: occupied_tresh: unknown key 'occupied_tresh'"
        " (did you mean 'occupied_thresh'?)"
    )
    assert (
        lines[3]
        == f"/map.yaml:7: cliff_mask: {tmp_path / 'no.pgm'}: there is no such file (check the path)"
    )
    assert lines[4] == (
        "/map.yaml:8: materials: its image is 1 × 1 pixels, the map's is 2 × 1 pixels"
        " (make both of equal size)"
    )
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("keys", "where", "what"),
    [
        ({"image": None}, "image", "this key is required"),
        ({"image": "[]"}, "image", "valid string"),
        ({"image": "''"}, "image", "at least 1 character"),
        ({"image": "gone.pgm"}, "image", "no such file"),
        ({"image": "map.yaml"}, "image", "neither a PGM nor a PNG"),
        ({"resolution": "zero"}, "resolution", "'zero' is not right"),
        ({"resolution": ".inf"}, "resolution", "finite"),
        ({"resolution": "true"}, "resolution", "a number is expected"),
        ({"origin": "[0, 0]"}, "origin", "required"),
        ({"origin": "[0, 0, .nan]"}, "origin", "finite"),
        ({"origin": "[0, 0, 0, 0]"}, "origin", "at most 3"),
        ({"origin": 7}, "origin", "should be a list"),
        ({"occupied_thresh": 1.1}, "occupied_thresh", "less than or equal to 1"),
        ({"free_thresh": -0.1}, "free_thresh", "greater than or equal to 0"),
        ({"free_thresh": 0.7}, "", "free_thresh 0.7 is above occupied_thresh 0.65"),
        ({"negate": 2}, "negate", "2 is not right"),
        ({"mode": "ternary"}, "mode", "'ternary' is not right"),
        ({"materials": "3"}, "materials", "valid string"),
        ({"7": 1}, "7", "unknown key '7'"),
        ({"image ": "map.pgm"}, "image", "this key is given twice"),
        ({"free_thresh": "&a [*a]"}, "free_thresh", "too deep or too large"),
        ({"negate": "9" * 4000}, "negate", "valid boolean"),
    ],
)
def test_each_mistake_is_a_sentence(draw, keys, where, what):
    (problem,) = problems(draw([[255]], **keys))
    assert problem.where == where
    assert what in problem.what
    assert problem.fix
    assert problem.file.endswith("map.yaml")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "keys and values are expected"),
        (b"- 1", "keys and values are expected"),
        (b"image: [", "is not valid YAML"),
        (b"a: !!python/object:os.system x", "is not valid YAML"),
        (b"a: 2001-99-99", "is not valid YAML"),
        (b"a: !!timestamp x", "is not valid YAML"),
        (b"[" * 5000, "is not valid YAML"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b"P5 1 1 255\n\x00", "this is an image"),
        (b"#" * 1_000_001, "longer than"),
    ],
)
def test_files_that_are_no_map_files(tmp_path, data, what):
    path = tmp_path / "map.yaml"
    path.write_bytes(data)
    (problem,) = problems(path)
    assert what in problem.what
    assert problem.file == str(path)
    assert problem.fix


@pytest.mark.parametrize("name", ["none.yaml", "", "nul\0"])
def test_a_missing_map_file_is_reported(tmp_path, name):
    (problem,) = problems(tmp_path / name)
    assert "file" in problem.what


def test_a_yaml_error_names_its_line(tmp_path):
    (tmp_path / "map.yaml").write_text("image: a\nresolution: {\n")
    (problem,) = problems(tmp_path / "map.yaml")
    assert problem.line == 3


def test_an_unknown_dialect_is_rejected(draw):
    with pytest.raises(InputError, match=r"unknown map dialect 'nav' \(did you mean 'nav2'\?\)"):
        load_map(draw([[255]]), "nav")


def test_load_map_is_public(draw):
    assert rigless.worlds.load_map is load_map
    assert rigless.worlds.load_map(draw([[0]])).occupied.all()
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = rigless.worlds.nope


def test_the_thresholds_have_the_defaults_of_map_server(draw):
    left_out = {"occupied_thresh": None, "free_thresh": None, "negate": None}
    shades = [[255, 206, 205, 90, 89, 0]]
    plain, short = (load_map(draw(shades, **keys)) for keys in ({}, left_out))
    assert plain.occupied.tolist() == short.occupied.tolist() == [[False] * 4 + [True] * 2]
    assert plain.unknown.tolist() == short.unknown.tolist()
