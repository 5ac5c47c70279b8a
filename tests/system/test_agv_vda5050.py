"""VDA 5050 with foreign masters, over real brokers."""

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from tests.robots.agv.vda5050.scene import action, graph
from tests.robots.agv.vda5050.schemas import check

from mqtt_brokers import Client, Mosquitto, Nats

ROOT = Path(__file__).parents[2]
MASTER = Path(__file__).parent / "programs" / "vda5050_master.cjs"
LIBRARY = ROOT / "node_modules" / "vda-5050-lib"
DONE = ["FINISHED"] * 4
TOPIC = "uagv/v2/rigless/agv"


@pytest.fixture(params=[Nats, Mosquitto])
def broker(request, tmp_path):
    with request.param(tmp_path) as found:
        yield found


def robot(rigless_process, broker, *more, version="2.0.0"):
    words = ("--vda5050", broker.url, "--set", f"vda5050.version={version}", "--no-panel")
    return rigless_process("run", "agv", *words, *more)


@pytest.mark.timeout(180)
def test_a_master_of_vda_5050_lib_drives_the_robot(rigless_process, broker):
    assert LIBRARY.exists(), f"{LIBRARY} is missing: run scripts/build-web tools"
    robot(rigless_process, broker)
    node = shutil.which("node") or "node"
    run = subprocess.run(
        [node, MASTER, ROOT, broker.url, "agv"],
        capture_output=True,
        text=True,
        timeout=75,
        check=False,
    )
    said = run.stdout.splitlines()
    assert run.returncode == 0, run.stdout + run.stderr
    nodes = [line for line in said if line.startswith("node ")]
    assert nodes == ["node n0", "node n1", "node n2", "node n0"], said
    assert [line for line in said if line.startswith("action a1")] == [
        "action a1 WAITING",
        "action a1 RUNNING",
        "action a1 FINISHED",
    ]
    assert [line for line in said if line.startswith(("proc", "rej", "canc"))] == [
        "processed o1 1",
        "rejected noRouteError",
        "rejected orderError",
        "cancelled o2",
    ]
    assert "instant c1 FINISHED" in said
    assert said[-2:] == ["instant f2 FAILED", "end"]


class Master:
    """A master of few words: it publishes orders and reads states, each checked by the schemas."""

    def __init__(self, client):
        self.client = client
        client.subscribe(f"{TOPIC}/#")

    def publish(self, name, body):
        head = {"headerId": 0, "timestamp": "2026-01-01T00:00:00.00Z", "version": "2.1.0",
                "manufacturer": "rigless", "serialNumber": "agv"}  # fmt: skip
        self.client.publish(f"{TOPIC}/{name}", json.dumps({**head, **body}))

    def order(self, given, update=0):
        self.publish("order", {"orderId": "o", "orderUpdateId": update, **given})

    def connected(self, after=-1):
        """Wait for an ONLINE that is not the retained one of before; return its headerId."""
        online = self.until(
            "connection",
            lambda plain: plain["connectionState"] == "ONLINE" and plain["headerId"] > after,
        )
        return online["headerId"]

    def until(self, name, test):
        """Return the first message of a topic that satisfies the test."""
        end = time.monotonic() + 60.0
        while True:
            assert time.monotonic() < end, f"no such {name}"
            message = self.client.get()
            topic = message.topic.rpartition("/")[2]
            if topic not in ("order", "instantActions"):
                plain = json.loads(message.payload)
                check("2.1.0", topic, plain)
                if topic == name and test(plain):
                    return plain


@pytest.mark.timeout(180)
def test_a_broker_that_is_killed_under_an_order_loses_and_repeats_nothing(rigless_process, broker):
    process = robot(rigless_process, broker, version="2.1.0")
    places = [(0.4 * k, 0.0) for k in range(4)]
    at = {2 * k: [action("detectObject", f"a{k}", "NONE")] for k in range(4)}
    with Client(broker) as client:
        master = Master(client)
        head = master.connected()
        master.order(graph(*places[:2], at=at))
    for k in (1, 2):
        broker.kill()
        broker.start()
        with Client(broker) as client:
            master = Master(client)
            head = master.connected(head)
            master.order(graph(*places[k : k + 2], first=k, at=at), k)
            if k == 1:
                master.until("state", lambda plain: plain["orderUpdateId"] == 1)
                continue
            state = master.until(
                "state",
                lambda plain: [one["actionStatus"] for one in plain["actionStates"]] == DONE,
            )
    assert [one["actionId"] for one in state["actionStates"]] == [f"a{k}" for k in range(4)]
    assert (state["lastNodeId"], state["nodeStates"], state["errors"]) == ("n3", [], [])
    assert process.popen.poll() is None
