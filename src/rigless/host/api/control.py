"""The control API over HTTP.

Status, time, inputs, faults, snapshots, recording, metrics, events and ground truth.
"""

import asyncio
import base64
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from rigless.host.api.models import (
    EventEntry,
    FaultStatus,
    FinishedRecording,
    InjectFault,
    InputInfo,
    Metrics,
    PortStatus,
    Problems,
    RecordTo,
    RestoreSnapshot,
    RobotDetails,
    RobotStatus,
    RunStatus,
    SavedSnapshot,
    SendMessage,
    SetInputs,
    SetSpeed,
    SnapshotContent,
    SnapshotEntry,
    Status,
    Step,
    TakeSnapshot,
    Truth,
    problem_entry,
)
from rigless.host.host import Host
from rigless.host.storage.recordings_folder import SNAPSHOT
from rigless.kernel import inputs as inp
from rigless.kernel.documents.validation import sentence
from rigless.kernel.drawing import label, unit
from rigless.kernel.plain import to_builtins
from rigless.kernel.ports import Link, Port
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.robot import Robot
from rigless.kernel.snapshot import Snapshot
from rigless.kernel.timing.rate import to_ns
from rigless.transports.capabilities import capabilities
from rigless.transports.transport import ProblemReporter

TURNS = 3  # of the event loop: read, decode and apply what is in the sockets
MISTAKES: dict[int | str, dict[str, Any]] = {
    413: {"model": Problems, "description": "The request is too large, or does not give its size"},
    422: {"model": Problems, "description": "The request has mistakes"},
}


def status_of(robot: Robot) -> str:
    """Return robot.status(), or 'broken: ...' if it raises."""
    row = robot.membership.rows.get(robot.name)
    if row is not None:
        return str(row.status)
    try:
        return robot.status()
    except Exception as error:
        return f"broken: {type(error).__name__}"


def describe_robot(host: Host, robot: Robot) -> RobotStatus:
    """Return the state of one robot."""
    return {
        "name": robot.name,
        "status": status_of(robot),
        "ports": [_describe_port(host, robot.name, port) for port in robot.ports],
        "inputs": to_builtins(robot.input),
        "metrics": to_builtins(robot.metrics),
        "faults": [to_builtins(fault) for fault in robot.faults],
    }


def _describe_port(host: Host, robot: str, port: Port) -> PortStatus:
    url = host.urls.get((robot, port.name), "")
    transport = host.transports.get((robot, port.name))
    return {
        "name": port.name,
        "transport": port.transport,
        "direction": port.direction,
        "url": url,
        "links": _count_peers(port, host.sim.core.links.by_port[robot, port.name].values()),
        "dropped": host.dropped.get(f"{robot}/{port.name}", 0),
        "problem": transport.problem if isinstance(transport, ProblemReporter) else "",
        "example": _example(port.example, robot, url),
        "example_label": port.example_label,
    }


def _count_peers(port: Port, links: Iterable[Link]) -> int:
    """Return the number of connected peers. A robot may send datagrams to two ports of one."""
    if capabilities(port.transport).datagrams and port.direction == "out":
        return len({link.peer.rpartition(":")[0] for link in links})
    return len(list(links))


def _example(command: str, robot: str, url: str) -> str:
    """Fill the robot's name and the actual address into a port's example command.

    It is empty while the port has no address.
    """
    host, _, number = url.rpartition("://")[2].rpartition(":")
    values = {"{robot}": shlex.quote(robot), "{host}": host, "{port}": number}
    for name, value in values.items():
        command = command.replace(name, value)
    return command if url else ""


def describe_details(host: Host, robot: Robot) -> RobotDetails:
    """Return the state of one robot, its inputs and the faults that can be injected."""
    inputs: dict[str, InputInfo] = {
        name: {
            "default": spec.default,
            "help": spec.help,
            "label": " ".join(filter(None, (label(name), unit(name)))),
            "by_host": spec.by_host,
            "low": spec.low,
            "high": spec.high,
            "choices": list(spec.choices),
        }
        for name, spec in robot.inputs.items()
    }
    params = {
        target: {kind: robot.fault_targets.params(target, kind) for kind in kinds}
        for target, kinds in robot.fault_targets.seams.items()
    }
    defaults = {
        target: {
            kind: {name: param.default for name, param in of_kind.items()}
            for kind, of_kind in kinds.items()
        }
        for target, kinds in params.items()
    }
    return {
        **describe_robot(host, robot),
        "declared_inputs": inputs,
        "fault_targets": defaults,
        "fault_params": to_builtins(params),
    }


def summarise(host: Host) -> RunStatus:
    """Return the state of the run as a whole."""
    return {
        "name": host.built.scenario.name,
        "state": host.state,
        "failure": host.failure,
        "time_s": host.sim.now_s,
        "epoch": host.epoch,
        "pace": host.pace.mode,
        "speed": host.pace.speed,
        "wall_s": host.wall_s,
        "real_time_factor": host.real_time_factor(),
        "lost_s": host.lost_ns / 1e9,
        "seed": host.sim.seed,
        "recording": str(host.recording_file.path) if host.recording_file.path else None,
        "outcome": host.outcome,
    }


def describe(host: Host) -> Status:
    """Return the whole status, as `rigless ctl status` shows it."""
    return {
        **summarise(host),
        "robots": [describe_robot(host, robot) for robot in host.sim.robots.values()],
    }


def list_snapshots(host: Host) -> list[SnapshotEntry]:
    """Return the snapshots that are kept in memory, oldest first."""
    return [{"name": name, "time_s": saved.now_ns / 1e9} for name, saved in host.snapshots.items()]


def create_app(host: Host) -> FastAPI:
    """Return the API of one host. The server wraps authentication around it."""
    app = FastAPI(
        title="rigless",
        version="1",
        description=__doc__ or "",
        docs_url=None,
        redoc_url=None,
        responses=MISTAKES,
    )

    @app.exception_handler(InputError)
    async def bad_input(request: Request, error: InputError) -> Response:
        return _problems(error.problems, 422)

    @app.exception_handler(RequestValidationError)
    async def bad_body(request: Request, error: RequestValidationError) -> Response:
        return _problems(_request_problems(request, error), 422)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if error.status_code == 400:  # FastAPI cannot read the body
            fix = "send JSON in UTF-8"
            return _problems([Problem("body", str(error.detail), fix)], 422)
        headers = dict(error.headers or {})
        if error.status_code == 405:  # Starlette names only the first route of a path
            headers["Allow"] = ", ".join(_methods(app, request))
        return _problems([Problem("", str(error.detail))], error.status_code, headers)

    _add_time_routes(app, host)
    _add_robot_routes(app, host)
    _add_fault_routes(app, host)
    _add_log_routes(app, host)
    _add_snapshot_routes(app, host)
    _add_recording_routes(app, host)
    return app


def _request_problems(request: Request, error: RequestValidationError) -> list[Problem]:
    """Return what is wrong with a request; unknown keys of its body get a hint."""
    field = getattr(request.scope.get("route"), "body_field", None)
    model = getattr(getattr(field, "field_info", None), "annotation", None)
    known = model if isinstance(model, type) and issubclass(model, BaseModel) else None
    problems = []
    for detail in error.errors():
        place, *path = detail["loc"]
        where = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "json_invalid":
            problems.append(Problem(where, "is not JSON", detail["ctx"]["error"]))
            continue
        inside = known if place == "body" else None
        problems.append(Problem(where, *sentence(inside, {**detail, "loc": tuple(path)})))
    return problems


def _methods(app: FastAPI, request: Request) -> list[str]:
    """Return the methods of all routes of the request's path."""
    routes = [route for route in app.routes if isinstance(route, Route)]
    fitting = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for route in fitting for method in route.methods or ()})


def _problems(
    problems: Iterable[Problem], status_code: int, headers: Mapping[str, str] | None = None
) -> Response:
    entries = [problem_entry(problem) for problem in problems]
    return JSONResponse({"problems": entries}, status_code, headers)


def _add_time_routes(app: FastAPI, host: Host) -> None:
    @app.get("/api/status")
    async def status() -> Status:
        """Return time, pace, robots, ports and faults."""
        return describe(host)

    @app.post("/api/pause")
    async def pause() -> Status:
        """Pause: stop simulated time. Ports still answer."""
        host.pause()
        return describe(host)

    @app.post("/api/resume")
    async def resume() -> Status:
        """Continue after a pause."""
        host.resume()
        return describe(host)

    @app.post("/api/stop")
    async def stop() -> Status:
        """Pause, and finish the recording. `resume` continues from this instant."""
        host.halt()
        return describe(host)

    @app.post("/api/step")
    async def step(body: Step) -> Status:
        """Advance by some simulated milliseconds, then pause. It returns at the end of the step."""
        for _ in range(TURNS):
            await asyncio.sleep(0)  # messages that the client sent before are received first
        await host.step(body.ms)
        return describe(host)

    @app.post("/api/speed")
    async def speed(body: SetSpeed) -> Status:
        """Set the pace: 0.1 to 100 times real time, `fast`, or `lockstep`."""
        host.set_speed(body.speed)
        return describe(host)

    @app.post("/api/reset")
    async def reset() -> Status:
        """Go back to time zero. Clients stay connected."""
        host.reset()
        return describe(host)


def _add_robot_routes(app: FastAPI, host: Host) -> None:
    @app.get("/api/robots/{robot}")
    async def details(robot: str) -> RobotDetails:
        """Return a robot with its ports, inputs, fault targets and kinds."""
        return describe_details(host, host.sim.robot(robot))

    @app.get("/api/robots/{robot}/truth")
    async def truth(robot: str) -> Truth:
        """Return the true state of a robot, which is not on its wire."""
        return {"time_s": host.sim.now_s, "truth": to_builtins(host.sim.truth(robot))}

    @app.post("/api/robots/{robot}/inputs")
    async def set_inputs(robot: str, body: SetInputs) -> RobotStatus:
        """Set inputs of a robot, such as buttons and e-stops."""
        changes = [inp.SetInput(robot, name, value) for name, value in body.inputs.items()]
        for change in changes:
            host.sim.core.check(change)
        for change in changes:
            host.apply(change)
        return describe_robot(host, host.sim.robot(robot))

    @app.post("/api/robots/{robot}/messages")
    async def send_message(robot: str, body: SendMessage) -> RobotStatus:
        """Apply a message as if it had arrived on the port."""
        fields = dict(body.message)
        host.apply(inp.Send(robot, body.port, str(fields.pop("type", "")), fields))
        return describe_robot(host, host.sim.robot(robot))


def _add_fault_routes(app: FastAPI, host: Host) -> None:
    @app.get("/api/faults")
    async def faults() -> list[FaultStatus]:
        """Return the active faults of all robots."""
        return [to_builtins(fault) for robot in host.sim.robots.values() for fault in robot.faults]

    @app.post("/api/faults")
    async def inject(body: InjectFault) -> list[FaultStatus]:
        """Inject a fault, for `for_s` seconds or until it is cleared. Returns the active faults."""
        host.catch_up()
        until_ns = None if body.for_s is None else host.sim.now_ns + to_ns(body.for_s)
        host.apply(inp.Inject(body.robot, body.target, body.kind, body.params, until_ns))
        return await faults()

    @app.delete("/api/faults")
    async def clear(robot: str, target: str = "") -> list[FaultStatus]:
        """Clear the faults of a robot, or those on one target. Returns the active faults."""
        host.apply(inp.Clear(robot, target))
        return await faults()


def _add_log_routes(app: FastAPI, host: Host) -> None:
    @app.get("/api/metrics")
    async def metrics() -> Metrics:
        """Return the counters of all robots and of the run."""
        return {
            "time_s": host.sim.now_s,
            "events_processed": host.sim.core.agenda.processed,
            "recorded_messages": host.recording_file.messages,
            "dropped": dict(host.dropped),
            "robots": {
                robot.name: to_builtins(robot.metrics) for robot in host.sim.robots.values()
            },
        }

    @app.get("/api/events")
    async def events(
        since_s: float = 0.0, limit: Annotated[int, Field(ge=1, le=10_000)] = 1000
    ) -> list[EventEntry]:
        """Return the newest events, oldest first."""
        recent = [event for event in host.sim.events if event.time_ns >= since_s * 1e9]
        return [to_builtins(event) for event in recent[-limit:]]


def _add_snapshot_routes(app: FastAPI, host: Host) -> None:
    @app.get("/api/snapshots")
    async def snapshots() -> list[SnapshotEntry]:
        """Return the snapshots that are kept in memory, oldest first."""
        return list_snapshots(host)

    @app.post("/api/snapshots")
    async def take(body: TakeSnapshot) -> SavedSnapshot:
        """Save the state of all robots in memory, and also in `file` if it is given."""
        path = ""
        if body.file:  # first, so that a bad name takes no snapshot
            created, stream = host.recordings.create(body.file, SNAPSHOT, body.force)
            path = str(created)
        name = host.take_snapshot(body.name)
        if body.file:
            _write(stream, host.snapshots[name].to_bytes(), path)
        return {"name": name, "time_s": host.snapshots[name].now_ns / 1e9, "file": path}

    @app.get("/api/snapshots/{name}")
    async def content(name: str) -> SnapshotContent:
        """Return a snapshot that is kept in memory, in base64."""
        if name not in host.snapshots:
            raise unknown("snapshot", name, host.snapshots)
        saved = host.snapshots[name]
        data = base64.b64encode(saved.to_bytes()).decode()
        return {"name": name, "time_s": saved.now_ns / 1e9, "data": data}

    @app.post("/api/restore")
    async def restore(body: RestoreSnapshot) -> Status:
        """Go back to a snapshot, by its name in memory, its file, or its content."""
        if body.file:
            path = host.recordings.find(body.file, SNAPSHOT)
            try:
                data = path.read_bytes()
            except OSError as error:
                raise InputError(Problem("file", f"cannot be read: {error}")) from None
            host.restore(Snapshot.from_bytes(data))
        elif body.data:
            host.restore(Snapshot.from_bytes(_decoded(body.data)))
        else:
            host.restore(body.name)
        return describe(host)


def _write(stream: IO[bytes], data: bytes, path: str) -> None:
    try:
        with stream:
            stream.write(data)
    except OSError as error:
        Path(path).unlink(missing_ok=True)
        what = f"cannot write {path}: {error.strerror}"
        raise InputError(Problem("file", what, "free some space")) from None


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise InputError(Problem("data", f"is not base64: {error}")) from None


def _add_recording_routes(app: FastAPI, host: Host) -> None:
    @app.post("/api/recording")
    async def record(body: RecordTo = RecordTo()) -> Status:  # noqa: B008  # it is never changed
        """Start to record to a file in the folder of recordings."""
        host.catch_up()
        run = host.built.scenario.name
        host.recording_file.start_in(host.recordings, body.file, run, body.force)
        return describe(host)

    @app.delete("/api/recording")
    async def stop_recording() -> FinishedRecording:
        """End the recording. Returns its file."""
        path = host.recording_file.stop()
        if path is None:
            raise InputError(Problem("recording", "nothing is being recorded"))
        return {"file": str(path)}
