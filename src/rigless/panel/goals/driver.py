"""A driver that takes one robot to a place: a client on the robot's own port.

Theory of operation. The way is planned on the map of the robot's world, with obstacles and other
robots in it. Commands go over the wire; the pose is the ground truth, as from a camera over the
floor, because dead reckoning would drift. When something in the world has moved, the way is planned
again. Programs that yield are withdrawn first. The driver ends when another client appears, the
emergency stop is pressed, time jumps, or the robot is stuck.
"""

import asyncio
import math
import time
from collections.abc import Callable, Collection
from typing import Protocol

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.goals.models import ACTIVE, NO_GOAL, GiveGoal, GoalState, GoalStatus
from rigless.panel.goals.other_clients import OtherClients
from rigless.panel.goals.planning import plan, plan_goal
from rigless.panel.goals.steering import Command, Follower, Pose, Vehicle
from rigless.worlds.route import NoRoute, Route

BY = "the panel's driver"
PERIOD_S = 0.05  # of commands, in wall time
POLL_S = 0.02
STEP_S = 2.0  # of simulated time between two commands, at most
YIELD_S = 10.0  # for programs to end
LISTEN_S = 0.4  # for other clients on a shared network
LOOK_S = 1.0  # simulated time between two looks at what has moved
STUCK_S = 4.0  # simulated time without motion
BLOCKED_S = 30.0  # simulated time to wait for the way to become free
MOVED_M, TURNED_RAD = 0.02, 0.1  # less is no motion
JUMP_M = 0.1
TRIES = 2  # to get free
BACK_S, BACK_SHARE = 1.0, 0.4  # of the full speed
REST = Command()


class GoalClient(Protocol):
    """The robot's end: a client of the real port, by the robot's own protocol."""

    async def open(self) -> None:
        """Connect. Raises OSError or InputError."""

    async def send(self, command: Command) -> None:
        """Send speeds. Raises OSError if the robot has closed the connection."""

    async def close(self) -> None: ...


class _End(Exception):  # noqa: N818  # not an error
    """Ends a drive with a state and a sentence."""

    def __init__(self, state: GoalState, text: str):
        super().__init__(text)
        self.state = state


class Driver:
    """Takes one robot to goals. `make_client` makes a client for each drive."""

    def __init__(
        self,
        host: Host,
        robot: str,
        vehicle: Callable[[], Vehicle],
        make_client: Callable[[], GoalClient],
        idle_ports: Collection[str] = (),
    ):
        self._host, self._robot = host, robot
        self._vehicle, self._make_client = vehicle, make_client
        self._idle_ports = idle_ports
        self._status: GoalStatus = NO_GOAL
        self._follower: Follower | None = None
        self._task: asyncio.Task[None] | None = None
        self._clients: OtherClients | None = None
        self._planned_for: object = None  # the bodies for which the route was planned

    def status(self) -> GoalStatus:
        peer = self._clients.peer if self._clients is not None else ""
        return {**self._status, "client": peer}

    async def go(self, goal: GiveGoal) -> None:
        """Plan the way and set off. Raises InputError."""
        self._check_ready()
        before = self._status
        if not self._running:
            self._status = {**NO_GOAL, "x_m": goal.x_m, "y_m": goal.y_m}
            self._say("starting", "plans the way")
        self._planned_for = self._around()
        robot, pose = self._host.sim.robot(self._robot), self._pose()
        try:
            route, (x, y) = await plan_goal(robot, pose[:2], self._vehicle().radius_m, goal)
        except BaseException:
            if not self._running:
                self._status = before
            raise
        self._status = {**NO_GOAL, "x_m": x, "y_m": y, "theta_rad": goal.theta_rad}
        self._follow(route)
        self._say("driving" if self._running else "starting", f"to ({x:g}, {y:g})")
        if not self._running:
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop the robot and forget the goal."""
        if self._running and self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._status["state"] in ACTIVE:
            self._say("stopped", "stopped in the panel")

    async def close(self) -> None:
        await self.stop()

    @property
    def _running(self) -> bool:
        return self._task is not None and not self._task.done()

    def _say(self, state: GoalState, text: str) -> None:
        self._status = {**self._status, "state": state, "text": text}

    def _check_ready(self) -> None:
        """Raise InputError if the robot cannot be driven at present."""
        host, robot = self._host, self._host.sim.robot(self._robot)
        if host.failure:
            raise InputError(Problem(self._robot, f"it has failed: {host.failure}", "reset it"))
        if host.pace.mode == "fast":
            what = "a client cannot keep up with fast time"
            raise InputError(Problem("speed", what, "set a speed such as 1 or 5"))
        if robot.input.get("estop"):
            what = "its emergency stop is on"
            raise InputError(Problem(self._robot, what, "release it first"))

    # The way

    async def _plan(self, x: float, y: float) -> Route | NoRoute:
        self._planned_for = self._around()
        robot, pose = self._host.sim.robot(self._robot), self._pose()
        return await plan(robot, pose[:2], self._vehicle().radius_m, (x, y))

    def _follow(self, route: Route) -> None:
        self._follower = Follower(route.points, self._status["theta_rad"], self._vehicle())
        shown = [(round(x, 3), round(y, 3)) for x, y in route.points]
        self._status = {**self._status, "route": shown}

    def _around(self) -> object:
        """Return what is in the way, in steps of a few centimetres, to notice a change."""
        robot = self._host.sim.robot(self._robot)
        bodies = [(body.x, body.y, body.theta) for body in robot.world.bodies(robot.now_ns)]
        found = [*bodies, *robot.neighbours()]
        return [tuple(round(value / 0.05) for value in one) for one in found]

    def _pose(self) -> Pose:
        x, y, theta = self._host.sim.robot(self._robot).truth().pose
        return float(x), float(y), float(theta)

    # The drive

    async def _run(self) -> None:
        host, client = self._host, self._make_client()
        yielders = [one for one in host.yielders if self._robot in one.robots]
        is_open = False
        try:
            for one in yielders:
                one.claim(self._robot, BY)
            await self._wait_for_programs()
            self._clients = OtherClients(host, self._robot, self._idle_ports)
            await asyncio.sleep(LISTEN_S)
            self._check_clients()
            try:
                await client.open()
                is_open = True
            except (OSError, TimeoutError) as error:
                raise _End("failed", f"cannot connect to {self._robot}: {error}") from None
            except InputError as error:
                raise _End("failed", str(error)) from None
            self._say("driving", self._status["text"])
            await self._drive(client)
        except _End as end:
            self._say(end.state, str(end))
        except asyncio.CancelledError:
            self._say("stopped", "stopped in the panel")
            raise
        except Exception as error:  # a defect of a client or of a robot must not hide
            self._say("failed", f"the driver failed: {type(error).__name__}: {error}")
        finally:
            await self._finish(client, is_open)
            if self._clients is not None:
                self._clients.close()
                self._clients = None
            for one in yielders:
                one.release(self._robot)

    async def _finish(self, client: GoalClient, is_open: bool) -> None:
        """Stop the robot, unless another client has it now, and disconnect."""
        yields = self._clients is not None and self._clients.found
        try:
            if is_open and not yields:
                await client.send(REST)
        except (OSError, InputError):
            pass
        finally:
            await client.close()

    async def _wait_for_programs(self) -> None:
        end = time.monotonic() + YIELD_S
        while any(one.driving for one in self._host.yielders if self._robot in one.robots):
            if time.monotonic() > end:
                raise _End("failed", f"a program that drives {self._robot} does not end")
            await asyncio.sleep(POLL_S)

    def _check_clients(self) -> None:
        if self._clients is not None and self._clients.found:
            raise _End("stopped", f"yields: {self._clients.found}")

    async def _drive(self, client: GoalClient) -> None:
        host = self._host
        epoch, commanded_s, looked_s = host.epoch, host.sim.now_s - PERIOD_S, host.sim.now_s
        before = self._pose()
        moved: tuple[Pose, float] = (before, host.sim.now_s)
        tries = TRIES
        self._planned_for = None  # it may have driven on since the way was planned
        await self._look(client)
        while True:
            now_s = host.sim.now_s
            if host.epoch != epoch:
                raise _End("stopped", "time was reset or restored")
            self._check_clients()
            self._check_robot()
            if now_s != commanded_s:  # not while it is paused
                # A busy computer makes the steps longer.
                step_s = max(PERIOD_S * max(1.0, host.pace.speed), min(now_s - commanded_s, STEP_S))
                pose = self._pose()
                moved = _watch_motion(pose, moved, now_s)
                stuck = now_s - moved[1] > STUCK_S
                if stuck and not tries:
                    raise _End("failed", f"stuck at ({pose[0]:.2f}, {pose[1]:.2f})")
                if stuck:
                    tries -= 1
                    await self._back_off(client)
                    moved = (self._pose(), host.sim.now_s)
                jumped = math.dist(pose[:2], before[:2]) > self._reach_m(step_s)
                before = self._pose()
                if jumped or stuck:
                    self._planned_for = None
                if jumped or stuck or now_s - looked_s >= LOOK_S:
                    looked_s = now_s
                    await self._look(client)
                assert self._follower is not None
                command = self._follower.command(self._pose(), step_s)
                if command is None:
                    raise _End("arrived", self._arrival())
                await self._send(client, command)
                commanded_s = now_s
            await asyncio.sleep(PERIOD_S)

    def _reach_m(self, step_s: float) -> float:
        """Return how far it can have driven in a step; further, it was put somewhere else."""
        return JUMP_M + 2.0 * self._vehicle().speed_mps * step_s

    def _arrival(self) -> str:
        x, y = self._status["x_m"], self._status["y_m"]
        off_m = math.dist(self._pose()[:2], (x, y))
        return f"at ({x:g}, {y:g}), within {100 * off_m:.0f} cm"

    async def _back_off(self, client: GoalClient) -> None:
        """Drive back a little, away from what it is stuck at."""
        host, begin_s, epoch = self._host, self._host.sim.now_s, self._host.epoch
        back = Command(forward_mps=-BACK_SHARE * self._vehicle().speed_mps)
        while host.sim.now_s - begin_s < BACK_S and host.epoch == epoch:
            self._check_clients()
            self._check_robot()
            await self._send(client, back)
            await asyncio.sleep(PERIOD_S)

    async def _send(self, client: GoalClient, command: Command) -> None:
        try:
            await client.send(command)
        except (OSError, TimeoutError) as error:
            self._check_clients()
            raise _End("failed", f"the connection has ended: {error}") from None

    def _check_robot(self) -> None:
        if self._host.failure:
            raise _End("failed", f"the simulation has failed: {self._host.failure}")
        if self._host.finished.is_set():
            raise _End("stopped", "the run has ended")
        if self._host.sim.robot(self._robot).input.get("estop"):
            raise _End("stopped", "the emergency stop is on")
        if self._host.pace.mode == "fast":
            raise _End("stopped", "a client cannot keep up with fast time")

    async def _look(self, client: GoalClient) -> None:
        """Plan again if something has moved. While nothing leads to the goal, stand and wait."""
        if self._around() == self._planned_for:
            return
        x, y = self._status["x_m"], self._status["y_m"]
        since_s, epoch = self._host.sim.now_s, self._host.epoch
        while isinstance(found := await self._plan(x, y), NoRoute):
            self._say("blocked", f"{found.reason}; waiting")
            await self._send(client, REST)
            waited_s = self._host.sim.now_s - since_s
            if waited_s > BLOCKED_S or self._host.epoch != epoch:
                raise _End("failed", found.reason)
            self._check_clients()
            self._check_robot()
            await asyncio.sleep(0.5)
        self._follow(found)
        self._say("driving", f"to ({x:g}, {y:g})")


def _watch_motion(pose: Pose, moved: tuple[Pose, float], now_s: float) -> tuple[Pose, float]:
    """Return the last pose from which it has moved on, and when that was."""
    turned = abs(math.remainder(pose[2] - moved[0][2], math.tau))
    if math.dist(pose[:2], moved[0][:2]) > MOVED_M or turned > TURNED_RAD:
        return pose, now_s
    return moved
