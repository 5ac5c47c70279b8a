"""The Pacbot's window and physics, measured together.

Figures are the regularity of 60 frames a second, the time of a frame, and the delay of each of the
100 physics steps a second. With `process` (as in rigless) the window is a process of its own; with
`thread` it shares the host's process.

As a script this is the window's process: it counts its frames and writes the figures to the file in
RIGLESS_WINDOW_TIMES.
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
SIZE = 1200, 1200
SETTINGS = ["game.enabled=true", "game.referee_s=0.5", "game.ghosts=3", "tof.count=8"]
PORTS = [f"ports.{name}=0" for name in ("commands", "sensors", "game", "game_tcp")]
WARM_UP = 30  # frames that are not counted
FEWEST_FRAMES, FEWEST_STEPS = 20, 100  # on a busy machine, measure until there are this many
PATIENCE_S = 60.0


def share(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def of_frames(times: list[tuple[float, float]]) -> dict[str, float]:
    counted = times[WARM_UP:]
    between, work = [a * 1e3 for a, _ in counted], [b * 1e3 for _, b in counted]
    return {
        "frames": len(counted),
        "fps": 1e3 * len(between) / sum(between) if between else 0.0,
        "frame_p50_ms": share(work, 0.5),
        "frame_p99_ms": share(work, 0.99),
        "interval_p99_ms": share(between, 0.99),
    }


def watch_steps(host: Any, late_ms: list[float]) -> None:
    """Record the delay of each physics step."""

    def note() -> None:
        late_ms.append((time.monotonic_ns() - host.pace.wall_at(host.sim.now_ns)) / 1e6)

    host.sim.core.sample(100, note)


def of_steps(late_ms: list[float]) -> dict[str, float]:
    return {
        "steps": len(late_ms),
        "late_p50_ms": share(late_ms, 0.5),
        "late_p99_ms": share(late_ms, 0.99),
    }


def measure(seconds: float = 10.0, arrangement: str = "process") -> dict[str, Any]:
    """Return the figures of one run. Without a display it draws into memory and says so."""
    driver = "" if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") else "dummy"
    if driver:
        os.environ["SDL_VIDEODRIVER"] = driver
    found = asyncio.run(_as_process(seconds)) if arrangement == "process" else _as_thread(seconds)
    return {"arrangement": arrangement, "size": SIZE, "display": driver or "real", **found}


async def _as_process(seconds: float) -> dict[str, Any]:
    from rigless.host.host import Host
    from rigless.robots.pacbot.window.host_link import WindowLink
    from rigless.scenario.load import open_target

    late_ms: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "times.json"
        os.environ["RIGLESS_WINDOW_TIMES"] = str(file)
        host = Host(open_target("pacbot", [*SETTINGS, *PORTS], collect=False))
        await host.open()
        link = WindowLink(host, (sys.executable, __file__), PATIENCE_S)
        try:
            await link.open()
            watch_steps(host, late_ms)
            ending = asyncio.create_task(_end(host, link, late_ms, seconds))
            await host.run()
            ending.cancel()
        finally:
            await link.close()
            await host.close()
        return {**json.loads(file.read_text()), **of_steps(late_ms)}


async def _end(host: Any, link: Any, late_ms: list[float], seconds: float) -> None:
    """Stop after this time and enough frames."""
    await asyncio.sleep(seconds)
    while link.pictures < WARM_UP + FEWEST_FRAMES or len(late_ms) < FEWEST_STEPS:
        await asyncio.sleep(0.02)
    host.stop()


def _as_thread(seconds: float) -> dict[str, Any]:
    """Run the host in a thread and the window on the main one."""
    from rigless.host.serve import serve
    from rigless.robots.pacbot.window.host_link import WindowLink
    from rigless.robots.pacbot.window.main import Window, open_display

    class Direct:
        def send(self, message: Any) -> None:
            self.answers = served.call(lambda host: link.answer(message.scene))

        def receive(self, patience_s: float) -> Any:
            return self.answers.pop(0)

    late_ms: list[float] = []
    open_display()
    with serve("pacbot", settings=SETTINGS) as served:
        link = served.call(lambda host: WindowLink(host, ()))
        window = Window(Direct(), size=SIZE)  # type: ignore[arg-type]
        served.call(lambda host: watch_steps(host, late_ms))
        end = time.monotonic() + seconds

        def step() -> None:
            Window.step(window)
            enough = len(window.times) >= WARM_UP + FEWEST_FRAMES and len(late_ms) >= FEWEST_STEPS
            window.keys.closing = enough and time.monotonic() > end

        window.step = step  # type: ignore[method-assign]
        window.run()
    return {**of_frames(list(window.times)), **of_steps(late_ms)}


def _window() -> None:
    from rigless.robots.pacbot.window.main import Connection, Window, open_display
    from rigless.robots.pacbot.window.messages import Hello

    open_display()
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        line = Connection(connection)
        window = Window(line, sys.argv[2], SIZE)
        line.send(Hello())
        window.run()
    Path(os.environ["RIGLESS_WINDOW_TIMES"]).write_text(json.dumps(of_frames(list(window.times))))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1].isdigit():
        _window()
    else:
        for which in sys.argv[2:] or ["process", "thread"]:
            print(json.dumps(measure(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0, which)))
