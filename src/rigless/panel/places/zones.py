"""Zones that users draw on the maps of one run.

They do not change the simulation. A zone is the region of an expectation, as text for a scenario,
and can be forbidden to AGVs, which get it over their own wire.
"""

import asyncio
import importlib
import importlib.util
import time
from typing import Any, Protocol

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.panel.map_objects import world_numbers
from rigless.panel.places.models import DrawZone, Zone

MOST = 100
ANSWER_S = 5.0  # for robots to take a message
POLL_S = 0.02
Span = tuple[float, float]


class ZoneDesk(Protocol):
    """Forbids zones to one robot, in its own protocol."""

    async def block(self, name: str, zone: dict[str, Any]) -> None: ...

    async def release(self, name: str) -> None: ...

    def holds(self, name: str) -> bool:
        """Return True if the robot has taken the zone as forbidden."""

    async def close(self) -> None: ...


Desks = list[tuple[str, ZoneDesk]]


class Zones:
    """The zones of one run, by name."""

    def __init__(self, host: Host):
        self._host = host
        self._zones: dict[str, Zone] = {}
        self._desks: dict[str, ZoneDesk | None] = {}

    def all(self) -> list[Zone]:
        return [self.of(name) for name in self._zones]

    async def draw(self, given: DrawZone) -> Zone:
        """Add a zone or replace the one of its name. Raises InputError."""
        x, y = _span(given.x), _span(given.y)
        circle = given.center is not None and given.radius_m is not None
        if circle == (x is not None and y is not None):
            fix = "give x and y, each as [from, to], or center and radius_m"
            raise InputError(Problem("zone", "is a rectangle or a circle", fix))
        if len(self._zones) >= MOST and given.name not in self._zones:
            raise InputError(Problem("zone", f"there are {MOST} zones", "delete one first"))
        numbers = [n for n in range(1, MOST + 2) if f"zone-{n}" not in self._zones]
        name = given.name.strip() or f"zone-{numbers[0]}"
        if name in self._zones:
            await self.release(name)
        sim = self._host.sim
        robot = given.robot or next(iter(sim.robots))
        sim.robot(robot)
        zone: Zone = {
            "name": name,
            "world": world_numbers(sim)[robot] if given.robot else 0,
            "x": None if circle else x,
            "y": None if circle else y,
            "center": given.center if circle else None,
            "radius_m": given.radius_m if circle else None,
            "toml": "",
            "blockable": False,
            "blocked": [],
        }
        zone["toml"] = expectation(zone, robot)
        zone["blockable"] = bool(self._around(zone))
        self._zones[name] = zone
        return zone

    def of(self, name: str) -> Zone:
        if name not in self._zones:
            raise unknown("zone", name, self._zones)
        zone = self._zones[name]
        desks = self._around(zone) if zone["blockable"] else ()
        return {**zone, "blocked": [robot for robot, desk in desks if desk.holds(name)]}

    async def delete(self, name: str) -> None:
        """Delete a zone, and allow it to robots that it is forbidden to. Raises InputError."""
        await self.release(name)
        del self._zones[name]

    async def block(self, name: str) -> Zone:
        """Forbid a zone to the robots of its world that know zones. Raises InputError."""
        zone = self.of(name)
        desks = self._around(zone)
        if not desks:
            what = "no robot on this map knows forbidden zones"
            raise InputError(Problem(name, what, "AGVs do; for others use it in an expectation"))
        for _, desk in desks:
            await desk.block(name, _shape(zone))
        return await self._settled(name, desks, True)

    async def release(self, name: str) -> Zone:
        """Allow a zone again. Raises InputError."""
        zone = self.of(name)
        desks = [(robot, desk) for robot, desk in self._around(zone) if desk.holds(name)]
        for _, desk in desks:
            await desk.release(name)
        return await self._settled(name, desks, False)

    async def _settled(self, name: str, desks: Desks, on: bool) -> Zone:
        """Return a zone when all robots have taken the change. Raises InputError."""
        end = time.monotonic() + ANSWER_S
        while others := [robot for robot, desk in desks if desk.holds(name) != on]:
            if time.monotonic() > end:
                verb = "forbid" if on else "allow"
                what = f"{', '.join(others[:3])} did not take the message to {verb} it"
                raise InputError(Problem(name, what, "look at the robot's events"))
            await asyncio.sleep(POLL_S)
        return self.of(name)

    def _around(self, zone: Zone) -> Desks:
        """Return the robots of a zone's world that know zones, with their desks."""
        return [
            (robot, desk)
            for robot, number in world_numbers(self._host.sim).items()
            if number == zone["world"] and (desk := self._desk(robot)) is not None
        ]

    def _desk(self, robot: str) -> ZoneDesk | None:
        if robot not in self._desks:
            package = type(self._host.sim.robot(robot)).__module__.rpartition(".")[0]
            found = package and importlib.util.find_spec(f"{package}.panel")
            module = importlib.import_module(f"{package}.panel") if found else None
            make = getattr(module, "zone_desk", None)
            self._desks[robot] = make(self._host, robot) if make is not None else None
        return self._desks[robot]

    async def close(self) -> None:
        for desk in self._desks.values():
            if desk is not None:
                await desk.close()


def _span(given: Span | None) -> Span | None:
    """Return a range in order, to the millimetre. Raises InputError if it is empty."""
    if given is None:
        return None
    low, high = sorted(round(value, 3) for value in given)
    if low == high:
        raise InputError(Problem("zone", "has no area", "drag from corner to corner"))
    return low, high


def region(zone: Zone) -> str:
    """Return a zone as the region of an expectation, in TOML."""
    if zone["center"] is not None:
        x, y = zone["center"]
        return f"{{ center = [{x:g}, {y:g}], radius_m = {zone['radius_m']:g} }}"
    assert zone["x"] is not None
    assert zone["y"] is not None
    spans = (f"[{low:g}, {high:g}]" for low, high in (zone["x"], zone["y"]))
    return "{{ x = {}, y = {} }}".format(*spans)


def expectation(zone: Zone, robot: str) -> str:
    """Return an expectation that a robot reaches a zone, as a part of a scenario file."""
    return (
        f'[[expect]]\nname = "{robot} reaches {zone["name"]}"\nrobot = "{robot}"\n'
        f"reaches = {region(zone)}\n# or, to be there at the end: region = {region(zone)}\n"
    )


def _shape(zone: Zone) -> dict[str, Any]:
    """Return a zone as traffic control describes it."""
    if zone["center"] is not None:
        x, y = zone["center"]
        return {"x": x, "y": y, "radius": zone["radius_m"]}
    assert zone["x"] is not None
    assert zone["y"] is not None
    (left, right), (low, high) = zone["x"], zone["y"]
    return {"minX": left, "minY": low, "maxX": right, "maxY": high}
