"""The page of each robot: ports, messages, inputs, faults, events, metrics, truth, config keys."""

import dataclasses
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import rigless
from building.places import ROOT
from building.reference.config_keys import tables
from building.reference.scanned import counters, event_texts
from building.reference.scenario import parameters
from building.reference.tables import code, table, type_words
from building.reference.words import METRICS, SOURCES, TRUTH
from rigless.kernel.robot import Robot

ROBOTS = ROOT / "src" / "rigless" / "robots"
AGV_SOURCES = Path(__file__).with_name("agv_sources.toml")
MEANINGS = Path(__file__).with_name("events.toml")
ALL_PORTS = {  # settings that open the optional ports
    "vacuum": ["ros.enabled=true"],
    "pacbot": ["ros.enabled=true", "strings=true", "uart=true", "game.enabled=true"],
    "agv": ["vda5050.url=mqtt://127.0.0.1:1883"],
}


TRUTHS = """True values of the simulation, for expectations: `value = "truth.pose.0"`, `min = 1.0`.
Elements are counted from 0.

"""


def pages() -> Iterator[tuple[str, str]]:
    for folder in sorted(path.parent for path in ROBOTS.glob("*/robot.py")):
        yield f"robots/{folder.name}", page(folder.name)


def page(kind: str) -> str:
    """Return the whole page of a robot."""
    robot = next(iter(rigless.load(kind).robots.values()))
    more = next(iter(rigless.load(kind, settings=ALL_PORTS.get(kind, [])).robots.values()))
    parts = {
        "Ports": ports(robot, more),
        "Messages that it sends": sent(more),
        "Messages that it receives": received(more),
        "Inputs": inputs(robot),
        "Fault targets": faults(robot),
        "Event codes": events(kind, robot),
        "Metrics": metrics(kind),
        "Truth": truth(robot),
        "Config keys": keys(robot),
    }
    text = f"# {kind}: all names\n\n{intro(kind)}"
    return text + "\n".join(f"## {title}\n\n{part}\n" for title, part in parts.items() if part)


def intro(kind: str) -> str:
    return (
        f"Every name that the {kind} has on its wire, in scenarios and in its config. "
        f"[Its README](../../../../src/rigless/robots/{kind}/README.md) explains the model.\n\n"
    )


def ports(robot: Robot, more: Robot) -> str:
    """Return the table of ports; those that a setting opens say which."""
    default = {port.name for port in robot.ports}
    settings = " ".join(f"`--set {one}`" for one in ALL_PORTS.get(kind_of(robot), []))
    rows = [
        (
            f"`{port.name}`",
            f"`{port.address}`" if port.address else "",
            port.transport,
            {"in": "receives", "out": "sends", "both": "both ways"}[port.direction],
            "" if port.name in default else "optional",
        )
        for port in more.ports
    ]
    note = f"\nOptional ports: {settings}.\n" if any(row[-1] for row in rows) else ""
    return table(("port", "default address", "transport", "direction", ""), rows) + note


def kind_of(robot: Robot) -> str:
    return type(robot).__module__.split(".")[2]


def sent(robot: Robot) -> str:
    """Return the table of message types by port, with their fields."""
    rows = []
    for port in robot.ports:
        for name, kind in (port.emitted_types or {}).items():
            rows.append((f"`{port.name}`", f"`{name}`", fields_of(kind)))
    return table(("port", "message", "fields"), rows)


def received(robot: Robot) -> str:
    """Return the table of message types that the robot has handlers for."""
    found: dict[str, type] = {}
    for name in dir(type(robot)):
        for kind in getattr(getattr(type(robot), name, None), "__rigless_on__", ()):
            if not kind.__module__.startswith("rigless.kernel"):
                found[kind.__name__] = kind
    rows = [(f"`{name}`", fields_of(kind)) for name, kind in sorted(found.items())]
    return table(("message", "fields"), rows)


def fields_of(kind: type) -> str:
    """Return the fields of a message class with their types."""
    hints = {name: one for base in reversed(kind.__mro__) for name, one in annotations(base)}
    shown = (f"`{name}` {word(one)}" for name, one in hints.items() if not name.isupper())
    return ", ".join(shown)


def annotations(kind: type) -> Iterator[tuple[str, Any]]:
    for name, one in vars(kind).get("__annotations__", {}).items():
        if not name.startswith("_") and "ClassVar" not in str(one):
            yield name, one


def word(annotation: Any) -> str:
    """Return a type in words; an annotation that is text is shown as it is."""
    if isinstance(annotation, str):
        return f"`{annotation}`"
    return type_words(annotation)


def inputs(robot: Robot) -> str:
    rows = []
    for name, given in robot.inputs.items():
        if given.by_host:
            continue
        limits = f"{given.low:g} to {given.high:g}" if None not in (given.low, given.high) else ""
        kind = type_words(type(given.default))
        rows.append((f"`{name}`", kind, code(given.default), limits, given.help))
    return table(("input", "type", "default", "range", ""), rows)


def faults(robot: Robot) -> str:
    """Return the table of targets with their kinds; kinds of the robot have their parameters."""
    targets = robot.fault_targets
    rows = []
    for target, kinds in targets.seams.items():
        shown = []
        for kind, seam in kinds.items():
            params = parameters(targets.params(target, kind)) if seam == "own" else ""
            shown.append(f"`{kind}`" + (f" ({params})" if params else ""))
        seams = " and ".join(dict.fromkeys(kinds.values()))
        rows.append((f"`{target}`", seams, ", ".join(shown)))
    link = "Parameters of kinds that all robots share: [kinds of faults](../fault-kinds.md).\n\n"
    return link + table(("target", "where", "kinds"), rows)


def events(kind: str, robot: Robot) -> str:
    """Return the table of event codes with their texts, or with their meanings."""
    known = meanings(kind) | event_texts(ROBOTS / kind)
    rows = [(f"`{one}`", known[one]) for one in robot.event_codes or ()]
    return table(("code", "text or meaning"), rows)


def meanings(kind: str) -> dict[str, str]:
    """Return the meanings of events by code, from events.toml."""
    found = tomllib.loads(MEANINGS.read_text("utf-8"))[kind]
    return found | {f"{code}-cleared": f"the end of `{code}`" for code in found}


def metrics(kind: str) -> str:
    rows = [(f"`{name}`", METRICS[name]) for name in counters(ROBOTS / kind)]
    return table(("metric", "counts"), rows)


def truth(robot: Robot) -> str:
    """Return the table of true values, for `value = "truth.…"` in expectations."""
    value = robot.truth()
    if not dataclasses.is_dataclass(value):
        return ""
    rows = [
        (f"`truth.{one.name}`", word(one.type), element(one), TRUTH.get(one.name, ""))
        for one in dataclasses.fields(value)
    ]
    return TRUTHS + table(("value", "type", "an element", ""), rows)


def element(field: Any) -> str:
    """Return how the paths of expectations name an element of a true value."""
    path, kind = f"truth.{field.name}", str(field.type)
    if kind.startswith(("tuple", "list")):
        return f"`{path}.0`"
    return f"`{path}.NAME`" if kind.startswith("dict") else ""


def keys(robot: Robot) -> str:
    note = "Sources: " + "; ".join(f"**{tag}** {text}" for tag, text in SOURCES.items()) + ".\n\n"
    source_of = agv_source if kind_of(robot) == "agv" else None
    return note + "\n".join(tables(type(robot).Config, source_of=source_of))


def agv_source(path: str) -> str:
    """Return the source of a key of the AGV, whose models do not name it."""
    plain = path.replace("[]", "")
    table, _, key = plain.rpartition(".")
    known = agv_sources()
    source = next(
        (one for one in ("seed", "wire") if key in known[one].get(table or "top", "").split()),
        "ours",
    )
    return f"{source}; default: ours" if plain in known["default_ours"] else source


@cache
def agv_sources() -> dict[str, Any]:
    """Return the sources of the AGV's keys by table."""
    return tomllib.loads(AGV_SOURCES.read_text("utf-8"))
