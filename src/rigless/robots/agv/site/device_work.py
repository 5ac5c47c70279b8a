"""Work with devices of the layout: lifts that a robot calls and rides, and doors.

A lift that a robot calls is kept for it for a minute. The robot drives onto the node of the floor
and rides: the door closes, the car goes, and the robot stands at the node of the other floor, as it
stood before. It cannot drive meanwhile, and a ride that has begun does not end before the floor.
"""

import math
from typing import TypeVar

from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv import params as p
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.params import Refused
from rigless.robots.agv.services import Services
from rigless.robots.agv.state import Job
from rigless.worlds.layout.doors import NEAR_M
from rigless.worlds.layout.model import Door, Lift, Node
from rigless.worlds.layout.sharing.state import Request
from rigless.worlds.layout.site_world import SiteWorld, floor_index

Device = TypeVar("Device", Lift, Door)
AT_M = 0.1  # tolerance of standing at the node of a lift


class DeviceWork:
    """The lifts and doors of the layout, as jobs of one robot."""

    def __init__(self, services: Services, machine: Machine, site: SiteWorld | None, jobs: Jobs):
        self._services, self._machine, self._site, self._jobs = services, machine, site, jobs

    def check(self, job: Job) -> None:
        """Raise Refused if the robot cannot do this where it stands."""
        given = p.parse(job.kind, job.params, p.STEPS)
        match job.kind:
            case "CALL_LIFT":
                self._floor(*self._called(given))
            case "RIDE_LIFT":
                if job.owner != "route" and self._jobs.drive_job:
                    raise Refused("BUSY", "another job uses the drive; STOP cancels it")
                lift, _ = self._boarded()
                self._floor(lift, given.floor)
            case _:
                self._door(given, job.kind == "CLOSE_DOOR")

    def begin(self, job: Job) -> None:
        """Choose the lift or the door; a ride chooses it by where the robot stands."""
        given = p.parse(job.kind, job.params, p.STEPS)
        if job.kind == "CALL_LIFT":
            lift, floor = self._called(given)
            job.result = {"liftId": lift.id, "floor": floor}
        elif job.kind != "RIDE_LIFT":
            door = self._door(given, False)
            job.result = {"doorId": door.id}
            self._operate(job)

    def watch(self, job: Job) -> None:
        """Continue or end a job; called once a tick. Raises Refused if it can no longer be done."""
        if job.kind == "CALL_LIFT":
            lift = self._world.lifts[job.result["liftId"]]
            if self._fetch(lift, self._floor(lift, job.result["floor"])):
                self._jobs.end(job)
        elif job.kind == "RIDE_LIFT":
            self._ride_on(job, p.parse(job.kind, job.params, p.STEPS).floor)
        else:
            self._operate(job)
            if job.until_ns and self._services.now_ns >= job.until_ns:
                self._jobs.end(job)

    # Lifts

    def ride(self) -> None:
        """Step out, if the lift that carries the robot has arrived."""
        site, state = self._world, self._machine.state
        lift = site.lifts[state.lift]
        car = site.lift(lift.id, self._services.now_ns)
        at = car.stands_at
        if car.rider != self._services.name or at is None:
            return
        here = min(
            range(len(lift.floors)), key=lambda n: self._distance_m(lift.floors[n].node)
        )  # where it got on
        self._put(site.graph.nodes[lift.floors[here].node], site.graph.nodes[lift.floors[at].node])
        state.map_id = lift.floors[at].map_id or state.map_id
        state.lift = ""
        self._tell("leave", lift)
        state.wake()

    def _put(self, start: Node, end: Node) -> None:
        """Stand at another node as the robot stood at the first one."""
        x, y, theta = self._machine.drive.pose
        both = start.theta is not None and end.theta is not None
        turn = (end.theta or 0.0) - (start.theta or 0.0) if both else 0.0
        sine, cosine = math.sin(turn), math.cos(turn)
        dx, dy = x - start.x, y - start.y
        self._machine.relocate(
            end.x + cosine * dx - sine * dy, end.y + sine * dx + cosine * dy, theta + turn
        )

    def _ride_on(self, job: Job, floor: str) -> None:
        site, state, now_ns = self._world, self._machine.state, self._services.now_ns
        if job.until_ns:  # the ride has begun
            if not state.lift:
                self._jobs.end(job)
            return
        lift, here = self._boarded()
        target = self._floor(lift, floor)
        job.result = {"liftId": lift.id, "floor": floor}
        if target == here:
            self._jobs.end(job)
            return
        end, own = site.graph.nodes[lift.floors[target].node], lift.floors[here].door
        door = site.doors.get(own or "")
        free = not self._machine.protection.is_taken(end.x, end.y)
        clear = door is None or not self._machine.protection.is_taken(door.x, door.y)
        if self._machine.drive_allowed and self._fetch(lift, here) and free and clear:
            self._tell("ride", lift, target)
        if site.lift(lift.id, now_ns).rider == self._services.name:
            job.until_ns, state.lift = now_ns, lift.id
            state.wake()

    def _fetch(self, lift: Lift, floor: int) -> bool:
        """Call the car to a floor. Return True once it is there, with its door open."""
        site, name, now_ns = self._world, self._services.name, self._services.now_ns
        car = site.lift(lift.id, now_ns)
        if not car.is_free(name):
            return False
        if car.floor != floor or car.user != name:
            stands = car.floor == floor
            self._tell("call", lift, floor)
            if not stands or car.user != name:
                return False
        return site.door_is_open(lift.floors[floor].door or "", now_ns)

    def _tell(self, action: str, lift: Lift, floor: int = 0) -> None:
        request = Request(self._services.name, action, f"lifts/{lift.id}", floor=floor)
        self._world.tell(request, self._services.now_ns)

    def leave_strange(self) -> None:
        """Leave a lift that carries this robot without its knowledge, as after a restart."""
        for lift in self._world.lifts.values():
            car = self._world.state.lifts[lift.id]
            strange = car.rider == self._services.name and not self._machine.state.lift
            if strange and not self._jobs.is_running("RIDE_LIFT"):
                self._tell("leave", lift)

    def _called(self, given: p.CallLift) -> tuple[Lift, str]:
        """Return the lift and the floor of a call; by default those nearest to the robot."""
        every = list(self._world.lifts.values()) if self._site is not None else []
        lifts = _selected("lift", every, given.liftId)
        stops = [(lift, floor) for lift in lifts for floor in lift.floors]
        if given.floor is not None and given.liftId is None:
            stops = [stop for stop in stops if given.floor in {one.name for one in stop[0].floors}]
        if not stops:
            raise Refused("INVALID_PARAMS", f"floor: no lift stops at {given.floor!r}")
        lift, near = min(stops, key=lambda stop: self._distance_m(stop[1].node))
        return lift, given.floor if given.floor is not None else near.name

    def _floor(self, lift: Lift, name: str) -> int:
        names = [floor.name for floor in lift.floors]
        if name not in names:
            known = ", ".join(names)
            raise Refused("INVALID_PARAMS", f"floor: {lift.id} has no {name!r}; it has {known}")
        return floor_index(lift, name)

    def _boarded(self) -> tuple[Lift, int]:
        """Return the lift at whose node the robot stands, and its floor. Raises Refused."""
        for lift in self._world.lifts.values() if self._site is not None else ():
            for n, floor in enumerate(lift.floors):
                if not self._machine.drive.driving and self._distance_m(floor.node) <= AT_M:
                    return lift, n
        raise Refused(
            "STATUS_FORBIDS", "the robot is not in a lift: drive to the node of its floor"
        )

    # Doors

    def _operate(self, job: Job) -> None:
        """Open or close the door, and note when that will be done."""
        door = job.result["doorId"]
        if job.until_ns:
            return
        if door not in self._world.doors:
            job.until_ns = self._services.now_ns
            return
        wanted = job.kind == "OPEN_DOOR"
        request = Request(self._services.name, "move", f"doors/{door}", open=wanted)
        if self._world.ask(request, self._services.now_ns) is not None:
            job.until_ns = self._services.now_ns + to_ns(self._world.doors[door].seconds)

    def _door(self, given: p.UseDoor, closes: bool) -> Door:
        every = list(self._site.layout.doors) if self._site is not None else []
        doors = _selected("door", every, given.doorId)
        x, y, _ = self._machine.drive.pose
        door = min(doors, key=lambda one: math.hypot(one.x - x, one.y - y))
        away_m = math.hypot(door.x - x, door.y - y)
        if given.doorId is None and away_m > NEAR_M:
            raise Refused("STATUS_FORBIDS", f"no door is within {NEAR_M:g} m: name one by doorId")
        if door.id in self._world.lift_doors:
            what = f"{door.id} belongs to {self._world.lift_doors[door.id]}: send CALL_LIFT"
            raise Refused("STATUS_FORBIDS", what)
        if closes and door.id not in self._world.doors:
            what = "doors of this world stay open: put them into it with doors = true"
            raise Refused("NOT_SUPPORTED", what)
        return door

    # Places

    @property
    def _world(self) -> SiteWorld:
        assert self._site is not None
        return self._site

    def _distance_m(self, name: str) -> float:
        x, y, _ = self._machine.drive.pose
        node = self._world.graph.nodes[name]
        return math.hypot(node.x - x, node.y - y)


def _selected(kind: str, devices: list[Device], wanted: str | None) -> list[Device]:
    """Return the device with this id, or all if no id is given. Raises Refused."""
    if not devices:
        raise Refused("NOT_SUPPORTED", f"this world has no {kind}s: use a layout with some")
    found = [one for one in devices if wanted is None or one.id == wanted]
    if not found:
        known = ", ".join(one.id for one in devices[:8])
        raise Refused("INVALID_PARAMS", f"{kind}Id: there is no {wanted!r}; there is {known}")
    return found
