"""The messages of shards about the things of a layout, as plain data."""

from collections.abc import Iterable
from typing import Any, Protocol

import msgspec

from rigless.kernel.plain import to_builtins
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.timing.rate import to_ns
from rigless.worlds.layout.devices import BeltState, LiftState
from rigless.worlds.layout.doors import leaf_pose
from rigless.worlds.layout.model import Door, Lift
from rigless.worlds.layout.sharing import requests
from rigless.worlds.layout.sharing.state import DoorNow, Request
from rigless.worlds.layout.stock import Stock

REMEMBERED_S = 60.0  # answers, for requests that arrive again


class Site(requests.Site, Protocol):
    """The parts of a world with a layout that messages describe."""

    doors: dict[str, Door]
    lifts: dict[str, Lift]
    all_things: set[str]


class Things(msgspec.Struct, omit_defaults=True):
    """The state of things by their ids."""

    stations: dict[str, Stock] = {}
    belts: dict[str, BeltState] = {}
    chargers: dict[str, str] = {}  # the robots that use them; "" is none
    lifts: dict[str, LiftState] = {}
    doors: dict[str, DoorNow] = {}


class Message(msgspec.Struct, omit_defaults=True):
    """A message of one shard to all others."""

    things: Things = msgspec.field(default_factory=Things)
    loads_made: int = 0
    requests: list[Request] = []
    answers: list[Request] = []  # requests with their answers


def message_of(
    site: Site,
    things: Iterable[str],
    asked: list[Request],
    answers: list[Request],
) -> dict[str, Any]:
    """Return a message as plain data; {} if it is empty."""
    state, found = site.state, Things()
    for thing in sorted(things):
        kind, _, name = thing.partition("/")
        match kind:
            case "stations":
                found.stations[name] = state.stocks[name]
            case "belts":
                found.belts[name] = state.belts[name]
            case "chargers":
                found.chargers[name] = state.claims.get(name, "")
            case "lifts":
                found.lifts[name] = state.lifts[name]
            case "doors" if (leaf := state.obstacles.get(name)) is not None:
                is_open = tuple(leaf.end) == leaf_pose(site.doors[name], True)
                found.doors[name] = DoorNow(is_open, state.door_used_ns.get(name, 0))
    message = Message(found, state.loads_made, asked, answers)
    plain: dict[str, Any] = to_builtins(message)
    return plain if plain.get("things") or asked or answers else {}


def check_message(content: dict[str, Any]) -> None:
    """Raise InputError if this is no message."""
    try:
        msgspec.convert(content, Message)
    except msgspec.ValidationError as error:
        raise InputError(Problem("shard", str(error), "run the same scenario")) from None


def read_message(site: Site, shard: int, content: dict[str, Any], now_ns: int) -> None:
    """Take the things of another shard, or those of this one after its restart, and requests."""
    message, sharing = msgspec.convert(content, Message), site.sharing
    _take_things(site, shard, message.things, now_ns)
    if sharing.is_own(shard):
        site.state.loads_made = max(site.state.loads_made, message.loads_made)
        return
    sharing.settle(site.state.shared, message.answers)
    answered = site.state.shared.answered
    for wanted in message.requests:
        if not sharing.keeps(wanted.thing) or wanted.thing not in site.all_things:
            continue
        known = answered.get(wanted.key)
        if known is None or known.made_ns != wanted.made_ns:
            wanted.answer = requests.carry_out(site, wanted, now_ns)
            known = answered[wanted.key] = wanted
        sharing.answer(known)
    for key, known in list(answered.items()):
        if now_ns - known.made_ns > to_ns(REMEMBERED_S):
            del answered[key]


def _is_on(lift: Lift, state: LiftState) -> bool:
    return all(0 <= floor < len(lift.floors) for floor in (state.floor, state.target))


def _take_things(site: Site, shard: int, things: Things, now_ns: int) -> None:
    """Copy the state of things, as far as the shard keeps them."""
    state = site.state

    def kept(kind: str, name: str) -> bool:
        thing = f"{kind}/{name}"
        return thing in site.all_things and site.sharing.keeper(thing) == shard

    state.stocks |= {k: one for k, one in things.stations.items() if kept("stations", k)}
    state.belts |= {k: one for k, one in things.belts.items() if kept("belts", k)}
    for name, robot in things.chargers.items():
        if kept("chargers", name):
            state.claims.pop(name, None)
            if robot:
                state.claims[name] = robot
    for name, lift in things.lifts.items():
        if kept("lifts", name) and _is_on(site.lifts[name], lift):
            state.lifts[name] = lift
            site.lift(name, now_ns)
    for name, door in things.doors.items():
        if kept("doors", name):
            site.operate_door(name, door.open, now_ns)
            state.door_used_ns[name] = door.used_ns
