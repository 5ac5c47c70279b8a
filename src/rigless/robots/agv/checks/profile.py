"""Cross-field checks of the simulation profile: faults, obstacles and codes."""

from collections.abc import Iterator

from rigless.kernel.faults import Targets
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.robots.agv.checks.config_path import ConfigPath
from rigless.robots.agv.params import COMMANDS


def profile(root: ConfigPath) -> Iterator[Problem]:
    place = root["runtime"]["simulationProfile"]
    if not place.there:
        return
    if root["runtime"]["mode"].text == "REAL":
        what = "a simulation profile has no effect in mode REAL"
        yield place.warning("PROFILE_IN_REAL", what, "use it with mode MOCK")
    yield from _faults(root, place)
    yield from _obstacles(place)
    yield from _codes(root, place)


def targets_of(root: ConfigPath) -> Targets:
    """Return the parts that can fail, and their faults."""
    io = root["io"]
    motors = _ids(root["motors"], "motorId")
    own_faults = dict.fromkeys(motors, ("error", "disconnected")) | dict.fromkeys(
        _ids(io["devices"], "deviceId"), ("off",)
    )
    sensors = ("estop", *_ids(io["digitalInputs"], "ioId"), "remote_estop")
    return Targets.of(("nats",), sensors, motors, own_faults)


def _ids(table: ConfigPath, key: str) -> list[str]:
    return [part[key].text or "" for part in table if part[key].text]


def _faults(root: ConfigPath, place: ConfigPath) -> Iterator[Problem]:
    targets = targets_of(root)
    for rule in place["faultInjectionRules"]:
        target, kind, params, command = (
            rule["target"],
            rule["kind"],
            rule["params"],
            rule["onCommand"],
        )
        known = targets.seams.get(target.text or "")
        if target.text is not None and known is None:
            what = f"there is no motor, input or device {target.text!r}"
            yield target.error(
                "FAULT_TARGET_UNKNOWN", what, did_you_mean(target.text, targets.seams)
            )
        elif known is not None and kind.text and kind.text not in known:
            what = f"{target.text!r} has no fault {kind.text!r}"
            yield kind.error("FAULT_KIND_UNKNOWN", what, did_you_mean(kind.text, known))
        elif known is not None and (isinstance(params.value, dict) or not params.there):
            try:
                targets.resolve("", target.text or "", kind.text or "", params.value or {})
            except InputError as error:
                for one in error.problems:
                    yield params.error("FAULT_PARAMS_WRONG", one.what, one.fix)
        if command.text is not None and command.text not in COMMANDS:
            what = f"there is no command {command.text!r}"
            yield command.error("UNKNOWN_COMMAND", what, did_you_mean(command.text, COMMANDS))


def _obstacles(place: ConfigPath) -> Iterator[Problem]:
    for entry in place["obstacleScript"]:
        begin, end = entry["atS"].number or 0.0, entry["untilS"].number
        if end is not None and end <= begin:
            what = f"the obstacle disappears at {end:g} s, before it appears at {begin:g} s"
            yield entry["untilS"].error("OBSTACLE_NEVER", what, "untilS must be later than atS")


def _codes(root: ConfigPath, place: ConfigPath) -> Iterator[Problem]:
    devices = {one["deviceId"].text: one["type"].text for one in root["io"]["devices"]}
    scanners = [
        name for name, kind in devices.items() if name is not None and kind == "BARCODE_SCANNER"
    ]
    for entry in place["barcodeScript"]:
        named = entry["deviceId"]
        if named.text is not None and named.text not in devices:
            what = f"there is no device {named.text!r}"
            yield named.error("BARCODE_DEVICE_UNKNOWN", what, did_you_mean(named.text, scanners))
        elif named.text is not None and named.text not in scanners:
            what = f"{named.text!r} is a {devices[named.text]}, not a BARCODE_SCANNER"
            yield named.error("BARCODE_DEVICE_UNKNOWN", what, did_you_mean(named.text, scanners))
    for name in ("barcodeScript", "markers"):
        if place[name].value and not scanners:
            what = "there are codes to read, but no device is a BARCODE_SCANNER"
            yield place[name].warning("NO_SCANNER", what, "add one to io.devices")
