"""The game server's wire: frames out, commands of one or three bytes in.

A frame is big-endian and has 159 bytes (Pacbot-2: server/game/serialize.go; its bot_client reads
the same). Fields with * came in August 2024. Servers before that, and clients for them, have frames
without them, of 152 bytes: version 2024.

    u16  ticks                 u8 ticks a step        u8 mode: 0 paused, 1 scatter, 2 chase
    u8   steps left of the mode, u8 of how many (when paused: those of the mode before)
    u16* steps left until the ghosts speed up
    u16  score                 u8 level               u8 lives             u8* ghosts eaten in a row
    4 ×  ghost (red, pink, cyan, orange): place, u8 steps of fright and 0x80 while it leaves its
         house, u8* steps for which it is trapped and 0x80 while it is eaten
    place of Pacman            place of the fruit     u8 steps the fruit stays, u8 of how many
    31 × u32 the pellets of a row from the top, column n in bit n

A place is two bytes, for row and column: the number in the lower six bits, the step in its
direction (−1, 0, 1) in the upper two. What is not on the board is at 32, 32.

On WebSocket one message is one frame or one command. On TCP frames follow each other without a
separator; bytes from clients are not commands, and a lone `q` closes the connection.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.state import GameState, Place

_LAYOUT = struct.Struct(">HBBBBHHBBB16B2B4B31I")
SIZE = _LAYOUT.size  # 159
# Bytes of a frame that version 2024 does not have: level_steps, combo, and one of each ghost.
_ADDED = (6, 7, 12, 16, 20, 24, 28)
SIZE_2024 = SIZE - len(_ADDED)  # 152
NEWEST = 2025
FLAG = 0x80
LETTERS = "pPrRwasdx"


@dataclass(frozen=True)
class Seen:
    """The cell and direction of Pacman, a ghost or the fruit."""

    row: int
    column: int
    direction: int


@dataclass(frozen=True)
class SeenGhost:
    place: Seen
    fright_steps: int
    spawning: bool
    trapped_steps: int
    eaten: bool


@dataclass(frozen=True)
class Frame:
    """The state of the game as it is sent to clients."""

    ticks: int
    ticks_per_step: int
    mode: int
    mode_steps: int
    mode_lasts: int
    level_steps: int
    score: int
    level: int
    lives: int
    combo: int
    ghosts: tuple[SeenGhost, SeenGhost, SeenGhost, SeenGhost]
    pacman: Seen
    fruit: Seen
    fruit_steps: int
    fruit_lasts: int
    pellets: tuple[int, ...]


@dataclass(frozen=True)
class GameCommand:
    """p pause, P play, r or R restart, w a s d one cell up, left, down, right.

    x is the camera's report of Pacman's cell.
    """

    letter: str
    row: int = -1
    column: int = -1


@dataclass(frozen=True)
class GameQuit:
    """A client of the TCP port asks to be disconnected."""


def frame_of(state: GameState) -> Frame:
    ghosts = [
        SeenGhost(
            _seen(ghost.place), ghost.fright_steps, ghost.spawning, ghost.trapped_steps, ghost.eaten
        )
        for ghost in state.ghosts
    ]
    fruit = Seen(*(b.FRUIT if state.fruit_steps > 0 else b.NOWHERE), b.NONE)
    return Frame(
        state.ticks, state.ticks_per_step, state.mode, state.mode_steps,
        b.MODE_STEPS[state.last_mode], state.level_steps, state.score, state.level, state.lives,
        state.combo, (ghosts[0], ghosts[1], ghosts[2], ghosts[3]), _seen(state.pacman), fruit,
        state.fruit_steps, b.FRUIT_STEPS, tuple(state.pellets),
    )  # fmt: skip


def write_frame(frame: Frame) -> bytes:
    ghosts: list[int] = []
    for ghost in frame.ghosts:
        ghosts += (
            *_bytes(ghost.place),
            ghost.fright_steps | FLAG * ghost.spawning,
            ghost.trapped_steps | FLAG * ghost.eaten,
        )
    return _LAYOUT.pack(
        frame.ticks, frame.ticks_per_step, frame.mode, frame.mode_steps, frame.mode_lasts,
        frame.level_steps, frame.score, frame.level, frame.lives, frame.combo, *ghosts,
        *_bytes(frame.pacman), *_bytes(frame.fruit), frame.fruit_steps, frame.fruit_lasts,
        *frame.pellets,
    )  # fmt: skip


def write_frame_2024(frame: Frame) -> bytes:
    """Encode a frame for clients from before August 2024."""
    return bytes(byte for at, byte in enumerate(write_frame(frame)) if at not in _ADDED)


def read_frame(data: bytes) -> Frame:
    """Decode a frame of either version, for clients. Raises ValueError if it is not one.

    The fields that version 2024 does not have are 0.
    """
    if len(data) == SIZE_2024:
        whole = bytearray(data)
        for at in _ADDED:
            whole.insert(at, 0)
        data = bytes(whole)
    if len(data) != SIZE:
        raise ValueError(f"a frame has {SIZE} or {SIZE_2024} bytes, not {len(data)}")
    fields = _LAYOUT.unpack(data)
    ghosts = [
        SeenGhost(
            _place(row, column), fright & ~FLAG, fright >= FLAG, trapped & ~FLAG, trapped >= FLAG
        )
        for row, column, fright, trapped in (fields[at : at + 4] for at in range(10, 26, 4))
    ]
    pacman, fruit = _place(*fields[26:28]), _place(*fields[28:30])
    four, (fruit_steps, fruit_lasts) = (ghosts[0], ghosts[1], ghosts[2], ghosts[3]), fields[30:32]
    head: tuple[int, int, int, int, int, int, int, int, int, int] = fields[:10]
    return Frame(*head, four, pacman, fruit, fruit_steps, fruit_lasts, fields[32:])


@dataclass
class GameCodec:
    """One message is one command; unknown ones are skipped, as the real server does."""

    version: int = NEWEST

    def decode(self, data: bytes, subject: str = "") -> Iterator[GameCommand]:
        letter = data[:1].decode("latin-1")
        if letter and letter in LETTERS:
            yield (
                GameCommand(letter, *data[1:])
                if letter == "x" and len(data) == 3
                else GameCommand(letter)
            )

    def encode(self, message: Any) -> tuple[str, bytes]:
        return "binary", _WRITERS[self.version](message)


@dataclass
class TcpGameCodec:
    """Frames follow each other. The real server only logs what it receives.

    It compares what one read returns with `q`, so a `q` with other bytes is nothing.
    """

    version: int = NEWEST

    def decode(self, data: bytes) -> Iterator[GameQuit]:
        if data == b"q":
            yield GameQuit()

    def encode(self, message: Any) -> bytes:
        return _WRITERS[self.version](message)


_WRITERS = {NEWEST: write_frame, 2024: write_frame_2024}


def _seen(place: Place) -> Seen:
    return Seen(place.row, place.column, place.direction)


def _bytes(place: Seen) -> tuple[int, int]:
    down, right = b.STEP[place.direction]
    return (down & 3) << 6 | place.row, (right & 3) << 6 | place.column


def _place(row: int, column: int) -> Seen:
    step = tuple((value >> 6 ^ 2) - 2 for value in (row, column))  # two bits with a sign
    direction = b.STEP.index((step[0], step[1])) if step in b.STEP else b.NONE
    return Seen(row & 0x3F, column & 0x3F, direction)
