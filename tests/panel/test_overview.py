"""Subscriptions to several robots at once, as in the overview: rates and map objects."""

import msgspec
import pytest

from host.driving import on_loop
from rigless.panel.map_objects import list_robots
from rigless.panel.websocket import LookMessage, _decoder
from rigless.scenario.kinds import kind_of, summary, summary_of

from .harness import THERMOSTAT, TROLLEY, harness


@pytest.fixture
def mixed(tmp_path):
    """Two robots that share a plane, and one without a place."""
    path = tmp_path / "mixed.toml"
    robots = [("one", TROLLEY), ("two", TROLLEY), ("warm", THERMOSTAT)]
    path.write_text(
        "".join(f'[[robots]]\nname = "{name}"\nkind = "{kind}"\n' for name, kind in robots)
    )
    return str(path)


def worlds(found):
    return {robot["name"]: (robot["kind"], robot["world"]) for robot in found}


@on_loop
async def test_robots_on_one_map_share_a_number(mixed):
    async with harness(mixed) as here:
        found = worlds(list_robots(here.host.sim))
        assert found == {"one": ("trolley", 0), "two": ("trolley", 0), "warm": ("thermostat", 1)}
        assert worlds(here.hub.status()["robots"]) == found


@on_loop
async def test_a_robot_whose_footprint_fails_is_alone(mixed):
    async with harness(mixed) as here:
        here.host.sim.robots["two"].footprint = lambda: 1 / 0
        assert worlds(list_robots(here.host.sim))["two"] == ("trolley", 1)


@on_loop
async def test_frames_of_several_robots_come_five_times_per_second(mixed):
    async with harness(mixed) as here:
        client = here.come()
        here.hub.subscribe(client, "live", {"one": 5, "warm": 5})
        await here.wall.go(0.4)
        pages = {page["id"]: page["robot"] for page in client.socket.of("page")}
        assert set(pages.values()) == {"one", "warm"}
        client.socket.clear()
        before = here.hub.frames_drawn
        await here.wall.go(3)
        seen = [pages[frame[1]] for frame in client.socket.frames]
        told = [message["name"] for message in client.socket.of("robot")]
        around = [message["world"] for message in client.socket.of("around")]
        for counts in (
            (seen.count("one"), seen.count("warm")),
            (told.count("one"), told.count("warm")),
            (around.count(0), around.count(1)),
            ((here.hub.frames_drawn - before) / 2,),
        ):
            assert counts == pytest.approx([15] * len(counts), abs=1)
        assert "two" not in told


@on_loop
async def test_each_world_is_sent_with_its_objects(mixed):
    async with harness(mixed) as here:
        client = here.come()
        here.hub.subscribe(client, "live", {"two": 5, "warm": 5})
        await here.wall.go(0.3)
        found = {message["world"]: message["things"] for message in client.socket.of("around")}
        assert [thing["name"] for thing in found[0]] == ["one", "two"]


@on_loop
async def test_a_page_says_what_the_robot_is(mixed):
    async with harness(mixed) as here:
        client = here.come()
        here.hub.subscribe(client, "live", {"warm": 5})
        await here.wall.go(0.3)
        (page,) = client.socket.of("page")
        assert (page["kind"], page["about"]) == (
            "thermostat",
            summary_of(type(here.host.sim.robots["warm"])),
        )
        assert page["about"].startswith("A room thermostat")


def test_the_summary_of_a_kind_needs_no_instance():
    from rigless.robots.vacuum import Robot

    assert (kind_of(Robot), summary_of(Robot)) == ("vacuum", summary("vacuum"))


def test_five_a_second_is_a_rate_and_six_is_not():
    assert _decoder.decode('{"type": "look", "robots": {"a": 5}}') == LookMessage({"a": 5})
    with pytest.raises(msgspec.ValidationError):
        _decoder.decode('{"type": "look", "robots": {"a": 6}}')
