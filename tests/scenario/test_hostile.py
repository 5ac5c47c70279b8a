"""Any file is a scenario or raises InputError; there is no other exception."""

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.scenario.build import Built
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target

from .scenes import CART, THERMOSTAT, built, opened

QUICK = settings(
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
BIG = st.sampled_from([2**63, -(2**63) - 1, 2**64, 10**30, 10**400])
NUMBERS = st.integers(-3, 70_000) | BIG | st.floats()
WORDS = st.text(max_size=8) | st.sampled_from(
    [
        "",
        ".",
        "..",
        "a.b",
        "line",
        "drive",
        "motor",
        "truth.pose.0",
        "truth",
        "state.gears.²",
        "input.x",
        "metrics",
        "c",
    ]
)
LEAVES = st.booleans() | NUMBERS | WORDS
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def table(**keys):
    """Return a strategy for tables with some of these keys, any values, and unknown keys."""
    known = st.fixed_dictionaries(
        {}, optional={key: value | value | value | ANY for key, value in keys.items()}
    )
    return (
        known
        | known
        | st.builds(lambda a, b: {**a, **b}, known, st.dictionaries(WORDS, ANY, max_size=1))
    )


KINDS = st.sampled_from(
    [CART, CART, CART, THERMOSTAT, "", ".", "..", "nowhere", "json", "./\0", "__main__", "a.b"]
)
SECONDS = st.floats(0, 5) | NUMBERS
PORTS = st.sampled_from(["drive", "odometry", "serial", "line", "reports"])
TARGETS = st.sampled_from(["motor", "odometer", "tyre", "drive", "temperature", "relay"])
FAULTS = st.sampled_from(
    ["stall", "weak", "lag", "bias", "stuck", "delay", "drop", "flat", "welded"]
)
MESSAGES = table(
    type=st.sampled_from(["Go", "Set", "Get"]), speed_mps=NUMBERS, label=LEAVES, celsius=NUMBERS
)
SCENARIOS = table(
    name=WORDS,
    seed=NUMBERS,
    duration_s=SECONDS,
    speed=NUMBERS | st.sampled_from(["fast", "lockstep"]),
    world=table(
        obstacles=st.lists(
            table(name=st.just("o") | WORDS, x=NUMBERS, y=NUMBERS, radius_m=NUMBERS, size_m=ANY),
            max_size=2,
        )
    ),
    timeline=st.lists(
        table(
            at_s=SECONDS,
            port=PORTS,
            message=MESSAGES,
            wire=WORDS,
            wire_hex=WORDS,
            set=st.dictionaries(
                st.sampled_from(["brake", "load_kg", "gear", "mode"]), LEAVES, max_size=2
            ),
            clear=TARGETS,
            obstacle=st.just("o"),
            x=NUMBERS,
            y=NUMBERS,
        ),
        max_size=2,
    ),
    faults=st.lists(
        table(
            at_s=SECONDS,
            until_s=SECONDS,
            target=TARGETS,
            kind=FAULTS,
            value=NUMBERS,
            ms=NUMBERS,
            factor=NUMBERS,
        ),
        max_size=2,
    ),
    expect=st.lists(
        table(
            robot=st.sampled_from(["c", "cart"]),
            value=WORDS,
            min=NUMBERS,
            equals=LEAVES,
            at_s=SECONDS,
            from_s=SECONDS,
            port=PORTS,
            max_count=NUMBERS,
            event=WORDS,
            region=ANY,
        ),
        max_size=2,
    ),
)
ROBOTS = st.lists(
    table(
        kind=KINDS,
        name=st.just("c") | WORDS,
        count=st.integers(1, 3),
        config=table(speed_mps=NUMBERS, colour=LEAVES, start_c=NUMBERS),
        ports=st.dictionaries(PORTS, NUMBERS | WORDS, max_size=2),
    ),
    min_size=1,
    max_size=2,
)


def toml(value) -> str:
    """Return a value as TOML."""
    match value:
        case dict():
            return (
                "{"
                + ", ".join(f"{toml(str(key))} = {toml(item)}" for key, item in value.items())
                + "}"
            )
        case list():
            return "[" + ", ".join(toml(item) for item in value) + "]"
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value).replace("\x7f", "\\u007f")
    return repr(value)


def document(tables) -> str:
    return "".join(f"{toml(str(key))} = {toml(value)}\n" for key, value in tables.items())


def outcome(folder, data, settings=()):
    try:
        scene = opened(folder, data, settings)
        ExpectationMonitor(scene, 1.0)
    except InputError as error:
        return error.problems
    return scene


def test_any_plan_for_a_good_robot(tmp_path):
    """Check also that the strategy makes valid scenarios and others."""
    found = []

    @settings(QUICK, max_examples=100, database=None)
    @given(SCENARIOS)
    def look(tables):
        robots = [{"kind": CART, "name": "c"}]
        found.append(outcome(tmp_path, document({**tables, "robots": robots})))
        assert found[-1]

    look()
    assert 3 < sum(isinstance(one, Built) for one in found) < 100


@QUICK
@given(tables=SCENARIOS, robots=ROBOTS | ANY)
def test_tables_of_any_kind(tmp_path, tables, robots):
    assert outcome(tmp_path, document({**tables, "robots": robots}))


@QUICK
@given(data=st.binary() | st.text().map(str.encode))
@example(data=b"\xef\xbb\xbfrobots = 1")
def test_bytes_of_any_kind(tmp_path, data):
    assert outcome(tmp_path, data)


@QUICK
@given(text=st.text(alphabet="[]{}\"'=.,# \n\\ab1-", max_size=60))
def test_text_that_looks_like_toml(tmp_path, text):
    assert outcome(tmp_path, text)


@QUICK
@given(
    setting=st.text(max_size=20)
    | st.builds("{}={}".format, WORDS | st.sampled_from(["c.x", "ports.drive"]), ANY.map(toml))
)
def test_settings_of_any_kind(tmp_path, setting):
    assert outcome(tmp_path, f'[[robots]]\nname = "c"\nkind = "{CART}"\n', [setting])


@pytest.mark.parametrize("number", ["1" * 30, "1" * 400, "0x" + "f" * 5000, "-" + "9" * 400])
@pytest.mark.parametrize(
    "place",
    [
        "seed = {}",
        "duration_s = {}",
        'robots = [{{ kind = "CART", count = {} }}]',
        'robots = [{{ kind = "CART", config = {{ speed_mps = {} }} }}]',
        'robots = [{{ kind = "CART", config = {{ colour = {} }} }}]',
        'robots = [{{ kind = "CART", ports = {{ drive = {} }} }}]',
        "timeline = [{{ at_s = {}, clear = '' }}]",
        "timeline = [{{ at_s = 1, set = {{ load_kg = {} }} }}]",
        "timeline = [{{ at_s = 1, set = {{ gear = {} }} }}]",
        "timeline = [{{ at_s = 1, set = {{ brake = {} }} }}]",
        "timeline = [{{ at_s = 1, set = {{ mode = {} }} }}]",
        "timeline = [{{ at_s = 1, port = 'drive', message = {{ type = 'Go', speed_mps = {} }} }}]",
        "timeline = [{{ at_s = 1, port = 'drive', "
        "message = {{ type = 'Go', speed_mps = 1, label = {} }} }}]",
        "timeline = [{{ at_s = 1, port = 'drive', message = {{ type = {} }} }}]",
        "faults = [{{ target = 'odometer', kind = 'bias', value = {} }}]",
        "faults = [{{ target = 'odometer', kind = {} }}]",
        "faults = [{{ target = 'drive', kind = 'delay', ms = {} }}]",
        "faults = [{{ target = 'drive', kind = 'delay', direction = {} }}]",
        "faults = [{{ target = 'tyre', kind = 'flat', side = {} }}]",
        "expect = [{{ value = 'metrics.sent', min = {} }}]",
        "expect = [{{ value = 'metrics.sent', equals = {} }}]",
        "expect = [{{ event = 'go', min_count = {} }}]",
        "world = {{ obstacles = [{{ name = 'o', radius_m = 1, x = {} }}] }}",
    ],
)
def test_a_very_long_number_anywhere(tmp_path, place, number):
    text = place.format(number).replace("CART", CART)
    if "robots" not in text:
        text += f'\nrobots = [{{ kind = "{CART}" }}]'
    scene = outcome(tmp_path, text)
    if isinstance(scene, Built):
        scene.simulation.run(0.05)
        assert scene.simulation.snapshot().to_bytes()


@pytest.mark.parametrize(
    ("kind", "setting", "says"),
    [
        (CART, "label=\udcff", "--set label=?: is not UTF-8"),
        (THERMOSTAT, "world.map=", "world.map: '' is not right"),
        (THERMOSTAT, "world.layout=", "world.layout: '' is not right"),
        (THERMOSTAT, "report_hz=1e10", "should be less than or equal to 10000"),
    ],
)
def test_settings_with_which_nothing_can_be_built(kind, setting, says):
    with pytest.raises(InputError) as caught:
        open_target(kind, [setting])
    assert says in str(caught.value)


def test_a_folder_whose_name_is_no_text(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff"))
    shutil.copytree(CART, folder / "cart_in_a_bad_folder")
    with pytest.raises(InputError, match=r"is not valid UTF-8 \(give the file"):
        opened(folder, "[[robots]]\nkind = './cart_in_a_bad_folder'\n")


def test_half_a_character_in_a_config():
    entry = {"kind": "vacuum", "config": {"map_file": "\ud800"}}
    with pytest.raises(InputError, match="config: a text has half of a character"):
        built([entry])
