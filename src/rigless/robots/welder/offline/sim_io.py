"""The I/O of a simulated controller from the machine's side."""

from collections.abc import Callable
from typing import Protocol

from rigless.robots.welder import pins
from rigless.robots.welder.offline.motion_controller import AnalogIO, DigitalIO
from rigless.robots.welder.robot import Welder

PinCallback = Callable[[int, bool], None]


class SimulatedMachine(Protocol):
    @property
    def robot(self) -> Welder: ...

    def set_input(self, name: str, value: bool | float) -> None: ...

    def digital_io(self) -> DigitalIO: ...

    def analog_io(self) -> AnalogIO: ...


class VirtualIO:
    """Set inputs, read outputs, link an output to an input, and watch for changes."""

    def __init__(self, controller: SimulatedMachine):
        self._controller = controller
        self._on_input: PinCallback | None = None
        self._on_output: PinCallback | None = None
        self._last = DigitalIO()

    def digital_input(self, pin: int) -> bool:
        return bool(self._controller.digital_io().inputs >> pins.check_pin(pin) & 1)

    def set_digital_input(self, pin: int, value: bool) -> None:
        self._controller.set_input(f"di{pins.check_pin(pin)}", value)

    def digital_output(self, pin: int) -> bool:
        return bool(self._controller.digital_io().outputs >> pins.check_pin(pin) & 1)

    def set_digital_output(self, pin: int, value: bool) -> None:
        """Set an output at once, without G-code."""
        self._controller.robot.controller.accessories.switch(pins.check_pin(pin), value)
        self.notify()

    def analog_input(self, channel: int) -> float:
        return self._controller.analog_io().inputs[pins.check_channel(channel)]

    def set_analog_input(self, channel: int, volts: float) -> None:
        self._controller.set_input(f"ai{pins.check_channel(channel)}", pins.check_volts(volts))

    def analog_output(self, channel: int) -> float:
        return self._controller.analog_io().outputs[pins.check_channel(channel)]

    def set_analog_output(self, channel: int, volts: float) -> None:
        pins.drive(self._controller.robot.state.outputs, channel, volts)

    def link(self, output: int, input: int, delay_ms: float = 0.0) -> None:
        """Switch the input after each change of the output, with a delay."""
        pins.link(self._controller.robot.state.outputs, output, input, delay_ms)

    def unlink(self, output: int) -> None:
        pins.unlink(self._controller.robot.state.outputs, output)

    def set_digital_input_callback(self, call: PinCallback | None) -> None:
        """Set a function that is called with each changed pin and its value, every 10 ms."""
        self._on_input, self._last = call, self._controller.digital_io()

    def set_digital_output_callback(self, call: PinCallback | None) -> None:
        self._on_output, self._last = call, self._controller.digital_io()

    @property
    def watched(self) -> bool:
        return self._on_input is not None or self._on_output is not None

    def notify(self) -> None:
        """Call the callbacks for pins that have changed since the last call."""
        if not self.watched:
            return
        before, self._last = self._last, self._controller.digital_io()
        for call, old, new in (
            (self._on_input, before.inputs, self._last.inputs),
            (self._on_output, before.outputs, self._last.outputs),
        ):
            for pin in range(pins.DIGITAL):
                if call is not None and (old ^ new) >> pin & 1:
                    call(pin, bool(new >> pin & 1))
