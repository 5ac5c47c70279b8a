"""A short run of `rigless bench agv`: it has its figures, and an outage loses no message."""

import math

from .measuring import figures_of


def test_it_gives_its_figures():
    figures = figures_of("agv")
    for side in ("rigless", "nats_py"):
        assert all(
            math.isfinite(value) and value > 0 for value in figures["publishing"][side].values()
        )
    [fleet] = figures["fleets"].values()
    assert fleet["command_to_ack_p99_ms"] >= fleet["command_to_ack_p50_ms"] > 0
    assert fleet["messages_per_s"] > 0
    outage = figures["outage"]
    assert outage["outages"] > 0
    assert outage["acked"] == outage["stored"] > 0
    assert outage["doubled"] == 0
