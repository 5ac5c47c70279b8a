"""Cross-field checks of ids, capabilities, inputs, safety, rates and servers."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from rigless.kernel.problems import Problem, did_you_mean
from rigless.robots.agv.checks.config_path import ConfigPath
from rigless.robots.agv.checks.motors import drives, si, unit_of
from rigless.robots.agv.config import SCHEMA_VERSION
from rigless.robots.agv.machine.sensing import GUARDS
from rigless.robots.agv.motion.footprint import is_convex
from rigless.robots.agv.params import COMMANDS
from rigless.robots.agv.units import UNITS

RESERVED = (
    "nats",
    "hardware",
    "boot_id",
    "epoch_s",
    "lost_s",
    "late_ms",
    "obstacle_m",
)  # names of ports and inputs of every robot
DEVICES = {"hasBarcodeScanner": "BARCODE_SCANNER", "hasLidarSafety": "LIDAR", "hasLidar": "LIDAR"}
FUNCTIONS = {
    "hasGripper": "GRIP",
    "hasHoist": "HOIST",
    "hasTelescope": "TELESCOPE",
}  # words in functionKeys
KINDS = {
    ("motors",): ("motorId", "MOTOR", "a motor"),
    ("io", "digitalInputs"): ("ioId", "IO", "an input"),
    ("io", "digitalOutputs"): ("ioId", "IO", "an output"),
    ("io", "devices"): ("deviceId", "DEVICE", "a device"),
}
SCHEMES = ("nats", "tls")


def parts(root: ConfigPath) -> Iterator[Problem]:
    version = root["schemaVersion"]
    if version.number is not None and version.number > SCHEMA_VERSION:
        what = f"the file has version {version.number:g}, but rigless supports {SCHEMA_VERSION}"
        yield version.error("SCHEMA_TOO_NEW", what, "use a newer rigless")
    yield from _ids(root)
    yield from _commands(root)
    yield from _flags(root)
    yield from _limit_sensors(root)
    yield from _estop(root)
    yield from _obstacles(root)
    yield from _footprint(root)
    yield from _rates(root)
    yield from _servers(root)
    yield from _broker(root["vda5050"]["url"])


def _ids(root: ConfigPath) -> Iterator[Problem]:
    """Faults, settings and the panel refer to motors, inputs, outputs and devices by id alone."""
    taken: dict[str, tuple[str, str]] = {}
    for path, (key, kind, words) in KINDS.items():
        table = root
        for name in path:
            table = table[name]
        for part in table:
            place = part[key]
            if place.text is None:
                continue
            if place.text in taken:
                other, whose = taken[place.text]
                code = f"DUPLICATE_{kind}_ID" if other == kind else "ID_TAKEN"
                yield place.error(
                    code,
                    f"{place.text!r} is already the id of {whose}",
                    "ids must be unique in the robot",
                )
            elif place.text in RESERVED:
                yield place.error(
                    "ID_RESERVED",
                    f"{place.text!r} is a reserved name",
                    "choose another id",
                )
            taken.setdefault(place.text, (kind, words))


def _commands(root: ConfigPath) -> Iterator[Problem]:
    supported = root["capabilities"]["supportedCommands"]
    seen: set[str] = set()
    functions = [motor for motor in root["motors"] if motor["role"].text == "FUNCTIONAL"]
    grippers = [motor for motor in functions if "GRIP" in (motor["functionKey"].text or "")]
    needs = {
        "GRIP": (grippers, "a motor with functionKey GRIPPER"),
        "RELEASE": (grippers, "a motor with functionKey GRIPPER"),
        "MOVE_AXIS": (functions, "a FUNCTIONAL motor"),
        "HOME": (functions, "a FUNCTIONAL motor"),
        "SET_OUTPUT": (list(root["io"]["digitalOutputs"]), "a digital output"),
    }
    for command in supported:
        if command.text is None:
            continue
        if command.text not in COMMANDS:
            what = f"there is no command {command.text!r}"
            yield command.error("UNKNOWN_COMMAND", what, did_you_mean(command.text, COMMANDS))
        elif command.text in seen:
            yield command.warning(
                "DUPLICATE_COMMAND", f"{command.text} is listed twice", "list it once"
            )
        elif command.text in needs and not needs[command.text][0]:
            what = f"{command.text} will be rejected: there is not {needs[command.text][1]}"
            yield command.warning(
                "COMMAND_WITHOUT_MEANS", what, "add the part, or remove the command"
            )
        seen.add(command.text)
    if supported.there and "STOP" not in seen and isinstance(supported.value, list):
        what = "STOP is not listed, but is accepted: every robot can be stopped"
        yield supported.warning("STOP_NOT_SUPPORTED", what, "add STOP")


def _flags(root: ConfigPath) -> Iterator[Problem]:
    devices = {device["type"].text for device in root["io"]["devices"]}
    functions = [motor["functionKey"].text or "" for motor in root["motors"]]
    for flag, place in root["capabilities"]["flags"].items():
        device, function = DEVICES.get(flag), FUNCTIONS.get(flag)
        if place.true and device is not None and device not in devices:
            what = f"{flag} is true, but no device is a {device}"
            yield place.warning(
                "CAPABILITY_WITHOUT_DEVICE", what, "add it to io.devices, or set the flag to false"
            )
        if (
            place.true
            and function is not None
            and not any(function in key.upper() for key in functions)
        ):
            what = f"{flag} is true, but no motor's functionKey contains {function}"
            yield place.error(
                "CAPABILITY_WITHOUT_MOTOR", what, "add it to motors, or set the flag to false"
            )


def _limit_sensors(root: ConfigPath) -> Iterator[Problem]:
    ids = {
        motor["motorId"].text: motor
        for motor in root["motors"]
        if motor["motorId"].text is not None
    }
    for sensor in root["io"]["digitalInputs"]:
        if sensor["type"].text != "LIMIT_SENSOR":
            continue
        motor, edge = sensor["driver"]["config"]["motorId"], sensor["driver"]["config"]["edge"]
        if not motor.there:
            if root["runtime"]["mode"].text == "MOCK":
                name = sensor["ioId"].text
                what = f"{name!r} has no motor: its simulation changes only when it is set"
                fix = 'name one: "config": {"motorId": …, "edge": "MIN" or "MAX"}'
                yield sensor["driver"]["config"].warning("LIMIT_SENSOR_FREE", what, fix)
        elif motor.text not in ids:
            yield _unknown_motor(motor, list(filter(None, ids)))
        if edge.there and edge.text not in ("MIN", "MAX"):
            yield edge.error(
                "LIMIT_EDGE_UNKNOWN", f"{edge.value!r} is not an end of an axis", "MIN or MAX"
            )
        elif motor.text in ids:
            end = "positionMax" if edge.text == "MAX" else "positionMin"
            limits = ids[motor.text]["limits"]
            if isinstance(limits.value, dict) and not limits[end].there:
                what = f"{motor.text!r} has no {end}: {sensor['ioId'].text!r} will never be on"
                yield edge.warning("LIMIT_WITHOUT_END", what, f"give the motor's {end}")
        yield from _tolerance(sensor["driver"]["config"]["tolerance"])


def _unknown_motor(motor: ConfigPath, known: list[str]) -> Problem:
    """Report a limit sensor without its motor: a typing error, or a motor that is missing."""
    what, near = f"there is no motor {motor.value!r}", did_you_mean(str(motor.value), known)
    if motor.text is None or near.startswith("did you mean"):
        return motor.error("LIMIT_MOTOR_UNKNOWN", what, near)
    fix = "add the motor to motors, or remove its limit sensors"
    return motor.warning("MOTOR_MISSING", f"{what}: the robot boots with status WARNING", fix)


def _tolerance(place: ConfigPath) -> Iterator[Problem]:
    """Check the distance from the end of the axis at which a limit sensor is on."""
    unit, value = UNITS.get(place["unit"].text or ""), place["value"].number
    if place.there and (
        unit is None or unit.dimension != "position" or value is None or not 0 <= value <= 1e6
    ):
        what = f"{place.value!r} is not a distance from the end of an axis"
        yield place.error("LIMIT_TOLERANCE_WRONG", what, 'for example {"unit": "mm", "value": 2}')


def _estop(root: ConfigPath) -> Iterator[Problem]:
    chains = [one for one in root["io"]["digitalInputs"] if one["type"].text == "ESTOP_CHAIN"]
    safety = root["safety"]
    stop = safety["stopOnEstop"]
    if stop.true and not chains:
        what, fix = (
            "stopOnEstop is true, but there is no emergency stop input",
            'add an input of type "ESTOP_CHAIN"',
        )
        if root["runtime"]["mode"].text == "REAL":
            yield stop.error("NO_ESTOP_INPUT", what, fix)
        else:
            yield stop.warning("NO_ESTOP_INPUT", f"{what}; a simulated one is added", fix)
    supported = root["capabilities"]["supportedCommands"]
    commands = {command.text for command in supported}
    manual = safety["estopAcknowledge"].text in (None, "MANUAL")
    if stop.true and manual and supported.there and not commands & {"RESUME", "CLEAR_FAULT"}:
        what = "nothing can end an emergency stop: it is acknowledged by RESUME or CLEAR_FAULT"
        fix = 'add one of them, or set safety.estopAcknowledge to "AUTO"'
        yield supported.warning("ESTOP_WITHOUT_ACKNOWLEDGE", what, fix)
    for chain in chains:
        name = chain["ioId"].text
        if stop.true and not chain["required"].true:
            what = f"the robot may drive while {name!r} does not respond"
            yield chain["required"].warning("ESTOP_NOT_REQUIRED", what, '"required": true')
        elif stop.value is False:
            yield stop.warning(
                "ESTOP_IGNORED", f"{name!r} does not stop the robot", '"stopOnEstop": true'
            )


def _obstacles(root: ConfigPath) -> Iterator[Problem]:
    safety = root["safety"]
    stop, warn = safety["obstacleStopDistanceMeters"], safety["obstacleWarnDistanceMeters"]
    if stop.number is not None and warn.number is not None and warn.number < stop.number:
        what = (
            f"the robot would warn at {warn.number:g} m, after it has stopped at {stop.number:g} m"
        )
        yield warn.error(
            "WARN_BELOW_STOP", what, "warn at a greater distance than the stop distance"
        )
    if not safety["stopOnObstacle"].true:
        return
    if not stop.there:
        what = "the stop distance for obstacles is not given; the default is 0.5 m"
        yield stop.warning("STOP_DISTANCE_MISSING", what, "give safety.obstacleStopDistanceMeters")
    types = [
        part["type"].text or "" for part in (*root["io"]["devices"], *root["io"]["digitalInputs"])
    ]
    seeing = any(word in one for one in types for word in GUARDS)
    if root["runtime"]["mode"].text == "REAL" and not seeing:
        what = "stopOnObstacle is true, but there is no sensor for obstacles"
        yield safety["stopOnObstacle"].warning(
            "NO_OBSTACLE_SENSOR", what, "add a LIDAR, or an input of type OBSTACLE"
        )
    needed = _braking_m(root)
    reach = max(stop.number or 0.0, warn.number or 0.0)
    if stop.number is not None and needed is not None and reach < needed:
        what = f"the robot brakes within {needed:.2f} m at full speed, but looks {reach:g} m ahead"
        yield stop.warning(
            "STOP_DISTANCE_SHORT", what, "increase the stop or warning distance, or drive slower"
        )


def _braking_m(root: ConfigPath) -> float | None:
    """Return the braking distance from top speed, if the limits are in metres."""
    found = []
    for motor in drives(root):
        unit = unit_of(motor["limits"]["maxSpeed"], "maxSpeed")
        speed, brake = si(motor, "maxSpeed"), si(motor, "maxDeceleration")
        if unit is None or unit.kind != "linear" or speed is None or brake is None or brake <= 0:
            return None
        found.append(speed * speed / (2 * brake))
    return max(found, default=None)


def _footprint(root: ConfigPath) -> Iterator[Problem]:
    """A footprint is a convex polygon."""
    place = root["dimensions"]["footprint"]
    corners = [(corner["xMm"].number, corner["yMm"].number) for corner in place]
    if not place.there or any(None in corner for corner in corners):
        return
    if not is_convex([(float(x or 0.0), float(y or 0.0)) for x, y in corners]):
        yield place.error(
            "FOOTPRINT_NOT_CONVEX",
            f"the {len(corners)} corners do not make a convex polygon",
            "give at least three corners of its convex hull, in order",
        )


def _rates(root: ConfigPath) -> Iterator[Problem]:
    tick = root["runtime"]["tickHz"].number
    for name, place in root["streams"].items():
        if tick is not None and tick >= 1 and place.number is not None and place.number > tick:
            what = f"{name} is {place.number:g}, above the tick rate of {tick:g} Hz"
            yield place.warning("RATE_ABOVE_TICK", what, "raise runtime.tickHz, or lower the rate")


def _servers(root: ConfigPath) -> Iterator[Problem]:
    seen: set[str] = set()
    nats = root["nats"]
    for server in nats["servers"]:
        if not server.text:
            continue
        yield from _server(server, server.text)
        if server.text in seen:
            yield server.warning(
                "DUPLICATE_SERVER",
                f"{_without_secrets(server.text)!r} is listed twice",
                "list it once",
            )
        seen.add(server.text)
    streams = nats["jetStream"]["streamIn"].text, nats["jetStream"]["streamOut"].text
    if (streams[0] or "ROBOT_IN") == (streams[1] or "ROBOT_OUT"):
        what = "streamIn and streamOut are the same stream"
        fix = "use two streams: telemetry may evict commands from a shared one"
        yield nats["jetStream"].warning("STREAMS_SAME", what, fix)


def _server(place: ConfigPath, given: str) -> Iterator[Problem]:
    fix, text = "for example nats://10.0.0.10:4222", _without_secrets(given)
    try:
        url = urlsplit(given)
        port, host = url.port, url.hostname
    except ValueError as error:
        yield place.error("BAD_SERVER_URL", f"{text!r} is not a server address: {error}", fix)
        return
    if "://" not in text:
        yield place.error(
            "BAD_SERVER_URL", f"{text!r} does not begin with nats:// or tls://", f"nats://{text}"
        )
    elif url.scheme in ("ws", "wss"):
        what = f"{text!r} is a WebSocket address; rigless supports TCP, plain or with TLS"
        yield place.error("WEBSOCKET_SERVER", what, "name the server's nats:// or tls:// address")
    elif url.scheme not in SCHEMES:
        yield place.error(
            "BAD_SERVER_URL", f"{text!r} begins with {url.scheme}://", "nats:// or tls://"
        )
    elif not host or any(c.isspace() for c in text) or port == 0:
        yield place.error(
            "BAD_SERVER_URL", f"{text!r} has no {'port' if host else 'host'} to connect to", fix
        )
    elif url.path not in ("", "/") or url.query or url.fragment:
        yield place.error("BAD_SERVER_URL", f"{text!r} has text after its port", fix)
    elif url.username or url.password is not None:
        kind = "TOKEN" if url.password is None else "PASSWORD"
        what = f"the config contains a {kind.lower()}: everyone who can read the file has it"
        fix = "use a .creds file (nats.credsFilePath), which only the robot can read"
        yield place.warning(f"{kind}_IN_URL", what, fix)


def _broker(place: ConfigPath) -> Iterator[Problem]:
    """Find in the URL of an MQTT broker what its transport would refuse at the start."""
    if place.text is None:
        return
    try:
        url = urlsplit(place.text)
        known = url.scheme in ("mqtt", "mqtts") and bool(url.hostname) and url.port != 0
    except ValueError:
        known = False
    if not known:
        what = f"{_without_secrets(place.text)!r} is not the URL of an MQTT broker"
        fix = "such as mqtt://127.0.0.1:1883, or mqtts://HOST:8883 for TLS"
        yield place.error("BAD_BROKER_URL", what, fix)
    elif url.password is not None:
        what = "the URL has a password, which would be stored in recordings"
        fix = "write it to a file, and name that in passwordFile"
        yield place.error("PASSWORD_IN_BROKER_URL", what, fix)


def _without_secrets(url: str) -> str:
    """Return a URL without its user, password or token, for a report."""
    scheme, slashes, rest = url.rpartition("://")
    _, at, place = rest.rpartition("@")
    return f"{scheme}{slashes}…@{place}" if at else url
