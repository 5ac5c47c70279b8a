"""Kernels of a batch as C++ for the host, so that the translation is tested without a GPU."""

import ctypes
import hashlib
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from rigless.cuda.device import program_text, type_of

OPTIONS = ("-std=c++14", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-w", "-x", "c++")


_libraries: dict[Any, ctypes.CDLL] = {}  # translating a function takes longer than running it


class HostKernel:
    """Like `rigless.cuda.device.Kernel`, but a loop over all indices."""

    def __init__(self, folder: Path, function: Any, axes: int):
        self._folder, self._function, self._axes = folder, function, axes

    def __call__(self, shape: tuple[int, ...], *args: Any) -> None:
        key = (self._folder, self._function, self._axes, *map(type_of, args))
        if key not in _libraries:
            _libraries[key] = self._make(args)
        values: list[Any] = [ctypes.c_longlong(size) for size in shape]
        for arg in args:
            _flatten(arg, values)
        _libraries[key].run(*values)

    def _make(self, args: tuple[Any, ...]) -> ctypes.CDLL:
        text = program_text("run", self._function, self._axes, args)
        name = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        library = self._folder / f"{name}.so"
        if not library.exists():
            source = self._folder / f"{name}.cpp"
            source.write_text(text)
            subprocess.run(["g++", *OPTIONS, str(source), "-o", str(library)], check=True)
        return ctypes.CDLL(str(library))


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


class DeviceArray(np.ndarray):
    """An array that mixes with plain arrays no more than one of CuPy does."""

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        for each in inputs:
            refuse(each)
        plain = [each.view(np.ndarray) if isinstance(each, DeviceArray) else each
                 for each in inputs]  # fmt: skip
        out = options.get("out")
        if out is not None:
            options["out"] = tuple(each.view(np.ndarray) for each in out)
        found = getattr(function, method)(*plain, **options)
        return out[0] if out is not None else np.asarray(found).view(DeviceArray)

    def __setitem__(self, place: Any, value: Any) -> None:
        refuse(value)
        super().__setitem__(place, value)

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return found if isinstance(found, DeviceArray) else np.asarray(found).view(DeviceArray)

    def get(self) -> np.ndarray:
        return np.array(self)


def refuse(value: Any) -> None:
    if isinstance(value, np.ndarray) and value.ndim and not isinstance(value, DeviceArray):
        raise TypeError("an array of numpy where one of the device is needed")


class DeviceArrays:
    """The functions of the module cupy that batches and environments use."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)

        def call(*args: Any, **options: Any) -> Any:
            if name not in ("asarray", "array"):
                for each in args:
                    refuse(each)
            return np.asarray(function(*args, **options)).view(DeviceArray)

        return call


class HostEngine:
    """The engine of a batch, in place of `rigless.batch.engines.Graphics`."""

    def __init__(self, folder: Path, arrays: Any = np):
        self._folder, self.arrays = folder, arrays

    def put(self, parts: Any) -> Any:
        return type(parts)(*map(self.arrays.asarray, parts))

    def get(self, array: Any) -> Any:
        return array.get()

    def run(self, task: Any, shape: tuple[int, ...], *args: Any) -> None:
        HostKernel(self._folder, task.one, task.axes)(shape[: task.axes], *args)
