"""A VDA 5050 robot in virtual time, with the master's side of the wire as JSON.

Every message of the robot is checked against the schemas made from the field lists.
"""

import json
from typing import Any

from tests.robots.agv.scene import over

from rigless.kernel.inputs import Arrive, Connect
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import World
from rigless.robots.agv import Robot
from rigless.robots.agv.config import RobotConfig, own
from rigless.robots.agv.vda5050.wire import PORT

from .schemas import check

NAMES_3 = {
    "maxSpeed": "maximumSpeed",
    "maxHeight": "maximumMobileRobotHeight",
    "minHeight": "minimumLoadHandlingDeviceHeight",
}


def action(type: str, id: str, blocking: str = "HARD", **parameters: Any) -> dict[str, Any]:
    given = [{"key": key, "value": value} for key, value in parameters.items()]
    return {
        "actionType": type,
        "actionId": id,
        "blockingType": blocking,
        "actionParameters": given,
    }


def graph(
    *places: tuple[float, float],
    base: int | None = None,
    first: int = 0,
    at: dict[int, list[dict[str, Any]]] | None = None,
    names: str = "n",
    map: str = "map",
    edge: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return nodes and edges through places; `base` of them are released.

    `at` has actions by sequence id, of nodes and edges.
    """
    base, at = len(places) if base is None else base, at or {}
    nodes = [
        {
            "nodeId": f"{names}{first + index}",
            "sequenceId": 2 * (first + index),
            "released": index < base,
            "nodePosition": {"x": x, "y": y, "mapId": map},
            "actions": at.get(2 * (first + index), []),
        }
        for index, (x, y) in enumerate(places)
    ]
    edges = [
        {
            "edgeId": f"e{first + index}",
            "sequenceId": 2 * (first + index) + 1,
            "released": index + 1 < base,
            "startNodeId": f"{names}{first + index}",
            "endNodeId": f"{names}{first + index + 1}",
            "actions": at.get(2 * (first + index) + 1, []),
            **(edge or {}),
        }
        for index in range(len(places) - 1)
    ]
    return {"nodes": nodes, "edges": edges}


class Scene:
    def __init__(
        self, version: str = "2.1.0", seed: int = 1, world: World | None = None, **changes: Any
    ):
        vda = {"version": version, **changes.pop("vda5050", {})}
        config = RobotConfig.model_validate(over(own(), {"vda5050": vda, **changes}))
        self.version, self.major = version, int(version[0])
        self.robot = Robot("agv", config)
        self.sim = Simulation([self.robot], world, seed=seed)
        self.codec = next(port for port in self.robot.ports if port.name == PORT).codec()
        self.sim.apply(Connect("agv", PORT, 5, "mqtt", "agv"))
        self.sent: dict[str, list[dict[str, Any]]] = {}
        self.counts: dict[str, int] = {}

    def run(self, seconds: float) -> "Scene":
        self.sim.run(seconds)
        self.take()
        return self

    def take(self) -> None:
        for message in self.sim.take("agv", PORT):
            topic, data = self.codec.encode(message)
            if topic == "_session":
                self.sent.setdefault(topic, []).append({"request": data.decode()})
                continue
            if topic == "_download":
                self.sent.setdefault(topic, []).append(json.loads(data))
                continue
            plain = json.loads(data)
            name = "connection" if topic == "_will" else topic.rpartition("/")[2]
            check(self.version, name, plain)
            assert plain["headerId"] == self.counts.setdefault(name, plain["headerId"])
            self.counts[name] += 1
            self.sent.setdefault("_will" if topic == "_will" else name, []).append(plain)

    def until(self, test: Any, seconds: float = 60.0) -> "Scene":
        end_s = self.sim.now_s + seconds
        while not test():
            assert self.sim.now_s < end_s, f"not within {seconds} s: {self.state}"
            self.run(0.05)
        return self

    # The master's side

    def publish(self, name: str, body: dict[str, Any] | bytes) -> "Scene":
        head = {
            "headerId": len(self.sent.get("state", [])),
            "timestamp": "2026-01-01T00:00:00.00Z",
            "version": self.version,
            "manufacturer": "rigless",
            "serialNumber": "agv",
        }
        data = body if isinstance(body, bytes) else json.dumps({**head, **body}).encode()
        self.sim.apply(Arrive("agv", PORT, 5, data, self.codec.topics[name]))
        return self.run(0.02)

    def order(self, given: dict[str, Any], id: str = "o1", update: int = 0) -> "Scene":
        if self.major == 3:
            for edge in given["edges"]:
                edge.pop("startNodeId", None), edge.pop("endNodeId", None)
                for old, new in NAMES_3.items():
                    if old in edge:
                        edge[new] = edge.pop(old)
        return self.publish("order", {"orderId": id, "orderUpdateId": update, **given})

    def act(self, type: str, id: str = "i1", **parameters: Any) -> "Scene":
        return self.publish("instantActions", {"actions": [action(type, id, "NONE", **parameters)]})

    def report(self, session: str) -> "Scene":
        """Report the state of the session, as the transport does."""
        data = json.dumps({"session": session}).encode()
        self.sim.apply(Arrive("agv", PORT, 5, data, "_mqtt"))
        return self.run(0.02)

    # What the robot published

    @property
    def state(self) -> dict[str, Any]:
        return self.sent["state"][-1]

    @property
    def errors(self) -> list[str]:
        return [error["errorType"] for error in self.state["errors"]]

    def status(self, id: str) -> str:
        """Return the status of an action in the last state, or ""."""
        listed = self.state["actionStates"] + self.state.get("instantActionStates", [])
        return next((one["actionStatus"] for one in listed if one["actionId"] == id), "")

    def statuses(self, id: str) -> list[str]:
        """Return the statuses of an action in all states, without repetitions."""
        found: list[str] = []
        for state in self.sent["state"]:
            listed = state["actionStates"] + state.get("instantActionStates", [])
            for one in listed:
                if one["actionId"] == id and found[-1:] != [one["actionStatus"]]:
                    found.append(one["actionStatus"])
        return found

    @property
    def done(self) -> bool:
        state = self.state
        final = all(one["actionStatus"] in ("FINISHED", "FAILED") for one in state["actionStates"])
        return not state["nodeStates"] and not state["edgeStates"] and final

    @property
    def truth(self) -> Any:
        return self.sim.truth("agv")

    def visited(self) -> list[str]:
        """Return the nodes in the order in which the states name them as last."""
        found: list[str] = []
        for state in self.sent["state"]:
            name = state["lastNodeId"]
            if name and found[-1:] != [name]:
                found.append(name)
        return found
