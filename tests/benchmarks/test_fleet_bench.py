"""A short run of `rigless bench fleet`: it has its figures, and they are plausible."""

from .measuring import figures_of


def test_it_gives_its_figures():
    figures = figures_of("fleet")
    for kind in ("agv", "vacuum", "rover", "pacbot", "agv_with_nats"):
        assert figures["robots_per_core"][kind] >= 1
    for costs in figures["cost_of_a_robot_second"].values():
        assert all(cost > 1.0 for cost in costs.values())
    assert figures["memory_of_a_robot"]["agv_kib"] > 10.0
    message = figures["message"]
    assert min(message["rigless_with_simulation_us"], message["bare_nats_py_us"]) > 1.0
    assert 100 < message["size_bytes"] < 5000
    assert figures["one_aisle"]["4_us"] > 1.0
    for found in figures["latency"].values():
        assert found["command_to_ack_p99_ms"] >= found["command_to_ack_p50_ms"] > 0
    for found in figures["processes"].values():
        assert found["messages_per_s"] > 0
        assert found["robot_cpu_share"] >= 0  # of less than a tick of the clock
