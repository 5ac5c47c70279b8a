"""Zones that users draw on the maps of one run.

They do not change the simulation. A zone is the region of an expectation, as text for a scenario,
and can be forbidden to AGVs, which get it over their own wire.
"""

import importlib
import importlib.util
from typing import Any, Protocol

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.panel.map_objects import world_numbers
from rigless.panel.places.models import DrawZone, Zone

MOST = 100
Span = tuple[float, float]


class ZoneDesk(Protocol):
    """Forbids zones to one robot, in its own protocol."""

    async def block(self, name: str, zone: dict[str, Any]) -> None: ...

    async def release(self, name: str) -> None: ...

    async def close(self) -> None: ...


class Zones:
    """The zones of one run, by name."""

    def __init__(self, host: Host):
        self._host = host
        self._zones: dict[str, Zone] = {}
        self._desks: dict[str, ZoneDesk | None] = {}

    def all(self) -> list[Zone]:
        return list(self._zones.values())

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
        return self._zones[name]

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
        for robot, desk in desks:
            await desk.block(name, _shape(zone))
            zone["blocked"] = sorted({*zone["blocked"], robot})
        return zone

    async def release(self, name: str) -> Zone:
        """Allow a zone again. Raises InputError."""
        zone = self.of(name)
        for robot in list(zone["blocked"]):
            if (desk := self._desk(robot)) is not None:
                await desk.release(name)
            zone["blocked"].remove(robot)
        return zone

    def _around(self, zone: Zone) -> list[tuple[str, ZoneDesk]]:
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
