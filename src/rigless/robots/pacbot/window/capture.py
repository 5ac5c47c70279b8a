"""Capture a picture of the Pacbots of a simulation, in the host's process."""

from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.robots.pacbot.config import COMPASS, WHEELS
from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.frame import Frame, Seen
from rigless.robots.pacbot.robot import Pacbot
from rigless.robots.pacbot.window import messages as p
from rigless.worlds.grid_world import GridWorld

# Names of range sensors in the window.
SHORT = dict(zip(COMPASS, ("N", "S", "E", "W", "NE", "SE", "SW", "NW"), strict=True))


def pacbots(sim: Simulation) -> list[str]:
    return [name for name, robot in sim.robots.items() if isinstance(robot, Pacbot)]


def scene_of(sim: Simulation, robot: str, number: int) -> p.Scene:
    """Return the walls of the robot's world."""
    world = sim.robots[robot].world
    assert isinstance(world, GridWorld)
    grid = world.grid
    rows, columns = grid.occupied.shape
    cells = grid.occupied.astype("u1").tobytes()
    origin = float(grid.origin[0]), float(grid.origin[1]), float(grid.origin[2])
    return p.Scene(number, robot, rows, columns, cells, grid.resolution_m, origin)


def picture_of(sim: Simulation, robot: str, scene: int, **about: object) -> p.Picture:
    """Return a picture of the chosen robot and the other Pacbots of its world.

    `about` overrides the host's fields: state, pace, real_time_factor, recording.
    """
    here = [name for name in pacbots(sim) if sim.robots[name].world is sim.robots[robot].world]
    bots = [_bot(sim.robots[name]) for name in here]
    known = {"state": "running", "pace": "×1", "real_time_factor": 1.0, **about}
    return p.Picture(
        scene,
        sim.now_s,
        bots=bots,
        chosen=here.index(robot),
        game=_game(sim.robots[robot]),
        **known,  # type: ignore[arg-type]
    )


def _bot(robot: Robot) -> p.Bot:
    assert isinstance(robot, Pacbot)
    truth, full = robot.truth(), robot.config.body.wheel_speed_mps
    north, south, east, west = (truth.wheels[wheel] / full for wheel in WHEELS)
    touch = truth.contacts[0] if truth.contacts else None
    tof, _, imu = robot.readings()
    return p.Bot(
        robot.name, *truth.pose, truth.radius_m, *truth.velocity,
        wheels=(north, south, east, west),
        commands=robot.state.commands,
        rays=[p.Ray(ray.x, ray.y, ray.to_x, ray.to_y, ray.reading_m) for ray in truth.tof],
        contact=(touch.x, touch.y) if touch is not None else None,
        faults=[f"{fault.target} {fault.kind}" for fault in robot.faults],
        ranges=[(SHORT.get(name, name), value) for name, value in tof.items()],
        encoders=robot.state.encoders,
        imu=imu,
    )  # fmt: skip


def _game(robot: Robot) -> p.Game | None:
    assert isinstance(robot, Pacbot)
    if robot.match is None:
        return None
    board, frame = robot.match.board, robot.match.frame()

    def spots(large: bool) -> list[tuple[float, float]]:
        rows = zip(frame.pellets, board.super_pellets, strict=True)
        wanted = [bits & big if large else bits & ~big for bits, big in rows]
        return [
            board.centre(row, col)
            for row, bits in enumerate(wanted)
            for col in range(b.COLUMNS)
            if bits >> col & 1
        ]

    def spot(seen: Seen) -> tuple[float, float] | None:
        return None if (seen.row, seen.column) == b.NOWHERE else board.centre(seen.row, seen.column)

    return p.Game(
        board.maze.cell_size_m, spots(False), spots(True), _ghosts(frame, board),
        spot(frame.fruit), spot(frame.pacman),
        frame.score, frame.lives, frame.level, b.MODES[frame.mode],
    )  # fmt: skip


def _ghosts(frame: Frame, board: b.Board) -> list[p.Ghost | None]:
    return [
        None
        if (ghost.place.row, ghost.place.column) == b.NOWHERE
        else p.Ghost(
            *board.centre(ghost.place.row, ghost.place.column),
            ghost.place.direction,
            ghost.fright_steps > 0,
        )
        for ghost in frame.ghosts
    ]
