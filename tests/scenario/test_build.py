import json
import math
import sys

import pytest

from rigless.kernel.recording import record_to_bytes
from rigless.scenario.build import build
from rigless.scenario.load import open_target
from rigless.scenario.model import Scenario

from .scenes import CART, THERMOSTAT, built, cart, opened, problems


def error_texts(**tables):
    return [str(problem) for problem in problems(built, **tables)]


# Robots and ports


def test_a_count_makes_names_and_counts_ports_up():
    scene = built([cart(name="c", count=3), cart(name="solo", start={"x": 1, "y": 2, "theta": 3})])
    assert list(scene.simulation.robots) == ["c-1", "c-2", "c-3", "solo"]
    assert [scene.addresses[f"c-{n}", "drive"] for n in (1, 2, 3)] == [
        f"127.0.0.1:600{n}" for n in (0, 1, 2)
    ]
    assert scene.addresses["solo", "drive"] == "127.0.0.1:6000"
    assert scene.simulation.truth("solo").pose == (1.0, 2.0, 3.0)
    assert scene.simulation.robot("c-1").config == scene.simulation.robot("c-3").config


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (7000, ["127.0.0.1:7000", "127.0.0.1:7001"]),
        ("7000", ["127.0.0.1:7000", "127.0.0.1:7001"]),
        ("0.0.0.0:7000", ["0.0.0.0:7000", "0.0.0.0:7001"]),
        ("::1:7000", ["::1:7000", "::1:7001"]),
        (0, ["127.0.0.1:0", "127.0.0.1:0"]),
        ("0.0.0.0:0", ["0.0.0.0:0", "0.0.0.0:0"]),
        (65534, ["127.0.0.1:65534", "127.0.0.1:65535"]),
        ("/dev/x", ["/dev/x", "/dev/x"]),
    ],
)
def test_addresses_of_a_fleet(given, wanted):
    scene = built([cart(name="c", count=2, ports={"drive": given})])
    assert [scene.addresses[f"c-{n}", "drive"] for n in (1, 2)] == wanted
    assert scene.addresses["c-1", "odometry"] == "127.0.0.1:6100"


@pytest.mark.parametrize(
    ("count", "strings", "step"),
    [(2, False, 1), (3, False, 3), (2, True, 3), (5, True, 3)],  # 5555 + 2 is 5557
)
def test_a_fleet_gives_no_port_number_twice(count, strings, step):
    scene = built([{"kind": "pacbot", "count": count, "config": {"strings": strings}}])
    numbers = [int(address.rpartition(":")[2]) for address in scene.addresses.values()]
    assert len(set(numbers)) == len(numbers) == (2 + strings) * count
    assert scene.addresses["pacbot-1", "sensors"] == "127.0.0.1:5557"
    assert scene.addresses["pacbot-2", "commands"] == f"127.0.0.1:{5555 + step}"


@pytest.mark.parametrize(
    "address", ["", "x", "x:", ":x", -1, 65536, "1.2.3.4:65536", "٣", "1" * 5000, "5 "]
)
def test_invalid_addresses(address):
    (text,) = error_texts(robots=[cart(ports={"drive": address})])
    assert "is not an address" in text


def test_a_fleet_that_exceeds_the_last_port():
    assert (
        "'127.0.0.1:65536' is not an address"
        in error_texts(robots=[cart(count=2, ports={"drive": 65535})])[0]
    )


def test_an_address_that_is_a_path_stays():
    assert built([cart(count=2)]).addresses["cart-2", "serial"] == "/dev/cart"


def test_two_robots_with_the_same_name():
    (text,) = error_texts(robots=[cart(), cart(), cart(name="x-1"), cart(name="x", count=2)])[:1]
    assert "two robots are called" in text
    assert "give each its own name" in text


# Timeline


def run_to(scene, seconds):
    scene.simulation.run(seconds)
    return scene.simulation.truth("cart")


def timeline(*entries, **tables):
    return built(timeline=list(entries), **tables)


def test_a_message_is_sent_at_its_time():
    scene = timeline(
        {"at_s": 0.5, "port": "drive", "message": {"type": "Go", "speed_mps": 2, "label": "fast"}}
    )
    assert run_to(scene, 0.49).labels == []
    assert run_to(scene, 0.01).labels == ["fast"]
    assert run_to(scene, 1.0).pose[0] == pytest.approx(2.0 * 1.01)


def test_wire_text_and_hexadecimal_bytes_go_through_the_codec():
    scene = timeline(
        {"at_s": 0.1, "port": "drive", "wire": "\x03"},
        {"at_s": 0.2, "port": "drive", "wire_hex": "04 05"},
    )
    assert run_to(scene, 0.15).speed_mps == 3.0
    assert run_to(scene, 0.1).speed_mps == 5.0
    assert run_to(scene, 0.1).labels == ["", "", ""]


def test_bytes_that_break_the_protocol_close_the_link_and_the_next_ones_open_it():
    scene = timeline(
        {"at_s": 0.1, "port": "drive", "wire_hex": "ff07"},
        {"at_s": 0.2, "port": "drive", "wire_hex": "02"},
    )
    assert run_to(scene, 0.3).speed_mps == 2.0
    assert [event.code for event in scene.simulation.events] == ["booted", "wire-error", "go"]


def test_inputs_are_set():
    scene = timeline(
        {"at_s": 0.1, "set": {"brake": True, "load_kg": 3, "gear": 2, "mode": "sport"}}
    )
    run_to(scene, 0.05)
    assert scene.simulation.robot("cart").input["brake"] is False
    run_to(scene, 0.05)
    assert scene.simulation.robot("cart").input == {
        "brake": True,
        "load_kg": 3.0,
        "gear": 2,
        "mode": "sport",
    }


def test_faults_are_cleared_all_or_one():
    faults = [{"target": "motor", "kind": "stall"}, {"target": "odometer", "kind": "off"}]
    scene = timeline({"at_s": 0.1, "clear": "motor"}, {"at_s": 0.2, "clear": ""}, faults=faults)
    active = scene.simulation.robot("cart")
    run_to(scene, 0.05)
    assert [fault.kind for fault in active.faults] == ["stall", "off"]
    run_to(scene, 0.1)
    assert [fault.kind for fault in active.faults] == ["off"]
    run_to(scene, 0.1)
    assert active.faults == []


def test_obstacles_are_placed_and_moved():
    world = {
        "obstacles": [
            {"name": "disc", "x": 1, "radius_m": 0.5},
            {"name": "box", "y": 2, "size_m": [1, 2]},
        ]
    }
    scene = timeline(
        {"at_s": 1, "obstacle": "disc", "x": 3, "y": 4, "theta": 1, "over_s": 2}, world=world
    )
    obstacles = scene.simulation.world.state.obstacles
    assert (obstacles["disc"].radius_m, obstacles["box"].size_m) == (0.5, (1.0, 2.0))

    def pose(name):
        return obstacles[name].pose(scene.simulation.now_ns)

    assert (pose("disc"), pose("box")) == ((1, 0, 0), (0, 2, 0))
    run_to(scene, 2.0)
    assert pose("disc") == (2.0, 2.0, 0.5)
    run_to(scene, 2.0)
    assert (pose("disc"), pose("box")) == ((3, 4, 1), (0, 2, 0))


def test_the_timeline_runs_again_after_a_reset():
    scene = timeline(
        {"at_s": 0.5, "port": "drive", "wire_hex": "02"}, faults=[{"at_s": 0.2, "target": "tyre"}]
    )
    first = record_to_bytes(scene.simulation, 1.0)
    scene.simulation.reset()
    assert record_to_bytes(scene.simulation, 1.0) == first


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (
            {"set": {"brak": True}},
            "timeline[0]: cart: unknown input 'brak' (did you mean 'brake'?)",
        ),
        ({"set": {"brake": 7}}, "timeline[0]: cart brake: 7 is not bool (for example False)"),
        ({"set": {"gear": 1.5}}, "timeline[0]: cart gear: 1.5 is not int (for example 1)"),
        (
            {"clear": "moto"},
            "timeline[0]: cart: unknown fault target 'moto' (did you mean 'motor'?)",
        ),
        (
            {"obstacle": "o", "x": 0, "y": 0},
            "timeline[0]: unknown obstacle 'o' (there are none to choose from)",
        ),
        (
            {"port": "drv", "wire": ""},
            "timeline[0]: cart: unknown port 'drv' (did you mean 'drive'?)",
        ),
        ({"port": "drive", "wire_hex": "0g"}, "timeline[0]: wire_hex: '0g' is not hexadecimal"),
        (
            {"port": "drive", "message": {"type": "x"}},
            "timeline[0]: unknown message type 'x' (choose from: Go)",
        ),
        (
            {"port": "drive", "message": {"type": "Go", "speed": 1}},
            "timeline[0]: Go: unknown field 'speed' (did you mean 'speed_mps'?)",
        ),
        (
            {"port": "drive", "message": {"type": "Go"}},
            "timeline[0]: Go: Object missing required field `speed_mps` "
            "(its fields: speed_mps, label)",
        ),
        ({"robot": "x", "clear": ""}, "timeline[0]: unknown robot 'x' (choose from: cart)"),
    ],
    ids=str,
)
def test_impossible_entries_are_errors_before_the_run(entry, text):
    assert error_texts(timeline=[{"at_s": 1, **entry}]) == [text]


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**63, [[1.0, {"a": math.nan}]]], ids=str)
def test_values_that_cannot_be_recorded_are_rejected(value):
    go = {"at_s": 1, "port": "drive", "message": {"type": "Go", "speed_mps": 1, "label": value}}
    assert error_texts(timeline=[go])[0].startswith("timeline[0]")
    assert error_texts(faults=[{"target": "tyre", "kind": "flat", "side": value}])[0].startswith(
        "faults[0]"
    )


def test_several_robots_need_a_robot_name():
    robots = [cart(name="a"), cart(name="b")]
    for tables in ({"timeline": [{"at_s": 1, "clear": ""}]}, {"faults": [{"target": "motor"}]}):
        (text,) = error_texts(robots=robots, **tables)
        assert text.endswith(
            "robot: this key is required when there are several robots (one of: a, b; or * for all)"
        )
    scene = timeline({"at_s": 0.1, "robot": "b", "port": "drive", "wire_hex": "03"}, robots=robots)
    scene.simulation.run(0.2)
    assert [scene.simulation.truth(name).speed_mps for name in "ab"] == [0.0, 3.0]


# Faults


def test_a_fault_begins_ends_and_has_its_parameters():
    fault = {"at_s": 1, "until_s": 2, "target": "odometer", "kind": "wrong", "value": 42.0}
    scene = built(faults=[fault])
    readings = []
    for _ in range(3):
        scene.simulation.run(0.995)
        readings.append(scene.simulation.truth("cart").travelled_m)
        scene.simulation.run(0.005)
    assert readings == [0.0, 42.0, 0.0]


def test_a_fault_without_a_kind_is_the_first_of_its_target_and_own_kinds_take_any_parameter():
    scene = built(faults=[{"target": "motor"}, {"target": "tyre", "kind": "burst", "side": "left"}])
    scene.simulation.run(0.1)
    assert [(fault.kind, fault.params) for fault in scene.simulation.robot("cart").faults] == [
        ("stall", {}),
        ("burst", {"side": "left"}),
    ]


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (
            {"target": "moto"},
            "faults[0]: cart: unknown fault target 'moto' (did you mean 'motor'?)",
        ),
        (
            {"target": "motor", "kind": "stal"},
            "faults[0]: cart motor: unknown fault kind 'stal' (did you mean 'stall'?)",
        ),
        (
            {"target": "motor", "kind": "weak", "facto": 1},
            "faults[0]: cart motor weak: unknown parameter 'facto' (did you mean 'factor'?)",
        ),
        (
            {"target": "motor", "kind": "weak", "factor": 2},
            "faults[0]: cart motor weak factor: 2 is out of range (between 0 and 1)",
        ),
        (
            {"target": "motor", "kind": "weak", "factor": "x"},
            "faults[0]: cart motor weak factor: 'x' is not a number (for example 0.5)",
        ),
        (
            {"target": "motor", "at_s": 2, "until_s": 2},
            "faults[0]: until_s: 2 is not after at_s (2)",
        ),
    ],
    ids=str,
)
def test_invalid_faults(fault, text):
    assert error_texts(faults=[fault]) == [text]


# Origin


RICH = f"""
name = "rich"
seed = 5
duration_s = 3
[world]
obstacles = [{{ name = "o", x = 1, radius_m = 0.3 }}]
[[robots]]
kind = "{CART}"
name = "c"
count = 2
start = {{ x = 0.0, y = 0.0 }}
ports.drive = 7000
[robots.config]
speed_mps = 0.5
wheels.radius_m = 0.2
[[robots]]
kind = "{THERMOSTAT}"
[[timeline]]
at_s = 0.5
robot = "c-1"
port = "drive"
message = {{ type = "Go", speed_mps = 2 }}
[[timeline]]
at_s = 0.75
robot = "thermostat"
port = "line"
wire = "GET\\n"
[[timeline]]
at_s = 0.8
robot = "thermostat"
set = {{ window_open = true, outside_c = -5 }}
[[timeline]]
at_s = 1
obstacle = "o"
x = 2
y = 2
[[timeline]]
at_s = 2.5
robot = "c-1"
clear = ""
[[faults]]
at_s = 0.3
until_s = 1.5
robot = "c-1"
target = "odometer"
kind = "noise"
stddev = 0.25
[[faults]]
at_s = 0.4
robot = "c-2"
target = "tyre"
kind = "burst"
side = "left"
"""


def test_the_origin_builds_the_same_simulation_again(tmp_path):
    scene = opened(tmp_path, RICH, ["c.colour=blue"])
    raw = json.loads(scene.simulation.core.origin["scenario"])
    again = build(Scenario.model_validate(raw))
    assert again.addresses == scene.addresses
    assert again.simulation.core.origin == scene.simulation.core.origin
    assert again.simulation.seed == 5
    assert again.simulation.robot("c-2").config.colour == "blue"
    assert record_to_bytes(again.simulation, 3.0) == record_to_bytes(scene.simulation, 3.0)


def test_the_origin_has_every_config_key_and_full_paths(monkeypatch):
    monkeypatch.chdir(THERMOSTAT)
    raw = json.loads(open_target("winter.toml").simulation.core.origin["scenario"])
    assert raw["robots"][0]["kind"] == THERMOSTAT
    assert raw["robots"][0]["config"]["start_c"] == 12.0
    assert raw["robots"][0]["config"]["noise_c"] == 0.05


def test_the_seed_changes_the_output():
    robots = [{"kind": THERMOSTAT}]
    scenes = [build(Scenario.model_validate({"robots": robots}), seed=seed) for seed in (1, 1, 2)]
    first, second, other = (record_to_bytes(scene.simulation, 2.0) for scene in scenes)
    assert first == second
    assert first != other


# Robots whose config sets their wire name


@pytest.fixture
def badged(install):
    """Install a cart whose colour is its wire name.

    Members of a fleet have a number each. Beige is an error, grey a warning.
    """
    install(
        "badged",
        f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("badged_cart", {str(CART + "/__init__.py")!r})
cart = importlib.util.module_from_spec(spec)
sys.modules["badged_cart"] = cart
spec.loader.exec_module(cart)
from rigless.kernel.fleet import FleetMember
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.problems import Problem
from rigless.kernel.documents import Document

class Robot(cart.Robot, FleetMember):
    @classmethod
    def read_file(cls, path):
        if path.suffix == ".badge":
            return Document({{"colour": path.read_text()}}, str(path), {{("colour",): 7}})

    @classmethod
    def wire_name(cls, config):
        return config.colour

    @classmethod
    def fleet_member(cls, config, number):
        if number > 5:
            raise InputError(Problem("colour", "has only five shades"))
        return config.model_copy(update={{"colour": f"{{config.colour}}-{{number}}"}})

    @classmethod
    def check_config(cls, given):
        config, found = super().check_config(given)
        if config is not None and config.colour == "beige":
            found.append(Problem.at(("colour",), "beige is dull", "paint it", "DULL"))
        return config, found

    @classmethod
    def requirements(cls, given, config):
        if config is not None and config.colour == "grey":
            return [Problem.at(("colour",), "grey is dull", "paint it", "DULL", "warning")]
        return []
""",
    )
    yield "badged"
    sys.modules.pop("badged_cart", None)


def test_a_config_may_set_the_robots_wire_name(badged):
    one = built([{"kind": badged, "config": {"colour": "blue"}}, {"kind": badged, "name": "other"}])
    assert list(one.simulation.robots) == ["blue", "other"]
    fleet = built([{"kind": badged, "count": 2}])
    assert {name: robot.config.colour for name, robot in fleet.simulation.robots.items()} == {
        "red-1": "red-1",
        "red-2": "red-2",
    }
    (entry,) = json.loads(fleet.simulation.core.origin["scenario"])["robots"]
    assert (entry["config"]["colour"], entry["count"]) == ("red", 2)


def test_two_robots_cannot_have_one_wire_name(badged):
    (text,) = error_texts(robots=[{"kind": badged, "name": "a"}, {"kind": badged, "name": "b"}])
    assert text == (
        "robots: two robots have the name 'red' on the wire (give each its own name in its config)"
    )


def test_a_fleet_with_one_invalid_member(badged):
    assert error_texts(robots=[{"kind": badged, "count": 6}]) == [
        "robots[0]: colour: has only five shades"
    ]


def test_errors_of_a_config_stop_it_and_warnings_are_notes(badged):
    assert error_texts(robots=[{"kind": badged, "config": {"colour": "beige"}}]) == [
        "robots[0].config.colour: beige is dull (paint it) [DULL]"
    ]
    grey = [{"kind": badged, "config": {"colour": "grey"}}]
    assert built(grey).notes == ("robots[0].config.colour: grey is dull (paint it) [DULL]",)
    assert build(Scenario.model_validate({"robots": grey}), environment=False).notes == ()


def test_findings_are_placed_in_the_native_file(badged, tmp_path):
    native = tmp_path / "my.badge"
    native.write_text("beige")
    for target in (native, tmp_path / "s.toml"):
        if target.suffix == ".toml":
            target.write_text(f'[[robots]]\nkind = "{badged}"\nconfig = "my.badge"\n')
        (problem,) = problems(open_target, target)
        assert str(problem) == f"{native}:7: colour: beige is dull (paint it) [DULL]"
    assert list(open_target(native, ["colour=green"]).simulation.robots) == ["green"]
    robots = open_target(tmp_path / "s.toml", ["beige.colour=pink"]).simulation.robots
    assert list(robots) == ["pink"]
