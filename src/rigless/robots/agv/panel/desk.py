"""Goals of one AGV: tasks of MOVE steps, assigned over NATS as a backend assigns them.

The way goes round walls, obstacles and other robots, with a turn at each corner. Other backends may
stay connected: the robot queues tasks itself. Programs that yield are withdrawn.
"""

import asyncio
import json
import time
from typing import Any
from uuid import uuid4

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.goals.models import ACTIVE, NO_GOAL, GiveGoal, GoalState, GoalStatus
from rigless.panel.goals.planning import plan_goal
from rigless.robots.agv.motion.chassis import reach_m
from rigless.robots.agv.panel.backend import Backend
from rigless.robots.agv.robot import Agv
from rigless.worlds.route import Route

BY = "the panel's driver"
YIELD_S = 10.0
POLL_S = 0.02
SETTLE_S = 0.3  # after a program has sent its last STOP
ENDS = ("done", "failed")


class AgvDesk:
    """Sends one AGV to places."""

    def __init__(self, host: Host, robot: str):
        self._host, self._robot = host, robot
        self._backend = Backend(host, robot)
        self._status: GoalStatus = NO_GOAL
        self._task_id = ""
        self._epoch = host.epoch
        self._subscription: Any = None
        self._claimed = False

    @property
    def _agv(self) -> Agv:
        return self._host.sim.robot(self._robot, Agv)

    def status(self) -> GoalStatus:
        if self._status["state"] in ACTIVE and self._epoch != self._host.epoch:
            self._end("stopped", "time was reset or restored")
        elif self._status["state"] in ("driving", "blocked"):
            self._describe()
        return {**self._status, "client": self._backend.peer}

    def _describe(self) -> None:
        """Say why the robot does not move, if it does not."""
        agv, task = self._agv, self._agv.state.task
        queued = [one.taskId for one in task.queue]
        zones = agv.state.traffic.blocked
        if zones:
            self._say("blocked", f"waits before the forbidden zone {zones[0]}")
        elif agv.machine.obstacle_stop:
            self._say("blocked", "it stands before an obstacle")
        elif self._task_id in queued and task.active is not None:
            self._say("blocked", f"waits behind the task {task.active.taskId}")
        elif not agv.machine.drive_allowed:
            self._say("blocked", f"it may not drive: {agv.state.core.status}")
        else:
            self._say("driving", f"to ({self._status['x_m']:g}, {self._status['y_m']:g})")

    async def go(self, goal: GiveGoal) -> None:
        """Plan the way and assign the task. Raises InputError."""
        host, agv = self._host, self._agv
        if host.failure:
            raise InputError(Problem(self._robot, f"it has failed: {host.failure}", "reset it"))
        if not agv.config.capabilities.supportedModules.task:
            what = "its configuration has no task module (supportedModules.task)"
            raise InputError(Problem(self._robot, what, "set it to true"))
        route, (x, y) = await self._plan(goal)
        await self.stop()
        if await self._withdraw_programs():
            try:
                route, (x, y) = await self._plan(goal)  # it may have driven on
            except InputError:
                self._release()
                raise
        await self._assign(route, x, y, goal.theta_rad)

    async def _plan(self, goal: GiveGoal) -> tuple[Route, tuple[float, float]]:
        agv = self._agv
        return await plan_goal(agv, agv.machine.drive.pose[:2], reach_m(agv.config), goal)

    async def _assign(self, route: Route, x: float, y: float, theta: float | None) -> None:
        task_id = f"panel-{uuid4().hex[:8]}"
        shown = [(round(px, 3), round(py, 3)) for px, py in route.points]
        steps = [
            {"stepId": str(n), "type": "MOVE", "params": {"x": px, "y": py}}
            for n, (px, py) in enumerate(shown[1:], 1)
        ]
        steps[-1]["params"] = {"x": x, "y": y, **({} if theta is None else {"theta": theta})}
        client = await self._backend.connect()
        if self._subscription is None:
            self._subscription = await client.subscribe(
                f"robot.{self._robot}.task.*", cb=self._received
            )
            await client.flush()
        self._task_id, self._epoch = task_id, self._host.epoch
        self._status = {**NO_GOAL, "x_m": x, "y_m": y, "theta_rad": theta, "route": shown}
        self._say("driving", f"to ({x:g}, {y:g})")
        try:
            await self._backend.publish(
                "task.assign", {"taskId": task_id, "revision": 1, "steps": steps}
            )
        except InputError as error:
            self._end("failed", str(error))
            raise

    async def _received(self, message: Any) -> None:
        """Take note of the end of the task."""
        end = message.subject.rpartition(".")[2]
        if end not in ENDS or self._status["state"] not in ACTIVE:
            return
        payload = json.loads(message.data).get("payload", {})
        if payload.get("taskId") != self._task_id:
            return
        if end == "done":
            self._end("arrived", f"at ({self._status['x_m']:g}, {self._status['y_m']:g})")
        else:
            why = payload.get("message") or payload.get("code") or "the task failed"
            self._end("failed", str(why))

    async def stop(self) -> None:
        """Cancel the task."""
        if self._status["state"] not in ACTIVE:
            return
        self._end("stopped", "stopped in the panel")
        payload = {"taskId": self._task_id, "mode": "GRACEFUL"}
        await self._backend.publish("task.cancel", payload)

    async def _withdraw_programs(self) -> bool:
        """Return True if a program drove the robot until now. Raises InputError."""
        mine = [one for one in self._host.yielders if self._robot in one.robots]
        busy = any(one.driving for one in mine)
        for one in mine:
            one.claim(self._robot, BY)
        self._claimed = bool(mine)
        end = time.monotonic() + YIELD_S
        while any(one.driving for one in mine):
            if time.monotonic() > end:
                self._release()
                what = f"a program that drives {self._robot} does not end"
                raise InputError(Problem(self._robot, what, "stop it"))
            await asyncio.sleep(POLL_S)
        if busy:
            await asyncio.sleep(SETTLE_S)
        return busy

    def _end(self, state: GoalState, text: str) -> None:
        self._say(state, text)
        self._release()

    def _release(self) -> None:
        if self._claimed:
            self._claimed = False
            for one in self._host.yielders:
                if self._robot in one.robots:
                    one.release(self._robot)

    def _say(self, state: GoalState, text: str) -> None:
        self._status = {**self._status, "state": state, "text": text}

    async def close(self) -> None:
        """Disconnect. A task that runs goes on, as with any backend."""
        self._release()
        await self._backend.close()
