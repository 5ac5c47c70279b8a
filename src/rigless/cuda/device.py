"""Kernels on a graphics processor, by CuPy. Arrays stay there between calls."""

from typing import Any

import numpy as np

from rigless.cuda.translator import Program, kernel
from rigless.cuda.types import type_of
from rigless.kernel.problems import InputError, Problem

BLOCK = 64  # threads; larger blocks wait longer for their slowest ray
# Contraction of products and sums would give other bits than the processor.
OPTIONS = ("--fmad=false", "-std=c++14")
FIX = "pip install 'rigless[gpu]', or use device=\"cpu\""


def load_cupy() -> Any:
    """Return the module cupy. Raises InputError if it or a graphics processor is missing."""
    try:
        import cupy
    except ImportError as error:
        what = "cuda needs 'cupy', which is not installed"
        raise InputError(Problem("device", what, FIX)) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        what = f"there is no graphics processor that CUDA can use: {error}"
        raise InputError(Problem("device", what, 'use device="cpu"')) from None
    if not count:
        what = "there is no graphics processor that CUDA can use"
        raise InputError(Problem("device", what, 'use device="cpu"'))
    return cupy


def program_text(name: str, function: Any, axes: int, args: tuple[Any, ...]) -> str:
    """Return the kernel of a function in C++.

    The function takes `axes` indices first, then arguments of these types.
    """
    program = Program()
    kinds = ["i64"] * axes + [type_of(arg) for arg in args]
    return program.text([kernel(name, program.add(function, kinds), axes)])


class Kernel:
    """A compiled function that is called for all indices at the same time, a thread for each.

    `registers` limits those of a thread, so that more threads are resident; 0 is no limit.
    """

    def __init__(self, cupy: Any, function: Any, axes: int, registers: int = 0):
        self._cupy, self._function, self._axes = cupy, function, axes
        self._options = (*OPTIONS, *((f"--maxrregcount={registers}",) if registers else ()))
        self._made: dict[Any, Any] = {}

    def __call__(self, shape: tuple[int, ...], *args: Any) -> None:
        kinds = tuple(map(type_of, args))
        if kinds not in self._made:
            self._made[kinds] = self._make(args)
        threads = int(np.prod(shape))
        if threads:
            values: list[Any] = [np.int64(size) for size in shape]
            for arg in args:
                _flatten(arg, values)
            self._made[kinds](((threads + BLOCK - 1) // BLOCK,), (BLOCK,), tuple(values))

    def _make(self, args: tuple[Any, ...]) -> Any:
        name = f"{self._function.__name__.strip('_')}_all"
        text = program_text(name, self._function, self._axes, args)
        return self._cupy.RawModule(code=text, options=self._options).get_function(name)


def _flatten(arg: Any, values: list[Any]) -> None:
    """Append the kernel's parameters for an argument: numbers, and arrays with their sizes."""
    if isinstance(arg, tuple):
        for part in arg:
            _flatten(part, values)
    elif hasattr(arg, "ndim") and arg.ndim:
        values += [arg, *(np.int64(size) for size in arg.shape)]
    else:
        values.append(np.float64(arg) if isinstance(arg, float) else np.int64(arg))
