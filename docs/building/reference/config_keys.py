"""The keys of a config model: one table for each table of the config."""

import re
from collections.abc import Callable, Iterator
from inspect import cleandoc
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from building.reference.tables import code, table, type_words
from building.reference.units import unit

SOURCES = re.compile(r"\[(seed|wire|upstream|ours)\] ?")
HEAD = ("key", "type", "unit", "default", "source", "description")


def inner_models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that a type contains."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for one in get_args(annotation):
        yield from inner_models(one)


def tables(
    model: type[BaseModel],
    path: str = "",
    level: int = 3,
    sources: bool = True,
    source_of: Callable[[str], str] | None = None,
) -> Iterator[str]:
    """Yield the heading and the table of a model, and of the models in its fields.

    `source_of` returns the source of a key by its path, for models whose texts do not name it.
    """
    heading = f"`{path}`" if path else "Top level"
    text, source = explained(model)
    own: list[tuple[str, ...]] = []
    later: list[tuple[type[BaseModel], str]] = []
    for name, field in model.model_fields.items():
        key = field.alias or name
        inner = list(dict.fromkeys(inner_models(field.annotation)))
        where = f"{path}.{key}" if path else key
        later += [(one, where + mark_of(field)) for one in inner if one is not model]
        known = source_of(where) if source_of is not None else source
        own.append(row(key, field, known, sources, nested=bool(inner)))
    head = HEAD if sources else tuple(one for one in HEAD if one != "source")
    explanation = f"{text}\n\n" if text else ""
    yield f"{'#' * level} {heading}\n\n{explanation}{table(head, own)}\n"
    for one, where in later:
        yield from tables(one, where, level, sources, source_of)


def mark_of(field: FieldInfo) -> str:
    """Return `[]` for lists of tables and `.NAME` for tables of tables."""
    text = str(field.annotation)
    if re.match(r"(typing\.)?(tuple|list)\[", text):
        return "[]"
    return ".NAME" if re.match(r"(typing\.)?(dict|Mapping)\[", text) else ""


def row(key: str, field: FieldInfo, source: str, sources: bool, nested: bool) -> tuple[str, ...]:
    """Return the cells of one key."""
    kind = type_words(field.annotation, field.metadata)
    text = field.description or ""
    if found := SOURCES.match(text):
        source = found[1]
    if nested:
        default = "see below"
    elif field.default is PydanticUndefined:
        default = "required" if field.default_factory is None else "empty"
    else:
        default = "none" if field.default is None else code(field.default)
    cells = [f"`{key}`", kind, unit(key, kind), default]
    return (*cells, *([source] if sources else []), SOURCES.sub("", text))


def explained(model: type[BaseModel]) -> tuple[str, str]:
    """Return the docstring of a model without its source, and the source."""
    given = cleandoc(model.__dict__.get("__doc__") or "").split("\n\n    ")[0]
    text = re.split(r"\n\n(?= {4})", given)[0]
    found = dict.fromkeys(SOURCES.findall(text))
    cleaned = re.sub(r"\[(\w+)\]", r"(\1)", SOURCES.sub("", text, count=1)).strip()
    return cleaned[:1].upper() + cleaned[1:], ", ".join(found)
