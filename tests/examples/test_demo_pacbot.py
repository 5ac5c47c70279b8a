"""The player of `rigless demo` in virtual time: it keeps moving although its place is estimated."""

import importlib.util
import itertools
import random
from pathlib import Path
from typing import Any

import rigless
from rigless.kernel.simulation import Simulation

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "demo"
SETTINGS = ("maze=arena", "game.enabled=true", "game.referee_s=1.0")
STILL_S = 3.0


class Socket:
    """The requests of the player, answered by a simulation without a network."""

    def __init__(self, sim: Simulation):
        self.sim, self.reply = sim, {}

    def send_json(self, fields: dict[str, Any]) -> None:
        ticks = self.sim.truth("pacbot").ticks
        self.reply = {"encoders": {name: round(count) for name, count in ticks.items()}}
        if fields["command"] == "move":
            speed = float(fields["params"]["speed"])
            move = {"type": "Command", "command": "move", "id": fields["id"], "speed": speed}
            self.sim.send("pacbot", "commands", move)

    def recv_json(self) -> dict[str, Any]:
        return self.reply


def test_a_player_with_a_wrong_estimate_does_not_push_against_a_wall():
    spec = importlib.util.spec_from_file_location("demo_pacbot", FOLDER / "pacbot.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sim = rigless.load("pacbot", seed=7, settings=SETTINGS)
    random.seed(7)  # the player guesses
    player = module.Player(Socket(sim))
    sim.send("pacbot", "game", {"type": "GameCommand", "letter": "P"})
    longest_s, since_s, place = 0.0, 0.0, (0.0, 0.0)
    for step in itertools.count(1):
        sim.run(seconds=0.05)
        frame = sim.take("pacbot", "game")[-1]
        if frame.lives < 3 or sim.now_s > 60:
            break
        if step % 100 == 0:  # an error, as a slow computer collects it
            player.x, player.y = player.x + 0.04, player.y + 0.04
        player.play(frame)
        x, y, _ = sim.truth("pacbot").pose
        if abs(x - place[0]) + abs(y - place[1]) > 0.01:
            since_s, place = sim.now_s, (x, y)
        longest_s = max(longest_s, sim.now_s - since_s)
    assert sim.now_s > 10
    assert longest_s < STILL_S
