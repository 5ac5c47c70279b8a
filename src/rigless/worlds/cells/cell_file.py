"""The YAML file of a weld cell. All problems are reported at once, with their lines."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from rigless.kernel.documents import Document, parse_yaml
from rigless.kernel.documents.validation import validate
from rigless.kernel.problems import InputError, Problem
from rigless.worlds.cells.mesh import read_mesh
from rigless.worlds.cells.solids import Solid, Thing
from rigless.worlds.frames import Matrix, frame_mm_deg, inverse
from rigless.worlds.text_file import read_text

MAX_BYTES, MAX_OBJECTS = 1_000_000, 1000
_FIX = (
    "a cell is: objects: [{name: table, type: box,"
    " pose: {xyz_mm: [800, 0, 300], rpy_deg: [0, 0, 0]}, size_mm: [600, 900, 40]}]"
)
_FIXES = {
    "name": "name: table",
    "type": "choose from: box, cylinder, sphere, mesh",
    "pose": "pose: {xyz_mm: [800, 0, 300], rpy_deg: [0, 0, 90]}",
    "size_mm": "size_mm: [600, 900, 40]",
    "radius_mm": "radius_mm: 25",
    "height_mm": "height_mm: 700",
    "file": "file: part.stl, next to this file",
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
    """Base of the tables in a cell file."""

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
    """The whole file. `robot` is the pose of the arm's base, in the same frame as all poses."""

    name: Annotated[str, StringConstraints(max_length=100)] = ""
    objects: list[Any]
    margin_mm: Margin = 0.0
    robot: Pose = Pose()
    work: Pose = Pose()


class CellContent(NamedTuple):
    """The fields of a cell, in metres and in the frame of the robot's base."""

    name: str
    things: tuple[Thing, ...]
    margin_m: float
    work: Matrix


def read_cell(path: Path) -> CellContent:
    """Read a weld cell. Raises InputError with all problems of the file."""
    document = parse_yaml(read_text(path, MAX_BYTES, _FIX), str(path), aliases=False)
    if not isinstance(document.data, dict):
        unreadable = [replace(problem, fix=problem.fix or _FIX) for problem in document.problems]
        raise InputError(unreadable or document.problem((), "is not a cell: it has no keys", _FIX))
    return _Reader(path, document).cell()


class _Reader:
    """Builds the cell of a document, and collects its problems."""

    def __init__(self, path: Path, document: Document):
        self.path, self.document = path, document

    def cell(self) -> CellContent:
        top = validate(
            Top, self.document.data, self.document.problems, self.document.file, self.document.lines
        )
        raw = self.document.data.get("objects")
        entries = raw[:MAX_OBJECTS] if isinstance(raw, list) else []
        if isinstance(raw, list) and len(raw) > MAX_OBJECTS:
            what, fix = f"has {len(raw)} entries", f"at most {MAX_OBJECTS}"
            self.document.report(("objects",), what, fix)
        base = inverse(top.robot.frame()) if top is not None else inverse(Pose().frame())
        things: dict[str, Thing] = {}
        for number, entry in enumerate(entries):
            thing = self._thing(number, entry, base)
            if thing is not None and thing.name in things:
                self._report(
                    number,
                    thing.name,
                    "name",
                    "there is another object of that name",
                    "name it apart",
                )
            elif thing is not None:
                things[thing.name] = thing
        if top is None or self.document.problems:
            raise InputError(sorted(self.document.problems, key=lambda problem: problem.line))
        return CellContent(
            top.name or self.path.stem,
            tuple(things.values()),
            top.margin_mm / 1000,
            base @ top.work.frame(),
        )

    def _thing(self, number: int, entry: Any, base: Matrix) -> Thing | None:
        name = entry.get("name") if isinstance(entry, dict) else None
        called = name if isinstance(name, str) and name else f"number {number + 1}"
        problems: list[Problem] = []
        given = validate(
            Object, entry, problems, self.document.file, self.document.lines, ("objects", number)
        )
        for problem in problems:
            key = problem.where.removeprefix(f"objects[{number}]").removeprefix(".")
            where = f"object {called!r}" + (f", {key}" if key else "")
            fix = problem.fix or _FIXES.get(key.partition(".")[0].partition("[")[0], "")
            self.document.problems.append(replace(problem, where=where, fix=fix))
        if given is None:
            return None
        wanted, fits = NEEDS[given.type], True
        for key in SHAPE_KEYS:
            has = getattr(given, key) is not None
            if has != (key in wanted):
                what = f"a {given.type} has no {key}" if has else f"a {given.type} needs this key"
                self._report(
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
                    self._report(
                        number, given.name, "file", f"{problem.file} {problem.what}", problem.fix
                    )
                return None
            return Solid(given.name, "mesh", (), pose, mesh)
        size_mm = given.size_mm or tuple(
            value for value in (given.radius_mm, given.height_mm) if value is not None
        )
        return Solid(given.name, given.type, tuple(value / 1000 for value in size_mm), pose)

    def _report(self, number: int, name: str, key: str, what: str, fix: str) -> None:
        problem = self.document.problem(("objects", number, key), what, fix)
        self.document.problems.append(replace(problem, where=f"object {name!r}, {key}"))
