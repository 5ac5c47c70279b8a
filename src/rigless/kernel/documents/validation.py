"""pydantic's errors as problems: the key, what is wrong with it, and a hint."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem, did_you_mean

Model = TypeVar("Model", bound=BaseModel)


def validate(
    model: type[Model],
    data: Any,
    problems: list[Problem],
    file: str = "",
    lines: Mapping[KeyPath, int] | None = None,
    at: KeyPath = (),
) -> Model | None:
    """Return the validated model, or None, and add the reasons to `problems`.

    `at` is the path of the data in the file.
    """
    valid, found = examine(model, data)
    problems += [problem.located(file, lines, at) for problem in found]
    return valid


def examine(
    model: type[Model], data: Any, codes: Mapping[str, str] = MappingProxyType({})
) -> tuple[Model | None, list[Problem]]:
    """Return the validated model, or None and the problems, not located in a file yet.

    `codes` maps pydantic's error types to problem codes; "" stands for all other types.
    """
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, problems_of(error, data, codes, model)


def problems_of(
    error: ValidationError,
    data: Any,
    codes: Mapping[str, str] = MappingProxyType({}),
    model: type[BaseModel] | None = None,
) -> list[Problem]:
    """Return one problem for each wrong key. With the model, unknown keys get a hint."""
    found: dict[KeyPath, list[tuple[str, str, str]]] = {}
    for detail in error.errors(include_url=False):
        code = codes.get(detail["type"], codes.get("", ""))
        found.setdefault(_path_in(data, detail), []).append((*sentence(model, detail), code))
    problems = []
    for path, sentences in found.items():
        what = "; or ".join(dict.fromkeys(what for what, _, _ in sentences))
        problems.append(Problem.at(path, what, *sentences[0][1:]))
    return problems


def _path_in(data: Any, detail: Any) -> KeyPath:
    """Return an error's path in the data, without the names of union members in pydantic's."""
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


PLAIN = {  # pydantic's own texts name Python types
    "tuple_type": "it should be a list",
    "list_type": "it should be a list",
    "dict_type": "it should have keys of its own",
    "model_type": "it should have keys of its own",
    "model_attributes_type": "it should have keys of its own",
}

JSON = {None: "null", True: "true", False: "false"}  # as in files


def sentence(model: type[BaseModel] | None, detail: Any) -> tuple[str, str]:
    """Return one of pydantic's errors as a sentence, and a hint if it is an unknown key."""
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


def keys_at(model: type[BaseModel], loc: KeyPath) -> list[str]:
    """Return the keys that a model accepts at a path inside it."""
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
