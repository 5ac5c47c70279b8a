"""Find robot classes: installed ones by listing `rigless.robots`, others by path or folder."""

import ast
import importlib
import importlib.util
import os
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

import rigless.robots
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.robot import Robot


def folders() -> list[Path]:
    """Return the folders of the robots that come with rigless."""
    return [
        Path(place).resolve() / name for place in rigless.robots.__path__ for name in installed()
    ]


def installed() -> list[str]:
    """Return the names of the robots that come with rigless."""
    return sorted(
        module.name for module in pkgutil.iter_modules(rigless.robots.__path__) if module.ispkg
    )


def is_folder(kind: str) -> bool:
    """Return True if a kind is a folder on disk rather than a name or a dotted path."""
    return "/" in kind or kind.startswith(".")


def default_name(kind: str, beside: Path | None = None) -> str:
    """Return the default name of a robot: the last part of its kind."""
    return (
        os.path.basename(os.path.abspath((beside or Path()) / kind))
        if is_folder(kind)
        else kind.rpartition(".")[2]
    )


def summary(kind: str) -> str:
    """Return the first line of a robot's docstring, without importing the robot."""
    spec = importlib.util.find_spec(f"rigless.robots.{kind}")
    text = (
        Path(spec.origin).read_text("utf-8") if spec is not None and spec.origin is not None else ""
    )
    return (ast.get_docstring(ast.parse(text)) or "").split("\n")[0]


def kind_of(robot: type[Robot]) -> str:
    """Return the kind of a robot class: the last part of its package name."""
    return _package(robot).rpartition(".")[2]


def summary_of(robot: type[Robot]) -> str:
    """Return the first line of the docstring of a robot class's package."""
    return (sys.modules[_package(robot)].__doc__ or "").strip().split("\n")[0]


def _package(robot: type[Robot]) -> str:
    name = robot.__module__
    package = getattr(sys.modules.get(name), "__package__", None)
    return package if package in sys.modules else name


def robot_class(kind: str, beside: Path | None = None) -> type[Robot]:
    """Return the robot class of a kind. Raises InputError with suggestions."""
    if kind in installed():
        module = _import(f"rigless.robots.{kind}", kind)
    elif is_folder(kind):
        module = _import_folder((beside or Path()) / kind)
    elif "." in kind or _is_importable(kind):
        module = _import(kind, kind)
    else:
        raise InputError(
            Problem(
                "",
                f"unknown robot kind {kind!r}",
                did_you_mean(kind, installed()) + "; or a folder such as ./my_robot",
            )
        )
    found = getattr(module, "Robot", None)
    if not (isinstance(found, type) and issubclass(found, Robot)):
        raise InputError(
            Problem(
                "",
                f"{kind!r} has no robot",
                "its __init__.py must define Robot, as in: from .robot import Thermostat as Robot",
            )
        )
    return found


def _import(name: str, kind: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(missing + "."):
            what = f"unknown robot kind {kind!r}: no package {missing!r}"
            raise InputError(Problem("", what, did_you_mean(kind, installed()))) from None
        raise _lacking(kind, missing, extra=name.startswith("rigless.robots.")) from None
    except Exception as error:
        raise _broken(name, error) from error


def _import_folder(folder: Path) -> ModuleType:
    try:
        folder = folder.resolve()
        init = folder / "__init__.py"
        there = init.is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise InputError(
            Problem(
                "", f"{folder} is not a robot folder", "it needs an __init__.py that defines Robot"
            )
        )
    name = folder.name
    known = sys.modules.get(name)
    if known is not None and Path(known.__file__ or "") == init:
        return known
    spec = importlib.util.spec_from_file_location(
        name, init, submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None or not name.isidentifier() or known is not None:
        fix = "rename it to a Python name that is not taken"
        raise InputError(Problem("", f"a robot folder cannot be called {name!r}", fix))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        if isinstance(error, ModuleNotFoundError) and not f"{error.name}.".startswith(f"{name}."):
            raise _lacking(str(folder), error.name or "", extra=False) from None
        raise _broken(str(init), error) from error
    return module


def _lacking(kind: str, missing: str, extra: bool) -> InputError:
    fix = f"pip install 'rigless[{kind}]'" if extra else f"pip install {missing.partition('.')[0]}"
    return InputError(Problem("", f"robot {kind!r} needs {missing!r}, which is not installed", fix))


def _broken(what: str, error: Exception) -> InputError:
    if "KeyboardInterrupt:" in str(error):  # pydantic wraps a Ctrl-C
        raise KeyboardInterrupt from error
    reason = f"{what} cannot be imported: {type(error).__name__}: {error}"
    return InputError(Problem("", reason, "fix the robot's code"))


def _is_importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ValueError, ImportError):
        return False
