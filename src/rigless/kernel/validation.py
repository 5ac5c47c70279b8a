"""From pydantic's errors to our sentences: the key, what is wrong with it, what was probably meant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from rigless.kernel.problems import Problem, Severity, did_you_mean
from rigless.kernel.toml_lines import Path, line_of

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Finding:
    """Something about a config at a key path: an error, or a warning of what may not be meant. `code` stays the same over the years; `stage`
    is the pass that found it, where there are several."""

    path: Path
    what: str
    fix: str = ""
    code: str = ""
    severity: Severity = "error"
    stage: str = ""

    def at(self, file: str = "", lines: dict[Path, int] | None = None, below: Path = ()) -> Problem:
        """The finding as a sentence about a file; `below` is where the config is in it."""
        path = (*below, *self.path)
        return Problem(
            dotted(path), self.what, self.fix, file, line_of(lines or {}, path), self.code
        )


@dataclass
class Native:
    """A config as it stands in a robot's own file, with the line of each key."""

    config: dict[str, Any]
    file: str
    lines: dict[Path, int] = field(default_factory=dict)


def dotted(path: Path) -> str:
    """robots.0.config.rate as a person writes it: robots[0].config.rate."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def validate(
    model: type[Model],
    data: Any,
    problems: list[Problem],
    file: str = "",
    lines: dict[Path, int] | None = None,
    at: Path = (),
) -> Model | None:
    """The validated model, or None with the reasons added to `problems`."""
    valid, findings = examine(model, data)
    problems += [finding.at(file, lines, at) for finding in findings]
    return valid


def examine(
    model: type[Model], data: Any, codes: Mapping[str, str] = MappingProxyType({})
) -> tuple[Model | None, list[Finding]]:
    """The validated model, or None and why not. `codes` gives a finding's code for pydantic's type of error, "" for all others."""
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, findings_of(error, data, codes, model)


def findings_of(
    error: ValidationError,
    data: Any,
    codes: Mapping[str, str] = MappingProxyType({}),
    model: type[BaseModel] | None = None,
) -> list[Finding]:
    """What pydantic found wrong with data; with the model, also what was probably meant."""
    found: dict[Path, list[tuple[str, str, str]]] = {}
    for detail in error.errors(include_url=False):
        code = codes.get(detail["type"], codes.get("", ""))
        found.setdefault(_inside(data, detail), []).append((*_sentence(model, detail), code))
    findings = []
    for path, sentences in found.items():
        what = "; or ".join(dict.fromkeys(what for what, _, _ in sentences))
        findings.append(Finding(path, what, *sentences[0][1:]))
    return findings


def _inside(data: Any, detail: Any) -> Path:
    """The part of an error's place that is in the data; pydantic adds the names of union members to it."""
    path: list[str | int] = []
    for part in detail["loc"]:
        if part in (
            data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
        ):
            data = data[part]
        elif detail["type"] != "missing" or not isinstance(data, dict):
            break
        path.append(part)
    return tuple(path)


PLAIN = {  # pydantic speaks of Python's types there
    "tuple_type": "it should be a list",
    "list_type": "it should be a list",
    "dict_type": "it should have keys of its own",
    "model_type": "it should have keys of its own",
    "model_attributes_type": "it should have keys of its own",
}

JSON = {None: "null", True: "true", False: "false"}  # as files have them


def _sentence(model: type[BaseModel] | None, detail: Any) -> tuple[str, str]:
    loc = detail["loc"]
    if detail["type"] == "extra_forbidden":
        return f"unknown key {loc[-1]!r}", did_you_mean(
            str(loc[-1]), keys_at(model, loc[:-1])
        ) if model else ""
    if detail["type"] == "missing":
        return "this key is required", ""
    given = detail.get("input")
    message = detail["msg"][0].lower() + detail["msg"][1:]
    message = PLAIN.get(detail["type"], message.removeprefix("value error, "))
    try:
        shown = JSON[given] if isinstance(given, bool | None) else repr(given)
    except ValueError:  # an integer of thousands of digits
        return message, ""
    return (f"{shown} is not right: {message}" if len(shown) < 60 else message), ""


def keys_at(model: type[BaseModel], loc: Path) -> list[str]:
    """The keys that a model takes at a place inside it."""
    for part in loc:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part)
        inner = _model_in(field.annotation) if field else None
        if inner is None:
            return []
        model = inner
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_in(argument)
        if found:
            return found
    return None
