"""API routes for places on the map: put obstacles and robots, draw zones.

Obstacles and robots are inputs of the simulation, so that recordings have them and replays are
exact. Zones are a part of the panel.
"""

import math
from collections.abc import Iterable

import msgspec
from fastapi import FastAPI

from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError, Problem
from rigless.panel.places.models import BlockZone, DrawZone, Placed, PutObstacle, PutRobot, Zone
from rigless.panel.places.zones import Zones

RADIUS_M = 0.15  # of an obstacle without a size
STANDING = ("paused", "lockstep", "stopped")


def add_place_routes(app: FastAPI, host: Host, zones: Zones) -> None:
    """Add the routes of this module."""

    @app.post("/api/world/obstacles")
    async def put_obstacle(body: PutObstacle) -> Placed:
        """Put an obstacle into the world, or move one."""
        given = _obstacle(host, body)
        return _put(host, given, given.name, body.nearest)

    @app.delete("/api/world/obstacles")
    async def remove_obstacle(name: str, robot: str = "") -> Placed:
        """Remove an obstacle."""
        placing = host.sim.core.input_handler.placing
        obstacle = placing.world_of(robot).state.obstacles.get(name)
        host.apply(inp.RemoveObstacle(name, robot))
        x, y, theta = (0.0, 0.0, 0.0) if obstacle is None else obstacle.pose(host.sim.now_ns)
        return {"name": name, "x_m": x, "y_m": y, "theta_rad": theta}

    @app.post("/api/robots/{robot}/place")
    async def put_robot(robot: str, body: PutRobot) -> Placed:
        """Put a robot at another place."""
        found = host.sim.robot(robot)
        if host.state not in STANDING and found.can_relocate:
            raise InputError(Problem(robot, "cannot be moved by hand while time runs", "pause"))
        theta = body.theta_rad
        if theta is None:
            pose = getattr(found.truth(), "pose", (0.0, 0.0, 0.0))
            theta = float(pose[2]) if found.can_relocate else 0.0
        theta = math.remainder(theta, math.tau)
        given = inp.PlaceRobot(robot, body.x_m, body.y_m, theta)
        return _put(host, given, robot, body.nearest)

    @app.get("/api/zones")
    async def list_zones() -> list[Zone]:
        """Return the zones that are drawn."""
        return zones.all()

    @app.post("/api/zones")
    async def draw_zone(body: DrawZone) -> Zone:
        """Draw a zone, or replace one."""
        return await zones.draw(body)

    @app.delete("/api/zones")
    async def delete_zone(name: str) -> list[Zone]:
        """Delete a zone. Returns the others."""
        await zones.delete(name)
        return zones.all()

    @app.post("/api/zones/block")
    async def block_zone(body: BlockZone) -> Zone:
        """Block a zone for robots, or open it."""
        return await (zones.block(body.name) if body.on else zones.release(body.name))


def _obstacle(host: Host, body: PutObstacle) -> inp.PlaceObstacle:
    """Return the input of a request: the shape is given, or that of the obstacle so far."""
    known = host.sim.core.input_handler.placing.world_of(body.robot).state.obstacles
    name = body.name or _next_name(known)
    radius_m, size_m = body.radius_m, body.size_m
    if radius_m is None and size_m is None:
        old = known.get(name)
        radius_m = RADIUS_M if old is None else old.radius_m
        size_m = None if old is None else old.size_m
    theta = math.remainder(body.theta_rad, math.tau)
    return inp.PlaceObstacle(name, body.x_m, body.y_m, theta, radius_m or 0.0, size_m, body.robot)


def _next_name(known: Iterable[str]) -> str:
    number = 1
    while f"obstacle-{number}" in known:
        number += 1
    return f"obstacle-{number}"


def _put(host: Host, given: inp.PlaceObstacle | inp.PlaceRobot, name: str, nearest: bool) -> Placed:
    """Apply an input; with `nearest` at the nearest free place if its own is not free."""
    host.catch_up()
    try:
        host.apply(given)
    except InputError:
        place = host.sim.core.input_handler.placing.nearest_free(given) if nearest else None
        if place is None:
            raise
        given = msgspec.structs.replace(given, x_m=place[0], y_m=place[1])
        host.apply(given)
    return {"name": name, "x_m": given.x_m, "y_m": given.y_m, "theta_rad": given.theta_rad}
