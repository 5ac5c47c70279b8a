"""Drive once round the block of the mini maze along the wall on the left, by the range sensors.

`python lap.py URL` uses the motor classes of the Pacbot's own software over ZeroMQ.
"""

import sys
import time

from rigless.clients.pacbot import PhaseEnableMotor, Sensors

PINS = {"north": (17, 27), "south": (22, 23), "east": (24, 25), "west": (5, 6)}
WAYS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
GAP_M, AHEAD_M = 0.075, 0.1  # to the wall at the side; to a wall in front
PERIOD_S = 0.02


def drive(motors: dict[str, PhaseEnableMotor], right: float, ahead: float) -> None:
    """Set a velocity in the body frame, from -1 to 1; the robot never turns."""
    for wheel, speed in {"north": right, "south": -right, "east": -ahead, "west": ahead}.items():
        (motors[wheel].forward if speed >= 0 else motors[wheel].backward)(abs(speed))


def lap(url: str) -> None:
    motors = {wheel: PhaseEnableMotor(*pins, url) for wheel, pins in PINS.items()}
    sensors, headings = Sensors(url), list(WAYS)
    for leg, heading in enumerate(headings):
        left = headings[leg - 1]
        (fx, fy), (lx, ly) = WAYS[heading], WAYS[left]
        while (ranges := sensors.read()["tof"])[heading] > AHEAD_M:
            aside = max(-0.3, min(0.3, 4 * (ranges[left] - GAP_M)))  # back to the gap
            ahead = min(0.7, 0.1 + 2 * (ranges[heading] - AHEAD_M))  # slower before the wall
            drive(motors, ahead * fx + aside * lx, ahead * fy + aside * ly)
            time.sleep(PERIOD_S)
        print(f"leg {leg + 1}: {heading}, {ranges[heading]:.2f} m before the wall", flush=True)
    for motor in motors.values():
        motor.stop()
    print("lap complete", flush=True)


if __name__ == "__main__":
    lap(sys.argv[1])
