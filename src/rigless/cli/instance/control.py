"""`rigless ctl`: a thin client of the control API."""

import base64
import http.client
import json as json_module
import os
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from rigless.kernel.problems import InputError, Problem, did_you_mean

Url = Annotated[
    str | None,
    typer.Option(
        envvar="RIGLESS_URL",
        help="Address of the instance; default: the one on this machine that has the robot.",
    ),
]
Token = Annotated[str | None, typer.Option(envvar="RIGLESS_TOKEN", help="Its token.")]
ANSWER_S = 5.0  # an instance that answers later is not searched for a robot
CROWD = 12  # with more robots, only the unusual ones are shown
Robot = Annotated[
    str, typer.Argument(metavar="ROBOT", help="Its name, as rigless ctl status shows it.")
]


class Api:
    """The API of one instance: the given address and token, or the instance on this machine.

    If several are running, a robot's name selects the one that has it.
    """

    def __init__(self, url: str | None, token: str | None, robot: str | None = None):
        if url is None:
            from rigless.host import sessions

            note = sessions.only_instance() if robot is None else _instance_with(robot)
            url, token = note["url"], token or note["token"]
        try:
            parts = urllib.parse.urlsplit(url)
        except ValueError as error:
            raise InputError(
                Problem(
                    "--url", f"{url!r} is not a URL: {error}", "for example http://127.0.0.1:8080"
                )
            ) from None
        self._base = f"{parts.scheme}://{parts.netloc}"
        self._token = token or next(iter(urllib.parse.parse_qs(parts.query).get("token", [])), None)

    def call(self, method: str, path: str, body: Any = None, timeout_s: float = 600) -> Any:
        data = None if body is None else json_module.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            request = urllib.request.Request(self._base + path, data, headers, method=method)
            with urllib.request.urlopen(request, timeout=timeout_s) as answer:
                return json_module.load(answer)
        except urllib.error.HTTPError as error:
            raise InputError(_problems(error)) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise InputError(
                Problem("ctl", f"cannot reach {self._base}: {reason}", "is it running? check --url")
            ) from None


def _instance_with(robot: str) -> Any:
    """Return the session of the only instance, or of the one that has a robot."""
    from rigless.host import sessions

    running = sessions.running()
    if len(running) < 2:
        return sessions.only_instance()
    names = {note["pid"]: _robots(note) for note in running}
    having = [note for note in running if robot in names[note["pid"]]]
    if not having:
        what = f"no running instance has a robot {robot!r}"
        raise InputError(
            Problem("ctl", what, did_you_mean(robot, sorted({*chain(*names.values())})))
        )
    if len(having) > 1:
        urls = ", ".join(f"{note['url']} ({note['name']})" for note in having)
        what = f"several instances have a robot {robot!r}: {urls}"
        raise InputError(Problem("ctl", what, "choose one with --url and --token"))
    return having[0]


def _robots(note: Any) -> list[str]:
    """Return the names of the robots of an instance, or none if it does not answer."""
    try:
        status = Api(note["url"], note["token"]).call("GET", "/api/status", timeout_s=ANSWER_S)
    except InputError:
        return []
    return [robot["name"] for robot in status["robots"]]


def _problems(error: urllib.error.HTTPError) -> list[Problem]:
    try:
        return [
            Problem(p["where"], p["what"], p["fix"]) for p in json_module.load(error)["problems"]
        ]
    except (ValueError, KeyError, TypeError):
        return [Problem("ctl", f"the instance answered {error.code} {error.reason}")]


def show_status(status: Any, every: bool = False) -> None:
    """Print the status. Of many robots only the unusual ones are shown, unless `every` is set."""
    pace = f"{status['speed']:g}×" if status["pace"] == "real" else status["pace"]
    factor = f"real-time factor {status['real_time_factor']:.2f}"
    state = f"{status['state']} at {status['time_s']:.3f} s"
    typer.echo(f"{status['name']}: {state}, pace {pace}, {factor}")
    if status["failure"]:
        typer.echo(f"  failed: {status['failure']}")
    if status["recording"]:
        typer.echo(f"  recording to {status['recording']}")
    robots = status["robots"]
    if len(robots) > CROWD and not every:
        counts = Counter(robot["status"] for robot in robots)
        usual = counts.most_common(1)[0][0]
        summary = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        typer.echo(f"  {len(robots)} robots: {summary}; all of them: rigless ctl status --all")
        robots = [robot for robot in robots if robot["status"] != usual or _is_unusual(robot)]
    for robot in robots:
        _show_robot(robot)


def _is_unusual(robot: Any) -> bool:
    return bool(robot["faults"] or any(port["problem"] for port in robot["ports"]))


def _show_robot(robot: Any) -> None:
    typer.echo(f"  {robot['name']}: {robot['status']}")
    for port in robot["ports"]:
        dropped = f", {port['dropped']} dropped" if port["dropped"] else ""
        problem = f": {port['problem']}" if port["problem"] else ""
        counts = f"{port['links']} connected{dropped}"
        typer.echo(f"    port {port['name']} {port['url']} ({counts}){problem}")
    for fault in robot["faults"]:
        typer.echo(f"    fault {_as_typed(fault)}")


def _as_typed(fault: Any) -> str:
    """Return a fault as `rigless ctl inject` takes it, without the robot."""
    params = [
        f"{key}={f'{value:g}' if isinstance(value, float) else value}"
        for key, value in fault["params"].items()
    ]
    return " ".join([fault["target"], fault["kind"], *params])


def _show_offers(robot: Any) -> None:
    """Print the inputs and faults of a robot."""
    for name, spec in robot["declared_inputs"].items():
        if not spec["by_host"]:
            about = f"  ({spec['help']})" if spec["help"] else ""
            typer.echo(f"    input {name}={json_module.dumps(robot['inputs'][name])}{about}")
    for target, kinds in robot["fault_params"].items():
        typer.echo(f"    can break: {target} ({', '.join(kinds)})")


def pairs(words: list[str], example: str) -> dict[str, Any]:
    """Return key=value words as a dictionary; values are JSON, else text."""
    pairs = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise InputError(Problem(word, "is not key=value", f"for example: {example}"))
        try:
            pairs[key] = json_module.loads(text)
        except ValueError:
            pairs[key] = text
    return pairs


def register(ctl: typer.Typer) -> None:
    """Add the commands to `rigless ctl`."""

    @ctl.command()
    def status(
        robot: Annotated[
            str | None,
            typer.Argument(metavar="[ROBOT]", help="One robot, with its inputs and fault targets."),
        ] = None,
        every: Annotated[
            bool, typer.Option("--all", help="Show every robot of a large fleet.")
        ] = False,
        json: Annotated[bool, typer.Option("--json", help="Print the JSON of the API.")] = False,
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Show time, pace, robots, ports and faults; or one robot with its inputs.

        Examples:

          rigless ctl status

          rigless ctl status AGV-37
        """
        path = (
            "/api/status" if robot is None else f"/api/robots/{urllib.parse.quote(robot, safe='')}"
        )
        found = Api(url, token, robot).call("GET", path)
        if json:
            typer.echo(json_module.dumps(found, indent=2))
        elif robot is None:
            show_status(found, every)
        else:
            _show_robot(found)
            _show_offers(found)

    @ctl.command()
    def pause(url: Url = None, token: Token = None) -> None:
        """Pause: stop simulated time. Ports still answer."""
        show_status(Api(url, token).call("POST", "/api/pause"))

    @ctl.command()
    def resume(url: Url = None, token: Token = None) -> None:
        """Continue after a pause."""
        show_status(Api(url, token).call("POST", "/api/resume"))

    @ctl.command()
    def step(
        ms: Annotated[
            float, typer.Argument(metavar="[MS]", help="Simulated milliseconds to advance.")
        ] = 10.0,
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Advance by some milliseconds of simulated time, then pause.

        Example:

          rigless ctl step 500
        """
        show_status(Api(url, token).call("POST", "/api/step", {"ms": ms}))

    @ctl.command()
    def speed(
        factor: Annotated[
            str,
            typer.Argument(metavar="X", help="0.1 to 100 (times real time), fast, or lockstep."),
        ],
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Change the pace.

        Examples:

          rigless ctl speed 10

          rigless ctl speed fast
        """
        try:
            value: float | str = float(factor.rstrip("x×"))
        except ValueError:
            value = factor
        show_status(Api(url, token).call("POST", "/api/speed", {"speed": value}))

    @ctl.command()
    def reset(url: Url = None, token: Token = None) -> None:
        """Go back to time zero; clients stay connected."""
        show_status(Api(url, token).call("POST", "/api/reset"))

    @ctl.command()
    def inject(
        robot: Robot,
        target: Annotated[
            str,
            typer.Argument(
                metavar="TARGET", help="A port, sensor, actuator, or what the robot declares."
            ),
        ],
        words: Annotated[
            list[str],
            typer.Argument(
                metavar="[KIND] [KEY=VALUE]…", help="The kind of fault, and its parameters."
            ),
        ] = [],
        for_s: Annotated[
            float | None, typer.Option("--for", metavar="S", help="Clear it after this long.")
        ] = None,
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Inject a fault; without a kind, the first one of the target.

        `rigless ctl status ROBOT` lists the targets with their kinds.

        Examples:

          rigless ctl inject hall temperature bias value=3 --for 10

          rigless ctl inject agv drive_left error

          rigless ctl inject agv nats disconnect --for 30
        """
        kind = words[0] if words and "=" not in words[0] else ""
        params = pairs(words[1:] if kind else words, "probability=0.5")
        body = {"robot": robot, "target": target, "kind": kind, "params": params, "for_s": for_s}
        mine = [
            fault
            for fault in Api(url, token, robot).call("POST", "/api/faults", body)
            if fault["robot"] == robot
        ]
        for fault in mine:
            typer.echo(f"fault {fault['robot']} {_as_typed(fault)}")

    @ctl.command()
    def clear(
        robot: Robot,
        target: Annotated[
            str, typer.Argument(metavar="[TARGET]", help="Only the faults on this target.")
        ] = "",
        url: Url = None,
        token: Token = None,
    ) -> None:
        """End a robot's faults, or those on one target.

        Examples:

          rigless ctl clear vacuum

          rigless ctl clear vacuum lidar
        """
        query = urllib.parse.urlencode({"robot": robot, "target": target})
        left = Api(url, token, robot).call("DELETE", f"/api/faults?{query}")
        typer.echo(f"{len(left)} faults left")

    @ctl.command("set-input")
    def set_input(
        robot: Robot,
        words: Annotated[
            list[str], typer.Argument(metavar="NAME=VALUE…", help="Inputs with their new values.")
        ],
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Set inputs of a robot, such as buttons and e-stops.

        `rigless ctl status ROBOT` lists them with their values.

        Examples:

          rigless ctl set-input hall window_open=true

          rigless ctl set-input agv estop=true
        """
        inputs = pairs(words, "window_open=true")
        found = Api(url, token, robot).call(
            "POST", f"/api/robots/{urllib.parse.quote(robot)}/inputs", {"inputs": inputs}
        )
        typer.echo(
            " ".join(f"{name}={json_module.dumps(found['inputs'][name])}" for name in inputs)
        )

    @ctl.command()
    def snapshot(
        file: Annotated[
            Path | None,
            typer.Argument(
                metavar="[FILE]",
                help="The file to write; without one the running instance keeps it.",
            ),
        ] = None,
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Save the state of all robots, in the running instance or in a file.

        Examples:

          rigless ctl snapshot

          rigless ctl snapshot before.snapshot
        """
        api = Api(url, token)
        name = api.call("POST", "/api/snapshots", {})["name"]
        if file is not None:
            content = api.call("GET", f"/api/snapshots/{urllib.parse.quote(name)}")
            _write(file, base64.b64decode(content["data"]))
        typer.echo(f"snapshot {name}" + (f" in {file}" if file else ""))

    @ctl.command()
    def restore(
        name: Annotated[
            str,
            typer.Argument(metavar="NAME|FILE", help="A name that snapshot printed, or a file."),
        ],
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Go back to a snapshot: one of the running instance by its name, or a file.

        Examples:

          rigless ctl restore 1-at-12.500s

          rigless ctl restore before.snapshot
        """
        body = {"data": _read(Path(name))} if os.path.isfile(name) else {"name": name}
        show_status(Api(url, token).call("POST", "/api/restore", body))


def _write(file: Path, data: bytes) -> None:
    try:
        file.write_bytes(data)
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise InputError(Problem(str(file), what, "choose another file")) from None


def _read(file: Path) -> str:
    try:
        return base64.b64encode(file.read_bytes()).decode()
    except OSError as error:
        raise InputError(Problem(str(file), f"cannot be read: {error.strerror}")) from None
