"""API routes for the doors, lifts and conveyors of a layout."""

from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import FastAPI
from pydantic import Field, StrictBool
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.api.models import Body
from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.world import World

if TYPE_CHECKING:
    from rigless.worlds.layout.site_world import SiteWorld

Name = Annotated[str, Field(max_length=100)]


class SetDevice(Body):
    """Open or close a door (`open`), send a lift (`floor`), stop a lift or a conveyor (`running`).

    Give one of them.
    """

    name: Name
    open: StrictBool | None = None
    floor: Name | None = None
    running: StrictBool | None = None


class Device(TypedDict):
    """A door, a lift or a conveyor as it is now.

    `open` is that of a door, `floor` and `floors` are those of a lift (no `floor` while it
    moves, `user` is the robot that it waits for or carries), `loads` are on the belt.
    """

    name: str
    kind: Literal["door", "lift", "conveyor"]
    state: str
    running: bool
    open: bool | None
    floor: str | None
    floors: list[str]
    user: str
    loads: int


def add_device_routes(app: FastAPI, host: Host) -> None:
    """Add the routes of this module."""

    @app.get("/api/world/devices")
    async def list_devices() -> list[Device]:
        """Return the doors, lifts and conveyors of the main world."""
        host.catch_up()
        return _devices(host.sim.world, host.sim.now_ns)

    @app.post("/api/world/devices")
    async def set_device(body: SetDevice) -> Device:
        """Open or close a door, send a lift, or stop and start a lift or a conveyor."""
        host.catch_up()
        host.apply(_input(host.sim.world, body))
        found = _devices(host.sim.world, host.sim.now_ns)
        return next(device for device in found if device["name"] == body.name)


def _input(world: World, body: SetDevice) -> inp.MoveObstacle | inp.SetDevice:
    given = body.model_dump(exclude_none=True, exclude={"name"})
    names, site = [device["name"] for device in _devices(world, 0)], _site_of(world)
    if site is None or not names:
        fix = "use one with a layout, such as warehouse_100, and doors = true for doors"
        raise InputError(Problem(body.name, "the world has no devices", fix))
    if body.name not in names:
        raise unknown("device", body.name, names)
    fix = "open = true or false" if body.name in site.doors else "running = true or false"
    fix += ", or a floor" if body.name in site.lifts else ""
    if len(given) != 1 or ("open" in given) != (body.name in site.doors):
        raise InputError(Problem(body.name, f"cannot set {', '.join(given) or 'nothing'}", fix))
    ((key, value),) = given.items()
    if key == "open":
        return site.door_move(body.name, bool(value))
    return inp.SetDevice(body.name, key, value)


def _devices(world: World, now_ns: int) -> list[Device]:
    site = _site_of(world)
    if site is None:
        return []
    return [
        *(_door(site, name, now_ns) for name in site.doors),
        *(_lift(site, name, now_ns) for name in site.lifts),
        *(_conveyor(site, name) for name in site.conveyors),
    ]


def _site_of(world: World) -> "SiteWorld | None":
    if world.is_plane:
        return None
    from rigless.worlds.layout.site_world import SiteWorld  # numba takes its time

    return world if isinstance(world, SiteWorld) else None


def _device(name: str, kind: Literal["door", "lift", "conveyor"], state: str) -> Device:
    return {
        "name": name,
        "kind": kind,
        "state": state,
        "running": True,
        "open": None,
        "floor": None,
        "floors": [],
        "user": "",
        "loads": 0,
    }


def _door(world: "SiteWorld", name: str, now_ns: int) -> Device:
    from rigless.worlds.layout.doors import leaf_pose

    leaf = world.state.obstacles.get(name)
    if leaf is None:
        return {**_device(name, "door", "removed"), "running": False, "open": True}
    pose, is_open = tuple(leaf.pose(now_ns)), leaf_pose(world.doors[name], True)
    opens = tuple(leaf.end) == is_open
    moves = pose != tuple(leaf.end)
    state = ("opens" if opens else "closes") if moves else ("open" if opens else "closed")
    return {**_device(name, "door", state), "open": opens}


def _lift(world: "SiteWorld", name: str, now_ns: int) -> Device:
    lift, now = world.lifts[name], world.state.lifts[name]
    names = [floor.name for floor in lift.floors]
    # The world settles a lift only when it is used, and a request must not change the world.
    moves = now_ns < now.end_ns
    floor = names[now.target if now.end_ns and not moves else now.floor]
    state = f"goes from floor {floor} to {names[now.target]}" if moves else f"at floor {floor}"
    if now.user:
        state += f", carries {now.rider}" if now.rider else f", kept for {now.user}"
    if not now.running:
        state += ", out of order"
    return {
        **_device(name, "lift", state),
        "running": now.running,
        "floor": None if moves else floor,
        "floors": names,
        "user": now.user,
    }


def _conveyor(world: "SiteWorld", name: str) -> Device:
    belt = world.state.belts[name]
    count = len(belt.loads)
    state = ("runs" if belt.running else "stopped") + f", {count} load{'s'[: count != 1]} on it"
    return {**_device(name, "conveyor", state), "running": belt.running, "loads": count}
