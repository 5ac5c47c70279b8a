"""Routes: requested, checked, and followed node by node.

The robot drives the released base to its end. While there is a horizon it waits there, until a
response of a higher revision releases more. It stands at a node to carry out its actions.
"""

import msgspec

from rigless.robots.agv import messages as m
from rigless.robots.agv import params as p
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.machine.path import DrivePath, Waypoint
from rigless.robots.agv.modules import route_graph
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.modules.forecast import Forecast
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.params import Refused
from rigless.robots.agv.services import Clock
from rigless.robots.agv.state import CoreState, Following, Job, Route, RouteQuery, RouteState

RESPONSE_TIMEOUT_NS = 30_000_000_000
MOST_KNOWN = 50
NEXT_NODES = 5


class Routing:
    def __init__(
        self,
        clock: Clock,
        state: RouteState,
        core: CoreState,
        enabled: bool,
        drive: DrivePath,
        publisher: Publisher,
        events: Events,
        plans: Plans,
        jobs: Jobs,
        forecast: Forecast,
    ):
        self._clock, self._state, self._core = clock, state, core
        self._enabled, self._drive = enabled, drive
        self._publisher, self._events = publisher, events
        self._plans, self._jobs, self._forecast = plans, jobs, forecast

    # FOLLOW_ROUTE

    def check(self, given: p.FollowRoute) -> None:
        """Raise Refused if the route cannot be followed."""
        if not self._enabled:
            raise Refused("NOT_SUPPORTED", "routes are disabled: supportedModules.route is false")
        given_by = [name for name in ("routeId", "nodes", "to") if getattr(given, name) is not None]
        if given.nodes is not None:
            found = route_graph.problems(*route_graph.in_order(given.nodes, given.edges))
            found += [why for node in given.nodes for why in self._action_problems(node)]
            if found:
                raise Refused(
                    "INVALID_PARAMS", f"nodes: {'; '.join(found[: route_graph.MOST_REPORTED])}"
                )
        elif len(given_by) != 1:
            raise Refused("INVALID_PARAMS", "FOLLOW_ROUTE needs routeId, nodes and edges, or to")
        elif given.routeId is not None and given.routeId not in self._state.known:
            raise Refused(
                "INVALID_PARAMS",
                f"routeId: route {given.routeId[:80]!r} is unknown; send a route.response first",
            )

    def _action_problems(self, node: m.Node) -> list[str]:
        """Return the problems of the actions of a node."""
        found = []
        for action in node.actions:
            try:
                self._plans.plan(
                    str(action.get("type", "")), action.get("params", {}), "route", p.ACTIONS
                )
            except Refused as refused:
                found.append(f"node {node.nodeId[:80]}: {refused.message}"[: p.LONGEST])
        return found

    def follow(self, job: Job, given: p.FollowRoute) -> None:
        state = self._state
        if given.nodes is not None:
            nodes, edges = route_graph.in_order(given.nodes, given.edges)
            self._begin(
                job.id, Route(given.routeId or f"command-{job.id}", given.revision, nodes, edges)
            )
        elif given.routeId is not None:
            self._begin(job.id, state.known[given.routeId])
        elif given.to is not None:
            to = {"x": given.to.x, "y": given.to.y, "theta": given.to.theta}
            self._request("PREVIEW", job.id, to, [])

    def leave(self, job: Job) -> None:
        """Clean up after a job that has ended."""
        state = self._state
        if state.following is not None and state.following.job == job.id:
            self._abandon()
        if state.query is not None and state.query.job == job.id:
            state.query = None

    # Following

    def _abandon(self) -> None:
        """Abandon the route, and the action in progress at a node."""
        state = self._state
        if state.following is not None and state.following.action_job:
            self._jobs.cancel(state.following.action_job)
            self._jobs.take(state.following.action_job)
        state.following = None

    def _begin(self, job: int, route: Route) -> None:
        self._abandon()
        self._state.following = Following(route, job)
        self._drive_on()
        begun = self._jobs.get(job)
        assert begun is not None
        begun.extent = begun.extent or self._forecast.remaining(begun)

    def _drive_on(self) -> None:
        """Give the machine the nodes up to the next one where it has to stop."""
        following = self._state.following
        assert following is not None
        following.first = following.node
        following.sent = self._stop(following.node)
        self._drive.go(route_graph.waypoints(following.route, following.first, following.sent))

    def _stop(self, node: int) -> int:
        """Return the first node from this one on with actions, or the end of the base."""
        following = self._state.following
        assert following is not None
        end = route_graph.base_end(following.route.nodes)
        return next(
            (index for index in range(node, end) if following.route.nodes[index].actions), end
        )

    def drive(self, job: Job) -> None:
        """Follow the route; called once a tick."""
        state = self._state
        following = state.following
        if following is None:
            if state.query is None or self._clock.now_ns >= state.query.until_ns:
                self._jobs.end(job, "FAILED", "", "there was no response to the route.request")
            return
        if following.action >= 0:
            self._run_actions(job, following)
            return
        following.node = min(following.first + self._drive.reached, following.sent + 1)
        if not self._drive.arrived:
            return
        following.node = following.sent + 1
        if _has_actions(following):
            following.action = 0
            self._run_actions(job, following)
        else:
            self._continue(job, following)

    def _continue(self, job: Job, following: Following) -> None:
        """Drive on from the node where the robot stands, or end the job."""
        nodes = following.route.nodes
        if following.node >= len(nodes) and job.kind == "MOVE":
            self._state.following = None
            given = p.parse(job.kind, job.params, p.STEPS)
            self._drive.go([Waypoint(given.x, given.y, given.theta)])
        elif following.node >= len(nodes):
            job.result = {"routeId": following.route.routeId, "nodeId": nodes[-1].nodeId}
            self._jobs.end(job)
        elif following.node <= route_graph.base_end(nodes):
            self._drive_on()

    def _run_actions(self, job: Job, following: Following) -> None:
        """Carry out the actions of the node where the robot stands, one after the other."""
        jobs = self._jobs
        node = following.route.nodes[following.sent]
        if following.action_job:
            done = jobs.take(following.action_job)
            if done is None:
                return
            following.action_job = 0
            if done.state != "SUCCEEDED":
                jobs.end(
                    job, "FAILED", done.code, f"at node {node.nodeId}: {done.message}", done.motor
                )
                return
            following.action += 1
        if following.action >= len(node.actions):
            following.action = -1
            following.first = following.sent + 1
            self._continue(job, following)
        elif self._core.status not in ("PAUSED", "OFFLINE"):
            action = node.actions[following.action]
            try:
                planned = self._plans.plan(
                    str(action.get("type", "")), action.get("params", {}), "route", p.ACTIONS
                )
                self._plans.check(planned)
                following.action_job = jobs.begin(planned).id
            except Refused as refused:
                jobs.end(
                    job,
                    "FAILED",
                    refused.code,
                    f"at node {node.nodeId}: {refused.message}",
                    refused.motor,
                )

    def progress(self) -> tuple[str | None, float | None, list[str]]:
        """Return the current edge, the distance driven on it, and the next nodes."""
        following = self._state.following
        if following is None:
            return None, None, []
        nodes, index = following.route.nodes, following.node
        ahead = [node.nodeId for node in nodes[index : index + NEXT_NODES]]
        if not 0 < index < len(nodes) or index > following.sent:
            return None, None, ahead
        return following.route.edges[index - 1].edgeId, round(self._drive.leg[1], 4), ahead

    # Requests and responses

    def _request(self, reason: str, job: int, to: dict[str, float], avoid: list[str]) -> None:
        state = self._state
        state.requests += 1
        name = f"{self._publisher.boot_id}-r{state.requests}"
        state.query = RouteQuery(name, reason, job, self._clock.now_ns + RESPONSE_TIMEOUT_NS)
        x, y, theta = self._drive.pose
        start = {"x": round(x, 4), "y": round(y, 4), "theta": round(theta, 5)}
        request = m.RouteRequest(name, reason, start, to, avoid)  # type: ignore[arg-type]
        self._publisher.publish("route.request", request)

    def request_detour(self, avoid: list[str]) -> None:
        """Request a route around blocked zones or edges; again after a timeout without a response.

        The motion in progress is a FOLLOW_ROUTE or a MOVE.
        """
        state, job = self._state, self._jobs.get(self._jobs.drive_job)
        if not self._enabled or job is None:
            return
        if state.query is not None and self._clock.now_ns < state.query.until_ns:
            return
        if job.kind == "MOVE":
            to = {key: float(job.params[key]) for key in ("x", "y")}
        elif state.following is not None:
            end = state.following.route.nodes[-1]
            to = {"x": end.x, "y": end.y}
        else:
            return
        self._request("REROUTE", job.id, to, avoid)

    def follows(self, job: Job) -> bool:
        """Return True if the job, for example a MOVE, is carried out along a route."""
        return self._state.following is not None and self._state.following.job == job.id

    def receive(self, message: m.RouteResponse) -> bool:
        """Handle a response. Return True if it answers a request."""
        query = self._state.query
        answers = query is not None and query.requestId == message.requestId
        if answers:
            self._state.query = None
        self._use(message, query if answers else None)
        return answers

    def _use(self, message: m.RouteResponse, query: RouteQuery | None) -> None:
        if message.status != "OK":
            self._no_route(message, query)
            return
        route = Route(
            message.routeId or message.requestId,
            message.revision,
            *route_graph.in_order(message.nodes, message.edges),
        )
        following = self._state.following
        extends = (
            following is not None and following.route.routeId == route.routeId and query is None
        )
        if extends and following is not None and route.revision <= following.route.revision:
            return  # older, or a duplicate
        found = [
            why for node in route.nodes for why in self._action_problems(node)
        ] + route_graph.problems(route.nodes, route.edges)
        if not 1 <= len(route.routeId) <= p.LONGEST_ID:
            size = len(route.routeId)
            found.append(f"routeId or requestId has {size} characters, not 1 to {p.LONGEST_ID}")
        if not found and extends and following is not None:
            joined, found = route_graph.stitched(following.route, route)
            if not found:
                self._extend(following, joined)
        elif not found and query is not None:
            self._begin(query.job, route)
        elif not found:
            self._remember(route)
        if found:
            self._reject(message, found, query)

    def _extend(self, following: Following, route: Route) -> None:
        """Extend the base. The robot does not stop if it has not arrived yet."""
        sent = following.sent
        following.route = route
        if sent + 1 > route_graph.base_end(route.nodes) or _has_actions(following):
            return
        if self._drive.arrived:
            following.node = sent + 1
            self._drive_on()
        else:
            following.sent = self._stop(sent + 1)
            self._drive.extend(route_graph.waypoints(route, sent + 1, following.sent))

    def _remember(self, route: Route) -> None:
        known = self._state.known
        if route.routeId not in known or known[route.routeId].revision < route.revision:
            known.pop(route.routeId, None)
            known[route.routeId] = route
            if len(known) > MOST_KNOWN:
                del known[next(iter(known))]

    def _no_route(self, message: m.RouteResponse, query: RouteQuery | None) -> None:
        self._fail(query, f"the backend answered {message.status}")
        self._events.notice(
            "NO_ROUTE", "WARNING", "route", f"{message.requestId[:80]}: {message.status}"
        )

    def _reject(self, message: m.RouteResponse, found: list[str], query: RouteQuery | None) -> None:
        self._fail(query, f"the route is invalid: {'; '.join(found)}")
        data = {
            "routeId": message.routeId[:80],
            "revision": message.revision,
            "reasons": found[: route_graph.MOST_REPORTED],
        }
        self._events.notice(
            "ROUTE_REJECTED", "WARNING", "route", "; ".join(found)[:300], msgspec.to_builtins(data)
        )

    def _fail(self, query: RouteQuery | None, why: str) -> None:
        """Fail the job that requested its first route. A job that requested a detour waits on."""
        if query is not None and query.reason == "PREVIEW":
            job = self._jobs.get(query.job)
            if job is not None:
                self._jobs.end(job, "FAILED", "", why)


def _has_actions(following: Following) -> bool:
    """Return True if the last node sent has open actions; after them `first` is beyond it."""
    return following.first <= following.sent and bool(following.route.nodes[following.sent].actions)
