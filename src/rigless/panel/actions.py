"""API routes that the panel adds to the host's control API.

Emergency stop, the page of a robot, its actions and sliders, and the map.
"""

from typing import Any

from fastapi import FastAPI
from fastapi.responses import Response

from rigless.host.api.control import describe_robot
from rigless.host.api.models import RobotStatus
from rigless.kernel.drawing import Action, Slider
from rigless.kernel.plain import to_builtins
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.simulation import Simulation
from rigless.panel import map_objects
from rigless.panel.api_models import (
    EmergencyStop,
    MoveSlider,
    RunAction,
    StageName,
    StoppedRobots,
    WorldMap,
)
from rigless.panel.hub import Hub
from rigless.panel.page_models import Page
from rigless.panel.stream import messages


def add_action_routes(app: FastAPI, hub: Hub) -> None:
    """Add the routes of this module."""

    @app.post("/api/estop")
    async def estop(body: EmergencyStop) -> StoppedRobots:
        """Press or release the emergency stop of one robot or all."""
        return {"on": body.on, "robots": hub.emergency_stop(body.on, body.robot)}

    @app.get("/api/robots/{robot}/page", response_model=Page, response_model_exclude_unset=True)
    async def page(robot: str) -> Any:
        """Return the parts of a robot's page, with their values."""
        return messages.page("live", robot, 0, hub.view(robot))

    @app.post("/api/robots/{robot}/actions")
    async def act(robot: str, body: RunAction) -> RobotStatus:
        """Run an action of a robot's page."""
        view = hub.view(robot)
        actions = [part.name for part in view.parts if isinstance(part, Action)]
        if body.name not in actions:
            raise unknown("action", body.name, actions)
        hub.apply(view.act(body.name))
        return describe_robot(hub.host, hub.host.sim.robot(robot))

    @app.post("/api/robots/{robot}/sliders")
    async def slide(robot: str, body: MoveSlider) -> RobotStatus:
        """Move a slider of a robot's page."""
        view = hub.view(robot)
        sliders = {part.name: part for part in view.parts if isinstance(part, Slider)}
        if body.name not in sliders:
            raise unknown("slider", body.name, sliders)
        _check_value(sliders[body.name], body.value)
        hub.apply(view.slide(body.name, body.value))
        return describe_robot(hub.host, hub.host.sim.robot(robot))

    @app.get("/api/world", response_model=WorldMap)
    async def world(stage: StageName = "live", robot: str = "") -> Any:
        """Return the size and the places of a world, without its cells."""
        sim = _simulation(hub, stage)
        place = map_objects.world_of(sim, robot)
        return {
            "grid": map_objects.grid_info(place),
            "things": to_builtins(map_objects.list_objects(sim, place)),
        }

    @app.get("/api/world/cells", response_class=Response)
    async def cells(stage: StageName = "live", robot: str = "") -> Response:
        """Return the cells of a map, as bytes."""
        place = map_objects.world_of(_simulation(hub, stage), robot)
        if map_objects.grid_info(place) is None:
            raise InputError(Problem("world", "there is no map: this world is an open plane"))
        return Response(map_objects.grid_cells(place), media_type="application/octet-stream")


def _check_value(slider: Slider, value: float) -> None:
    """Raise InputError if a slider cannot have this value."""
    if slider.stops and value not in slider.stops:
        stops = ", ".join(f"{stop:g}" for stop in slider.stops)
        raise InputError(Problem(slider.name, f"cannot be {value:g}", f"use one of {stops}"))
    if not slider.low <= value <= slider.high:
        fix = f"use {slider.low:g} to {slider.high:g}"
        raise InputError(Problem(slider.name, f"cannot be {value:g}", fix))


def _simulation(hub: Hub, source_name: str) -> Simulation:
    source = hub.sources.get(source_name)
    if source is None or source.sim is None:
        raise InputError(Problem("stage", "no recording is open", "open one first"))
    return source.sim
