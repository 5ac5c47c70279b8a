"""The controller's settings memory as text: `$n=value` lines, coordinate systems, stored positions, start-up lines.

The robot does no I/O: what was kept comes in over the `settings` port when the run begins (stamped and recorded, like all input), and goes out over it
after each change. A line that does not make sense is told and left out.
"""

from typing import TYPE_CHECKING

from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode.modal import AXES, SYSTEMS
from rigless.robots.welder.gcode.words import GcodeError, read_number

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

HEAD = "; settings of a rigless welder"


def text(robot: "Welder") -> str:
    state = robot.state
    rows = [HEAD]
    rows += [
        f"${number}={value!r}"
        for number, value in state.settings.items()
        if value != robot.table[number].default
    ]
    places = dict(zip(SYSTEMS, state.coordinates.systems, strict=True))
    places |= {"G28": state.coordinates.g28, "G30": state.coordinates.g30}
    rows += [
        f"{name}={','.join(map(repr, values))}" for name, values in places.items() if any(values)
    ]
    rows += [f"$N{n}={line}" for n, line in enumerate(state.startup) if line]
    if state.build_info:
        rows.append(f"$I={state.build_info}")
    return "\n".join(rows) + "\n"


def load(robot: "Welder", text: str) -> None:
    for number, row in enumerate(text.splitlines(), 1):
        name, _, value = row.partition("=")
        if not row.strip() or row.startswith(";"):
            continue
        try:
            _take(robot, name.strip(), value.strip())
        except (GcodeError, ValueError, KeyError):
            robot.event(
                "settings-line",
                f"line {number} of the settings makes no sense: {row[:60]!r}",
                "warning",
            )
    robot.apply_settings()


def _take(robot: "Welder", name: str, value: str) -> None:
    state = robot.state
    if name in ("$N0", "$N1"):
        state.startup[int(name[2])] = value
    elif name == "$I":
        state.build_info = value
    elif name.startswith("$"):
        row = robot.table[int(name[1:])]
        state.settings[row.number] = s.parse(row, value)
    else:
        values = [read_number(part, 0)[0] for part in value.split(",")]
        if len(values) != AXES:
            raise ValueError(name)
        if name in SYSTEMS:
            state.coordinates.systems[SYSTEMS.index(name)] = values
        elif name == "G28":
            state.coordinates.g28 = values
        elif name == "G30":
            state.coordinates.g30 = values
        else:
            raise ValueError(name)
