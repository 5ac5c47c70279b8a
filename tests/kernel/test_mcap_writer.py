"""The writer of recordings gives the bytes of the mcap package."""

import io
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import CompressionType, Writer

from rigless.kernel.recording.mcap_writer import CHUNK_BYTES, McapWriter


def deeds(seed: int, count: int) -> list[tuple[Any, ...]]:
    """Return a random course of a recording: what is added, in order."""
    draw, found, channels, time_ns = random.Random(seed), [], 0, 0
    for number in range(count):
        match draw.randrange(50):
            case 0:
                channels += 1
                schema = f"schema {number}", "jsonschema", draw.randbytes(20)
                metadata = {"robot": "a"} if draw.random() < 0.5 else {}
                found.append(("channel", *schema, f"/topic/{number}", metadata))
            case 1:
                found.append(("attachment", time_ns, "snapshot", "x/y", draw.randbytes(300)))
            case 2:
                found.append(("metadata", "rigless", {"seed": str(number)}))
            case 3:
                found.append(("flush",))
            case _ if channels:
                time_ns += draw.randrange(-5, 1000)
                data = draw.randbytes(draw.choice([0, 3, 200, 5000]))
                found.append(("message", draw.randrange(channels) + 1, max(time_ns, 0), data))
    return found


def written(course: list[tuple[Any, ...]]) -> bytes:
    stream = io.BytesIO()
    writer, number = McapWriter(stream, "rigless"), 0
    for what, *given_ in course:
        match what, given_:
            case "channel", (name, encoding, data, topic, metadata):
                schema = writer.add_schema(name, encoding, data)
                writer.add_channel(topic, "json", schema, metadata)
            case "attachment", _:
                writer.add_attachment(*given_)
            case "metadata", _:
                writer.add_metadata(*given_)
            case "flush", _:
                writer.flush()
            case "message", _:
                number += 1
                writer.add_message(*given_, number)
    writer.finish()
    return stream.getvalue()


def expected(course: list[tuple[Any, ...]]) -> bytes:
    stream = io.BytesIO()
    compression = CompressionType.ZSTD
    writer = Writer(stream, CHUNK_BYTES, compression, enable_data_crcs=True)
    writer.start("", "rigless")
    number = 0
    for what, *given_ in course:
        match what, given_:
            case "channel", (name, encoding, data, topic, metadata):
                schema = writer.register_schema(name, encoding, data)
                writer.register_channel(topic, "json", schema, metadata)
            case "attachment", (time_ns, name, kind, data):
                writer.add_attachment(0, time_ns, name, kind, data)
            case "metadata", _:
                writer.add_metadata(*given_)
            case "flush", _:
                writer.flush()
            case "message", (channel, time_ns, data):
                number += 1
                writer.add_message(channel, time_ns, data, time_ns, number)
    writer.finish()
    return stream.getvalue()


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(0, 1500))
def test_a_file_has_the_bytes_of_the_mcap_package(seed, count):
    course = deeds(seed, count)
    assert written(course) == expected(course)


def test_a_chunk_is_written_when_it_is_full():
    course = [("channel", "s", "", b"", "/t", {})]
    course += [("message", 1, n, bytes(5000)) for n in range(200)]
    assert len(course) * 5000 > 3 * CHUNK_BYTES
    assert written(course) == expected(course)
