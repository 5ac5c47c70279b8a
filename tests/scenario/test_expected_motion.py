"""Safety expectations in one line: motion, distances, coverage, collisions."""

import math

import pytest

from rigless.scenario.expectations import ExpectationMonitor

from .scenes import built, cart, judged, problems

ROLLING = [cart(config={"speed_mps": 1.0})]  # its x is the time
BRAKE = [{"at_s": 1.0, "set": {"brake": True}}, {"at_s": 1.5, "set": {"brake": False}}]


def go(at_s, speed):
    return {"at_s": at_s, "port": "drive", "message": {"type": "Go", "speed_mps": speed}}


@pytest.mark.parametrize(
    ("expect", "margin", "broke_at_s"),
    [
        ({"path_length_max_m": 2.5}, 0.5, None),
        ({"path_length_max_m": 1.52}, -0.48, 1.55),
        ({"path_length_max_m": 1.0, "from_s": 0.5, "to_s": 1.25}, 0.25, None),
        ({"reaches": {"x": [1.4, 1.6]}}, 0.1, None),
        ({"reaches": {"x": [1.4, 1.6]}, "to_s": 1.2}, -0.2, 1.2),
        ({"reaches": {"center": [1, 2], "radius_m": 1.5}}, -0.5, 2.0),
    ],
    ids=str,
)
def test_a_path(expect, margin, broke_at_s):
    (verdict,) = judged([expect], robots=ROLLING)
    assert verdict.margin == pytest.approx(margin, abs=1e-6)
    assert verdict.passed == (margin > 0)
    assert verdict.broke_at_s == (broke_at_s and pytest.approx(broke_at_s))
    assert verdict.series.times_s[-1] <= 2.0
    assert verdict.robot == "cart"


@pytest.mark.parametrize(("limit_s", "holds"), [(0.4, False), (0.6, True)])
def test_the_longest_standstill_since_the_first_motion(limit_s, holds):
    timeline = [go(0.7, 1.0), *BRAKE]
    (verdict,) = judged([{"standstill_max_s": limit_s}], timeline=timeline)
    assert verdict.passed is holds
    assert verdict.margin == pytest.approx(limit_s - 0.5, abs=0.051)
    assert verdict.detail.startswith("longest standstill 0.")


def test_a_robot_that_never_moves_does_not_pass_as_one_without_standstill():
    (verdict,) = judged([{"standstill_max_s": 9}])
    assert not verdict.passed
    assert verdict.detail == "cart did not move"


@pytest.mark.parametrize("trigger", [{"after": "go"}, {"after_fault": "motor"}])
def test_the_distance_until_standstill(trigger):
    brake = [{"at_s": 1.3, "set": {"brake": True}}]
    dull = {"at_s": 1.0, "target": "motor", "kind": "weak", "factor": 1.0}
    scene = {"robots": ROLLING, "timeline": [go(1.0, 1.0), *brake], "faults": [dull]}
    good, bad = judged([{"stops_within_m": 0.4, **trigger}, {"stops_within_m": 0.2, **trigger}],
                       **scene)  # fmt: skip
    assert good.margin == pytest.approx(0.1, abs=0.011)
    assert bad.margin == pytest.approx(-0.1, abs=0.011)
    assert bad.broke_at_s == pytest.approx(1.2, abs=0.06)


def test_a_robot_that_does_not_stop():
    (verdict,) = judged([{"stops_within_m": 5, "after": "go"}], timeline=[go(1.0, 1.0)])
    assert not verdict.passed
    assert "was still moving at the end" in verdict.detail
    assert verdict.margin is None


def test_only_the_longest_of_several_paths_is_plotted():
    twice = [go(0.5, 1.0), go(1.0, 1.0)]
    (verdict,) = judged([{"stops_within_m": 0.2, "after": "go"}], timeline=twice)
    assert "2 measured" in verdict.detail
    assert verdict.series.values == sorted(verdict.series.values)


def test_no_robot_has_to_stop_if_nothing_occurs():
    bad, good = judged([{"stops_within_m": 1, "after": "go"},
                        {"stops_within_m": 1, "after": "go", "min_count": 0}])  # fmt: skip
    assert not bad.passed
    assert bad.detail == "the event go did not occur, so that nothing was measured"
    assert good.passed


@pytest.mark.parametrize(
    ("expect", "what"),
    [
        ({"no_collision": True}, "cart logs no event for collisions (use keeps_distance_m"),
        ({"keeps_distance_m": 0.1}, "cart has no footprint"),
        ({"coverage_min": 0.5}, "cart has no footprint"),
        ({"coverage_min": 0.5, "by": "lidar"}, 'cart has no lidar (by = "swept")'),
        ({"reaches": {"x": [0, 1]}, "from_s": 9}, "after the end of the run"),
    ],
    ids=str,
)
def test_robots_without_what_is_needed(expect, what):
    (problem,) = problems(ExpectationMonitor, built(expect=[expect]), 1.0)
    assert what in str(problem)


# On a map

ROVER = {"kind": "rover", "name": "r", "start": {"x": 0, "y": 0, "theta": 0}}


def drive(at_s, mps, robot="r"):
    message = {"type": "Twist", "linear": {"x": mps}}
    return {"at_s": at_s, "robot": robot, "port": "dds", "message": message}


def test_distances_and_collisions_with_an_obstacle(tmp_path):
    empty = room(tmp_path, ["." * 80] * 80)
    block = {"name": "block", "size_m": [0.2, 4.0], "x": 5.5, "y": 4.0}
    rover = {**ROVER, "start": {"x": 4.0, "y": 4.0}}
    expect = [{"no_collision": True}, {"keeps_distance_m": 0.3}, {"no_collision": True, "to_s": 1},
              {"keeps_distance_m": 0.3, "to_s": 0.2}]  # fmt: skip
    sent = [drive(0.1 * n, 0.6) for n in range(40)]
    hit, near, early, far = judged(expect, 4.0, robots=[rover], timeline=sent,
                                    world={"map": empty, "obstacles": [block]})  # fmt: skip
    assert not hit.passed
    assert hit.broke_at_s == pytest.approx(near.broke_at_s + 0.5, abs=0.3)
    assert hit.detail.startswith("1 collision (")
    assert not near.passed
    assert near.margin == pytest.approx(-0.3, abs=0.01)
    assert (near.low, near.robot) == (0.3, "r")
    assert early.passed
    assert far.passed
    radius_m = built([ROVER]).simulation.robots["r"].footprint()[2]
    driven_m = 0.2 * 0.6
    assert far.margin == pytest.approx(1.4 - radius_m - driven_m - 0.3, abs=0.01)


def test_a_robot_alone_keeps_every_distance():
    (verdict,) = judged([{"keeps_distance_m": 5}], 0.5, robots=[ROVER])
    assert verdict.passed
    assert verdict.detail == "there is nothing around"
    assert verdict.margin is None


def test_other_robots_are_obstacles():
    other = {**ROVER, "name": "s", "start": {"x": 0, "y": 1.0, "theta": 0}}
    (verdict,) = judged([{"keeps_distance_m": 0.1, "robot": "*"}], 0.2, robots=[ROVER, other])
    radius_m = built([ROVER]).simulation.robots["r"].footprint()[2]
    assert verdict.margin == pytest.approx(1.0 - 2 * radius_m - 0.1, abs=1e-3)


def room(folder, walls, parts=1):
    """Write a map with cells of 0.1 m, each divided into parts; return its file."""
    walls = ["".join(cell * parts for cell in row) for row in walls for _ in range(parts)]
    height, width = len(walls), len(walls[0])
    shades = ["0" if cell == "#" else "255" for row in walls for cell in row]
    (folder / "room.pgm").write_text(f"P2 {width} {height} 255 {' '.join(shades)}\n")
    keys = {"image": "room.pgm", "resolution": 0.1 / parts, "origin": "[0, 0, 0]", "negate": 0,
            "occupied_thresh": 0.65, "free_thresh": 0.196}  # fmt: skip
    file = folder / "room.yaml"
    file.write_text("".join(f"{key}: {value}\n" for key, value in keys.items()))
    return str(file)


def test_coverage_of_a_corridor(tmp_path):
    # a corridor 3 m long and 1 m wide, and a closed room above it
    corridor = ["#" * 32, *["#" + "." * 30 + "#"] * 5, "#" * 32, *["#" + "." * 30 + "#"] * 10,
                "#" * 32]  # fmt: skip
    rover = {**ROVER, "start": {"x": 0.6, "y": 0.6, "theta": 0}, "config": {"radius_m": 0.3}}
    expect = [{"coverage_min": 0.5}, {"coverage_min": 0.95}, {"keeps_distance_m": 0.1}]
    sent = [drive(0.1 * n, 0.5) for n in range(40)]
    some, most, away = judged(expect, 4.0, robots=[rover], timeline=sent,
                        world={"map": room(tmp_path, corridor)})  # fmt: skip
    assert some.passed
    assert not most.passed
    # A disc does not get into the four corners of the corridor.
    floor_m2 = 3.0 - (4 - math.pi) * 0.3**2
    share = some.margin + 0.5
    assert share == pytest.approx((0.6 * 2.0 + math.pi * 0.3**2) / floor_m2, abs=0.02)
    assert float(some.detail.split()[3]) == pytest.approx(floor_m2, abs=0.06)
    assert most.margin == pytest.approx(share - 0.95)
    assert away.margin == pytest.approx(0.2 - 0.1, abs=0.01)  # to the walls on both sides
    assert some.series.values == sorted(some.series.values)


def test_the_floor_that_a_lidar_has_seen(tmp_path):
    # Two corridors 1 m wide in the shape of an L: 4 m along x, then 3 m up. From the first, the
    # inner corner hides most of the second. A closed room does not count.
    along, up = "#" + "." * 40 + "#", "#" + "." * 8 + "#" * 22 + "." * 10 + "#"
    walls = ["#" * 42, *[up] * 29, "#" * 31 + "." * 10 + "#", *[along] * 10, "#" * 42]
    lidar = {"mounting_x": 0, "mounting_y": 0, "optical_offset": 0, "num_rays": 2000}
    vacuum = {"kind": "vacuum", "start": {"x": 2.1, "y": 0.6, "theta": 0.3},
              "config": {"lidar": lidar}}  # fmt: skip
    expect = [{"coverage_min": 0.5, "by": "lidar"}, {"coverage_min": 0.7, "by": "lidar"}]
    scene = {"robots": [vacuum], "world": {"map": room(tmp_path, walls, 5)}, "timeline": [LIDAR_ON]}
    some, most = judged(expect, 1.0, **scene)
    # The line of sight touches the corner at (3.1, 1.1) and ends at the wall at x = 4.1.
    high_m = (1.1 - 0.6) / (3.1 - 2.1) * 1.0
    assert some.margin == pytest.approx((4.0 + 0.5 * high_m) / 7.0 - 0.5, abs=0.005)
    assert not most.passed
    assert float(some.detail.split()[3]) == pytest.approx(7.0, abs=1e-6)
    off, *_ = judged(expect, 1.0, **scene | {"timeline": []})
    stuck = [{"target": "lidar", "kind": "stuck"}]
    blind, *_ = judged(expect, 1.0, **scene, faults=stuck)
    assert off.detail.startswith("0 % of")
    assert blind.detail.startswith("0 % of")


LIDAR_ON = {"at_s": 0.0, "port": "commands",
            "message": {"type": "Control", "id": "lidar", "action": "enable"}}  # fmt: skip


@pytest.mark.parametrize("expect", [{"no_collision": True}, {"event": "collision", "max_count": 0},
                                    {"event": "collision", "seen": False}])  # fmt: skip
@pytest.mark.parametrize(
    ("kind", "config", "why"),
    [
        (
            "vacuum",
            {"robot": {"collision_mode": "passthrough"}},
            "'passthrough' lets it pass walls",
        ),
        ("welder", {"collision": {"enable": False}}, "collisions are not checked"),
    ],
)
def test_a_robot_that_logs_no_collisions_cannot_be_expected_to_have_none(expect, kind, config, why):
    robots = [{"kind": kind, "config": config}]
    (problem,) = problems(judged, [expect], robots=robots)
    assert why in problem.what
