"""Write MCAP files of zstd chunks, with the same bytes as the mcap package and in half its time.

A message costs one packed head and two appends. The chunk, its indexes and the statistics are
complete when the chunk is full: docs/decisions/0036-writing-recordings.md.
"""

import struct
import zlib
from collections.abc import Iterable
from typing import IO

import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    Chunk,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)

MAGIC = b"\x89MCAP0\r\n"
CHUNK_BYTES = 256 * 1024
COMPRESSION = "zstd"
_MESSAGE = struct.Struct("<BQHIQQ")  # type, length, channel, sequence, log time, publish time
_MESSAGE_HEAD = 22  # bytes of a message before its data
_MESSAGE_OPCODE = int(Opcode.MESSAGE)
_FOOTER_HEAD = struct.Struct("<BQQQ")
_FOOTER_BYTES = 20


class McapWriter:
    """Writes to a stream, which stays open."""

    def __init__(self, stream: IO[bytes], library: str):
        self._stream = stream
        self._crc = 0  # of all data
        self._schemas: list[Schema] = []
        self._channels: list[Channel] = []
        self._chunk = bytearray()
        self._index: dict[int, list[int]] = {}  # channel → times and places of its messages
        self._chunks: list[ChunkIndex] = []
        self._attachments: list[AttachmentIndex] = []
        self._metadata: list[MetadataIndex] = []
        self._counts: dict[int, int] = {}  # channel → messages
        self._write(MAGIC + _record(Header("", library)))

    def add_schema(self, name: str, encoding: str, data: bytes) -> int:
        """Register a schema and return its number."""
        schema = Schema(id=len(self._schemas) + 1, data=data, encoding=encoding, name=name)
        self._schemas.append(schema)
        self._append(_record(schema))
        return schema.id

    def add_channel(
        self, topic: str, encoding: str, schema: int, metadata: dict[str, str] | None = None
    ) -> int:
        """Register a channel and return its number."""
        channel = Channel(
            id=len(self._channels) + 1,
            topic=topic,
            message_encoding=encoding,
            schema_id=schema,
            metadata=metadata or {},
        )
        self._channels.append(channel)
        self._append(_record(channel))
        return channel.id

    def add_message(self, channel: int, time_ns: int, data: bytes, sequence: int) -> None:
        """Append a message; its log time is also its publish time."""
        index, chunk = self._index.get(channel), self._chunk
        if index is None:
            index = self._index[channel] = []
        index += (time_ns, len(chunk))
        chunk += _MESSAGE.pack(
            _MESSAGE_OPCODE, _MESSAGE_HEAD + len(data), channel, sequence, time_ns, time_ns
        )
        chunk += data
        if len(chunk) > CHUNK_BYTES:
            self._finish_chunk()

    def add_attachment(self, time_ns: int, name: str, media_type: str, data: bytes) -> None:
        attachment = Attachment(
            create_time=0, log_time=time_ns, name=name, media_type=media_type, data=data
        )
        at, record = self._stream.tell(), _record(attachment)
        self._attachments.append(
            AttachmentIndex(
                offset=at,
                length=len(record),
                create_time=0,
                log_time=time_ns,
                data_size=len(data),
                name=name,
                media_type=media_type,
            )
        )
        self._write(record)

    def add_metadata(self, name: str, data: dict[str, str]) -> None:
        at, record = self._stream.tell(), _record(Metadata(name=name, metadata=data))
        self._metadata.append(MetadataIndex(offset=at, length=len(record), name=name))
        self._write(record)

    def flush(self) -> None:
        """Write everything up to now to the file."""
        self._finish_chunk()
        self._stream.flush()

    def finish(self) -> None:
        """Write the end of the data and the index."""
        self._finish_chunk()
        self._write(_record(DataEnd(self._crc)))
        start, summary, offsets = self._stream.tell(), bytearray(), bytearray()
        groups: list[tuple[int, Iterable[McapRecord]]] = [
            (Opcode.SCHEMA, self._schemas),
            (Opcode.CHANNEL, self._channels),
            (Opcode.STATISTICS, [self._statistics()]),
            (Opcode.CHUNK_INDEX, self._chunks),
            (Opcode.ATTACHMENT_INDEX, self._attachments),
            (Opcode.METADATA_INDEX, self._metadata),
        ]
        for opcode, records in groups:
            data = b"".join(map(_record, records))
            offsets += _record(
                SummaryOffset(
                    group_opcode=opcode, group_start=start + len(summary), group_length=len(data)
                )
            )
            summary += data
        end = start + len(summary)
        head = _FOOTER_HEAD.pack(Opcode.FOOTER, _FOOTER_BYTES, start, end)
        crc = zlib.crc32(head, zlib.crc32(offsets, zlib.crc32(summary)))
        footer = Footer(summary_start=start, summary_offset_start=end, summary_crc=crc)
        self._stream.write(b"".join((summary, offsets, _record(footer), MAGIC)))

    def _append(self, record: bytes) -> None:
        self._chunk += record
        if len(self._chunk) > CHUNK_BYTES:
            self._finish_chunk()

    def _write(self, data: bytes | bytearray) -> None:
        self._crc = zlib.crc32(data, self._crc)
        self._stream.write(data)

    def _finish_chunk(self) -> None:
        """Write the chunk with an index of each channel; one without messages waits for some."""
        if not self._index:
            return
        times = [time_ns for index in self._index.values() for time_ns in index[::2]]
        data = bytes(self._chunk)
        chunk = Chunk(
            compression=COMPRESSION,
            data=zstandard.compress(data),
            message_start_time=min(times),
            message_end_time=max(times),
            uncompressed_crc=zlib.crc32(data),
            uncompressed_size=len(data),
        )
        at, record = self._stream.tell(), _record(chunk)
        self._write(record)
        places, indexes = {}, bytearray()
        for channel, index in self._index.items():
            places[channel] = at + len(record) + len(indexes)
            indexes += _index_record(channel, index)
            self._counts[channel] = self._counts.get(channel, 0) + len(index) // 2
        self._write(indexes)
        self._chunks.append(
            ChunkIndex(
                message_start_time=chunk.message_start_time,
                message_end_time=chunk.message_end_time,
                chunk_start_offset=at,
                chunk_length=len(record),
                message_index_offsets=places,
                message_index_length=len(indexes),
                compression=COMPRESSION,
                compressed_size=len(chunk.data),
                uncompressed_size=len(data),
            )
        )
        self._chunk, self._index = bytearray(), {}

    def _statistics(self) -> Statistics:
        chunks = self._chunks
        return Statistics(
            attachment_count=len(self._attachments),
            channel_count=len(self._channels),
            channel_message_counts=self._counts,
            chunk_count=len(chunks),
            message_count=sum(self._counts.values()),
            metadata_count=len(self._metadata),
            message_start_time=min((chunk.message_start_time for chunk in chunks), default=0),
            message_end_time=max((chunk.message_end_time for chunk in chunks), default=0),
            schema_count=len(self._schemas),
        )


def _record(record: McapRecord) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    return bytes(builder.end())  # type: ignore[no-untyped-call]


def _index_record(channel: int, index: list[int]) -> bytes:
    """Return the index of one channel in a chunk, with a pair of time and place for a message."""
    size = 8 * len(index)
    return struct.pack(f"<BQHI{len(index)}Q", Opcode.MESSAGE_INDEX, 6 + size, channel, size, *index)
