"""Cross-field checks of motors: functions, limits, units, wheels and the drive."""

from collections.abc import Iterator

from rigless.kernel.problems import Problem, did_you_mean
from rigless.robots.agv.checks.config_path import ConfigPath
from rigless.robots.agv.motion.chassis import SIDES, kinematics_of, side_of
from rigless.robots.agv.motion.motors import DEFAULT_WHEEL_MM
from rigless.robots.agv.units import UNITS, Unit

DIMENSIONS = {
    "maxSpeed": "speed",
    "maxAcceleration": "acceleration",
    "maxDeceleration": "acceleration",
    "positionMin": "position",
    "positionMax": "position",
}
SMALLEST = 1e-6  # of speeds and accelerations; metres or radians
# The most that is plausible, by kind and dimension, in metres or radians. Tuggers and shuttles
# stay below 10 m/s; the fastest servo motors turn at 30,000 rpm.
MOST = {
    ("linear", "speed"): 20.0,
    ("linear", "acceleration"): 100.0,
    ("linear", "position"): 1000.0,
    ("angular", "speed"): 3200.0,
    ("angular", "acceleration"): 1e6,
    ("angular", "position"): 1e6,
}
FASTEST_MPS = MOST["linear", "speed"]
DYNAMIC = ("maxSpeed", "maxAcceleration", "maxDeceleration")


def motors(root: ConfigPath) -> Iterator[Problem]:
    for motor in root["motors"]:
        yield from _function(motor)
        yield from _limits(motor)
        if motor["role"].text == "DRIVE":
            yield from _wheel(motor)
            yield from _ground_speed(motor)
    yield from _functions(root)
    if isinstance(root["motors"].value, list):
        yield from _drives(root)


def drives(root: ConfigPath) -> list[ConfigPath]:
    return [motor for motor in root["motors"] if motor["role"].text == "DRIVE"]


def unit_of(quantity: ConfigPath, name: str) -> Unit | None:
    """Return the unit of a limit, if it is valid."""
    unit = UNITS.get(quantity["unit"].text or "")
    return unit if unit is not None and unit.dimension == DIMENSIONS[name] else None


def si(motor: ConfigPath, name: str) -> float | None:
    """Return a limit in metres or radians, if it is valid."""
    quantity = motor["limits"][name]
    unit, value = unit_of(quantity, name), quantity["value"].number
    return None if unit is None or value is None else value * unit.si


def _function(motor: ConfigPath) -> Iterator[Problem]:
    key = motor["functionKey"]
    name = motor["motorId"].text
    if motor["role"].text == "FUNCTIONAL" and not key.there:
        fix = 'name its function: "functionKey": "GRIPPER", "HOIST" or your own'
        yield key.error(
            "FUNCTION_KEY_REQUIRED", f"the FUNCTIONAL motor {name!r} has no functionKey", fix
        )
    if motor["role"].text == "DRIVE" and key.there:
        what = f"the functionKey of the DRIVE motor {name!r} has no effect"
        yield key.warning("FUNCTION_KEY_ON_DRIVE", what, "remove it, or make the motor FUNCTIONAL")


def _functions(root: ConfigPath) -> Iterator[Problem]:
    """Commands select motors by their function."""
    first: dict[str, str | None] = {}
    for motor in root["motors"]:
        key = motor["functionKey"]
        if motor["role"].text != "FUNCTIONAL" or key.text is None:
            continue
        if key.text in first:
            what = f"{first[key.text]!r} has the function {key.text} too and receives its commands"
            yield key.warning("DUPLICATE_FUNCTION_KEY", what, "give each a functionKey of its own")
        else:
            first[key.text] = motor["motorId"].text


def _limits(motor: ConfigPath) -> Iterator[Problem]:
    limits = motor["limits"]
    kinds: dict[str, str] = {}
    for name, dimension in DIMENSIONS.items():
        quantity = limits[name]
        text, value = quantity["unit"].text, quantity["value"].number
        unit = UNITS.get(text or "")
        if text and unit is None:
            options = [
                name
                for name, known in UNITS.items()
                if known.dimension == dimension and "/" not in name
            ]
            yield quantity["unit"].error(
                "UNKNOWN_UNIT", f"there is no unit {text!r}", did_you_mean(text, options)
            )
        elif unit is not None and unit.dimension != dimension:
            right = (
                unit.position + {"position": "", "speed": "ps", "acceleration": "ps2"}[dimension]
            )
            what = f"{text!r} is a unit of {unit.dimension}, but {name} needs one of {dimension}"
            yield quantity["unit"].error("WRONG_UNIT", what, f"for example {right!r}")
        elif unit is not None:
            kinds[name] = unit.kind
        if value is None:
            continue
        if name in DYNAMIC and value <= 0:
            yield quantity["value"].error(
                "LIMIT_NOT_POSITIVE", f"{name} is {value:g}", "it must be more than 0"
            )
        elif unit is not None:
            most = MOST[unit.kind, unit.dimension]
            size = abs(value * unit.si)
            if size > most or (name in DYNAMIC and size < SMALLEST):
                what = f"{name} is {value:g} {text}, which is not plausible"
                fix = f"check the unit; at most {most / unit.si:g} {text} is allowed"
                yield quantity["value"].error("LIMIT_OUT_OF_REASON", what, fix)
    if len(set(kinds.values())) > 1:
        groups = [
            ", ".join(name for name, kind in kinds.items() if kind == one) + f" {one}"
            for one in ("linear", "angular")
        ]
        what = f"the units of {motor['motorId'].text!r} do not match: {' but '.join(groups)}"
        yield limits.error("LIMIT_UNITS_DIFFER", what, "use either linear or angular units")
    yield from _range(motor)


def _range(motor: ConfigPath) -> Iterator[Problem]:
    limits, name = motor["limits"], motor["motorId"].text
    ends = limits["positionMin"], limits["positionMax"]
    low, high = si(motor, "positionMin"), si(motor, "positionMax")
    if motor["role"].text == "DRIVE" and any(end.there for end in ends):
        yield limits.warning(
            "POSITION_ON_DRIVE",
            f"position limits of the DRIVE motor {name!r} have no effect",
            "remove them",
        )
    elif low is not None and high is not None and low >= high:
        what = f"positionMin of {name!r} is not below positionMax"
        yield ends[0].error("POSITION_RANGE_EMPTY", what, "swap them if they are reversed")
    elif (
        motor["role"].text == "FUNCTIONAL"
        and isinstance(limits.value, dict)
        and not all(end.there for end in ends)
    ):
        missing = "positionMin and positionMax" if not any(end.there for end in ends) else "one end"
        what = f"{name!r}: {missing} not given, so GRIP, RELEASE and HOME have no target"
        yield limits.warning("POSITION_UNLIMITED", what, "give positionMin and positionMax")


def _wheel(motor: ConfigPath) -> Iterator[Problem]:
    """An angular drive motor moves the robot by its wheel."""
    speed = unit_of(motor["limits"]["maxSpeed"], "maxSpeed")
    side = motor["metadata"]["side"]
    if side.there and str(side.value).upper() not in SIDES:
        yield side.error("BAD_WHEEL", f"{side.value!r} is not a side of the robot", "LEFT or RIGHT")
    for key in ("wheelDiameterMm", "gearRatio"):
        given = motor["metadata"][key]
        if given.there and not (given.number is not None and given.number > 0):
            yield given.error("BAD_WHEEL", f"{key} is {given.value!r}", "give a number above 0")
        elif (
            key == "wheelDiameterMm"
            and speed is not None
            and speed.kind == "angular"
            and not given.there
        ):
            name = motor["motorId"].text
            what = f"the wheel diameter of {name!r} is not given; the default is 200 mm"
            yield motor["metadata"].warning(
                "WHEEL_UNKNOWN", what, 'add "metadata": {"wheelDiameterMm": …}'
            )


def _ground_speed(motor: ConfigPath) -> Iterator[Problem]:
    """Check the speed that an angular drive motor gives to the robot."""
    limits, given = motor["limits"], motor["metadata"]
    unit, speed = unit_of(limits["maxSpeed"], "maxSpeed"), si(motor, "maxSpeed")
    if unit is None or speed is None or unit.kind != "angular":
        return
    wheel_mm = given["wheelDiameterMm"].number or DEFAULT_WHEEL_MM
    mps = speed * 0.5e-3 * wheel_mm / (given["gearRatio"].number or 1.0)
    if mps > FASTEST_MPS:
        what = f"with its wheel and gear, {motor['motorId'].text!r} drives at {mps:.0f} m/s"
        fix = f"check maxSpeed, wheelDiameterMm and gearRatio; at most {FASTEST_MPS:g} m/s"
        yield limits["maxSpeed"]["value"].error("LIMIT_OUT_OF_REASON", what, fix)


def _drives(root: ConfigPath) -> Iterator[Problem]:
    found = drives(root)
    if not found:
        what = "no motor is a DRIVE motor, so the robot cannot move"
        yield root["motors"].error("NO_DRIVE_MOTOR", what, 'give one motor "role": "DRIVE"')
        return
    units = [unit_of(motor["limits"]["maxSpeed"], "maxSpeed") for motor in found]
    if len({unit.kind for unit in units if unit is not None}) > 1:
        what = "some drive motors are linear, others angular"
        yield root["motors"].error(
            "DRIVE_UNITS_DIFFER", what, "give all of them in mps, or all in rpm or radps"
        )
    else:
        yield from _differences(found)
    yield from _base(root, found)


def _differences(found: list[ConfigPath]) -> Iterator[Problem]:
    first = found[0]
    for motor in found[1:]:
        for name in DYNAMIC:
            one, other = si(first, name), si(motor, name)
            if one is not None and other is not None and one > 0 and abs(one - other) > 1e-9 * one:
                names = f"{motor['motorId'].text!r} and {first['motorId'].text!r}"
                what = f"{names} differ in {name}; the lower value applies"
                yield motor["limits"][name].warning(
                    "DRIVE_LIMITS_DIFFER", what, "give both the same value"
                )


def _base(root: ConfigPath, found: list[ConfigPath]) -> Iterator[Problem]:
    dimensions = root["dimensions"]
    width, track = dimensions["widthMm"].number, dimensions["trackWidthMm"]
    length, base = dimensions["lengthMm"].number, dimensions["wheelBaseMm"]
    kinematics = root["runtime"]["simulationProfile"]["kinematics"].text
    if kinematics_of(kinematics, len(found)) == "DIFFERENTIAL":
        if len(found) < 2:
            place = root["runtime"]["simulationProfile"]["kinematics"]
            name = found[0]["motorId"].text
            what = f"a DIFFERENTIAL drive needs two drive motors; there is only {name!r}"
            yield place.error("DIFFERENTIAL_NEEDS_TWO", what, "add the other, or choose TRACK")
        elif len({_side(motor, number, len(found)) for number, motor in enumerate(found)}) < 2:
            what = "all drive motors are on one side of the robot"
            yield root["motors"].error(
                "WHEELS_ON_ONE_SIDE", what, 'set "metadata": {"side": "LEFT"}'
            )
        if not track.there and width is not None:
            what = f"the track width is not given; the default is the robot's width ({width:g} mm)"
            yield track.warning("TRACK_WIDTH_MISSING", what, "give dimensions.trackWidthMm")
    for place, limit, name in ((track, width, "widthMm"), (base, length, "lengthMm")):
        if place.number is not None and limit is not None and place.number > limit > 0:
            what = f"{place.number:g} mm exceeds {name}, {limit:g} mm: wheels outside the robot"
            yield place.warning("WHEELS_OUTSIDE", what)


def _side(motor: ConfigPath, number: int, count: int) -> str:
    return side_of(motor["metadata"]["side"].value, motor["motorId"].text or "", number, count)
