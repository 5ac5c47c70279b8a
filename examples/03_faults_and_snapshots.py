"""Two futures of one instant: a snapshot, ten minutes with a healthy sensor, back, ten minutes with one that is stuck."""

from pathlib import Path

import rigless

THERMOSTAT = Path(__file__).parent / "thermostat"


def future(sim, title: str) -> list[float]:
    """Ten minutes from here, minute by minute."""
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
    print(
        f"at {sim.now_s:.0f} s the room has {sim.truth('thermostat').temperature_c:.1f} °C; then, minute by minute:"
    )

    healthy = future(sim, "healthy sensor")
    sim.restore(before)
    sim.inject("thermostat", "temperature", "stuck")
    stuck = future(sim, "stuck sensor")
    sim.restore(before)
    again = future(sim, "healthy, again")

    assert again == healthy, "a restored simulation goes on to the last bit as the first time"
    print(
        f"the stuck sensor overheats the room by {max(stuck) - max(healthy):.1f} °C; faults now: {sim.robots['thermostat'].faults}"
    )


if __name__ == "__main__":
    main()
