"""Codecs do the same however bytes come, and no bytes hurt a robot."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rigless.kernel import inputs as inp
from rigless.kernel.plain import pack, unpack
from rigless.kernel.ports import WireError

from .exercise import connect, decoded, feed, in_ports, load, one_by_one, samples

BUDGET = settings(max_examples=30, deadline=None, derandomize=True)


@BUDGET
@given(data=st.data())
def test_a_codec_finds_the_same_in_any_pieces(target, data):
    """Also when a snapshot is taken between two pieces: what is pending is kept, and is plain data."""
    _, robot = load(target)
    streams = [sample for sample in samples(robot) if sample.port.kind == "stream"]
    if not streams:  # a datagram comes whole
        return
    sample = data.draw(st.sampled_from(streams))
    both = sample.data + data.draw(st.sampled_from(streams)).data
    cut = data.draw(st.integers(0, len(both)))
    wanted = decoded(sample.port, [both])
    assert decoded(sample.port, [both[:cut], both[cut:]]) == wanted
    assert decoded(sample.port, one_by_one(both)) == wanted
    codec = sample.port.codec()
    first = decoded(sample.port, [both[:cut]], codec=codec)
    codec = unpack(pack(codec), type(codec))
    rest = [] if "hung up" in first else decoded(sample.port, [both[cut:]], codec=codec)
    assert first + rest == wanted


def messages(target, index, cuts):
    """The messages that reach a robot when a sample comes in these parts, with time between them."""
    sim, robot = load(target)
    sample, reached, dispatch = samples(robot)[index], [], sim.dispatch

    def note(owner, message, link, optional=False):
        reached.append(message)
        dispatch(owner, message, link, optional)

    sim.dispatch = note
    link = connect(sim, robot)[sample.port.name]
    for begin, end in zip([0, *cuts], [*cuts, len(sample.data)], strict=True):
        sim.apply(
            inp.Arrive(robot.name, sample.port.name, link, sample.data[begin:end], sample.subject)
        )
        sim.run(0.2)
    return [repr(message) for message in reached]


def test_what_is_cut_short_is_waited_for(target):
    for index, sample in enumerate(samples(load(target)[1])):
        if sample.port.kind == "stream":
            for cut in (1, len(sample.data) // 2, len(sample.data) - 1):
                assert messages(target, index, [cut]) == messages(target, index, [])


def test_the_samples_mean_something_to_the_robot(target):
    """Else the tests above compare nothing: where a robot has goldens, each port's are understood."""
    _, robot = load(target)
    for sample in samples(robot):
        assert decoded(sample.port, [sample.data], sample.subject) is not None
    for port in in_ports(robot):
        assert any(sample.port == port for sample in samples(robot))


def test_what_is_said_is_encoded_the_same_each_time(target):
    sim, robot = load(target, collect=True)
    end_ns = feed(sim, robot)
    sim.run_until(end_ns + 2_000_000_000)
    said = [(port, sim.take(robot.name, port.name)) for port in robot.ports]
    assert any(messages for _, messages in said)
    for port, messages in said:
        first, second = port.codec(), port.codec()
        for message in messages:
            wire = first.encode(message)
            assert wire == second.encode(message)
            subject, data = wire if port.kind == "message" else ("", wire)
            assert (type(subject), type(data)) == (str, bytes)


def mutate(data: bytes, places: list[tuple[int, int, int]]) -> bytes:
    """Bytes changed, put in, taken out and repeated."""
    for what, where, byte in places:
        at = where % (len(data) + 1)
        match what:
            case 0:
                data = data[:at] + bytes([byte]) + data[at + 1 :]
            case 1:
                data = data[:at] + bytes([byte]) * (byte % 5) + data[at:]
            case 2:
                data = data[:at] + data[at + 1 + byte % 8 :]
            case _:
                data = data[:at] + data[at // 2 :]
    return data


PLACES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5000), st.integers(0, 255)), min_size=1, max_size=6
)
_ready = {}


def ready(target):
    """A simulation of the robot as new; made once, as building one may take long."""
    if target not in _ready:
        sim, _ = load(target)
        _ready[target] = sim, sim.snapshot()
    sim, fresh = _ready[target]
    sim.restore(fresh)
    sim.events.clear()
    return sim, next(iter(sim.robots.values()))


def survives(sim, robot, port, pieces, subject):
    """The robot lives on; if it hangs up, it says why and takes the next call."""
    link = connect(sim, robot)[port.name]
    for piece in pieces:
        sim.apply(inp.Arrive(robot.name, port.name, link, piece, subject))
        sim.run(0.02)
    sim.run(0.1)
    links = sim.links.by_port[robot.name, port.name]
    sim.apply(inp.Connect(robot.name, port.name, 77, "10.0.0.8:1", "10.0.0.1:1"))
    sim.run(0.01)
    sim.snapshot().to_bytes()
    assert 77 in links or any(event.severity != "debug" for event in sim.events)


@BUDGET
@given(data=st.data())
def test_random_bytes_are_survived(target, data):
    sim, robot = ready(target)
    ports = in_ports(robot)
    assume(ports)
    port = data.draw(st.sampled_from(ports))
    subjects = st.sampled_from([sample.subject for sample in samples(robot)] or [""]) | st.text(
        max_size=10
    )
    pieces = data.draw(st.lists(st.binary(max_size=200), min_size=1, max_size=4))
    survives(sim, robot, port, pieces, data.draw(subjects))


@BUDGET
@given(data=st.data())
def test_mutated_samples_are_survived(target, data):
    sim, robot = ready(target)
    assume(samples(robot))
    sample = data.draw(st.sampled_from(samples(robot)))
    pieces = [mutate(sample.data, data.draw(PLACES)), sample.data]
    survives(sim, robot, sample.port, pieces, sample.subject)


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 65536, b"\xff" * 65536, b"9" * 65536, b"\n" * 5000, b'{"a":' * 5000]
)
def test_a_lot_of_one_thing_is_survived(target, data):
    sim, robot = ready(target)
    for port in in_ports(robot):
        survives(sim, robot, port, [data], "")


def test_a_codec_raises_nothing_but_wire_errors(target):
    _, robot = load(target)
    for port in in_ports(robot):
        for sample in samples(robot):
            for junk in (sample.data[::-1], bytes(range(256)), sample.data[1:] + b"\xc3\x28"):
                try:
                    list(port.codec().decode(junk, *([""] if port.kind == "message" else [])))
                except WireError as error:
                    assert str(error)  # noqa: PT017  # any other error fails the test
