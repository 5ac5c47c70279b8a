"""The floor plan of the demo's vacuum: obstacles, swept floor, and the next lane to clean.

The plan is a grid of 5 cm cells whose axes are the walls' directions. The lidar lowers the score of
a cell that a beam crosses and raises that of a cell with an echo, so an obstacle that moves is
forgotten. The robot cleans in lanes along the axes, as long as these sweep new floor; from the end
of the last one it goes the shortest way to floor that is not swept.
"""

from cmath import pi, rect
from collections import deque
from itertools import pairwise
from math import hypot

import numpy as np

CELL_M, SIZE = 0.05, 480  # 24 m × 24 m around the first place
SWEEP_M, CLEAR_M, LANE_M = 0.17, 0.225, 0.3  # radius, distance to obstacles, between two lanes
REACH_M, ECHO_GAP_M = 5.0, 0.1  # free floor is noted up to here, and not just before an echo
FREE, ECHO, SURE = -1, 3, 12  # changes of a cell's score, and its limit
WORTH = 0.35  # of the disc below the robot, for a way there
LEAST_RATE_M2PS = 0.04  # new floor; at full speed a new lane gives 0.09
LEAST_M, CROSS = 0.15, 0.7  # length of a lane; worth of one across the last one
SPEED_MPS, TURN_RADPS, CORNER_S = 0.3, 0.9, 0.8
Cell = tuple[int, int]


def disc(radius_m: float) -> list[Cell]:
    """Return the cells of a disc around (0, 0)."""
    cells, reach = radius_m / CELL_M, int(radius_m / CELL_M)
    span = range(-reach, reach + 1)
    return [(i, k) for i in span for k in span if hypot(i, k) <= cells]


BELOW, TIGHT, CLEAR, NEAR = disc(SWEEP_M), disc(0.16), disc(CLEAR_M), disc(0.3)
TOUCHED = disc(0.11)


def cell(place: complex) -> Cell:
    """Return the cell of a place; places beyond the grid are in its outermost cells."""
    i, k = int(place.real / CELL_M + SIZE / 2), int(place.imag / CELL_M + SIZE / 2)
    return min(max(i, 9), SIZE - 10), min(max(k, 9), SIZE - 10)


def centre(at: Cell) -> complex:
    return complex(at[0] + 0.5 - SIZE / 2, at[1] + 0.5 - SIZE / 2) * CELL_M


def spread(mask: np.ndarray, cells: list[Cell]) -> np.ndarray:
    """Return a mask with these cells around each cell that is set."""
    found = np.zeros_like(mask)
    offsets = [i * SIZE + k for i, k in cells]
    np.put(found, np.add.outer(np.flatnonzero(mask), offsets), True, mode="wrap")
    return found


def between(start: complex, end: complex) -> list[Cell]:
    """Return the cells of a straight line."""
    steps = max(1, round(abs(end - start) / (CELL_M / 2)))
    return list(dict.fromkeys(cell(start + (end - start) * n / steps) for n in range(steps + 1)))


class CleaningMap:
    def __init__(self) -> None:
        self.score = np.zeros((SIZE, SIZE), np.int8)
        self.swept = np.zeros((SIZE, SIZE), bool)
        self.marks: list[tuple[float, complex]] = []  # end of validity, place of a bump or edge
        self.open = np.zeros((SIZE, SIZE), bool)  # for the middle of the robot
        self.tight = self.open  # for the middle of a robot that is nearly in contact
        self.axis = -1  # of the last lane: 0 or 1

    def see(self, lidar: complex, echoes: np.ndarray) -> bool:
        """Note a scan. Return False if it does not fit to the map: the robot was carried."""
        ways = echoes - lidar
        steps = np.arange(0.0, REACH_M, CELL_M / 1.5)
        along = ways / np.maximum(abs(ways), 1e-9)
        beams = lidar + steps[:, None] * along
        beams = beams[steps[:, None] < abs(ways) - ECHO_GAP_M]
        free, hit = (np.zeros_like(self.open) for _ in range(2))
        for mask, places in ((free, beams), (hit, echoes)):
            at = (np.stack((places.real, places.imag)) / CELL_M + SIZE / 2).astype(int)
            mask[tuple(np.clip(at, 0, SIZE - 1))] = True
        if not self._fits(hit):
            return False
        self.score[free & ~hit] += FREE
        self.score[hit] += ECHO
        np.clip(self.score, -SURE, SURE, out=self.score)
        return True

    def _fits(self, hit: np.ndarray) -> bool:
        """Return False if most echoes come from floor that was free in all scans."""
        wrong = hit & (self.score == -SURE) & ~spread(self.score > 0, disc(0.25))
        return int(wrong.sum()) < 30 or wrong.sum() < 0.5 * hit.sum()

    def plan(self, now_s: float, place: complex) -> None:
        """Find the floor that is free for the middle of the robot."""
        solid = self.score > 0
        self.marks = [mark for mark in self.marks if mark[0] > now_s]
        marked = np.zeros_like(solid)
        for _, spot in self.marks:
            marked[cell(spot)] = True
        self.tight = (self.score < 0) & ~spread(solid | marked, TIGHT)
        self.open = self.tight & ~spread(solid, CLEAR)
        i, k = cell(place)
        for di, dk in NEAR:  # it may have come too near to something
            self.open[i + di, k + dk] |= self.tight[i + di, k + dk]
        touched = spread(solid, TOUCHED)
        for di, dk in TOUCHED:  # cells are coarse: there may be a way out between two contacts
            free = not touched[i + di, k + dk]
            self.open[i + di, k + dk] |= free
            self.tight[i + di, k + dk] |= free
        self.open[i, k] = True

    def sweep(self, place: complex) -> None:
        i, k = cell(place)
        for di, dk in BELOW:
            self.swept[i + di, k + dk] = True

    def is_open(self, start: complex, end: complex) -> bool:
        return all(self.open[at] for at in between(start, end))

    def is_blocked(self, start: complex, end: complex) -> bool:
        return not all(self.tight[at] for at in between(start, end)[3:])

    # Lanes

    def lane(self, place: complex, heading: float) -> list[complex]:
        """Return the corners of the lane with the most new floor a second; [] if none is good."""
        best, corners, axis = LEAST_RATE_M2PS, [], -1
        for quarter in range(4):
            ahead = rect(1, quarter * pi / 2)
            for side_m in (0.0, LANE_M, -LANE_M, LANE_M / 2, -LANE_M / 2):
                start = place + side_m * 1j * ahead
                if side_m and not self.is_open(place, start):
                    continue
                area, length, end = self._straight(start, ahead)
                if length < LEAST_M:
                    continue
                time_s = (abs(side_m) + length) / SPEED_MPS
                time_s += self._turns(heading, [place, start, end])
                rate = area / time_s * (1.0 if quarter % 2 == self.axis else CROSS)
                if rate > best:
                    best, corners, axis = rate, [start, end] if side_m else [end], quarter % 2
        self.axis = axis
        return corners

    def _straight(self, start: complex, ahead: complex) -> tuple[float, float, complex]:
        """Return the new floor of a lane, its length and its end: there is none after that."""
        new, best, end, fresh = set[Cell](), (0.0, 0.0), start, start
        place = start
        while self.open[cell(place)] and abs(place - fresh) < 0.4:
            i, k = cell(place)
            cells = {(i + di, k + dk) for di, dk in BELOW}
            cells = {at for at in cells - new if not self.swept[at] and self.score[at] < 0}
            new |= cells
            if len(cells) >= 3:
                fresh = end = place
                best = len(new) * CELL_M**2, abs(place - start)
            place += CELL_M * ahead
        return *best, end

    def _turns(self, heading: float, corners: list[complex]) -> float:
        time_s = 0.0
        for start, end in pairwise(corners):
            if abs(end - start) > CELL_M:
                turn = abs(np.angle((end - start) * rect(1, -heading)))
                time_s += turn / TURN_RADPS + (CORNER_S if turn > 0.2 else 0.0)
                heading = float(np.angle(end - start))
        return time_s

    # Ways

    def way(self, place: complex) -> list[complex]:
        """Return the corners of the shortest way to floor that is not swept; [] if it is clean."""
        dirty = (self.score < 0) & ~self.swept
        share = sum(np.roll(dirty, at, (0, 1)).astype(np.int8) for at in BELOW)
        goals = share >= WORTH * len(BELOW)
        for floor in (self.open, self.tight):
            if corners := self._shortest(floor, goals, place):
                return corners
        return []

    def _shortest(self, floor: np.ndarray, goals: np.ndarray, place: complex) -> list[complex]:
        """Search the nearest goal breadth first; return the corners of the way there."""
        first = cell(place)
        came: dict[Cell, Cell] = {first: first}
        queue = deque([first])
        while queue:
            at = queue.popleft()
            if goals[at]:
                return self._corners(came, at, place)
            for step in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
                to = at[0] + step[0], at[1] + step[1]
                if to not in came and floor[to]:
                    came[to] = at
                    queue.append(to)
        return []

    def _corners(self, came: dict[Cell, Cell], at: Cell, place: complex) -> list[complex]:
        """Return a way without the corners that a straight line can leave out."""
        cells = [at]
        while came[at] != at:
            cells.append(at := came[at])
        places = [place, *(centre(one) for one in reversed(cells))]
        corners, here = [], 0
        while here < len(places) - 1:
            rest = range(len(places) - 1, here + 1, -1)
            here = next((n for n in rest if self.is_open(places[here], places[n])), here + 1)
            corners.append(places[here])
        return corners


def walls(echoes: np.ndarray) -> float:
    """Return the direction of most walls, from -45° to 45°, from the echoes of one scan."""
    steps = np.diff(echoes[np.argsort(np.angle(echoes))], n=1)
    near = steps[(abs(steps) < 0.3) & (abs(steps) > 0.01)]
    return float(np.angle(np.sum(near**4 / abs(near) ** 3))) / 4 if len(near) else 0.0
