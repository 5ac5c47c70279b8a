"""The WebSocket clients and the robots that they look at.

While there are clients, the robots that they subscribe to are drawn 60 times per second, and each
client gets the frames that are due for it. Status, robot states and map objects are sent ten times
per second. Commands from clients (drive, jog, emergency stop) go to the robots through their views.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from math import copysign, inf
from typing import Any

from rigless.host.api.control import describe_robot, list_snapshots, status_of, summarise
from rigless.host.host import Host
from rigless.host.yielder import not_driving
from rigless.kernel.drawing import Drive, Jog, View
from rigless.kernel.events import Event
from rigless.kernel.inputs import AnyInput
from rigless.kernel.plain import to_builtins, to_json
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.panel.fleet.feed import FleetFeed
from rigless.panel.goals.desk import GoalDesks
from rigless.panel.history.feed import Feed
from rigless.panel.map_objects import list_objects, list_robots, world_numbers, world_of
from rigless.panel.places.zones import Zones
from rigless.panel.player import Player
from rigless.panel.program_api import ProgramDesks
from rigless.panel.stream.client import Client
from rigless.panel.stream.robot_stream import RobotStream, no_path
from rigless.panel.stream.sources import LiveSource, Source
from rigless.panel.wire.feeds import WireFeeds

TICKS_PER_S = 60
STATUS_EVERY = 6  # ticks between two statuses
PLOTTED = ("live", "recording")  # the sources that have signals
MANY_ROBOTS = 64  # with more, only every tenth status lists them
LIST_EVERY = 10 * STATUS_EVERY
OBJECTS_SHARE = 0.1  # of one core, for the objects on maps
COMMAND_TIMEOUT_S = 1.0  # a drive or jog command that is not repeated expires


class Hub:
    """Serves all clients of one host. `extra_status` adds fields to the status message."""

    def __init__(
        self,
        host: Host,
        sources: Iterable[Source] = (),
        extra_status: Callable[[], dict[str, Any]] | None = None,
    ):
        self.host = host
        self.live = LiveSource(host)
        sources = list(sources)
        self.sources: dict[str, Source] = {source.name: source for source in (self.live, *sources)}
        player = next((source for source in sources if isinstance(source, Player)), None)
        self.feed = Feed(host, player)
        self.clients: set[Client] = set()
        self.wire = WireFeeds(self.sources)
        self.fleet = FleetFeed(self.sources, self.view)
        self.frames_drawn = 0  # for tests and measurements
        self.desks = ProgramDesks(host)
        self.goals = GoalDesks(host)
        self.zones = Zones(host)
        self._extra_status = extra_status or dict
        self._streams: dict[tuple[str, str], RobotStream] = {}
        self._views: dict[str, View] = {}
        self._last_number = 0
        self._list_robots = True  # with the next status
        self._objects_due_s = 0.0
        self._task: asyncio.Task[None] | None = None

    # Clients and subscriptions

    def add(self, client: Client) -> None:
        """Add a client and send it the status."""
        if not self.clients:
            self.host.sim.core.listeners.event.append(self._event)
        self.clients.add(client)
        self._list_robots = True
        self._send_states({client})
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def remove(self, client: Client) -> None:
        """Remove a client and stop the robots that it moves."""
        self.clients.discard(client)
        self.wire.unsubscribe(client)
        self.feed.unsubscribe(client)
        self.fleet.unsubscribe(client)
        for robot in list(client.driving):
            self._release(client, robot)
        if not self.clients:
            self.host.sim.core.listeners.event.remove(self._event)
        self._stop_unused_streams()

    async def close(self) -> None:
        """Stop the tasks, and the programs that it streams to robots."""
        await self.desks.close()
        await self.goals.close()
        await self.zones.close()
        self.wire.close()
        await self.feed.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def subscribe(self, client: Client, source: str, robots: dict[str, int]) -> None:
        """Replace a client's subscriptions: robots, and frames per second of each."""
        if source not in self.sources:
            raise unknown("stage", source, self.sources)
        streams = {}
        for robot, hz in robots.items():
            streams[self._stream(source, robot)] = TICKS_PER_S // hz
        client.subscribe(streams, source)
        self._stop_unused_streams()
        for stream in streams:
            stream.record(True)
            stream.update(force=True)
            self._offer(client, stream)
        self._send_states({client})

    def _renew(self, client: Client, old: RobotStream) -> None:
        """Subscribe a client to its robots in the recording that was opened, where it has them."""
        sim = old.source.sim
        if sim is None or old not in client.streams:
            return
        rates = {stream.robot: TICKS_PER_S // every for stream, every in client.streams.items()}
        kept = {robot: hz for robot, hz in rates.items() if robot in sim.robots}
        self.subscribe(client, old.source.name, kept)

    def plot(self, client: Client, number: int, stage: str, signals: list[str]) -> None:
        """Replace a client's signals, whose new points it gets."""
        if stage not in PLOTTED:
            raise unknown("stage", stage, PLOTTED)
        if signals:
            self.feed.subscribe(client, number, stage, signals)
        else:
            self.feed.unsubscribe(client)

    def _stream(self, source_name: str, robot: str) -> RobotStream:
        source = self.sources[source_name]
        if source.sim is None:
            raise InputError(Problem(source_name, "no recording is open", "open one first"))
        if robot not in source.sim.robots:
            raise unknown("robot", robot, source.sim.robots)
        stream = self._streams.get((source_name, robot))
        if stream is None or stream.failure or stream.sim is not source.sim:
            if stream is not None:
                stream.record(False)
            self._last_number = (self._last_number + 1) & 0xFFFF  # it is sent as two bytes
            path_of = self.feed.path_of if source is self.live else no_path
            stream = RobotStream(source, source.sim, robot, self._last_number, path_of)
            self._streams[source_name, robot] = stream
        return stream

    def _stop_unused_streams(self) -> None:
        """Stop sampling robots without subscribers. Their samples are kept for later ones."""
        used = {stream for client in self.clients for stream in client.streams}
        for stream in self._streams.values():
            if stream not in used:
                stream.record(False)

    # 60 times per second

    async def _run(self) -> None:
        tick = 0
        due = time.monotonic()
        while self.clients:
            ahead = due - time.monotonic()
            await asyncio.sleep(max(0.0, ahead))
            if ahead < -0.25:
                due = time.monotonic()  # the machine was busy: skip the missed ticks
            step = (
                1
                if any(client.streams or client.truth_every for client in self.clients)
                or self.wire.searching
                or self.fleet.active
                else STATUS_EVERY
            )
            try:
                self._tick(tick)
            except Exception as error:  # user code
                self._send_trouble("", f"{type(error).__name__}: {error}")
            step -= tick % step  # align with the ticks that send a status
            tick += step
            due += step / TICKS_PER_S

    def _tick(self, tick: int) -> None:
        status_due = tick % STATUS_EVERY == 0
        due: dict[RobotStream, list[Client]] = {}
        for client in self.clients:
            for stream, every in client.streams.items():
                if tick % every == 0:
                    due.setdefault(stream, []).append(client)
        for stream, clients in due.items():
            if stream.sim is not stream.source.sim:  # a recording was opened or closed
                for client in clients:
                    self._renew(client, stream)
                continue
            before = stream.sequence
            stream.update(force=status_due)
            self.frames_drawn += stream.sequence != before
            for client in clients if status_due or not stream.failure else ():
                self._offer(client, stream)
        self.fleet.tick(tick)
        truth_due = [
            client
            for client in self.clients
            if client.truth_every and tick % client.truth_every == 0
        ]
        truth = self._truth() if truth_due else b""
        for client in truth_due:
            client.set_newest("truth", truth)
        if status_due or self.wire.searching:
            self.wire.tick()
        if status_due:
            for client in self.clients:
                client.make_room()
            self._stop_expired_commands()
            self._send_states(self.clients, tick)
            self.feed.offer()

    def _offer(self, client: Client, stream: RobotStream) -> None:
        if stream.failure:
            self._send_trouble(stream.robot, stream.failure, {client})
        else:
            client.offer_frame(stream)

    def _send_trouble(self, robot: str, text: str, clients: Iterable[Client] | None = None) -> None:
        message = to_json({"type": "trouble", "robot": robot, "text": text})
        for client in self.clients if clients is None else clients:
            client.set_newest(f"trouble {robot}", message)

    # Ten times per second, and not more often than frames

    def _send_states(self, clients: Iterable[Client], tick: int = 0) -> None:
        """Send status, robot states, listings and map objects; encode each message once."""
        status: bytes | None = None
        listing = self._list_robots or tick % LIST_EVERY == 0
        listing = listing or len(self.host.sim.robots) <= MANY_ROBOTS
        objects_due, objects_s = time.monotonic() >= self._objects_due_s or tick == 0, 0.0
        encoded: dict[tuple[str, str], bytes] = {}
        numbers: dict[str, dict[str, int]] = {}  # source → world numbers
        for client in clients:
            if client.status:
                status = status or to_json(self.status(listing))
                client.set_newest("status robots" if listing else "status", status)
            sim = self.sources[client.source].sim if client.source else None
            shown_worlds = {0: (sim, sim.world)} if sim is not None and not client.streams else {}
            for stream, every in client.streams.items():
                source = stream.source
                if stream.sim is not source.sim or tick % every:
                    continue
                if source.name not in numbers:
                    numbers[source.name] = world_numbers(stream.sim)
                number = numbers[source.name][stream.robot]
                shown_worlds[number] = (stream.sim, world_of(stream.sim, stream.robot))
                key = (source.name, stream.robot)
                if key not in encoded:
                    state = self._robot_state(stream)
                    encoded[key] = to_json({"type": "robot", "stage": source.name, **state})
                client.set_newest(f"robot {key}", encoded[key])
                key = (source.name, f"listings {stream.robot}")
                if key not in encoded:
                    encoded[key] = stream.listings()
                client.update_listings(stream, encoded[key])
            robots = not self.fleet.shows(client)  # else it has them from there
            for number, (sim, world) in shown_worlds.items() if objects_due else ():
                key = (client.source, f"around {number} {robots}")
                if key not in encoded:
                    begin_s = time.monotonic()
                    message = {"type": "around", "stage": client.source, "world": number}
                    things = list_objects(sim, world, number, robots)
                    encoded[key] = to_json({**message, "things": things})
                    objects_s += time.monotonic() - begin_s
                client.set_newest(f"around {client.source} {number}", encoded[key])
        self._list_robots = self._list_robots and status is None
        if objects_due:
            self._objects_due_s = time.monotonic() + objects_s / OBJECTS_SHARE

    def _robot_state(self, stream: RobotStream) -> Mapping[str, Any]:
        robot = stream.sim.robots[stream.robot]
        if stream.source is self.live:
            described = describe_robot(self.host, robot)
            more = {
                "program": self.desks.status(stream.robot),
                "goal": self.goals.status(stream.robot),
                "movable": robot.can_relocate,
            }
            return {**described, **{key: found for key, found in more.items() if found}}
        return {
            "name": robot.name,
            "status": status_of(robot),
            "ports": [],
            "inputs": to_builtins(robot.input),
            "metrics": to_builtins(robot.metrics),
            "faults": [to_builtins(fault) for fault in robot.faults],
        }

    def status(self, robots: bool = True) -> dict[str, Any]:
        """Return the status message: the run as a whole, with a short entry per robot."""
        host = self.host
        return {
            "type": "status",
            **summarise(host),
            "snapshots": list_snapshots(host),
            "zones": self.zones.all(),
            **({"robots": self._list_all()} if robots else {}),
            **self._extra_status(),
        }

    def _list_all(self) -> list[dict[str, Any]]:
        return [
            {**robot, "stop": self._stopped(robot["name"]), "alarm": self._alarm(robot["name"])}
            for robot in list_robots(self.host.sim)
        ]

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
            if client.events and client.takes_event():
                message = message or _encode_event(event)
                client.enqueue(message)

    # Commands to robots, through their views

    def view(self, robot: str) -> View:
        """Return the view of a live robot, through which commands go."""
        view, current = self._views.get(robot), self.host.sim.robot(robot)
        if view is None or view.robot is not current:
            view = self._views[robot] = current.view()
        return view

    def apply(self, inputs: Iterable[AnyInput]) -> None:
        """Apply inputs to the live simulation now."""
        for one_input in inputs:
            self.host.apply(one_input)

    def drive(self, client: Client, robot: str, forward: float, left: float, turn: float) -> None:
        """Drive a robot for a client until the command expires; zeros stop it."""
        view = self.view(robot)
        if not any(isinstance(part, Drive) for part in view.parts):
            raise InputError(
                Problem(robot, "cannot be driven from here", "its view has no Drive part")
            )
        moves = bool(forward or left or turn)
        if robot in client.blocked:
            client.blocked.difference_update(() if moves else (robot,))
            return
        self.apply(view.drive(forward, left, turn))
        if moves:
            client.driving[robot] = time.monotonic() + COMMAND_TIMEOUT_S
        else:
            client.driving.pop(robot, None)

    def jog(
        self, client: Client, robot: str, axis: int, by: float, speed: float, hold: bool
    ) -> None:
        """Move an axis by a step.

        With `hold`, move it in the direction of `by` until the command expires; `by` of 0 stops it.
        """
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
            client.blocked.discard(robot)
            self._release(client, robot)
        elif robot in client.blocked:
            return
        elif not hold:
            longest = max(part.steps)
            if abs(by) > longest:
                raise InputError(
                    Problem("by", f"{by:g} is too large a step", f"at most {longest:g}")
                )
            self.apply(view.jog(axis, by, speed))
        else:
            motion = (axis, copysign(inf, by), speed)
            if client.jogging.get(robot) != motion:
                if robot in client.jogging:
                    self._release(client, robot)
                self.apply(view.jog(*motion))
            client.jogging[robot] = motion
            client.driving[robot] = time.monotonic() + COMMAND_TIMEOUT_S

    def _stop_expired_commands(self) -> None:
        now = time.monotonic()
        for client in self.clients:
            for robot in [robot for robot, end in client.driving.items() if now > end]:
                self._release(client, robot)

    def _release(self, client: Client, robot: str) -> None:
        client.driving.pop(robot, None)
        client.jogging.pop(robot, None)
        try:
            view = self.view(robot)
            self.apply([*view.drive(0.0, 0.0, 0.0), *view.halt()])
        except Exception as error:
            self._send_trouble(robot, f"{robot} cannot be stopped: {type(error).__name__}: {error}")

    def emergency_stop(self, on: bool, robot: str = "") -> list[str]:
        """Set or release the emergency stop of one robot, or of all that have one.

        Return their names.
        """
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
                with not_driving(self.host.yielders):  # after the stop they go on at once
                    self.apply(self.view(name).stop(on))
                for client in self.clients if on else ():
                    if client.driving.pop(name, None) is not None:
                        client.blocked.add(name)  # a key that is still held must not move it again
            except Exception as error:  # user code; the others are stopped anyway
                broken.append(
                    Problem(
                        name, f"cannot be stopped: {type(error).__name__}: {error}", "pause instead"
                    )
                )
        self._list_robots = True
        if broken:
            raise InputError(broken)
        return stopped

    def _alarm(self, robot: str) -> dict[str, str] | None:
        """Return the alarm of a robot; None if there is none, or its view fails."""
        try:
            alarm = self.view(robot).alarm
        except Exception:  # user code
            return None
        return None if alarm is None else {"text": alarm.text, "fix": alarm.fix}

    def _stopped(self, robot: str) -> bool | None:
        """State of a robot's emergency stop; None if it has none, or its view fails."""
        try:
            return self.view(robot).stopped
        except InputError:
            raise
        except Exception:
            return None


def event_fields(event: Event) -> dict[str, Any]:
    """Return the fields of an event for the API, with its time in seconds."""
    return {
        "time_s": event.time_ns / 1e9,
        "robot": event.robot,
        "code": event.code,
        "severity": event.severity,
        "text": event.text,
        "data": event.data,
    }


def _encode_event(event: Event) -> bytes:
    """Encode an event as JSON, without its data if they have no JSON form (a bug of the robot)."""
    try:
        return to_json({"type": "event", **event_fields(event)})
    except (TypeError, ValueError):
        return to_json(
            {"type": "event", **event_fields(event), "text": ascii(event.text), "data": {}}
        )
