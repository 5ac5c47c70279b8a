"""A Pacbot explores a maze that it does not know: depth first, cell by cell, with encoders for where it is and range sensors for what
is open. In lockstep, so a minute and a half of driving takes seconds, and comes out the same each time."""

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
        """Drive to the middle of a cell, counted from where it began, by what the encoders say."""
        while True:
            ticks = self.sensors.read()["encoders"]
            right = cell[0] * CELL_M - (ticks["north"] - ticks["south"]) / 2 * M_PER_TICK
            ahead = cell[1] * CELL_M - (ticks["west"] - ticks["east"]) / 2 * M_PER_TICK
            if max(abs(right), abs(ahead)) < 0.015:
                return
            for wheel, error in {
                "north": right,
                "south": -right,
                "east": -ahead,
                "west": ahead,
            }.items():
                if abs(error) > 0.003:
                    turn = self.motors[wheel].forward if error > 0 else self.motors[wheel].backward
                    turn(min(1, abs(10 * error)))
            self.host.step(ms=40)

    def explore(self, cell: tuple[int, int]) -> None:
        self.go(cell)
        self.seen.add(cell)
        self.host.step(ms=50)  # for a look from where it stands
        ranges = self.sensors.read()["tof"]
        for way, (right, ahead) in WAYS.items():
            there = (cell[0] + right, cell[1] + ahead)
            if ranges[way] > CELL_M - 0.1 and there not in self.seen:
                self.explore(there)
                self.go(cell)


def main() -> None:
    maze = load_maze(find_maze("medium"))
    with rigless.serve(
        "pacbot", speed="lockstep", seed=7, settings=["maze=medium", "profile=upstream"]
    ) as host:
        explorer = Explorer(host, host.address("pacbot", "commands"))
        explorer.explore((0, 0))
        for client in (explorer.sensors, *explorer.motors.values()):
            client.close()
        print(
            f"{len(explorer.seen)} cells in {host.now_s:.0f} s and {host.truth('pacbot').distance_m:.1f} m"
        )
    for row in range(11, -1, -1):
        seen = (
            (column - maze.start[1], row - maze.start[0]) in explorer.seen for column in range(12)
        )
        print("".join("· " if found else "██" for found in seen))
    print(
        "every open cell was visited"
        if len(explorer.seen) == (~maze.cells).sum()
        else "some cells are missing"
    )


main()
