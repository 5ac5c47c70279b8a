"""The settings memory as text: `$n=value` lines, work coordinate systems, positions, startup lines.

The robot does no I/O. The stored text arrives over the `settings` port when the run begins
(stamped and recorded, like all input) and goes out over it after each change.
"""

from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.setting import Setting
from rigless.robots.welder.gcode.modal import AXES, SYSTEMS
from rigless.robots.welder.gcode.words import GcodeError, read_number
from rigless.robots.welder.state import WelderState

HEAD = "; settings of a rigless welder"
Table = dict[int, Setting]


def to_text(state: WelderState, table: Table) -> str:
    rows = [HEAD]
    rows += [
        f"${number}={value!r}"
        for number, value in state.settings.items()
        if value != table[number].default
    ]
    positions = dict(zip(SYSTEMS, state.coordinates.systems, strict=True))
    positions |= {"G28": state.coordinates.g28, "G30": state.coordinates.g30}
    if not state.settings[s.VOLATILE_G92]:
        positions["G92"] = state.coordinates.g92_saved
    rows += [
        f"{name}={','.join(map(repr, values))}" for name, values in positions.items() if any(values)
    ]
    rows += [f"$N{n}={line}" for n, line in enumerate(state.startup) if line]
    if state.build_info:
        rows.append(f"$I={state.build_info}")
    return "\n".join(rows) + "\n"


def load(state: WelderState, table: Table, text: str) -> list[tuple[int, str]]:
    """Read the stored text into the state. Return number and text of lines that are not valid."""
    wrong = []
    for number, row in enumerate(text.splitlines(), 1):
        name, _, value = row.partition("=")
        if not row.strip() or row.startswith(";"):
            continue
        try:
            _load_row(state, table, name.strip(), value.strip())
        except (GcodeError, ValueError, KeyError):
            wrong.append((number, row))
    return wrong


def _load_row(state: WelderState, table: Table, name: str, value: str) -> None:
    if name in ("$N0", "$N1"):
        state.startup[int(name[2])] = value
    elif name == "$I":
        state.build_info = value
    elif name.startswith("$"):
        row = table[int(name[1:])]
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
        elif name == "G92":
            state.coordinates.g92, state.coordinates.g92_saved = values, list(values)
        else:
            raise ValueError(name)
