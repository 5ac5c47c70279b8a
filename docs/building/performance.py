"""The performance page: what matters at a glance beside its peers, then all figures."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from building.places import ROOT
from building.reference.tables import table

TITLES = {
    "lidar": "Rays of a lidar",
    "batch": "Batches and environments",
    "kernel": "Kernel: timers, pace, round trips, recording",
    "vacuum": "Vacuum",
    "pacbot": "Pacbot",
    "rover": "Rover",
    "welder": "Welder",
    "weld_cell": "Weld cell",
    "agv": "AGV",
    "fleet": "Large fleets",
    "vda5050": "VDA 5050",
    "programs": "Programs under test",
    "sweep": "Sweeps",
    "panel": "Panel",
}  # by the names of the benchmarks, in the order of the page
GLANCE = (
    ("exact rays/s of scans, map of 500 × 500, one core",
     "batch.rays.500.scans.rays_per_s_one_core",
     "a walk through the cells, in numba", "lidar.map_500.dda_rays_per_s"),
    ("the same for a lidar of 360 beams", "lidar.rays_per_s",
     "MuJoCo", "lidar.peers.mujoco.rays_per_s"),
    ("", "lidar.rays_per_s", "IR-SIM", "lidar.peers.irsim.rays_per_s"),
    ("environment steps/s, 36 beams, one core",
     "batch.environment_steps.36.steps_per_s_one_core", "IR-SIM", "batch.peers.irsim.steps_per_s"),
    ("periodic timers: events/s", "kernel.tickers_100.events_per_s",
     "simpy", "kernel.tickers_100.simpy_events_per_s"),
    ("TCP round trip through the host, µs", "kernel.echo.p50_us",
     "a bare asyncio server", "kernel.echo.asyncio_p50_us"),
    ("a message recorded, µs", "kernel.recording.added_us",
     "the bare MCAP writer", "kernel.recording.bare_mcap_us"),
    ("vacuum, every packet encoded, × real time", "vacuum.encoded_x", "", ""),
    ("vacuum without a listener, × real time", "vacuum.silent_x", "", ""),
    ("Pacbot reply, µs", "pacbot.replies.p50_us",
     "a bare ZeroMQ socket", "pacbot.replies.bare_rep_p50_us"),
    ("rover, all ROS 2 messages built, × real time", "rover.messages_built_x", "", ""),
    ("rovers at their rates in one process, of up to 80",
     "rover.live.rovers_that_hold_their_rates", "", ""),
    ("welder, welding, × real time", "welder.welding_x", "", ""),
    ("cycle time against the firmware, worst, %",
     "welder.planner_bound_error_percent.worst", "", ""),
    ("one configuration against collisions, µs", "weld_cell.weld_table.configuration_us",
     "coal through pinocchio", "weld_cell.weld_table.pair_loop_us"),
    ("AGV messages/s, each acknowledged", "agv.publishing.rigless.acked_per_s",
     "nats-py with a window", "agv.publishing.nats_py.windowed_per_s"),
    ("AGVs at 23 messages/s in one process, of up to 400",
     "agv.robots_that_hold_their_rates", "", ""),
    ("VDA 5050 order to state, ms", "vda5050.order_to_state.p50_ms", "", ""),
    ("sweep on two workers, runs/min", "sweep.local_2_workers.runs_per_minute",
     "a Python loop over `rigless.load`", "sweep.plain_loop_runs_per_minute"),
    ("", "sweep.local_2_workers.runs_per_minute",
     "`rigless check` for each run", "sweep.check_per_run_runs_per_minute"),
    ("the panel open in a browser, share of a core", "panel.browser.server_cpu_share",
     "nobody looks", "panel.nobody_cpu_share"),
)  # fmt: skip
INTRO = """# Performance

The figures of one machine, measured by `make bench-report`, which writes this page. On your
machine: `rigless bench NAME`. Peers are measured in the same run; those that are not installed are
left out.

Higher is better for figures in `/s`, `/min` and `× real time`, lower for times. Figures of one core
are in CPU time, so that other load disturbs them little; those of several cores and of real time
need a quiet machine.

"""
GPU = """## Batches on a graphics processor

![Robot ticks a second of vacuums, Pacbots and rovers on one NVIDIA H200](../pictures/gpu-batch.svg)

Each robot of a batch has the bits of its simulation on the CPU. See
[the measurement](../measurements/2026-11-19-h200-third.txt) and [batches](../reference/batch.md).
"""


def page(measured: Mapping[str, Any]) -> str:
    """Return the page from `{"machine": …, "benchmarks": {name: {"when": …, "figures": …}}}`."""
    benchmarks = measured["benchmarks"]
    figures = {name: one["figures"] for name, one in benchmarks.items()}
    parts = [INTRO, "## The machine\n\n", table(("", ""), [*measured["machine"].items()]), "\n"]
    if rows := [*glances(figures)]:
        head = ("", "rigless", "peer", "of the peer", "ratio")
        parts += ["## At a glance\n\n", table(head, rows), "\n"]
    for name in TITLES:
        if name in benchmarks:
            parts += section(name, benchmarks[name]["figures"], benchmarks[name]["when"])
    return "".join([*parts, GPU])


def glances(figures: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each line of the table at the top whose figure was measured."""
    for what, path, peer, peer_path in GLANCE:
        ours, theirs = found(figures, path), found(figures, peer_path)
        if ours is not None and theirs:
            yield what, shown(ours), peer, shown(theirs), f"{shown(ours / theirs)}×"
        elif ours is not None and not peer:
            yield what, shown(ours), "", "", ""


def found(figures: Any, path: str) -> float | None:
    """Return the figure at a path with dots, or None."""
    for key in path.split("."):
        if not isinstance(figures, Mapping) or key not in figures:
            return None
        figures = figures[key]
    return float(figures)


def section(name: str, figures: Mapping[str, Any], when: str) -> Iterator[str]:
    """Yield the section of a benchmark: its single figures, then a table for each group."""
    yield f"## {TITLES[name]}\n\n{purpose(name)}\n\n"
    yield f"Measured by `rigless bench {name}` on {when}.\n\n"
    yield from tables("", figures)


def purpose(name: str) -> str:
    """Return the docstring of a benchmark: the figures that it measures, and the conditions."""
    source = (ROOT / "benchmarks" / f"{name}.py").read_text("utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def tables(title: str, figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the single figures of a group as a table, then the groups in it."""
    groups = {key: one for key, one in figures.items() if isinstance(one, Mapping)}
    single = [(f"`{key}`", shown(one)) for key, one in figures.items() if key not in groups]
    if single:
        yield from (f"### {title}\n\n" if title else "", table(("figure", ""), single), "\n")
    while groups:
        key = next(iter(groups))
        alike = [one for one in groups if title or [*groups[one]] == [*groups[key]]]
        of_groups = any(isinstance(one, Mapping) for one in groups[key].values())
        if len(alike) > 1 or (title and not of_groups):  # rows of one table
            rows = {one: flat(groups[one]) for one in alike}
            yield from rows_of(title or _common(alike), rows)
        else:
            alike = [key]
            yield from tables(f"{title} {key}".strip(), groups[key])
        for one in alike:
            del groups[one]


def rows_of(title: str, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    heads = list(dict.fromkeys(head for row in rows.values() for head in row))
    lines = [(key, *(shown(row.get(head, "")) for head in heads)) for key, row in rows.items()]
    yield from (f"### {title}\n\n", table(("", *heads), lines), "\n")


def flat(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a group and of groups in it, by the words of their paths."""
    result = {}
    for key, one in figures.items():
        if isinstance(one, Mapping):
            result |= {f"{key} {inner}": figure for inner, figure in flat(one).items()}
        else:
            result[key] = one
    return result


def _common(names: list[str]) -> str:
    """Return a title for names such as map_250 and map_500."""
    first_words = {one.partition("_")[0] for one in names}
    return first_words.pop() if len(first_words) == 1 else f"{names[0]} to {names[-1]}"


def shown(value: Any) -> str:
    """Return a figure with three digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if value == 0 or 0.001 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1e}"
