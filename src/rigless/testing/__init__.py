"""Tools for tests of robots and drivers; also a pytest plugin.

Fixtures load simulations in virtual time and hosts on real sockets, and close them after the test:

    def test_it_heats(rigless_sim):
        sim = rigless_sim("examples/thermostat", seed=1)
        sim.run(seconds=60)

    def test_on_the_wire(rigless_host):
        host = rigless_host("examples/thermostat", speed=10)
        host.address("thermostat", "line")      # tcp://127.0.0.1:<free port>

    def test_my_program(rigless_host, rigless_program):
        host = rigless_host("examples/thermostat", speed=10)
        nav = rigless_program("./nav {thermostat.line}", host)
        nav.wait_for_output("ready")
        assert nav.wait() == 0

`pytest --rigless-isolate` runs all tests in a private network, where fixed ports are free.
`check_robot` runs the conformance suite on one robot; `robot_checks` gives its checks as parameters
of a test. `check_driver` tries a driver of real hardware.
"""

import contextlib
from typing import TYPE_CHECKING

from rigless.testing.driver import check_driver

if TYPE_CHECKING:
    from pathlib import Path

    from rigless.kernel.robot import Robot
    from rigless.testing.check import Check

with contextlib.suppress(ModuleNotFoundError):  # only the fixtures need pytest
    from rigless.testing.fixtures import (
        pytest_runtest_makereport as pytest_runtest_makereport,
    )
    from rigless.testing.fixtures import (
        rigless_host,
        rigless_program,
        rigless_sim,
    )
    from rigless.testing.isolation import (
        pytest_addoption as pytest_addoption,
    )
    from rigless.testing.isolation import (
        pytest_load_initial_conftests as pytest_load_initial_conftests,
    )

__all__ = [
    "check_driver",
    "check_robot",
    "rigless_host",
    "rigless_program",
    "rigless_sim",
    "robot_checks",
]


def check_robot(
    robot: "str | Path | type[Robot]", golden: "str | Path | None" = None, only: str = ""
) -> list[str]:
    """Run the conformance suite on one robot and return the names of the checks that passed.

    `robot` is a folder, a kind or a robot class. `golden` is the folder with its golden inputs,
    by default `golden` in the robot's folder. `only` selects the checks whose name contains it.
    Failures are raised together, as an ExceptionGroup.

        >>> rigless.testing.check_robot("examples/thermostat", only="same_seed")
        ['same_seed_gives_same_bytes']
    """
    from rigless.testing.check import run_checks

    return run_checks(robot_checks(robot, golden), only)


def robot_checks(
    robot: "str | Path | type[Robot]", golden: "str | Path | None" = None, group: str = ""
) -> "list[Check]":
    """Return the checks of the conformance suite for one robot, to parametrise a test.

        @pytest.mark.parametrize("check", robot_checks("my_robot"), ids=str)
        def test_conformance(check):
            check()

    `group` selects one of the groups: declared, determinism, wire, page.
    """
    from rigless.testing.check import checks_of
    from rigless.testing.subject import Subject

    return checks_of(Subject.of(robot, golden), group)
