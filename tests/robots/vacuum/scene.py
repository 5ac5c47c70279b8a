"""Rooms drawn as small maps, a vacuum in them, and a client on its wire, for tests."""

import math
from pathlib import Path

import numpy as np

from rigless.kernel import inputs as inp
from rigless.kernel.simulation import Simulation
from rigless.robots.vacuum.wire import Control, Scan, Status
from rigless.scenario.load import open_target

from .client import read

TICK_S = 1 / 110
EPOCH_US = 1_700_000_000_000_000
BOTH_PORTS = ("10.0.0.9:5556", "10.0.0.9:5555")  # receivers of a Peer's telemetry
INSTANT = ("robot.max_linear_acceleration=0", "robot.max_angular_acceleration=0")
NOISELESS = (
    "lidar.noise.range_stddev=0",
    "lidar.noise.angle_stddev=0",
    "lidar.noise.miss_rate=0",
    "imu.gyro_noise.stddev=[0,0,0]",
    "imu.accel_noise.stddev=[0,0,0]",
    "imu.tilt_noise.stddev=[0,0,0]",
    "encoder.noise.slip_stddev=0",
    "encoder.noise.quantization_noise=false",
)


def vacuum(*settings: str, seed: int = 1) -> Simulation:
    """Load a vacuum in the bundled empty room: 6 m × 6 m, starting in the middle."""
    return open_target("vacuum", ["map_file=empty_room", *settings], seed).simulation


def faulty(target: str, kind: str = "", *settings: str, **params) -> Simulation:
    """Load a noiseless vacuum without ramps that has a fault from the start."""
    sim = vacuum(*INSTANT, *NOISELESS, *settings)
    sim.inject("vacuum", target, kind, **params)
    return sim


def scenario(folder: Path, text: str, seed: int = 1) -> Simulation:
    file = folder / "scene.toml"
    file.write_text(text)
    return open_target(file, seed=seed).simulation


def write_map(
    folder: Path, occupied, cell_m: float, origin=(0.0, 0.0, 0.0), cliffs=None, materials=None
) -> str:
    """Return a map as a setting. Arrays have row 0 at the bottom.

    `materials` holds 0 plain, 1 glass, 2 dark, 3 mirror.
    """
    layers = {"image": np.where(occupied, 0, 255)}
    if cliffs is not None:
        layers["cliff_mask"] = np.where(cliffs, 0, 255)
    if materials is not None:
        layers["materials"] = 255 - 85 * np.asarray(materials)
    lines = [f"resolution: {cell_m}", f"origin: {list(origin)}"]
    lines += ["occupied_thresh: 0.65", "free_thresh: 0.196", "negate: 0"]
    for key, levels in layers.items():
        height, width = levels.shape
        data = b"P5 %d %d 255\n" % (width, height) + levels[::-1].astype(np.uint8).tobytes()
        (folder / f"{key}.pgm").write_bytes(data)
        lines.append(f"{key}: {key}.pgm")
    (folder / "map.yaml").write_text("\n".join(lines) + "\n")
    return f"map_file={folder / 'map.yaml'}"


def box(half_x_m: float, half_y_m: float, cell_m: float = 0.05):
    """Return cells and origin of a room around (0, 0) with walls of one cell.

    Half sizes are those of the inside.
    """
    columns, rows = round(2 * half_x_m / cell_m) + 2, round(2 * half_y_m / cell_m) + 2
    occupied = np.ones((rows, columns), bool)
    occupied[1:-1, 1:-1] = False
    return occupied, (-half_x_m - cell_m, -half_y_m - cell_m, 0.0)


def drive(
    sim: Simulation, linear: float = 0.0, angular: float = 0.0, robot: str = "vacuum"
) -> None:
    sim.send(
        robot, "commands", Control("drive", "configure", {"linear": linear, "angular": angular})
    )


def switch(sim: Simulation, component: str, action: str, **config) -> None:
    sim.send("vacuum", "commands", Control(component, action, config))


def heard(sim: Simulation, seconds: float, kind: type, robot: str = "vacuum") -> list:
    """Return the messages of a kind in the next seconds."""
    sim.take(robot, "telemetry")
    sim.run(seconds)
    return [message for message in sim.take(robot, "telemetry") if isinstance(message, kind)]


def statuses(sim: Simulation, seconds: float, robot: str = "vacuum") -> list[Status]:
    return heard(sim, seconds, Status, robot)


def status(sim: Simulation, robot: str = "vacuum") -> Status:
    return statuses(sim, TICK_S * 1.0001, robot)[-1]


def scan(sim: Simulation) -> Scan:
    """Return the next scan of a lidar that is on."""
    return heard(sim, 0.2, Scan)[0]


def column(found: list[Status], name: str) -> np.ndarray:
    return np.array([getattr(one, name) for one in found])


def events(sim: Simulation, code: str) -> list:
    return [event for event in sim.events if event.code == code]


def difference(angle):
    """Return an angle between −π and π."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


class Peer:
    """A client on the TCP port. It sends at once and stores received datagrams and bytes."""

    def __init__(self, sim: Simulation, link: int = 1, host: str = "10.0.0.9"):
        self.sim, self.link = sim, link
        self.gone = False
        self.over_tcp = b""
        sim.core.listeners.output.append(self._output)
        sim.core.listeners.link.append(self._link)
        sim.apply(inp.Connect("vacuum", "commands", link, f"{host}:40{link:02}", "10.0.0.1:5555"))

    def say(self, data: bytes) -> None:
        self.sim.apply(inp.Arrive("vacuum", "commands", self.link, data))

    def hang_up(self) -> None:
        self.sim.apply(inp.Disconnect("vacuum", "commands", self.link))

    def _output(self, at_ns, output) -> None:
        if (output.port, output.link) == ("commands", self.link):
            self.over_tcp += output.data

    def _link(self, at_ns, robot, port, link, opened) -> None:
        self.gone |= (port, link.id, opened) == ("commands", self.link, False)


class Datagrams:
    """Return all datagrams as (time in s, receivers' addresses, decoded message)."""

    def __init__(self, sim: Simulation):
        self.seen: list = []
        self.sim = sim
        sim.core.listeners.output.append(self._output)

    def _output(self, at_ns, output) -> None:
        if output.port == "telemetry":
            links = self.sim.robot("vacuum").links("telemetry")
            peers = tuple(link.peer for link in links if output.link in (link.id, -1))
            self.seen.append((at_ns / 1e9, peers, read(output.data)))

    def groups(self) -> list[str]:
        return [message.sensor_group.group_id for _, _, message in self.seen]


def wall_range(x, y, direction, half_x: float, half_y: float):
    """Return the range from inside a room around (0, 0) to its walls; arrays or numbers."""
    dx, dy = np.cos(direction), np.sin(direction)
    with np.errstate(divide="ignore"):
        to_x = (np.copysign(half_x, dx) - x) / dx
        to_y = (np.copysign(half_y, dy) - y) / dy
    return np.minimum(to_x, to_y)


def beam_ranges(
    poses, angles, half_x: float, half_y: float, mount=(-0.11, 0.0), optical=0.025, offset=0.2182
):
    """Return ranges in the lidar's own frame.

    Poses (x, y, theta) are one for all beams or one for each.
    """
    x, y, theta = np.asarray(poses, float).T
    heading = angles + offset
    local_x, local_y = mount[0] + optical * np.cos(heading), mount[1] + optical * np.sin(heading)
    from_x = x + np.cos(theta) * local_x - np.sin(theta) * local_y
    from_y = y + np.sin(theta) * local_x + np.cos(theta) * local_y
    return wall_range(from_x, from_y, theta + heading, half_x, half_y)
