"""Fill the addresses of ports into the commands and the environment of programs."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from rigless.kernel.problems import InputError, Problem, did_you_mean

PLACEHOLDER = re.compile(r"\{([\w-]+(?:\.[\w-]+)+)\}")


@dataclass
class RunFacts:
    """The values of a run that programs may use. `urls` is (robot, port) → URL."""

    urls: Mapping[tuple[str, str], str]
    seed: int
    name: str
    folder: str
    control_url: str = ""
    control_token: str = ""

    def values(self) -> dict[str, str]:
        """Return the value of every placeholder."""
        values = {
            "scenario.seed": str(self.seed),
            "scenario.name": self.name,
            "run.folder": self.folder,
            "run.python": sys.executable,
        }
        if self.control_url:
            values |= {"control.url": self.control_url, "control.token": self.control_token}
        for (robot, port), url in self.urls.items():
            values |= {f"{robot}.{port}{part}": text for part, text in _parts(url).items()}
        return values

    def environment(self) -> dict[str, str]:
        """Return the variables that every program gets: RIGLESS_VACUUM_COMMANDS and so on."""
        found = {
            f"RIGLESS_{_upper(robot)}_{_upper(port)}": _parts(url)[""]
            for (robot, port), url in self.urls.items()
        }
        found |= {"RIGLESS_SEED": str(self.seed), "RIGLESS_RUN_FOLDER": self.folder}
        domains = {_parts(url)[".domain"] for url in self.urls.values() if "://domain/" in url}
        if len(domains) == 1:  # nodes find their robot without an argument
            found["ROS_DOMAIN_ID"] = domains.pop()
        if self.control_url:
            found |= {"RIGLESS_URL": self.control_url, "RIGLESS_TOKEN": self.control_token}
        return found


def _upper(name: str) -> str:
    return re.sub(r"\W", "_", name).upper()


def _parts(url: str) -> dict[str, str]:
    """Return the URL of a port and its parts. A pseudo terminal is its path, as senders want it."""
    if url.startswith("pty://"):
        return {"": url.removeprefix("pty://"), ".path": url.removeprefix("pty://")}
    parts = {"": url}
    if "://domain/" in url:
        domain = url.rpartition("/")[2]
        return parts | {".domain": domain}
    try:
        split = urlsplit(url)
        host, port = split.hostname, split.port
    except ValueError:
        return parts
    if host is not None:
        parts[".host"] = host
    if port is not None:
        parts[".port"] = str(port)
    return parts


def fill_in(text: str, values: Mapping[str, str], where: str) -> str:
    """Replace `{robot.port}` and the like. Other braces stay. Raises InputError."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            fix = did_you_mean(match[1], values)
            raise InputError(Problem(where, f"{match[0]} names no value of this run", fix))
        return values[match[1]]

    return PLACEHOLDER.sub(value, text)


def unknown_placeholders(text: str, ports: Mapping[tuple[str, str], str]) -> list[Problem]:
    """Return a problem for each placeholder that no run of these ports can fill."""
    known = ["scenario.seed", "scenario.name", "run.folder", "run.python"]
    known += ["control.url", "control.token"]
    names = [f"{robot}.{port}" for robot, port in ports]
    parts = ("host", "port", "domain", "path")
    known += names + [f"{name}.{part}" for name in names for part in parts]
    return [
        Problem("", f"{{{name}}} names no value of this scenario", did_you_mean(name, known))
        for name in PLACEHOLDER.findall(text)
        if name not in known
    ]
