"""Kernels of a batch as C++ for the host, so that the translation is tested without a GPU."""

import ctypes
import hashlib
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from rigless.cuda.device import program_text

OPTIONS = ("-std=c++14", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-w", "-x", "c++")


class HostKernel:
    """Like `rigless.cuda.device.Kernel`, but a loop over all indices."""

    def __init__(self, folder: Path, function: Any, axes: int):
        self._folder, self._function, self._axes = folder, function, axes

    def __call__(self, shape: tuple[int, ...], *args: Any) -> None:
        text = program_text("run", self._function, self._axes, args)
        name = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        library = self._folder / f"{name}.so"
        if not library.exists():
            source = self._folder / f"{name}.cpp"
            source.write_text(text)
            subprocess.run(["g++", *OPTIONS, str(source), "-o", str(library)], check=True)
        values: list[Any] = [ctypes.c_longlong(size) for size in shape]
        for arg in args:
            _flatten(arg, values)
        ctypes.CDLL(str(library)).run(*values)


def _flatten(arg: Any, values: list[Any]) -> None:
    if isinstance(arg, tuple):
        for part in arg:
            _flatten(part, values)
    elif isinstance(arg, np.ndarray):
        values.append(ctypes.c_void_p(arg.ctypes.data))
        values.extend(ctypes.c_longlong(size) for size in arg.shape)
    elif isinstance(arg, float):
        values.append(ctypes.c_double(arg))
    else:
        values.append(ctypes.c_longlong(int(arg)))


class HostEngine:
    """The engine of a batch, in place of `rigless.batch.engines.Graphics`."""

    arrays = np

    def __init__(self, folder: Path):
        self._folder = folder

    def put(self, parts: Any) -> Any:
        return parts

    def run(self, task: Any, shape: tuple[int, ...], *args: Any) -> None:
        HostKernel(self._folder, task.one, task.axes)(shape[: task.axes], *args)
