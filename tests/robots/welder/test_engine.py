"""The document's simulation engine: its parts, time, metrics and snapshots."""

import pytest

from rigless.robots.welder.offline.engine import (
    SimulationEngine,
    SimulationMetrics,
    SimulationState,
)
from rigless.robots.welder.weld_state import FAULT


@pytest.fixture
def engine():
    found = SimulationEngine()
    found.start()
    assert found.controller.enable()
    yield found
    found.stop()


def test_states(engine):
    assert engine.state == SimulationState.RUNNING
    engine.pause()
    before = engine.metrics.simulation_time_s
    engine.run(1.0)
    assert (engine.state, engine.metrics.simulation_time_s) == (SimulationState.PAUSED, before)
    engine.resume()
    engine.controller.set_input("estop", True)
    assert engine.state == SimulationState.ERROR
    engine.stop()
    assert (engine.state, engine.metrics) == (SimulationState.STOPPED, SimulationMetrics())


def test_metrics_and_time_scale(engine):
    begin = engine.metrics
    engine.set_time_scale(4.0)
    engine.controller.send_gcode("G0 A90")
    engine.run(0.5)
    after = engine.metrics
    simulated_s = after.simulation_time_s - begin.simulation_time_s
    assert after.real_time_s - begin.real_time_s == pytest.approx(simulated_s / 4)
    assert after.time_ratio == pytest.approx(after.simulation_time_s / after.real_time_s)
    assert (after.gcode_executed, after.collisions_detected, engine.time_scale) == (1, 0, 4.0)
    radius_mm = engine.controller.truth.torch_mm[1]
    assert after.total_distance_mm == pytest.approx(radius_mm * 1.5707963, rel=1e-3)


def test_a_snapshot_is_all_of_it(engine):
    controller = engine.controller
    for line in ("M3", "G4 P1", "G1 A20 F600", "G1 B10"):
        controller.send_gcode(line)
    engine.run(1.5)
    saved = engine.take_snapshot()

    def go_on():
        engine.run(1.0)
        assert controller.send_gcode("M64 P3")
        engine.run(3.0)
        return (
            controller.joint_state(),
            engine.welding.state,
            controller.digital_io(),
            engine.metrics,
            controller.status(),
        )

    first = go_on()
    engine.restore_snapshot(saved)
    assert go_on() == first


def test_the_environment_is_loaded_now_and_stays_after_a_reset(engine):
    engine.load_environment("weld_table")
    for _ in range(2):
        assert engine.controller.send_gcode("G1 B50 C80 F6000")
        engine.run(2.0)
        assert (engine.state, engine.metrics.collisions_detected) == (SimulationState.ERROR, 1)
        engine.reset()
        assert engine.controller.enable()
        assert engine.metrics.collisions_detected == 0


def test_the_welding_simulator(engine):
    welding = engine.welding
    welding.set_weld_parameters(200.0, 24.0, 10.0)
    assert welding.arc_start()
    engine.run(2.0)
    state = welding.state
    assert (state.arc_on, state.current_a, state.voltage_v) == (
        True,
        pytest.approx(200, rel=0.01),
        pytest.approx(24, rel=0.01),
    )
    welding.simulate_arc_fault()
    engine.run(0.1)
    assert (welding.state.phase, welding.state.fault) == (FAULT, "arc_lost")
    assert welding.arc_stop()
    for simulate, fault in (
        (welding.simulate_wire_fault, "no_wire"),
        (welding.simulate_gas_fault, "no_gas"),
    ):
        engine.run(2.0)
        welding.arc_start()
        engine.run(1.0)
        simulate()
        engine.run(0.3)
        assert welding.state.fault == fault
        welding.arc_stop()
