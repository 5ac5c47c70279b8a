"""An arm from its URDF: six revolute joints in a chain, with the solids and masses they carry.

Links on fixed joints belong to the previous revolute joint. The flange is a link named tool0 or
flange (with any prefix); without one it is the last joint's frame. A link named tcp is the tool
centre point. Units are metres, kilograms and radians, as in URDF. All problems of a file are
reported in one InputError.
"""

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem
from rigless.worlds.cells.mesh import read_mesh
from rigless.worlds.cells.solids import Kind, Mesh, Solid
from rigless.worlds.frames import Matrix, frame, inverse

JOINTS = 6
MOST_BYTES = 2_000_000
FLANGES = ("tool0", "flange")  # [ROS-Industrial] z of tool0 leaves the flange; flange has x there
TOOLS = ("tcp",)
XACRO = "{http://www.ros.org/wiki/xacro}", "{http://ros.org/wiki/xacro}"
_FIX = "name the URDF of a six-axis arm"


@dataclass(frozen=True, eq=False)
class Joint:
    """A revolute joint.

    `origin` is its frame in the previous joint's at angle zero; `axis` is a unit vector in it.
    """

    name: str
    origin: Matrix
    axis: NDArray[np.float64]
    low_rad: float
    high_rad: float
    most_radps: float


@dataclass(eq=False)
class Link:
    """Everything that turns with one joint, in that joint's frame.

    Collision solids, visual solids, and (mass, centre, inertia).
    """

    name: str
    solids: list[Solid] = field(default_factory=list)
    visuals: list[Solid] = field(default_factory=list)
    masses: list[tuple[float, NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=list
    )


@dataclass(frozen=True, eq=False)
class Description:
    """An arm.

    `links` are the base and one for each joint; `flange` is in the last joint's frame. `tool` is
    the tool centre point in the flange's frame, if the file has one. `notes` are parts of the file
    that are not used.
    """

    name: str
    joints: tuple[Joint, ...]
    links: tuple[Link, ...]
    flange: Matrix
    tool: Matrix | None = None
    notes: tuple[str, ...] = ()

    @property
    def low_rad(self) -> NDArray[np.float64]:
        return np.array([joint.low_rad for joint in self.joints])

    @property
    def high_rad(self) -> NDArray[np.float64]:
        return np.array([joint.high_rad for joint in self.joints])


def read_urdf(path: Path, tcp_link: str = "") -> Description:
    """Read an arm. `tcp_link` names the link that is the tool centre point."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file has such a name"
        raise InputError(Problem("", f"cannot be read: {reason}", _FIX, str(path))) from None
    return _Reading(data, path).description(tcp_link)


class _Reading:
    """One document, and its problems."""

    def __init__(self, data: bytes, path: Path):
        self.path, self.problems, self.notes = path, list[Problem](), list[str]()
        self.root = ElementTree.Element("robot")
        if len(data) > MOST_BYTES:
            raise self._fail(f"is longer than {MOST_BYTES} bytes")
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:  # entities can expand without limit
            raise self._fail("has a document type, which no URDF needs", "remove <!DOCTYPE …>")
        try:
            self.root = ElementTree.fromstring(data)
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            line = getattr(error, "position", (0, 0))[0]
            raise InputError(Problem("", f"is not XML: {error}", _FIX, str(path), line)) from None
        if self.root.tag != "robot":
            raise self._fail(f"is <{self.root.tag}>, not <robot>")
        if path.suffix == ".xacro" or any(
            element.tag.startswith(XACRO) for element in self.root.iter()
        ):
            target = f"{path.name.split('.')[0]}.urdf"
            if target == path.name:  # a shell empties the target before xacro reads it
                target = f"expanded_{target}"
            fix = f"run: xacro {path.name} > {target}, and name that file"
            raise self._fail("is a xacro file, which is a template of a URDF", fix)

    def _fail(self, what: str, fix: str = _FIX) -> InputError:
        return InputError(Problem("", what, fix, str(self.path)))

    def blame(self, where: str, what: str, fix: str = "") -> None:
        self.problems.append(Problem(where, what, fix, str(self.path)))

    def description(self, tcp_link: str) -> Description:
        links = {one.get("name", ""): one for one in self.root.findall("link")}
        after = self._tree(links)
        roots = links.keys() - {
            _end(joint, "child") for joints in after.values() for joint in joints
        }
        if len(roots) != 1:
            self.blame(
                "",
                f"has {len(roots)} links that no joint leads to",
                "one of them, the base, is enough",
            )
        if self.problems:
            raise InputError(self.problems)
        joints, bodies, name = list[Joint](), list[Link](), roots.pop()
        while True:
            carried, body = self._carried(name, after), Link(name)
            for link, at in carried:
                self._fill(links[link], at, body)
            bodies.append(body)
            turning = [
                (joint, at)
                for link, at in carried
                for joint in after[link]
                if joint.get("type") != "fixed" and not self._mimics(joint)
            ]
            if len(turning) > 1:
                self.blame(
                    name, f"carries {len(turning)} joints that turn", "give a chain of six joints"
                )
            if not turning:
                break
            joints.append(self._joint(*turning[0]))
            name = _end(turning[0][0], "child")
        if len(joints) != JOINTS:
            self.blame("", f"has {len(joints)} turning joints in a chain, not six", _FIX)
        if self.problems:
            raise InputError(self.problems)
        flange = _named(carried, FLANGES)
        tool = _named(carried, (tcp_link,) if tcp_link else TOOLS)
        if tcp_link and tool is None:
            names = ", ".join(repr(link) for link, _ in carried)
            self.blame("tcp_link", f"no link {tcp_link!r} on the last joint", f"it has {names}")
            raise InputError(self.problems)
        flange = np.eye(4) if flange is None else flange
        return Description(
            self.root.get("name", self.path.stem),
            tuple(joints),
            tuple(bodies),
            flange,
            None if tool is None else inverse(flange) @ tool,
            tuple(self.notes),
        )

    def _mimics(self, joint: ElementTree.Element) -> bool:
        """True if a joint follows another one, as the levers of a parallel linkage do."""
        if joint.find("mimic") is None:
            return False
        what = f"{joint.get('name')}: follows another joint, and is left out with its links"
        self.notes.append(what)
        return True

    def _tree(self, links: dict[str, ElementTree.Element]) -> dict[str, list[ElementTree.Element]]:
        """Return the joints below each link; a link may be below one joint only."""
        after: dict[str, list[ElementTree.Element]] = {name: [] for name in links}
        hanging = set()
        for joint in self.root.findall("joint"):
            name, parent, child = (
                joint.get("name", "a joint"),
                _end(joint, "parent"),
                _end(joint, "child"),
            )
            for link in (parent, child):
                if link not in links:
                    self.blame(name, f"joins the link {link!r}, which is not there", "add the link")
            if child in hanging or child == parent:
                self.blame(
                    name,
                    f"the link {child!r} hangs on another joint already",
                    "give a chain of six joints",
                )
            if joint.get("type") not in ("fixed", "revolute", "continuous"):
                self.blame(
                    name,
                    f"is of type {joint.get('type')!r}",
                    "joints turn: revolute, continuous or fixed",
                )
            hanging.add(child)
            after.get(parent, []).append(joint)
        return after

    def _carried(
        self, name: str, after: dict[str, list[ElementTree.Element]]
    ) -> list[tuple[str, Matrix]]:
        """A link and all that fixed joints hang on it, each with its frame."""
        found = [(name, np.eye(4))]
        for link, at in found:
            found += [
                (_end(joint, "child"), at @ self._origin(joint))
                for joint in after[link]
                if joint.get("type") == "fixed"
            ]
        return found

    def _joint(self, joint: ElementTree.Element, at: Matrix) -> Joint:
        name, limit, axis = joint.get("name", "a joint"), joint.find("limit"), joint.find("axis")
        direction = np.array(
            self._numbers(name, "axis", axis.get("xyz", "") if axis is not None else "1 0 0", 3)
        )
        length = float(np.linalg.norm(direction))
        if length < 1e-9:
            self.blame(name, "has an axis without a direction", 'such as <axis xyz="0 0 1"/>')
        low, high, speed = -2 * math.pi, 2 * math.pi, math.inf
        if limit is not None and joint.get("type") == "revolute":
            low, high, speed = (
                self._numbers(name, key, limit.get(key, default), 1)[0]
                for key, default in (("lower", "0"), ("upper", "0"), ("velocity", "1e9"))
            )
        if not low < high:
            self.blame(name, f"turns from {low:g} to {high:g} rad", "let lower be below upper")
        return Joint(
            name, at @ self._origin(joint), direction / max(length, 1e-9), low, high, speed
        )

    def _fill(self, link: ElementTree.Element, at: Matrix, body: Link) -> None:
        name = link.get("name", "")
        for tag, found in (("collision", body.solids), ("visual", body.visuals)):
            for part in link.findall(tag):
                if (solid := self._solid(name, part, at)) is not None:
                    found.append(solid)
        inertial = link.find("inertial")
        mass, matrix = (
            inertial.find(tag) if inertial is not None else None for tag in ("mass", "inertia")
        )
        if inertial is None or mass is None:
            return
        given = {
            key: matrix.get(key, "0") if matrix is not None else "0"
            for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        }
        xx, yy, zz, xy, xz, yz = (
            self._numbers(name, key, text, 1)[0] for key, text in given.items()
        )
        kilograms = self._numbers(name, "mass", mass.get("value", ""), 1)[0]
        if kilograms < 0 or min(xx, yy, zz) < 0:
            self.blame(name, "has a mass or an inertia below zero", "give what it weighs")
        place = at @ self._origin(inertial)
        turn = place[:3, :3]
        inertia = turn @ np.array([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)]) @ turn.T
        body.masses.append((kilograms, place[:3, 3], inertia))

    def _solid(self, name: str, part: ElementTree.Element, at: Matrix) -> Solid | None:
        geometry, pose = part.find("geometry"), at @ self._origin(part)
        shape = next(iter(geometry), None) if geometry is not None else None
        if shape is None or shape.tag not in ("box", "cylinder", "sphere", "mesh"):
            self.blame(
                name,
                f"has a <{part.tag}> that is no box, cylinder, sphere or mesh",
                "give it a <geometry>",
            )
            return None
        if shape.tag == "mesh":
            file = shape.get("filename", "")
            if part.tag == "visual" and not file.lower().endswith((".stl", ".obj", ".dae")):
                self.notes.append(f"{name}: {file} is not drawn, only STL, OBJ and DAE are read")
                return None
            known = len(self.problems)
            mesh = self._mesh(name, shape)
            if mesh is None and part.tag == "visual" and file.lower().endswith(".dae"):
                why = "; ".join(problem.what for problem in self.problems[known:])
                self.notes.append(f"{name}: {why}; it is not drawn")
                del self.problems[known:]
            return (
                None
                if mesh is None
                else Solid(name, "mesh", (), pose, mesh, self._colour(name, part))
            )
        keys = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}[
            shape.tag
        ]
        size = [
            n
            for key in keys
            for n in self._numbers(name, key, shape.get(key, ""), 3 if key == "size" else 1)
        ]
        if min(size) <= 0:
            self.blame(name, f"has a {shape.tag} of no size", "sizes are metres above zero")
        kind = cast(Kind, shape.tag)
        return Solid(name, kind, tuple(size), pose, None, self._colour(name, part))

    def _colour(self, name: str, part: ElementTree.Element) -> str:
        """Return the colour of a visual's material as #rrggbb; empty if there is none."""
        material = part.find("material")
        if material is None:
            return ""
        known = {one.get("name"): one for one in self.root.findall("material")}
        found = material if material.find("color") is not None else known.get(material.get("name"))
        colour = found.find("color") if found is not None else None
        if colour is None:
            return ""
        rgba = self._numbers(name, "rgba", colour.get("rgba", ""), 4)
        return "#" + "".join(f"{round(255 * min(max(value, 0.0), 1.0)):02x}" for value in rgba[:3])

    def _mesh(self, name: str, shape: ElementTree.Element) -> Mesh | None:
        """Read a mesh file next to the URDF.

        `package://name/` is the folder of a ROS package: see `_package`.
        """
        file = shape.get("filename", "").removeprefix("file://")
        scale = self._numbers(name, "scale", shape.get("scale", "1 1 1"), 3)
        place = self.path.parent / file
        if file.startswith("package://"):
            package, _, rest = file.removeprefix("package://").partition("/")
            found_at = self._package(package, rest)
            if found_at is None:
                self.blame(
                    name,
                    f"{file}: there is no folder {package!r} above or next to the URDF's folders",
                    f"put the package there, or its meshes into {self.path.parent / rest}",
                )
                return None
            place = found_at / rest
        try:
            found = read_mesh(place, 1.0)
        except InputError as error:
            self.problems += [
                Problem(name, f"{one.file}: {one.what}", one.fix, str(self.path))
                for one in error.problems
            ]
            return None
        return Mesh(found.vertices_m * np.array(scale), found.triangles)

    def _package(self, name: str, file: str) -> Path | None:
        """Return the folder of a ROS package, or None.

        It is a folder above the URDF with that name or with a package.xml of that name, or a
        folder of that name next to one of these. Without one, meshes may lie in the URDF's folder.
        The first of them that has the file is taken, since another may only have the name.
        """
        folders: list[Path] = []
        for folder in self.path.resolve().parents:
            if folder.name == name or _package_name(folder) == name:
                folders.append(folder)
            elif (folder / name).is_dir():
                folders.append(folder / name)
        if (self.path.parent / "meshes").is_dir():
            folders.append(self.path.parent)
        return next((one for one in folders if _is_file(one / file)), next(iter(folders), None))

    def _origin(self, element: ElementTree.Element) -> Matrix:
        origin, name = element.find("origin"), element.get("name", element.tag)
        if origin is None:
            return np.eye(4)
        return frame(
            *(self._numbers(name, key, origin.get(key, "0 0 0"), 3) for key in ("xyz", "rpy"))
        )

    def _numbers(self, name: str, key: str, text: str, count: int) -> list[float]:
        try:
            found = [float(word) for word in text.split()]
        except ValueError:
            found = []
        if len(found) != count or not all(map(math.isfinite, found)):
            self.blame(
                name,
                f"{key} is {text[:40]!r}",
                f"{'a number' if count == 1 else f'{count} numbers'} expected",
            )
            return [1.0] * count
        return found


def _is_file(path: Path) -> bool:
    """Return False for a name that the file system refuses as well."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _package_name(folder: Path) -> str:
    """Return the name in a folder's package.xml; empty without one."""
    try:
        text = (folder / "package.xml").read_text("utf-8", "replace")[:MOST_BYTES]
    except OSError:
        return ""
    found = re.search(r"<name>\s*([^<\s]+)\s*</name>", text)
    return found[1] if found else ""


def _named(carried: list[tuple[str, Matrix]], names: tuple[str, ...]) -> Matrix | None:
    """Return the frame of the link with the first of these names, or one with a prefix before it.

    ROS descriptions of several arms put a prefix before all names.
    """
    for name in names:
        for link, at in carried:
            if link == name or link.endswith((f"_{name}", f"-{name}", f"/{name}")):
                return at
    return None


def _end(joint: ElementTree.Element, which: str) -> str:
    part = joint.find(which)
    return part.get("link", "") if part is not None else ""
