"""The requirements of a config as data: credentials, certificates, drivers and a map."""

from collections.abc import Iterator

from rigless.hardware.discovery import CONFIG_KEYS
from rigless.kernel.documents.requirements import (
    Credentials,
    Driver,
    DriverConfigs,
    MapFile,
    Requirement,
    VariableFile,
    VariablePair,
)
from rigless.robots.agv.checks.config_path import ConfigPath
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.hardware_port import real_parts

IDS = {"motor": "motorId", "input": "ioId", "output": "ioId", "device": "deviceId"}
# Environment variables that name files.
CERTIFICATES = ("RIGLESS_NATS_CA", "RIGLESS_NATS_CERT", "RIGLESS_NATS_KEY", "SSL_CERT_FILE")


def requirements(root: ConfigPath, config: RobotConfig | None) -> Iterator[Requirement]:
    """Yield the requirements of a config. `config` is None if it has errors."""
    real = root["runtime"]["mode"].text == "REAL"
    yield from _credentials(root["nats"]["credsFilePath"], real)
    yield from _certificates(root["nats"]["servers"])
    if real:
        yield from _drivers(root, config)
    elif (name := root["runtime"]["simulationProfile"]["map"].text) is not None:
        yield MapFile(("runtime", "simulationProfile", "map"), name)


def _credentials(place: ConfigPath, real: bool) -> Iterator[Requirement]:
    """A simulated robot may run without: its server may not require credentials."""
    if place.text:
        yield Credentials(place.path, place.text, "error" if real else "warning")
    elif place.text == "" and real:
        what = "the robot has no credentials: any client can publish in its name"
        yield place.warning("NO_CREDS", what, "name a .creds file")


def _certificates(servers: ConfigPath) -> Iterator[Requirement]:
    if any((server.text or "").startswith("tls://") for server in servers):
        for variable in CERTIFICATES:
            yield VariableFile(servers.path, variable)
        yield VariablePair(servers.path, "RIGLESS_NATS_KEY", "RIGLESS_NATS_CERT")


def _drivers(root: ConfigPath, config: RobotConfig | None) -> Iterator[Requirement]:
    for kind, part_id, part in _parts(root):
        driver = part["driver"]["type"]
        if driver.text == "MOCK":
            what = f"{part_id!r} is simulated although the robot is REAL"
            yield driver.warning("MOCK_DRIVER_IN_REAL", what, "name its driver")
        elif driver.text is not None:
            yield Driver(driver.path, kind, part_id, driver.text)
    if config is not None:
        places = tuple(
            (".".join(str(step) for step in part.path[:-1]) + f".{part_id}.", part.path)
            for _, part_id, part in _parts(root)
        )
        yield DriverConfigs(root["motors"].path, tuple(real_parts(config)), places)


def _parts(root: ConfigPath) -> Iterator[tuple[str, str, ConfigPath]]:
    """Yield every part that needs a driver: its kind, its id and its place."""
    for kind, place in CONFIG_KEYS.items():
        table = root
        for step in place.split("."):
            table = table[step]
        for part in table:
            yield kind, part[IDS[kind]].text or "?", part
