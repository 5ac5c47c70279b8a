"""Many inputs to a simulation that is behind take about one slice, so that sockets are served."""

import time

from rigless.host.host import SLICE_WALL_NS
from rigless.kernel.inputs import Connect

from .driving import BRITTLE, make_host, on_air, on_loop, until


@on_loop
async def test_they_share_a_slice_and_the_loop_gets_its_turn():
    async with on_air(make_host(BRITTLE, settings=())) as host:
        await until(lambda: host.sim.now_ns > 0)
        advance, slices = host._advance, []

        def slow(target_ns):
            slices.append(target_ns)
            time.sleep(SLICE_WALL_NS / 1e9)
            advance(target_ns)

        host._advance = slow
        link = host.new_link()
        for number in range(50):
            time.sleep(0.001)
            host.apply(Connect("brittle", "box", link + number, "rush", "box"))
        assert 1 <= len(slices) <= 2
        assert (
            len(host.sim.core.links.by_port["brittle", "box"]) == 50
        )  # they are all there, at the time it has got to
        await until(lambda: len(slices) > 5, "it goes on by itself")
        host._advance = advance


@on_loop
async def test_while_it_keeps_up_each_is_stamped_with_the_present(monkeypatch):
    for limit in ("SLICE_WALL_NS", "LOST_WALL_NS"):
        monkeypatch.setattr(f"rigless.host.host.{limit}", 10**12)  # whatever else the machine does
    async with on_air(make_host(BRITTLE, settings=())) as host:
        stamps = []
        host.sim.core.listeners.input.append(lambda time_ns, given, source: stamps.append(time_ns))
        await until(lambda: host.sim.now_ns > 0)
        for _ in range(5):
            time.sleep(0.001)
            host.apply(Connect("brittle", "box", host.new_link(), "calm", "box"))
        assert stamps == sorted(set(stamps))
