"""The YAML file of a weld cell, checked all at once: each problem with its file, line, the object's name, the reason and the fix."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.toml_lines import Path as KeyPath
from rigless.kernel.toml_lines import line_of
from rigless.kernel.validation import validate
from rigless.worlds.cell import Cell, Thing
from rigless.worlds.frames import Matrix, frame_mm_deg, inverse
from rigless.worlds.mesh import read_mesh
from rigless.worlds.solids import Solid

MOST_BYTES, MOST_OBJECTS, DEEPEST = 1_000_000, 1000, 50
_FIX = "a cell is: objects: [{name: table, type: box, pose: {xyz_mm: [800, 0, 300], rpy_deg: [0, 0, 0]}, size_mm: [600, 900, 40]}]"
_FIXES = {
    "name": "name: table",
    "type": "choose from: box, cylinder, sphere, mesh",
    "pose": "pose: {xyz_mm: [800, 0, 300], rpy_deg: [0, 0, 90]}",
    "size_mm": "size_mm: [600, 900, 40]",
    "radius_mm": "radius_mm: 25",
    "height_mm": "height_mm: 700",
    "file": "file: part.stl, beside this file",
}
NEEDS = {
    "box": ("size_mm",),
    "cylinder": ("radius_mm", "height_mm"),
    "sphere": ("radius_mm",),
    "mesh": ("file",),
}
SHAPE_KEYS = ("size_mm", "radius_mm", "height_mm", "file")


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number is expected")
    return value


Number = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False, ge=-1e6, le=1e6)]
Size = Annotated[Number, Field(gt=0)]
Margin = Annotated[Number, Field(ge=0, le=1000)]
Three = tuple[Number, Number, Number]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Pose(Part):
    xyz_mm: Three = (0.0, 0.0, 0.0)
    rpy_deg: Three = (0.0, 0.0, 0.0)

    def frame(self) -> Matrix:
        return frame_mm_deg((*self.xyz_mm, *self.rpy_deg))


class Object(Part):
    name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    type: Literal["box", "cylinder", "sphere", "mesh"]
    pose: Pose = Pose()
    size_mm: tuple[Size, Size, Size] | None = None
    radius_mm: Size | None = None
    height_mm: Size | None = None
    file: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    units: Literal["mm", "m"] = "mm"  # of a mesh
    margin_mm: Margin = 0.0
    colour: Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")] = Field(
        "", validate_default=False
    )
    ignore: tuple[str, ...] = ()


class Top(Part):
    """`robot` is where the arm's base stands; all poses are in one frame with it."""

    name: Annotated[str, StringConstraints(max_length=100)] = ""
    objects: list[Any]
    margin_mm: Margin = 0.0
    robot: Pose = Pose()
    work: Pose = Pose()


def read_cell(path: Path) -> Cell:
    return _Document(path).cell()


class _Document:
    """A file's values with the lines they stand on, and all that is wrong with them."""

    def __init__(self, path: Path):
        self.path, self.file = path, str(path)
        self.problems: list[Problem] = []
        self.lines: dict[KeyPath, int] = {}
        self._seen: set[int] = set()
        text = self._text()
        if _depth(text) > DEEPEST:  # over which PyYAML takes minutes
            raise self._fail(f"has brackets within brackets, more than {DEEPEST} deep")
        try:
            node = yaml.compose(text, yaml.SafeLoader)
            self._scalars = yaml.SafeLoader("")
            values = self._plain(node, ()) if node is not None else None
        except InputError:
            raise
        except Exception as error:  # PyYAML also lets through what its parts raise on odd scalars
            mark = getattr(error, "problem_mark", None)
            reason = getattr(error, "problem", None) or type(error).__name__
            raise self._fail(f"is not YAML: {reason}", mark.line + 1 if mark else 0) from None
        if not isinstance(values, dict):
            raise self._fail("is not a cell: it has no keys")
        self.values: dict[Any, Any] = values

    def _fail(self, what: str, line: int = 0) -> InputError:
        return InputError(Problem("", what, _FIX, self.file, line))

    def _text(self) -> str:
        try:
            with self.path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise self._fail(f"is longer than {MOST_BYTES} bytes")
            return data.decode("utf-8-sig")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise InputError(
                Problem("", f"cannot be read: {reason}", "check the path", self.file)
            ) from None

    def _plain(self, node: Any, path: KeyPath) -> Any:
        """A node as data. An alias would be met twice: a few of them can stand for more than any memory holds."""
        line = node.start_mark.line + 1
        if id(node) in self._seen:
            raise self._fail("has an alias (*), which cells do not take", line)
        self._seen.add(id(node))
        self.lines.setdefault(path, line)
        if isinstance(node, yaml.MappingNode):
            found: dict[Any, Any] = {}
            for key_node, value in node.value:
                key = key_node.value if isinstance(key_node, yaml.ScalarNode) else "?"
                if key in found:
                    problem = Problem(
                        str(key), "this key is here twice", "keep one of them", self.file
                    )
                    self.problems.append(replace(problem, line=key_node.start_mark.line + 1))
                self.lines[*path, key] = key_node.start_mark.line + 1
                found[key] = self._plain(value, (*path, key))
            return found
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(value, (*path, n)) for n, value in enumerate(node.value)]
        try:
            return self._scalars.construct_object(node)
        except (ValueError, yaml.YAMLError):
            return node.value

    def cell(self) -> Cell:
        top = validate(Top, self.values, self.problems, self.file, self.lines)
        raw = self.values.get("objects")
        entries = raw[:MOST_OBJECTS] if isinstance(raw, list) else []
        if isinstance(raw, list) and len(raw) > MOST_OBJECTS:
            self.problems.append(
                Problem("objects", f"has {len(raw)} entries", f"at most {MOST_OBJECTS}", self.file)
            )
        base = inverse(top.robot.frame()) if top is not None else inverse(Pose().frame())
        things: dict[str, Thing] = {}
        for number, entry in enumerate(entries):
            thing = self._thing(number, entry, base)
            if thing is not None and thing.name in things:
                self._blame(
                    number,
                    thing.name,
                    "name",
                    "there is another object of that name",
                    "name it apart",
                )
            elif thing is not None:
                things[thing.name] = thing
        if top is None or self.problems:
            raise InputError(sorted(self.problems, key=lambda problem: problem.line))
        return Cell(
            top.name or self.path.stem,
            tuple(things.values()),
            top.margin_mm / 1000,
            base @ top.work.frame(),
        )

    def _thing(self, number: int, entry: Any, base: Matrix) -> Thing | None:
        name = entry.get("name") if isinstance(entry, dict) else None
        called = name if isinstance(name, str) and name else f"number {number + 1}"
        problems: list[Problem] = []
        given = validate(Object, entry, problems, self.file, self.lines, ("objects", number))
        for problem in problems:
            key = problem.where.removeprefix(f"objects[{number}]").removeprefix(".")
            where = f"object {called!r}" + (f", {key}" if key else "")
            fix = problem.fix or _FIXES.get(key.partition(".")[0].partition("[")[0], "")
            self.problems.append(replace(problem, where=where, fix=fix))
        if given is None:
            return None
        wanted, fits = NEEDS[given.type], True
        for key in SHAPE_KEYS:
            has = getattr(given, key) is not None
            if has != (key in wanted):
                what = f"a {given.type} has no {key}" if has else f"a {given.type} needs this key"
                self._blame(
                    number,
                    called,
                    key,
                    what,
                    f"a {given.type} has: {', '.join(wanted)}" if has else _FIXES[key],
                )
                fits = False
        solid = self._solid(number, given, base) if fits else None
        return (
            None
            if solid is None
            else Thing(solid, given.margin_mm / 1000, given.colour, given.ignore)
        )

    def _solid(self, number: int, given: Object, base: Matrix) -> Solid | None:
        pose = base @ given.pose.frame()
        if given.type == "mesh":
            try:
                mesh = read_mesh(
                    self.path.parent / str(given.file), 0.001 if given.units == "mm" else 1.0
                )
            except InputError as error:
                for problem in error.problems:
                    self._blame(
                        number, given.name, "file", f"{problem.file} {problem.what}", problem.fix
                    )
                return None
            return Solid(given.name, "mesh", (), pose, mesh)
        size_mm = given.size_mm or tuple(
            value for value in (given.radius_mm, given.height_mm) if value is not None
        )
        return Solid(given.name, given.type, tuple(value / 1000 for value in size_mm), pose)

    def _blame(self, number: int, name: str, key: str, what: str, fix: str) -> None:
        line = line_of(self.lines, ("objects", number, key)) or self.lines.get(
            ("objects", number), 0
        )
        self.problems.append(Problem(f"object {name!r}, {key}", what, fix, self.file, line))


def _depth(text: str) -> int:
    """How deep brackets stand within brackets."""
    depth = deepest = 0
    for sign in text:
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth = max(0, depth - 1)
    return deepest
