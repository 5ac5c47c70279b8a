from math import inf, nan

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.ports import Connected, Disconnected, Link, Port
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import VirtualInput
from rigless.kernel.simulation import Simulation

from .robots import Counter, Diary
from .wires import Add, Beat, Later, LineCodec, Odd, Total

S = 10**9


def test_the_clock_never_steps_back_for_an_input_stamped_in_the_past():
    sim = Simulation([Diary("d")])
    sim.run(1)
    try:
        sim.schedule(5, inp.Send("d", "line", "Add", {}))
    except (ValueError, InputError):
        return  # to refuse it is as good
    sim.run(0)
    times = [at for at, _ in sim.truth("d").entries]
    assert times == sorted(times)


@pytest.mark.parametrize(
    "message", [Add(3), {"type": "Add", "amount": 3}, {"type": "Add", "amount": "3"}, b"add 3\n"]
)
def test_a_message_can_be_sent_as_object_dict_or_bytes(message):
    sim = Simulation([Counter("c")])
    sim.send("c", "line", message)
    assert sim.truth("c").total == 3
    assert sim.take("c", "line") == [Total(3)]


def test_bytes_sent_in_pieces_are_one_stream():
    sim = Simulation([Counter("c")])
    for piece in (b"ad", bytearray(b"d 4"), memoryview(b"\nadd 5\nad")):
        sim.send("c", "line", piece)
    assert sim.truth("c").total == 9


def test_inputs_told_to_listeners_are_enough_to_do_it_again():
    sim, heard = Simulation([Counter("c")]), []
    sim.core.listeners.input.append(lambda at, given, source: heard.append((at, given, source)))
    sim.run(0.5)
    sim.send("c", "line", Later(0.1, 2))
    sim.send("c", "line", b"add 3\n")
    sim.set_input("c", "load", 2)
    assert [(at, type(given), source) for at, given, source in heard] == [
        (S // 2, kind, "live") for kind in (inp.Send, inp.Connect, inp.Arrive, inp.SetInput)
    ]
    again = Simulation([Counter("c")])
    for at, what, source in heard:
        again.schedule(at, what, source)
    sim.run(1)
    again.run_until(sim.now_ns)
    assert again.snapshot() == sim.snapshot()


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda sim: sim.send("x", "line", Add()), "unknown robot 'x' (choose from: c)"),
        (lambda sim: sim.send("c", "lime", Add()), "c: unknown port 'lime' (did you mean 'line'?)"),
        (lambda sim: sim.take("c", "lime"), "did you mean 'line'?"),
        (
            lambda sim: sim.send("c", "line", {"type": "Ad"}),
            "unknown message type 'Ad' (did you mean 'Add'?)",
        ),
        (lambda sim: sim.send("c", "line", Odd("")), "unknown message type 'Odd'"),
        (lambda sim: sim.send("c", "line", {"amount": 1}), "unknown message type ''"),
        (lambda sim: sim.send("c", "line", None), "unknown message type 'NoneType'"),
        (lambda sim: sim.send("c", "line", 5), "unknown message type 'int'"),
        (lambda sim: sim.send("c", "line", len), "has no JSON form (give a message object, a"),
        (lambda sim: sim.send("c", "line", {"type": "Add", "amount": "x"}), "(its fields: amount)"),
        (lambda sim: sim.send("c", "line", {"type": "Later"}), "missing required field `seconds`"),
        (lambda sim: sim.send("c", "line", {"type": "Add", "amuont": 2}), "amuont"),
        (
            lambda sim: sim.set_input("c", "buton", True),
            "c: unknown input 'buton' (did you mean 'button'?)",
        ),
        (
            lambda sim: sim.set_input("c", "button", 1),
            "c button: 1 is not bool (for example False)",
        ),
        (lambda sim: sim.set_input("c", "gear", True), "True is not int"),
        (lambda sim: sim.set_input("c", "gear", 8), "c gear: 8 is out of range (0 to 7)"),
        (lambda sim: sim.set_input("c", "gear", -1), "-1 is out of range"),
        (lambda sim: sim.set_input("c", "load", True), "True is not float"),
        (lambda sim: sim.set_input("c", "load", "1"), "'1' is not float"),
        (
            lambda sim: sim.clear("c", "levle"),
            "c: unknown fault target 'levle' (did you mean 'level'?)",
        ),
        (
            lambda sim: sim.inject("c", "levle"),
            "c: unknown fault target 'levle' (did you mean 'level'?)",
        ),
        (lambda sim: sim.set_input("c", "load", 2**53), "9007199254740992 is not float"),
        (lambda sim: sim.set_input("c", "load", -(2**53)), "-9007199254740992 is not float"),
        (lambda sim: sim.set_input("c", "load", nan), "c: value: nan is not a finite number"),
        (lambda sim: sim.inject("c", "fuse", amperes=inf), "c: params: inf is not a finite number"),
        (
            lambda sim: sim.send("c", "line", {"type": "Add", "amount": -inf}),
            "c: fields: -inf is not a finite number",
        ),
        (
            lambda sim: sim.apply(inp.Inject("c", "level", "off", {}, 2**63)),
            "c: until_ns: an integer needs more than 64 bits",
        ),
        (lambda sim: sim.apply(inp.Connect("c", "lime", 1)), "did you mean 'line'?"),
        (lambda sim: sim.apply(inp.MoveObstacle("box", 0, 0)), "unknown obstacle 'box'"),
    ],
)
def test_what_cannot_be_applied_is_refused_with_a_sentence_and_changes_nothing(act, says):
    sim, heard = Simulation([Counter("c")]), []
    sim.core.listeners.input.append(lambda *what: heard.append(what))
    before = sim.snapshot()
    with pytest.raises(InputError) as caught:
        act(sim)
    assert says in str(caught.value)
    assert heard == []
    assert sim.snapshot() == before


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("button", True, True),
        ("button", "ON", True),
        ("button", "true", True),
        ("button", "1", True),
        ("button", "False", False),
        ("button", "off", False),
        ("button", "0", False),
        ("load", 2, 2.0),
        ("load", 1 - 2**53, 1.0 - 2**53),
        ("mode", "off", "off"),
        ("gear", 0, 0),
        ("gear", 7, 7),
    ],
)
def test_virtual_inputs_take_values_of_their_type(name, given, value):
    sim = Simulation([Counter("c")])
    sim.set_input("c", name, given)
    assert sim.robots["c"].input[name] == value
    assert type(sim.robots["c"].input[name]) is type(value)
    assert list(sim.events) == []  # a robot need not handle SetInput


def test_each_input_reaches_the_handler_of_its_robot_with_its_link():
    seen = []

    class Witness(Diary):
        def note(self, message, link):
            seen.append((message, Link(link.port, link.id, link.peer, link.local)))

    sim = Simulation([Witness("d"), Diary("neighbour")])
    button = inp.SetInput("d", "button", True)
    for given in (
        inp.Connect("d", "line", 3, "them", "us"),
        inp.Arrive("d", "line", 3, b"add 2\n"),
        inp.Disconnect("d", "line", 3),
        inp.Disconnect("d", "line", 3),  # it is gone already
        inp.Send("d", "line", "Add", {"amount": 4}),
        button,
        inp.Inject("d", "ink", "dry", {"days": 2}),
        inp.Clear("d", "ink"),
    ):
        sim.apply(given)
    peer, local = Link("line", 3, "them", "us"), Link("line", inp.LOCAL, "local", "local")
    no_link = Link("", inp.LOCAL)
    assert seen == [
        (Connected("them", "us"), peer),
        (Add(2), peer),
        (Disconnected("them"), peer),
        (Add(4), local),
        (button, no_link),
        (Injected("ink", "dry", {"days": 2}), no_link),
        (Cleared("ink", "dry"), no_link),
    ]


def test_a_codec_with_compose_makes_the_messages_that_are_sent():
    class Composer(LineCodec):
        def compose(self, type_name, fields):
            if type_name != "twice":
                raise InputError(Problem("type", f"no {type_name}"))
            return Add(2 * fields["amount"])

    class Composed(Counter):
        ports = (Port("line", Composer, "tcp", "127.0.0.1:1"), *Counter.ports[1:])

    sim = Simulation([Composed("c")])
    sim.send("c", "line", {"type": "twice", "amount": 4})
    assert sim.truth("c").total == 8
    with pytest.raises(InputError, match="type: no Add"):
        sim.send("c", "line", Add(1))
    sim.send("c", "bus", Add(1))
    assert sim.truth("c").total == 9


def test_a_message_that_nobody_handles_is_an_event():
    sim = Simulation([Counter("c")])
    sim.send("c", "line", b"what?\n")
    assert [(event.code, event.severity, event.text) for event in sim.events] == [
        ("unhandled-message", "warning", "no handler for Odd on line")
    ]


def test_take_gives_each_message_once():
    sim = Simulation([Counter("c")], seed=1)
    sim.run(0.4)
    first = sim.take("c", "beat")
    assert [message.n for message in first] == [2, 4]
    assert all(type(message) is Beat for message in first)
    assert sim.take("c", "beat") == []
    sim.run(0.2)
    assert [message.n for message in sim.take("c", "beat")] == [6]


def test_without_collecting_there_is_nothing_to_take_and_it_says_so():
    sim = Simulation([Counter("c")], collect=False)
    with pytest.raises(RuntimeError) as caught:
        sim.take("c", "beat")
    says = "this simulation does not collect messages; build it with collect=True"
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("least", 1.0, "c least: 1 is out of range (2 to)"),
        ("most", 9.0, "c most: 9 is out of range (to 5)"),
    ],
)
def test_an_input_can_have_one_limit(name, value, says):
    class Limited(Counter):
        inputs = {"least": VirtualInput(2.0, low=2.0), "most": VirtualInput(5.0, high=5.0)}

    sim = Simulation([Limited("c")])
    with pytest.raises(InputError) as caught:
        sim.set_input("c", name, value)
    assert says in str(caught.value)
    sim.set_input("c", "least", 1e9)
    sim.set_input("c", "most", -1e9)


def test_a_text_input_can_have_choices():
    class Chosen(Counter):
        inputs = {"mode": VirtualInput("slow", choices=("slow", "fast"))}

    sim = Simulation([Chosen("c")])
    with pytest.raises(InputError) as caught:
        sim.set_input("c", "mode", "Fast")
    assert "c mode: 'Fast' is not a choice (use slow, fast)" in str(caught.value)
    assert sim.robot("c").input["mode"] == "slow"
    sim.set_input("c", "mode", "fast")
    assert sim.robot("c").input["mode"] == "fast"
