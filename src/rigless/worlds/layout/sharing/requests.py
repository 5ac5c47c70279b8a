"""Requests of robots, carried out by the shard that keeps the thing."""

from typing import Protocol

from rigless.worlds.layout.devices import LiftState
from rigless.worlds.layout.model import Station
from rigless.worlds.layout.sharing.keepers import Sharing
from rigless.worlds.layout.sharing.state import Answer, Request, SiteState
from rigless.worlds.layout.stock import Stock


class Site(Protocol):
    """The parts of a world with a layout that requests use."""

    state: SiteState
    sharing: Sharing
    stations: dict[str, Station]

    def stock(self, station: str, now_ns: int, /) -> Stock: ...

    def lift(self, name: str, now_ns: int, /) -> LiftState: ...

    def send_lift(self, name: str, floor: int, now_ns: int, /) -> None: ...

    def operate_door(self, name: str, is_open: bool, now_ns: int, /) -> None: ...


def carry_out(site: Site, wanted: Request, now_ns: int) -> Answer:
    """Let a robot use a thing, if that is possible now."""
    kind, _, name = wanted.thing.partition("/")
    answer = Answer()
    match kind:
        case "chargers":
            answer = _charger(site, wanted, name)
        case "stations":
            answer = _station(site, wanted, name, now_ns)
        case "lifts":
            answer = _lift(site, wanted, name, now_ns)
        case "doors":
            site.operate_door(name, wanted.open, now_ns)
    site.sharing.changed(wanted.thing)
    return answer


def _charger(site: Site, wanted: Request, name: str) -> Answer:
    claims = site.state.claims
    user = claims.get(name, wanted.robot)
    if wanted.action == "release":
        if user == wanted.robot:
            claims.pop(name, None)
    elif wanted.action == "occupy" or user == wanted.robot:
        claims[name] = wanted.robot
    else:
        return Answer(False, f"{user} uses {name}")
    return Answer()


def _station(site: Site, wanted: Request, name: str, now_ns: int) -> Answer:
    stock = site.stock(name, now_ns)
    found = next((load for load in stock.loads if load.id == wanted.load_id), None)
    match wanted.action:
        case "take" if found is None:
            return Answer(False, f"{name} has no such load")
        case "take" | "remove" if found is not None:
            stock.loads.remove(found)
            return Answer(load=found)
        case "put" if len(stock.loads) >= site.stations[name].slots:
            return Answer(False, f"{name} has no free slot")
        case "put" | "return" if found is None and wanted.load is not None:
            stock.loads.append(wanted.load)
            site.stock(name, now_ns)  # a sink begins to count
    return Answer()


def _lift(site: Site, wanted: Request, name: str, now_ns: int) -> Answer:
    car = site.lift(name, now_ns)
    if wanted.action == "leave":
        if wanted.robot in (car.user, car.rider):
            car.release()
    elif not car.is_free(wanted.robot):
        return Answer(False, f"{name} is in use")
    elif wanted.action == "call":
        car.reserve(wanted.robot, now_ns)
        if car.floor != wanted.floor:
            site.send_lift(name, wanted.floor, now_ns)
    elif wanted.action == "ride":
        car.user = car.rider = wanted.robot
        site.send_lift(name, wanted.floor, now_ns)
    return Answer()
