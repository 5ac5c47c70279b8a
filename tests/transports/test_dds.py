"""ROS topics over DDS: peers, both directions, late joiners and the ROS graph."""

import asyncio
import gc
import struct
import time
from contextlib import asynccontextmanager

import pytest
from cyclonedds.builtin import (
    BuiltinDataReader,
    BuiltinTopicDcpsParticipant,
    BuiltinTopicDcpsPublication,
)
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic as DdsTopic

import reserved
from rigless.ros import cdr
from rigless.ros import messages as m
from rigless.ros import parameter_services as ps
from rigless.ros.codec import ros_port
from rigless.ros.graph import DISCOVERY, ParticipantEntitiesInfo
from rigless.ros.topics import Node, Topic
from rigless.ros.types import type_hash
from rigless.transports import dds
from rigless.transports.cyclone import services
from rigless.transports.transport import ALL

from .inboxes import Diary, until
from .ros_peers import Peer, taken, write

TOPICS = (
    Topic("imu", m.Imu, "out"),
    Topic("scan", m.LaserScan, "out", reliable=False),
    Topic("/tf_static", m.TFMessage, "out", transient_local=True, depth=1),
    Topic("cmd_vel", m.Twist, "in"),
    Topic("/map_static", m.TFMessage, "in", transient_local=True, depth=100),
)
IMU = cdr.encode(m.Imu(m.Header(m.Time(3, 4), "imu_link"), m.Quaternion(0.1, 0.2, 0.3, 0.4)))
GO = m.Twist(m.Vector3(0.5))
STATIC = [
    cdr.encode(m.TFMessage((m.TransformStamped(child_frame_id=name),))) for name in ("a", "b")
]


@pytest.fixture(autouse=True)
def loopback(monkeypatch):
    for name in (
        "ROS_DOMAIN_ID",
        "ROS_LOCALHOST_ONLY",
        "ROS_AUTOMATIC_DISCOVERY_RANGE",
        "ROS_STATIC_PEERS",
        "CYCLONEDDS_URI",
        "RMW_IMPLEMENTATION",
    ):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def on_the_air(domain, namespace="/", name="robot"):
    inbox = Diary()
    node = Node(name, TOPICS, namespace, parameters={"gps.rate_hz": 10.0, "level": 3})
    transport = dds.Transport(ros_port(node), inbox)
    assert await transport.open(f"domain/{domain}") == f"dds://domain/{domain}"
    try:
        yield transport, inbox
    finally:
        await transport.close()


def scene(play):
    async def bounded():
        async with asyncio.timeout(110):
            await play(reserved.domain())

    asyncio.run(bounded())
    gc.collect()


def received(inbox):
    return [report[1:] for report in inbox.reports if report[0] == "received"]


@pytest.mark.parametrize("reliable", [True, False])
def test_a_reader_hears_what_is_sent(reliable):
    async def play(domain):
        async with on_the_air(domain, "r1") as (transport, inbox):
            reader = Peer(domain).reader("rt/r1/imu", m.Imu, reliable=reliable)
            await until(lambda: inbox.reports and reader.get_matched_publications(), "match")
            got = []
            transport.send(ALL, IMU, "/r1/imu")
            await until(lambda: got.extend(taken(reader)) or got, "sample")
            assert got == [IMU]

    scene(play)


def test_best_effort_does_not_serve_who_wants_reliable():
    async def play(domain):
        async with on_the_air(domain):
            peer = Peer(domain)
            peer.reader("rt/scan", m.LaserScan, reliable=True)
            fair = peer.reader("rt/scan", m.LaserScan, reliable=False)
            await until(lambda: fair.get_matched_publications(), "match")
            assert peer.endpoints[0].get_matched_publications() == []

    scene(play)


def test_peers_are_links_and_what_they_say_is_theirs():
    async def play(domain):
        async with on_the_air(domain) as (_, inbox):
            peers = [
                Peer(domain) for _ in range(4)
            ]  # handles have all 64 bits: half of them would be negative
            writers = [peer.writer("rt/cmd_vel", m.Twist) for peer in peers]
            await until(lambda: inbox.kinds().count("connected") == 4, "four links")
            for number, writer in enumerate(writers):
                await until(lambda writer=writer: writer.get_matched_subscriptions(), "match")
                write(writer, m.Twist, m.Twist(m.Vector3(float(number))))
            await until(lambda: len(received(inbox)) == 4, "four messages")
            guids = {str(peer.participant.guid): number for number, peer in enumerate(peers)}
            owner = {
                report[1]: guids[report[2]] for report in inbox.reports if report[0] == "connected"
            }
            for link, data, subject in received(inbox):
                assert subject == "/cmd_vel"
                assert cdr.decode(m.Twist, data).linear.x == owner[link]

    scene(play)


def test_who_goes_is_gone_after_what_it_said():
    async def play(domain):
        async with on_the_air(domain) as (transport, inbox):
            peer = Peer(domain)
            writer = peer.writer("rt/cmd_vel", m.Twist)
            await until(lambda: inbox.reports and writer.get_matched_subscriptions(), "match")
            write(writer, m.Twist, GO)
            writer = peer.leave()
            await until(lambda: "disconnected" in inbox.kinds(), "gone")
            assert inbox.kinds() == ["connected", "received", "disconnected"]
            assert transport.links == {}

    scene(play)


def test_a_peer_that_comes_and_speaks_while_it_is_looked_who_is_there_is_heard():
    class Late:
        """A reader before discovery."""

        def __init__(self, reader):
            self._reader = reader

        def __getattr__(self, name):
            return getattr(self._reader, name)

        def take_status(self, _):
            return 0

    async def play(domain):
        async with on_the_air(domain) as (transport, inbox):
            inlet = next(inlet for inlet in transport._inlets if inlet.subject == "/cmd_vel")
            reader, inlet.entity = inlet.entity, Late(inlet.entity)
            writer = Peer(domain).writer("rt/cmd_vel", m.Twist)
            await until(lambda: writer.get_matched_subscriptions(), "match")
            write(writer, m.Twist, GO)
            await until(lambda: received(inbox), "what it says")
            assert inbox.kinds() == ["connected", "received"]
            inlet.entity = reader

    scene(play)


def test_what_nobody_reads_is_not_written():
    async def play(domain):
        async with on_the_air(domain) as (transport, _):
            written = []
            outlet = transport._outlets["/imu"]
            outlet.sample = lambda data, make=outlet.sample: written.append(data) or make(data)
            transport.send(ALL, IMU, "/imu")
            assert written == []
            reader = Peer(domain).reader("rt/imu", m.Imu)
            await until(lambda: outlet.readers, "match")
            transport.send(ALL, IMU, "/imu")
            assert (written, len(reader.get_matched_publications())) == ([IMU], 1)

    scene(play)


def test_a_message_of_a_peer_that_left_at_once_is_received():
    async def play(domain):
        async with on_the_air(domain) as (transport, inbox):
            peer = Peer(domain)
            writer = peer.writer("rt/cmd_vel", m.Twist)
            (inlet,) = (one for one in transport._inlets if one.subject == "/cmd_vel")
            # The loop of the transport is blocked meanwhile.
            wait_blocking(writer.get_matched_subscriptions)
            wait_blocking(inlet.entity.get_matched_publications)
            write(writer, m.Twist, GO)
            assert writer.wait_for_acks(60 * 10**9)
            del writer
            peer.leave()
            wait_blocking(lambda: not inlet.entity.get_matched_publications())
            await until(lambda: received(inbox), "the message")
            await until(lambda: inbox.reports[-1][0] == "disconnected", "the end of its link")
            assert [report[0] for report in inbox.reports] == [
                "connected",
                "received",
                "disconnected",
            ]

    scene(play)


def wait_blocking(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_late_joiners_get_what_is_kept_and_nobody_gets_it_twice():
    async def play(domain):
        async with on_the_air(domain) as (transport, _):
            transport.send(ALL, STATIC[0], "/tf_static")  # before anybody is there
            peer, got = Peer(domain), []
            reader = peer.reader("rt/tf_static", m.TFMessage, kept=True)
            await until(lambda: got.extend(taken(reader)) or got, "what was said before")
            transport.send(ALL, STATIC[0], "/tf_static")
            transport.send(ALL, STATIC[1], "/tf_static")
            await until(lambda: got.extend(taken(reader)) or len(got) > 1, "what is new")
            assert got == STATIC
            late, later = Peer(domain).reader("rt/tf_static", m.TFMessage, kept=True), []
            await until(lambda: later.extend(taken(late)) or later, "the newest")
            assert later == STATIC[1:]

    scene(play)


def test_it_is_a_late_joiner_itself():
    async def play(domain):
        async with on_the_air(domain):  # so that the domain has the transport's settings
            peer = Peer(domain)
            writer = peer.writer("rt/map_static", m.TFMessage, kept=True)
            for static in STATIC:
                write(writer, m.TFMessage, static)
            async with on_the_air(domain, "/later") as (_, inbox):
                await until(lambda: len(received(inbox)) == 2, "what was said before it came")
                assert [data for _, data, _ in received(inbox)] == STATIC

    scene(play)


def test_what_a_fault_spoiled_is_lost_and_counted():
    """Cyclone rejects samples of a wrong type on both sides; the robot goes on."""

    async def play(domain):
        async with on_the_air(domain) as (transport, inbox):
            reader, got = Peer(domain).reader("rt/imu", m.Imu), []
            await until(lambda: transport._outlets["/imu"].readers, "match")
            for data in (IMU[:-8], b"\xff" * 8, b"", IMU):
                transport.send(ALL, data, "/imu")
            await until(lambda: got.extend(taken(reader)) or got, "the good one")
            assert (got, inbox.drops) == ([IMU], [1, 1, 1])

    scene(play)


def test_who_was_hung_up_on_is_a_peer_again_later(monkeypatch):
    monkeypatch.setattr(dds, "RETURN_S", 0.02)

    async def play(domain):
        async with on_the_air(domain) as (transport, inbox):
            writer = Peer(domain).writer("rt/cmd_vel", m.Twist)
            await until(lambda: inbox.reports and writer.get_matched_subscriptions(), "match")
            transport.close_link(inbox.reports[0][1])
            write(writer, m.Twist, GO)
            await until(lambda: inbox.kinds().count("connected") == 2, "back")
            write(writer, m.Twist, GO)
            await until(lambda: received(inbox), "heard again")
            assert {link for link, _, _ in received(inbox)} == {2}

    scene(play)


def test_the_graph_is_told_of_every_node():
    async def play(domain):
        peer, told = Peer(domain), []
        reader = peer.reader(DISCOVERY, ParticipantEntitiesInfo, kept=True, depth=1)

        def nodes():
            told.extend(cdr.decode(ParticipantEntitiesInfo, data) for data in taken(reader))
            return (
                {(node.node_namespace, node.node_name) for node in told[-1].node_entities_info_seq}
                if told
                else set()
            )

        async with on_the_air(domain) as (first, _):
            async with on_the_air(domain, "r2", "second") as (second, _):
                assert first._participant is second._participant
                await until(lambda: nodes() == {("/", "robot"), ("/r2", "second")}, "both")
                for node in told[-1].node_entities_info_seq:
                    assert (len(node.reader_gid_seq), len(node.writer_gid_seq)) == (2, 3)
                mine = {outlet.entity.guid.bytes for outlet in first._outlets.values()}
                assert {
                    gid.data for gid in told[-1].node_entities_info_seq[0].writer_gid_seq
                } == mine
                assert told[-1].gid.data == first._participant.participant.guid.bytes
            await until(lambda: nodes() == {("/", "robot")}, "one has gone")

    scene(play)


def test_endpoints_carry_the_hash_of_their_type():
    async def play(domain):
        async with on_the_air(domain) as (transport, _):
            peer = Peer(domain)
            publications = BuiltinDataReader(peer.participant, BuiltinTopicDcpsPublication)
            participants = BuiltinDataReader(peer.participant, BuiltinTopicDcpsParticipant)
            found, people = {}, []

            def look():
                found.update({sample.topic_name: sample for sample in publications.take(50)})
                people.extend(participants.take(50))
                return "rt/imu" in found

            await until(look, "the publication")
            assert found["rt/imu"].type_name == "sensor_msgs::msg::dds_::Imu_"
            data = found["rt/imu"].qos[Policy.Userdata].data
            assert data == f"typehash={type_hash(m.Imu)};".encode()
            own = transport._participant.participant.guid
            assert [one.qos[Policy.Userdata].data for one in people if one.key == own] == [
                b"enclave=/;"
            ]

    scene(play)


def test_the_last_one_out_takes_the_participant_along():
    async def play(domain):
        async with on_the_air(domain) as (transport, _):
            gone = str(transport._participant.participant.guid)
        async with on_the_air(domain) as (transport, _):
            assert str(transport._participant.participant.guid) != gone

    scene(play)


class Client:
    """A client of a parameter service, as Cyclone's ROS layer has it: an id before the payload."""

    def __init__(self, peer, node, service):
        self.service = next(each for each in ps.SERVICES if each.name == service)
        asked, replied = services.topic_names(node, service)
        parts = ("Request", self.service.request), ("Response", self.service.response)
        self.request, response = (
            services.service_type(self.service.type, part, kind) for part, kind in parts
        )
        self.writer = DataWriter(
            peer.participant, DdsTopic(peer.participant, asked, self.request), peer.quality()
        )
        self.reader = DataReader(
            peer.participant, DdsTopic(peer.participant, replied, response), peer.quality()
        )

    def ready(self):
        return self.writer.get_matched_subscriptions() and self.reader.get_matched_publications()

    async def call(self, request, number=7):
        data = cdr.encode(request)
        request_id = struct.pack("<QQ", 0xABCDEF, number)
        self.writer.write(self.request.of(data[:4] + request_id + data[4:]))
        got = []
        await until(lambda: got.extend(taken(self.reader)) or got, "reply")
        (reply,) = got
        assert reply[4:20] == request_id
        return cdr.decode(self.service.response, reply[:4] + reply[20:])


def test_parameter_services_for_cyclones_ros_layer(monkeypatch):
    async def play(domain):
        monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp")
        async with on_the_air(domain, "r1") as (transport, inbox):
            peer, node = Peer(domain), transport.node
            clients = {each.name: Client(peer, node, each.name) for each in ps.SERVICES}
            for client in clients.values():
                await until(client.ready, "match")
            listed = await clients["list_parameters"].call(ps.ListRequest())
            assert listed.result == ps.ListParametersResult(("gps.rate_hz", "level"), ("gps",))
            below = await clients["list_parameters"].call(ps.ListRequest(("gps",), 1), 8)
            assert below.result.names == ("gps.rate_hz",)
            names = ps.Names(("level", "gps.rate_hz", "nothing"))
            values = (await clients["get_parameters"].call(names)).values
            assert [(each.type, each.integer_value, each.double_value) for each in values] == [
                (ps.INTEGER, 3, 0.0),
                (ps.DOUBLE, 0, 10.0),
                (ps.NOT_SET, 0, 0.0),
            ]
            types = await clients["get_parameter_types"].call(names)
            assert tuple(types.types) == (ps.INTEGER, ps.DOUBLE, ps.NOT_SET)
            described = await clients["describe_parameters"].call(names)
            assert [(each.name, each.read_only) for each in described.descriptors][:1] == [
                ("level", True)
            ]
            wanted = ps.SetRequest((ps.Parameter("level", ps.value_message(4)),))
            (refused,) = (await clients["set_parameters"].call(wanted)).results
            assert refused == ps.SetParametersResult(
                False, "level: it is read-only; restart with --set"
            )
            assert not (await clients["set_parameters_atomically"].call(wanted)).result.successful
            assert inbox.kinds() == []  # a client of services is not a peer of the robot
            listing = clients["list_parameters"].service
            for bad in (b"", b"\0\1\0\0", b"\0\1\0\0" + bytes(16) + b"\xff" * 8, bytes(200)):
                reply = services.answer(listing, node, bad)
                assert reply is None or len(reply) > 20

    scene(play)


def test_there_are_no_services_for_other_middleware():
    async def play(domain):
        async with on_the_air(domain) as (transport, _):
            assert transport._services is None

    scene(play)
