"""Read the records of an MCAP file strictly.

The writer appends, so a file that a kill or a full disk cut off is a good file up to some byte.
Everything else is damage: a wrong checksum, an impossible record, data after the end. It raises
`DamageError` with its place. A truncation ends the iteration, and `Records.cut_at` is its place.

Checksums cover chunks, attachments, the data of a finished file and its index. Lengths are not
covered in a file that was cut off; there a chunk that goes beyond the end must agree with its own
header.
"""

import struct
import zlib
from collections.abc import Iterator
from io import SEEK_END, BytesIO
from typing import IO, NamedTuple

from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Attachment, Channel, Chunk, McapRecord, Message, Metadata, Schema
from mcap.stream_reader import get_chunk_data_stream

MAGIC = b"\x89MCAP0\r\n"
HEAD = struct.Struct("<BQ")  # type and length of a record
LARGEST = 2**30
CHUNK_HEAD = 8 + 8 + 8 + 4  # times, uncompressed size, checksum; then the name of the compression
LONGEST_NAME = 8  # of a compression
NAMES = {
    Opcode.HEADER: "the header",
    Opcode.CHUNK: "a chunk of records",
    Opcode.MESSAGE_INDEX: "an index of a chunk",
    Opcode.ATTACHMENT: "the snapshot",
    Opcode.METADATA: "metadata",
    Opcode.DATA_END: "the end of the data",
}
INDEX = (
    Opcode.SCHEMA,
    Opcode.CHANNEL,
    Opcode.STATISTICS,
    Opcode.CHUNK_INDEX,
    Opcode.ATTACHMENT_INDEX,
    Opcode.METADATA_INDEX,
    Opcode.SUMMARY_OFFSET,
    Opcode.FOOTER,
)


class DamageError(Exception):
    """A place in a file that cannot be as it was written."""

    def __init__(self, at: int, reason: str):
        super().__init__(f"damaged at byte {at}: {reason}")


class NotMcapError(Exception):
    """A file that does not begin as an MCAP file does."""


class RawRecord(NamedTuple):
    """One record: its place in the file, its type and its content."""

    at: int
    opcode: int
    content: bytes


class Records:
    """The records of the data section of a file.

    After the iteration, `ended` is True if the data is complete, and `cut_at` is the place of the
    first incomplete record, or None if the whole file is there.
    """

    def __init__(self, stream: IO[bytes]):
        self._stream = stream
        self.size = stream.seek(0, SEEK_END)
        stream.seek(max(self.size - len(MAGIC), 0))
        self._whole = stream.read() == MAGIC and self.size > len(MAGIC)
        self._crc = 0
        self.ended = False
        self.cut_at: int | None = None

    def __iter__(self) -> Iterator[RawRecord]:
        self._stream.seek(0)
        begin = self._stream.read(len(MAGIC))
        if begin != MAGIC:
            if MAGIC.startswith(begin):
                self.cut_at = 0
                return
            raise NotMcapError
        self._crc = zlib.crc32(begin)
        for record in self._walk(len(MAGIC)):
            if record.opcode == Opcode.DATA_END:
                self._check_sum(record, self._crc, "the checksum of all data before it differs")
                self.ended = True
                self._check_index(record.at + HEAD.size + len(record.content))
                return
            self._crc = zlib.crc32(record.content, zlib.crc32(_head(record), self._crc))
            yield record

    def _walk(self, at: int) -> Iterator[RawRecord]:
        """Yield records up to the end of the file or the first incomplete record."""
        known = INDEX if self.ended else tuple(NAMES)
        while True:
            head = self._stream.read(HEAD.size)
            opcode, length = HEAD.unpack(head) if len(head) == HEAD.size else (0, 0)
            if len(head) == HEAD.size and opcode not in known:
                raise DamageError(at, f"a record of the type {opcode} cannot be here")
            if length > LARGEST:
                raise DamageError(at, f"{_name(opcode)} cannot have {length} bytes")
            content = self._stream.read(length)
            if len(head) < HEAD.size or len(content) < length:
                if self._whole or not _is_beginning(opcode, length, content):
                    raise DamageError(at, f"{_name(opcode)} ends after the file")
                self.cut_at = at
                return
            yield RawRecord(at, opcode, content)
            at += HEAD.size + length

    def _check_index(self, at: int) -> None:
        """Check what follows the data: an index with its own checksum, and the end of the file."""
        crc = 0
        for record in self._walk(at):
            crc = zlib.crc32(_head(record), crc)
            if record.opcode == Opcode.FOOTER:
                self._check_footer(record, crc)
                return
            crc = zlib.crc32(record.content, crc)

    def _check_footer(self, record: RawRecord, crc: int) -> None:
        if len(record.content) != 20:
            raise DamageError(record.at, "the footer has the wrong length")
        crc = zlib.crc32(record.content[:-4], crc)
        self._check_sum(record, crc, "the checksum of the index differs")
        end = self._stream.read(len(MAGIC) + 1)
        at = record.at + HEAD.size + len(record.content)
        if end != MAGIC:
            if not MAGIC.startswith(end):
                raise DamageError(at, "the file does not end as an MCAP file")
            self.cut_at = at

    def _check_sum(self, record: RawRecord, crc: int, reason: str) -> None:
        if len(record.content) < 4:
            raise DamageError(record.at, f"{_name(record.opcode)} is too short")
        stored = int.from_bytes(record.content[-4:], "little")
        if stored not in (0, crc):  # 0: the writer made no checksum
            raise DamageError(record.at, reason)


def _head(record: RawRecord) -> bytes:
    return HEAD.pack(record.opcode, len(record.content))


def _name(opcode: int) -> str:
    return NAMES.get(Opcode(opcode), "a record of the index") if opcode else "a record"


def _is_beginning(opcode: int, length: int, content: bytes) -> bool:
    """Return False if an incomplete record cannot have had this length."""
    if opcode == Opcode.DATA_END:
        return length == 4
    if opcode == Opcode.FOOTER:
        return length == 20
    if opcode == Opcode.MESSAGE_INDEX and len(content) >= 6:
        return length == 6 + int.from_bytes(content[2:6], "little")
    if opcode == Opcode.CHUNK and len(content) >= CHUNK_HEAD + 4:
        name = int.from_bytes(content[CHUNK_HEAD : CHUNK_HEAD + 4], "little")
        at = CHUNK_HEAD + 4 + name
        if name > LONGEST_NAME:
            return False
        size = content[at : at + 8]
        return len(size) < 8 or length == at + 8 + int.from_bytes(size, "little")
    return True


def parse(record: RawRecord) -> list[McapRecord]:
    """Return the content of a record: that of a chunk, an attachment or metadata; else nothing."""
    try:
        if record.opcode == Opcode.CHUNK:
            return _chunk(record)
        if record.opcode == Opcode.METADATA:
            return [Metadata.read(_exact(record))]
        if record.opcode == Opcode.ATTACHMENT:
            stored = int.from_bytes(record.content[-4:], "little")
            if stored != zlib.crc32(record.content[:-4]):
                raise DamageError(record.at, "the checksum of the snapshot differs")
            return [Attachment.read(_exact(record))]
        if record.opcode == Opcode.MESSAGE_INDEX and not _is_beginning(
            record.opcode, len(record.content), record.content
        ):
            raise DamageError(record.at, "an index of a chunk has the wrong length")
    except DamageError:
        raise
    except Exception as error:  # the parser may raise anything
        raise DamageError(record.at, f"{_name(record.opcode)} cannot be read: {error}") from None
    return []


def _exact(record: RawRecord) -> ReadDataStream:
    return ReadDataStream(BytesIO(record.content))


def _chunk(record: RawRecord) -> list[McapRecord]:
    content = record.content
    if not _is_beginning(record.opcode, len(content), content) or len(content) < CHUNK_HEAD + 12:
        raise DamageError(record.at, "a chunk of records has the wrong length")
    chunk = Chunk.read(_exact(record))
    if chunk.uncompressed_size > LARGEST:
        raise DamageError(record.at, f"a chunk cannot have {chunk.uncompressed_size} bytes")
    stream, size = get_chunk_data_stream(chunk)
    data = stream.read(size)
    if zlib.crc32(data) != chunk.uncompressed_crc:
        raise DamageError(record.at, "the checksum of a chunk of records differs")
    found: list[McapRecord] = []
    stream = ReadDataStream(BytesIO(data))
    while stream.count < size:
        opcode, length = HEAD.unpack(stream.read(HEAD.size))
        if opcode == Opcode.MESSAGE:
            found.append(Message.read(stream, length))
        elif opcode == Opcode.CHANNEL:
            found.append(Channel.read(stream))
        elif opcode == Opcode.SCHEMA:
            found.append(Schema.read(stream))
        else:
            raise DamageError(record.at, f"a record of the type {opcode} cannot be in a chunk")
    return found
