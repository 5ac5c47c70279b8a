"""VDA 5050 robots on a broker: a fleet in its own process, and a master made with paho-mqtt."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import paho.mqtt.client as paho

from rigless.transports.jetstream.server import free_port, program

RIGLESS = (sys.executable, "-c", "from rigless.cli import main; main()")
PITCH_M = 0.3
PATIENCE_S = 60.0


class Broker:
    """nats-server with its MQTT listener, which can be killed and started again."""

    def __init__(self, folder: Path):
        self.port, self._folder = free_port("127.0.0.1"), folder
        config = folder / "broker.conf"
        config.write_text(
            f'server_name: "bench"\nlisten: "127.0.0.1:{free_port("127.0.0.1")}"\n'
            f'jetstream {{ store_dir: "{folder / "store"}" }}\n'
            f'mqtt {{ listen: "127.0.0.1:{self.port}" }}\n'
        )
        self._command = [str(program()), "-c", str(config)]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Master:
    """A client of paho-mqtt that counts messages by topic and keeps the last states."""

    def __init__(self, broker: Broker):
        self.counts: Counter[str] = Counter()
        self.states: dict[str, dict[str, Any]] = {}
        self.raw: dict[str, bytes] = {}  # the last message by topic
        self.history: list[dict[str, Any]] = []  # states and visualizations
        self.keep = False
        self.news = threading.Condition()
        self._client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        self._client.on_message = self._received
        self._client.on_connect = lambda client, *_: client.subscribe("uagv/v2/rigless/#")
        self._client.reconnect_delay_set(0.05, 0.2)
        self._client.connect_async("127.0.0.1", broker.port)
        self._client.loop_start()

    def _received(self, _client: Any, _data: Any, message: Any) -> None:
        _, _, _, serial, topic = message.topic.split("/")
        self.counts[topic] += 1
        if topic not in ("state", "visualization") or (
            topic != "state" and not self.keep and topic in self.raw
        ):
            return
        plain = json.loads(message.payload)
        self.raw[topic] = message.payload
        with self.news:
            if topic == "state":
                self.states[serial] = plain
            if self.keep:
                self.history.append(plain)
            self.news.notify_all()

    def order(self, serial: str, order: str, update: int, first: int, count: int, at: dict) -> None:
        """Send an order along the x axis; the k-th node is at k × PITCH_M."""
        named = range(first, first + count)
        nodes = [
            {
                "nodeId": f"n{k}",
                "sequenceId": 2 * k,
                "released": True,
                "nodePosition": {"x": PITCH_M * k, "y": 0.0, "mapId": "map"},
                "actions": at.get(k, []),
            }
            for k in named
        ]
        edges = [
            {
                "edgeId": f"e{k}",
                "sequenceId": 2 * k + 1,
                "released": True,
                "startNodeId": f"n{k}",
                "endNodeId": f"n{k + 1}",
                "actions": [],
            }
            for k in named[:-1]
        ]
        head = {
            "headerId": update,
            "timestamp": "2026-01-01T00:00:00.00Z",
            "version": "2.1.0",
            "manufacturer": "rigless",
            "serialNumber": serial,
            "orderId": order,
            "orderUpdateId": update,
        }
        body = json.dumps({**head, "nodes": nodes, "edges": edges})
        self._client.publish(f"uagv/v2/rigless/{serial}/order", body)

    def wait(self, test: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
        with self.news:
            return self.news.wait_for(test, seconds)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@contextmanager
def running(broker: Broker, count: int, *settings: str) -> Iterator[list[str]]:
    """Run a fleet on a broker; yield its serial numbers."""
    words = ["run", "agv", "--vda5050", broker.url, "--count", str(count), "--no-panel", "-q"]
    words += [word for setting in settings for word in ("--set", setting)]
    state = tempfile.mkdtemp()
    process = subprocess.Popen(
        [*RIGLESS, *words],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RIGLESS_STATE": state},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line == "ready\n":
            break
    try:
        yield [f"agv-{number + 1}" for number in range(count)]
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(state)


def rates(broker: Broker, count: int, hz: float, seconds: float) -> dict[str, float]:
    """Return how much of their rates a fleet of standing robots holds.

    Whole seconds are counted, from the middle between two states on: otherwise a window of half a
    second has one state of each robot or none.
    """
    seconds = max(1.0, float(round(seconds)))
    given = ("vda5050.stateIntervalS=1", f"vda5050.visualizationHz={hz}")
    with running(broker, count, *given) as names:
        master = Master(broker)
        master.wait(lambda: len(master.states) == len(names))
        seen = master.counts["state"]
        master.wait(lambda: master.counts["state"] > seen)
        time.sleep(0.5)
        before, begun = Counter(master.counts), time.monotonic()
        time.sleep(seconds)
        found, took = master.counts - before, time.monotonic() - begun
        master.close()
    return {
        "states_held": found["state"] / (count * took),
        "visualizations_held": found["visualization"] / (count * hz * took),
        "messages_per_s": found.total() / took,
    }


def latency(broker: Broker, orders: int) -> tuple[dict[str, float], list[bytes]]:
    """Return the time from an order to the first state with it, and a message of each topic."""
    with running(broker, 1):
        master, times = Master(broker), []
        master.wait(lambda: bool(master.states))
        for number in range(orders):
            name, begun = f"o{number}", time.perf_counter()
            master.order("agv", name, 0, 0, 1, {})
            if not master.wait(lambda name=name: master.states["agv"]["orderId"] == name):
                raise RuntimeError(f"no state with order {name} within {PATIENCE_S:g} s")
            times.append(time.perf_counter() - begun)
        master.wait(lambda: False, 1.5)  # for a visualization
        master.close()
    p50, p99 = np.percentile(times, (50, 99))
    figures = {"p50_ms": 1000 * float(p50), "p99_ms": 1000 * float(p99), "orders": len(times)}
    return figures, list(master.raw.values())


def outages(broker: Broker, kills: int) -> dict[str, float]:
    """Kill the broker while an order is extended node by node; count what went wrong."""
    with running(broker, 1, "vda5050.visualizationHz=10"):
        master = Master(broker)
        master.wait(lambda: bool(master.states))
        master.keep, last = True, 0
        beyond = 0
        for update in range(kills):
            first, farther = (0, 2) if update == 0 else (last, 2)
            if update:
                broker.kill()
                broker.start()
            last = first + farther - 1
            action = {"actionType": "detectObject", "actionId": f"a{last}", "blockingType": "HARD"}
            end = time.monotonic() + PATIENCE_S
            while (
                master.states["agv"]["orderUpdateId"] != update
                or not master.states["agv"]["orderId"]
            ):
                master.order("agv", "o", update, first, farther, {last: [action]})
                master.wait(lambda n=update: master.states["agv"]["orderUpdateId"] == n, 0.5)
                if time.monotonic() > end:
                    raise RuntimeError(f"update {update} was not accepted in {PATIENCE_S:g} s")
            beyond += sum(
                one["agvPosition"]["x"] > PITCH_M * last + 0.01 for one in list(master.history)
            )
        master.wait(lambda: not master.states["agv"]["nodeStates"])
        master.wait(lambda: all(_final(one) for one in master.states["agv"]["actionStates"]))
        final = master.states["agv"]
        repeated = _repeated(list(master.history))
        master.close()
    actions = [one["actionStatus"] for one in final["actionStates"]]
    return {
        "kills": kills - 1,
        "updates_lost": kills - 1 - final["orderUpdateId"],
        "actions_not_finished": kills - actions.count("FINISHED"),
        "actions_repeated": repeated,
        "positions_past_the_base": beyond,
        "nodes_missed": last - final["lastNodeSequenceId"] // 2,
    }


def _repeated(history: list[dict[str, Any]]) -> int:
    """Return how many actions were seen running after they had finished."""
    finished, again = set[str](), set[str]()
    for message in history:
        for one in message.get("actionStates", []):
            if one["actionStatus"] == "FINISHED":
                finished.add(one["actionId"])
            elif one["actionId"] in finished:
                again.add(one["actionId"])
    return len(again)


def _final(state: dict[str, Any]) -> bool:
    return state["actionStatus"] in ("FINISHED", "FAILED")


def bare(broker: Broker, messages: list[bytes], seconds: float) -> dict[str, float]:
    """Return how often a bare paho-mqtt client publishes these messages in turn."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    count = 0
    begun, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < seconds:
        info = client.publish("bench/state", messages[count % len(messages)])
        count += 1
        if count % 200 == 0:
            info.wait_for_publish(PATIENCE_S)
    took, used = time.perf_counter() - begun, time.process_time() - cpu
    client.disconnect()
    client.loop_stop()
    return {"messages_per_s": count / took, "cpu_us": 1e6 * used / count}
