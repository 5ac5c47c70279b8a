"""Engines that compute a batch: on the processor's cores, or on a graphics processor.

Both engines run the same functions of a robot's `batch.py`: one as numba compiles them, the other
as CUDA C++ that is translated from them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.batch.threads import cores, run_parts
from rigless.cuda.checks import check_device


class Task(NamedTuple):
    """A function of a robot's `batch.py`.

    `one` takes the indices of one robot, or of one robot and beam. `many` does the same for a range
    of robots.
    """

    one: Any
    many: Any
    axes: int = 1


class Processor:
    """Robots in numpy arrays, advanced by threads."""

    arrays: Any = np

    def __init__(self, threads: int | None):
        self.threads = threads or cores()

    def put(self, parts: Any) -> Any:
        """Return a NamedTuple of arrays where this engine needs them."""
        return parts

    def get(self, array: Any) -> NDArray[Any]:
        """Return an array of this engine in numpy."""
        found: NDArray[Any] = array
        return found

    def run(self, task: Task, shape: tuple[int, ...], *args: Any) -> None:
        run_parts(task.many, shape[0], self.threads, *args)

    def __repr__(self) -> str:
        return f"cpu, {self.threads} threads"


class Graphics:
    """Robots in arrays of CuPy: one thread per robot, or per robot and beam."""

    def __init__(self) -> None:
        from rigless.cuda.device import load_cupy

        self.arrays = load_cupy()
        self._kernels: dict[Task, Any] = {}

    def put(self, parts: Any) -> Any:
        return type(parts)(*map(self.arrays.asarray, parts))

    def get(self, array: Any) -> NDArray[Any]:
        found: NDArray[Any] = array.get()
        return found

    def run(self, task: Task, shape: tuple[int, ...], *args: Any) -> None:
        if task not in self._kernels:
            from rigless.cuda.device import Kernel

            self._kernels[task] = Kernel(self.arrays, task.one, task.axes)
        self._kernels[task](shape[: task.axes], *args)

    def __repr__(self) -> str:
        properties = self.arrays.cuda.runtime.getDeviceProperties(0)
        return f"cuda, {properties['name'].decode()}"


def make_engine(device: str, threads: int | None) -> Processor | Graphics:
    """Return the engine of a device, "cpu" or "cuda"."""
    check_device(device)
    return Graphics() if device == "cuda" else Processor(threads)
