"""Real MQTT brokers for tests, on loopback: nats-server and mosquitto, and a client of paho-mqtt.

They can be killed, suspended and started again on the same port, and end with the `with` block and
with the test process.

    with Mosquitto(tmp_path) as broker, Client(broker) as client: client.subscribe("a/#")
"""

import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import paho.mqtt.client as paho

import reserved
from rigless.transports.jetstream.server import RUN_WITH_PARENT, program

DEADLINE_S = 60.0


class Broker:
    """One broker. Its port and its folder survive a restart."""

    def __init__(self, folder: Path, *lines: str, port: int = 0):
        self.port = port or reserved.port()
        self.folder = folder / f"broker-{self.port}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lines = lines
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"mqtt://{self.address}"

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> "Broker":
        assert self.process is None, "it runs"
        wrapper = [sys.executable, "-I", "-S", "-c", RUN_WITH_PARENT, str(os.getpid())]
        with (self.folder / "out").open("ab") as out:
            self.process = subprocess.Popen([*wrapper, *self.command()], stdout=out, stderr=out)
        end = time.monotonic() + DEADLINE_S
        while True:
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"no broker: {(self.folder / 'out').read_text()}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.005)

    def send(self, number: int) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self.process is not None:
            process, self.process = self.process, None
            process.send_signal(signal.SIGCONT)
            process.send_signal(number)
            process.wait(DEADLINE_S)

    def __enter__(self) -> "Broker":
        return self if self.process is not None else self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()


class Nats(Broker):
    """nats-server with its MQTT listener."""

    def command(self) -> list[str]:
        config = self.folder / "conf"
        config.write_text(
            f'server_name: "test"\nlisten: "127.0.0.1:{reserved.port()}"\n'
            f'jetstream {{ store_dir: "{self.folder / "store"}" }}\n'
            f'mqtt {{ listen: "{self.address}" }}\n' + "\n".join(self.lines)
        )
        return [str(program()), "-c", str(config)]


class Mosquitto(Broker):
    """Mosquitto of the system; scripts/system-packages installs it."""

    def command(self) -> list[str]:
        found = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
        assert found, "mosquitto is not installed: apt-get install mosquitto"
        lines = self.lines or ("allow_anonymous true",)
        config = self.folder / "conf"
        config.write_text(
            "\n".join(("user root", f"listener {self.port} 127.0.0.1", *lines)) + "\n"
        )
        return [found, "-c", str(config)]


class Client:
    """A client of paho-mqtt with a queue of received messages."""

    def __init__(self, broker: Broker, name: str = "", **options: object):
        self.received: queue.Queue[paho.MQTTMessage] = queue.Queue()
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2, name, **options)
        self.client.on_message = lambda _client, _data, message: self.received.put(message)
        self.client.reconnect_delay_set(0.1, 0.2)  # seconds
        self._port = broker.port

    def subscribe(self, topic: str, qos: int = 1) -> None:
        answered: queue.Queue[object] = queue.Queue()
        self.client.on_subscribe = lambda *given: answered.put(given[3])
        self.client.subscribe(topic, qos)
        answered.get(timeout=DEADLINE_S)

    def publish(self, topic: str, data: bytes | str, qos: int = 1, retain: bool = False) -> None:
        self.client.publish(topic, data, qos, retain).wait_for_publish(DEADLINE_S)

    def get(self) -> paho.MQTTMessage:
        return self.received.get(timeout=DEADLINE_S)

    def __enter__(self) -> "Client":
        self.client.connect("127.0.0.1", self._port, keepalive=15)
        self.client.loop_start()
        return self

    def __exit__(self, *_: object) -> None:
        self.client.disconnect()
        self.client.loop_stop()
