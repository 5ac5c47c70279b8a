"""ROS 2 parameter files load unchanged; all mistakes are reported at once, with lines."""

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.native import read_native
from rigless.scenario.load import open_target

ORIGIN = "gps: {origin_latitude_deg: 47.0, origin_longitude_deg: 8.0}"


def read(folder, text):
    file = folder / "params.yaml"
    file.write_text(text)
    document = read_native(file)
    if document is not None and (found := document.check(document.data)):
        raise InputError(found)
    return document and document.data


def config(folder, text):
    return RoverConfig.model_validate(read(folder, text))


def problems(folder, text):
    with pytest.raises(InputError) as caught:
        read(folder, text)
    return [(problem.where, problem.line) for problem in caught.value.problems]


SEED = """
sensor_simulator:
  ros__parameters:
    use_sim_time: false
    map_frame_id: world
    cmd_vel_timeout_s: 1
    high_rate_update_period_s: 2e-2
    enc_vel:
      vx_noise_std_mps: 0.05
      drift_time_constant_s: 12
    imu.yaw_noise_std_rad: 1e-3
    imu.initial_yaw_rad: -1.5
    gps:
      origin_latitude_deg: 47.3769
      origin_longitude_deg: 8.5417
      noise_std_m: .5
    qos_overrides: {/imu: {publisher: {depth: 5}}}
"""


def test_a_file_of_the_seeds_node(tmp_path):
    found = config(tmp_path, SEED)
    assert (found.map_frame_id, found.cmd_vel_timeout_s, found.high_rate_update_period_s) == (
        "world",
        1.0,
        0.02,
    )
    assert (found.enc_vel.vx_noise_std_mps, found.enc_vel.drift_time_constant_s) == (0.05, 12.0)
    assert (found.imu.yaw_noise_std_rad, found.imu.initial_yaw_rad) == (1e-3, -1.5)
    assert (found.gps.origin_latitude_deg, found.gps.noise_std_m) == (47.3769, 0.5)
    assert (found.node_name, found.namespace, found.transforms) == ("sensor_simulator", "/", ())
    assert found.gps.drift_time_constant_s == 60.0


def test_such_a_file_runs_and_waits_for_tf_static(tmp_path):
    file = tmp_path / "sim.yaml"
    file.write_text(SEED)
    sim = open_target(file).simulation
    sim.run(1.0)
    assert {out.topic for out in sim.take("rover", "dds")} == {
        "enc_vel",
        "ground_truth",
        "odom/ground_truth",
        "/tf",
    }
    assert [event.code for event in sim.events] == ["transform-missing"]


@pytest.mark.parametrize(
    ("top", "namespace", "name"),
    [
        ("/**:\n  ros__parameters:\n    ", None, "sensor_simulator"),
        ("/fleet/one/sim:\n  ros__parameters:\n    ", "/fleet/one", "sim"),
        ("fleet:\n  sim:\n    ros__parameters:\n      ", "/fleet", "sim"),
        ("sim:\n  ros__parameters:\n    ", "/", "sim"),
    ],
)
def test_nodes_by_name_path_and_wildcard(tmp_path, top, namespace, name):
    found = config(tmp_path, top + ORIGIN)
    assert (found.namespace, found.node_name, found.gps.origin_latitude_deg) == (
        namespace,
        name,
        47.0,
    )


def test_wildcards_come_first_and_the_node_wins(tmp_path):
    text = f"""
/a/sim:
  ros__parameters:
    gps.noise_std_m: 2.0
/**:
  ros__parameters:
    {ORIGIN}
    gps.noise_std_m: 1.0
    gps.drift_std_m: 3.0
/a/*:
  ros__parameters: {{map_frame_id: here}}
/b/**:
  ros__parameters: {{map_frame_id: there}}
"""
    found = config(tmp_path, text)
    assert (found.gps.noise_std_m, found.gps.drift_std_m, found.map_frame_id) == (2.0, 3.0, "here")
    assert (found.namespace, found.node_name) == ("/a", "sim")


def test_other_nodes_in_the_file_are_let_be(tmp_path):
    text = f"""
ekf_filter_node:
  ros__parameters: {{frequency: 30.0, odom0: enc_vel, map_frame: map}}
/**:
  ros__parameters: {{use_sim_time: true, verbosity: 3}}
rover_sim:
  ros__parameters:
    {ORIGIN}
"""
    found = config(tmp_path, text)
    assert (found.use_sim_time, found.node_name) == (True, "rover_sim")


def test_two_rovers_in_a_file_are_an_error_unless_one_is_the_seeds_node(tmp_path):
    two = f"a:\n  ros__parameters: {{{ORIGIN}}}\nb:\n  ros__parameters: {{{ORIGIN}}}\n"
    with pytest.raises(InputError, match="several nodes: /a, /b"):
        read(tmp_path, two)
    assert (
        config(tmp_path, two + f"sensor_simulator:\n  ros__parameters: {{{ORIGIN}}}\n").node_name
        == "sensor_simulator"
    )


MOUNTS = """transforms:
  - {parent: base_link, child: imu_link, yaw: 1.5}
  - {parent: base_link, child: gps_link, x: -0.4, z: 1}
"""


@pytest.mark.parametrize("inside", [True, False])
def test_transforms_inside_and_next_to_the_parameters(tmp_path, inside):
    indent = "    " if inside else "  "
    text = f"sim:\n  ros__parameters:\n    {ORIGIN}\n" + "".join(
        f"{indent}{line}\n" for line in MOUNTS.splitlines()
    )
    found = config(tmp_path, text)
    assert [(mount.child, mount.yaw, mount.x, mount.z) for mount in found.transforms] == [
        ("imu_link", 1.5, 0, 0),
        ("gps_link", 0, -0.4, 1),
    ]


def test_transforms_next_to_the_nodes(tmp_path):
    found = config(tmp_path, f"{MOUNTS}sim:\n  ros__parameters:\n    {ORIGIN}\n")
    assert [mount.child for mount in found.transforms] == ["imu_link", "gps_link"]


def test_the_origin_is_required(tmp_path):
    text = "sim:\n  ros__parameters:\n    cmd_vel_timeout_s: 0.5\n"
    assert problems(tmp_path, text) == [
        ("gps.origin_latitude_deg", 2),
        ("gps.origin_longitude_deg", 2),
    ]
    text += "    gps:\n      origin_longitude_deg: 8.0\n"
    assert problems(tmp_path, text) == [("gps.origin_latitude_deg", 4)]


def test_all_mistakes_are_reported_at_once_with_their_lines(tmp_path):
    text = """sim:
  ros__parameters:
    cmd_vel_timeout_s: "0.5"
    high_rate_update_period_s: true
    enc_vel:
      vx_noise_std_mps: -0.1
      vx_noise_mps: 1.0
    imu.magnetic_declination_rad: north
    gps:
      origin_latitude_deg: 91
      origin_longitude_deg: [8.0]
      drift_time_constant_s: 0.0
    map_frame_id: 7
    gsp: {}
"""
    assert sorted(problems(tmp_path, text)) == sorted(
        [
            ("cmd_vel_timeout_s", 3),
            ("high_rate_update_period_s", 4),
            ("enc_vel.vx_noise_std_mps", 6),
            ("enc_vel.vx_noise_mps", 7),
            ("imu.magnetic_declination_rad", 8),
            ("gps.origin_latitude_deg", 10),
            ("gps.origin_longitude_deg", 11),
            ("gps.drift_time_constant_s", 12),
            ("map_frame_id", 13),
            ("gsp", 14),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- 1\n",
        "a: b\n",
        "simulation: {update_rate_hz: 100}\n",
        ":\n\t-",
        "a: &a [*a]\n",
        "x" * 10_000,
    ],
)
def test_what_is_not_a_rovers_is_left_to_others(tmp_path, text):
    assert read(tmp_path, text) is None


def test_a_parameter_file_that_is_not_yaml_or_another_nodes_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"params.yaml:4: is not valid YAML"):
        read(tmp_path, "sim:\n  ros__parameters:\n    a: [\n")
    ekf = (
        "ekf_local:\n  ros__parameters: {frequency: 3, odom0: enc_vel, base_frame_id: base_link}\n"
    )
    with pytest.raises(InputError) as caught:
        read(tmp_path, ekf)
    assert str(caught.value) == (
        f"{tmp_path / 'params.yaml'}: no sensor_simulator node in this file; it has ekf_local "
        "(give the parameters of the sensor simulator)"
    )
    with pytest.raises(InputError, match="this key is given twice"):
        read(tmp_path, f"sim:\n  ros__parameters:\n    {ORIGIN}\n    {ORIGIN}\n")


def test_settings_can_give_required_keys_and_correct_wrong_ones(tmp_path):
    file = tmp_path / "params.yaml"
    file.write_text("sim:\n  ros__parameters:\n    gps: {noise_std_m: -1}\n")
    origin = ["gps.origin_latitude_deg=47.5", "gps.origin_longitude_deg=8"]
    with pytest.raises(InputError) as caught:
        open_target(file, origin)
    assert [problem.where for problem in caught.value.problems] == ["gps.noise_std_m"]
    found = open_target(file, [*origin, "gps.noise_std_m=2"]).simulation.robots["rover"].config
    assert (found.gps.origin_latitude_deg, found.gps.noise_std_m) == (47.5, 2.0)


def test_an_alias_of_aliases_is_not_unfolded(tmp_path):
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 15))
    assert read(tmp_path, bomb) is None
    with pytest.raises(InputError, match="too deep or too large"):
        read(tmp_path, bomb + "sim: {ros__parameters: {gps: *a14}}\n")


WORDS = st.sampled_from(
    [
        "gps",
        "imu",
        "enc_vel",
        "origin_latitude_deg",
        "gps.noise_std_m",
        "transforms",
        "ros__parameters",
        "/**",
        "sim",
        "namespace",
        ".",
        "",
    ]
)
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4) | WORDS
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.dictionaries(
        WORDS, st.builds(lambda inside: {"ros__parameters": inside}, TREES), min_size=1, max_size=3
    )
)
def test_any_file_gives_a_config_or_an_error(tmp_path, tree):
    try:
        found = read(tmp_path, yaml.safe_dump(tree))
    except InputError as error:
        assert str(error)  # noqa: PT017  # any other error fails the test
    else:
        assert found is None or RoverConfig.model_validate(found)


def test_every_parameter_of_the_seed_has_its_default():
    found = RoverConfig().model_dump()
    wanted = {
        "map_frame_id": "map", "base_frame_id": "base_link", "imu_frame_id": "imu_link",
        "gps_frame_id": "gps_link", "cmd_vel_timeout_s": 0.5, "high_rate_update_period_s": 0.01,
        "low_rate_update_period_s": 0.1,
    }  # fmt: skip
    assert {key: found[key] for key in wanted} == wanted
    enc = {
        "vx_noise_std_mps": 0,
        "wz_noise_std_radps": 0,
        "vx_drift_std": 0,
        "wz_drift_std": 0,
        "drift_time_constant_s": 30,
    }
    imu = {
        "yaw_noise_std_rad": 0,
        "wz_noise_std_radps": 0,
        "magnetic_declination_rad": 0,
        "initial_yaw_rad": 0,
    }
    gps = {"noise_std_m": 0, "drift_std_m": 0, "drift_time_constant_s": 60}
    for table, keys in (("enc_vel", enc), ("imu", imu), ("gps", gps)):
        assert {key: found[table][key] for key in keys} == keys


@pytest.mark.parametrize(
    "setting",
    [
        "namespace='1st'",
        "node_name='a b'",
        "remaps={imu='i mu'}",
        "ground_truth_topics=['x-y']",
        "gps.outages_s=[[2,1]]",
    ],
)
def test_invalid_ros_names_are_errors(setting):
    with pytest.raises(InputError):
        open_target("rover", [setting])


def test_auto_declination_without_its_extra_is_one_line(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pygeomag", None)
    with pytest.raises(InputError, match=r"rigless\[declination\]"):
        open_target("rover", ["imu.magnetic_declination=auto"])
