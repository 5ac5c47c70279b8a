"""Make the engine that a user asks for."""

from typing import Literal

from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.sweeps.engines.engine import Engine, Note
from rigless.sweeps.engines.local import LocalEngine
from rigless.sweeps.files import bundle_of, encode_bundle
from rigless.sweeps.preparation import Prepared

EngineName = Literal["local", "dask", "ray"]
NAMES = ("local", "dask", "ray")


def make_engine(
    name: str,
    prepared: Prepared,
    address: str | None = None,
    workers: int | None = None,
    note: Note = lambda text: None,
) -> Engine:
    """Return an engine with its workers. Raises InputError."""
    if name not in NAMES:
        what = f"unknown engine {name!r}"
        raise InputError(Problem("--engine", what, did_you_mean(name, NAMES)))
    if workers is not None and address is not None:
        what = "the cluster at --address has its workers already"
        raise InputError(Problem("--workers", what, "leave one of the two out"))
    if name == "local":
        if address is not None:
            what = "the engine local has no address"
            raise InputError(Problem("--address", what, "add --engine dask or --engine ray"))
        return LocalEngine(workers)
    target, settings = prepared.question.target, prepared.all_settings()
    files = encode_bundle(bundle_of(prepared.built, target, settings))
    if name == "dask":
        from rigless.sweeps.engines.dask_engine import DaskEngine

        return DaskEngine(address, workers, files, note)
    from rigless.sweeps.engines.ray_engine import RayEngine

    return RayEngine(address, workers, files)
