"""Rays in lock-step: one jump of sixteen rays by the vector instructions of the processor.

numba does not vectorise a loop that ends when its data say so. `cast_lanes` is therefore written as
vectors of LLVM, which numba compiles with the function that calls it. LLVM translates them for any
processor: AVX-512 holds the sixteen rays in two registers, SSE2 in eight. The operations are those
of `raycast.cast_ray` in the same order, and contraction is off, so the bits are the same.

A lane whose ray ends waits for the others. A lane that needs a branch of its own (a direction along
an axis, a crossing at a corner) is not finished; the caller casts its ray again by `cast_ray`.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

cgutils: Any = _cgutils  # without types
LANES = 16
OUTSIDE, TILE = 255, 8  # the side outside of the map; cells of a tile of the squares
NEAR = 1e-9  # within this of a face, its crossing time decides on which side a ray is

F64, I64, I32, I8 = ir.DoubleType(), ir.IntType(64), ir.IntType(32), ir.IntType(8)
MASK = ir.IntType(LANES)


def _vector(kind: Any, size: int = LANES) -> Any:
    return ir.VectorType(kind, size)


def _all(kind: Any, value: Any) -> Any:
    """Return the same constant in all lanes."""
    return ir.Constant(_vector(kind), [value] * LANES)


ZERO, ONE = _all(F64, 0.0), _all(F64, 1.0)
NONE = _all(ir.IntType(1), 0)


class _Writer:
    """Writes instructions on all lanes."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any):
        self.builder = builder
        squares, rays, self.first, self.longest, ranges, cells, across = (
            context.make_array(kind)(context, builder, value=arg)
            if isinstance(kind, types.Array)
            else arg
            for kind, arg in zip(signature.args, args, strict=True)
        )
        self.squares, self.rays = squares, rays
        self.ranges, self.cells, self.across = ranges.data, cells.data, across.data

    # Vectors

    def spread(self, value: Any) -> Any:
        """Return a number in all lanes."""
        nothing = ir.Constant(_vector(value.type), ir.Undefined)
        one = self.builder.insert_element(nothing, value, ir.Constant(I32, 0))
        return self.builder.shuffle_vector(one, nothing, _all(I32, 0))

    def any(self, mask: Any) -> Any:
        """Return True if a lane of the mask is set."""
        return self.builder.icmp_unsigned(
            "!=", self.builder.bitcast(mask, MASK), ir.Constant(MASK, 0)
        )

    def both(self, first: Any, *others: Any) -> Any:
        for other in others:
            first = self.builder.and_(first, other)
        return first

    def less(self, one: Any, other: Any) -> Any:
        """Return the lanes in which one is below the other; False for nan."""
        return self.builder.fcmp_ordered("<", one, other)

    def cut(self, value: Any) -> Any:
        """Return the whole part of each number."""
        kind = ir.FunctionType(value.type, [value.type])
        name = f"llvm.trunc.v{LANES}f64"
        return self.builder.call(
            cgutils.get_or_insert_function(self.builder.module, kind, name), [value]
        )

    def at(self, pointer: Any, index: Any, kind: Any) -> Any:
        """Return a pointer to a vector that begins at an element of an array."""
        return self.builder.bitcast(self.builder.gep(pointer, [index]), kind.as_pointer())

    # Memory

    def starts(self) -> list[Any]:
        """Load x, y, dx and dy of all lanes."""
        builder, kind = self.builder, _vector(F64, 4 * LANES)
        place = self.at(self.rays.data, builder.mul(self.first, ir.Constant(I64, 4)), kind)
        rows, nothing = builder.load(place, align=8), ir.Constant(kind, ir.Undefined)
        columns = (
            ir.Constant(_vector(I32), [4 * lane + part for lane in range(LANES)])
            for part in range(4)
        )
        return [builder.shuffle_vector(rows, nothing, column) for column in columns]

    def measure_map(self) -> None:
        """Compute width and height of the map in cells, and the sizes of rows and quadrants."""
        builder = self.builder
        _, high, wide, _, _ = cgutils.unpack_tuple(builder, self.squares.shape)
        row = builder.mul(wide, ir.Constant(I64, TILE * TILE))
        self.row, self.quadrant = self.spread(row), self.spread(builder.mul(row, high))
        self.width, self.height = (
            self.spread(
                builder.sitofp(
                    builder.mul(builder.sub(tiles, ir.Constant(I64, 2)), ir.Constant(I64, TILE)),
                    F64,
                )
            )
            for tiles in (wide, high)
        )

    def sides(self, quadrants: Any, column: Any, row: Any) -> Any:
        """Load the sides of the free squares at these cells, which are inside the border."""
        b = self.builder
        x, y = (b.add(b.fptosi(cell, _vector(I32)), _all(I32, TILE)) for cell in (column, row))
        tiles = b.shl(b.lshr(x, _all(I32, 3)), _all(I32, 6))
        inside = b.or_(b.shl(b.and_(y, _all(I32, 7)), _all(I32, 3)), b.and_(x, _all(I32, 7)))
        rows = b.mul(b.zext(b.lshr(y, _all(I32, 3)), _vector(I64)), self.row)
        places = b.add(rows, b.add(b.zext(b.or_(tiles, inside), _vector(I64)), quadrants))
        found: Any = ir.Constant(_vector(I8), ir.Undefined)
        for lane in range(LANES):  # quicker than a gather, which reads no single bytes
            number = ir.Constant(I32, lane)
            place = b.gep(self.squares.data, [b.extract_element(places, number)])
            found = b.insert_element(found, b.load(place), number)
        return b.zext(found, _vector(I32))

    def is_free(self, side: Any) -> Any:
        """Return the lanes whose cell is neither occupied nor outside."""
        least = self.builder.sub(side, _all(I32, 1))
        return self.builder.icmp_unsigned("<", least, _all(I32, OUTSIDE - 1))

    def store(self, ranges: Any, column: Any, row: Any, across: Any) -> None:
        b, wide = self.builder, _vector(I64)
        b.store(ranges, self.at(self.ranges, self.first, _vector(F64)), align=8)
        pairs = [lane // 2 + LANES * (lane % 2) for lane in range(2 * LANES)]
        cells = b.shuffle_vector(
            b.fptosi(column, wide), b.fptosi(row, wide), ir.Constant(_vector(I32, 2 * LANES), pairs)
        )
        place = b.mul(self.first, ir.Constant(I64, 2))
        b.store(cells, self.at(self.cells, place, cells.type), align=8)
        flags = b.zext(across, _vector(I8))
        b.store(flags, self.at(self.across, self.first, flags.type), align=1)


class _Axis:
    """One axis of all rays: origin, direction and its inverse, and the signs."""

    def __init__(self, writer: _Writer, origin: Any, direction: Any):
        b = writer.builder
        self.origin, self.direction = origin, direction
        self.backwards = writer.less(direction, ZERO)
        self.per = b.fdiv(ONE, direction)
        self.back = b.select(self.backwards, ONE, ZERO)
        self._sign = b.select(self.backwards, _all(I64, -(1 << 63)), _all(I64, 0))

    def face(self, writer: _Writer, cell: Any, side: Any) -> Any:
        """Return the far face of the free square with this side at the cell."""
        b = writer.builder
        way = b.bitcast(b.or_(b.bitcast(side, _vector(I64)), self._sign), _vector(F64))
        return b.fadd(b.fadd(cell, self.back), way)

    def time(self, writer: _Writer, face: Any) -> Any:
        return writer.builder.fmul(writer.builder.fsub(face, self.origin), self.per)


def _cast_lanes(
    typing_context: Any,
    squares: Any,
    rays: Any,
    first: Any,
    longest: Any,
    ranges: Any,
    cells: Any,
    across: Any,
) -> Any:
    """Cast the rows of `rays` from `first`, as many as there are lanes.

    Return the lanes that are not finished as bits.
    """
    signature = types.int64(squares, rays, types.int64, types.float64, ranges, cells, across)
    return signature, _build


def _build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    w, b = _Writer(context, builder, signature, args), builder
    w.measure_map()
    x, y, dx, dy = w.starts()
    inside = w.both(
        b.fcmp_ordered("<=", ZERO, x), w.less(x, w.width),
        b.fcmp_ordered("<=", ZERO, y), w.less(y, w.height),
    )  # fmt: skip
    along_axis = b.or_(b.fcmp_unordered("==", dx, ZERO), b.fcmp_unordered("==", dy, ZERO))
    started = w.both(inside, b.not_(along_axis))
    across, up = _Axis(w, x, dx), _Axis(w, y, dy)
    quadrants = b.add(
        b.select(across.backwards, w.quadrant, _all(I64, 0)),
        b.select(up.backwards, b.add(w.quadrant, w.quadrant), _all(I64, 0)),
    )
    first_cells = [w.cut(b.select(inside, origin, ZERO)) for origin in (x, y)]
    first_side = w.sides(quadrants, *first_cells)
    start = [*first_cells, first_side, ZERO, NONE, w.both(started, w.is_free(first_side)), NONE]
    entry, loop, landed = b.block, b.append_basic_block("jump"), b.append_basic_block("landed")
    b.cbranch(w.any(start[5]), loop, landed)

    b.position_at_end(loop)
    now = [b.phi(value.type) for value in start]
    after = _jump(w, across, up, quadrants, *now)
    last = b.block
    for held, before, later in zip(now, start, after, strict=True):
        held.add_incoming(before, entry)
        held.add_incoming(later, last)
    b.cbranch(w.any(after[5]), loop, landed)

    b.position_at_end(landed)
    ends = [b.phi(value.type) for value in start]
    for held, before, later in zip(ends, start, after, strict=True):
        held.add_incoming(before, entry)
        held.add_incoming(later, last)
    column, row, side, t, sideways, _, again = ends
    lost = b.or_(
        b.or_(b.not_(inside), b.icmp_unsigned("==", side, _all(I32, OUTSIDE))),
        b.fcmp_ordered(">", t, w.spread(w.longest)),
    )
    w.store(b.select(lost, _all(F64, float("inf")), t), column, row, sideways)
    again = b.or_(again, w.both(inside, along_axis))
    return b.zext(b.bitcast(again, MASK), I64)


def _jump(
    w: _Writer, across: _Axis, up: _Axis, quadrants: Any, column: Any, row: Any, side: Any, t: Any,
    turned: Any, flying: Any, again: Any,
) -> list[Any]:  # fmt: skip
    """Let the flying rays jump to the ends of their squares; return their new values."""
    b = w.builder
    width = b.sitofp(side, _vector(F64))
    face_x, face_y = across.face(w, column, width), up.face(w, row, width)
    t_x, t_y = across.time(w, face_x), up.time(w, face_y)
    sideways = w.less(t_x, t_y)
    new_t = b.select(sideways, t_x, t_y)
    there = b.fadd(
        b.select(sideways, up.origin, across.origin),
        b.fmul(new_t, b.select(sideways, up.direction, across.direction)),
    )
    now = w.cut(there)
    part = b.fsub(there, now)
    clear = w.both(w.less(_all(F64, NEAR), part), w.less(part, _all(F64, 1.0 - NEAR)))
    moved = w.both(flying, clear)
    new_column = b.select(sideways, b.fsub(face_x, across.back), now)
    new_row = b.select(sideways, now, b.fsub(face_y, up.back))
    column, row = b.select(moved, new_column, column), b.select(moved, new_row, row)
    t, turned = b.select(moved, new_t, t), b.select(moved, sideways, turned)
    side = b.select(moved, w.sides(quadrants, column, row), side)
    near_enough = b.fcmp_ordered("<=", t, w.spread(w.longest))
    again = b.or_(again, w.both(flying, b.not_(clear)))
    flying = w.both(moved, w.is_free(side), near_enough)
    return [column, row, side, t, turned, flying, again]


cast_lanes: Any = intrinsic(_cast_lanes)
