"""Compares messages with the published schemas, which are made strict: no unknown fields.

Validation takes a millisecond, so of messages with the same fields, types and code words only the
first is validated.
"""

import copy
import json
import re
from functools import cache

from jsonschema import Draft202012Validator, FormatChecker

from rigless.robots.agv import wire
from rigless.robots.agv.contract.schemas import message_schema

CODE = re.compile(r"[A-Z][A-Z_]+")
MOST = 20  # states of one scene that are looked at
_encode = wire.codec_of("agv")().encode
_seen = set()


def strict(part):
    """Return a schema that forbids fields that it does not describe."""
    if isinstance(part, list):
        return [strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    made = {key: strict(value) for key, value in part.items()}
    if "properties" in part and isinstance(part.get("type"), str):
        made.setdefault("additionalProperties", False)
    return made


@cache
def validator(kind):
    checker = FormatChecker()
    checker.checks("date-time", ValueError)(lambda text: bool(wire.timestamps.to_ns(text) + 1))
    return Draft202012Validator(strict(copy.deepcopy(message_schema(kind))), format_checker=checker)


def errors(kind, message):
    return [
        f"{kind}: {'.'.join(map(str, error.path))}: {error.message[:300]}"
        for error in validator(kind).iter_errors(message)
    ]


def shape(value):
    """Return the fields, types and code words of a message."""
    if isinstance(value, dict):
        return tuple((key, shape(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return tuple(sorted({shape(one) for one in value}, key=repr))
    if isinstance(value, str) and CODE.fullmatch(value):
        return value
    return type(value).__name__


def check_bytes(kind, data):
    """Raise AssertionError if a message is not as its schema says."""
    message = json.loads(data)
    key = (kind, shape(message))
    if key not in _seen:
        found = errors(kind, message)
        assert found == [], found
        _seen.add(key)


def check_envelopes(envelopes, counts=None):
    """Compare messages with the contract; of states only the first few, if they are counted."""
    for envelope in envelopes:
        if counts is not None and envelope.type in wire.LATEST_WINS:
            counts[envelope.type] = counts.get(envelope.type, 0) + 1
            if counts[envelope.type] > MOST:
                continue
        check_bytes(envelope.type, _encode(envelope)[1])
