"""What this machine must have for a config: its credentials, certificates, drivers and map."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from rigless.hardware.discovery import PLACES, Need, lacks, make_drivers
from rigless.kernel.problems import InputError
from rigless.kernel.validation import Finding
from rigless.robots.agv.checks.config_path import ConfigPath
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.hardware_port import real_parts
from rigless.worlds.bundled import find_map

IDS = {"motor": "motorId", "input": "ioId", "output": "ioId", "device": "deviceId"}
SEED = re.compile(
    r"BEGIN USER NKEY SEED|\ASU[A-Z2-7]{56}\s*\Z"
)  # in a .creds file, or an nkey alone
CERTIFICATES = (
    "RIGLESS_NATS_CA",
    "RIGLESS_NATS_CERT",
    "RIGLESS_NATS_KEY",
    "SSL_CERT_FILE",
)  # variables that name files


def environment_of(root: ConfigPath, config: RobotConfig | None) -> Iterator[Finding]:
    """`config` is there if nothing is wrong with it so far."""
    real = root["runtime"]["mode"].text == "REAL"
    yield from _creds(root["nats"]["credsFilePath"], real)
    yield from _certificates(root["nats"])
    if real:
        yield from _drivers(root, config)
    else:
        yield from _map(root["runtime"]["simulationProfile"]["map"])


def _creds(place: ConfigPath, real: bool) -> Iterator[Finding]:
    """A simulated robot may do without, on a server that wants none or the one that rigless brings."""
    if place.text == "" and real:
        yield place.warning(
            "NO_CREDS",
            "the robot has no credentials: anyone can pretend to be it",
            "name a .creds file",
        )
    if not place.text:
        return
    say = place.error if real else place.warning
    path = Path(place.text)
    try:
        path = path.expanduser()
        mode = path.stat().st_mode
        text = path.read_text("utf-8", errors="replace")[:100_000] if stat.S_ISREG(mode) else ""
    except (FileNotFoundError, NotADirectoryError):
        fix = "put it there" if real else "put it there; a server that wants none does without"
        yield say("CREDS_MISSING", f"there is no file {place.text!r}", fix)
        return
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        yield say(
            "CREDS_UNREADABLE",
            f"{place.text!r} cannot be read: {why}",
            "let the robot's user read it",
        )
        return
    if SEED.search(text) is None:
        what = f"{place.text!r} is no .creds file: the seed of a user's key is not in it"
        yield say("CREDS_MALFORMED", what, "get it again: nsc generate creds")
    if mode & (stat.S_IROTH | stat.S_IWOTH):
        yield say(
            "CREDS_EXPOSED",
            f"everyone on this machine can read {place.text!r}",
            f"chmod 600 {place.text}",
        )


def _certificates(nats: ConfigPath) -> Iterator[Finding]:
    if not any((server.text or "").startswith("tls://") for server in nats["servers"]):
        return
    for name in CERTIFICATES:
        file = os.environ.get(name, "")
        if file and not os.access(file, os.R_OK):
            yield nats["servers"].error(
                "TLS_FILE_MISSING", f"{name} names {file!r}, which cannot be read", "mend it"
            )
    if os.environ.get("RIGLESS_NATS_KEY") and not os.environ.get("RIGLESS_NATS_CERT"):
        what = "RIGLESS_NATS_KEY is given without RIGLESS_NATS_CERT"
        yield nats["servers"].error("TLS_CERT_MISSING", what, "a key goes with its certificate")


def _drivers(root: ConfigPath, config: RobotConfig | None) -> Iterator[Finding]:
    """Drivers are packages of others, found by their entry points: group and name, the driver's type."""
    places: dict[Need, ConfigPath] = {}
    for kind, name, part in _parts(root):
        driver = part["driver"]["type"]
        if driver.text == "MOCK":
            what = f"{name!r} is simulated, though the robot is REAL"
            yield driver.warning("MOCK_DRIVER_IN_REAL", what, "name its driver")
        elif driver.text is not None:
            places.setdefault(Need(kind, name, driver.text), driver)
    found = lacks(list(places))
    for lack in found:
        yield places[lack.need].error(lack.code, lack.what, lack.fix)
    if config is not None and not found:
        yield from _made(root, config)


def _parts(root: ConfigPath) -> Iterator[tuple[str, str, ConfigPath]]:
    """All that needs a driver: its kind, its own name, where it stands."""
    for kind, place in PLACES.items():
        table = root
        for step in place.split("."):
            table = table[step]
        for part in table:
            yield kind, part[IDS[kind]].text or "?", part


def _made(root: ConfigPath, config: RobotConfig) -> Iterator[Finding]:
    """What drivers say to their own configs; they are made, not opened."""
    try:
        make_drivers(real_parts(config))
    except InputError as error:
        for problem in error.problems:
            for _, name, part in _parts(root):
                words = ".".join(str(step) for step in part.path[:-1]) + f".{name}."
                if problem.where.startswith(words):
                    inner = tuple(problem.where.removeprefix(words).split("."))
                    yield Finding(
                        (*part.path, *inner), problem.what, problem.fix, "DRIVER_CONFIG_WRONG"
                    )
                    break
            else:
                yield root["motors"].error(
                    "DRIVER_BROKEN", f"{problem.where}: {problem.what}", problem.fix
                )


def _map(place: ConfigPath) -> Iterator[Finding]:
    if place.text is None:
        return
    try:
        find_map(place.text)
    except InputError as error:
        yield place.error("MAP_MISSING", error.problems[0].what, error.problems[0].fix)
