"""Programs and their cycle times on grblHAL.

The firmware is core build 20260817 with six axes, 1000 steps a unit, the welder's rates and
accelerations, $11=0.01 and $12=0.002. Its own step timer (160 MHz) measured from the first byte to
the last step.

Programs in PLANNER were written to its buffer as soon as there was space. Those in DENSE came over
a serial line at the given bit rate.
"""

import math


def _chords(points: list[str], feed: int) -> str:
    return "\n".join([f"G1 F{feed}", *points])


def _line(step: float, count: int, feed: int) -> str:
    return _chords([f"G1 X{step * n:.4f}" for n in range(1, count + 1)], feed)


def _circle(step_deg: float, feed: int, turns: float = 1.0) -> str:
    angles = [math.radians(step_deg * n) for n in range(1, round(360 * turns / step_deg) + 1)]
    return _chords([f"X{20 * math.cos(a) - 20:.4f}Y{20 * math.sin(a):.4f}" for a in angles], feed)


def _waves(count: int, feed: int) -> str:
    shares = [n / count for n in range(1, count + 1)]
    return _chords(
        [
            f"X{60 * u:.4f}"
            f"Y{10 * math.sin(4 * math.pi * u):.4f}"
            f"B{15 * math.sin(2 * math.pi * u):.4f}"
            for u in shares
        ],
        feed,
    )


def _spline(count: int, feed: int) -> str:
    def at(u: float, a: float) -> float:
        return 30 * (a * u**3 - u**2 + u * math.sin(3 * u))

    weights = {"X": 2.0, "Y": 1.0, "Z": -1.0, "A": 0.5, "C": 3.0}
    shares = [n / count for n in range(1, count + 1)]
    return _chords(
        ["".join(f"{axis}{at(u, a):.4f}" for axis, a in weights.items()) for u in shares], feed
    )


def _corners(count: int) -> str:
    places = ("X10Y0A0", "X10Y12A0", "X10Y12A15", "X0Y12A15", "X0Y0A15", "X0Y0A0")
    return _chords([places[n % 6] for n in range(count)], 4800)


PLANNER: dict[str, tuple[str, float]] = {
    "rapid": ("G0 X90", 0.9904),
    "three_axes": ("G1 X90 Y45 C180 F3600", 3.4902),
    "short": ("G1 X2 F6000\nG1 X4\nG1 X2\nG1 X0", 0.3579),
    "six_axes": ("G0 X41 Y-33 Z20 A50 B-60 C171\nG0 X0 Y0 Z0 A0 B0 C0", 1.8687),
    "slow": ("G1 X1 F30", 2.0011),
    "corners": (_corners(60), 16.7768),
    "zigzag": (_chords([f"X{n % 2 * 4}Y{n * 0.5:.3f}" for n in range(80)], 3600), 13.8772),
    "arcs_xy": ("G17 G2 X20 Y0 I10 J0 F2400\nG3 X0 Y0 I-10 J0", 1.7328),
    "arcs_xz": ("G18 G2 X20 Z0 I10 K0 F2400\nG3 X0 Z0 I-10 K0", 1.7328),
    "arcs_yz": ("G19 G2 Y20 Z0 J10 K0 F2400\nG3 Y0 Z0 J-10 K0", 1.7328),
    "helix": ("G17 G2 X0 Y0 Z12 I15 J0 P3 F4000\nG3 X10 Y10 R10 F6000", 4.7152),
    "small_arcs": (
        "\n".join(["G17 F3000", *(f"G2 X{2 * n + 2} Y0 I1 J0" for n in range(20))]),
        3.0405,
    ),
    "mixed": (
        "\n".join(
            f"G0 X{n * 3} Z5\nG1 Z0 F600\nG1 X{n * 3 + 2} Y{n % 3} F1800\nG0 Z5" for n in range(12)
        ),
        10.7318,
    ),
    "dwell": ("G0 X10\nG4 P0.5\nG1 X20 F1200\nG4 P0.25\nG0 X0", 1.9721),
    "exact_path": (f"G61\n{_corners(24)}", 6.7186),
    "inverse_time": ("G93\nG1 X10 F30\nX20 Y10 F60\nX20 Y0 C40 F20\nX0 F40\nG94", 7.5414),
    "spindle": ("G0 X10\nM3 S500\nG1 X20 F600\nG1 Y5\nM5\nG0 X0 Y0", 2.2101),
    "coolant": ("G1 X10 F3600\nM7\nG1 X20\nM9\nG1 X30", 0.8604),
    "circle": (_circle(1, 2400), 3.2250),
    "waves": (_waves(200, 3000), 2.5515),
    "relative": (
        "\n".join(["G91", "G1 F3000", *["X1.5 Y0.5 C2", "X1.5 Y-0.5 C-2"] * 30, "G90"]),
        6.0638,
    ),
    "offsets": (
        "G10 L2 P1 X5\nG54\nG1 X10 Y5 F3000\nG92 X0 Y0\nG1 X10\nG92.1\nG10 L2 P1 X0\nG0 X0 Y0",
        1.1588,
    ),
    "inches": ("G20\nG1 X1 Y0.5 F120\nX0.2\nG21\nG1 X0 Y0 F3000", 1.4939),
}
DENSE: dict[str, tuple[str, int, float]] = {
    "line_0.1": (_line(0.1, 400, 6000), 115200, 0.6845),
    "line_0.5": (_line(0.5, 160, 6000), 115200, 1.0600),
    "line_0.02": (_line(0.02, 600, 3000), 115200, 0.6305),
    "circle_0.5": (_circle(0.5, 4800), 115200, 1.8031),
    "circle_0.1": (_circle(0.1, 3600, 0.25), 115200, 1.3868),
    "waves_1000": (_waves(1000, 6000), 115200, 2.2387),
    "waves_400": (_waves(400, 6000), 115200, 1.4428),
    "spline_600": (_spline(600, 6000), 115200, 2.2399),
    "spline_150": (_spline(150, 6000), 115200, 1.3421),
    "line_0.1_slow": (_line(0.1, 400, 6000), 57600, 0.9326),
    "spline_600_fast": (_spline(600, 6000), 1000000, 1.3013),
}
