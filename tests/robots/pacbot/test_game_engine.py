"""The game equals the competition's engine frame by frame for the same commands.

The transcripts in engine/ are of that engine (Pacbot-2, server/game) with one change: frightened
ghosts take the last open direction, not a random one.
"""

import hashlib
from pathlib import Path

import pytest

from .playing import Table

TRANSCRIPTS = sorted((Path(__file__).parent / "engine").glob("*.txt"))


def read(path):
    """Return the number of ticks, the digest of all frames, some frames, and the commands."""
    frames, commands, ticks, digest = {}, {}, 0, ""
    for line in path.read_text().splitlines():
        word, *rest = line.split()
        if word == "ticks":
            ticks = int(rest[0])
        elif word == "sha256":
            digest = rest[0]
        elif word == "frame":
            frames[int(rest[0])] = rest[1]
        elif word.isdigit():
            commands[int(word)] = [bytes.fromhex(one) for one in rest]
    return ticks, digest, frames, commands


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_frame_is_the_engines(path):
    ticks, digest, frames, commands = read(path)
    assert ticks >= 5000
    table, said = Table(), hashlib.sha256()
    for tick in range(ticks):
        frame = table.tick(*commands.get(tick, ()))
        if tick in frames:
            assert frame.hex() == frames[tick], f"tick {tick}"
        said.update(frame)
    assert said.hexdigest() == digest


def test_the_transcripts_hold_what_matters():
    codes = set()
    for path in TRANSCRIPTS:
        ticks, _, _, commands = read(path)
        table = Table()
        for tick in range(ticks):
            table.tick(*commands.get(tick, ()))
        codes |= set(table.events)
    assert codes >= {"game-ghost", "game-level", "game-life", "game-fruit"}
