"""rigless: the robot's real interface, without the robot.

    >>> import rigless
    >>> sim = rigless.load("vacuum", seed=7)
    >>> sim.run(seconds=2.0)
    >>> sim
    <Simulation vacuum at 2 s, seed 7>

Names are imported on first use, so that `import rigless` and `rigless --help` stay quick.
"""

TYPE_CHECKING = False  # as in typing, whose import takes longer than all the rest of a start
if TYPE_CHECKING:
    from importlib.metadata import version
    from typing import Any

    from rigless import batch, clients, hardware, testing, worlds
    from rigless.host.serve import ServedHost, serve
    from rigless.kernel import inputs
    from rigless.kernel.events import Event
    from rigless.kernel.faults import Fault
    from rigless.kernel.fleet import FleetMember
    from rigless.kernel.ports import Connected, Disconnected, Link, Port, WireError
    from rigless.kernel.problems import InputError, Problem
    from rigless.kernel.recording import Recorder
    from rigless.kernel.robot import Config, Robot, VirtualInput, every, on
    from rigless.kernel.simulation import RobotError, Simulation
    from rigless.kernel.snapshot import Snapshot
    from rigless.kernel.world import World
    from rigless.recordings.reader import Recording
    from rigless.scenario.load import load
    from rigless.sweeps.api import sweep
    from rigless.sweeps.shrink.api import shrink

    __version__ = version("rigless")

__all__ = [
    "Config",
    "Connected",
    "Disconnected",
    "Event",
    "Fault",
    "FleetMember",
    "InputError",
    "Link",
    "Port",
    "Problem",
    "Recorder",
    "Recording",
    "Robot",
    "RobotError",
    "ServedHost",
    "Simulation",
    "Snapshot",
    "VirtualInput",
    "WireError",
    "World",
    "__version__",
    "batch",
    "clients",
    "every",
    "hardware",
    "inputs",
    "load",
    "on",
    "serve",
    "shrink",
    "sweep",
    "testing",
    "worlds",
]

_MODULES = {
    "batch": "rigless.batch",
    "clients": "rigless.clients",
    "hardware": "rigless.hardware",
    "inputs": "rigless.kernel.inputs",
    "testing": "rigless.testing",
    "worlds": "rigless.worlds",
}
_DEFINED_IN = {
    "rigless.host.serve": ("ServedHost", "serve"),
    "rigless.kernel.events": ("Event",),
    "rigless.kernel.faults": ("Fault",),
    "rigless.kernel.fleet": ("FleetMember",),
    "rigless.kernel.ports": ("Connected", "Disconnected", "Link", "Port", "WireError"),
    "rigless.kernel.problems": ("InputError", "Problem"),
    "rigless.kernel.recording": ("Recorder",),
    "rigless.kernel.robot": ("Config", "Robot", "VirtualInput", "every", "on"),
    "rigless.kernel.simulation": ("RobotError", "Simulation"),
    "rigless.kernel.snapshot": ("Snapshot",),
    "rigless.kernel.world": ("World",),
    "rigless.recordings.reader": ("Recording",),
    "rigless.scenario.load": ("load",),
    "rigless.sweeps.api": ("sweep",),
    "rigless.sweeps.shrink.api": ("shrink",),
}


def __getattr__(name: str) -> "Any":
    """Import a public name on first use."""
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("rigless")
    elif name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    else:
        module = next((module for module, names in _DEFINED_IN.items() if name in names), None)
        if module is None:
            raise AttributeError(f"module 'rigless' has no attribute {name!r}")
        value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
