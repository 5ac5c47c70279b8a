"""Goals of an AGV that speaks VDA 5050: orders along the planned way, sent over its broker.

The way goes round walls and obstacles; each corner is a node. A held order is cancelled first.
"""

import asyncio
from typing import Any
from uuid import uuid4

from rigless.clients.mqtt_client import exchange
from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.goals.models import ACTIVE, NO_GOAL, GoalStatus
from rigless.robots.agv.panel.desk import AgvDesk
from rigless.robots.agv.vda5050.acceptance import executing
from rigless.robots.agv.vda5050.wire import PORT, Vda5050Codec
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.state import OrderState
from rigless.worlds.route import Route

CANCEL_S = 20.0  # for the robot to stop
POLL_S = 0.05


class OrderDesk(AgvDesk):
    """Sends one AGV to places by orders."""

    def __init__(self, host: Host, robot: str):
        super().__init__(host, robot)
        port = next(port for port in self._agv.ports if port.name == PORT)
        codec = port.codec()
        assert isinstance(codec, Vda5050Codec)
        self._codec = codec

    @property
    def _order(self) -> OrderState:
        return self._agv.state.vda.order

    def status(self) -> GoalStatus:
        order = self._order
        if self._status["state"] in ACTIVE:
            if order.order_id == self._task_id and not executing(order):
                if order.cancelled:
                    self._end("stopped", "the order was cancelled")
                else:
                    self._end("arrived", f"at ({self._status['x_m']:g}, {self._status['y_m']:g})")
            elif refused := self._refusal():
                self._end("failed", refused)
        return super().status()

    def _refusal(self) -> str:
        """Return why the robot has rejected the order, or ""."""
        for error in self._agv.state.vda.order_errors:
            named = {one.referenceKey: one.referenceValue for one in error.errorReferences}
            if named.get("orderId") == self._task_id:
                return f"{error.errorType}: {error.errorDescription}"
        return ""

    async def _assign(self, route: Route, x: float, y: float, theta: float | None) -> None:
        if executing(self._order):
            await self._cancel()
        shown = [(round(px, 3), round(py, 3)) for px, py in route.points]
        shown[-1] = (round(x, 3), round(y, 3))
        self._task_id, self._epoch = f"panel-{uuid4().hex[:8]}", self._host.epoch
        self._status = {**NO_GOAL, "x_m": x, "y_m": y, "theta_rad": theta, "route": shown}
        self._say("driving", f"to ({x:g}, {y:g})")
        try:
            await self._publish(self._message(shown, theta))
        except InputError as error:
            self._end("failed", str(error))
            raise

    def _message(self, places: list[tuple[float, float]], theta: float | None) -> r.Order:
        """Return an order through places."""
        map_id, last = self._agv.machine.state.map_id, len(places) - 1
        nodes = [
            r.Node(
                nodeId=f"{self._task_id}-{k}",
                sequenceId=2 * k,
                released=True,
                actions=[],
                nodePosition=r.NodePosition(
                    x=x,
                    y=y,
                    mapId=map_id,
                    theta=theta if k == last else None,
                    allowedDeviationXY=None if k else self._deviation(),
                ),
            )
            for k, (x, y) in enumerate(places)
        ]
        edges = [
            r.Edge(
                edgeId=f"{self._task_id}-e{k}",
                sequenceId=2 * k + 1,
                released=True,
                actions=[],
                startNodeId=nodes[k].nodeId if self._codec.dialect.major == 2 else None,
                endNodeId=nodes[k + 1].nodeId if self._codec.dialect.major == 2 else None,
            )
            for k in range(last)
        ]
        return r.Order(orderId=self._task_id, orderUpdateId=0, nodes=nodes, edges=edges)

    def _deviation(self) -> float | r.Ellipse:
        """Return a deviation of the first node that a robot which still rolls is within."""
        return 1.0 if self._codec.dialect.major == 2 else r.Ellipse(1.0, 1.0, 0.0)

    async def stop(self) -> None:
        """Cancel the order."""
        if self._status["state"] in ACTIVE:
            self._end("stopped", "stopped in the panel")
            if executing(self._order):
                await self._cancel()

    async def _cancel(self) -> None:
        """Cancel the held order and wait until the robot stands. Raises InputError."""
        name = f"panel-{uuid4().hex[:8]}"
        action = r.Action(actionType="cancelOrder", actionId=name, blockingType="NONE")
        await self._publish(r.InstantActions(actions=[action]))
        for _ in range(round(CANCEL_S / POLL_S)):
            if not executing(self._order):
                return
            await asyncio.sleep(POLL_S)
        what = "its order could not be cancelled in time"
        raise InputError(Problem(self._robot, what, "look at its actions"))

    async def _publish(self, message: Any) -> None:
        """Publish a message on the robot's broker. Raises InputError."""
        url = self._host.address(self._robot, PORT)
        if not url.startswith("mqtt"):
            what = "its port is not open in this run"
            raise InputError(Problem(f"{self._robot}/{PORT}", what, "run it without --fast"))
        topic, data = self._codec.encode_request(message)
        try:
            await asyncio.to_thread(lambda: list(exchange(url, [data], topic, 0.0)))
        except OSError as error:
            what = f"no MQTT broker answers: {error}"
            raise InputError(Problem(url, what, "check the broker")) from None
