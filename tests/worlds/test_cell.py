"""Weld cells from YAML: their contents, and problems reported all at once with object names."""

import contextlib
import math
import runpy
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.worlds import Cell, bundled_cells
from rigless.worlds.cells.mesh import read_mesh
from rigless.worlds.cells.solids import Solid
from rigless.worlds.frames import frame

ROOT = Path(__file__).resolve().parents[2]
GOOD = """
name: four kinds
margin_mm: 3
work: {xyz_mm: [100, 0, 0]}
objects:
  - name: table
    type: box
    pose: {xyz_mm: [800, 0, 300], rpy_deg: [0, 0, 90]}
    size_mm: [600, 900, 40]
    colour: "#a0b0c0"
  - {name: post, type: cylinder, pose: {xyz_mm: [0, 500, 250]}, radius_mm: 25, height_mm: 500,
     margin_mm: 10, ignore: [torch]}
  - {name: ball, type: sphere, radius_mm: 50}
  - {name: part, type: mesh, file: part.stl}
"""
TRIANGLES = np.array(
    [
        [[0, 0, 0], [0, 100, 0], [100, 0, 0]],
        [[0, 0, 0], [100, 0, 0], [0, 0, 100]],
        [[0, 0, 0], [0, 0, 100], [0, 100, 0]],
        [[100, 0, 0], [0, 100, 0], [0, 0, 100]],
    ],
    float,
)


def binary_stl(triangles=TRIANGLES):
    parts = [struct.pack("<12fH", 0, 0, 0, *corners.ravel(), 0) for corners in triangles]
    return b"solid misleading".ljust(80) + struct.pack("<I", len(parts)) + b"".join(parts)


def text_stl(triangles=TRIANGLES):
    rows = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in corners)
        + "endloop\nendfacet\n"
        for corners in triangles
    )
    return f"solid x\n{rows}endsolid x\n".encode()


def obj(triangles=TRIANGLES):
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in triangles.reshape(-1, 3))
    return (
        vertices
        + "".join(f"f {3 * n + 1}/1/1 {3 * n + 2}//1 {3 * n + 3}\n" for n in range(len(triangles)))
    ).encode()


def dae(faces="", scene="", unit=0.001):
    """Return TRIANGLES as COLLADA. By default the nodes move them, and move them back."""
    places = " ".join(f"{x:g} {y:g} {z:g}" for x, y, z in TRIANGLES.reshape(-1, 3))
    corners = " ".join(f"{n} 0" for n in range(12))  # with an index of a normal
    faces = faces or f'<triangles count="4">{VERTEX}<p>{corners}</p></triangles>'
    scene = scene or (
        "<translate>10 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>"
        '<node><matrix>0 .5 0 0 -.5 0 0 5 0 0 .5 0 0 0 0 1</matrix><instance_node url="#n"/></node>'
    )
    return (
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        f'<asset><unit name="x" meter="{unit}"/><up_axis>Y_UP</up_axis></asset>'
        '<library_geometries><geometry id="g"><mesh><source id="s">'
        f'<float_array id="f" count="36">{places}</float_array><technique_common>'
        '<accessor source="#f" count="12" stride="3"/></technique_common></source>'
        f'<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{faces}'
        '</mesh></geometry></library_geometries><library_nodes><node id="n">'
        '<instance_geometry url="#g"/></node></library_nodes><library_visual_scenes>'
        f'<visual_scene id="w"><node>{scene}</node></visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#w"/></scene></COLLADA>'
    ).encode()


VERTEX = (
    '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#s" '
    'offset="1"/>'
)


def load(tmp_path, text, name="cell.yaml"):
    (tmp_path / "part.stl").write_bytes(binary_stl())
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Cell.load(tmp_path / name)


def complaints(tmp_path, text):
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    return [
        str(problem).removeprefix(str(tmp_path / "cell.yaml")) for problem in caught.value.problems
    ]


def test_a_cell_has_the_objects_of_its_file(tmp_path):
    cell = load(tmp_path, GOOD)
    assert [thing.name for thing in cell.things] == ["table", "post", "ball", "part"]
    table, post, ball, part = cell.things
    assert (cell.name, cell.margin_m, table.colour) == ("four kinds", 0.003, "#a0b0c0")
    assert table.solid.size_m == pytest.approx((0.6, 0.9, 0.04))
    assert table.solid.pose == pytest.approx(frame((0.8, 0, 0.3), (0, 0, math.pi / 2)))
    assert (post.solid.size_m, post.margin_m, post.ignore) == ((0.025, 0.5), 0.01, ("torch",))
    assert ball.solid.size_m == (0.05,)
    assert part.solid.mesh.vertices_m.max() == pytest.approx(0.1)
    assert cell.work == pytest.approx(frame((0.1, 0, 0)))
    assert cell.without("ball", "part").adding(ball).things[-1] is ball
    assert cell["post"] is post


def test_poses_are_relative_to_the_robots_base(tmp_path):
    cell = load(tmp_path, GOOD + "robot: {xyz_mm: [0, 0, 200], rpy_deg: [0, 0, 90]}\n")
    assert cell["table"].solid.pose == pytest.approx(frame((0, -0.8, 0.1)), abs=1e-12)
    assert cell.work[:3, 3] == pytest.approx([0, -0.1, -0.2])


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.stl", binary_stl()), ("a.STL", text_stl()), ("a.obj", obj()), ("a.dae", dae())],
)
def test_meshes_are_read_alike(name, data, tmp_path):
    (tmp_path / name).write_bytes(data)
    mesh = read_mesh(tmp_path / name)
    assert mesh.vertices_m[mesh.triangles] * 1000 == pytest.approx(TRIANGLES)


def test_faces_with_more_corners_and_counted_from_the_end(tmp_path):
    (tmp_path / "a.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\n# x\nf -4 -3 -2 -1\n"
    )
    assert read_mesh(tmp_path / "a.obj").triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


def test_collada_files_have_their_unit_polygons_and_mirrors(tmp_path):
    square = "0 0 1 0 2 0 5 0"  # (0, 0, 0), (0, 100, 0), (100, 0, 0), (0, 0, 100)
    faces = (
        f"<polylist count='2'>{VERTEX}<vcount>4 3</vcount><p>{square} 0 0 2 0 1 0</p></polylist>"
        f"<polygons count='1'>{VERTEX}<p>{square}</p></polygons>"
    )
    scene = "<scale>1 1 -1</scale><instance_geometry url='#g'/>"
    (tmp_path / "a.dae").write_bytes(dae(faces, scene, unit=0.01))
    mesh = read_mesh(tmp_path / "a.dae")
    a, b, c, d = (0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, -1)
    found = mesh.vertices_m[mesh.triangles]
    expected = [[c, b, a], [d, c, a], [b, c, a], [c, b, a], [d, c, a]]
    assert found == pytest.approx(np.array(expected, float))


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.stl", b"", "not a mesh"),
        ("a.stl", binary_stl()[:-1], "announces 4 triangles"),
        ("a.stl", binary_stl(TRIANGLES[:0]), "no triangles"),
        ("a.stl", binary_stl(TRIANGLES * np.nan), "not numbers"),
        ("a.stl", binary_stl(TRIANGLES * 1e9), "a kilometre"),
        ("a.stl", b"solid x\nvertex 0 0 0\nvertex 1 1", "in the middle of a triangle"),
        ("a.stl", text_stl().replace(b"100", b"wide"), "wide"),
        ("a.obj", b"v 0 0\nf 1 1 1\n", "line 1 has too few"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "vertex 2 of 1"),
        ("a.obj", b"v 0 0 0\nf 1 1 " + b"9" * 5000, "not a mesh"),
        ("a.ply", b"ply", "only .stl, .obj and .dae"),
        ("a.dae", b"", "not XML"),
        ("a.dae", b"<robot/>", "not <COLLADA>"),
        ("a.dae", b"<COLLADA/>", "no triangles"),
        ("a.dae", b"<!DOCTYPE x><COLLADA/>", "document type"),
        ("a.dae", dae()[:-9], "not XML"),
        ("a.dae", dae(unit="wide"), "wide"),
        ("a.dae", dae(f"<triangles>{VERTEX}<p>0 0 1</p></triangles>"), "middle of a corner"),
        ("a.dae", dae(f"<triangles>{VERTEX}<p>0 0 1 0</p></triangles>"), "as many corners"),
        ("a.dae", dae(f"<triangles>{VERTEX}<p>0 0 1 0 12 0</p></triangles>"), "not there"),
        ("a.dae", dae("<triangles><p>0 1 2</p></triangles>"), "no input VERTEX"),
        ("a.dae", dae(f"<tristrips>{VERTEX}</tristrips>"), "tristrips"),
        ("a.dae", dae(scene="<matrix>1 2</matrix>"), "2 numbers, not 16"),
        ("a.dae", dae(scene="<instance_geometry url='#x'/>"), "'x' is not in the file"),
        ("a.dae", dae(scene="<lookat/>"), "lookat"),
        (
            "a.dae",
            dae().replace(b'<instance_geometry url="#g"', b'<instance_node url="#n"'),
            "deep",
        ),
        ("none/a.stl", None, "cannot be read"),
        ("nul\0.stl", None, "cannot be read"),
    ],
)
def test_invalid_meshes_are_rejected(name, data, reason, tmp_path):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=reason):
        read_mesh(tmp_path / name)


def test_all_problems_are_reported_with_line_and_name(tmp_path):
    text = """margin: 3
objects:
  - {name: table, type: box, size_mm: [600, -900, 40]}
  - name: post
    type: cylinder
    radius_mm: 25
  - {name: ball, type: sphere, radius_mm: yes, hue: 3}
  - {name: post, type: sphere, radius_mm: .inf}
  - {type: blob}
  - {name: part, type: mesh, file: none.stl, size_mm: [1, 1, 1]}
  - {name: part, type: mesh, file: none.stl}
  - {name: table, type: box, size_mm: [1, 1, 1], pose: {xyz_mm: [1, 2]}}
  - 7
"""
    found = complaints(tmp_path, text)
    expected = [
        ":1: margin: unknown key 'margin' (did you mean 'margin_mm'?)",
        ":3: object 'table', size_mm[1]: -900 is not right",
        ":4: object 'post', height_mm: a cylinder needs this key (height_mm: 700)",
        ":7: object 'ball', radius_mm: true is not right: a number is expected (radius_mm: 25)",
        ":7: object 'ball', hue: unknown key 'hue'",
        ":8: object 'post', radius_mm: inf is not right",
        ":9: object 'number 5', name: this key is required (name: table)",
        ":9: object 'number 5', type: 'blob' is not right",
        ":10: object 'part', size_mm: a mesh has no size_mm (a mesh has: file)",
        ":11: object 'part', file:",
        ":12: object 'table', pose.xyz_mm",
        ":13: object 'number 9'",
    ]
    for want, line in zip(expected, found, strict=True):
        assert line.startswith(want), (want, line)


def test_duplicate_names_and_keys_are_reported(tmp_path):
    ball = "  - {name: ball, type: sphere, radius_mm: 5, radius_mm: 6}\n"
    found = complaints(tmp_path, "objects:\n" + ball + ball)
    assert [line.partition(" (")[0] for line in found] == [
        ":2: objects[0].radius_mm: this key is given twice",
        ":3: objects[1].radius_mm: this key is given twice",
        ":3: object 'ball', name: there is another object of that name",
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"7",
        b"objects: 3",
        b"{",
        b"\xff\xfe\x00",
        b"[" * 5000,
        b"objects: [*a]",
        b"a: &a [1]\nb: [*a, *a]",
        b"? {a: 1}\n: 2",
        b"objects: [" + b"{}, " * 1001 + b"]",
        b"objects: [{name: x, type: mesh, file: ../../../../etc/passwd}]",
        b"x" * 1_000_001,
        b"objects: [{name: 2001-99-99, type: sphere}]",
        b"objects: !!python/object:os.system [x]",
    ],
)
def test_hostile_files_are_reported(text, tmp_path):
    assert complaints(tmp_path, text)


@settings(max_examples=60, derandomize=True)
@given(text=st.text(alphabet="{}[]:,-*&!?\n ab1.'\"", max_size=60))
def test_random_text_is_a_cell_or_an_input_error(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("cells") / "cell.yaml"
    path.write_text("objects: " + text, "utf-8")
    with contextlib.suppress(InputError):
        assert isinstance(Cell.load(path), Cell)


def test_the_furthest_point_of_a_solid():
    at = frame((0.3, 0, 0), (0, math.pi / 2, 0))
    assert Solid("b", "box", (2, 2, 2)).furthest_m == pytest.approx(math.sqrt(3))
    assert Solid("s", "sphere", (0.2,), at).furthest_m == pytest.approx(0.5)
    assert Solid("c", "cylinder", (0.1, 0.4), at).furthest_m == pytest.approx(math.hypot(0.5, 0.1))


def test_bundled_cells_have_every_kind_of_object():
    assert list(bundled_cells()) == ["cramped", "weld_table"]
    kinds = {
        name: {thing.solid.kind for thing in Cell.load(name).things} for name in bundled_cells()
    }
    assert all(found == {"box", "cylinder", "sphere", "mesh"} for found in kinds.values())
    with pytest.raises(InputError, match="did you mean 'cramped'"):
        Cell.load("crampd")


def test_the_drawing_script_makes_the_meshes_that_are_here(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["draw-cells", str(tmp_path)])
    runpy.run_path(str(ROOT / "scripts" / "draw-cells"))
    folder = bundled_cells()["cramped"].parent
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()
    for name in ("t_joint.stl", "v_block.obj"):  # closed: every edge is met once in each direction
        mesh = read_mesh(folder / name)
        edges = [(int(t[n]), int(t[(n + 1) % 3])) for t in mesh.triangles for n in range(3)]
        assert len(set(edges)) == len(edges)
        assert {(b, a) for a, b in edges} == set(edges)
        corners = mesh.vertices_m[mesh.triangles]
        assert (
            np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() > 0
        )  # outward
