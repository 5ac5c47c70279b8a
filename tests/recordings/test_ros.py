"""ROS topics in recordings: readable by ROS tools, replayed and compared."""

import io
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader

from rigless.kernel.inputs import Arrive, Connect, SetInput
from rigless.kernel.problems import InputError
from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.recordings.diff import compare
from rigless.recordings.reader import Recording
from rigless.recordings.replay import verify
from rigless.recordings.ros2bag import export
from rigless.ros import cdr
from rigless.ros import messages as m
from rigless.scenario.load import open_target

BEACON = str(Path(__file__).parents[1] / "transports" / "beacon")
TOPICS = ["/b/imu", "/b/gps", "/b/scan", "/b/cmd_vel", "/b/home"]


def take(path, speed=0.75):
    sim = open_target(BEACON, ["namespace=b"], 1, collect=False).simulation
    with path.open("wb") as stream:
        recorder = Recorder(sim, stream)
        sim.schedule(100_000_000, Connect("beacon", "dds", 1, "peer", "here"))
        sim.schedule(
            205_000_000,
            Arrive("beacon", "dds", 1, cdr.encode(m.Twist(m.Vector3(speed))), "/b/cmd_vel"),
        )
        sim.schedule(300_000_000, Arrive("beacon", "dds", 1, b"\0\1\0\0garbage", "/b/cmd_vel"))
        sim.run(1.0)
        recorder.close()
    assert sim.core.links.by_port["beacon", "dds"].keys() == {1}  # garbage is no reason to hang up
    return path


@pytest.fixture
def tape(tmp_path):
    return take(tmp_path / "a.mcap")


def test_another_library_reads_the_topics(tape):
    found = {topic: [] for topic in TOPICS}
    reader = make_reader(io.BytesIO(tape.read_bytes()), decoder_factories=[DecoderFactory()])
    for _, channel, message, decoded in reader.iter_decoded_messages(topics=TOPICS):
        found[channel.topic].append((message.log_time, decoded))
    assert {topic: len(messages) for topic, messages in found.items()} == {
        "/b/imu": 100, "/b/gps": 10, "/b/scan": 10, "/b/cmd_vel": 1, "/b/home": 1,
    }  # fmt: skip
    imu = found["/b/imu"][20][1]
    assert (imu.header.frame_id, imu.header.stamp.nanosec) == ("base_link", 210_000_000)
    assert (imu.angular_velocity.x, list(imu.orientation_covariance)) == (0.75, [0.25, *[0.0] * 8])
    assert found["/b/imu"][20][0] == 210_000_000
    assert list(found["/b/scan"][0][1].ranges) == list(range(360))
    assert found["/b/gps"][0][1].status.status == -1
    assert found["/b/cmd_vel"][0][1].linear.x == 0.75


def test_schemas_are_those_of_ros(tape):
    summary = make_reader(io.BytesIO(tape.read_bytes())).get_summary()
    kinds = {
        channel.topic: summary.schemas[channel.schema_id] for channel in summary.channels.values()
    }
    assert (kinds["/b/imu"].name, kinds["/b/imu"].encoding) == ("sensor_msgs/msg/Imu", "ros2msg")
    assert {
        channel.message_encoding for channel in summary.channels.values() if channel.topic in TOPICS
    } == {"cdr"}


def test_a_replay_is_the_same(tape):
    again = verify(tape)
    assert (again.difference, again.cut) == (None, False)
    assert again.records > 120


def test_a_difference_is_named_by_topic_and_field(tape, tmp_path):
    other = take(tmp_path / "b.mcap", speed=0.5)
    out = [
        [record for record in Recording.open(path) if record.direction == "out"]
        for path in (tape, other)
    ]
    difference = compare(*out)
    assert str(difference) == (
        "robot beacon, port dds (out), topic /b/imu, at 0.210000 s, field "
        "message.angular_velocity.x: 0.75 against 0.5"
    )


def test_records_know_where_they_belong(tape):
    records = list(Recording.open(tape))
    imu = next(record for record in records if record.subject == "/b/imu")
    assert (imu.robot, imu.port, imu.direction) == ("beacon", "dds", "out")
    assert imu.wire() == (imu.data, "/b/imu")
    assert imu.fields()["message"]["header"]["frame_id"] == "base_link"
    heard = [record for record in records if record.direction == "heard"]
    assert [record.subject for record in heard] == ["/b/cmd_vel"]  # and nothing of the garbage


def stamp_ns(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


def test_a_recording_becomes_a_ros_2_bag(tmp_path):
    sim = open_target("rover", ["publish_clock=true"], 1, collect=False).simulation
    file, folder = tmp_path / "run.mcap", tmp_path / "bag"
    with file.open("wb") as stream:
        recorder = Recorder(sim, stream)
        sim.apply(SetInput("rover", "epoch_s", 1.7e9))
        sim.apply(Connect("rover", "dds", 1, "peer", "here"))
        twist = cdr.encode(m.Twist(m.Vector3(0.5)))
        sim.schedule(55_000_000, Arrive("rover", "dds", 1, twist, "/cmd_vel"))
        sim.run(0.3)
        sim.inject("rover", "dds", "corrupt", probability=1.0)
        sim.run(0.1)
        recorder.close()
    bag = export(Recording.open(file), folder)
    assert bag.corrupt > 0
    found = {}
    with AnyReader([folder]) as reader:
        assert {each.msgtype for each in reader.connections if each.topic == "/tf"} == {
            "tf2_msgs/msg/TFMessage"
        }
        durability = {
            each.topic: each.ext.offered_qos_profiles[0].durability.name
            for each in reader.connections
        }
        for connection, time_ns, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            found.setdefault(connection.topic, []).append((time_ns, message))
        assert (reader.message_count, reader.start_time) == (bag.messages, bag.first_ns)
    assert found.keys() == {
        "/imu", "/gps", "/enc_vel", "/ground_truth", "/odom/ground_truth", "/cmd_vel", "/clock",
        "/tf", "/tf_static", "/rosout",
    }  # fmt: skip
    for topic in ("/imu", "/gps", "/enc_vel", "/ground_truth"):
        assert all(time_ns == stamp_ns(each.header.stamp) for time_ns, each in found[topic])
    assert all(at == stamp_ns(each.transforms[0].header.stamp) for at, each in found["/tf"])
    assert all(at == stamp_ns(each.clock) for at, each in found["/clock"])
    (commanded, command), *_ = found["/cmd_vel"]
    assert (commanded, command.linear.x) == (1_700_000_000_055_000_000, 0.5)
    assert (durability["/tf_static"], durability["/imu"]) == ("TRANSIENT_LOCAL", "VOLATILE")
    with pytest.raises(InputError, match="exists already"):
        export(Recording.open(file), folder)


def test_a_bag_has_the_static_transforms_without_any_peer(tmp_path):
    sim = open_target("rover", [], 1, collect=False).simulation
    (tmp_path / "run.mcap").write_bytes(record_to_bytes(sim, 0.1))
    bag = export(Recording.open(tmp_path / "run.mcap"), tmp_path / "bag")
    assert [topic.messages for topic in bag.topics.values() if topic.name == "/tf_static"] == [1]


def test_a_recording_without_ros_topics_is_no_bag(tmp_path):
    sim = open_target("pacbot", [], 1, collect=False).simulation
    (tmp_path / "run.mcap").write_bytes(record_to_bytes(sim, 0.1))
    with pytest.raises(InputError, match="no ROS topics"):
        export(Recording.open(tmp_path / "run.mcap"), tmp_path / "bag")
    assert not (tmp_path / "bag").exists()
