"""A match: robot, camera, game and clients form a loop; the referee puts the robot back."""

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.plain import pack, unpack
from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.kernel.snapshot import Snapshot
from rigless.recordings.replay import verify
from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.frame import read_frame
from rigless.scenario.load import open_target

from .scene import FORWARD, RIGHT, drive, pacbot

ON = "game.enabled=true"


def match(*settings, **more):
    sim = pacbot(ON, *settings, **more)
    sim.apply(inp.Connect("pacbot", "game", 9, "10.0.0.9:1", "10.0.0.1:3002"))
    return sim


def say(sim, data):
    sim.apply(inp.Arrive("pacbot", "game", 9, data, "binary"))


def game(sim):
    return sim.truth("pacbot").game


def place(sim, row, column):
    robot = sim.robots["pacbot"]
    robot.state.body[:2] = robot.match.board.centre(row, column)


def frames(sim):
    return sim.take("pacbot", "game")


def test_without_it_there_is_no_game():
    sim = pacbot()
    assert [port.name for port in sim.robots["pacbot"].ports] == ["commands", "sensors"]
    sim.run(1)
    assert game(sim) is None
    sim.send("pacbot", "commands", {"type": "GameCommand", "letter": "P"})
    assert sim.robots["pacbot"].metrics == {"game_refused": 1}


def test_tcp_clients_get_the_same_frames_and_cannot_command():
    sim = match("game.frame=2024", "ports.game_tcp=0")
    sent = {"game": b"", "game_tcp": b""}

    def note(_, output):
        if output.port in sent:
            sent[output.port] += output.data

    sim.core.listeners.output.append(note)
    sim.apply(inp.Connect("pacbot", "game_tcp", 10, "10.0.0.8:1", "10.0.0.1:23"))
    sim.apply(inp.Arrive("pacbot", "game_tcp", 10, b"P"))
    sim.run(0.5)
    assert len(sent["game"]) == 12 * 152
    assert sent["game_tcp"] == sent["game"]
    assert game(sim).mode == b.PAUSED
    sim.apply(inp.Arrive("pacbot", "game_tcp", 10, b"q"))
    assert sim.robots["pacbot"].links("game_tcp") == []


def test_it_brings_its_arena_unless_a_maze_is_given():
    assert open_target("pacbot", [ON]).simulation.world.maze.name == "arena"
    assert open_target("pacbot", [ON, "maze=full"]).simulation.world.maze.name == "full"


def test_a_maze_it_cannot_be_played_in_is_an_error_that_names_some_that_do():
    with pytest.raises(InputError, match="28 by 31 cells with pellets") as caught:
        open_target("pacbot", [ON, "maze=mini"])
    assert "maze=arena" in str(caught.value)


def test_frames_come_twenty_four_times_a_second_paused_or_not():
    sim = match()
    sim.run(1)
    paused = frames(sim)
    say(sim, b"P")
    sim.run(1)
    playing = frames(sim)
    assert (len(paused), len(playing)) == (24, 24)
    assert [frame.ticks for frame in paused] == [0] * 24
    assert [frame.ticks for frame in playing] == list(
        range(24)
    )  # the command is executed after a tick's frame
    assert playing[-1].mode == b.SCATTER


def test_what_goes_out_are_frames_of_159_bytes():
    sim, seen = match(), []
    sim.core.listeners.output.append(
        lambda at, output: seen.append(output) if output.port == "game" else None
    )
    sim.run(0.2)
    assert [(len(output.data), output.subject) for output in seen] == [(159, "binary")] * 4
    assert read_frame(seen[-1].data) == game(sim)


def test_pacman_is_where_the_camera_saw_the_robot_a_while_ago():
    sim = match("game.ghosts=0", "game.camera.delay_s=0.5")
    say(sim, b"P")
    sim.run(0.2)
    place(sim, 23, 11)
    sim.run(0.3)
    assert (game(sim).pacman.row, game(sim).pacman.column) == (23, 13)
    sim.run(0.4)
    assert (game(sim).pacman.row, game(sim).pacman.column) == (23, 11)
    assert sim.robots["pacbot"].state.reported == (23, 11)
    assert game(sim).score == 20


def test_wheels_eat_pellets():
    sim = match("game.ghosts=0")
    say(sim, b"P")
    drive(sim, {"north": -1, "south": 1})
    sim.run(4)
    assert game(sim).score == 70  # from column 12 to the wall beyond 6
    assert (game(sim).pacman.row, game(sim).pacman.column) == (23, 6)
    drive(sim, FORWARD)
    sim.run(2)
    assert game(sim).score > 70


def test_a_noisy_camera_errs_now_and_then_and_the_same_each_time():
    def columns(seed):
        sim = match("game.camera.noise_stddev_m=0.05", "game.ghosts=0", seed=seed)
        say(sim, b"P")
        found = []
        for _ in range(40):
            sim.run(0.1)
            found.append(sim.robots["pacbot"].state.reported)
        return found

    assert len(set(columns(1))) > 1
    assert columns(1) == columns(1) != columns(2)


def test_without_a_camera_clients_locate_pacman():
    sim = match("game.camera.rate_hz=0", "game.ghosts=0")
    say(sim, b"P")
    sim.run(0.1)
    place(sim, 20, 12)
    sim.run(1)
    assert game(sim).pacman.row == 23
    say(sim, b"x\x14\x0c")
    sim.run(0.1)
    assert (game(sim).pacman.row, game(sim).pacman.column) == (20, 12)


def test_the_referee_starts_the_game_and_puts_the_robot_back_after_a_life():
    sim = match("game.referee_s=0.5")
    sim.run(0.4)
    assert game(sim).mode == b.PAUSED
    sim.run(0.2)
    assert game(sim).mode == b.SCATTER
    drive(sim, RIGHT)
    sim.run(1)
    robot = sim.robots["pacbot"]
    start = robot.match.board.centre(23, 13)
    assert robot.truth().pose[0] > start[0] + 0.1
    robot.state.game.ghosts[0].place.put(robot.state.game.pacman.ahead(1), b.UP)  # in the path
    sim.run(1.6)
    assert game(sim).lives == 2
    assert game(sim).mode == b.SCATTER
    assert robot.truth().pose[:2] == pytest.approx(start)
    assert robot.state.commands == (0, 0, 0, 0)
    codes = [event.code for event in sim.events if event.code.startswith("game")]
    assert codes == ["game-kick-off", "game-life", "game-kick-off"]


def test_a_pause_that_a_client_asked_for_is_not_the_referees_business():
    sim = match("game.referee_s=0.2", "game.ghosts=0")
    sim.run(1)
    say(sim, b"p")
    sim.run(2)
    assert game(sim).mode == b.PAUSED


def test_a_flood_of_commands_is_cut_and_counted():
    sim = match()
    for _ in range(500):
        say(sim, b"a")
    say(sim, b"x\xff\xff")
    assert len(sim.robots["pacbot"].state.game_commands) == 100
    assert sim.robots["pacbot"].metrics["game_refused"] == 401
    sim.run(0.1)
    assert sim.robots["pacbot"].state.game_commands == []


def busy(seed=3):
    sim = match("game.referee_s=0.3", "game.camera.noise_stddev_m=0.01", seed=seed)
    sim.robots["pacbot"].state.game.ghosts[0].fright_steps = 40
    drive(sim, RIGHT)
    sim.core.recording = True
    return sim


def test_the_same_seed_plays_the_same_match_and_another_seed_another():
    first, second, other = (record_to_bytes(busy(seed), 25.0) for seed in (3, 3, 4))
    assert first == second != other


@pytest.mark.parametrize("at_s", [0.35, 4.03, 11.7])
def test_a_snapshot_holds_the_match(at_s):
    sim = busy()
    sim.run(at_s)
    saved, state = sim.snapshot(), sim.robots["pacbot"].state
    assert unpack(pack(state), type(state)).game == state.game
    wanted = record_to_bytes(sim, 3.0)
    sim.restore(Snapshot.from_bytes(saved.to_bytes()))
    assert record_to_bytes(sim, 3.0) == wanted


def test_a_match_replays_from_its_recording(tmp_path):
    sim = busy()
    sim.run(2)
    path = tmp_path / "match.mcap"
    path.write_bytes(record_to_bytes(sim, 5.0))
    found = verify(path)
    assert (found.difference, found.cut) == (None, False)
    assert found.records > 200


def test_listening_changes_nothing():
    """Subscribers do not change the match."""
    quiet, heard = pacbot(ON, "game.referee_s=0.3"), match("game.referee_s=0.3")
    for sim in (quiet, heard):
        drive(sim, RIGHT)
        sim.run(20)
    assert game(quiet) == game(heard)


def test_faults_on_the_games_wire():
    sim = match()
    sim.inject("pacbot", "game", "disconnect")
    assert sim.core.links.by_port["pacbot", "game"] == {}
    sim.run(1)
    sim.clear("pacbot")
    sim.apply(inp.Connect("pacbot", "game", 10, "10.0.0.9:1", "10.0.0.1:3002"))
    frames(sim)
    sim.run(1)
    assert len(frames(sim)) == 24
