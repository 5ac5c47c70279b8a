"""VDA 5050 with foreign masters, over real brokers."""

import json
import queue
import shutil
import subprocess
import sys
import time
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import Request, urlopen

import pytest
from tests.robots.agv.vda5050.scene import action, graph
from tests.robots.agv.vda5050.schemas import check

from mqtt_brokers import Client, Mosquitto, Nats
from nats_servers import Tls

ROOT = Path(__file__).parents[2]
MASTER = Path(__file__).parent / "programs" / "vda5050_master.cjs"
LIBRARY = ROOT / "node_modules" / "vda-5050-lib"
DONE = ["FINISHED"] * 4
END = ("FINISHED", "FAILED")
TOPIC = "uagv/v2/rigless/agv"


@pytest.fixture(params=[Nats, Mosquitto])
def broker(request, tmp_path):
    with request.param(tmp_path) as found:
        yield found


def robot(rigless_process, broker, *more, version="2.0.0"):
    words = ("--vda5050", broker.url, "--set", f"vda5050.version={version}", "--no-panel")
    return rigless_process("run", "agv", *words, *more)


def test_a_master_of_vda_5050_lib_drives_the_robot(rigless_process, broker):
    assert LIBRARY.exists(), f"{LIBRARY} is missing: run scripts/build-web tools"
    robot(rigless_process, broker)
    node = shutil.which("node") or "node"
    run = subprocess.run(
        [node, MASTER, ROOT, broker.url, "agv"],
        capture_output=True,
        text=True,
        timeout=240,
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


@pytest.fixture(scope="session")
def core_python():
    """Return a Python with vda5050-core. Its wheels do not fit every Python."""
    script = [sys.executable, ROOT / "scripts" / "vda5050-peer"]
    made = subprocess.run(script, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(made.stderr.splitlines()[-1])
    return made.stdout.splitlines()[-1]


def test_a_master_of_vda5050_core_reads_a_layout_and_drives_the_robot(
    rigless_process, rigless_command, broker, core_python, tmp_path
):
    lif = tmp_path / "lif.json"
    assert rigless_command("agv", "layout", "warehouse_100", "--lif", lif).returncode == 0
    robot(rigless_process, broker, "--set", "vda5050.stateIntervalS=1")
    run = subprocess.run(
        [core_python, MASTER.with_name("vda5050_core_master.py"), broker.url, "agv", lif],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = run.stdout.splitlines()
    assert run.returncode == 0, run.stdout + run.stderr
    assert "layout {'success': True, 'errors': []}" in said
    assert [line for line in said if line.startswith("node ")][:3] == [
        "node n0",
        "node n1",
        "node n2",
    ]
    assert [line for line in said if line.startswith(("complete", "error", "cancel"))] == [
        "complete o1",
        "error orderError",
        "cancel ASSIGNED",
    ]
    assert [line for line in said if line.startswith("action a1")] == [
        "action a1 WAITING",
        "action a1 RUNNING",
        "action a1 FINISHED",
    ]
    assert "action c1 FINISHED" in said
    assert said[-1] == "end"


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

    def until(self, name, test, again=lambda: None):
        """Return the first message of a topic that satisfies the test.

        Meanwhile do something `again` every second.
        """
        end, next_s = time.monotonic() + 60.0, time.monotonic() + 1.0
        while True:
            assert time.monotonic() < end, f"no such {name}"
            if time.monotonic() > next_s:
                next_s = time.monotonic() + 1.0
                again()
            try:
                message = self.client.received.get(timeout=0.1)
            except queue.Empty:
                continue
            topic = message.topic.rpartition("/")[2]
            if topic not in ("order", "instantActions"):
                plain = json.loads(message.payload)
                check("2.1.0", topic, plain)
                if topic == name and test(plain):
                    return plain


def test_a_broker_that_is_killed_under_an_order_loses_and_repeats_nothing(rigless_process, broker):
    process = robot(rigless_process, broker, version="2.1.0")
    places = [(0.4 * k, 0.0) for k in range(4)]
    at = {2 * k: [action("detectObject", f"a{k}", "NONE")] for k in range(4)}
    with Client(broker) as client:
        master = Master(client)
        master.until("connection", lambda plain: plain["connectionState"] == "ONLINE")
        first = graph(*places[:2], at=at)
        master.order(first)
        master.until("state", lambda plain: plain["orderId"], lambda: master.order(first))
    for k in (1, 2):
        broker.kill()
        broker.start()
        with Client(broker) as client:
            master = Master(client)
            master.until("connection", lambda plain: plain["connectionState"] == "ONLINE")

            def order(master=master, k=k):
                master.order(graph(*places[k : k + 2], first=k, at=at), k)

            order()  # lost if the retained ONLINE is older than the broker
            master.until("state", lambda plain, k=k: plain["orderUpdateId"] == k, order)
            if k == 1:
                continue
            state = master.until(
                "state",
                lambda plain: [one["actionStatus"] for one in plain["actionStates"]] == DONE,
            )
    assert [one["actionId"] for one in state["actionStates"]] == [f"a{k}" for k in range(4)]
    assert (state["lastNodeId"], state["nodeStates"], state["errors"]) == ("n3", [], [])
    assert process.popen.poll() is None


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Serve a folder by HTTP. Yield it and its URL."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "files"
    folder.mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_map_is_downloaded_from_a_file_server(rigless_process, tmp_path, environment, files):
    folder, url = files
    environment["no_proxy"] = "127.0.0.1"
    (folder / "hall.map").write_bytes(bytes(range(256)) * 4000)
    digest = sha256((folder / "hall.map").read_bytes()).hexdigest()
    with Mosquitto(tmp_path) as broker, Client(broker) as client:
        robot(rigless_process, broker, version="2.1.0")
        master = Master(client)
        master.until("connection", lambda plain: plain["connectionState"] == "ONLINE")

        def act(kind, name, **given):
            values = [{"key": key, "value": value} for key, value in given.items()]
            one = {"actionType": kind, "actionId": name, "blockingType": "NONE"}
            body = {"actions": [{**one, "actionParameters": values}]}

            def status(plain):
                found = [a for a in plain["actionStates"] if a["actionId"] == name]
                return found[0] if found and found[0]["actionStatus"] in END else None

            master.publish("instantActions", body)
            again = partial(master.publish, "instantActions", body)
            plain = master.until("state", status, again)
            return status(plain)["actionStatus"], status(plain)["resultDescription"], plain["maps"]

        new = {"mapId": "hall", "mapVersion": "7"}
        link = {**new, "mapDownloadLink": f"{url}/hall.map"}
        nothing = {**new, "mapDownloadLink": f"{url}/nothing"}
        found = act("downloadMap", "missing", **nothing)
        assert found[:2] == ("FAILED", f"{url}/nothing: 404 File not found")
        found = act("downloadMap", "wrong", **link, mapHash="0" * 64)
        assert found[0] == "FAILED"
        assert digest in found[1]
        found = act("downloadMap", "right", **link, mapHash=digest)
        assert found[:2] == ("FINISHED", f"1024000 bytes, SHA-256 {digest}")
        assert found[2][1] == {**new, "mapStatus": "DISABLED"}


def test_session_faults_over_tls_with_a_password_and_quality_of_service_1(
    rigless_process, rigless_command, tmp_path
):
    tls, users, secret = Tls(tmp_path / "tls", verify=True), tmp_path / "users", tmp_path / "secret"
    subprocess.run(["mosquitto_passwd", "-c", "-b", users, "robot", "s3cret"], check=True)
    users.chmod(0o644)
    secret.write_text("s3cret\n")
    lines = (
        "allow_anonymous false",
        f"password_file {users}",
        f"cafile {tls.ca}",
        f"certfile {tmp_path}/tls/server.pem",
        f"keyfile {tmp_path}/tls/server.key",
        "require_certificate true",
        "log_type all",
    )
    given = {
        "user": "robot",
        "passwordFile": secret,
        "caFile": tls.ca,
        "certFile": tls.client_certificate,
        "keyFile": tls.client_key,
        "orderQos": 1,
        "stateQos": 1,
    }
    more = [word for key, value in given.items() for word in ("--set", f"vda5050.{key}={value}")]
    with Mosquitto(tmp_path, *lines) as broker:
        url = f"mqtts://{broker.address}"
        process = rigless_process("run", "agv", "--vda5050", url, *more, "--panel", "127.0.0.1:0")
        client = Client(broker)
        client.client.tls_set(str(tls.ca), str(tls.client_certificate), str(tls.client_key))
        client.client.username_pw_set("robot", "s3cret")
        with client:
            master = Master(client)
            seen = [master.until("connection", lambda _: True)]
            client.publish(f"{TOPIC}/order", "{", qos=1)
            end = time.monotonic() + 60.0
            while (message := client.get()).topic != f"{TOPIC}/state" or message.retain:
                assert time.monotonic() < end, "no state"
            assert message.qos == 1
            for fault in ("cut", "takeover", "late_will", "stale_online seconds=0.3"):
                words = ("inject", "agv", "session", *fault.split())
                assert rigless_command("ctl", *words).returncode == 0
                until = "CONNECTIONBROKEN" if fault == "late_will" else "ONLINE"
                seen.append(master.until("connection", lambda _: True))
                while seen[-1]["connectionState"] != until:
                    seen.append(master.until("connection", lambda _: True))
            body = json.dumps({"x_m": 0.5, "y_m": 0.0}).encode()
            headers = {
                "Authorization": f"Bearer {process.token}",
                "Content-Type": "application/json",
            }
            urlopen(Request(f"{process.url}/api/robots/agv/goal", body, headers), timeout=60)
            master.until("state", lambda plain: plain["orderId"] and not plain["nodeStates"])
        log = (broker.folder / "out").read_text()
    assert [one["connectionState"] for one in seen] == [
        "ONLINE", "CONNECTIONBROKEN", "ONLINE", "CONNECTIONBROKEN", "ONLINE", "CONNECTIONBROKEN",
        "ONLINE",
    ]  # fmt: skip
    assert seen[5]["headerId"] < seen[4]["headerId"], "the late will is an older message"
    assert f"Sending PUBLISH to rigless-agv (d0, q1, r0, m1, '{TOPIC}/order'" in log
