"""API routes that act on many robots in one request.

A robot on which it cannot be done does not keep the others from it: the response names it.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

from fastapi import FastAPI

from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.drawing import Action, View
from rigless.kernel.problems import InputError, unknown
from rigless.kernel.timing.rate import to_ns
from rigless.panel.fleet.models import (
    ActMany,
    ClearMany,
    DoneOnMany,
    FailedRobot,
    InjectMany,
    StopMany,
)


class Robots(Protocol):
    """The parts of the hub that act on robots."""

    host: Host

    def view(self, robot: str) -> View: ...

    def apply(self, inputs: Iterable[inp.AnyInput]) -> None: ...

    def emergency_stop(self, on: bool, robot: str) -> list[str]: ...


def add_fleet_routes(app: FastAPI, hub: Robots) -> None:
    """Add the routes of this module."""

    @app.post("/api/fleet/estop")
    async def estop(body: StopMany) -> DoneOnMany:
        """Press or release the emergency stops of many robots."""
        return _on_each(body.robots, lambda name: hub.emergency_stop(body.on, name))

    @app.post("/api/fleet/actions")
    async def act(body: ActMany) -> DoneOnMany:
        """Run an action on many robots."""
        return _on_each(body.robots, lambda name: _act(hub, name, body.name))

    @app.post("/api/fleet/faults")
    async def inject(body: InjectMany) -> DoneOnMany:
        """Inject a fault into many robots."""
        hub.host.catch_up()
        until_ns = None if body.for_s is None else hub.host.sim.now_ns + to_ns(body.for_s)
        return _on_each(
            body.robots,
            lambda name: hub.host.apply(
                inp.Inject(name, body.target, body.kind, body.params, until_ns)
            ),
        )

    @app.post("/api/fleet/clear")
    async def clear(body: ClearMany) -> DoneOnMany:
        """Clear the faults of many robots."""
        return _on_each(body.robots, lambda name: hub.host.apply(inp.Clear(name)))


def _act(hub: Robots, robot: str, action: str) -> None:
    view = hub.view(robot)
    actions = [part.name for part in view.parts if isinstance(part, Action)]
    if action not in actions:
        raise unknown("action", action, actions)
    hub.apply(view.act(action))


def _on_each(robots: list[str], do: Callable[[str], object]) -> DoneOnMany:
    """Do something on each robot once, in this order."""
    done: list[str] = []
    failed: list[FailedRobot] = []
    for name in dict.fromkeys(robots):
        try:
            do(name)
        except InputError as error:
            texts = [f"{one.what} ({one.fix})" if one.fix else one.what for one in error.problems]
            failed.append({"robot": name, "problem": "; ".join(texts)})
        except Exception as error:  # a view is user code
            failed.append({"robot": name, "problem": f"{type(error).__name__}: {error}"})
        else:
            done.append(name)
    return {"done": done, "failed": failed}
