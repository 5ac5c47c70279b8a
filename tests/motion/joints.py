"""A planner with the welding arm's limits, and a simple reference that plans all at once."""

import itertools
import math

import numpy as np

from rigless.motion import planner as p

RATES = np.array([120.0, 120.0, 120.0, 190.0, 190.0, 250.0])
ACCELERATIONS = np.array([500.0, 500.0, 500.0, 800.0, 800.0, 1000.0])
DEVIATION = 0.01


class Joints:
    """A queue under test. Times are seconds since its start."""

    def __init__(self, capacity=100, start=(0.0,) * 6):
        self.blocks, self.run = p.new_queue(capacity), p.new_run(np.array(start))
        self.tags: list[float] = []
        self.now_s = 0.0

    def go(self, target, rate=np.inf, kind=p.FEED, tag=0):
        kind = p.RAPID if math.isinf(rate) else kind
        end = np.array([*target, *[0.0] * (6 - len(target))])
        return p.append(
            self.blocks,
            self.run,
            self.now_s,
            end,
            float(rate),
            kind,
            float(tag),
            RATES,
            ACCELERATIONS,
            DEVIATION,
            0.0,
        )

    def to(self, now_s):
        done = np.zeros(8)
        while (count := p.advance(self.blocks, self.run, now_s, done)) > 0:
            self.tags += done[:count].tolist()
        self.now_s = now_s
        return self.look()

    def look(self):
        out = np.zeros((3, 6))
        self.speed = p.sample(self.blocks, self.run, self.now_s, out)
        return out

    def change(self, hold=False, feed=1.0, rapid=1.0):
        p.set_overrides(self.blocks, self.run, self.now_s, hold, feed, rapid)

    @property
    def count(self):
        return int(self.run[p.COUNT])

    def finish(self):
        """Run to the end of the queue; return the time."""
        while self.count:
            self.to(p.next_free_s(self.blocks, self.run))
        return self.run[p.TIME]


def least(limits, vector):
    return min(limit / abs(part) for limit, part in zip(limits, vector, strict=True) if part)


def total_time(points, rates):
    """Return the duration of a program from rest to rest, planned as a whole: the reference."""
    blocks = []
    for a, b, rate in zip(points, points[1:], rates, strict=False):
        delta = [y - x for x, y in zip(a, b, strict=True)]
        length = math.sqrt(sum(d * d for d in delta))
        if length < 1e-9:
            continue
        unit = [d / length for d in delta]
        limit = least(RATES, unit)
        blocks.append((unit, length, max(min(rate, limit), 1 / 60), least(ACCELERATIONS, unit)))
    entries = [0.0]
    for (u, _, v, _), (w, _, x, _) in itertools.pairwise(blocks):
        entries.append(min(corner(u, w), v, x))
    entries.append(0.0)
    for n in range(len(blocks) - 1, -1, -1):
        _, length, _, a = blocks[n]
        entries[n] = min(entries[n], math.sqrt(entries[n + 1] ** 2 + 2 * a * length))
    time = 0.0
    for n, (_, length, v, a) in enumerate(blocks):
        entries[n + 1] = min(entries[n + 1], math.sqrt(entries[n] ** 2 + 2 * a * length))
        begin, end = entries[n], entries[n + 1]
        peak = min(v, math.sqrt(a * length + (begin**2 + end**2) / 2))
        ramps = (2 * peak**2 - begin**2 - end**2) / (2 * a)
        time += (2 * peak - begin - end) / a + (length - ramps) / peak
    return time


def corner(u, w):
    """Return the speed at a junction from the angle between the lines."""
    cosine = max(-1.0, min(1.0, -sum(a * b for a, b in zip(u, w, strict=True))))
    if cosine > 0.999999:
        return 0.0
    if cosine < -0.999999:
        return math.inf
    s = math.sin(math.acos(cosine) / 2)
    turn = [b - a for a, b in zip(u, w, strict=True)]
    norm = math.sqrt(sum(t * t for t in turn))
    return math.sqrt(least(ACCELERATIONS, [t / norm for t in turn]) * DEVIATION * s / (1 - s))
