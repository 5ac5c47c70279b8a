"""The loads that stations hold. They are plain state of the world; time brings and takes them."""

from dataclasses import dataclass, field
from typing import Protocol

from rigless.kernel.timing.rate import to_ns
from rigless.worlds.layout.model import Layout, LoadType, Station


@dataclass
class Load:
    """A load, at a station or on a robot."""

    id: str
    type: str
    size_m: tuple[float, float, float]  # length, width, height
    mass_kg: float


@dataclass
class Stock:
    """The loads of a station, oldest first, and when a source or a sink acts next."""

    loads: list[Load] = field(default_factory=list)
    next_ns: int = -1


class Stocks(Protocol):
    """The stocks of a world."""

    stocks: dict[str, Stock]
    loads_made: int
    loads_step: int  # between the numbers of two loads that are made here


def fill(state: Stocks, layout: Layout) -> None:
    """Put the loads of the start on all stations."""
    for station in layout.stations:
        loads = [_make(state, station.load) for _ in range(station.loads)]
        state.stocks[station.id] = Stock(loads)


def settle(state: Stocks, station: Station, now_ns: int) -> Stock:
    """Return the stock of a station after what a source or a sink has done until now."""
    stock, period_ns = state.stocks[station.id], to_ns(station.every_s)
    full, empty = len(stock.loads) >= station.slots, not stock.loads
    if not ((station.kind == "source" and not full) or (station.kind == "sink" and not empty)):
        stock.next_ns = -1
        return stock
    if stock.next_ns < 0:
        stock.next_ns = now_ns + period_ns
    while 0 <= stock.next_ns <= now_ns:
        if station.kind == "source":
            stock.loads.append(_make(state, station.load))
            done = len(stock.loads) >= station.slots
        else:
            stock.loads.pop(0)
            done = not stock.loads
        stock.next_ns = -1 if done else stock.next_ns + max(period_ns, 1)
    return stock


def _make(state: Stocks, kind: LoadType) -> Load:
    state.loads_made += state.loads_step
    return Load(f"L{state.loads_made}", kind.type, kind.size_m, kind.mass_kg)
