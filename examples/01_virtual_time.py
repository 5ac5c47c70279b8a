"""An hour of a thermostat in virtual time: no sockets, no waiting, the same on every run."""

from pathlib import Path

import rigless

THERMOSTAT = Path(__file__).parent / "thermostat"
BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: list[float]) -> str:
    low, high = min(values), max(values)
    return "".join(
        BARS[int((value - low) / (high - low or 1) * (len(BARS) - 1))] for value in values
    )


def main() -> None:
    sim = rigless.load(str(THERMOSTAT), seed=7)
    sim.send("thermostat", "line", b"SET 22\n")  # the bytes a client would send
    temperatures = []
    for minute in range(60):
        if minute == 30:
            sim.set_input("thermostat", "window_open", True)
        if minute == 33:
            sim.set_input("thermostat", "window_open", False)
        sim.run(seconds=60)
        temperatures.append(sim.truth("thermostat").temperature_c)
    print(sparkline(temperatures))
    low, high = min(temperatures), max(temperatures)
    print(f"{low:.1f} to {high:.1f} °C in an hour; the window was open from minute 30 to 33")

    answer = sim.take("thermostat", "line")[0]
    switched = [event for event in sim.events if event.code == "heater"]
    print(f"SET 22 was answered with {answer.text!r}; the heater switched {len(switched)} times")
    for event in switched[:4]:
        print(f"  {event.time_ns / 1e9:7.1f} s  {event.text}")


if __name__ == "__main__":
    main()
