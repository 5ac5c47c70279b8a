"""`rigless send` over real ports of each transport, in this process."""

import json
import time
from pathlib import Path

import pytest

import reserved
import rigless
from rigless.cli.instance.send import encode, send
from rigless.clients.port_client import exchange
from rigless.host.api.control import describe_robot
from rigless.kernel.problems import InputError

HERE = Path(__file__).parent
PATIENCE_S = 60.0


class LocalApi:
    """The control API of a host in this process, as far as `send` uses it."""

    def __init__(self, host):
        self._host = host

    def call(self, method, path):
        def status(host):
            return {"robots": [describe_robot(host, one) for one in host.sim.robots.values()]}

        return self._host.call(status)


@pytest.fixture(scope="module")
def host():
    with rigless.serve(HERE / "switchboard") as found:
        yield found


@pytest.fixture
def sent(host, capsys):
    """Return a function that sends and returns the printed answer and notes."""

    def run(port, *texts, json=None, hex_bytes=None, wait_s=PATIENCE_S):
        messages = encode(list(texts), json, hex_bytes)
        send(LocalApi(host), "switchboard", port, messages, wait_s=wait_s)
        return capsys.readouterr()

    return run


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def received(host, port):
    found = host.call(lambda host: list(host.sim.robots["switchboard"].state.received))
    return [(data, subject) for where, data, subject in found if where == port]


def test_a_datagram_for_each_text_and_the_answers(host, sent):
    assert sent("radio", "get").out == "GET\n"
    assert sent("radio", hex_bytes="61").out == "A\n"
    sent("radio", "one", "two")
    until(lambda: len(received(host, "radio")) == 4)
    assert [data for data, _ in received(host, "radio")] == [b"get\n", b"a", b"one\n", b"two\n"]


def test_a_websocket_gets_text_frames_and_binary_frames(host, sent):
    assert sent("frames", "go").out == "GO\n"
    assert sent("frames", json='{"a": 1}').out == '{"A":1}\n'
    assert sent("frames", hex_bytes="01 ff").out == "01 ff\n"
    assert received(host, "frames") == [
        (b"go", "text"),
        (b'{"a":1}', "text"),
        (b"\x01\xff", "binary"),
    ]


def test_each_text_is_a_request_on_zeromq(sent):
    assert sent("asked", "a", "b").out == "A\nB\n"


def test_a_port_that_only_receives_answers_nothing_and_is_not_waited_for(host, sent):
    assert sent("words", "left").err == "sent\n"
    until(lambda: received(host, "words") == [(b"left", "")])
    assert sent("keys", hex_bytes="00 01").err == "sent\n"
    until(lambda: b"".join(data for data, _ in received(host, "keys")) == b"\x00\x01")


@pytest.mark.parametrize("port", ["hello", "news"])
def test_without_a_message_the_port_is_listened_to(host, port):
    transport = "tcp" if port == "hello" else "websocket"
    pieces = exchange(transport, host.address("switchboard", port), [], wait_s=PATIENCE_S)
    assert next(pieces) == b"hello"
    pieces.close()


def test_no_message_within_the_time(sent):
    assert sent("line", wait_s=0.01).err == "no message within 0.01 s\n"


@pytest.mark.parametrize(
    ("port", "texts", "sentence"),
    [
        ("reports", ["get"], "switchboard/reports: only sends datagrams"),
        ("reports", [], "switchboard/reports: only sends datagrams"),
        ("hello", ["get"], "switchboard/hello: only sends: it receives no messages"),
        ("words", [], "switchboard/words: only receives: it sends no messages"),
        ("radio", [], "a UDP port sends only to peers that it knows"),
    ],
)
def test_a_sentence_where_a_port_cannot_do_it(sent, port, texts, sentence):
    with pytest.raises(InputError, match=sentence):
        sent(port, *texts)


@pytest.fixture
def beacon(monkeypatch):
    for name in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS", "CYCLONEDDS_URI"):
        monkeypatch.delenv(name, raising=False)
    ports = {"dds": f"domain/{reserved.domain()}"}
    with rigless.serve(HERE.parent / "transports" / "beacon", ports=ports) as found:
        yield found


def test_a_ros_topic_gets_a_message_and_is_listened_to(beacon, capsys, monkeypatch):
    from rigless.clients import ros_client

    url = beacon.address("beacon", "dds")
    first = next(exchange("dds", url, [], "/home", PATIENCE_S))  # a transient-local message
    assert json.loads(first)["position"] == {"x": 1.0, "y": 2.0, "z": 0.0}
    go = encode([], '{"linear": {"x": 0.5}}', None)
    send(LocalApi(beacon), "beacon", "dds", go, "/cmd_vel")
    assert capsys.readouterr().err == "sent\n"
    until(lambda: beacon.call(lambda host: host.sim.robots["beacon"].state.told_ns) > 0)
    with pytest.raises(InputError, match="Twist: unknown field 'linea'"):
        list(exchange("dds", url, ['{"linea": 1}'], "/cmd_vel"))
    with pytest.raises(InputError, match="needs a topic"):
        list(exchange("dds", url, go))
    monkeypatch.setattr(ros_client, "REACH_S", 0.5)
    with pytest.raises(InputError, match="unknown topic '/cmd_vell'"):
        list(exchange("dds", url, go, "/cmd_vell"))


def test_json_that_is_nested_too_deep_is_refused():
    with pytest.raises(InputError, match="--json: is not JSON: maximum recursion depth"):
        encode([], "[" * 100_000 + "]" * 100_000, None)
