"""YAML with lines, by PyYAML. PyYAML is imported when it is first needed: it is an extra."""

from collections.abc import Callable
from typing import Any

from rigless.kernel.documents.document import Document
from rigless.kernel.key_path import KeyPath, dotted
from rigless.kernel.problems import Problem

MAX_DEPTH = 50  # PyYAML takes minutes for deeper brackets
MAX_VALUES = 100_000  # a few aliases of aliases could stand for more than any memory holds
COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
NOT_YAML = "is not valid YAML: "


def parse_yaml(
    text: str,
    file: str = "",
    scalar: Callable[[Any], Any] | None = None,
    aliases: bool = True,
    max_values: int = MAX_VALUES,
) -> Document:
    """Parse a YAML text. Keys are always strings.

    `scalar` converts a scalar node to a value; the default is YAML 1.1, as PyYAML reads it. Without
    `aliases`, an alias (*name) is a problem.
    """
    import yaml

    document = Document(file=file)
    if _bracket_depth(text) > MAX_DEPTH:
        document.report((), f"{NOT_YAML}brackets are nested more than {MAX_DEPTH} deep")
        return document
    reader = _Reader(document, yaml.SafeLoader(""), scalar, aliases, max_values)
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        data = reader.value(node, ()) if node is not None else None
        document.data = data if reader.valid else None
    except _TooLargeError as error:
        document.problems.append(error.args[0])
    except Exception as error:  # PyYAML passes on what its parts raise for odd scalars
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or type(error).__name__
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        document.problems.append(Problem("", NOT_YAML + reason, "", file, line, column=column))
    return document


class _TooLargeError(Exception):
    """Reading ends, with the problem as its argument."""


class _Reader:
    def __init__(
        self,
        document: Document,
        loader: Any,
        scalar: Callable[[Any], Any] | None,
        aliases: bool,
        max_values: int,
    ):
        self.document, self.loader, self.scalar = document, loader, scalar
        self.aliases, self.values_left = aliases, max_values
        self.seen: set[int] = set()
        self.valid = True

    def problem(self, node: Any, path: KeyPath, what: str, fix: str = "") -> Problem:
        mark = node.start_mark
        file, where = self.document.file, dotted(path)
        return Problem(where, what, fix, file, mark.line + 1, column=mark.column + 1, path=path)

    def _invalid(self, node: Any, path: KeyPath, reason: str) -> None:
        self.valid = False
        self.document.problems.append(self.problem(node, path, NOT_YAML + reason))

    def value(self, node: Any, path: KeyPath) -> Any:
        """Return a node as data, and record the lines of its keys and elements."""
        self.document.lines.setdefault(path, node.start_mark.line + 1)
        self.values_left -= 1
        if self.values_left < 0 or len(path) > MAX_DEPTH:
            what = "is too deep or too large"
            raise _TooLargeError(self.problem(node, path[:1], what, "use fewer aliases (*)"))
        if id(node) in self.seen and not self.aliases:
            what = "has an alias (*), which is not supported here"
            raise _TooLargeError(self.problem(node, path[:1], what, "write the value again"))
        self.seen.add(id(node))
        if node.id == "scalar":
            return self._scalar(node, path)
        if node.tag not in COLLECTIONS:
            self._invalid(node, path, f"the tag {node.tag!r} is unknown")
        if node.id == "sequence":
            return [self.value(inner, (*path, n)) for n, inner in enumerate(node.value)]
        return self._mapping(node, path)

    def _mapping(self, node: Any, path: KeyPath) -> dict[str, Any]:
        own: set[str] = set()
        for key, _ in node.value:
            if key.id != "scalar":
                self._invalid(key, path, "a key is not plain text")
            elif key.value in own:
                self.document.problems.append(
                    self.problem(
                        key, (*path, key.value), "this key is given twice", "keep one of them"
                    )
                )
            own.add(str(key.value))
        self.loader.flatten_mapping(node)  # applies merge keys (<<)
        found: dict[str, Any] = {}
        for key, inner in node.value:
            if key.id == "scalar":
                name = str(key.value)
                self.document.lines[*path, name] = key.start_mark.line + 1
                found[name] = self.value(inner, (*path, name))
        return found

    def _scalar(self, node: Any, path: KeyPath) -> Any:
        if self.scalar is not None:
            return self.scalar(node)
        try:
            return self.loader.construct_object(node)
        except Exception as error:  # for example a date with a 99th month
            reason = getattr(error, "problem", None) or f"{node.value[:40]!r} is not a value"
            self._invalid(node, path, reason)
            return None


def _bracket_depth(text: str) -> int:
    """Return how deep brackets are nested."""
    depth = deepest = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth = max(0, depth - 1)
    return deepest
