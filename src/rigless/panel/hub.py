"""Who looks at what. Sixty times a second, while anybody does, the robots that are looked at are drawn, and everybody who is
due gets the picture; ten times a second goes what changes slowly. Nobody there: nothing is done."""

import asyncio
import time
from collections.abc import Callable, Iterable
from math import copysign, inf
from typing import Any

from rigless.host.api_models import RobotStatus
from rigless.host.control import describe_robot, list_snapshots, status_of, summarise
from rigless.host.host import Host
from rigless.kernel.drawing import Drive, Jog, View
from rigless.kernel.events import Event
from rigless.kernel.inputs import AnyInput
from rigless.kernel.plain import to_builtins, to_json
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.panel.client import Client
from rigless.panel.map_objects import cast, things, world_of, worlds
from rigless.panel.robot_stream import RobotStream
from rigless.panel.sources import LiveSource, Source

TICKS_PER_S = 60
SLOW_EVERY = 6  # ticks between two statuses
DRIVE_STALE_S = 1.0  # a driver who says nothing for so long has let go


class Hub:
    def __init__(
        self,
        host: Host,
        stages: Iterable[Source] = (),
        summary: Callable[[], dict[str, Any]] | None = None,
    ):
        self.host = host
        self.live = LiveSource(host)
        self.stages: dict[str, Source] = {stage.name: stage for stage in (self.live, *stages)}
        self.clients: set[Client] = set()
        self.pictures = 0  # how many were drawn, for tests and measurements
        self._summary = summary or (dict)
        self._watches: dict[tuple[str, str], RobotStream] = {}
        self._views: dict[str, View] = {}
        self._numbers = 0
        self._task: asyncio.Task[None] | None = None

    # Coming and going

    def add(self, client: Client) -> None:
        if not self.clients:
            self.host.sim.core.listeners.event.append(self._event)
        self.clients.add(client)
        self._tell_slowly({client})
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def remove(self, client: Client) -> None:
        self.clients.discard(client)
        for robot in list(client.driving):
            self._let_go(client, robot)
        if not self.clients:
            self.host.sim.core.listeners.event.remove(self._event)
        self._tidy()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def look(self, client: Client, stage: str, robots: dict[str, int]) -> None:
        """What a client looks at from now on: robots, and how many pictures a second of each."""
        if stage not in self.stages:
            raise unknown("stage", stage, self.stages)
        looks = {}
        for robot, hz in robots.items():
            looks[self._watch(stage, robot)] = TICKS_PER_S // hz
        client.look_at(looks, stage)
        self._tidy()
        for watch in looks:
            watch.record(True)
            watch.look(again=True)
            self._offer(client, watch)
        self._tell_slowly({client})

    def _watch(self, stage: str, robot: str) -> RobotStream:
        place = self.stages[stage]
        if place.sim is None:
            raise InputError(Problem(stage, "no recording is open", "open one first"))
        if robot not in place.sim.robots:
            raise unknown("robot", robot, place.sim.robots)
        found = self._watches.get((stage, robot))
        if found is None or found.failure or found.sim is not place.sim:
            if found is not None:
                found.record(False)
            self._numbers = (self._numbers + 1) & 0xFFFF  # pictures have two bytes for it
            found = self._watches[stage, robot] = RobotStream(
                place, place.sim, robot, self._numbers
            )
        return found

    def _tidy(self) -> None:
        """Stop recording what nobody looks at; what was recorded is kept for those who come back."""
        looked_at = {watch for client in self.clients for watch in client.looks}
        for watch in self._watches.values():
            if watch not in looked_at:
                watch.record(False)

    # Sixty times a second

    async def _run(self) -> None:
        tick = 0
        due = time.monotonic()
        while self.clients:
            ahead = due - time.monotonic()
            await asyncio.sleep(max(0.0, ahead))
            if ahead < -0.25:
                due = time.monotonic()  # the machine was busy; ticks that were missed stay missed
            step = (
                1
                if any(client.looks or client.truth_every for client in self.clients)
                else SLOW_EVERY
            )
            try:
                self._tick(tick)
            except (
                Exception
            ) as error:  # what robots tell of themselves is their own code, which may do anything
                self._tell_trouble("", f"{type(error).__name__}: {error}")
            step -= tick % step  # to the next tick that is slow
            tick += step
            due += step / TICKS_PER_S

    def _tick(self, tick: int) -> None:
        slow = tick % SLOW_EVERY == 0
        due: dict[RobotStream, list[Client]] = {}
        for client in self.clients:
            for watch, every in client.looks.items():
                if tick % every == 0:
                    due.setdefault(watch, []).append(client)
        for watch, clients in due.items():
            if watch.sim is not watch.stage.sim:
                continue  # another recording was opened; who looks will ask again
            before = watch.sequence
            watch.look(again=slow)
            self.pictures += watch.sequence != before
            for client in clients if slow or not watch.failure else ():
                self._offer(client, watch)
        listening = [
            client
            for client in self.clients
            if client.truth_every and tick % client.truth_every == 0
        ]
        truth = self._truth() if listening else b""
        for client in listening:
            client.update("truth", truth)
        if slow:
            self._stop_stale_drivers()
            self._tell_slowly(self.clients, tick)

    def _offer(self, client: Client, watch: RobotStream) -> None:
        if watch.failure:
            self._tell_trouble(watch.robot, watch.failure, {client})
        else:
            client.offer(watch)

    def _tell_trouble(self, robot: str, text: str, clients: Iterable[Client] | None = None) -> None:
        for client in self.clients if clients is None else clients:
            client.update(
                f"trouble {robot}", to_json({"type": "trouble", "robot": robot, "text": text})
            )

    # Ten times a second, and no oftener than pictures

    def _tell_slowly(self, clients: Iterable[Client], tick: int = 0) -> None:
        status: bytes | None = None
        told: dict[tuple[str, str], bytes] = {}
        numbers: dict[str, dict[str, int]] = {}  # of the worlds on each stage
        for client in clients:
            if client.status:
                status = status or to_json(self.status())
                client.update("status", status)
            sim = self.stages[client.stage].sim if client.stage else None
            around = {0: (sim, sim.world)} if sim is not None and not client.looks else {}
            for watch, every in client.looks.items():
                key = (watch.stage.name, watch.robot)
                if watch.sim is not watch.stage.sim or tick % every:
                    continue
                if watch.stage.name not in numbers:
                    numbers[watch.stage.name] = worlds(watch.sim)
                around[numbers[watch.stage.name][watch.robot]] = (
                    watch.sim,
                    world_of(watch.sim, watch.robot),
                )
                if key not in told:
                    told[key] = to_json({"type": "robot", "stage": key[0], **self._robot(watch)})
                client.update(f"robot {key}", told[key])
                key = (watch.stage.name, f"listings {watch.robot}")
                if key not in told:
                    told[key] = watch.listings()
                client.show(watch, told[key])
            for number, place in around.items():
                key = (client.stage, f"around {number}")
                if key not in told:
                    found = {"stage": client.stage, "world": number, "things": things(*place)}
                    told[key] = to_json({"type": "around", **found})
                client.update(f"around {key}", told[key])

    def _robot(self, watch: RobotStream) -> RobotStatus:
        robot = watch.sim.robots[watch.robot]
        if watch.stage is self.live:
            return describe_robot(self.host, robot)
        return {
            "name": robot.name, "status": status_of(robot), "ports": [], "inputs": to_builtins(robot.input),
            "metrics": to_builtins(robot.metrics), "faults": [to_builtins(fault) for fault in robot.faults],
        }  # fmt: skip

    def status(self) -> dict[str, Any]:
        """The whole in brief; what one robot's page needs more comes for the robots that are looked at."""
        host = self.host
        return {
            "type": "status",
            **summarise(host),
            "snapshots": list_snapshots(host),
            "robots": [{**robot, "stop": self._stopped(robot["name"])} for robot in cast(host.sim)],
            **self._summary(),
        }

    def _truth(self) -> bytes:
        sim = self.host.sim
        return to_json(
            {
                "type": "truth",
                "time_s": sim.now_s,
                "robots": {name: sim.truth(name) for name in sim.robots},
            }
        )

    def _event(self, time_ns: int, event: Event) -> None:
        message: bytes | None = None
        for client in self.clients:
            if client.events:
                message = message or _tellable(event)
                client.tell(message)

    # Acting on robots, through their views

    def view(self, robot: str) -> View:
        """The view of a live robot, for what can be done with it."""
        found, now = self._views.get(robot), self.host.sim.robot(robot)
        if found is None or found.robot is not now:
            found = self._views[robot] = now.view()
        return found

    def apply(self, inputs: Iterable[AnyInput]) -> None:
        for given in inputs:
            self.host.apply(given)

    def drive(self, client: Client, robot: str, forward: float, left: float, turn: float) -> None:
        view = self.view(robot)
        if not any(isinstance(part, Drive) for part in view.parts):
            raise InputError(
                Problem(robot, "cannot be driven from here", "its view has no Drive part")
            )
        moves = bool(forward or left or turn)
        if robot in client.barred:
            client.barred.difference_update(() if moves else (robot,))
            return
        self.apply(view.drive(forward, left, turn))
        if moves:
            client.driving[robot] = time.monotonic() + DRIVE_STALE_S
        else:
            client.driving.pop(robot, None)

    def jog(
        self, client: Client, robot: str, axis: int, by: float, speed: float, hold: bool
    ) -> None:
        """Move an axis by so much; or, with `hold`, on in the direction of `by` for as long as this is said again. Nought lets go."""
        view = self.view(robot)
        part = next((part for part in view.parts if isinstance(part, Jog)), None)
        if part is None:
            raise InputError(
                Problem(robot, "cannot be jogged from here", "its view has no Jog part")
            )
        if axis >= len(part.axes):
            raise InputError(
                Problem("axis", f"there is no axis {axis}", f"they are 0 to {len(part.axes) - 1}")
            )
        if not by:
            client.barred.discard(robot)
            self._let_go(client, robot)
        elif robot in client.barred:
            return
        elif not hold:
            far = max(part.steps)
            if abs(by) > far:
                raise InputError(Problem("by", f"{by:g} is too far for a step", f"at most {far:g}"))
            self.apply(view.jog(axis, by, speed))
        else:
            grip = (axis, copysign(inf, by), speed)
            if client.jogging.get(robot) != grip:
                if robot in client.jogging:
                    self._let_go(client, robot)
                self.apply(view.jog(*grip))
            client.jogging[robot] = grip
            client.driving[robot] = time.monotonic() + DRIVE_STALE_S

    def _stop_stale_drivers(self) -> None:
        now = time.monotonic()
        for client in self.clients:
            for robot in [robot for robot, stale in client.driving.items() if now > stale]:
                self._let_go(client, robot)

    def _let_go(self, client: Client, robot: str) -> None:
        client.driving.pop(robot, None)
        client.jogging.pop(robot, None)
        try:
            view = self.view(robot)
            self.apply([*view.drive(0.0, 0.0, 0.0), *view.halt()])
        except Exception as error:
            self._tell_trouble(robot, f"{robot} cannot be let go: {type(error).__name__}: {error}")

    def stop(self, on: bool, robot: str = "") -> list[str]:
        """The emergency stop of one robot or of all that have one; gives their names."""
        names = [robot] if robot else list(self.host.sim.robots)
        stopped = [name for name in names if self._stopped(name) is not None]
        if not stopped:
            raise InputError(
                Problem(
                    "estop", f"{robot or 'no robot here'} has no emergency stop", "pause instead"
                )
            )
        broken = []
        for name in stopped:
            try:
                self.apply(self.view(name).stop(on))
                for client in self.clients if on else ():
                    if client.driving.pop(name, None) is not None:
                        client.barred.add(name)  # a key that is still held must not drive on
            except Exception as error:  # one robot's bug does not keep the others from stopping
                broken.append(
                    Problem(
                        name, f"cannot be stopped: {type(error).__name__}: {error}", "pause instead"
                    )
                )
        if broken:
            raise InputError(broken)
        return stopped

    def _stopped(self, robot: str) -> bool | None:
        """Whether the emergency stop of a robot is on; None if it has none, or its view is broken."""
        try:
            return self.view(robot).stopped
        except InputError:
            raise
        except Exception:
            return None


def event_fields(event: Event) -> dict[str, Any]:
    return {
        "time_s": event.time_ns / 1e9,
        "robot": event.robot,
        "code": event.code,
        "severity": event.severity,
        "text": event.text,
        "data": event.data,
    }


def _tellable(event: Event) -> bytes:
    """An event as JSON. One whose data has no such form is the robot's bug, and no reason to break the simulation."""
    try:
        return to_json({"type": "event", **event_fields(event)})
    except (TypeError, ValueError):
        return to_json(
            {"type": "event", **event_fields(event), "text": ascii(event.text), "data": {}}
        )
