"""A simulated controller behind the controller interface, with a simulation of its own."""

import math

import numpy as np

from rigless.kernel.simulation import Simulation
from rigless.motion import planner
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.grbl_client import JOINT_LETTERS, GrblClient
from rigless.robots.welder.offline.motion_controller import AXES, AnalogIO, DigitalIO, JointState
from rigless.robots.welder.offline.sim_io import VirtualIO
from rigless.robots.welder.robot import Welder
from rigless.robots.welder.state import Truth
from rigless.robots.welder.wire import Text
from rigless.worlds.cells.cell import Cell

NAME = "welder"
SLICE_S = 0.01  # how often callbacks are called


class VirtualController(GrblClient):
    """Time passes in `run` only; nothing sleeps.

    `run(1.0)` is one second for the caller. The simulation advances by the time scale times that,
    and not at all while paused.
    """

    def __init__(self, config: WelderConfig | None = None, letters: str = "", seed: int = 0):
        """Take G-code with joint letters (A B C U V W) unless `letters` is given.

        In the Cartesian profile the default is the letters of the wire.
        """
        self.config = config or WelderConfig()
        self.cartesian = self.config.coordinates == "cartesian"
        super().__init__(
            letters or (self.config.letters if self.cartesian else JOINT_LETTERS),
            self.config.letters,
            self.config.limits,
        )
        self._seed, self._scale, self._paused = seed, 1.0, False
        self.simulation: Simulation | None = None
        self.cell = Cell.load(self.config.cell) if self.config.cell else None
        self.io = VirtualIO(self)

    @property
    def is_simulation(self) -> bool:
        return True

    @property
    def letters(self) -> str:
        """The axis letters of the caller's G-code."""
        return self._letters

    @property
    def is_homed(self) -> bool:
        return self.truth.homed if self.simulation is not None else False

    @property
    def truth(self) -> Truth:
        found = self._sim.truth(NAME)
        assert isinstance(found, Truth)
        return found

    @property
    def simulation_time_s(self) -> float:
        return self._sim.now_s

    @property
    def running_simulation(self) -> Simulation:
        return self._sim

    def set_cell(self, cell: Cell | None) -> None:
        """Set the cell around the arm, also for later resets."""
        self.cell = cell
        if self.simulation is not None:
            self.robot.set_cell(cell)

    def set_time_scale(self, scale: float) -> None:
        if not 0.1 <= scale <= 100.0:
            raise ValueError(f"a time scale of {scale:g} is out of range; it is 0.1 to 100")
        self._scale = scale

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False

    def run(self, seconds: float) -> None:
        """Let time pass. Callbacks are called every 10 ms."""
        if self._paused:
            return
        left_s = seconds * self._scale
        watched = self._on_status is not None or self._on_joints is not None
        while left_s > 1e-12:
            step_s = min(left_s, SLICE_S) if watched or self.io.watched else left_s
            self._sim.run(step_s)
            left_s -= step_s
            self.io.notify()
            if watched:
                self._request_status()
        self._receive(0.0)

    def wait_idle(self, most_s: float = 3600.0) -> bool:
        """Run until standstill with no waiting line; return False at the time limit."""
        for _ in range(math.ceil(most_s / SLICE_S)):
            if not self._unanswered and self._request_status().state.startswith(
                ("Idle", "Alarm", "Sleep", "Hold:0")
            ):
                return True
            self._sim.run(SLICE_S)
            self.io.notify()
            self._receive(0.0)
        return False

    def reset(self) -> None:
        """Restart at time zero."""
        self._sim.reset()
        self.robot.set_cell(self.cell)
        self._unanswered.clear()
        self._rest, self._enabled = b"", False

    def set_joint_positions(self, positions: list[float]) -> None:
        """Set the joints in radians at once, at standstill."""
        robot = self.robot
        if len(positions) != AXES or not robot.controller.motion.within_limits(
            np.degrees(positions)
        ):
            raise ValueError(
                f"{[round(value, 4) for value in positions]} rad are not {AXES} joints"
                " within their limits"
            )
        robot.controller.motion.drop()
        robot.state.run = planner.new_run(np.degrees(positions))
        robot.controller.motion.sync()
        robot.controller.guard.start()

    def joint_state(self) -> JointState:
        truth = self.truth
        rows = (truth.joints_deg, truth.velocities_degps, truth.accelerations_degps2)
        positions, velocities, accelerations = (
            [math.radians(value) for value in row] for row in rows
        )
        return JointState(positions, velocities, accelerations, list(truth.torques_nm))

    def jog(self, axis: int, velocity: float) -> bool:
        """Jog a joint. Returns False in the Cartesian profile: send `$J=` lines there."""
        return not self.cartesian and super().jog(axis, velocity)

    def _joints(self) -> JointState:
        return self.joint_state()

    def digital_io(self) -> DigitalIO:
        return DigitalIO(self.truth.digital_inputs, self.truth.digital_outputs)

    def analog_io(self) -> AnalogIO:
        return AnalogIO(list(self.truth.analog_inputs), list(self.truth.analog_outputs))

    def set_input(self, name: str, value: bool | float) -> None:
        """Set an input of the machine: a sensor (`di3`, `ai0`), the door, the emergency stop."""
        self._sim.set_input(NAME, name, value)
        self.io.notify()

    @property
    def _sim(self) -> Simulation:
        if self.simulation is None:
            raise RuntimeError("the controller is not connected; call connect() first")
        return self.simulation

    @property
    def robot(self) -> Welder:
        found = self._sim.robot(NAME)
        assert isinstance(found, Welder)
        return found

    def _open(self) -> bool:
        if self.simulation is None:
            self.simulation = Simulation([Welder(NAME, self.config)], seed=self._seed)
            if self.cell is not None:
                self.robot.set_cell(self.cell)
        return True

    def _close(self) -> None:
        self.simulation = None

    def _write(self, data: bytes) -> None:
        self._sim.send(NAME, "grbl", data)

    def _receive_bytes(self, seconds: float) -> bytes:
        """Advance the simulation by milliseconds until there is output."""
        for _ in range(math.ceil(seconds * 1000)):
            if found := self._output():
                return found
            self._sim.run(0.001)
        return self._output()

    def _output(self) -> bytes:
        return "".join(
            one.text for one in self._sim.take(NAME, "grbl") if isinstance(one, Text)
        ).encode("latin-1")
