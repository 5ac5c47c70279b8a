"""One snapshot, two futures: ten minutes with a healthy sensor, then with a stuck one."""

from pathlib import Path

import rigless

THERMOSTAT = Path(__file__).parent / "thermostat"


def future(sim, title: str) -> list[float]:
    """Run ten minutes and return the temperature after each."""
    temperatures = []
    for _ in range(10):
        sim.run(seconds=60)
        temperatures.append(sim.truth("thermostat").temperature_c)
    print(f"{title:16}", " ".join(f"{value:5.1f}" for value in temperatures))
    return temperatures


def main() -> None:
    sim = rigless.load(str(THERMOSTAT), seed=7)
    sim.run(seconds=60)
    before = sim.snapshot()
    room_c = sim.truth("thermostat").temperature_c
    print(f"at {sim.now_s:.0f} s the room has {room_c:.1f} °C; then, minute by minute:")

    healthy = future(sim, "healthy sensor")
    sim.restore(before)
    sim.inject("thermostat", "temperature", "stuck")
    stuck = future(sim, "stuck sensor")
    sim.restore(before)
    again = future(sim, "healthy, again")

    assert again == healthy, "a restored simulation repeats every bit"
    print(f"the stuck sensor overheats the room by {max(stuck) - max(healthy):.1f} °C")
    print(f"faults now: {sim.robots['thermostat'].faults}")


if __name__ == "__main__":
    main()
