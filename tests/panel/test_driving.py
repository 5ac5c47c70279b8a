"""Commands through views: driving that expires, emergency stops, actions."""

import pytest

from host.driving import on_loop
from rigless.kernel.problems import InputError
from rigless.panel.hub import COMMAND_TIMEOUT_S

from .harness import THERMOSTAT, TROLLEY, harness

STANDS = (0.0, 0.0, 0.0)


@on_loop
async def test_driving_reaches_the_robot_at_once():
    async with harness() as here:
        client = here.come()
        here.hub.drive(client, "trolley", 1.0, -0.5, 0.25)
        assert here.robot.state.speed == (1.0, -0.5, 0.25)
        here.hub.drive(client, "trolley", 0.0, 0.0, 0.0)
        assert (here.robot.state.speed, client.driving) == (STANDS, {})


@on_loop
async def test_a_repeated_drive_command_keeps_driving():
    async with harness() as here:
        client = here.come()
        for _ in range(30):
            here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
            await here.wall.go(0.1)
        assert here.robot.state.speed == (1.0, 0.0, 0.0)
        assert here.robot.state.pose[0] == pytest.approx(3, abs=0.1)


@pytest.mark.parametrize("hz", [0, 60])
@on_loop
async def test_a_drive_command_expires(hz):
    async with harness() as here:
        client = here.come(hz)
        await here.wall.go(1 / 60)  # so that the next tick with a status is not the first
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        await here.wall.go(COMMAND_TIMEOUT_S - 0.05)
        assert here.robot.state.speed == (1.0, 0.0, 0.0)
        await here.wall.go(0.25)
        assert (here.robot.state.speed, client.driving) == (STANDS, {})


@on_loop
async def test_a_robot_stops_when_its_driver_disconnects():
    async with harness() as here:
        client, other = here.come(), here.come()
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        here.leave(other)
        assert here.robot.state.speed == (1.0, 0.0, 0.0)
        here.leave(client)
        assert here.robot.state.speed == STANDS


@on_loop
async def test_letting_go_reaches_the_robot_that_a_reset_made():
    async with harness() as here:
        client = here.come()
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        here.host.reset()
        here.hub.drive(client, "trolley", 0.0, 1.0, 0.0)
        assert here.robot.state.speed == (0.0, 1.0, 0.0)
        here.leave(client)
        assert here.robot.state.speed == STANDS


@on_loop
async def test_driving_is_recorded_like_any_other_input():
    async with harness() as here:
        heard = []
        here.host.sim.core.listeners.input.append(
            lambda at_ns, given, source: heard.append((given.type, source))
        )
        here.hub.drive(here.come(), "trolley", 1.0, 0.0, 0.0)
        assert heard == [("Go", "live")]


@on_loop
async def test_a_robot_that_is_not_there_cannot_be_driven():
    async with harness() as here:
        client = here.come()
        with pytest.raises(InputError, match=r"unknown robot 'troley'.*did you mean 'trolley'"):
            here.hub.drive(client, "troley", 1.0, 0.0, 0.0)
        assert client.driving == {}


@on_loop
async def test_the_emergency_stop_is_set_and_released():
    async with harness() as here:
        client = here.come()
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        assert here.hub.emergency_stop(True) == ["trolley"]
        await here.wall.go(0.1)
        assert (here.robot.input["estop"], here.robot.state.speed, client.driving) == (
            True,
            STANDS,
            {},
        )
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        assert here.robot.state.speed == STANDS
        assert here.hub.emergency_stop(False, "trolley") == ["trolley"]
        assert here.robot.input["estop"] is False


@pytest.mark.parametrize("robot", ["", "thermostat"])
@on_loop
async def test_a_robot_without_an_emergency_stop_says_so(robot):
    async with harness(THERMOSTAT) as here:
        with pytest.raises(InputError, match=r"has no emergency stop.*pause instead"):
            here.hub.emergency_stop(True, robot)
        client = here.come()
        await here.wall.go(0.1)
        assert client.socket.of("status")[-1]["robots"][0]["stop"] is None


@on_loop
async def test_an_emergency_stop_of_a_robot_that_is_not_there_is_an_error():
    async with harness() as here:
        with pytest.raises(InputError, match="did you mean 'trolley'"):
            here.hub.emergency_stop(True, "troley")


@on_loop
async def test_all_robots_stop_though_one_is_broken(tmp_path):
    scene = tmp_path / "two.toml"
    scene.write_text(
        "".join(
            f'[[robots]]\nname = "{name}"\nkind = "{TROLLEY}"\n'
            for name in ("first", "second", "third")
        )
    )
    async with harness(str(scene)) as here:
        first, second, third = here.host.sim.robots.values()
        view = here.hub.view("first")
        view.stop = lambda on: 1 // 0
        second.view = lambda: 1 // 0
        with pytest.raises(InputError, match="first: cannot be stopped: ZeroDivisionError"):
            here.hub.emergency_stop(True)
        assert [robot.input["estop"] for robot in (first, second, third)] == [False, False, True]


@on_loop
async def test_a_key_held_through_the_emergency_stop_does_not_drive_on():
    async with harness() as here:
        client, other = here.come(), here.come()
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        here.hub.emergency_stop(True)
        here.hub.emergency_stop(False)
        stands = here.robot.state.speed
        here.hub.drive(client, "trolley", 1.0, 0.0, 0.0)
        assert here.robot.state.speed == stands
        here.hub.drive(other, "trolley", 0.0, 1.0, 0.0)
        assert here.robot.state.speed == (0.0, 1.0, 0.0)
        here.hub.drive(client, "trolley", 0.0, 0.0, 0.0)
        assert here.robot.state.speed == (0.0, 1.0, 0.0)
        here.hub.drive(client, "trolley", 0.5, 0.0, 0.0)
        assert here.robot.state.speed == (0.5, 0.0, 0.0)


@on_loop
async def test_a_jog_goes_on_while_it_is_said_and_no_longer():
    async with harness() as here:
        heard = []
        here.host.sim.core.listeners.input.append(lambda at_ns, given, source: heard.append(given))
        client = here.come()
        for _ in range(30):
            here.hub.jog(client, "trolley", 1, -1.0, 0.5, hold=True)
            await here.wall.go(0.1)
        assert (here.robot.state.speed, len(heard)) == (
            (0.0, -0.5, 0.0),
            1,
        )  # one input for the robot
        here.hub.jog(client, "trolley", 0, 2.0, 1.0, hold=True)
        assert (here.robot.state.speed, len(heard)) == (
            (1.0, 0.0, 0.0),
            4,
        )  # released before the next
        here.hub.jog(client, "trolley", 0, 0.0, 1.0, hold=False)
        assert (here.robot.state.speed, client.jogging, client.driving) == (STANDS, {}, {})


@pytest.mark.parametrize("end", ["silent", "gone"])
@on_loop
async def test_a_jog_ends_when_its_client_is_silent_or_gone(end):
    async with harness() as here:
        client, _other = here.come(), here.come()
        here.hub.jog(client, "trolley", 0, 1.0, 1.0, hold=True)
        assert here.robot.state.speed == (1.0, 0.0, 0.0)
        if end == "gone":
            here.leave(client)
        else:
            await here.wall.go(COMMAND_TIMEOUT_S + 0.2)
        assert (here.robot.state.speed, client.jogging) == (STANDS, {})


@on_loop
async def test_a_jog_held_through_the_emergency_stop_does_not_go_on():
    async with harness() as here:
        client = here.come()
        here.hub.jog(client, "trolley", 0, 1.0, 1.0, hold=True)
        here.hub.emergency_stop(True)
        await here.wall.go(0.1)
        here.hub.emergency_stop(False)
        here.hub.jog(client, "trolley", 0, 1.0, 1.0, hold=True)
        assert here.robot.state.speed == STANDS
        here.hub.jog(client, "trolley", 0, 0.0, 1.0, hold=False)
        here.hub.jog(client, "trolley", 0, 1.0, 1.0, hold=True)
        assert here.robot.state.speed == (1.0, 0.0, 0.0)


@on_loop
async def test_a_step_is_one_that_the_page_has():
    async with harness() as here:
        client = here.come()
        here.hub.jog(client, "trolley", 1, -5.0, 1.0, hold=False)
        assert (here.robot.input["horn"], client.jogging) == (-5, {})
        for axis, by in ((2, 1.0), (0, 5.1), (0, -6.0)):
            with pytest.raises(InputError):
                here.hub.jog(client, "trolley", axis, by, 1.0, hold=False)
        assert here.robot.input["horn"] == -5
    async with harness(THERMOSTAT) as here:
        with pytest.raises(InputError, match="cannot be jogged"):
            here.hub.jog(here.come(), "thermostat", 0, 1.0, 1.0, hold=True)


@on_loop
async def test_a_robot_that_cannot_be_driven_says_so():
    async with harness(THERMOSTAT) as here:
        with pytest.raises(InputError, match="cannot be driven"):
            here.hub.drive(here.come(), "thermostat", 1.0, 0.0, 0.0)
