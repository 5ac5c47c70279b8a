"""The rules one by one: points, lives, levels, fright, fruit, pauses and time."""

import pytest

from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.ghosts import _target

from .playing import BOARD, Table


def test_the_board_is_the_competitions():
    assert sum(row.bit_count() for row in BOARD.pellets) == 244
    found = [
        (row, col)
        for row in range(b.ROWS)
        for col in range(b.COLUMNS)
        if BOARD.super_pellets[row] >> col & 1
    ]
    assert found == [(3, 1), (3, 26), (23, 1), (23, 26)]
    assert not BOARD.wall_at(*b.PACMAN_SPAWN[:2])
    assert BOARD.wall_at(14, 0)  # no tunnel
    assert BOARD.wall_at(-1, 5)
    assert BOARD.wall_at(5, 28)


def test_it_begins_paused_and_p_and_capital_p_pause_and_play():
    table = Table()
    for _ in range(30):
        table.tick()
    assert (table.state.mode, table.state.ticks) == (b.PAUSED, 0)
    table.tick(b"P")
    assert (table.state.mode, table.state.ticks) == (b.SCATTER, 1)
    table.tick(b"p")
    table.tick()
    assert (table.state.mode, table.state.ticks) == (b.PAUSED, 1)
    table.tick(b"P")
    assert table.state.mode == b.SCATTER


def test_nothing_moves_in_a_pause():
    table = Table()
    table.tick(b"a", b"x\x17\x0c")
    assert table.state.pacman.cell == (23, 13)
    assert table.state.score == 0


def test_a_pellet_is_ten_points_once_and_walls_stop():
    table = Table(ghosts=0).playing()
    table.tick(b"a")
    assert (table.state.pacman.cell, table.state.score, table.state.pellets_left) == (
        (23, 12),
        10,
        243,
    )
    table.tick(b"d", b"a")
    assert table.state.score == 10
    table.tick(b"s")
    assert table.state.pacman.cell == (23, 12)
    assert table.state.pacman.direction == b.DOWN


def test_a_super_pellet_is_fifty_and_frightens_for_forty_steps():
    table = Table().playing()
    table.put(23, 2)
    table.steps(3)
    before = [ghost.place.direction for ghost in table.state.ghosts]
    table.tick(b"a")
    assert table.state.score == 50
    assert [ghost.fright_steps for ghost in table.state.ghosts] == [40] * 4
    assert table.state.ghosts[b.RED].trapped_steps == 1
    table.steps(2)
    assert table.state.ghosts[b.RED].place.direction != before[b.RED]
    assert [ghost.fright_steps for ghost in table.state.ghosts] == [38] * 4


def test_frightened_ghosts_are_worth_more_each_and_come_back_harmless_no_more():
    table = Table().playing()
    table.steps(1)
    for ghost in table.state.ghosts:
        ghost.fright_steps = 20
    for place, points in enumerate((200, 600, 1400, 3000)):
        table.state.ghosts[place].place.put((20, 9), b.LEFT)
        table.put(20, 9)
        table.game._collide()
        assert table.state.score == points
    assert table.events == ["game-ghost"] * 4
    assert all(ghost.place.gone and ghost.eaten and ghost.spawning for ghost in table.state.ghosts)
    table.put(29, 1)
    table.steps(1)
    assert [ghost.place.cell for ghost in table.state.ghosts] == [
        (13, 13),
        (13, 13),
        (14, 11),
        (14, 15),
    ]
    assert not any(ghost.eaten or ghost.fright_steps for ghost in table.state.ghosts)


def test_a_ghost_costs_a_life_clears_the_board_and_pauses():
    table = Table().playing()
    table.tick(b"a")
    table.state.mode, table.state.fruit_steps = b.CHASE, 9
    table.state.ghosts[b.CYAN].place.put((23, 11), b.LEFT)
    table.tick(b"a")
    state = table.state
    assert (state.lives, state.pacman.gone, state.mode, state.fruit_steps) == (
        2,
        True,
        b.SCATTER,
        0,
    )
    assert (state.score, state.pellets_left) == (20, 242)  # eaten pellets stay eaten
    table.steps(1)
    assert (state.mode, state.pacman.cell) == (b.PAUSED, b.PACMAN_SPAWN[:2])
    assert table.events == ["game-life"]


def test_the_last_life_ends_the_game_for_good_until_it_is_restarted():
    table = Table().playing()
    table.state.lives = 1
    table.state.ghosts[b.RED].place.put((23, 12), b.LEFT)
    table.tick(b"a")
    assert table.events == ["game-over"]
    table.steps(2)
    table.tick(b"P")
    assert (table.state.mode, table.state.pacman.gone) == (b.PAUSED, True)
    table.tick(b"r")
    table.tick(b"P")
    assert (table.state.lives, table.state.score, table.state.mode) == (3, 0, b.SCATTER)


def eat_until(table, left):
    """Remove all pellets but this many; the last is right of Pacman's start."""
    rows = [0] * b.ROWS
    cells = [
        (row, col)
        for row in range(b.ROWS)
        for col in range(b.COLUMNS)
        if BOARD.pellets[row] >> col & 1
    ]
    kept = [(23, 15), *[cell for cell in cells if cell != (23, 15)][: left - 1]]
    for row, column in kept:
        rows[row] |= 1 << column
    table.state.pellets, table.state.pellets_left = rows, left
    table.put(23, 14)


def test_the_last_pellet_begins_the_next_and_faster_level():
    table = Table().playing()
    eat_until(table, 1)
    table.tick(b"d")
    state = table.state
    assert (state.level, state.pellets_left, state.ticks_per_step, state.lives) == (2, 244, 10, 3)
    assert state.pacman.gone
    table.steps(2)
    assert state.mode == b.PAUSED
    assert "game-level" in table.events


@pytest.mark.parametrize("left", [174, 74])
def test_fruit_appears_at_two_counts_is_worth_a_hundred_and_goes_after_thirty_steps(left):
    table = Table(ghosts=0).playing()
    eat_until(table, left + 1)
    table.tick(b"d")
    assert table.state.fruit_steps == 30
    table.put(17, 12)
    before = table.state.score
    table.tick(b"d")
    assert (table.state.score - before, table.state.fruit_steps) == (100, 0)
    eat_until(table, left + 1)
    table.tick(b"d")
    table.steps(31)
    assert table.state.fruit_steps == 0


@pytest.mark.parametrize("left", [20, 10])
def test_few_pellets_make_ghosts_angry(left):
    table = Table(ghosts=0).playing()
    eat_until(table, left + 1)
    table.tick(b"d")
    assert (table.state.mode, table.state.ticks_per_step) == (b.CHASE, 10)


def test_scatter_lasts_sixty_steps_and_chase_a_hundred_and_eighty_and_ghosts_turn_back():
    table = Table(ghosts=0).playing()
    modes = [table.state.mode]
    for _ in range(60 + 180 + 5):
        table.steps(1)
        if table.state.mode != modes[-1]:
            modes.append(table.state.mode)
    assert modes == [b.SCATTER, b.CHASE, b.SCATTER]


def test_a_long_level_is_played_faster():
    table = Table(ghosts=0).playing()
    table.steps(959)
    assert table.state.ticks_per_step == 12
    table.steps(2)
    assert table.state.ticks_per_step == 10
    assert table.events == ["game-penalty"]


def test_a_game_ends_when_its_ticks_no_longer_fit_the_frame():
    table = Table(ghosts=0).playing()
    table.state.ticks = 0xFFFD
    for _ in range(5):
        table.tick(b"P")
    assert (table.state.ticks, table.state.mode) == (0xFFFF, b.PAUSED)


def test_the_camera_moves_pacman_along_a_path_and_he_eats_its_pellets():
    table = Table(ghosts=0).playing()
    table.tick(bytes([ord("x"), 20, 12]))
    assert table.state.pacman.cell == (20, 12)
    assert table.state.score == 40  # (23, 12), (22, 12), (21, 12), (20, 12)


def test_a_far_report_is_a_jump_and_a_wall_is_no_place():
    table = Table(ghosts=0).playing()
    table.tick(bytes([ord("x"), 1, 1]))
    assert (table.state.pacman.cell, table.state.score) == ((1, 1), 10)
    for row, column in ((0, 0), (14, 13), (40, 1), (255, 255)):
        table.tick(bytes([ord("x"), row, column]))
        assert table.state.pacman.cell == (1, 1)


def test_the_camera_reports_the_nearest_open_cell():
    for row, column in ((23, 13), (1, 1), (5, 14)):
        x_m, y_m = BOARD.centre(row, column)
        for dx, dy in ((0, 0), (0.03, 0.01), (-0.04, -0.03)):
            assert BOARD.nearest(x_m + dx, y_m + dy) is not None
        assert BOARD.nearest(x_m, y_m) == (row, column)
    x_m, y_m = BOARD.centre(24, 12)  # a wall cell, below an open one
    assert BOARD.nearest(x_m, y_m + 0.001) == (23, 12)
    assert BOARD.nearest(*BOARD.centre(14, 13)) is None


def test_ghosts_never_leave_what_is_theirs():
    table = Table().playing()
    for _ in range(400):
        table.steps(1)
        if table.state.mode == b.PAUSED:
            table.state.lives = 3
            table.tick(b"P")
        for ghost in table.state.ghosts:
            cell = ghost.place.cell
            assert (
                ghost.place.gone
                or not BOARD.wall_at(*cell)
                or b.in_house(*cell)
                or cell == b.HOUSE_EXIT
            )


@pytest.mark.parametrize(
    ("colour", "wanted"),
    [
        (b.RED, (23, 13)),
        (b.PINK, (23, 17)),  # four ahead of Pacman, who looks to the right
        (b.CYAN, (2 * 23 - 5, 2 * 15 - 6)),  # red is at (5, 6), and (23, 15) is two ahead
        (b.ORANGE, (23, 13)),
    ],
)
def test_each_ghost_chases_in_its_own_way(colour, wanted):
    table = Table().playing()
    state = table.state
    state.mode = b.CHASE
    for ghost in state.ghosts:
        ghost.place.put((5, 6), b.LEFT)
        ghost.spawning = False
    assert _target(state, state.ghosts[colour]) == wanted
    state.mode = b.SCATTER
    assert _target(state, state.ghosts[colour]) == b.SCATTER_TARGET[colour]


def test_orange_turns_away_when_it_is_nearer_than_eight_cells():
    table = Table().playing()
    orange = table.state.ghosts[b.ORANGE]
    table.state.mode, orange.spawning = b.CHASE, False
    for column, wanted in ((21, (23, 13)), (20, b.SCATTER_TARGET[b.ORANGE])):
        orange.place.put((23, column), b.LEFT)
        assert _target(table.state, orange) == wanted
