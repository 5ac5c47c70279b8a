"""The observers of a simulation: callbacks for inputs, outputs, events and links."""

from collections.abc import Callable
from typing import Any, NamedTuple

from rigless.kernel.events import Event
from rigless.kernel.inputs import AnyInput
from rigless.kernel.loop.wire_packets import WirePacket
from rigless.kernel.plain import to_builtins
from rigless.kernel.ports import Link


class Output(NamedTuple):
    """Bytes that a robot sends, with the message that they encode."""

    robot: str
    port: str
    link: int
    data: bytes
    subject: str
    message: Any
    late_type: str = ""  # of a delayed output, whose message is plain data: the type of its content
    late_carries: str = ""

    @property
    def content(self) -> Any:
        """The message without its envelope. An envelope class names that field in `CARRIES`."""
        if self.late_type:
            return self.message[self.late_carries] if self.late_carries else self.message
        return getattr(self.message, getattr(type(self.message), "CARRIES", ""), self.message)

    @property
    def type_name(self) -> str:
        """The name of the type of the content."""
        return self.late_type or type(self.content).__name__

    def as_plain_data(self) -> "Output":
        """Return the output with its message as plain data, which snapshots can hold."""
        carries = getattr(type(self.message), "CARRIES", "")
        return self._replace(
            message=to_builtins(self.message), late_type=self.type_name, late_carries=carries
        )


class Listeners(NamedTuple):
    """Callbacks for what happens. Each is called with the simulated time in ns first."""

    input: list[Callable[[int, AnyInput, str], None]]
    output: list[Callable[[int, Output], None]]
    event: list[Callable[[int, Event], None]]
    link: list[Callable[[int, str, str, Link, bool], None]]
    # robot, port, link and the decoded message that the robot receives
    message: list[Callable[[int, str, str, Link, Any], None]]
    # packets in both directions, after the wire faults
    wire: list[Callable[[int, WirePacket], None]]
