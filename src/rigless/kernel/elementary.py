"""Elementary functions with the same bits on every machine: sin, cos, atan2, log, exp.

The C library's versions differ in the last bit between platforms, and graphics processors have
others. These use only operations that IEEE 754 rounds exactly: + − × ÷, comparisons, floor, and
scaling by powers of two. Polynomials are minimax (`scripts/fit-polynomials`). The error is at most
1 ulp; for angles beyond a million radians, that of an argument rounded to a double.

Each function is complete in itself: numba compiles it (`rigless.kernel.compiled.elementary`), and
a CUDA kernel repeats it operation by operation. An expression keeps its order and parentheses,
since another order gives other bits.
"""

import math

FAR = 1e6  # a larger angle is first reduced by the double that is nearest to 2π
TURN = 6.283185307179586
PER_QUARTER = 0.6366197723675814  # 2 / π
# π/2 in parts: products of the first two with a number of 20 bits are exact.
QUARTER_1, QUARTER_2, QUARTER_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
HALF_PI, HALF_PI_REST = 1.5707963267948966, 6.123233995736766e-17
PI, PI_REST = 3.141592653589793, 1.2246467991473532e-16
LN2, LN2_REST, PER_LN2 = 0.6931471803691238, 1.9082149292705877e-10, 1.4426950408889634
ROOT_HALF = 0.7071067811865476

# atan(k / 8) in two parts.
ATAN = (
    0.0, 0.12435499454676144, 0.24497866312686414, 0.35877067027057225, 0.4636476090008061,
    0.5585993153435624, 0.6435011087932844, 0.7188299996216245, 0.7853981633974483,
)  # fmt: skip
ATAN_REST = (
    0.0, -3.1253241424539383e-18, 1.0698755618734451e-17, -2.4623815582638635e-17,
    2.2698777452961687e-17, -5.4556305485916264e-18, 1.5834785051444286e-17,
    -2.1478388444456983e-17, 3.061616997868383e-17,
)  # fmt: skip


def sin_cos(angle: float) -> tuple[float, float]:
    """Return the sine and the cosine of an angle; nan for an infinite one."""
    if not abs(angle) < 1e300:
        return math.nan, math.nan
    if angle == 0.0:
        return angle, 1.0  # with the sign of the zero
    if abs(angle) > FAR:
        angle = math.copysign(abs(angle) % TURN, angle)
    quarters = math.floor(angle * PER_QUARTER + 0.5)
    first, second = angle - quarters * QUARTER_1, quarters * QUARTER_2
    high = first - second
    back = high + second
    low = ((first - back) - (second - (back - high))) - quarters * QUARTER_3
    r = high + low
    rest = (high - r) + low
    z = r * r
    sine = (z * (1.5896504912422513e-10) + -2.5050753263914083e-08) * z + 2.7557313662053362e-06
    sine = (
        (sine * z + -0.00019841269829725191) * z + 0.008333333333322316
    ) * z + -0.16666666666666632
    sine = r + (r * z * sine + rest * (1.0 - 0.5 * z))
    cosine = (z * (-1.1359448659461374e-11) + 2.0875719558334876e-09) * z + -2.755731432602828e-07
    cosine = (
        (cosine * z + 2.480158728939492e-05) * z + -0.001388888888887399
    ) * z + 0.0416666666666666
    half = 0.5 * z
    level = 1.0 - half
    cosine = level + (((1.0 - level) - half) + (z * z * cosine - r * rest))
    quadrant = int(quarters) & 3
    if quadrant == 0:
        return sine, cosine
    if quadrant == 1:
        return cosine, -sine
    if quadrant == 2:
        return -sine, -cosine
    return -cosine, sine


def atan2(y: float, x: float) -> float:
    """Return the angle of the vector (x, y), from −π to π."""
    if x != x or y != y:
        return math.nan
    wide, high = abs(x), abs(y)
    short, long = min(wide, high), max(wide, high)
    if long == math.inf:
        short, long = (1.0 if short == math.inf else 0.0), 1.0
    elif long > 1e290:
        short, long = short * 2.0**-600, long * 2.0**-600
    elif long < 1e-290:
        short, long = short * 2.0**600, (long * 2.0**600 if long > 0.0 else 1.0)
    k = int(8.0 * (short / long) + 0.5)
    part = 0.125 * k
    u = (short - part * long) / (long + part * short)
    z = u * u
    slope = (
        ((z * -0.09001134067072747 + 0.11110719670008637) * z + -0.14285713510126363) * z
        + 0.19999999999329088
    ) * z + -0.3333333333333314
    angle, rest = ATAN[k], u + (ATAN_REST[k] + u * z * slope)
    if high > wide:  # subtract from π/2, and keep what the rounded difference loses
        whole = HALF_PI - angle
        rest = ((HALF_PI - whole) - angle) + (HALF_PI_REST - rest)
        angle = whole
    if math.copysign(1.0, x) < 0.0:
        whole = PI - angle
        rest = ((PI - whole) - angle) + (PI_REST - rest)
        angle = whole
    return math.copysign(angle + rest, y)


def log(x: float) -> float:
    """Return the natural logarithm; −inf for 0, nan for negative numbers."""
    if not 0.0 < x < math.inf:
        return x if x == math.inf else (-math.inf if x == 0.0 else math.nan)
    share, power = math.frexp(x)
    if share < ROOT_HALF:
        share, power = share + share, power - 1
    f = share - 1.0
    s = f / (2.0 + f)
    z = s * s
    series = (
        (z * 0.14799067755231918 + 0.15313755594030723) * z + 0.18183575172032648
    ) * z + 0.22222198378348684
    series = ((series * z + 0.2857142874414269) * z + 0.3999999999940748) * z + 0.6666666666666735
    half = 0.5 * f * f
    rest = s * (half + z * series) + power * LN2_REST
    return power * LN2 - ((half - rest) - f)


def exp(x: float) -> float:
    """Return e to the power of x."""
    if not -746.0 < x < 710.0:
        return x if x != x else (math.inf if x > 0.0 else 0.0)
    power = math.floor(x * PER_LN2 + 0.5)
    r = (x - power * LN2) - power * LN2_REST
    series = (
        (r * 2.5117978771424758e-08 + 2.76314137965381e-07) * r + 2.7557215932063173e-06
    ) * r + 2.4801489590594495e-05
    series = (
        (series * r + 0.00019841269917793186) * r + 0.0013888888947331144
    ) * r + 0.008333333333307017
    series = ((series * r + 0.04166666666651432) * r + 0.166666666666667) * r + 0.5000000000000013
    return math.ldexp(1.0 + (r + r * r * series), int(power))


def sin(angle: float) -> float:
    """Return the sine of an angle."""
    return sin_cos(angle)[0]


def cos(angle: float) -> float:
    """Return the cosine of an angle."""
    return sin_cos(angle)[1]
