"""API routes of the Wire tab: one message in full, the schemas of ports, and sending."""

from base64 import b64encode
from typing import Any

from fastapi import FastAPI

from rigless.host.host import Host
from rigless.panel.api_models import SourceName
from rigless.panel.wire import display
from rigless.panel.wire.copy_lines import lines_for
from rigless.panel.wire.feeds import WireFeeds
from rigless.panel.wire.forms import describe_ports
from rigless.panel.wire.log import Entry
from rigless.panel.wire.models import SchemaOfPort, SendToPort, SentToPort, WireDetail
from rigless.panel.wire.rows import message_of, row_of
from rigless.panel.wire.sending import send_to_port

SHOWN_BYTES = 1 << 16


def add_wire_routes(app: FastAPI, host: Host, feeds: WireFeeds) -> None:
    """Add the routes of this module."""

    @app.get("/api/wire/{number}")
    async def message(number: int, stage: SourceName = "live") -> WireDetail:
        """Return one message of the wire with its bytes and fields."""
        return _detail(host, feeds.find(stage, number))

    @app.get("/api/robots/{robot}/schemas")
    async def schemas(robot: str) -> list[SchemaOfPort]:
        """Return the messages that each port of a robot takes."""
        return describe_ports(host, host.sim.robot(robot))

    @app.post("/api/robots/{robot}/wire")
    async def send(robot: str, body: SendToPort) -> SentToPort:
        """Send a message to a port of a robot over its transport."""
        return await send_to_port(host, host.sim.robot(robot), body)


def _detail(host: Host, entry: Entry) -> WireDetail:
    packet = entry.packet
    fields: Any = None
    trouble = ""
    if entry.part >= 0:
        try:
            fields = display.plain_fields(message_of(entry))
        except Exception as error:  # code of a robot's author
            trouble = f"the fields cannot be shown: {type(error).__name__}: {error}"
    original = packet.passage.original
    changed = bool(original) and original != packet.data
    return {
        "row": row_of(entry),
        "fields": fields,
        "trouble": trouble,
        "data": b64encode(packet.data[:SHOWN_BYTES]).decode(),
        "original": b64encode(original[:SHOWN_BYTES]).decode() if changed else "",
        "link": packet.link,
        "lines": _lines(host, entry),
    }


def _lines(host: Host, entry: Entry) -> dict[str, str]:
    packet = entry.packet
    if packet.what != "data":
        return {}
    sim = host.sim
    robot = sim.robots.get(packet.robot)
    port = next((one for one in robot.ports if one.name == packet.port), None) if robot else None
    url = host.urls.get((packet.robot, packet.port), "") if packet.direction == "in" else ""
    transport = port.transport if port else ""
    return lines_for(packet.robot, packet.port, transport, url, packet.data, packet.subject)
