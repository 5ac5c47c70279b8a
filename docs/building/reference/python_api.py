"""The pages of the Python API: signatures, docstrings and their examples."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from textwrap import dedent
from types import ModuleType
from typing import Any

from building.places import ROOT

LIST = ROOT / "tests" / "public_api.txt"
PUBLIC = re.compile(r"rigless(\.[a-z_]+)?\.[A-Za-z]\w*")


def pages() -> Iterator[tuple[str, str]]:
    listed: dict[str, list[str]] = {}
    for name in LIST.read_text("utf-8").splitlines():
        if PUBLIC.fullmatch(name):  # the others are members of classes
            listed.setdefault(name.rpartition(".")[0], []).append(name)
    for module, names in listed.items():
        text = prose(inspect.getdoc(importlib.import_module(module)) or "")
        parts = [part for name in names if (part := described(name, module))]
        page = f"python/{module.replace('.', '-')}"
        yield page, f"# {module}\n\n{text}\n\n" + "\n".join(parts)


def described(name: str, module: str) -> str:
    """Return the section of a public name, or an empty text for a constant."""
    value = getattr(importlib.import_module(module), name.rpartition(".")[2])
    if isinstance(value, ModuleType):
        return f"## {name}\n\nA module: {first_sentence(value)}\n"
    if not (inspect.isclass(value) or callable(value)):
        return ""
    text = prose(inspect.getdoc(value) or "")
    parts = [f"## {name}\n\n```python\n{signature(name, value)}\n```\n\n{text}\n"]
    if inspect.isclass(value):
        parts += [method(name, key, one) for key, one in members(value)]
    return "\n".join(parts)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that a class of ours defines, with a docstring."""
    for key, value in vars(kind).items():
        if key.startswith("_") or key in ("model_config",):
            continue
        inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if (callable(inner) or isinstance(value, property)) and getattr(inner, "__doc__", None):
            yield key, value


def method(owner_name: str, key: str, value: Any) -> str:
    """Return the paragraph of a method or a property."""
    inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    short = owner_name.rpartition(".")[2]
    shown = f"{short}.{key}" + ("" if isinstance(value, property) else arguments(inner))
    return f"### {short}.{key}\n\n```python\n{shown}\n```\n\n{prose(inspect.getdoc(inner) or '')}\n"


def signature(name: str, value: Any) -> str:
    """Return a name with its arguments, as it is written."""
    decorated = getattr(value, "__wrapped__", value)
    if inspect.isclass(value) and getattr(value, "_is_protocol", False):
        return f"class {name}(Protocol)"
    return f"{'class ' if inspect.isclass(value) else ''}{name}{arguments(decorated)}"


def arguments(function: Any) -> str:
    """Return the arguments and the result of a function."""
    try:
        given = inspect.signature(function)
    except (TypeError, ValueError):
        return "(…)"
    listed = [one for one in given.parameters.values() if one.name not in ("self", "cls")]
    text = str(given.replace(parameters=listed))
    text = re.sub(r"(?:typing|collections\.abc|pathlib|rigless[\w.]*)\.(?=[A-Z])", "", text)
    return re.sub(r"<factory>|<function .+? at 0x[0-9a-f]+>", "…", text)


def first_sentence(module: ModuleType) -> str:
    return (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ")


def prose(text: str) -> str:
    """Return a docstring as Markdown: examples become blocks of code."""
    parts: list[str] = []
    for part in re.split(r"\n\s*\n", text):
        if not is_code(part):
            parts.append(part.replace("<", "&lt;"))
        elif parts and parts[-1].endswith("\n```"):
            parts[-1] = f"{parts[-1][:-4]}\n\n{dedent(part)}\n```"
        else:
            parts.append(f"```python\n{dedent(part)}\n```")
    return "\n\n".join(parts)


def is_code(part: str) -> bool:
    """Return True for an indented part, a doctest, or a part that Python can read."""
    if re.match(" {4,}\\S|>>> ", part):
        return True
    try:
        ast.parse(part)
    except SyntaxError:
        return False
    return bool(re.search(r"[(=\[]", part))
