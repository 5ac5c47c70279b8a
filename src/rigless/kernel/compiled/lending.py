"""Arrays without reference counts, for short compiled functions."""

from typing import Any

from numba import types
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

cgutils: Any = _cgutils  # without types
BASE_TUPLE: Any = types.BaseTuple


def _lend(typing_context: Any, value: Any) -> Any:
    """Return the same array, or tuple of arrays, without counting references.

    In a short function the counting costs more than the work (35 ns of 40). Only for arguments,
    which the caller holds.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _uncounted(context, builder, value, arguments[0])

    return value(value), build


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        view = context.make_array(kind)(context, builder, value)
        view.meminfo, view.parent = view.meminfo.type(None), view.parent.type(None)
        return view._getvalue()
    if isinstance(kind, BASE_TUPLE):
        parts = cgutils.unpack_tuple(builder, value, kind.count)
        items = [
            _uncounted(context, builder, item, part)
            for item, part in zip(kind.types, parts, strict=True)
        ]
        return context.make_tuple(builder, kind, items)
    return value


lent: Any = intrinsic(_lend)
