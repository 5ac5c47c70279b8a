"""Kernels on a graphics processor, by CuPy. Arrays stay there between calls."""

from typing import Any, NamedTuple

import numpy as np

from rigless.cuda.translator import Program, kernel
from rigless.cuda.types import type_of
from rigless.kernel.problems import InputError, Problem

BLOCK = 64  # threads; larger blocks wait longer for their slowest ray
KEPT = 16  # tuples of arrays whose parameters a kernel keeps
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


class _Parameters(NamedTuple):
    """An argument, which is kept so that its id is not used again, with its type and numbers."""

    arg: Any
    kind: Any
    values: list[Any]


class Kernel:
    """A compiled function that is called for all indices at the same time, a thread for each.

    `registers` limits those of a thread, so that more threads are resident; 0 is no limit.
    """

    def __init__(self, cupy: Any, function: Any, axes: int, registers: int = 0):
        self._cupy, self._function, self._axes = cupy, function, axes
        self._options = (*OPTIONS, *((f"--maxrregcount={registers}",) if registers else ()))
        self._made: dict[Any, Any] = {}
        self._tuples: dict[int, _Parameters] = {}

    def __call__(self, shape: tuple[int, ...], *args: Any) -> None:
        parameters = [self._parameters(arg) for arg in args]
        kinds = tuple(each.kind for each in parameters)
        if kinds not in self._made:
            self._made[kinds] = self._make(args)
        threads = int(np.prod(shape))
        if threads:
            values: list[Any] = [np.int64(size) for size in shape]
            for each in parameters:
                values += each.values
            self._made[kinds](((threads + BLOCK - 1) // BLOCK,), (BLOCK,), tuple(values))

    def _parameters(self, arg: Any) -> "_Parameters":
        """Return the kernel's parameters for an argument. Those of tuples are kept for next time.

        The arrays of a tuple stay the same, and to look at each takes longer than a small kernel.
        """
        known = self._tuples.get(id(arg))
        if known is not None:
            return known
        values: list[Any] = []
        _flatten(arg, values)
        found = _Parameters(arg, type_of(arg), values)
        if isinstance(arg, tuple) and len(self._tuples) < KEPT:
            self._tuples[id(arg)] = found
        return found

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
