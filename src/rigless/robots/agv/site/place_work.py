"""Work at places of the layout: docking and charging, and loads that stations hold.

A robot charges at the charger at whose node it stands, in the heading of the node, and does not
drive off meanwhile. It picks and drops loads at the station at whose node it stands.
"""

import math

from rigless.kernel.timing.rate import to_ns
from rigless.kernel.world import World
from rigless.robots.agv import params as p
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.params import Refused
from rigless.robots.agv.services import Services
from rigless.robots.agv.site.device_work import DeviceWork
from rigless.robots.agv.state import Job
from rigless.worlds.layout.model import Charger, Node, Station
from rigless.worlds.layout.sharing.state import Request
from rigless.worlds.layout.site_world import SiteWorld
from rigless.worlds.layout.stock import Load

DOCK_M = 3.0  # distance from which a robot docks
AT_M, AT_RAD = 0.1, 0.15  # tolerance of standing at a node
HANDLING_S = 3.0  # to pick or drop a load


class PlaceWork:
    def __init__(
        self,
        services: Services,
        config: RobotConfig,
        machine: Machine,
        world: World,
        events: Events,
        jobs: Jobs,
    ):
        self._services, self._machine, self._events, self._jobs = services, machine, events, jobs
        self._site = world if isinstance(world, SiteWorld) else None
        self.devices = DeviceWork(services, machine, self._site, jobs)
        self._payload_kg = config.dimensions.payloadMaxKg

    def check(self, job: Job) -> None:
        """Raise Refused if the robot cannot do this where it stands."""
        state = self._machine.state
        if job.drives and state.charger:
            raise Refused(
                "STATUS_FORBIDS", f"the robot charges at {state.charger}: send STOP_CHARGING first"
            )
        if (job.drives or job.kind in ("INIT_POSE", *p.AT_DEVICES)) and state.lift:
            raise Refused("STATUS_FORBIDS", f"{state.lift} carries the robot: wait for its floor")
        if job.kind in p.AT_DEVICES:
            self.devices.check(job)
        if job.kind not in p.AT_PLACES:
            return
        given = p.parse(job.kind, job.params, p.STEPS)
        match job.kind:
            case "DOCK":
                self._dock(given)
            case "START_CHARGING":
                self._here()
            case "PICK":
                self._find(given)
            case "DROP":
                self._room(given)

    def begin(self, job: Job) -> None:
        if job.kind in p.AT_DEVICES:
            self.devices.begin(job)
            return
        given, state = p.parse(job.kind, job.params, p.STEPS), self._machine.state
        match job.kind:
            case "DOCK":
                node = self._node(self._dock(given).node)
                self._machine.drive.go([Waypoint(node.x, node.y, node.theta)])
            case "START_CHARGING":
                self.plug_in(self._here())
                job.result = {"chargerId": state.charger}
                self._jobs.end(job)
            case "STOP_CHARGING":
                self.unplug()
                self._jobs.end(job)
            case _:
                job.until_ns = self._services.now_ns + to_ns(HANDLING_S)

    def watch(self, job: Job) -> None:
        """End a job that is done; called once a tick."""
        if job.kind in p.AT_DEVICES:
            try:
                self.devices.watch(job)
            except Refused as refused:  # it was put elsewhere
                self._jobs.end(job, "FAILED", refused.code, refused.message)
        elif job.kind == "DOCK":
            if self._machine.drive.arrived:
                given = p.parse(job.kind, job.params, p.STEPS)
                job.result = {"chargerId": self._dock(given).id}
                self._jobs.end(job)
        elif self._services.now_ns >= job.until_ns:
            try:
                handled = self._pick(job) if job.kind == "PICK" else self._drop(job)
            except Refused as refused:  # another robot was faster
                self._jobs.end(job, "FAILED", refused.code, refused.message)
                return
            if handled:
                self._jobs.end(job)

    # Charging

    def plug_in(self, charger: Charger) -> None:
        """Charge at a charger."""
        state = self._machine.state
        state.charger = charger.id
        if self._site is not None:
            self._site.occupy(charger.id, self._services.name, self._services.now_ns)
        state.charger_w = charger.power_w if charger.power_w is not None else math.inf
        self._machine.resample()

    def unplug(self) -> None:
        """Stop charging."""
        self._machine.state.charger = ""
        if self._site is not None:
            self._site.release(self._services.name, self._services.now_ns)
        self._machine.resample()

    def claim(self, charger: str) -> bool | None:
        """Keep other robots that charge by themselves from a charger.

        Return False if one of them was faster, and None while the answer is not there yet.
        """
        assert self._site is not None
        return self._site.claim(charger, self._services.name, self._services.now_ns)

    def free_chargers(self) -> list[Charger]:
        """Return the chargers that no other robot uses, goes to or stands at."""
        if self._site is None:
            return []
        name, claims = self._services.name, self._site.state.claims
        nodes, protection = self._site.graph.nodes, self._machine.protection
        return [
            charger
            for charger in self._site.layout.chargers
            if claims.get(charger.id, name) == name
            and not protection.is_taken(nodes[charger.node].x, nodes[charger.node].y)
        ]

    def charger_here(self) -> Charger | None:
        """Return the charger at which the robot stands."""
        chargers = self._site.layout.chargers if self._site is not None else ()
        return next((one for one in chargers if self._stands_at(one.node, True)), None)

    def charger_near(self) -> Charger | None:
        """Return the nearest charger that the robot can dock at from here."""
        chargers = self._site.layout.chargers if self._site is not None else ()
        near = min(chargers, key=lambda one: self._distance_m(one.node), default=None)
        return near if near is not None and self._distance_m(near.node) <= DOCK_M else None

    def _here(self) -> Charger:
        self._chargers()
        found = self.charger_here()
        if found is None:
            raise Refused("STATUS_FORBIDS", "the robot is not on a charger: send DOCK first")
        return found

    def _chargers(self) -> tuple[Charger, ...]:
        chargers = self._site.layout.chargers if self._site is not None else ()
        if not chargers:
            raise Refused("NOT_SUPPORTED", "this world has no chargers: use a layout with some")
        return chargers

    def _dock(self, given: p.Dock) -> Charger:
        chargers = self._chargers()
        if given.chargerId is not None:
            named = [one for one in chargers if one.id == given.chargerId]
            if not named:
                raise Refused("INVALID_PARAMS", f"chargerId: there is no {given.chargerId!r}")
            chargers = tuple(named)
        nearest = min(chargers, key=lambda one: self._distance_m(one.node))
        away_m = self._distance_m(nearest.node)
        if away_m > DOCK_M:
            what = f"{nearest.id} is {away_m:.1f} m away: drive to within {DOCK_M:g} m first"
            raise Refused("STATUS_FORBIDS", what)
        return nearest

    # Loads

    def is_station(self, name: str) -> bool:
        stations = self._site.layout.stations if self._site is not None else ()
        return any(one.id == name for one in stations)

    def station_here(self) -> Station | None:
        """Return a station at which the robot stands."""
        stations = self._site.layout.stations if self._site is not None else ()
        return next((one for one in stations if self._stands_at(one.node)), None)

    def _find(self, given: p.Pick) -> tuple[Station, Load]:
        state, station = self._machine.state, self._station(given.stationId)
        assert self._site is not None
        if state.load_id:
            raise Refused("STATUS_FORBIDS", f"the robot carries {state.load_id}: send DROP first")
        for load in self._site.stock(station.id, self._services.now_ns).loads:
            if given.loadId in (None, load.id) and given.loadType in (None, load.type):
                if self._payload_kg is not None and load.mass_kg > self._payload_kg:
                    what = f"{load.id} has {load.mass_kg:g} kg, more than {self._payload_kg:g}"
                    raise Refused("STATUS_FORBIDS", what)
                return station, load
        raise Refused("STATUS_FORBIDS", f"{station.id} has no such load")

    def _pick(self, job: Job) -> bool:
        """Take a load. Return False while the shard that keeps the station has not answered."""
        assert self._site is not None
        given = p.parse(job.kind, job.params, p.STEPS)
        if not job.result:
            station, load = self._find(given)
            job.result = {"loadId": load.id, "stationId": station.id}
        thing, name = f"stations/{job.result['stationId']}", self._services.name
        request = Request(name, "take", thing, load_id=job.result["loadId"])
        answer = self._site.ask(request, self._services.now_ns)
        if answer is None:
            return False
        if answer.load is None:
            job.result = {}  # a robot of another shard took it
            self._find(given)
            return False
        load, state = answer.load, self._machine.state
        state.load_id, state.load_type, state.load_kg = load.id, load.type, load.mass_kg
        state.load_size_m, state.load_height_m = load.size_m[:2], load.size_m[2]
        self._changed()
        return True

    def _room(self, given: p.Drop) -> Station:
        state, station = self._machine.state, self._station(given.stationId)
        assert self._site is not None
        if not state.load_id:
            raise Refused("STATUS_FORBIDS", "the robot carries no load: send PICK first")
        if len(self._site.stock(station.id, self._services.now_ns).loads) >= station.slots:
            raise Refused("STATUS_FORBIDS", f"{station.id} has no free slot")
        return station

    def _drop(self, job: Job) -> bool:
        """Put the load down. Return False while the keeper of the station has not answered."""
        assert self._site is not None
        state = self._machine.state
        if not job.result:
            station = self._room(p.parse(job.kind, job.params, p.STEPS))
            job.result = {"loadId": state.load_id, "stationId": station.id}
        length_m, width_m = state.load_size_m or (0.0, 0.0)
        size_m = (length_m, width_m, state.load_height_m)
        load = Load(state.load_id, state.load_type, size_m, state.load_kg)
        thing, name = f"stations/{job.result['stationId']}", self._services.name
        request = Request(name, "put", thing, load, load.id)
        answer = self._site.ask(request, self._services.now_ns)
        if answer is None:
            return False
        if not answer.granted:
            raise Refused("STATUS_FORBIDS", answer.why)
        state.load_id, state.load_type, state.load_size_m = "", "", None
        self._changed()
        return True

    def _changed(self) -> None:
        self._machine.protection.reshape()
        self._machine.state.wake()

    # Places

    def _station(self, name: str | None) -> Station:
        stations = self._site.layout.stations if self._site is not None else ()
        if not stations:
            raise Refused("NOT_SUPPORTED", "this world has no stations: use a layout with some")
        if name is not None and name not in {one.id for one in stations}:
            raise Refused("INVALID_PARAMS", f"stationId: there is no {name!r}")
        here = [one for one in stations if self._stands_at(one.node)]
        found = next((one for one in here if name in (None, one.id)), None)
        if found is None:
            where = f"at {name}" if name is not None else "at a station"
            raise Refused("STATUS_FORBIDS", f"the robot is not {where}: drive to its node first")
        return found

    def _node(self, name: str) -> Node:
        assert self._site is not None
        return self._site.graph.nodes[name]

    def _distance_m(self, name: str) -> float:
        x, y, _ = self._machine.drive.pose
        node = self._node(name)
        return math.hypot(node.x - x, node.y - y)

    def _stands_at(self, name: str, heading: bool = False) -> bool:
        if self._machine.drive.driving or self._distance_m(name) > AT_M:
            return False
        theta = self._node(name).theta
        off = math.remainder(self._machine.drive.pose[2] - (theta or 0.0), math.tau)
        return not heading or theta is None or abs(off) <= AT_RAD
