"""`rigless demo`: every robot works over its own wire, and its program yields to a client."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

import reserved

PORTS = ("vacuum.commands", "pacbot.commands", "pacbot.sensors", "pacbot.game", "pacbot.game_tcp")
AGVS = [f"agv-{number}" for number in range(1, 7)]
AT_WORK: dict[str, Callable[[Any], bool]] = {
    "vacuum": lambda truth: truth["distance_m"] > 0.3,
    "pacbot": lambda truth: truth["game"]["score"] > 0,
    "welder": lambda truth: truth["mode"] == "Run",
    "rover": lambda truth: truth["distance_m"] > 0.5,
    "agv-1": lambda truth: truth["odometer_m"] > 0.5,
    "agv-6": lambda truth: truth["odometer_m"] > 0.5,
}


def free_ports() -> list[str]:
    """Return the options that move the ports of the demo's robots."""
    moved = [f"{port.replace('.', '.ports.')}=0" for port in (*PORTS, "welder.grbl")]
    nats = reserved.port()
    moved += [f"{agv}.ports.nats={nats}" for agv in AGVS]
    return [word for setting in moved for word in ("--set", setting)]


def is_at_work(api: httpx.Client, robot: str) -> bool:
    return AT_WORK[robot](api.get(f"/robots/{robot}/truth").json()["truth"])


def test_all_robots_work_until_a_client_connects(
    rigless_process: Callable[..., Any], environment: dict[str, str], thermostat: Path
) -> None:
    environment["ROS_DOMAIN_ID"] = str(reserved.domain())
    demo = rigless_process("demo", thermostat, "--panel", "127.0.0.1:0", *free_ports())
    assert "thermostat/line" in demo.ports
    demo.until(lambda: f"open {demo.url}" in demo.errors, "the terminal names the address")
    assert "Ctrl-C ends" in demo.errors
    headers = {"Authorization": f"Bearer {demo.token}"}
    with httpx.Client(base_url=f"{demo.url}/api", headers=headers, timeout=60) as api:
        api.post("/speed", json={"speed": 3}).raise_for_status()
        for robot in AT_WORK:
            demo.until(lambda name=robot: is_at_work(api, name), f"{robot} is at work")
        api.post("/estop", json={"on": True}).raise_for_status()
        stopped_s = api.get("/status").json()["time_s"]
        demo.until(lambda: api.get("/status").json()["time_s"] > stopped_s + 5, "programs try")
        api.post("/estop", json={"on": False}).raise_for_status()
        demo.until(lambda: is_at_work(api, "welder"), "the welder works again after an alarm")
        api.post("/reset").raise_for_status()
        for robot in AT_WORK:
            demo.until(lambda name=robot: is_at_work(api, name), f"{robot} works after a reset")
        with socket.create_connection(demo.address("vacuum/commands")):
            demo.until(lambda: "vacuum-driver yields vacuum: 127.0.0.1" in demo.errors, "yields")
            own = lambda: api.get("/robots/vacuum").json()["ports"][0]["links"] == 1  # noqa: E731
            demo.until(own, "one client is left")
        twist = {"type": "Twist", "linear": {"x": 0.1}}
        api.post("/robots/rover/messages", json={"port": "dds", "message": twist})
        demo.until(lambda: "rover-driver yields rover: the panel" in demo.errors, "yields")
        yielded = [e["text"] for e in api.get("/events").json() if e["code"] == "program-yielded"]
        assert sorted(text.split()[0] for text in yielded) == ["rover-driver", "vacuum-driver"]
    assert demo.end() == 0
    assert "Traceback" not in demo.errors
