"""Statements of translated functions: the types of variables, and the lines of C++."""

import ast
from itertools import count
from typing import Any

from rigless.cuda.expressions import Expressions, Typed
from rigless.cuda.types import I64, TupleType, cpp, join


class Statements:
    """The statements of one function.

    Types are inferred by writing the statements and dropping the text: assignments widen the types
    of variables.
    """

    def __init__(self, expressions: Expressions):
        self.expressions, self.function = expressions, expressions.function
        self._widen = False
        self._numbers = count()

    def infer(self, body: list[ast.stmt]) -> None:
        """Widen the types of variables and of the result by all assignments."""
        self._widen = True
        self.write(body)

    def write(self, body: list[ast.stmt]) -> list[str]:
        """Return the lines of these statements."""
        lines: list[str] = []
        for statement in body:
            found = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if found is None:
                raise self.expressions.error(statement, type(statement).__name__)
            lines += found(statement)
        return lines

    def _block(self, head: str, body: list[ast.stmt], loop: bool = False) -> list[str]:
        self.expressions.loops += loop
        inside = [f"  {line}" for line in self.write(body)]
        self.expressions.loops -= loop
        return [f"{head} {{", *inside, "}"]

    # Assignments

    def _assign(self, node: ast.Assign) -> list[str]:
        if len(node.targets) > 1:
            lines, value = self._held(self.expressions.of(node.value))
            for target in node.targets:
                lines += self._store(target, value)
            return lines
        return self._unpack(node.targets[0], node.value)

    def _annassign(self, node: ast.AnnAssign) -> list[str]:
        return [] if node.value is None else self._unpack(node.target, node.value)

    def _augassign(self, node: ast.AugAssign) -> list[str]:
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
        return self._store(node.target, self.expressions.of(value))

    def _unpack(self, target: ast.expr, value: ast.expr) -> list[str]:
        """Assign; all values of a tuple are computed before the first is assigned."""
        if not isinstance(target, ast.Tuple):
            return self._store(target, self.expressions.of(value))
        if not isinstance(value, ast.Tuple):
            lines, held = self._held(self.expressions.of(value))
            return lines + self._store(target, held)
        lines, pairs = [], []
        for part, item in zip(target.elts, value.elts, strict=True):
            more, held = self._held(self.expressions.of(item))
            lines += more
            pairs.append((part, held))
        for part, held in pairs:
            lines += self._store(part, held)
        return lines

    def _held(self, value: Typed) -> tuple[list[str], Typed]:
        """Return the lines that hold a value, and the name that holds it."""
        name = f"held{next(self._numbers)}"
        return [f"{cpp(value[0])} {name} = {value[1]};"], (value[0], name)

    def _store(self, target: ast.expr, value: Typed) -> list[str]:
        kind, text = value
        if isinstance(target, ast.Tuple):
            if not isinstance(kind, TupleType) or len(kind.items) != len(target.elts):
                raise self.expressions.error(target, f"{cpp(kind)} in {len(target.elts)} parts")
            lines = []
            for i, part in enumerate(target.elts):
                lines += self._store(part, (kind.items[i], f"{text}.{kind.field(i)}"))
            return lines
        if isinstance(target, ast.Name):
            variables = self.function.variables
            if self._widen:
                variables[target.id] = join(variables.get(target.id), kind)
            wanted = variables[target.id]
            self.expressions.note(wanted)
            return [f"{target.id}_ = {self.expressions.cast(value, wanted, target)};"]
        wanted, place = self.expressions.of(target)
        return [f"{place} = {self.expressions.cast(value, wanted, target)};"]

    # Control

    def _expr(self, node: ast.Expr) -> list[str]:
        if isinstance(node.value, ast.Constant):  # the docstring
            return []
        return [f"{self.expressions.of(node.value)[1]};"]

    def _return(self, node: ast.Return) -> list[str]:
        if node.value is None:
            return ["return;"]
        value = self.expressions.of(node.value)
        if self._widen:
            self.function.returned = join(self.function.returned, value[0])
        wanted: Any = self.function.returned
        return [f"return {self.expressions.cast(value, wanted, node)};"]

    def _if(self, node: ast.If) -> list[str]:
        lines = self._block(f"if ({self.expressions.of(node.test)[1]})", node.body)
        return lines + (self._block("else", node.orelse) if node.orelse else [])

    def _while(self, node: ast.While) -> list[str]:
        return self._block(f"while ({self.expressions.of(node.test)[1]})", node.body, loop=True)

    def _break(self, node: ast.Break) -> list[str]:
        return ["break;"]

    def _continue(self, node: ast.Continue) -> list[str]:
        return ["continue;"]

    def _for(self, node: ast.For) -> list[str]:
        number = next(self._numbers)
        if isinstance(node.iter, ast.Tuple):
            return self._for_each(node, node.iter, number)
        call = node.iter
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "range"):
            raise self.expressions.error(node, "a loop over anything but range")
        limits = [f"(i64)({self.expressions.of(argument)[1]})" for argument in call.args]
        first, last = ("0", limits[0]) if len(limits) == 1 else (limits[0], limits[1])
        step = ast.literal_eval(call.args[2]) if len(limits) > 2 else 1
        index, stop = f"index{number}", f"stop{number}"
        test = f"{index} {'<' if step > 0 else '>'} {stop}"
        head = f"for (i64 {index} = {first}, {stop} = {last}; {test}; {index} += {step})"
        setting = self._store(node.target, (I64, index))
        opened, *inside, closed = self._block(head, node.body, loop=True)
        return [opened, *(f"  {line}" for line in setting), *inside, closed]

    def _for_each(self, node: ast.For, items: ast.Tuple, number: int) -> list[str]:
        """Loop over the items of a tuple, all of one type."""
        values = [self.expressions.of(item) for item in items.elts]
        kind = values[0][0]
        for other, _ in values[1:]:
            kind = join(kind, other)
        texts = ", ".join(self.expressions.cast(value, kind, node) for value in values)
        index = f"index{number}"
        head = f"for (int {index} = 0; {index} < {len(values)}; ++{index})"
        setting = self._store(node.target, (kind, f"items{number}[{index}]"))
        opened, *inside, closed = self._block(head, node.body, loop=True)
        declared = f"{cpp(kind)} items{number}[] = {{{texts}}};"
        return [declared, opened, *(f"  {line}" for line in setting), *inside, closed]
