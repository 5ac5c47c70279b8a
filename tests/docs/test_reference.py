"""The generated reference is that of the code."""

import re

import pytest
import typer.main
from pydantic import Field

import rigless
from building import gallery
from building.places import GENERATED, ROOT
from building.reference import agv_messages, pages, robots
from building.reference.config_keys import tables
from building.reference.python_api import prose
from building.reference.units import unit
from rigless.cli.app import app
from rigless.cli.examples import examples
from rigless.cli.examples import gallery as listed
from rigless.kernel.robot import Config
from rigless.robots.agv import wire
from rigless.robots.agv.messages import CommandRequest


@pytest.fixture(scope="module")
def made():
    return dict(pages())


def test_the_pages_in_the_repository_are_those_of_the_code(made):
    there = {
        path.relative_to(GENERATED).with_suffix("").as_posix(): path.read_text("utf-8")
        for path in GENERATED.rglob("*.md")
    }
    different = sorted(name for name in {*made, *there} if made.get(name) != there.get(name))
    assert different == [], "run: make reference"


def test_every_robot_has_its_config_keys_events_and_targets(made):
    for folder in ROOT.glob("src/rigless/robots/*/robot.py"):
        kind = folder.parent.name
        page = made[f"robots/{kind}"]
        robot = next(iter(rigless.load(kind).robots.values()))
        names = {*type(robot).Config.model_fields, *robot.event_codes, *robot.fault_targets.seams}
        names |= {port.name for port in robot.ports}
        assert [name for name in names if f"`{name}`" not in page] == []


def test_every_command_has_a_page_that_the_overview_links_and_that_leads_on(made):
    overview = (ROOT / "docs/reference/command-line.md").read_text("utf-8")
    group = typer.main.get_command(app)
    assert len(group.commands) >= 18
    for name, command in group.commands.items():
        page = made[f"commands/{name}"]
        assert f"(generated/commands/{name}.md)" in overview, name
        assert page.startswith(f"# rigless {name}\n\nSee also: ["), name
        below = [word for word, one in getattr(command, "commands", {}).items() if not one.hidden]
        if len(below) > 1:
            assert [word for word in below if f"\n## rigless {name} {word}\n" not in page] == []


def test_the_options_of_a_command_are_in_groups_and_its_examples_can_be_copied(made):
    page = made["commands/run"]
    assert page.index("| Time |  |") < page.index("`--lockstep`") < page.index("| Robots |  |")
    assert "```sh\nrigless run vacuum\n" in page
    assert "| `--count N` | Number of robots: NAME-1, NAME-2 … \\[1 to 10000\\] |" in page


def test_the_keys_of_the_agv_have_their_sources(made):
    page = made["robots/agv"]
    assert "| `tickHz` | integer, 1 to 1000 | Hz | required | seed |" in page
    assert "| `keepAliveS` | integer, 1 to 3600 | s | `15` | wire |" in page
    assert "| `stopOnCollision` | true or false |  | `true` | ours |" in page
    assert '| `"ROBOT_WINS"` | seed; default: ours |' in page
    tables = {**robots.agv_sources()["seed"], **robots.agv_sources()["wire"]}
    named = [key for keys in tables.values() for key in keys.split()]
    assert [key for key in named if f"\n| `{key}` |" not in page] == []


class Wheel(Config):
    """[seed] a wheel."""

    radius_m: float = Field(0.1, gt=0, le=2, description="[ours] of the tyre")
    kind: str = "a|b"


def test_a_key_has_its_type_bounds_unit_default_and_source():
    (text,) = tables(Wheel, "wheel")
    assert "### `wheel`\n\nA wheel.\n\n" in text
    assert "| `radius_m` | number, above 0 to 2 | m | `0.1` | ours | of the tyre |" in text
    assert '| `kind` | text |  | `"a\\|b"` | seed |  |' in text


def test_the_message_of_the_agv_page_is_one_that_the_robot_accepts(made):
    read = wire._inbound_message("command.request", agv_messages.REQUEST.encode(), "agv")
    assert isinstance(read, CommandRequest), read
    assert (read.commandType, read.params) == ("MOVE", {"x": 3.0, "y": 1.0})
    assert agv_messages.REQUEST in made["agv-messages"]


def test_units_are_those_of_the_name():
    assert unit("max_degps2", "list of 6: number") == "°/s²"
    assert [unit("speed_mps", "number"), unit("on_s", "true or false")] == ["m/s", ""]
    assert [unit(one, "number") for one in ("keepAliveS", "idleW", "orderQos")] == ["s", "W", ""]


def test_the_examples_of_a_docstring_become_code():
    text = prose("Do it. See <this>.\n\nclass A(B):\n    x = 1\n\n    def f(self): ...")
    assert (
        text
        == "Do it. See &lt;this>.\n\n```python\nclass A(B):\n    x = 1\n\ndef f(self): ...\n```"
    )
    assert prose("Words, and (more) words.") == "Words, and (more) words."


SIZE = re.compile(r"about (\d+) lines")


def test_the_gallery_is_what_rigless_examples_lists():
    page = (ROOT / "docs/gallery.md").read_text("utf-8")
    assert SIZE.sub("", page) == SIZE.sub("", gallery.text()), "run: make reference"
    assert {one.name for one in examples()} == {*listed()}
    assert all((ROOT / "docs/pictures" / one.picture).is_file() for one in examples())
    assert next(one.lines for one in examples() if one.name == "01_virtual_time") < 60


def test_the_sizes_in_the_gallery_are_near():
    """An edit of an example must not make the page wrong; a rewrite must."""
    sizes = map(int, SIZE.findall((ROOT / "docs/gallery.md").read_text("utf-8")))
    far = [
        f"{one.name}: {size} lines on the page, {one.lines} in the code"
        for one, size in zip(examples(), sizes, strict=True)
        if abs(size - one.lines) > max(20, 0.25 * one.lines)
    ]
    assert far == [], "run: make reference"
