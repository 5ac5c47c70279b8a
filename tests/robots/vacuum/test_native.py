"""The mock device's own TOML file loads unchanged, and all its mistakes are reported at once."""

import re
import tomllib
from pathlib import Path

import pytest

from rigless.kernel.problems import InputError
from rigless.scenario.load import open_target

from .scene import drive, status, statuses

OURS = Path(__file__).with_name("mock.toml")
SEED = Path(__file__).resolve().parents[3].parent / "shared" / "seeds" / "vacuum-mock-device.md"
HEAD = '[device]\ntype = "mock"\n'


def proposal():
    """Return the proposal's file if it is next to the checkout, else our copy of its keys."""
    if not SEED.is_file():
        return OURS.read_text("utf-8")
    (block,) = re.findall(
        r"^```toml\n# Mock Device.*?^```$", SEED.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    text = block.removeprefix("```toml\n").removesuffix("```")
    assert tomllib.loads(text) == tomllib.loads(OURS.read_text("utf-8"))
    return text


@pytest.fixture
def write(tmp_path):
    def make(text):
        file = tmp_path / "mock.toml"
        file.write_text(text, "utf-8")
        return file

    return make


def opened(file, *settings, seed=None):
    return open_target(file, settings, seed)


def problems(file):
    with pytest.raises(InputError) as caught:
        opened(file)
    return caught.value.problems


def test_the_proposal_loads_as_it_stands_and_drives(write):
    built = opened(write(proposal()), seed=1)
    sim = built.simulation
    config = sim.robot("vacuum").config
    assert (config.name, config.network.bind_address) == ("Mock CRL-200S", "0.0.0.0:5555")
    assert built.addresses["vacuum", "commands"] == "0.0.0.0:5555"
    assert config.frame_transforms.imu_gyro.z == (0, -1)
    assert config.lidar.noise.range_stddev == 0.005
    assert (
        sim.world.grid.resolution_m == 0.02
    )  # maps/apartment.yaml does not exist there: the bundled one
    drive(sim, 0.2)
    assert statuses(sim, 1.0)[-1].wheel_left > 500


def test_its_values_are_the_defaults(write):
    from_file = opened(write(proposal()), seed=1).simulation.robot("vacuum").config
    plain = open_target("vacuum").simulation.robot("vacuum").config
    given = from_file.model_dump(exclude={"network", "random_seed", "map_file"})
    assert given == plain.model_dump(exclude={"network", "random_seed", "map_file"})


UPSTREAM = """
[device.simulation]
start_x = 0.5
[device.simulation.imu.tilt_noise]
stddev = [0.0, 0.0, 0.0]
bias = [100.0, -50.0, 25.0]
[device.hardware]
gd32_port = "/dev/ttyS3"
lidar_port = "/dev/ttyS1"
heartbeat_interval_ms = 20
lidar_pwm = 60
[device.hardware.lidar_mounting]
offset_x = -0.1
offset_y = 0.01
optical_offset = 0.02
angle_offset = 0.2
[network]
bind_address = "127.0.0.1:5555"
udp_client_port = 5555
"""


def test_the_keys_that_only_upstream_has(write):
    sim = opened(write(HEAD + UPSTREAM), seed=1).simulation
    found = status(sim)
    assert (found.tilt_x, found.tilt_y, found.tilt_z) == (100, -50, 16384 + 25)
    lidar = sim.robot("vacuum").config.lidar
    assert (lidar.mounting_x, lidar.mounting_y) == (-0.1, 0.01)
    assert (lidar.optical_offset, lidar.angle_offset) == (0.02, 0.2)


def test_a_hint_says_how_the_upstream_mock_differs(write):
    file = write(proposal())
    (hint,) = opened(file).notes
    assert hint.startswith(f"{file}: ")
    assert "--set mock_compat=true" in hint
    assert not any("--set" in note for note in opened(file, "mock_compat=true").notes)
    assert opened(file, "mock_compat=false").notes == ()
    assert opened(file, "mock_compat=true", "mock_compat=false").notes == ()


QUIRK = """
[device.simulation.sensors]
{before}
[device.simulation.sensors.battery]
voltage = 14.0
{after}
"""
FOUR = "dustbox_attached = false\ndock_connected = true\nstart_button = 1\ndock_button = 2\n"


@pytest.mark.parametrize(
    ("before", "after"), [(FOUR, ""), ("", FOUR)], ids=["where they belong", "as in the proposal"]
)
def test_the_four_states_are_taken_before_and_after_the_battery(write, before, after):
    found = status(opened(write(HEAD + QUIRK.format(before=before, after=after))).simulation)
    assert (found.dustbox_attached, found.is_dock_connected) == (False, True)
    assert (found.start_button, found.dock_button, found.battery_voltage) == (1, 2, 14.0)


def seeded(write, number, seed=None):
    return opened(
        write(HEAD + f"[device.simulation]\nrandom_seed = {number}\n"), seed=seed
    ).simulation.seed


def test_the_seed_of_the_file(write):
    assert seeded(write, 77) == 77
    assert seeded(write, 77, seed=5) == 5
    picked = {seeded(write, 0) for _ in range(4)}
    assert len(picked) > 1
    assert 0 not in picked
    assert seeded(write, 0, seed=9) == 9


def test_a_picked_seed_repeats_the_run(write):
    file = write(HEAD + "[device.simulation]\nrandom_seed = 0\n")
    first = opened(file).simulation
    again = opened(file, seed=first.seed).simulation
    assert statuses(first, 0.5) == statuses(again, 0.5)


@pytest.mark.parametrize("factor", [0.5, 1.0, 5.0, 10.0])
def test_the_speed_factor_is_the_pace(write, factor):
    built = opened(write(HEAD + f"[device.simulation]\nspeed_factor = {factor}\n"))
    assert built.speed == factor
    assert len(statuses(built.simulation, 1.0)) == 110  # simulated time is unchanged


def test_a_map_next_to_the_file_is_found_from_anywhere(write, tmp_path, monkeypatch):
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "hall.pgm").write_bytes(b"P2 3 2 255\n" + b"255 " * 6)
    text = (
        "image: hall.pgm\nresolution: 0.5\norigin: [0, 0, 0]\n"
        "occupied_thresh: 0.65\nfree_thresh: 0.196\nnegate: 0\n"
    )
    (tmp_path / "maps" / "hall.yaml").write_text(text)
    file = write(HEAD + '[device.simulation]\nmap_file = "maps/hall.yaml"\n')
    monkeypatch.chdir("/")
    assert opened(file).simulation.world.grid.shape == (2, 3)


# Mistakes


def test_a_map_that_is_not_there_is_an_error_with_its_name(write):
    (problem,) = problems(write(HEAD + '[device.simulation]\nmap_file = "maps/appartment.yaml"\n'))
    assert "appartment" in problem.what
    assert "apartment" in problem.fix


def test_all_mistakes_are_reported_at_once_with_line_and_hint(write):
    text = (
        HEAD  # lines 1 and 2
        + "[device.simulation]\n"
        + "start_xx = 1.0\n"  # 4
        + "speed_factor = -1.0\n"  # 5
        + "[device.simulation.robot]\n"
        + "wheelbase = 0.2\n"  # 7
        + 'collision_mode = "bounce"\n'  # 8
        + "[device.simulation.lidar.noise]\n"
        + "range_std = 0.1\n"  # 10
        + "[network]\n"
        + "udp_port = 5\n"  # 12
        + "[netwrok]\n"  # 13
    )
    file = write(text)
    found = problems(file)
    assert {problem.line for problem in found} == {4, 5, 7, 8, 10, 12, 13}
    assert {problem.file for problem in found} == {str(file)}
    by_line = {problem.line: problem for problem in found}
    assert by_line[4].where == "device.simulation.start_xx"
    for line, hint in (
        (4, "start_x"),
        (7, "wheel_base"),
        (8, "slide"),
        (10, "range_stddev"),
        (13, "network"),
    ):
        assert hint in by_line[line].fix + by_line[line].what, line


def test_a_device_of_another_type_is_refused(write):
    (problem,) = problems(write('[device]\ntype = "crl200s"\n'))
    assert (problem.where, problem.line) == ("device.type", 2)
    assert "mock" in problem.what + problem.fix


@pytest.mark.parametrize(
    "line",
    [
        "random_seed = -1",
        "start_x = nan",
        'log_level = "loud"',
        "robot = { wheel_base = 0 }",
        "lidar = { min_range = 9.0 }",
        "lidar = { num_rays = 0 }",
        "bumpers = { left = { start_angle = 1.0, end_angle = 0.5 } }",
        "frame_transforms = {}",  # these keys belong to other tables; here they would be ignored
        "network = {}",
        'name = "Robbie"',
    ],
)
def test_impossible_values_are_refused(write, line):
    found = problems(write(HEAD + f"[device.simulation]\n{line}\n"))
    assert [problem.line for problem in found] == [4]


def test_a_settings_key_overrides_the_file(write):
    file = write(HEAD + "[device.simulation]\nstart_x = 1.0\n")
    assert opened(file, "start_x=0.5").simulation.truth("vacuum").pose[0] == 0.5
