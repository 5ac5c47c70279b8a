"""From pydantic's errors to our sentences: the key, what is wrong with it, what was probably meant."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from rigless.kernel.problems import Problem, did_you_mean
from rigless.kernel.toml_lines import Path, line_of

Model = TypeVar("Model", bound=BaseModel)


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
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems += problems_of(error, data, file, lines, at, model)
        return None


def problems_of(
    error: ValidationError,
    data: Any,
    file: str = "",
    lines: dict[Path, int] | None = None,
    at: Path = (),
    model: type[BaseModel] | None = None,
) -> list[Problem]:
    """Sentences for what pydantic found wrong with data; with the model, also what was probably meant."""
    found: dict[Path, list[tuple[str, str]]] = {}
    for detail in error.errors(include_url=False):
        found.setdefault((*at, *_inside(data, detail)), []).append(_sentence(model, detail))
    problems = []
    for path, sentences in found.items():
        what = "; or ".join(dict.fromkeys(what for what, _ in sentences))
        problems.append(Problem(dotted(path), what, sentences[0][1], file, line_of(lines or {}, path)))
    return problems


def _inside(data: Any, detail: Any) -> Path:
    """The part of an error's place that is in the data; pydantic adds the names of union members to it."""
    path: list[str | int] = []
    for part in detail["loc"]:
        if part in (data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()):
            data = data[part]
        elif detail["type"] != "missing" or not isinstance(data, dict):
            break
        path.append(part)
    return tuple(path)


def _sentence(model: type[BaseModel] | None, detail: Any) -> tuple[str, str]:
    loc = detail["loc"]
    if detail["type"] == "extra_forbidden":
        return f"unknown key {loc[-1]!r}", did_you_mean(str(loc[-1]), keys_at(model, loc[:-1])) if model else ""
    if detail["type"] == "missing":
        return "this key is required", ""
    given = detail.get("input")
    message = detail["msg"][0].lower() + detail["msg"][1:]
    message = message.removeprefix("value error, ")
    try:
        shown = repr(given)
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
