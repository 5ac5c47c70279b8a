"""The files of the contract, as names and texts."""

import json
from typing import Any

from rigless.robots.agv.contract.asyncapi import document
from rigless.robots.agv.contract.schemas import all_messages, kinds, message_schema

ASYNCAPI = "asyncapi.json"
MESSAGES = "messages.schema.json"


def asyncapi_text() -> str:
    return _text(document())


def contract_files() -> dict[str, str]:
    """Return all files: one schema for each message, one with all of them, and AsyncAPI."""
    schemas = {f"schemas/{kind}.schema.json": _text(message_schema(kind)) for kind in kinds()}
    return {ASYNCAPI: asyncapi_text(), MESSAGES: _text(all_messages()), **schemas}


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
