"""Tests for functions with the same bits everywhere, against the extended precision of numpy."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import rigless
from rigless.kernel import elementary
from rigless.kernel.compiled import elementary as compiled_elementary

SOURCES = Path(rigless.__file__).parent
SPECIAL = [0.0, -0.0, 1.0, -1.0, 5e-324, -1e-320, 1e308, -1e308, math.inf, -math.inf, math.nan]
RANDOM = np.random.default_rng(7)
ANGLES = np.concatenate(
    [
        *(RANDOM.uniform(-reach, reach, 5000) for reach in (1e-3, 4.0, 100.0, 1e6)),
        np.arange(-3000, 3000) * (math.pi / 2),  # where digits cancel
    ]
)
LIBRARY = {
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan"),
    *("arctan2", "exp", "expm1", "log", "log10", "log2", "log1p", "pow", "power", "hypot"),
    *("sinh", "cosh", "tanh", "cbrt"),
}
# Modules of the step and of the casts, on which recordings and batches depend.
EXACT = [
    *("worlds/raycast.py", "worlds/grid.py", "worlds/rays/shapes.py", "worlds/frames.py"),
    *("motion/diff_drive.py", "motion/omni.py", "motion/contact.py", "motion/circle_sweep.py"),
    *("motion/proximity.py", "motion/motor.py", "sensors", "robots/vacuum/body.py"),
    *("robots/vacuum/lidar", "robots/vacuum/arrays.py", "robots/vacuum/robot.py"),
    *("robots/pacbot/body.py", "robots/pacbot/tof.py", "robots/pacbot/arrays.py"),
    *("robots/rover/body.py", "robots/rover/arrays.py", "robots/rover/gps.py"),
]


def ulps(found, wanted):
    """Return the largest error in units of the last place of the wanted double."""
    unit = np.spacing(np.abs(wanted.astype(float))).astype(np.longdouble)
    return float(np.max(np.abs(np.asarray(found, np.longdouble) - wanted) / unit))


def test_sine_and_cosine_are_within_one_ulp():
    sines, cosines = compiled_elementary.sines_cosines(ANGLES)
    exact = ANGLES.astype(np.longdouble)
    assert ulps(sines, np.sin(exact)) < 1.0
    assert ulps(cosines, np.cos(exact)) < 1.0


@pytest.mark.parametrize("stretch", [1e-9, 1.0, 1e9])
def test_the_angle_of_a_vector_is_within_one_and_a_half_ulps(stretch):
    y, x = RANDOM.normal(size=(2, 5000)) * np.array([[1.0], [stretch]])
    found = [compiled_elementary.atan2(*pair) for pair in zip(y, x, strict=True)]
    assert ulps(found, np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))) < 1.5


def test_logarithm_and_exponential_are_within_one_ulp():
    x = np.concatenate([RANDOM.uniform(0.9, 1.1, 5000), 10.0 ** RANDOM.uniform(-320, 308, 5000)])
    assert ulps(list(map(compiled_elementary.log, x)), np.log(x.astype(np.longdouble))) < 1.0
    x = np.concatenate([RANDOM.uniform(-1, 1, 5000), RANDOM.uniform(-700, 709, 5000)])
    assert ulps(list(map(elementary.exp, x.tolist())), np.exp(x.astype(np.longdouble))) < 1.0


@pytest.mark.parametrize("y", SPECIAL)
@pytest.mark.parametrize("x", SPECIAL)
def test_special_vectors_have_the_angles_of_the_c_library(x, y):
    assert repr(elementary.atan2(y, x)) == repr(math.atan2(y, x))


def test_what_has_decayed_keeps_its_digits():
    x = np.concatenate([10.0 ** RANDOM.uniform(-12, 1, 2000), [0.3, 40.0]])
    found = np.array(list(map(compiled_elementary.decayed, x)))
    assert ulps(found, -np.expm1(-x.astype(np.longdouble))) < 2.0
    assert compiled_elementary.decayed(0.0) == 0.0


def test_special_arguments():
    assert all(map(math.isnan, elementary.sin_cos(math.inf) + elementary.sin_cos(math.nan)))
    assert repr(elementary.sin_cos(-0.0)) == "(-0.0, 1.0)"
    assert elementary.sin_cos(1e15) == pytest.approx((math.sin(1e15), math.cos(1e15)), abs=0.1)
    assert [elementary.log(x) for x in (0.0, 1.0, math.inf)] == [-math.inf, 0.0, math.inf]
    assert math.isnan(elementary.log(-1.0))
    assert math.isnan(elementary.log(math.nan))
    assert elementary.log(5e-324) == pytest.approx(math.log(5e-324))
    assert [elementary.exp(x) for x in (-math.inf, -800.0, 0.0, 800.0)] == [0, 0, 1, math.inf]
    assert elementary.exp(-745.0) == 5e-324
    assert math.isnan(elementary.exp(math.nan))


def test_compiled_and_plain_functions_have_the_same_bits():
    for angle, other in zip(ANGLES[::20].tolist(), ANGLES[7::20].tolist(), strict=False):
        assert compiled_elementary.sin_cos(angle) == elementary.sin_cos(angle)
        assert compiled_elementary.atan2(angle, other) == elementary.atan2(angle, other)
        assert repr(compiled_elementary.log(angle)) == repr(elementary.log(angle))


def test_the_step_and_the_casts_do_not_use_the_c_library():
    places = [SOURCES / name for name in EXACT]
    files = [f for place in places for f in ([place] if place.is_file() else place.glob("*.py"))]
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used = f"{path.relative_to(SOURCES)}:{node.lineno} {node.value.id}.{node.attr}"
                assert node.value.id not in ("math", "np") or node.attr not in LIBRARY, used


@njit
def flat(angles):
    out = np.empty((2, len(angles)))
    for j in range(len(angles)):
        out[0, j], out[1, j] = compiled_elementary.sin_cos_flat(angles[j])
    return out


def test_sine_and_cosine_without_branches_have_the_same_bits():
    angles = np.concatenate([ANGLES[np.abs(ANGLES) < elementary.FAR], [0.0, -0.0, 1e-300, -1e-9]])
    sines, cosines = compiled_elementary.sines_cosines(angles)
    assert flat(angles).tobytes() == np.array([sines, cosines]).tobytes()
