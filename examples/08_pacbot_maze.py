"""A Pacbot explores an unknown maze depth first in lockstep, by encoders and range sensors."""

import rigless
from rigless.clients.pacbot import PhaseEnableMotor, Sensors
from rigless.worlds import find_maze, load_maze

PINS = {"north": (17, 27), "south": (22, 23), "east": (24, 25), "west": (5, 6)}
WAYS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
CELL_M, M_PER_TICK = 0.3, 2 * 3.14159265 * 0.025 / 512


class Explorer:
    def __init__(self, host, url: str):
        self.host, self.sensors = host, Sensors(url)
        self.motors = {wheel: PhaseEnableMotor(*pins, url) for wheel, pins in PINS.items()}
        self.seen: set[tuple[int, int]] = set()

    def go(self, cell: tuple[int, int]) -> None:
        """Drive to the middle of a cell, counted from the start, by the encoders."""
        while True:
            ticks = self.sensors.read()["encoders"]
            right = cell[0] * CELL_M - (ticks["north"] - ticks["south"]) / 2 * M_PER_TICK
            ahead = cell[1] * CELL_M - (ticks["west"] - ticks["east"]) / 2 * M_PER_TICK
            if max(abs(right), abs(ahead)) < 0.015:
                return
            errors = (right, -right, -ahead, ahead)
            for motor, error in zip(self.motors.values(), errors, strict=True):
                if abs(error) > 0.003:
                    turn = motor.forward if error > 0 else motor.backward
                    turn(min(1, abs(10 * error)))
            self.host.step(ms=40)

    def explore(self, cell: tuple[int, int]) -> None:
        self.go(cell)
        self.seen.add(cell)
        self.host.step(ms=50)  # range readings from the middle of the cell
        ranges = self.sensors.read()["tof"]
        for way, (right, ahead) in WAYS.items():
            neighbour = (cell[0] + right, cell[1] + ahead)
            if ranges[way] > CELL_M - 0.1 and neighbour not in self.seen:
                self.explore(neighbour)
                self.go(cell)


maze, settings = load_maze(find_maze("medium")), ["maze=medium", "profile=upstream"]
with rigless.serve("pacbot", speed="lockstep", seed=7, settings=settings) as host:
    explorer = Explorer(host, host.address("pacbot", "commands"))
    explorer.explore((0, 0))
    for client in (explorer.sensors, *explorer.motors.values()):
        client.close()
    distance_m = host.truth("pacbot").distance_m
    print(f"{len(explorer.seen)} cells in {host.now_s:.0f} s and {distance_m:.1f} m")
for row in range(11, -1, -1):
    cells = [(column - maze.start[1], row - maze.start[0]) for column in range(12)]
    print("".join("· " if cell in explorer.seen else "██" for cell in cells))
missed = (~maze.cells).sum() - len(explorer.seen)
print(f"{missed} open cells were not visited" if missed else "every open cell was visited")
