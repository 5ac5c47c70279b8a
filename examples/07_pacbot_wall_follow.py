"""A Pacbot follows the wall on its left round the block of the mini maze, by its range sensors.

It runs in lockstep: simulated time advances only after the controller has decided, so the run is
the same on any machine.
"""

import rigless
from rigless.clients.pacbot import PhaseEnableMotor, Sensors

PINS = {"north": (17, 27), "south": (22, 23), "east": (24, 25), "west": (5, 6)}
CLOCKWISE = ["north", "east", "south", "west"]
GAP_M, AHEAD_M = 0.075, 0.09  # to the wall at the side; to a wall in front


def drive(motors: dict[str, PhaseEnableMotor], right: float, ahead: float) -> None:
    """Set a velocity in the body frame, from -1 to 1; the robot never turns."""
    for wheel, speed in {"north": right, "south": -right, "east": -ahead, "west": ahead}.items():
        (motors[wheel].forward if speed >= 0 else motors[wheel].backward)(abs(speed))


def follow(host, url: str) -> list[str]:
    """Follow the wall until one is in front, then turn right, four times. Return the headings."""
    motors, path = {wheel: PhaseEnableMotor(*pins, url) for wheel, pins in PINS.items()}, []
    with Sensors(url) as sensors:
        for leg in range(4):
            heading, left = CLOCKWISE[leg], CLOCKWISE[leg - 1]
            while (ranges := sensors.read()["tof"])[heading] > AHEAD_M:
                aside = max(-0.3, min(0.3, 4 * (ranges[left] - GAP_M)))  # back to the gap
                ways = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
                (fx, fy), (lx, ly) = ways[heading], ways[left]
                drive(motors, 0.6 * fx + aside * lx, 0.6 * fy + aside * ly)
                host.step(ms=20)
            x, y, _ = host.truth("pacbot").pose
            path.append(heading)
            place = f"{ranges[heading]:.2f} m before a wall, at ({x:.2f}, {y:.2f})"
            print(f"{host.now_s:5.2f} s  {heading:5} until {place}")
    for motor in motors.values():
        motor.stop()
        motor.close()
    return path


def main() -> None:
    with rigless.serve("pacbot", speed="lockstep", seed=7, settings=["maze=mini"]) as host:
        path = follow(host, host.address("pacbot", "commands"))
        bumps = len(host.truth("pacbot").contacts)
        print(f"round the block: {' → '.join(path)}; touching {bumps or 'nothing'}")


if __name__ == "__main__":
    main()
