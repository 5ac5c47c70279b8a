"""Virtual I/O: 32 digital and 8 analog (0–10 V) inputs and outputs, and links from out to in.

Inputs are virtual inputs of the robot (`di0` … `ai7`), so a person, a scenario or a link can set
them.
"""

from dataclasses import dataclass, field

from rigless.kernel.robot import VirtualInput

DIGITAL, ANALOG, MOST_V = 32, 8, 10.0


@dataclass
class Outputs:
    digital: int = 0  # one bit for each pin
    analog: list[float] = field(default_factory=lambda: [0.0] * ANALOG)
    links: list[tuple[int, int, float]] = field(default_factory=list)  # output, input, delay in ms


def declared() -> dict[str, VirtualInput]:
    """Return the declarations of the inputs."""
    return {
        **{f"di{pin}": VirtualInput(False, f"digital input {pin}") for pin in range(DIGITAL)},
        **{
            f"ai{channel}": VirtualInput(0.0, f"analog input {channel} in V", 0.0, MOST_V)
            for channel in range(ANALOG)
        },
    }


def is_on(outputs: Outputs, pin: int) -> bool:
    return bool(outputs.digital >> check_pin(pin) & 1)


def switch(outputs: Outputs, pin: int, on: bool) -> bool:
    """Set a digital output; True if it changed."""
    before = outputs.digital
    bit = 1 << check_pin(pin)
    outputs.digital = before | bit if on else before & ~bit
    return outputs.digital != before


def drive(outputs: Outputs, channel: int, volts: float) -> None:
    outputs.analog[check_channel(channel)] = check_volts(volts)


def check_pin(pin: int) -> int:
    if not 0 <= pin < DIGITAL:
        raise ValueError(f"there is no digital pin {pin}; they are 0 to {DIGITAL - 1}")
    return pin


def check_channel(channel: int) -> int:
    if not 0 <= channel < ANALOG:
        raise ValueError(f"there is no analog channel {channel}; they are 0 to {ANALOG - 1}")
    return channel


def check_volts(volts: float) -> float:
    if not 0.0 <= volts <= MOST_V:
        raise ValueError(f"{volts:g} V is out of range; analog values are 0 to {MOST_V:g} V")
    return volts


def link(outputs: Outputs, output: int, input: int, delay_ms: float = 0.0) -> None:
    """Link an input to an output: it follows each change after a delay."""
    if not delay_ms >= 0.0:
        raise ValueError(f"a delay of {delay_ms:g} ms is not possible; it is zero or more")
    outputs.links.append((check_pin(output), check_pin(input), delay_ms))


def unlink(outputs: Outputs, output: int) -> None:
    outputs.links = [one for one in outputs.links if one[0] != check_pin(output)]


def bits(values: list[bool]) -> int:
    return sum(1 << place for place, value in enumerate(values) if value)
