"""Foxglove messages: shapes, frames and schemas, compared with Foxglove's own definitions."""

import base64
import io
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import foxglove.messages
import msgspec
import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from mcap.reader import make_reader

import rigless
from rigless.kernel.recording import Recorder, is_derived, record_to_bytes
from rigless.kernel.recording.foxglove.pictures import Pictures
from rigless.kernel.world import Obstacle


def parse(schema: str, fields: Any) -> Any:
    """Parse a JSON message with Foxglove's own definition: unknown fields and types are errors."""
    short = schema.removeprefix("foxglove.")
    own = getattr(foxglove.messages, short).get_schema()
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(own.data).file:
        pool.Add(file)
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(schema))
    return json_format.ParseDict(with_times(fields), kind())


def with_times(value: Any) -> Any:
    """Write {sec, nsec} as protobuf's JSON does."""
    if isinstance(value, list):
        return [with_times(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"sec", "nsec"}:
        seconds = value["sec"] + value["nsec"] / 1e9
        return f"{seconds:.9f}s"
    found = {key: with_times(item) for key, item in value.items()}
    if "timestamp" in value:
        sec, nsec = value["timestamp"]["sec"], value["timestamp"]["nsec"]
        date = datetime.fromtimestamp(sec, UTC)
        found["timestamp"] = f"{date:%Y-%m-%dT%H:%M:%S}.{nsec:09d}Z"
    return found


def read(data: bytes) -> list[tuple[str, str, int, Any]]:
    """Return topic, schema, time and JSON of all messages of Foxglove's schemas."""
    return [
        (channel.topic, schema.name, message.log_time, msgspec.json.decode(message.data))
        for schema, channel, message in make_reader(io.BytesIO(data)).iter_messages()
        if schema is not None and schema.name.startswith("foxglove.")
    ]


def start(kind: str) -> rigless.Simulation:
    sim = rigless.load(kind, seed=3)
    if kind == "vacuum":
        for fields in (
            {"id": "lidar", "action": "enable", "config": {}},
            {"id": "drive", "action": "enable", "config": {}},
            {"id": "drive", "action": "configure", "config": {"linear": 0.2, "angular": 0.3}},
        ):
            sim.send("vacuum", "commands", {"type": "Control", **fields})
    return sim


@pytest.mark.parametrize("kind", ["vacuum", "pacbot", "rover", "welder", "agv"])
def test_recordings_hold_foxglove_messages_that_its_own_definitions_accept(kind: str) -> None:
    data = record_to_bytes(start(kind), 1.0)
    assert record_to_bytes(start(kind), 1.0) == data
    found = read(data)
    schemas = {schema for _, schema, _, _ in found}
    expected = {"FrameTransforms", "PoseInFrame", "SceneUpdate"}
    expected |= {
        "vacuum": {"LaserScan", "Grid"},
        "pacbot": {"Grid"},
        "rover": {"LocationFix"},
        "welder": set(),
        "agv": set(),
    }[kind]
    assert {f"foxglove.{name}" for name in expected} <= schemas
    for _, schema, log_time, fields in found:
        extra = {key: fields.pop(key) for key in ("code", "data") if schema == "foxglove.Log"}
        assert len(extra) in (0, 2)
        parsed = parse(schema, fields)
        times = [fields.get("timestamp")]
        times += [entity["timestamp"] for entity in fields.get("entities", ())]
        times += [entity["timestamp"] for entity in fields.get("transforms", ())]
        for stamp in filter(None, times):
            assert stamp["sec"] * 10**9 + stamp["nsec"] == log_time
        assert parsed.ByteSize() > 0


def test_definitions_agree_with_foxgloves_own_fields() -> None:
    from rigless.kernel.recording.foxglove.schemas import SCHEMAS

    for name, schema in SCHEMAS.items():
        own = getattr(foxglove.messages, name.removeprefix("foxglove.")).get_schema()
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(own.data).file:
            pool.Add(file)
        fields = pool.FindMessageTypeByName(name).fields_by_name
        ours = set(schema["properties"]) - ({"code", "data"} if name == "foxglove.Log" else set())
        assert ours <= set(fields)
        for key in ours:
            is_list = schema["properties"][key].get("type") == "array"
            assert is_list == fields[key].is_repeated, (name, key)


def test_a_scan_hits_the_walls_that_the_map_shows() -> None:
    found = read(record_to_bytes(start("vacuum"), 2.0))
    grid = next(fields for _, schema, _, fields in found if schema == "foxglove.Grid")
    scan = [fields for _, schema, _, fields in found if schema == "foxglove.LaserScan"][-1]
    cells = np.frombuffer(base64.b64decode(grid["data"]), np.uint8)
    cells = cells.reshape(-1, grid["column_count"], 4)
    walls = (cells[:, :, 0] == 201).nonzero()
    size, corner = grid["cell_size"]["x"], grid["pose"]["position"]
    wall_x = corner["x"] + (walls[1] + 0.5) * size
    wall_y = corner["y"] + (walls[0] + 0.5) * size
    ranges = np.array(scan["ranges"])
    at, turn = scan["pose"]["position"], scan["pose"]["orientation"]
    step = (scan["end_angle"] - scan["start_angle"]) / (len(ranges) - 1)
    angles = 2 * math.atan2(turn["z"], turn["w"]) + step * np.arange(len(ranges))
    hit = ranges > 0
    x = (at["x"] + ranges * np.cos(angles))[hit]
    y = (at["y"] + ranges * np.sin(angles))[hit]
    away = np.sqrt(((x[:, None] - wall_x) ** 2 + (y[:, None] - wall_y) ** 2).min(axis=1))
    assert hit.sum() > 200
    assert np.median(away) < 0.05


def test_a_body_rides_in_the_frame_of_its_robot() -> None:
    sim = start("vacuum")
    stream = io.BytesIO()
    recorder = Recorder(sim, stream)
    sim.run(1.0)
    pose = sim.truth("vacuum").pose
    recorder.close()
    found = read(stream.getvalue())
    scenes = [fields for topic, _, _, fields in found if topic == "/rigless/vacuum/scene"]
    body = next(one for one in scenes[-1]["entities"] if one["id"] == "vacuum/body")
    assert body["frame_id"] == "vacuum"
    assert body["cylinders"][0]["pose"]["position"]["x"] == 0
    assert len(scenes) < 5  # the transform moves it
    transforms = [fields for topic, _, _, fields in found if topic == "/rigless/tf"]
    place = transforms[-1]["transforms"][0]
    assert (place["parent_frame_id"], place["child_frame_id"]) == ("world", "vacuum")
    assert place["translation"]["x"] == pytest.approx(pose[0], abs=1e-6)
    turn = 2 * math.atan2(place["rotation"]["z"], place["rotation"]["w"])
    assert turn == pytest.approx(pose[2], abs=1e-5)


def test_links_of_an_arm_have_frames_and_are_sent_once() -> None:
    pictures = Pictures(rigless.load("welder"))
    first = {picture.topic for picture in pictures.take()}
    assert {"/rigless/tf", "/rigless/welder/scene", "/rigless/welder/pose"} <= first
    assert not list(pictures.take())
    pictures.forget("/rigless/welder/scene")
    assert [picture.topic for picture in pictures.take()] == ["/rigless/welder/scene"]
    assert first <= set(pictures.topics())


def test_obstacles_and_failing_views_disappear(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = rigless.load("vacuum")
    sim.world.place({"box": Obstacle(size_m=(0.4, 0.2), begin=(1, 1, 0), end=(1, 1, 0))})
    pictures = Pictures(sim)
    shown = {picture.topic: picture.data for picture in pictures.take()}
    assert b'"id":"world/box"' in shown["/rigless/obstacles"]
    sim.world.state.obstacles.clear()
    (gone,) = [picture.data for picture in pictures.take()]
    assert b'"entities":[]' in gone
    assert b'"type":0,"id":"world/box"' in gone

    def broken(view: Any) -> Any:
        raise ValueError("no picture")

    monkeypatch.setattr(type(sim.robots["vacuum"].view()), "draw", broken)
    pictures.forget()
    assert "/rigless/vacuum/pose" not in {picture.topic for picture in pictures.take()}


@pytest.mark.parametrize("kind", ["vacuum", "pacbot", "rover", "welder", "agv"])
def test_the_layout_of_a_robot_names_topics_that_exist(kind: str) -> None:
    layout = json.loads((Path("docs/foxglove") / f"{kind}.json").read_text())
    sim = rigless.load(kind)
    ports = {f"/{kind}/{port}/{way}" for port in sim.ports(kind) for way in ("in", "out")}
    known = {*Pictures(sim).topics(), *ports, f"/{kind}/truth", f"/{kind}/events"}
    panels = layout["configById"]
    named = set(panels["3D!scene"]["topics"])
    named |= {panel["topicPath"] for panel in panels.values() if "topicPath" in panel}
    paths = [path["value"] for panel in panels.values() for path in panel.get("paths", ())]
    assert named - {"/rigless/map"} <= known  # without a map, a robot is on an open plane
    fields = msgspec.to_builtins(sim.truth(kind), enc_hook=np.ndarray.tolist)
    for path in paths:
        topic, _, field = path.partition(".")
        assert topic in known
        assert field.partition("[")[0] in fields


def test_topics_of_a_recording_that_follow_from_the_others() -> None:
    assert is_derived("/rigless/tf")
    assert is_derived("/rigless/vacuum/scan")
    assert not is_derived("/rigless/control")
    assert not is_derived("/rigless/events")
    assert not is_derived("/vacuum/truth")
