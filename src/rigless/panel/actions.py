"""What the panel can do beyond the control API of the host: emergency stops and actions through the robots' views, the page
of a robot as data, and the map."""

from typing import Any, Literal

from fastapi import FastAPI
from fastapi.responses import Response

from rigless.host.api_models import Body, RobotStatus
from rigless.host.control import describe_robot
from rigless.kernel.drawing import Action, Slider
from rigless.kernel.plain import to_builtins
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.simulation import Simulation
from rigless.panel import map_objects, messages
from rigless.panel.hub import Hub


class EmergencyStop(Body):
    on: bool = True
    robot: str = ""


class Act(Body):
    name: str


class Slide(Body):
    name: str
    value: float


def add_action_routes(app: FastAPI, hub: Hub) -> None:
    @app.post("/api/estop")
    async def estop(body: EmergencyStop) -> dict[str, Any]:
        return {"on": body.on, "robots": hub.stop(body.on, body.robot)}

    @app.get("/api/robots/{robot}/page")
    async def page(robot: str) -> dict[str, Any]:
        return messages.page("live", robot, 0, hub.view(robot))

    @app.post("/api/robots/{robot}/actions")
    async def act(robot: str, body: Act) -> RobotStatus:
        view = hub.view(robot)
        actions = [part.name for part in view.parts if isinstance(part, Action)]
        if body.name not in actions:
            raise unknown("action", body.name, actions)
        hub.apply(view.act(body.name))
        return describe_robot(hub.host, hub.host.sim.robot(robot))

    @app.post("/api/robots/{robot}/sliders")
    async def slide(robot: str, body: Slide) -> RobotStatus:
        view = hub.view(robot)
        sliders = {part.name: part for part in view.parts if isinstance(part, Slider)}
        if body.name not in sliders:
            raise unknown("slider", body.name, sliders)
        _check(sliders[body.name], body.value)
        hub.apply(view.slide(body.name, body.value))
        return describe_robot(hub.host, hub.host.sim.robot(robot))

    @app.get("/api/world")
    async def world(
        stage: Literal["live", "recording"] = "live", robot: str = ""
    ) -> dict[str, Any]:
        sim = _sim(hub, stage)
        place = map_objects.world_of(sim, robot)
        return {
            "grid": map_objects.grid(place),
            "things": to_builtins(map_objects.things(sim, place)),
        }

    @app.get("/api/world/cells", response_class=Response)
    async def cells(stage: Literal["live", "recording"] = "live", robot: str = "") -> Response:
        place = map_objects.world_of(_sim(hub, stage), robot)
        if map_objects.grid(place) is None:
            raise InputError(Problem("world", "there is no map: this world is an open plane"))
        return Response(map_objects.cells(place), media_type="application/octet-stream")


def _check(slider: Slider, value: float) -> None:
    """Whether a slider can stand there."""
    if slider.stops and value not in slider.stops:
        stops = ", ".join(f"{stop:g}" for stop in slider.stops)
        raise InputError(Problem(slider.name, f"cannot be {value:g}", f"it is one of {stops}"))
    if not slider.low <= value <= slider.high:
        raise InputError(
            Problem(slider.name, f"cannot be {value:g}", f"it is {slider.low:g} to {slider.high:g}")
        )


def _sim(hub: Hub, stage: str) -> Simulation:
    place = hub.stages.get(stage)
    if place is None or place.sim is None:
        raise InputError(Problem("stage", "no recording is open", "open one first"))
    return place.sim
