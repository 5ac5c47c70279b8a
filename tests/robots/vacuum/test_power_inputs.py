"""Battery, dock, buttons, dust box, actuators, and carpets on which wheels slip."""

import pytest

from .scene import INSTANT, NOISELESS, Datagrams, Peer, drive, status, statuses, switch, vacuum

DISCHARGE = ("sensors.battery.model=discharge", "sensors.battery.capacity_wh=0.1")


def power(sim):
    found = status(sim)
    return found.battery_level, found.battery_voltage, found.is_charging, found.is_dock_connected


def test_fixed_values_stay_as_they_are():
    sim = vacuum()
    drive(sim, 0.1, 0.5)
    switch(sim, "vacuum", "enable")
    sim.run(60.0)
    assert power(sim) == (85, 14.8, False, False)


def test_fixed_values_can_be_set():
    battery = ("voltage=13.9", "level=20", "is_charging=true")
    sim = vacuum(
        *(f"sensors.battery.{setting}" for setting in battery), "sensors.dock_connected=true"
    )
    assert power(sim) == (20, 13.9, True, True)


@pytest.mark.parametrize(
    ("speed", "suction", "watts"),
    [(0.0, 0, 4.0), (0.3, 0, 16.0), (0.15, 0, 10.0), (0.0, 50, 14.0), (0.3, 100, 36.0)],
)
def test_it_discharges_by_load(speed, suction, watts):
    sim = vacuum(*INSTANT, *DISCHARGE, "sensors.battery.level=80", "sensors.battery.capacity_wh=1")
    drive(sim, speed)
    switch(sim, "vacuum", "configure", speed=suction)
    sim.run(9.0)
    level, voltage, charging, docked = power(sim)
    left = 0.8 - watts * 9.0 / 3600
    assert level == pytest.approx(100 * left, abs=0.6)
    assert voltage == pytest.approx(13.5 + 2 * left, abs=1e-4 + watts / 3600 / 50)
    assert (voltage - 13.5) / 2 * 100 == pytest.approx(level, abs=0.51)  # the device's own formula
    assert (charging, docked) == (False, False)


def test_an_empty_battery_stays_empty():
    sim = vacuum(*DISCHARGE, "sensors.battery.level=1")
    sim.run(60.0)
    assert power(sim) == (0, 13.5, False, False)


def test_it_charges_on_the_dock_until_full_and_not_off_it():
    sim = vacuum(
        *INSTANT, *DISCHARGE, "sensors.battery.level=50", "dock={x=0.0, y=0.0, reach=0.05}"
    )
    assert power(sim)[2:] == (True, True)
    sim.run(4.5)  # 20 W
    level, voltage, *_ = power(sim)
    assert level == 75
    assert voltage == pytest.approx(15.0, abs=0.01)
    sim.run(10.0)
    assert power(sim) == (100, 15.5, False, True)
    drive(sim, 0.1)
    sim.run(1.0)
    level, _, charging, docked = power(sim)
    assert (charging, docked) == (False, False)
    assert level < 100


def test_driving_onto_the_dock_connects():
    sim = vacuum(*INSTANT, "dock={x=0.5, y=0.0}")
    drive(sim, 0.1)
    met = [found.is_dock_connected for found in statuses(sim, 6.0)]
    first, last = met.index(True), len(met) - 1 - met[::-1].index(True)
    assert (first / 110, last / 110) == pytest.approx((4.5, 5.5), abs=0.02)
    assert all(met[first : last + 1])


@pytest.mark.parametrize(
    ("name", "before", "value"),
    [("start_button", 0, 1), ("dock_button", 0, 1), ("dustbox_attached", True, False)],
)
def test_buttons_and_dust_box(name, before, value):
    sim = vacuum()
    assert getattr(status(sim), name) == before
    sim.set_input("vacuum", name, value)
    assert getattr(status(sim), name) == value
    sim.set_input("vacuum", name, before)
    assert getattr(status(sim), name) == before


def test_fixed_states_of_the_config():
    fixed = ("dustbox_attached=false", "start_button=2", "dock_button=3")
    found = status(vacuum(*(f"sensors.{setting}" for setting in fixed)))
    assert (found.dustbox_attached, found.start_button, found.dock_button) == (False, 2, 3)


@pytest.mark.parametrize(("value", "sent"), [(-5, 0), (10**12, 65535)])
def test_a_button_value_that_the_wire_has_not_is_held_within_it(value, sent):
    sim = vacuum()
    datagrams = Datagrams(sim)
    Peer(sim)
    sim.set_input("vacuum", "start_button", value)
    sim.run(0.1)
    assert datagrams.seen[-1][2].sensor_group.values["start_button"].u32_val == sent


def test_actuators_take_percentages_and_states():
    sim = vacuum()
    kept = sim.robot("vacuum").state.actuators
    for name in ("vacuum", "main_brush", "side_brush", "water_pump"):
        switch(sim, name, "configure", speed=40)
        assert kept[name] == 40
        switch(sim, name, "configure", speed=400)
        assert kept[name] == 100
        switch(sim, name, "configure", speed="fast")
        assert kept[name] == 100
        switch(sim, name, "disable")
        assert kept[name] == 0
        switch(sim, name, "enable")
        assert kept[name] == 100
    switch(sim, "led", "configure", state=99)
    assert kept["led"] == 18
    switch(sim, "cliff_ir", "enable")
    assert kept["cliff_ir"] == 1


def test_on_a_carpet_the_wheels_are_ahead_of_the_robot():
    sim = vacuum(*INSTANT, *NOISELESS, "carpets=[{x=[0.5,1.5], y=[-1,1], slip=0.25}]")
    drive(sim, 0.2)
    sim.run(2.5)
    assert sim.truth("vacuum").pose[0] == pytest.approx(0.5)
    left = statuses(sim, 4.0)[-1].wheel_left
    assert sim.truth("vacuum").pose[0] == pytest.approx(0.5 + 0.8 * 0.75, abs=2e-3)
    assert left == pytest.approx(4464 * 1.3, abs=2)
    assert sim.truth("vacuum").odometry[0] == pytest.approx(1.3, abs=1e-6)
    assert sim.truth("vacuum").velocity[0] == pytest.approx(0.15)
    sim.run(4.0)
    assert sim.truth("vacuum").velocity[0] == pytest.approx(0.2)
