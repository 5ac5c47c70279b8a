"""Entries of the log as rows of the list, and the text in which a filter searches."""

from typing import Any

from rigless.kernel.plain import to_json
from rigless.panel.wire import display
from rigless.panel.wire.log import Entry
from rigless.panel.wire.models import WireRow

RAW = 160  # bytes of a packet without a message in a row
SEARCHED = 1 << 16  # bytes or characters of one message that a filter searches


def message_of(entry: Entry) -> Any:
    """Return the message of an entry, or None."""
    messages = entry.packet.messages
    return messages[entry.part] if 0 <= entry.part < len(messages) else None


def refused_because(entry: Entry) -> str:
    """Return why a message was refused, or ""."""
    packet = entry.packet
    if packet.refused:
        # The error concerns the bytes after the last message that could be decoded.
        return packet.refused if entry.part in (-1, len(packet.messages) - 1) else ""
    return display.refusal(message_of(entry)) if entry.part >= 0 else ""


def row_of(entry: Entry) -> WireRow:
    """Return an entry for display."""
    packet, passage = entry.packet, entry.packet.passage
    message = message_of(entry)
    row: WireRow = {
        "n": entry.number,
        "t": entry.time_ns / 1e9,
        "robot": packet.robot,
        "port": packet.port,
        "direction": packet.direction,
        "what": "jump" if entry.jump else packet.what,
        "peer": packet.peer,
        "subject": packet.subject,
        "kind": entry.kind,
        "text": display.summarise(message) if entry.part >= 0 else raw_text(packet.data),
        "size": len(packet.data),
    }
    if len(packet.messages) > 1:
        row["part"], row["parts"] = entry.part + 1, len(packet.messages)
    if passage.effects:
        row["marks"] = list(passage.effects)
        if "delayed" in passage.effects:
            known = passage.since_ns >= 0
            row["delay_ms"] = (entry.time_ns - passage.since_ns) / 1e6 if known else None
    if refused := refused_because(entry):
        row["refused"] = refused
    return row


def raw_text(data: bytes) -> str:
    """Return the beginning of some bytes as text if they are text, else in hexadecimal."""
    text = data[:RAW].decode("utf-8", "replace")
    readable = sum(c.isprintable() or c in "\r\n\t" for c in text) > 0.9 * len(text)
    if readable and "\ufffd" not in text:
        return " ⏎ ".join(text.splitlines())
    return data[: RAW // 3].hex(" ")


def searchable(entry: Entry) -> str:
    """Return the text of an entry in lower case: names, and its fields or its text on the wire."""
    packet = entry.packet
    names = f"{entry.kind} {packet.port} {packet.subject} {packet.peer} {refused_because(entry)}"
    data = packet.data[:SEARCHED]
    if data.isascii() and data:
        return f"{names} {data.decode('ascii')}".lower()
    if entry.part < 0:
        return f"{names} {data.decode('utf-8', 'replace')}".lower()
    try:
        fields = to_json(display.plain_fields(message_of(entry)))[:SEARCHED]
        return f"{names} {fields.decode('utf-8', 'replace')}".lower()
    except Exception:  # code of a robot's author
        return names.lower()
