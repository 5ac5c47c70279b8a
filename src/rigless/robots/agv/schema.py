"""robot_config.schema.json, generated from the config model, for editors and other validators."""

import json
from pathlib import Path
from typing import Any

from rigless.robots.agv.config import SCHEMA_VERSION, RobotConfig

FILE = Path(__file__).with_name("robot_config.schema.json")


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12).

    It describes the shape; checks/ also compares keys with each other.
    """
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:rigless:robot_config:{SCHEMA_VERSION}",
    }
    return {**head, **RobotConfig.model_json_schema()}


def schema_text() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
