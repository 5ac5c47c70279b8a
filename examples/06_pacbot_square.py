"""A Pacbot drives a square in real time, with the motor classes of its own software."""

import time

import rigless
from rigless.clients.pacbot import PhaseEnableMotor, Sensors

PINS = {"north": (17, 27), "south": (22, 23), "east": (24, 25), "west": (5, 6)}
SIDES = [
    ("forward", "west", "east"),
    ("right", "north", "south"),
    ("backward", "east", "west"),
    ("left", "south", "north"),
]
TICKS = 0.2 * 1000 / (2 * 3.14159 * 0.025)  # encoder ticks on a side of 0.2 m


def square(url: str) -> None:
    motors = {wheel: PhaseEnableMotor(*pins, url) for wheel, pins in PINS.items()}
    with Sensors(url) as sensors:
        for name, ahead, back in SIDES:
            begin = sensors.read()["encoders"][ahead]
            replies = motors[ahead].forward(0.5), motors[back].backward(0.5)
            print(f"{name:9}", " / ".join(reply["message"] for reply in replies), end="")
            while (done := sensors.read()["encoders"][ahead] - begin) < TICKS:
                speed = min(0.5, 0.05 + (TICKS - done) / TICKS)  # slower towards the end
                motors[ahead].forward(speed)
                motors[back].backward(speed)
                time.sleep(0.005)
            motors[ahead].stop()
            motors[back].stop()
            ranges = sensors.read()["tof"]
            print(
                "; ranges:", ", ".join(f"{way} {range_m:.2f} m" for way, range_m in ranges.items())
            )
    for motor in motors.values():
        motor.close()


def main() -> None:
    with rigless.serve("pacbot", seed=7) as host:
        square(host.address("pacbot", "commands"))
        x, y, _ = host.truth("pacbot").pose
        print(f"the square closes to {100 * abs(complex(x - 1.05, y - 1.05)):.1f} cm")


if __name__ == "__main__":
    main()
