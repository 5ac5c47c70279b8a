"""The first pass: pydantic's errors as sentences, each with a code and a fix.

Examples in fixes are from the robot that comes with rigless.
"""

import json
import re
from dataclasses import replace
from typing import Any

from rigless.kernel.documents.validation import examine
from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem, did_you_mean
from rigless.robots.agv.config import RobotConfig, own
from rigless.robots.agv.fields import ID
from rigless.robots.agv.vda5050_model.settings import LEVEL

CODES = {  # by pydantic's type of error
    "missing": "KEY_REQUIRED",
    "extra_forbidden": "UNKNOWN_KEY",
    "literal_error": "NOT_A_CHOICE",
    "greater_than": "OUT_OF_RANGE",
    "greater_than_equal": "OUT_OF_RANGE",
    "less_than": "OUT_OF_RANGE",
    "less_than_equal": "OUT_OF_RANGE",
    "finite_number": "OUT_OF_RANGE",
    "string_too_short": "WRONG_LENGTH",
    "string_too_long": "WRONG_LENGTH",
    "too_short": "WRONG_LENGTH",
    "string_pattern_mismatch": "BAD_ID",
    "value_error": "WRONG_VALUE",
    "": "WRONG_TYPE",
}
PLAIN = (  # messages of pydantic about Python types
    (f"string should match pattern '{ID}'", "an id is 1 to 64 letters, digits, _ and -"),
    (
        f"string should match pattern '{LEVEL}'",
        "a level of a topic is 1 to 128 characters without /, +, # and $",
    ),
    (
        r"(tuple|list) should have at least 1 item after validation, not 0",
        "it must have at least one entry",
    ),
    (r"input should be a valid boolean", "it should be true or false"),
)
LONGEST = 60  # of an example; a larger table is shown by its keys


def shape(whole: Any) -> tuple[RobotConfig | None, list[Problem]]:
    """Return the config, if its shape is right, and the problems."""
    config, findings = examine(RobotConfig, whole, CODES)
    return config, [_with_fix(finding, whole) for finding in findings]


def _with_fix(finding: Problem, whole: Any) -> Problem:
    """Return the problem in plain words, with a fix."""
    what, fix = finding.what, finding.fix
    for python, plain in PLAIN:
        what = (
            what.replace(python, plain)
            if python.startswith("string")
            else re.sub(python, plain, what)
        )
    match finding.code:
        case "KEY_REQUIRED":
            fix = f'add "{finding.path[-1]}": {_text(_at(own(), finding.path))}'
        case "NOT_A_CHOICE":
            fix = _choice(
                str(_at(whole, finding.path)),
                re.findall(r"'([\w.]+)'", what.rpartition("should be")[2]),
            )
        case "WRONG_VALUE" if "; " in what:
            what, _, fix = what.partition("; ")
        case _ if not fix:
            fix = _example(finding.path)
    return replace(finding, what=what, fix=fix, stage="shape")


def _choice(given: str, choices: list[str]) -> str:
    meant = [choice for choice in choices if choice == given.upper()]
    return f"did you mean {meant[0]!r}?" if meant else did_you_mean(given, choices)


def _example(path: KeyPath) -> str:
    found = _at(own(), path)
    return "correct it, or remove the key" if found is None else f"for example {_text(found)}"


def _text(value: Any) -> str:
    if value is None:
        return "…"
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST:
        return text
    return f"{{{', '.join(value)}}}" if isinstance(value, dict) else f"{text[0]}…{text[-1]}"


def _at(table: Any, path: KeyPath) -> Any:
    """Return the value at a path, or None.

    In a list that is too short, it is that of the last element.
    """
    for part in path:
        if isinstance(table, list) and isinstance(part, int) and table:
            table = table[min(part, len(table) - 1)]
        else:
            table = table.get(part) if isinstance(table, dict) else None
    return table
