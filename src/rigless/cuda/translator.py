"""Translation of compiled numba functions to CUDA C++, operation by operation.

The functions of a batch are plain scalar code over arrays. Their source is parsed, types are
inferred from those of the arguments, and each function is written in C++ with the same operations
in the same order. Without contraction of products and sums the bits are therefore the same. A
construct that is not listed here is an error, so nothing is translated by guess.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rigless.cuda.expressions import Expressions
from rigless.cuda.statements import Statements
from rigless.cuda.types import ArrayType, TupleType, Type, cpp

PRELUDE = Path(__file__).with_name("prelude.h")


class Function:
    """One function for one list of argument types: its types and its text in C++."""

    def __init__(self, program: "Program", function: Callable[..., Any], kinds: tuple[Type, ...]):
        self.program, self.function, self.kinds = program, function, kinds
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        self.names = [argument.arg for argument in tree.args.args]
        if len(self.names) != len(kinds):
            raise TypeError(f"{function.__name__} takes {len(self.names)} arguments")
        self.variables: dict[str, Type] = dict(zip(self.names, kinds, strict=True))
        self.returned: Type | None = None
        self.body = tree.body
        self.globals = function.__globals__
        self.tuples: dict[str, TupleType] = {}  # that its expressions make
        self.name = f"{function.__name__.strip('_')}_{len(program.functions)}"
        self.where = f"{inspect.getsourcefile(function)}:{function.__code__.co_firstlineno}"

    def infer(self) -> None:
        """Infer the types of all variables, again until none changes."""
        statements = Statements(Expressions(self))
        before: Any = None
        while before != (self.variables, self.returned):
            before = {**self.variables}, self.returned
            statements.infer(self.body)

    @property
    def head(self) -> str:
        arguments = (
            f"{cpp(kind)} {name}_" for name, kind in zip(self.names, self.kinds, strict=True)
        )
        return f"FUNCTION {cpp(self.returned or 'void')} {self.name}({', '.join(arguments)})"

    def text(self) -> str:
        """Return the function in C++."""
        expressions = Expressions(self)
        written = Statements(expressions).write(self.body)
        lines = [
            f"{cpp(kind)} {name}_ = {{}};"
            for name, kind in self.variables.items()
            if name not in self.names
        ]
        # An argument may get a wider type by an assignment.
        for name, kind in zip(self.names, self.kinds, strict=True):
            if self.variables[name] != kind:
                raise TypeError(f"{self.where}: the argument {name} changes its type")
        inside = textwrap.indent("\n".join([*lines, *expressions.buffers, *written]), "  ")
        return f"{self.head} {{\n{inside}\n}}\n"


class Program:
    """Functions in C++ with everything that they call."""

    def __init__(self) -> None:
        self.functions: dict[Any, Function] = {}
        self.tables: dict[str, str] = {}
        self._order: list[Function] = []

    def add(self, function: Any, kinds: Sequence[Type]) -> Function:
        """Return a function for these argument types; it is translated on first use."""
        plain = getattr(function, "py_func", function)
        key = plain, tuple(kinds)
        if key not in self.functions:
            made = Function(self, plain, tuple(kinds))
            self.functions[key] = made
            made.infer()
            self._order.append(made)  # after everything that it calls
        return self.functions[key]

    def text(self, kernels: Sequence[str]) -> str:
        """Return the whole program with these kernels."""
        bodies = [function.text() for function in self._order]
        return "\n".join(
            [PRELUDE.read_text(), *self._structs(), *self.tables.values(), *bodies, *kernels]
        )

    def _structs(self) -> list[str]:
        found: dict[str, str] = {}

        def visit(kind: Any) -> None:
            if isinstance(kind, TupleType):
                for item in kind.items:
                    visit(item)
                fields = (
                    f"{cpp(kind.items[0])} a[{len(kind.items)}];"
                    if kind.same
                    else " ".join(f"{cpp(item)} a{i};" for i, item in enumerate(kind.items))
                )
                found[kind.cpp] = f"struct {kind.cpp} {{ {fields} }};"

        for function in self._order:
            for kind in (*function.kinds, *function.variables.values(), function.returned):
                visit(kind)
            for kind in function.tuples.values():
                visit(kind)
        return list(found.values())


def kernel(name: str, function: Function, shape: int) -> str:
    """Return a kernel that calls a function for each index, and the same as a loop for a host.

    The function takes `shape` indices first. The kernel takes their limits, then the numbers and
    the parts of the arrays of all further arguments.
    """
    parameters: list[str] = []
    values: list[str] = []
    for argument, kind in zip(function.names[shape:], function.kinds[shape:], strict=True):
        values.append(_unpacked(argument, kind, parameters))
    limits = [f"n{axis}" for axis in range(shape)]
    taken = ", ".join([*(f"i64 {limit}" for limit in limits), *parameters])
    total = " * ".join(limits)
    # A division of 64 bits takes as long as a part of a ray.
    small = "t <= 0xffffffffLL ? (i64)((u32)t {0} (u32)n1) : t {0} n1"
    indices = ["t"] if shape == 1 else [small.format("/"), small.format("%")]
    call = f"{function.name}({', '.join([*indices, *values])});"
    return f"""#ifdef __CUDACC_RTC__
extern "C" __global__ void {name}({taken}) {{
  i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (t < {total}) {call}
}}
#else
extern "C" void {name}({taken}) {{
  for (i64 t = 0; t < {total}; ++t) {call}
}}
#endif
"""


def _unpacked(name: str, kind: Type, parameters: list[str]) -> str:
    """Return the value of an argument, made of parameters that are numbers and pointers."""
    if isinstance(kind, TupleType):
        items = (_unpacked(f"{name}_{i}", item, parameters) for i, item in enumerate(kind.items))
        inside = ", ".join(items)
        return f"{kind.cpp}{{{{{inside}}}}}" if kind.same else f"{kind.cpp}{{{inside}}}"
    if isinstance(kind, ArrayType):
        sizes = [f"{name}_n{axis}" for axis in range(kind.ndim)]
        parameters += [f"{kind.dtype}* {name}_p", *(f"i64 {size}" for size in sizes)]
        return f"{kind.cpp}{{{name}_p, {{{', '.join(sizes)}}}}}"
    parameters.append(f"{kind} {name}")
    return name
