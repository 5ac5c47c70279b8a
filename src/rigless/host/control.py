"""The control API: status, time, inputs, faults, snapshots, recording, metrics, events and ground truth over HTTP."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.drawing import label, unit
from rigless.kernel.faults import KINDS
from rigless.kernel.plain import to_builtins
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.rate import to_ns
from rigless.kernel.robot import Robot
from rigless.kernel.snapshot import Snapshot


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Step(Body):
    ms: Annotated[float, Field(gt=0, le=3.6e6)] = 10.0


class SetSpeed(Body):
    speed: float | str


class SetInputs(Body):
    inputs: dict[str, bool | int | float | str]


class InjectFault(Body):
    robot: str
    target: str
    kind: str = ""
    params: dict[str, Any] = {}
    for_s: Annotated[float, Field(gt=0, le=1e9)] | None = None


class SendMessage(Body):
    port: str
    message: dict[str, Any]


class NamedFile(Body):
    """A name to keep it under here, and a file to write it to or read it from; both optional."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_. -]*$", max_length=100)] = ""
    file: str = ""


class RecordTo(Body):
    """Where to; without a file, a new one in the working folder, called after the scenario and the time."""

    file: str | None = None


def status_of(robot: Robot) -> str:
    """Its own word for how it is; a robot that fails to say it does not keep the others' from being told."""
    try:
        return robot.status()
    except Exception as error:
        return f"broken: {type(error).__name__}"


def describe_robot(host: Host, robot: Robot) -> dict[str, Any]:
    ports = [
        {
            "name": port.name,
            "url": host.urls.get((robot.name, port.name), ""),
            "links": len(host.sim.links.by_port[robot.name, port.name]),
            "dropped": host.dropped.get(f"{robot.name}/{port.name}", 0),
            "example": _example(port.example, host.urls.get((robot.name, port.name), "")),
        }
        for port in robot.ports
    ]
    return {
        "name": robot.name,
        "status": status_of(robot),
        "ports": ports,
        "inputs": to_builtins(robot.input),
        "metrics": to_builtins(robot.metrics),
        "faults": [to_builtins(fault) for fault in robot.faults],
    }


def _example(line: str, url: str) -> str:
    """The line of a port with the address that it really has; nothing while it has none."""
    host, _, number = url.rpartition("://")[2].rpartition(":")
    return line.replace("{host}", host).replace("{port}", number) if url else ""


def summarise(host: Host) -> dict[str, Any]:
    """What is true of the run as a whole."""
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
    }


def describe(host: Host) -> dict[str, Any]:
    """The whole status, as `rigless ctl status` shows it."""
    return {
        **summarise(host),
        "robots": [describe_robot(host, robot) for robot in host.sim.robots.values()],
    }


def list_snapshots(host: Host) -> list[dict[str, Any]]:
    return [{"name": name, "time_s": saved.now_ns / 1e9} for name, saved in host.snapshots.items()]


def create_app(host: Host) -> FastAPI:
    """The API of one host. Authentication is wrapped around it by the server."""
    app = FastAPI(
        title="rigless", version="1", description=__doc__ or "", docs_url=None, redoc_url=None
    )

    @app.exception_handler(InputError)
    async def bad_input(request: Request, error: InputError) -> Response:
        return JSONResponse({"problems": [to_builtins(problem) for problem in error.problems]}, 422)

    @app.exception_handler(RequestValidationError)
    async def bad_body(request: Request, error: RequestValidationError) -> Response:
        problems = [
            Problem(".".join(str(part) for part in detail["loc"]), detail["msg"])
            for detail in error.errors()
        ]
        return JSONResponse({"problems": [to_builtins(problem) for problem in problems]}, 422)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        return JSONResponse(
            {"problems": [to_builtins(Problem("", str(error.detail)))]}, error.status_code
        )

    _add_time(app, host)
    _add_robots(app, host)
    _add_tape(app, host)
    return app


def _add_time(app: FastAPI, host: Host) -> None:
    @app.get("/api/status")
    async def status() -> dict[str, Any]:
        return describe(host)

    @app.post("/api/pause")
    async def pause() -> dict[str, Any]:
        host.pause()
        return describe(host)

    @app.post("/api/resume")
    async def resume() -> dict[str, Any]:
        host.resume()
        return describe(host)

    @app.post("/api/stop")
    async def stop() -> dict[str, Any]:
        host.halt()
        return describe(host)

    @app.post("/api/step")
    async def step(body: Step) -> dict[str, Any]:
        await host.step(body.ms)
        return describe(host)

    @app.post("/api/speed")
    async def speed(body: SetSpeed) -> dict[str, Any]:
        host.set_speed(body.speed)
        return describe(host)

    @app.post("/api/reset")
    async def reset() -> dict[str, Any]:
        host.reset()
        return describe(host)


def _add_robots(app: FastAPI, host: Host) -> None:
    @app.get("/api/robots/{robot}")
    async def one(robot: str) -> dict[str, Any]:
        found = host.sim.robot(robot)
        inputs = {
            name: {
                "default": spec.default,
                "help": spec.help,
                "label": " ".join(filter(None, (label(name), unit(name)))),
                "by_host": spec.by_host,
            }
            for name, spec in found.inputs.items()
        }
        params = {
            target: {kind: KINDS.get(seam, {}).get(kind, {}) for kind, seam in kinds.items()}
            for target, kinds in found.fault_targets.seams.items()
        }
        targets = {
            target: {
                kind: {name: param.default for name, param in of.items()}
                for kind, of in kinds.items()
            }
            for target, kinds in params.items()
        }
        return {
            **describe_robot(host, found),
            "declared_inputs": inputs,
            "fault_targets": targets,
            "fault_params": to_builtins(params),
        }

    @app.get("/api/robots/{robot}/truth")
    async def truth(robot: str) -> dict[str, Any]:
        return {"time_s": host.sim.now_s, "truth": to_builtins(host.sim.truth(robot))}

    @app.post("/api/robots/{robot}/inputs")
    async def set_inputs(robot: str, body: SetInputs) -> dict[str, Any]:
        given = [inp.SetInput(robot, name, value) for name, value in body.inputs.items()]
        for one_input in given:
            host.sim.check(one_input)
        for one_input in given:
            host.apply(one_input)
        return describe_robot(host, host.sim.robot(robot))

    @app.post("/api/robots/{robot}/messages")
    async def send_message(robot: str, body: SendMessage) -> dict[str, Any]:
        fields = dict(body.message)
        host.apply(inp.Send(robot, body.port, str(fields.pop("type", "")), fields))
        return describe_robot(host, host.sim.robot(robot))

    @app.get("/api/faults")
    async def faults() -> list[Any]:
        return [to_builtins(fault) for robot in host.sim.robots.values() for fault in robot.faults]

    @app.post("/api/faults")
    async def inject(body: InjectFault) -> list[Any]:
        host.catch_up()
        until_ns = None if body.for_s is None else host.sim.now_ns + to_ns(body.for_s)
        host.apply(inp.Inject(body.robot, body.target, body.kind, body.params, until_ns))
        return await faults()

    @app.delete("/api/faults")
    async def clear(robot: str, target: str = "") -> list[Any]:
        host.apply(inp.Clear(robot, target))
        return await faults()

    @app.get("/api/metrics")
    async def metrics() -> dict[str, Any]:
        return {
            "time_s": host.sim.now_s,
            "events_processed": host.sim.agenda.processed,
            "recorded_messages": host.recording_file.messages,
            "dropped": dict(host.dropped),
            "robots": {
                robot.name: to_builtins(robot.metrics) for robot in host.sim.robots.values()
            },
        }

    @app.get("/api/events")
    async def events(
        since_s: float = 0.0, limit: Annotated[int, Field(ge=1, le=10_000)] = 1000
    ) -> list[Any]:
        found = [event for event in host.sim.events if event.time_ns >= since_s * 1e9]
        return [to_builtins(event) for event in found[-limit:]]


def _add_tape(app: FastAPI, host: Host) -> None:
    @app.get("/api/snapshots")
    async def snapshots() -> list[Any]:
        return list_snapshots(host)

    @app.post("/api/snapshots")
    async def take(body: NamedFile) -> dict[str, Any]:
        name = host.take_snapshot(body.name)
        if body.file:
            try:
                Path(body.file).write_bytes(host.snapshots[name].to_bytes())
            except (OSError, ValueError) as error:
                raise InputError(Problem("file", f"cannot be written: {error}")) from None
        return {"name": name, "time_s": host.snapshots[name].now_ns / 1e9, "file": body.file}

    @app.post("/api/restore")
    async def restore(body: NamedFile) -> dict[str, Any]:
        if body.file:
            try:
                data = Path(body.file).read_bytes()
            except (OSError, ValueError) as error:
                raise InputError(Problem("file", f"cannot be read: {error}")) from None
            host.restore(Snapshot.from_bytes(data))
        else:
            host.restore(body.name)
        return describe(host)

    @app.post("/api/recording")
    async def record(body: RecordTo = RecordTo()) -> dict[str, Any]:  # noqa: B008  # it is never changed
        host.catch_up()
        host.recording_file.start(
            None if body.file is None else Path(body.file), host.built.scenario.name
        )
        return describe(host)

    @app.delete("/api/recording")
    async def stop_recording() -> dict[str, Any]:
        path = host.recording_file.stop()
        if path is None:
            raise InputError(Problem("recording", "nothing is being recorded"))
        return {"file": str(path)}
