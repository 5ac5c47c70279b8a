"""The JSDoc types of the front end are those of the models in Python."""

import subprocess
import sys
from pathlib import Path

from fastapi.routing import APIRoute

from host.driving import make_host
from rigless.panel.hub import Hub
from rigless.panel.player import Player
from rigless.panel.recordings.second_player import SecondPlayer
from rigless.panel.server import create_panel_app

ROOT = Path(__file__).resolve().parents[2]
NOT_JSON = {
    "/api/recordings/file", "/api/signals/csv", "/api/signals/data", "/api/world/cells",
}  # fmt: skip


def test_the_types_of_the_front_end_are_up_to_date():
    command = [sys.executable, str(ROOT / "scripts/build-api-types"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_route_of_the_panel_has_a_response_model():
    host, player = make_host(speed="lockstep"), Player()
    app = create_panel_app(host, Hub(host, [player]), player, SecondPlayer(player))
    schemas = app.openapi()["paths"]
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    for route in routes:
        if not route.include_in_schema or route.endpoint.__module__ == "rigless.host.api.control":
            continue
        for method in route.methods:
            answer = schemas[route.path][method.lower()]["responses"]["200"]
            schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
            named = schema.get("$ref") or schema.get("items", {}).get("$ref")
            assert named or route.path in NOT_JSON, (method, route.path)
