import io
import json

import jsonschema
import numpy as np
from mcap.reader import make_reader

from rigless.kernel.events import Event
from rigless.kernel.recording import FORMAT, Recorder, record_to_bytes
from rigless.kernel.recording.entries import HOST_EVENTS
from rigless.kernel.simulation import Simulation
from rigless.kernel.snapshot import Snapshot

from .robots import Counter
from .scenes import scene

MS = 1_000_000


def messages(data):
    return list(make_reader(io.BytesIO(data)).iter_messages(log_time_order=False))


def test_two_runs_give_the_same_bytes_and_another_seed_does_not():
    assert record_to_bytes(scene(), 1) == record_to_bytes(scene(), 1)
    assert record_to_bytes(scene(), 1) != record_to_bytes(scene(seed=3), 1)


def test_the_bytes_do_not_depend_on_how_it_is_advanced():
    stream = io.BytesIO()
    sim = scene()
    recorder = Recorder(sim, stream)
    for _ in range(1000):
        sim.run(0.001)
    recorder.close()
    assert stream.getvalue() == record_to_bytes(scene(), 1)


def test_the_metadata_says_what_is_needed_to_run_it_again():
    metadata = {
        item.name: item.metadata
        for item in make_reader(io.BytesIO(record_to_bytes(scene(), 1))).iter_metadata()
    }
    assert metadata["rigless.end"] == {"end_ns": "1000000000"}
    assert metadata["rigless"].keys() == {
        "format",
        "seed",
        "start_ns",
        "rigless",
        "python",
        "numpy",
        "scenario",
        "checksum",
    }
    wanted = {
        "format": FORMAT,
        "seed": "2",
        "start_ns": "0",
        "scenario": "a = 1",
        "numpy": np.__version__,
    }
    assert wanted.items() <= metadata["rigless"].items()


def test_every_topic_is_there_and_fits_the_schema_in_the_file():
    found = messages(record_to_bytes(scene(), 1))
    for schema, channel, message in found:
        assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
        definition = json.loads(schema.data)
        jsonschema.Draft202012Validator.check_schema(definition)
        jsonschema.validate(json.loads(message.data), definition)
    assert {(channel.topic, schema.name) for schema, channel, _ in found} == {
        ("/c/line/in", "rigless.Input"),
        ("/c/line/out", "rigless.Output"),
        ("/c/bus/in", "rigless.Input"),
        ("/c/bus/out", "rigless.Output"),
        ("/c/beat/out", "rigless.Output"),
        ("/c/truth", "rigless.Truth"),
        ("/d/truth", "rigless.Truth"),
        ("/c/events", "foxglove.Log"),
        ("/rigless/control", "rigless.Control"),
        ("/rigless/obstacles", "foxglove.SceneUpdate"),
    }


def of_topic(data, topic):
    return [
        (msg.log_time // MS, json.loads(msg.data))
        for _, channel, msg in messages(data)
        if channel.topic == topic
    ]


def test_inputs_are_recorded_with_time_source_and_bytes():
    data = record_to_bytes(scene(), 1)
    link = {"source": "live", "robot": "c", "port": "line", "link": 1}
    assert of_topic(data, "/c/line/in") == [
        (100, {**link, "input": "connect", "peer": "them", "local": "us"}),
        (
            150,
            {
                **link,
                "input": "arrive",
                "data": "YWRkIDMKd2hhdApzdWJzY3JpYmUgeDoxCg==",
                "subject": "",
            },
        ),
        (190, {**link, "input": "disconnect"}),
    ]
    assert [
        (at, entry["source"], entry["input"]) for at, entry in of_topic(data, "/rigless/control")
    ] == [
        (0, "scenario", "inject"),
        (170, "live", "setinput"),
        (180, "live", "moveobstacle"),
        (350, "scenario", "clear"),
    ]


def test_outputs_are_recorded_with_their_bytes_and_the_message_they_carry():
    data = record_to_bytes(scene(), 1)
    assert of_topic(data, "/c/line/out") == [
        (150, {"link": 1, "subject": "", "wire": "Mwo=", "message": {"total": 3}})
    ]
    assert of_topic(data, "/c/bus/out") == [
        (160, {"link": 0, "subject": "count.total", "wire": "NQ==", "message": {"total": 5}})
    ]


def test_a_delayed_output_is_recorded_like_one_in_time_but_later():
    def outputs(ms):
        sim = Simulation([Counter("c")])
        sim.inject("c", "beat", "delay", ms=ms)
        return of_topic(record_to_bytes(sim, 1), "/c/beat/out")

    assert outputs(50) == [(at + 50, entry) for at, entry in outputs(0) if at + 50 <= 1000]


def test_truth_is_sampled_and_events_are_log_entries():
    data = record_to_bytes(scene(), 1, truth_hz=4)
    assert [at for at, _ in of_topic(data, "/d/truth")] == [250, 500, 750, 1000]
    assert of_topic(data, "/c/truth")[0][1]["total"] == 5
    at, entry = of_topic(data, "/c/events")[2]
    assert (at, entry["code"], entry["level"], entry["name"]) == (150, "unhandled-message", 3, "c")
    assert entry["timestamp"] == {"sec": 0, "nsec": 150 * MS}


def test_events_from_before_time_began_are_kept_also_after_an_input():
    class Early(Counter):
        def start(self):
            self.event("started", f"with seed {self.seed}")

    sim, other = Simulation([Early("e")], seed=1), Simulation([Early("e")], seed=2)
    first = record_to_bytes(sim, 0)
    sim.set_input("e", "gear", 3)
    sim.core.log(Event(0, "", "port-told", "info", "of the host"))
    saved = Snapshot.from_bytes(sim.snapshot().to_bytes())
    later = record_to_bytes(sim, 0)
    for data in (first, later):
        (event,) = [entry for _, entry in of_topic(data, "/e/events")]
        assert (event["code"], event["message"]) == ("started", "with seed 1")
    assert [entry["message"] for _, entry in of_topic(later, HOST_EVENTS)] == ["of the host"]
    other.restore(saved)
    assert of_topic(record_to_bytes(other, 0), "/e/events") == of_topic(later, "/e/events")
    other.run(1)
    assert other.snapshot().events == b""


def test_after_close_nothing_is_listening_and_two_recorders_do_not_mind_each_other():
    sim, first, second = scene(), io.BytesIO(), io.BytesIO()
    one, two = Recorder(sim, first), Recorder(sim, second)
    sim.run(0.4)
    one.close()
    written = one.messages
    assert sim.core.recording
    sim.run(0.6)
    assert one.messages == written
    two.close()
    assert not sim.core.recording
    assert not any(sim.core.listeners)
    assert first.getvalue() == record_to_bytes(scene(), 0.4)
    assert second.getvalue() == record_to_bytes(scene(), 1)
