"""The controller interface for programs: the same for a real and a simulated controller.

Angles are radians. G-code has joint letters (A B C U V W by default) and degrees.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from rigless.robots.welder import pins

AXES = 6


@dataclass
class JointState:
    """Joints in radians, rad/s and rad/s².

    Torques in Nm are estimates, and zero unless the simulation has its dynamics enabled.
    """

    positions: list[float] = field(default_factory=lambda: [0.0] * AXES)
    velocities: list[float] = field(default_factory=lambda: [0.0] * AXES)
    accelerations: list[float] = field(default_factory=lambda: [0.0] * AXES)
    torques: list[float] = field(default_factory=lambda: [0.0] * AXES)


@dataclass
class ControllerStatus:
    connected: bool = False
    enabled: bool = False
    moving: bool = False
    error: bool = False
    homed: bool = False
    error_message: str = ""
    error_code: int = 0
    buffer_available: int = 0
    buffer_used: int = 0
    state: str = ""  # grblHAL's word: Idle, Run, Hold:0 …


@dataclass
class DigitalIO:
    inputs: int = 0
    outputs: int = 0


@dataclass
class AnalogIO:
    inputs: list[float] = field(default_factory=lambda: [0.0] * pins.ANALOG)
    outputs: list[float] = field(default_factory=lambda: [0.0] * pins.ANALOG)


StatusCallback = Callable[[ControllerStatus], None]
JointStateCallback = Callable[[JointState], None]


class MotionController(ABC):
    """Interface of a robot's controller. Commands return True if they were accepted."""

    @abstractmethod
    def connect(self) -> bool: ...

    @abstractmethod
    def disconnect(self) -> None: ...

    @property
    @abstractmethod
    def is_connected(self) -> bool: ...

    @abstractmethod
    def enable(self) -> bool: ...

    @abstractmethod
    def disable(self) -> bool: ...

    @property
    @abstractmethod
    def is_enabled(self) -> bool: ...

    @abstractmethod
    def send_gcode(self, gcode: str) -> bool: ...

    @abstractmethod
    def jog(self, axis: int, velocity: float) -> bool: ...

    @abstractmethod
    def stop_jog(self) -> bool: ...

    @abstractmethod
    def stop(self) -> bool: ...

    @abstractmethod
    def emergency_stop(self) -> bool: ...

    @abstractmethod
    def home(self, axis: int = -1) -> bool: ...

    @property
    @abstractmethod
    def is_homed(self) -> bool: ...

    @abstractmethod
    def joint_state(self) -> JointState: ...

    @abstractmethod
    def status(self) -> ControllerStatus: ...

    @abstractmethod
    def digital_io(self) -> DigitalIO: ...

    @abstractmethod
    def analog_io(self) -> AnalogIO: ...

    @abstractmethod
    def set_digital_output(self, pin: int, value: bool) -> bool: ...

    @abstractmethod
    def set_analog_output(self, channel: int, value: float) -> bool: ...

    @abstractmethod
    def set_status_callback(self, call: StatusCallback | None) -> None: ...

    @abstractmethod
    def set_joint_state_callback(self, call: JointStateCallback | None) -> None: ...

    @property
    @abstractmethod
    def is_simulation(self) -> bool: ...

    def set_time_scale(self, scale: float) -> None:
        """Of effect in simulation only."""
        return

    def pause(self) -> None:
        """Of effect in simulation only."""
        return

    def resume(self) -> None:
        """Of effect in simulation only."""
        return
