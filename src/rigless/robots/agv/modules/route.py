"""Routes: asked for, checked, and followed node by node. The released base is driven to its end; there the robot waits while there is a
horizon, which a response of a higher revision releases. Actions at a node are done while the robot stands at it.
"""

from typing import TYPE_CHECKING

import msgspec

from rigless.robots.agv import messages as m
from rigless.robots.agv import params as p
from rigless.robots.agv.modules import route_graph
from rigless.robots.agv.params import Refused
from rigless.robots.agv.state import Asked, Following, Job, Route

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

ANSWER_WITHIN_NS = 30_000_000_000
MOST_KNOWN = 50
NEXT_NODES = 5


class Routing:
    def __init__(self, robot: "Agv"):
        self.robot = robot

    # FOLLOW_ROUTE

    def check(self, given: p.FollowRoute) -> None:
        """Raises Refused for a route that cannot be followed."""
        if not self.robot.enabled("route"):
            raise Refused(
                "NOT_SUPPORTED", "this robot follows no routes: supportedModules.route is false"
            )
        ways = [name for name in ("routeId", "nodes", "to") if getattr(given, name) is not None]
        if given.nodes is not None:
            found = route_graph.troubles(*route_graph.in_order(given.nodes, given.edges))
            found += [why for node in given.nodes for why in self._actions(node)]
            if found:
                raise Refused(
                    "INVALID_PARAMS", f"nodes: {'; '.join(found[: route_graph.MOST_TOLD])}"
                )
        elif len(ways) != 1:
            raise Refused("INVALID_PARAMS", "FOLLOW_ROUTE needs routeId, nodes and edges, or to")
        elif given.routeId is not None and given.routeId not in self.robot.state.route.known:
            raise Refused(
                "INVALID_PARAMS",
                f"routeId: no route {given.routeId[:80]!r} was given by a route.response",
            )

    def _actions(self, node: m.Node) -> list[str]:
        """What is wrong with the actions of a node."""
        found = []
        for action in node.actions:
            try:
                self.robot.jobs.plan(
                    str(action.get("type", "")), action.get("params", {}), "route", p.ACTIONS
                )
            except Refused as refused:
                found.append(f"node {node.nodeId[:80]}: {refused.message}"[: p.LONGEST])
        return found

    def follow(self, job: Job, given: p.FollowRoute) -> None:
        state = self.robot.state.route
        if given.nodes is not None:
            nodes, edges = route_graph.in_order(given.nodes, given.edges)
            self._begin(
                job.id, Route(given.routeId or f"command-{job.id}", given.revision, nodes, edges)
            )
        elif given.routeId is not None:
            self._begin(job.id, state.known[given.routeId])
        elif given.to is not None:
            to = {"x": given.to.x, "y": given.to.y, "theta": given.to.theta}
            self._ask("PREVIEW", job.id, to, [])

    def leave(self, job: Job) -> None:
        """The job has ended, one way or another."""
        state = self.robot.state.route
        if state.following is not None and state.following.job == job.id:
            self._let_go()
        if state.asked is not None and state.asked.job == job.id:
            state.asked = None

    # Following

    def _let_go(self) -> None:
        """Of the route, and of what is done at a node of it."""
        state = self.robot.state.route
        if state.following is not None and state.following.action_job:
            self.robot.jobs.cancel(state.following.action_job)
            self.robot.jobs.take(state.following.action_job)
        state.following = None

    def _begin(self, job: int, route: Route) -> None:
        self._let_go()
        self.robot.state.route.following = Following(route, job)
        self._drive_on()
        begun = self.robot.state.jobs.by_id[job]
        begun.way = begun.way or self.robot.forecast.left(begun)

    def _drive_on(self) -> None:
        """Give the machine the nodes up to the next where it has to stand."""
        following = self.robot.state.route.following
        assert following is not None
        following.first = following.node
        following.sent = self._stop(following.node)
        self.robot.machine.go(
            route_graph.waypoints(following.route, following.first, following.sent)
        )

    def _stop(self, node: int) -> int:
        """The first node from this one on with something to do, or the end of the base."""
        following = self.robot.state.route.following
        assert following is not None
        end = route_graph.base_end(following.route.nodes)
        return next(
            (index for index in range(node, end) if following.route.nodes[index].actions), end
        )

    def drive(self, job: Job) -> None:
        """Once a tick."""
        robot, state = self.robot, self.robot.state.route
        following = state.following
        if following is None:
            if state.asked is None or robot.now_ns >= state.asked.until_ns:
                robot.jobs.end(job, "FAILED", "", "nobody answered the route.request")
            return
        if following.action >= 0:
            self._act(job, following)
            return
        following.node = min(following.first + robot.machine.reached, following.sent + 1)
        if not robot.machine.arrived:
            return
        following.node = following.sent + 1
        if _has_to_act(following):
            following.action = 0
            self._act(job, following)
        else:
            self._go_on(job, following)

    def _go_on(self, job: Job, following: Following) -> None:
        """What comes after a node at which the robot stands."""
        nodes = following.route.nodes
        if following.node >= len(nodes):
            job.result = {"routeId": following.route.routeId, "nodeId": nodes[-1].nodeId}
            self.robot.jobs.end(job)
        elif following.node <= route_graph.base_end(nodes):
            self._drive_on()

    def _act(self, job: Job, following: Following) -> None:
        """The actions of the node at which the robot stands, one after the other."""
        work, core = self.robot.jobs, self.robot.state.core
        node = following.route.nodes[following.sent]
        if following.action_job:
            done = work.take(following.action_job)
            if done is None:
                return
            following.action_job = 0
            if done.state != "SUCCEEDED":
                work.end(
                    job, "FAILED", done.code, f"at node {node.nodeId}: {done.message}", done.motor
                )
                return
            following.action += 1
        if following.action >= len(node.actions):
            following.action = -1
            following.first = following.sent + 1
            self._go_on(job, following)
        elif core.status not in ("PAUSED", "OFFLINE"):
            action = node.actions[following.action]
            try:
                planned = work.plan(
                    str(action.get("type", "")), action.get("params", {}), "route", p.ACTIONS
                )
                work.check(planned)
                following.action_job = work.begin(planned).id
            except Refused as refused:
                work.end(
                    job,
                    "FAILED",
                    refused.code,
                    f"at node {node.nodeId}: {refused.message}",
                    refused.motor,
                )

    def progress(self) -> tuple[str | None, float | None, list[str]]:
        """The edge that the robot is on, how far along it is, and the nodes to come."""
        following = self.robot.state.route.following
        if following is None:
            return None, None, []
        nodes, index = following.route.nodes, following.node
        ahead = [node.nodeId for node in nodes[index : index + NEXT_NODES]]
        if not 0 < index < len(nodes) or index > following.sent:
            return None, None, ahead
        return following.route.edges[index - 1].edgeId, round(self.robot.machine.leg[1], 4), ahead

    # Asking and being answered

    def _ask(self, reason: str, job: int, to: dict[str, float], avoid: list[str]) -> None:
        robot, state = self.robot, self.robot.state.route
        state.requests += 1
        name = f"{robot.state.core.boot_id}-r{state.requests}"
        state.asked = Asked(name, reason, job, robot.now_ns + ANSWER_WITHIN_NS)
        x, y, theta = robot.machine.pose
        start = {"x": round(x, 4), "y": round(y, 4), "theta": round(theta, 5)}
        robot.publisher.publish("route.request", m.RouteRequest(name, reason, start, to, avoid))  # type: ignore[arg-type]

    def ask_around(self, zones: list[str]) -> None:
        """Another way, as this one is blocked; asked again when nobody answers."""
        robot, state = self.robot, self.robot.state.route
        if state.following is None or not robot.enabled("route"):
            return
        if state.asked is None or robot.now_ns >= state.asked.until_ns:
            end = state.following.route.nodes[-1]
            self._ask("REROUTE", state.following.job, {"x": end.x, "y": end.y}, zones)

    def hear(self, message: m.RouteResponse) -> None:
        state, asked = self.robot.state.route, self.robot.state.route.asked
        answers = asked is not None and asked.requestId == message.requestId
        if asked is not None and answers:
            state.asked = None
            self.robot.traffic.answered()
        if message.status != "OK":
            self._no_route(message, asked if answers else None)
            return
        route = Route(
            message.routeId or message.requestId,
            message.revision,
            *route_graph.in_order(message.nodes, message.edges),
        )
        following = state.following
        extends = following is not None and following.route.routeId == route.routeId and not answers
        if extends and following is not None and route.revision <= following.route.revision:
            return  # it is older, or has been heard
        found = [why for node in route.nodes for why in self._actions(node)] + route_graph.troubles(
            route.nodes, route.edges
        )
        if not 1 <= len(route.routeId) <= p.LONGEST_ID:
            found.append(
                f"routeId, or else requestId, has {len(route.routeId)} characters, not 1 to {p.LONGEST_ID}"
            )
        if not found and extends and following is not None:
            joined, found = route_graph.stitched(following.route, route)
            if not found:
                self._extend(following, joined)
        elif not found and asked is not None and answers:
            self._begin(asked.job, route)
        elif not found:
            self._remember(route)
        if found:
            self._reject(message, found, asked if answers else None)

    def _extend(self, following: Following, route: Route) -> None:
        """The base has grown: drive on without standing, if the machine has not arrived."""
        machine, sent = self.robot.machine, following.sent
        following.route = route
        if sent + 1 > route_graph.base_end(route.nodes) or _has_to_act(following):
            return
        if machine.arrived:
            following.node = sent + 1
            self._drive_on()
        else:
            following.sent = self._stop(sent + 1)
            machine.extend(route_graph.waypoints(route, sent + 1, following.sent))

    def _remember(self, route: Route) -> None:
        known = self.robot.state.route.known
        if route.routeId not in known or known[route.routeId].revision < route.revision:
            known.pop(route.routeId, None)
            known[route.routeId] = route
            if len(known) > MOST_KNOWN:
                del known[next(iter(known))]

    def _no_route(self, message: m.RouteResponse, asked: Asked | None) -> None:
        self._fail(asked, f"the backend answered {message.status}")
        self.robot.core.notice(
            "NO_ROUTE", "WARNING", "route", f"{message.requestId[:80]}: {message.status}"
        )

    def _reject(self, message: m.RouteResponse, found: list[str], asked: Asked | None) -> None:
        self._fail(asked, f"the route makes no sense: {'; '.join(found)}")
        data = {
            "routeId": message.routeId[:80],
            "revision": message.revision,
            "reasons": found[: route_graph.MOST_TOLD],
        }
        self.robot.core.notice(
            "ROUTE_REJECTED", "WARNING", "route", "; ".join(found)[:300], msgspec.to_builtins(data)
        )

    def _fail(self, asked: Asked | None, why: str) -> None:
        """A command that waits for its first route ends here; one that asked for another way waits on."""
        job = (
            self.robot.state.jobs.by_id.get(asked.job)
            if asked is not None and asked.reason == "PREVIEW"
            else None
        )
        if job is not None:
            self.robot.jobs.end(job, "FAILED", "", why)


def _has_to_act(following: Following) -> bool:
    """Whether the node at which the robot stands, or where it will, has actions that are not done; done ones leave `first` beyond it."""
    return following.first <= following.sent and bool(following.route.nodes[following.sent].actions)
