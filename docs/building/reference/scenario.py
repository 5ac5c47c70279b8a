"""The keys of scenario files, and of faults on wires, sensors and actuators."""

from collections.abc import Iterator, Mapping

from building.reference.config_keys import tables
from building.reference.tables import spelled, table
from rigless.kernel.faults import KINDS, Param
from rigless.scenario.model import Scenario

INTRO = """# Scenario keys

Every key of a scenario file. [Scenarios](../scenarios.md) explains them with examples.

"""
FAULTS = """# Kinds of faults

A fault has a target, a kind and parameters. The targets of each robot are in its reference; these
are the kinds that all robots share. [Faults](../faults.md) explains them.

"""
SEAMS = {
    "wire": "On ports: what is sent and received.",
    "sensor": "On sensors: what the robot measures.",
    "actuator": "On actuators: what a command does.",
}


def pages() -> Iterator[tuple[str, str]]:
    yield "scenario-keys", INTRO + "\n".join(tables(Scenario, level=2, sources=False))
    parts = [
        f"## {seam}\n\n{text}\n\n{fault_table({kind: KINDS[seam][kind] for kind in KINDS[seam]})}"
        for seam, text in SEAMS.items()
    ]
    yield "fault-kinds", FAULTS + "\n".join(parts)


def fault_table(kinds: Mapping[str, Mapping[str, Param]]) -> str:
    """Return a table of kinds with their parameters."""
    return table(
        ("kind", "parameters"), [(f"`{kind}`", parameters(of) or "–") for kind, of in kinds.items()]
    )


def parameters(of: Mapping[str, Param]) -> str:
    """Return the parameters of a kind with their defaults and bounds."""
    return "; ".join(f"`{name} = {spelled(one.default)}`{bounds(one)}" for name, one in of.items())


def bounds(param: Param) -> str:
    """Return the choices or the bounds of a parameter, in brackets."""
    if param.choices:
        return " (" + ", ".join(param.choices) + ")"
    return f" ({param.low:g} to {param.high:g})" if param.low > float("-inf") else ""
