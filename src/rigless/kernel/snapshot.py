"""Snapshots: the complete state of a simulation as plain data.

A snapshot holds the state of robots and world, timers, random streams, links with the pending bytes
of their codecs, faults and the clock. In a file it is msgpack after a versioned header; no pickle.
"""

import zlib
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.faults import Fault
from rigless.kernel.loop.listeners import Output
from rigless.kernel.plain import pack, unpack
from rigless.kernel.ports import Link
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.streams import Streams
from rigless.kernel.world import World

if TYPE_CHECKING:
    from rigless.kernel.loop.core import Core

MAGIC = b"RIGLESS SNAPSHOT "
FORMAT = 1


class SavedRobot(msgspec.Struct, frozen=True):
    """The state of one robot."""

    kind: str
    config: bytes
    state: bytes
    input: bytes
    metrics: dict[str, int | float]
    actuated: dict[str, float]
    faults: bytes
    rates: dict[str, tuple[int, int, int, int]]


class SavedLink(msgspec.Struct, frozen=True):
    """A link with the pending bytes of its codec."""

    robot: str
    port: str
    id: int
    peer: str
    local: str
    codec: bytes


class Snapshot(msgspec.Struct, frozen=True):
    """The complete state of a simulation at one instant.

    saved = sim.snapshot()
    sim.run(seconds=1.0)
    sim.restore(saved)
    """

    now_ns: int
    seed: int
    next_order: int
    next_link: int
    next_fault: int
    origin: dict[str, str]
    robots: dict[str, SavedRobot]
    world: bytes
    streams: bytes
    links: list[SavedLink]
    encoders: dict[str, bytes]
    lanes: dict[str, int]
    due: list[tuple[int, int, str, bytes]]
    worlds: dict[str, bytes] = {}  # other worlds than the main one, by the first robot in each
    noise: dict[str, int | str] | msgspec.UnsetType = msgspec.UNSET  # of single streams
    events: bytes = b""  # of robots at time zero, so that a recording from there holds them

    def __repr__(self) -> str:
        names = ", ".join(self.robots)
        return f"<Snapshot {names} at {self.now_ns / 1e9:g} s, seed {self.seed}>"

    def to_bytes(self) -> bytes:
        """Return the content of a snapshot file."""
        body = msgspec.msgpack.encode(self)
        return MAGIC + f"{FORMAT} {zlib.crc32(body):08x}\n".encode() + body

    @classmethod
    def from_bytes(cls, data: bytes) -> "Snapshot":
        """Read the content of a snapshot file. Raises InputError."""
        head, _, body = data.partition(b"\n")
        if not head.startswith(MAGIC):
            raise InputError(
                Problem(
                    "snapshot",
                    "this is not a rigless snapshot",
                    "make one with: rigless ctl snapshot FILE",
                )
            )
        version, _, checksum = head[len(MAGIC) :].partition(b" ")
        if version != str(FORMAT).encode():
            raise InputError(
                Problem(
                    "snapshot",
                    f"format {version.decode(errors='replace')} is not {FORMAT}",
                    "take a new one with this version of rigless",
                )
            )
        if checksum != f"{zlib.crc32(body):08x}".encode():
            raise InputError(
                Problem("snapshot", "the file is damaged (its checksum differs)", "take a new one")
            )
        try:
            return msgspec.msgpack.decode(body, type=cls)
        except msgspec.DecodeError as error:
            raise InputError(
                Problem("snapshot", f"the file cannot be read: {error}", "take a new one")
            ) from None


ARGUMENTS: dict[str, Any] = {
    "timer": tuple[str, str, tuple[Any, ...]],
    "input": tuple[str, inp.AnyInput],
    "deliver": inp.Arrive,
    "transmit": Output,
    "fault-end": tuple[str, int],
}


def take(core: "Core") -> Snapshot:
    """Return a snapshot of the simulation as it is now."""
    robots = {
        name: SavedRobot(
            kind=type(robot).__qualname__,
            config=pack(robot.config.model_dump(mode="json")),
            state=pack(robot.state),
            input=pack(robot.input),
            metrics=dict(robot.metrics),
            actuated={name: float(value) for name, value in robot.actuated.items()},
            faults=pack(robot.faults),
            rates={
                method: ticker.save()
                for (owner, method), ticker in core.tickers.items()
                if owner == name
            },
        )
        for name, robot in core.robots.items()
    }
    links = core.links
    return Snapshot(
        now_ns=core.now_ns,
        seed=core.seed,
        next_order=core.agenda.next_order,
        next_link=links.next_link,
        next_fault=core.input_handler.next_fault,
        origin=dict(core.origin),
        robots=robots,
        world=pack(core.world.state),
        worlds={name: pack(world.state) for name, world in _own_worlds(core).items()},
        streams=pack(core.streams.save()),
        noise=dict(core.noise) or msgspec.UNSET,
        links=[
            SavedLink(robot, port, link.id, link.peer, link.local, pack(link.codec))
            for (robot, port), peers in links.by_port.items()
            for link in peers.values()
        ],
        encoders={
            f"{robot}\0{port}": pack(codec) for (robot, port), codec in links.encoders.items()
        },
        lanes=dict(links.lanes),
        due=[
            (time_ns, rank, action, pack(argument))
            for time_ns, rank, action, argument in core.agenda.pending()
        ],
        events=pack([event for event in core.events if event.robot]) if core.now_ns == 0 else b"",
    )


def _own_worlds(core: "Core") -> dict[str, World]:
    """Return the worlds other than the main one, by the name of the first robot in each."""
    found: dict[int, str] = {}
    for name, world in core.worlds.items():
        if world is not core.world:
            found.setdefault(id(world), name)
    return {name: core.worlds[name] for name in found.values()}


def check(core: "Core", saved: Snapshot) -> None:
    """Raise InputError unless the robots and their configs are those of the snapshot."""
    here = {
        name: (type(robot).__qualname__, pack(robot.config.model_dump(mode="json")))
        for name, robot in core.robots.items()
    }
    there = {name: (robot.kind, robot.config) for name, robot in saved.robots.items()}
    fix = "restore it into the simulation it was taken from"
    problems = [
        Problem("snapshot", f"has no robot {name!r}", fix) for name in here if name not in there
    ]
    problems += [
        Problem("snapshot", f"robot {name!r} is not in this simulation", fix)
        for name in there
        if name not in here
    ]
    for name in sorted(here.keys() & there.keys()):
        if here[name] != there[name]:
            problems.append(
                Problem(
                    "snapshot",
                    f"robot {name!r} was another kind or had another config",
                    "start with the config it was taken with",
                )
            )
    if problems:
        raise InputError(problems)


class _Unpacked:
    """A decoded snapshot. One that does not fit is rejected before anything is changed."""

    def __init__(self, core: "Core", saved: Snapshot):
        self.world = unpack(saved.world, type(core.world.state))
        self.worlds = {
            name: unpack(saved.worlds[name], type(world.state))
            for name, world in _own_worlds(core).items()
            if name in saved.worlds
        }
        self.noise = {} if saved.noise is msgspec.UNSET else dict(saved.noise)
        self.streams = Streams(saved.seed, self.noise, core.streams.names)
        self.streams.load(unpack(saved.streams, dict[str, Any]))
        self.robots = {}
        for name, robot in core.robots.items():
            kept = saved.robots[name]
            given = unpack(kept.input, dict[str, Any])
            if given.keys() != robot.inputs.keys():
                raise ValueError(f"the inputs of {name} differ")
            if kept.rates.keys() != {method for owner, method in core.tickers if owner == name}:
                raise ValueError(f"the rates of {name} differ")
            self.robots[name] = (
                unpack(kept.state, robot.State),
                given,
                unpack(kept.faults, list[Fault]),
            )
        codecs = {place: type(codec) for place, codec in core.links.encoders.items()}
        self.encoders = {
            _place(key): unpack(data, codecs[_place(key)]) for key, data in saved.encoders.items()
        }
        if self.encoders.keys() != codecs.keys():
            raise ValueError("the ports differ")
        self.links: dict[tuple[str, str], dict[int, Link]] = {place: {} for place in codecs}
        for link in saved.links:
            place = (link.robot, link.port)
            codec = unpack(link.codec, codecs[place])
            self.links[place][link.id] = Link(link.port, link.id, link.peer, link.local, codec)
        self.due = [
            (time_ns, rank, action, unpack(data, ARGUMENTS[action]))
            for time_ns, rank, action, data in saved.due
        ]
        self.events = [event for event in core.events if event.time_ns <= saved.now_ns]
        if saved.events:
            of_host = [event for event in self.events if not event.robot]
            self.events = unpack(saved.events, list[Event]) + of_host


def _place(key: str) -> tuple[str, str]:
    robot, _, port = key.partition("\0")
    return robot, port


def restore(core: "Core", saved: Snapshot) -> None:
    """Set the simulation to a snapshot. Listeners stay. Raises InputError."""
    check(core, saved)
    try:
        parts = _Unpacked(core, saved)
    except (ValueError, KeyError, TypeError, msgspec.MsgspecError) as error:
        raise InputError(
            Problem("snapshot", f"does not fit this simulation: {error}", "take a new one")
        ) from None
    core.seed, core.noise, core.streams = saved.seed, parts.noise, parts.streams
    core.input_handler.next_fault = saved.next_fault
    core.world.state = parts.world
    for name, state in parts.worlds.items():
        core.worlds[name].state = state
    core.events = deque(parts.events, core.events.maxlen)
    for name, robot in core.robots.items():
        robot.state, robot.input, robot.faults = parts.robots[name]
        robot.metrics = dict(saved.robots[name].metrics)
        robot.actuated = dict(saved.robots[name].actuated)
        for method, rate in saved.robots[name].rates.items():
            core.tickers[name, method].load(*rate)
    core.links.next_link, core.links.lanes = saved.next_link, dict(saved.lanes)
    core.links.encoders, core.links.by_port = parts.encoders, parts.links
    core.links.passages.clear()
    core.agenda.load(saved.now_ns, saved.next_order, parts.due, list(core.tickers.values()))
    core.rearm_samples()
    core.join_ticks()
