"""Expressions of translated functions: the type and the C++ text of each."""

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types as numba_types
from numba.extending import _Intrinsic  # type: ignore[attr-defined]

from rigless.cuda.types import (
    BOOL,
    DTYPES,
    F32,
    F64,
    I32,
    I64,
    RANK,
    U32,
    U64,
    ArrayType,
    TupleType,
    Type,
    cpp,
    join,
    type_of,
)  # fmt: skip

Typed = tuple[Type, str]
SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
# Functions of one number: the type of the result and its text.
SIMPLE: dict[Any, tuple[str, str]] = {
    math.sqrt: (F64, "sqrt((double)({}))"),
    np.sqrt: (F64, "sqrt((double)({}))"),
    np.floor: (F64, "floor((double)({}))"),
    math.floor: (I64, "(i64)floor((double)({}))"),
    int: (I64, "(i64)({})"),
    float: (F64, "(double)({})"),
    bool: (BOOL, "(({}) != 0)"),
    round: (I64, "(i64)rint((double)({}))"),
}
SPLIT = """FUNCTION T_double_i64 split(double x) {
  int power;
  double share = frexp(x, &power);
  return {share, (i64)power};
}"""


class Expressions:
    """The expressions of one function."""

    def __init__(self, function: Any):
        self.function = function
        self.buffers: list[str] = []  # declarations of local arrays
        self.loops = 0  # that are open where an expression stands

    def error(self, node: ast.AST, text: str) -> TypeError:
        line = getattr(node, "lineno", 1)
        return TypeError(f"{self.function.where} (+{line - 1} lines): {text} is not translated")

    def of(self, node: ast.expr) -> Typed:
        """Return the type and the text of an expression."""
        found = getattr(self, f"_{type(node).__name__.lower()}", None)
        if found is None:
            raise self.error(node, type(node).__name__)
        kind, text = found(node)
        self.note(kind)
        return kind, text

    def note(self, kind: Type) -> None:
        """Remember a tuple, so that its struct is declared."""
        if isinstance(kind, TupleType):
            self.function.tuples[kind.cpp] = kind

    def cast(self, typed: Typed, kind: Type, node: ast.AST) -> str:
        """Return an expression as another type."""
        given, text = typed
        if cpp(given) == cpp(kind):
            return text
        if isinstance(given, str) and isinstance(kind, str):
            return f"({kind})({text})"
        raise self.error(node, f"{cpp(given)} as {cpp(kind)}")

    # Values

    def resolve(self, node: ast.expr) -> Any:
        """Return the Python object of a global name or a module's attribute, None for a local."""
        if isinstance(node, ast.Name):
            if node.id in self.function.variables:
                return None
            built_in: Any = __builtins__
            names = built_in if isinstance(built_in, dict) else vars(built_in)
            found = self.function.globals.get(node.id, names.get(node.id))
            if found is None:
                raise self.error(node, f"the name {node.id}")
            return found
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            return None if owner is None else getattr(owner, node.attr, None)
        return None

    def constant(self, value: Any, node: ast.AST) -> Typed:
        """Return a value of Python as a literal."""
        if isinstance(value, bool | np.bool_):
            return BOOL, "true" if value else "false"
        if isinstance(value, np.integer) and type_of(value) in (U32, U64):
            return type_of(value), f"{int(value)}ULL" if type_of(value) == U64 else f"{int(value)}u"
        if isinstance(value, int | np.integer):
            return I64, f"{int(value)}LL"
        if isinstance(value, float | np.floating):
            number = float(value)
            if math.isfinite(number):
                return F64, repr(number)
            return F64, "NAN_" if math.isnan(number) else f"({'-' * (number < 0)}INFINITY_)"
        if isinstance(value, tuple):
            return self.pack([self.constant(item, node) for item in value])
        raise self.error(node, f"a {type(value).__name__}")

    def pack(self, items: list[Typed], names: tuple[str, ...] = ()) -> Typed:
        """Return a tuple of expressions."""
        kind = TupleType(tuple(item for item, _ in items), names)
        inside = ", ".join(text for _, text in items)
        self.note(kind)
        return kind, f"{kind.cpp}{{{{{inside}}}}}" if kind.same else f"{kind.cpp}{{{inside}}}"

    def _constant(self, node: ast.Constant) -> Typed:
        return self.constant(node.value, node)

    def _name(self, node: ast.Name) -> Typed:
        kind = self.function.variables.get(node.id)
        if kind is not None:
            return kind, f"{node.id}_"
        return self.constant(self.resolve(node), node)

    def _attribute(self, node: ast.Attribute) -> Typed:
        known = self.resolve(node)
        if known is not None:
            return self.constant(known, node)
        kind, text = self.of(node.value)
        if isinstance(kind, ArrayType) and node.attr == "shape":
            return self.pack([(I64, f"{text}.n[{axis}]") for axis in range(kind.ndim)])
        if isinstance(kind, TupleType) and node.attr in kind.names:
            index = kind.names.index(node.attr)
            return kind.items[index], f"{text}.{kind.field(index)}"
        raise self.error(node, f"the attribute {node.attr}")

    def _tuple(self, node: ast.Tuple) -> Typed:
        return self.pack([self.of(item) for item in node.elts])

    def _ifexp(self, node: ast.IfExp) -> Typed:
        test, one, two = self.of(node.test)[1], self.of(node.body), self.of(node.orelse)
        kind = join(one[0], two[0])
        return kind, f"({test} ? {self.cast(one, kind, node)} : {self.cast(two, kind, node)})"

    # Operators

    def _binop(self, node: ast.BinOp) -> Typed:
        if isinstance(node.op, ast.Pow):
            return self._power(node)
        one, two = self.of(node.left), self.of(node.right)
        kind = join(one[0], two[0])
        if not isinstance(kind, str) or (kind == U64 and {one[0], two[0]} == {U64, I64}):
            raise self.error(node, f"{cpp(one[0])} with {cpp(two[0])}")
        kind = I64 if kind in (BOOL, I32) else kind
        if isinstance(node.op, ast.Div):
            return F64, f"((double)({one[1]}) / (double)({two[1]}))"
        a, b = self.cast(one, kind, node), self.cast(two, kind, node)
        if isinstance(node.op, ast.Mod):
            return kind, f"modulo({a}, {b})"
        if isinstance(node.op, ast.FloorDiv) and kind == I64:
            return kind, f"floored({a}, {b})"
        symbol = SYMBOLS.get(type(node.op))
        if symbol is None or (symbol in "&|^<<>>" and kind in (F32, F64)):
            raise self.error(node, type(node.op).__name__)
        return kind, f"({a} {symbol} {b})"

    def _power(self, node: ast.BinOp) -> Typed:
        try:
            return self.constant(eval(ast.unparse(node), {"__builtins__": {}}), node)
        except NameError:  # not two numbers
            pass
        kind, text = self.of(node.left)
        if not (isinstance(node.right, ast.Constant) and node.right.value == 2):
            raise self.error(node, "a power other than 2")
        return kind, f"squared({text})"

    def _unaryop(self, node: ast.UnaryOp) -> Typed:
        kind, text = self.of(node.operand)
        if isinstance(node.op, ast.Not):
            return BOOL, f"(!{text})"
        if isinstance(node.op, ast.USub):
            return (I64 if kind == BOOL else kind), f"(-{text})"
        raise self.error(node, type(node.op).__name__)

    def _boolop(self, node: ast.BoolOp) -> Typed:
        symbol = " && " if isinstance(node.op, ast.And) else " || "
        return BOOL, f"({symbol.join(self.of(value)[1] for value in node.values)})"

    def _compare(self, node: ast.Compare) -> Typed:
        parts, left = [], node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In) and isinstance(right, ast.Tuple):
                value = self.of(left)[1]
                same = (f"{value} == {self.of(item)[1]}" for item in right.elts)
                parts.append(f"({' || '.join(same)})")
            elif type(op) in SYMBOLS:
                parts.append(f"{self.of(left)[1]} {SYMBOLS[type(op)]} {self.of(right)[1]}")
            else:
                raise self.error(node, type(op).__name__)
            left = right
        return BOOL, f"({' && '.join(parts)})"

    # Arrays and tuples

    def _subscript(self, node: ast.Subscript) -> Typed:
        known = self.resolve(node.value)
        if isinstance(known, np.ndarray | tuple) and not isinstance(node.slice, ast.Constant):
            return self._table(node.value, known, self.of(node.slice)[1])
        kind, text = self.of(node.value)
        if isinstance(kind, TupleType):
            if isinstance(node.slice, ast.Constant):
                place: Any = node.slice.value
                return kind.items[place], f"{text}.{kind.field(place)}"
            if not kind.same:
                raise self.error(node, "a computed index of a mixed tuple")
            return kind.items[0], f"{text}.a[{self.of(node.slice)[1]}]"
        if not isinstance(kind, ArrayType):
            raise self.error(node, f"an index of {cpp(kind)}")
        if isinstance(node.slice, ast.Slice):
            low, high = node.slice.lower, node.slice.upper
            if kind.ndim != 1 or low is None or high is None or node.slice.step is not None:
                raise self.error(node, "this slice")
            return kind, f"slice({text}, {self.of(low)[1]}, {self.of(high)[1]})"
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        texts = [f"(i64)({self.of(index)[1]})" for index in indices]
        if len(texts) == kind.ndim:
            return kind.dtype, f"at({', '.join([text, *texts])})"
        return ArrayType(kind.dtype, kind.ndim - len(texts)), f"row({', '.join([text, *texts])})"

    def _table(self, node: ast.expr, values: Any, index: str) -> Typed:
        """Return an element of a constant table, which becomes a part of the program."""
        array = np.asarray(values)
        kind, name = DTYPES[array.dtype.name], f"table_{ast.unparse(node).replace('.', '_')}"
        if array.ndim != 1:
            raise self.error(node, "a table of tables")
        numbers = ", ".join(self.constant(value, node)[1] for value in array)
        self.function.program.tables[name] = f"TABLE {kind} {name}[] = {{{numbers}}};"
        return kind, f"{name}[{index}]"

    # Calls

    def _call(self, node: ast.Call) -> Typed:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            return self._reshape(node, node.func.value)
        target = self.resolve(node.func)
        if target in (np.empty, np.zeros):
            return self._buffer(node)
        values = [self.of(argument) for argument in node.args]
        if node.keywords:
            raise self.error(node, "a keyword argument")
        if isinstance(target, _Intrinsic):  # `lent`: the same array
            return values[0]
        if isinstance(target, numba_types.Number):
            return DTYPES[str(target)], f"({DTYPES[str(target)]})({values[0][1]})"
        if isinstance(target, type) and issubclass(target, np.generic):
            kind = DTYPES[np.dtype(target).name]
            return kind, f"({kind})({values[0][1]})"
        if isinstance(target, type) and hasattr(target, "_fields"):
            return self.pack(values, target._fields)
        if target in (min, max):
            return self._extreme("smaller" if target is min else "larger", values, node)
        if target is abs:
            kind = F64 if values[0][0] in (F32, F64) else I64
            return kind, f"magnitude({self.cast(values[0], kind, node)})"
        return self._function(target, values, node)

    def _function(self, target: Callable[..., Any], values: list[Typed], node: ast.Call) -> Typed:
        if target in SIMPLE:
            kind, text = SIMPLE[target]
            return kind, text.format(values[0][1])
        if target is math.copysign:
            return F64, f"copysign((double)({values[0][1]}), (double)({values[1][1]}))"
        if target is math.ldexp:
            return F64, f"ldexp({values[0][1]}, (int)({values[1][1]}))"
        if target is math.frexp:
            self.function.program.tables["split"] = SPLIT
            return TupleType((F64, I64)), f"split({values[0][1]})"
        if not hasattr(target, "py_func"):
            raise self.error(node, f"a call of {ast.unparse(node.func)}")
        made = self.function.program.add(target, [kind for kind, _ in values])
        return made.returned or "void", f"{made.name}({', '.join(text for _, text in values)})"

    def _extreme(self, name: str, values: list[Typed], node: ast.Call) -> Typed:
        kind: Type = values[0][0]
        for other, _ in values[1:]:
            kind = join(kind, other)
        text = self.cast(values[0], kind, node)
        for value in values[1:]:
            text = f"{name}<{kind}>({text}, {self.cast(value, kind, node)})"
        return kind, text

    def _reshape(self, node: ast.Call, array: ast.expr) -> Typed:
        kind, text = self.of(array)
        (shape,) = node.args
        if not (isinstance(kind, ArrayType) and isinstance(shape, ast.Tuple)):
            raise self.error(node, "this reshape")
        sizes = [self.of(size)[1] for size in shape.elts]
        found = ArrayType(kind.dtype, len(sizes))
        return found, f"{found.cpp}{{{text}.p, {{{', '.join(sizes)}}}}}"

    def _buffer(self, node: ast.Call) -> Typed:
        """Return a local array of a constant size. It is zero where the function begins."""
        if self.loops and self.resolve(node.func) is np.zeros:
            raise self.error(node, "np.zeros in a loop")
        dtype = self.resolve(node.args[1]) if len(node.args) > 1 else np.float64
        kind = DTYPES[np.dtype(dtype).name]
        shape = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]
        sizes = []
        for size in shape:
            value = size.value if isinstance(size, ast.Constant) else self.resolve(size)
            if not isinstance(value, int):
                raise self.error(node, "an array whose size is not constant")
            sizes.append(value)
        name = f"buffer{len(self.buffers)}"
        self.buffers.append(f"{kind} {name}[{math.prod(sizes)}] = {{}};")
        found = ArrayType(kind, len(sizes))
        return found, f"{found.cpp}{{{name}, {{{', '.join(map(str, sizes))}}}}}"


assert set(RANK) == set(DTYPES.values())
