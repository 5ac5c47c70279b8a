"""Names of signals, with labels and units for people.

A signal is ROBOT/SECTION/REST:

    vacuum/truth/pose.0                  a number of the ground truth, as in expectations
    vacuum/view/speed                    a number on the robot's page
    vacuum/metrics/commands              a metric
    vacuum/input/estop                   a virtual input
    vacuum/out/telemetry/Status.gyro_z   a field of the messages that the robot sends on a port
    vacuum/in/commands/Control.linear    a field of the messages that it receives
    programs/NAME/lines_per_s            lines that a program prints, per second
"""

from typing import NamedTuple

from rigless.kernel.drawing import Gauge, Jog, Lamp, Plot, Slider, View, Word, label, unit
from rigless.kernel.problems import InputError, Problem, did_you_mean

SAMPLED = ("truth", "view", "metrics", "input")
MESSAGES = ("out", "in")
SECTIONS = (*SAMPLED, *MESSAGES)
PROGRAMS = "programs"
RATE = "lines_per_s"
POSE = {"0": ("x", "m"), "1": ("y", "m"), "2": ("θ", "rad")}


class Name(NamedTuple):
    """The parts of a signal's name."""

    robot: str
    section: str
    rest: str

    def __str__(self) -> str:
        return f"{self.robot}/{self.section}/{self.rest}"

    @property
    def message(self) -> tuple[str, str, list[str]]:
        """The port, the type and the path of the field, if it is a field of messages."""
        port, _, field = self.rest.partition("/")
        kind, *path = field.split(".")
        return port, kind, path


class Described(NamedTuple):
    """A label and a unit."""

    label: str
    unit: str = ""


def parse(text: str) -> Name:
    """Return the parts of a name. Raises InputError."""
    robot, _, rest = text.partition("/")
    section, _, rest = rest.partition("/")
    if robot == PROGRAMS and rest == RATE:
        return Name(robot, section, rest)
    if section not in SECTIONS:
        fix = did_you_mean(section, SECTIONS) or "ROBOT/truth/PATH, or as in GET /api/signals"
        raise InputError(Problem(text, "this is not the name of a signal", fix))
    name = Name(robot, section, rest)
    if not rest or (section in MESSAGES and not all([*name.message, *name.message[2]])):
        where = "PORT/TYPE.FIELD" if section in MESSAGES else "PATH"
        raise InputError(Problem(text, "the name is incomplete", f"ROBOT/{section}/{where}"))
    return name


def describe_path(path: str) -> Described:
    """Return label and unit of a path such as joints_deg.0, by the unit in its name."""
    head, _, last = path.rpartition(".")
    if head.rpartition(".")[2] == "pose" and last in POSE:
        axis, its_unit = POSE[last]
        return Described(f"{label(head)} {axis}", its_unit)
    named = [part for part in path.split(".") if not part.isdigit()]
    return Described(_words(path), unit(named[-1]) if named else "")


def _words(path: str) -> str:
    """Return the words of a path without units, with the first letter in upper case."""
    words = " ".join(label(part).lower() for part in path.split("."))
    return words[:1].upper() + words[1:]


def describe_view(view: View) -> dict[str, Described]:
    """Return label and unit of the numbers on a page. Plots come first: they name best."""
    found: dict[str, Described] = {}
    for part in view.parts:
        if isinstance(part, Plot):
            for name, line in part.lines:
                text = part.label if len(part.lines) == 1 else f"{part.label}: {line}"
                found.setdefault(name, Described(text, part.unit))
    for part in view.parts:
        if isinstance(part, Gauge | Slider):
            found.setdefault(part.name, Described(part.label, part.unit))
        elif isinstance(part, Word | Lamp):
            found.setdefault(part.name, Described(part.label))
        elif isinstance(part, Jog):
            for name, text, its_unit in part.axes:
                found.setdefault(name, Described(text, its_unit))
    return found
