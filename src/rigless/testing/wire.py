"""Checks of codecs: chunking does not matter, and no bytes break a robot."""

from itertools import pairwise
from typing import Any

from rigless.kernel import inputs as inp
from rigless.kernel.plain import pack, unpack
from rigless.kernel.ports import Port, WireError
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.testing.exercise import (
    BROKEN,
    connect,
    decoded,
    feed,
    input_ports,
    one_by_one,
    random_numbers,
    samples,
)
from rigless.testing.subject import Subject

TRIES = 30  # of each random check
FLOODS = (b"", b"\0" * 65536, b"\xff" * 65536, b"9" * 65536, b"\n" * 5000, b'{"a":' * 5000)


def codec_finds_the_same_in_any_pieces(subject: Subject) -> None:
    """Check it also with a snapshot between two pieces: pending bytes are plain data."""
    _, robot = subject.load()
    streams = [sample for sample in samples(subject, robot) if sample.port.kind == "stream"]
    rng = random_numbers("pieces")
    for _ in range(TRIES if streams else 0):
        sample, other = (streams[int(n)] for n in rng.integers(0, len(streams), 2))
        both = sample.data + other.data
        cut = int(rng.integers(0, len(both) + 1))
        expected = decoded(sample.port, [both])
        assert decoded(sample.port, [both[:cut], both[cut:]]) == expected, f"cut at {cut}: {both!r}"
        assert decoded(sample.port, one_by_one(both)) == expected, f"byte by byte: {both!r}"
        codec = sample.port.codec()
        first = decoded(sample.port, [both[:cut]], codec=codec)
        codec = unpack(pack(codec), type(codec))
        rest = [] if BROKEN in first else decoded(sample.port, [both[cut:]], codec=codec)
        assert first + rest == expected, f"snapshot of the codec at {cut}: {both!r}"


def received(subject: Subject, index: int, cuts: list[int]) -> list[str]:
    """Return the messages that a sample gives if it arrives in parts, with time between them."""
    sim, robot = subject.load()
    sample, messages, dispatch = samples(subject, robot)[index], [], sim.core.dispatch

    def note(owner: Any, message: Any, link: Any, optional: bool = False) -> None:
        messages.append(repr(message))
        dispatch(owner, message, link, optional)

    sim.core.dispatch = note  # type: ignore
    link = connect(sim, robot)[sample.port.name]
    for begin, end in pairwise([0, *cuts, len(sample.data)]):
        sim.apply(
            inp.Arrive(robot.name, sample.port.name, link, sample.data[begin:end], sample.subject)
        )
        sim.run(0.2)
    return messages


def incomplete_message_is_waited_for(subject: Subject) -> None:
    for index, sample in enumerate(samples(subject, subject.load()[1])):
        if sample.port.kind == "stream":
            expected = received(subject, index, [])
            for cut in (1, len(sample.data) // 2, len(sample.data) - 1):
                assert received(subject, index, [cut]) == expected, f"cut at {cut}: {sample}"


def every_input_port_has_samples(subject: Subject) -> None:
    _, robot = subject.load()
    given = samples(subject, robot)
    for sample in given:
        assert decoded(sample.port, [sample.data], sample.subject) is not None
    for port in input_ports(robot):
        assert any(sample.port == port for sample in given), port.name


def messages_are_encoded_the_same_each_time(subject: Subject) -> None:
    sim, robot = subject.load(collect=True)
    end_ns = feed(sim, robot, subject)
    sim.run_until(end_ns + 2_000_000_000)
    sent = [(port, sim.take(robot.name, port.name)) for port in robot.ports]
    assert any(messages for _, messages in sent), (
        f"the robot sent nothing; give it golden inputs that it answers: {subject.golden}"
    )
    for port, messages in sent:
        first, second = port.codec(), port.codec()
        for message in messages:
            wire = first.encode(message)
            assert wire == second.encode(message), message
            name, data = wire if port.kind == "message" else ("", wire)
            assert (type(name), type(data)) == (str, bytes), message


def mutate(data: bytes, rng: Any) -> bytes:
    """Return the bytes with some changed, inserted, removed and repeated."""
    for _ in range(int(rng.integers(1, 7))):
        at, byte = int(rng.integers(0, len(data) + 1)), int(rng.integers(0, 256))
        match int(rng.integers(0, 4)):
            case 0:
                data = data[:at] + bytes([byte]) + data[at + 1 :]
            case 1:
                data = data[:at] + bytes([byte]) * (byte % 5) + data[at:]
            case 2:
                data = data[:at] + data[at + 1 + byte % 8 :]
            case _:
                data = data[:at] + data[at // 2 :]
    return data


def survives(
    sim: Simulation, robot: Robot, port: Port, pieces: list[bytes], subject: str = ""
) -> None:
    """Assert that the robot goes on. If it closes the connection, it logs why and accepts again."""
    link = connect(sim, robot)[port.name]
    for piece in pieces:
        sim.apply(inp.Arrive(robot.name, port.name, link, piece, subject))
        sim.run(0.02)
    sim.run(0.1)
    links = sim.core.links.by_port[robot.name, port.name]
    sim.apply(inp.Connect(robot.name, port.name, 77, "10.0.0.8:1", "10.0.0.1:1"))
    sim.run(0.01)
    sim.snapshot().to_bytes()
    assert 77 in links or any(event.severity != "debug" for event in sim.events)


def random_bytes_are_survived(subject: Subject) -> None:
    rng = random_numbers("random bytes")
    for _ in range(TRIES):
        sim, robot = subject.restored()
        ports = input_ports(robot)
        if not ports:
            return
        names = ["", "sample", "a/b", "ü", *(one.subject for one in samples(subject, robot))]
        pieces = [rng.bytes(int(rng.integers(0, 201))) for _ in range(int(rng.integers(1, 5)))]
        port = ports[int(rng.integers(0, len(ports)))]
        survives(sim, robot, port, pieces, names[int(rng.integers(0, len(names)))])


def mutated_samples_are_survived(subject: Subject) -> None:
    rng = random_numbers("mutated samples")
    for _ in range(TRIES):
        sim, robot = subject.restored()
        given = samples(subject, robot)
        if not given:
            return
        sample = given[int(rng.integers(0, len(given)))]
        pieces = [mutate(sample.data, rng), sample.data]
        survives(sim, robot, sample.port, pieces, sample.subject)


def floods_are_survived(subject: Subject) -> None:
    for data in FLOODS:
        sim, robot = subject.restored()
        for port in input_ports(robot):
            survives(sim, robot, port, [data])


def codec_raises_only_wire_errors(subject: Subject) -> None:
    _, robot = subject.load()
    for port in input_ports(robot):
        for sample in samples(subject, robot):
            for junk in (sample.data[::-1], bytes(range(256)), sample.data[1:] + b"\xc3\x28"):
                try:
                    list(port.codec().decode(junk, *([""] if port.kind == "message" else [])))
                except WireError as error:
                    if not str(error):
                        raise AssertionError("a WireError without a text") from error


CHECKS = (
    codec_finds_the_same_in_any_pieces,
    incomplete_message_is_waited_for,
    every_input_port_has_samples,
    messages_are_encoded_the_same_each_time,
    random_bytes_are_survived,
    mutated_samples_are_survived,
    floods_are_survived,
    codec_raises_only_wire_errors,
)
