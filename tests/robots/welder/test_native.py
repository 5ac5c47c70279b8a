"""The seed's simulation.yaml loads unchanged; all its problems are reported at once."""

import pytest

from rigless.kernel.problems import InputError
from rigless.robots.welder.native import read_native
from rigless.scenario.load import open_target

SEED = """
simulation:
  update_rate_hz: 1000
  default_time_scale: 2.0
  enable_dynamics: false
  joint_inertia: [1.0, 1.0, 0.5, 0.1, 0.1, 0.05]  # kg·m²
  joint_friction: [0.1, 0.1, 0.05, 0.02, 0.02, 0.01]
  command_delay_ms: 1.0
  feedback_delay_ms: 0.5
collision:
  enable: true
  check_self_collision: true
  check_environment: true
  self_collision_pairs:
    - [0, 4]
    - [1, 5]
visualization:
  show_collision_volumes: false
  robot_color: 0xFF5E01
  ghost_robot_color: 0x808080
virtual_io:
  links:
    - output: 0
      input: 0
      delay_ms: 50
    - output: 1
      input: 1
      delay_ms: 100
"""


def test_it_loads_as_it_is(tmp_path):
    file = tmp_path / "simulation.yaml"
    file.write_text(SEED, "utf-8")
    built = open_target(str(file))
    config = built.simulation.robot("welder").config
    assert (config.command_delay_ms, built.speed) == (1.0, 2.0)
    assert [(link.output, link.input, link.delay_ms) for link in config.virtual_io.links] == [
        (0, 0, 50.0),
        (1, 1, 100.0),
    ]
    assert (config.visualization.robot_color, config.visualization.show_weld_trail) == (
        0xFF5E01,
        True,
    )


def test_all_that_is_wrong_is_told(tmp_path):
    file = tmp_path / "simulation.yaml"
    file.write_text(
        SEED.replace("update_rate_hz: 1000", "update_rate: 5").replace("output: 1", "output: 40"),
        "utf-8",
    )
    with pytest.raises(InputError) as caught:
        read_native(file)
    assert "simulation.update_rate" in str(caught.value)
    assert "virtual_io.links[1].output" in str(caught.value)


def test_dynamics_are_taken_over(tmp_path):
    file = tmp_path / "simulation.yaml"
    file.write_text(
        SEED.replace("enable_dynamics: false", "enable_dynamics: true").replace(
            "0.05]  #", "0.07]  #"
        ),
        "utf-8",
    )
    robot = open_target(str(file)).simulation.robot("welder")
    assert robot.config.joint_inertia[-1] == 0.07
    assert any(robot.truth().torques_nm)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- 1\n",
        "image: a.pgm\nresolution: 0.05\n",
        "simulation: 3\n",
        "a: [",
        "simulation: {}\n",
    ],
)
def test_other_files_are_not_ours(tmp_path, text):
    file = tmp_path / "other.yaml"
    file.write_text(text)
    assert read_native(file) is None
    assert read_native(tmp_path / "other.toml") is None
