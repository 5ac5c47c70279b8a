"""A layout as text: a summary in one line, and a file with one element a line."""

import json

from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Layout

PARTS = ("parking", "chargers", "stations", "doors", "lifts", "conveyors")
LABELS = {"parking": "parking places"}


def describe(layout: Layout) -> str:
    """Return the name of a layout, and the numbers of its elements."""
    arcs = Graph(layout).all_arcs()
    length_m = sum(arc.length_m for arc in arcs)
    numbers = [f"{len(layout.nodes)} nodes", f"{len(arcs)} edges of {length_m:.0f} m"]
    numbers += [
        f"{count} {LABELS.get(part, part)}"
        for part in PARTS
        if (count := len(getattr(layout, part)))
    ]
    return f"{layout.name}: {', '.join(numbers)}"


def layout_text(layout: Layout) -> str:
    """Return the text of a layout file in JSON."""
    data = layout.model_dump(mode="json", exclude_defaults=True)
    parts = [f'"name": {json.dumps(layout.name, ensure_ascii=False)}']
    for key in ("nodes", "edges", *PARTS):
        lines = [json.dumps(one, ensure_ascii=False) for one in data.get(key, ())]
        if lines:
            parts.append(f'"{key}": [\n  ' + ",\n  ".join(lines) + "\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"
