"""The host's end of the window: keys as recorded inputs, and how window and run end."""

import asyncio
import sys
from pathlib import Path

import pytest

from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.recordings.replay import verify
from rigless.robots.pacbot.window.host_link import WindowLink
from rigless.robots.pacbot.window.messages import Picture, Scene
from rigless.scenario.load import open_target

SCRIPT = str(Path(__file__).with_name("scripted_window.py"))
FREE = ["ports.commands=0", "ports.sensors=0"]
MATCH = ["game.enabled=true", "ports.game=0", "ports.game_tcp=0"]


def run(*words, settings=(), record=None, speed=1.0):
    """Run until the scripted window exits; return the host, the link and the inputs."""

    async def scene():
        host = Host(open_target("pacbot", [*FREE, *settings], 1, collect=False), speed, 60.0)
        given = []
        host.sim.core.listeners.input.append(lambda at, what, source: given.append(what))
        await host.open()
        if record:
            host.recording_file.start(record)
        link = WindowLink(host, (sys.executable, SCRIPT, *map(str, words)))
        try:
            await link.open()
            await asyncio.wait_for(host.run(), 60)
        finally:
            await link.close()
            await host.close()
        return host, link, given

    return asyncio.run(scene())


def test_closing_the_window_ends_the_run():
    host, link, given = run("ask", "ask")
    assert host.state == "stopped"
    assert (link.error, link.pictures, given) == ("", 2, [])


def test_keys_become_commands_that_are_recorded(tmp_path):
    file = tmp_path / "keys.mcap"
    _, _, given = run("drive", 1, 0, 0, 1, "drive", 0, 0, 0, 1, record=file)
    ahead, still = given
    assert isinstance(ahead, inp.Send)
    assert ahead.fields == {"north": 0, "south": 0, "east": -1, "west": 1}
    assert set(still.fields.values()) == {0}
    found = verify(file)
    assert (found.difference, found.cut) == (None, False)


def test_a_held_key_is_repeated_but_not_with_every_picture(monkeypatch):
    monkeypatch.setattr("rigless.robots.pacbot.window.host_link.REPEAT_S", 1e9)
    assert len(run("drive", 0, 1, 0, 50)[2]) == 2  # once, and released at the end
    monkeypatch.setattr("rigless.robots.pacbot.window.host_link.REPEAT_S", 0.0)
    assert len(run("drive", 0, 1, 0, 50)[2]) == 51


def test_closing_the_window_releases_held_keys():
    host, _, given = run("drive", 0, 0, 1, 3)
    assert set(given[-1].fields.values()) == {0}
    assert host.sim.robots["pacbot"].state.commands == (0, 0, 0, 0)


def test_pause_play_and_stop():
    host, _, given = run("act", "pause", "ask")
    assert host.paused
    host, _, _ = run("act", "pause", "act", "pause", "ask")
    assert not host.paused
    assert set(run("act", "stop")[2][0].fields.values()) == {0}
    _, _, given = run("act", "play", settings=MATCH)
    assert [one.fields for one in given] == [{"letter": "P"}]
    assert run("act", "play", "act", "nonsense", "ask")[2] == []


def test_a_window_that_crashes_is_an_error():
    _, link, _ = run("ask", "crash")
    assert link.error == "the window crashed (exit code 7)"


def test_an_invalid_message_of_the_window_is_an_error():
    host, link, _ = run("ask", "junk")
    assert "invalid message" in link.error
    assert host.failure == ""


@pytest.mark.parametrize(
    ("word", "reason"), [("mute", "its process ended"), ("riddle", "the screen is on fire")]
)
def test_a_window_that_cannot_be_opened_is_an_error_with_the_reason(word, reason):
    with pytest.raises(InputError, match=reason) as caught:
        run(word)
    assert "DISPLAY" in str(caught.value)


def served(*settings):
    host = Host(open_target("pacbot", settings, 1, collect=False))
    return host, WindowLink(host, ("no", "such", "thing"))


def in_loop(function):
    async def scene():
        return function()

    return asyncio.run(scene())


def test_walls_are_sent_once_and_a_picture_has_the_robot():
    def scene():
        host, link = served("maze=medium", "tof.count=8")
        host.sim.inject("pacbot", "wheel_north", "stall")
        first, second = link.answer(0)
        (third,) = link.answer(first.number)
        assert isinstance(first, Scene)
        assert isinstance(second, Picture)
        assert isinstance(third, Picture)
        assert first.rows * first.columns == len(first.cells)
        (bot,) = third.bots
        truth = host.sim.truth("pacbot")
        assert (bot.x, bot.y, bot.theta) == truth.pose
        assert len(bot.rays) == 8
        assert bot.faults == ["wheel_north stall"]
        assert [name for name, _ in bot.ranges] == ["N", "S", "E", "W", "NE", "SE", "SW", "NW"]
        assert [value for _, value in bot.ranges] == pytest.approx(
            [ray.reading_m for ray in bot.rays], abs=1e-4
        )
        assert third.game is None

    in_loop(scene)


def test_after_a_reset_the_new_robot_is_driven():
    def scene():
        host, link = served()
        before = link.view()
        host.reset()
        assert link.view() is not before
        link._steer((1.0, 0.0, 0.0))
        assert host.sim.robots["pacbot"].state.commands == (0, 0, -1, 1)

    in_loop(scene)


def test_tab_goes_to_the_next_robot_and_to_its_world(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text(
        'name = "two"\n[[robots]]\nkind = "pacbot"\nname = "a"\n'
        '[[robots]]\nkind = "pacbot"\nname = "b"\n'
        'config = {maze = "medium"}\n[[robots]]\nkind = "pacbot"\nname = "c"\n'
        "start = {x = 0.5, y = 0.5}\n"
    )

    def scene():
        link = WindowLink(Host(open_target(str(file), collect=False)), ("no",))
        (walls, first) = link.answer(0)
        assert ([bot.name for bot in first.bots], first.chosen) == (["a", "c"], 0)
        link._act("next")
        (other, second) = link.answer(walls.number)
        assert [bot.name for bot in second.bots] == ["b"]
        assert other.number != walls.number
        link._act("next")
        assert (link.answer(other.number)[-1].chosen, link.robot) == (1, "c")
        link._act("next")
        assert link.robot == "a"

    in_loop(scene)


def test_a_target_without_pacbots_has_nothing_to_show(thermostat):
    with pytest.raises(InputError, match="this run has none"):
        in_loop(lambda: WindowLink(Host(open_target(str(thermostat), collect=False))))
