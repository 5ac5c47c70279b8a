"""Whether what a simulation profile speaks of is there."""

from collections.abc import Iterator

from rigless.kernel.faults import KINDS
from rigless.kernel.problems import did_you_mean
from rigless.kernel.validation import Finding
from rigless.robots.agv.checks_parts import COMMANDS
from rigless.robots.agv.place import Place

MOTOR_FAULTS = ("error", "disconnected", *KINDS["actuator"])
SENSOR_FAULTS = tuple(KINDS["sensor"])
WIRE_FAULTS = tuple(KINDS["wire"])


def profile(root: Place) -> Iterator[Finding]:
    place = root["runtime"]["simulationProfile"]
    if not place.there:
        return
    if root["runtime"]["mode"].text == "REAL":
        what = "a simulation profile changes nothing in mode REAL"
        yield place.warning("PROFILE_IN_REAL", what, "it is for mode MOCK")
    yield from _faults(root, place)
    yield from _obstacles(place)
    yield from _codes(root, place)


def _targets(root: Place) -> dict[str, tuple[str, ...]]:
    """What can fail, and how."""
    io = root["io"]
    found = {motor["motorId"].text: MOTOR_FAULTS for motor in root["motors"]}
    found |= {one["ioId"].text: SENSOR_FAULTS for one in io["digitalInputs"]}
    found |= {one["deviceId"].text: SENSOR_FAULTS for one in io["devices"]}
    return {"nats": WIRE_FAULTS, **{name: kinds for name, kinds in found.items() if name is not None}}


def _faults(root: Place, place: Place) -> Iterator[Finding]:
    targets = _targets(root)
    for rule in place["faultInjectionRules"]:
        target, kind, command = rule["target"], rule["kind"], rule["onCommand"]
        if target.text is not None and target.text not in targets:
            what = f"there is no motor, input or device {target.text!r}"
            yield target.error("FAULT_TARGET_UNKNOWN", what, did_you_mean(target.text, targets))
        elif target.text is not None and kind.text and kind.text not in targets[target.text]:
            what = f"{target.text!r} has no fault {kind.text!r}"
            yield kind.error("FAULT_KIND_UNKNOWN", what, did_you_mean(kind.text, targets[target.text]))
        if command.text is not None and command.text not in COMMANDS:
            what = f"there is no command {command.text!r}"
            yield command.error("UNKNOWN_COMMAND", what, did_you_mean(command.text, COMMANDS))


def _obstacles(place: Place) -> Iterator[Finding]:
    for entry in place["obstacleScript"]:
        begin, end = entry["atS"].number or 0.0, entry["untilS"].number
        if end is not None and end <= begin:
            what = f"the obstacle is gone at {end:g} s, before it comes at {begin:g} s"
            yield entry["untilS"].error("OBSTACLE_NEVER", what, "untilS is later than atS")


def _codes(root: Place, place: Place) -> Iterator[Finding]:
    devices = {one["deviceId"].text: one["type"].text for one in root["io"]["devices"]}
    scanners = [name for name, kind in devices.items() if name is not None and kind == "BARCODE_SCANNER"]
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
