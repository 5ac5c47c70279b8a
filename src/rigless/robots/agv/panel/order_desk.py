"""Goals of an AGV that speaks VDA 5050: orders along the planned way, sent over its broker.

The way goes round walls and obstacles; each corner is a node. A held order is cancelled first.

Nodes of a layout's graph that are clicked one after another make one order: the first click sends
it along the graph, and each further one appends to it by an update while it is executed.
"""

import asyncio
from typing import Any
from uuid import uuid4

from rigless.clients.login import Login
from rigless.clients.mqtt_client import exchange
from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.goals.models import ACTIVE, NO_GOAL, GiveGoal, GoalStatus
from rigless.robots.agv.panel.desk import AgvDesk
from rigless.robots.agv.panel.order_messages import NEAR_M, Stop, along_graph, order_of
from rigless.robots.agv.vda5050.acceptance import decision_point, executing
from rigless.robots.agv.vda5050.wire import PORT, Vda5050Codec
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.state import OrderState
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.site_world import SiteWorld
from rigless.worlds.route import Route

CANCEL_S = 20.0  # for the robot to stop
TAKE_S = 2.0  # for the robot to take a message
POLL_S = 0.05
CLICK_M = 0.4  # from a node of the graph, for a click on it


class OrderDesk(AgvDesk):
    """Sends one AGV to places by orders."""

    def __init__(self, host: Host, robot: str):
        super().__init__(host, robot)
        port = next(port for port in self._agv.ports if port.name == PORT)
        codec = port.codec()
        assert isinstance(codec, Vda5050Codec)
        self._codec = codec
        self._login = Login.of(port)
        self._update = 0  # orderUpdateId of the last message
        self._clicks = asyncio.Lock()  # one after another

    @property
    def _order(self) -> OrderState:
        return self._agv.state.vda.order

    def status(self) -> GoalStatus:
        order = self._order
        if self._status["state"] in ACTIVE:
            here = (order.order_id, order.update_id) == (self._task_id, self._update)
            if here and not executing(order):
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
        places = [(round(px, 3), round(py, 3)) for px, py in route.points]
        places[-1] = (round(x, 3), round(y, 3))
        name = f"corner-{uuid4().hex[:8]}"
        stops = [Stop(f"{name}-{k}", *place) for k, place in enumerate(places)]
        await self._begin([*stops[:-1], stops[-1]._replace(theta=theta)])

    # Along the graph

    async def go(self, goal: GiveGoal) -> None:
        """Send an order to a place, or append a node of the graph to it. Raises InputError."""
        async with self._clicks:
            await self._go(goal)

    async def _go(self, goal: GiveGoal) -> None:
        graph, end = self._graph, self._node_at(goal.x_m, goal.y_m)
        x, y, _ = self._agv.machine.drive.pose
        appends = self._appends
        start = decision_point(self._order)[0] if appends else graph and graph.nearest(x, y)
        if graph is None or not end or not start:
            await super().go(goal)
            return
        if not appends and graph.distance_m(start, x, y) > NEAR_M:
            await super().go(goal)
            return
        route = graph.route(start, end)
        if route is None:
            what = f"the graph has no route from {start} to {end}"
            raise InputError(Problem(self._robot, what, "choose another node"))
        stops = along_graph(graph, route, goal.theta_rad)
        if appends:
            await self._append(stops)
        else:
            await self.stop()
            await self._withdraw_programs()
            await self._begin(stops)

    @property
    def _graph(self) -> Graph | None:
        world = self._agv.world
        return world.graph if isinstance(world, SiteWorld) else None

    def _node_at(self, x: float, y: float) -> str:
        """Return the node of the graph at a place, or ""."""
        graph = self._graph
        name = graph.nearest(x, y) if graph is not None else ""
        return name if graph is not None and graph.distance_m(name, x, y) <= CLICK_M else ""

    @property
    def _appends(self) -> bool:
        """True if the robot executes an order along the graph that this desk has sent."""
        order, graph = self._order, self._graph
        mine = self._status["state"] in ACTIVE and order.order_id == self._task_id
        along = graph is not None and decision_point(order)[0] in graph.nodes
        return mine and along and executing(order) and not order.cancelling

    async def _append(self, stops: list[Stop]) -> None:
        if len(stops) == 1:
            what = f"its order ends at {stops[0].name} already"
            raise InputError(Problem(self._robot, what, "choose another node"))
        if self._order.update_id != self._update:
            what = "it has not taken the last node yet"
            raise InputError(Problem(self._robot, what, "let time go on, and try again"))
        first = decision_point(self._order)[1] // 2
        self._update += 1
        self._show([*self._status["route"], *((one.x, one.y) for one in stops[1:])], stops[-1])
        await self._send(order_of(self._task_id, self._update, *self._about, stops, first))

    async def _begin(self, stops: list[Stop]) -> None:
        """Send a new order, after cancelling the held one."""
        if executing(self._order):
            await self._cancel()
        self._task_id, self._epoch, self._update = f"panel-{uuid4().hex[:8]}", self._host.epoch, 0
        if len(stops) == 1:  # a way to the node, and a turn there
            x, y, _ = self._agv.machine.drive.pose
            stops = [Stop(f"{stops[0].name}-start", round(x, 3), round(y, 3)), *stops]
        self._status = NO_GOAL
        self._show([(one.x, one.y) for one in stops], stops[-1])
        await self._send(order_of(self._task_id, 0, *self._about, stops))

    @property
    def _about(self) -> tuple[int, str]:
        return self._codec.dialect.major, self._agv.machine.state.map_id

    def _show(self, route: list[tuple[float, float]], end: Stop) -> None:
        given: GoalStatus = {**NO_GOAL, "x_m": end.x, "y_m": end.y, "theta_rad": end.theta}
        self._status = {**given, "route": route}
        self._say("driving", f"to ({end.x:g}, {end.y:g})")

    async def _send(self, order: r.Order) -> None:
        try:
            await self._publish(order)
        except InputError as error:
            self._end("failed", str(error))
            raise
        for _ in range(round(TAKE_S / POLL_S)):
            taken = (self._order.order_id, self._order.update_id) == (self._task_id, self._update)
            if taken or self._refusal():
                return
            await asyncio.sleep(POLL_S)

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
            await asyncio.to_thread(lambda: list(exchange(url, [data], topic, 0.0, self._login)))
        except OSError as error:
            what = f"no MQTT broker answers: {error}"
            raise InputError(Problem(url, what, "check the broker")) from None
