"""The I/O of a simulated controller from the machine's side."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rigless.robots.welder import pins as io
from rigless.robots.welder.offline.motion_controller import DigitalIO

if TYPE_CHECKING:
    from rigless.robots.welder.offline.sim_controller import VirtualController

PinCallback = Callable[[int, bool], None]


class VirtualIO:
    """What its sensors see, what its outputs do, and what is wired to what."""

    def __init__(self, controller: "VirtualController"):
        self._controller = controller
        self._on_input: PinCallback | None = None
        self._on_output: PinCallback | None = None
        self._seen = DigitalIO()

    def digital_input(self, pin: int) -> bool:
        return bool(self._controller.digital_io().inputs >> io.check_pin(pin) & 1)

    def set_digital_input(self, pin: int, value: bool) -> None:
        self._controller.set_input(f"di{io.check_pin(pin)}", value)

    def digital_output(self, pin: int) -> bool:
        return bool(self._controller.digital_io().outputs >> io.check_pin(pin) & 1)

    def set_digital_output(self, pin: int, value: bool) -> None:
        """At once, whatever the program does."""
        self._controller.robot.switch(io.check_pin(pin), value)
        self.tell()

    def analog_input(self, channel: int) -> float:
        return self._controller.analog_io().inputs[io.check_channel(channel)]

    def set_analog_input(self, channel: int, volts: float) -> None:
        self._controller.set_input(f"ai{io.check_channel(channel)}", io.check_volts(volts))

    def analog_output(self, channel: int) -> float:
        return self._controller.analog_io().outputs[io.check_channel(channel)]

    def set_analog_output(self, channel: int, volts: float) -> None:
        io.drive(self._controller.robot.state.outputs, channel, volts)

    def link(self, output: int, input: int, delay_ms: float = 0.0) -> None:
        """A change of the output switches the input, a while later."""
        io.link(self._controller.robot.state.outputs, output, input, delay_ms)

    def unlink(self, output: int) -> None:
        io.unlink(self._controller.robot.state.outputs, output)

    def set_digital_input_callback(self, call: PinCallback | None) -> None:
        """Called with each pin that has changed and its value, every 10 ms while time passes."""
        self._on_input, self._seen = call, self._controller.digital_io()

    def set_digital_output_callback(self, call: PinCallback | None) -> None:
        self._on_output, self._seen = call, self._controller.digital_io()

    @property
    def watched(self) -> bool:
        return self._on_input is not None or self._on_output is not None

    def tell(self) -> None:
        """Call back about what has changed since last time."""
        if not self.watched:
            return
        seen, self._seen = self._seen, self._controller.digital_io()
        for call, before, now in (
            (self._on_input, seen.inputs, self._seen.inputs),
            (self._on_output, seen.outputs, self._seen.outputs),
        ):
            for pin in range(io.DIGITAL):
                if call is not None and (before ^ now) >> pin & 1:
                    call(pin, bool(now >> pin & 1))
