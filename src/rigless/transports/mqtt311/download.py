"""Download of a file that a message names, off the event loop, with limits on time and size."""

import asyncio
import hashlib
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

SILENT_S = 5.0  # without any data
TOTAL_S = 60.0
LARGEST = 256 * 1024 * 1024  # bytes
LARGEST_TEXT = 1024 * 1024  # bytes, of a file whose content the robot reads
CHUNK = 65536
SCHEMES = ("http", "https")


@dataclass(frozen=True)
class File:
    """A downloaded file, or the reason `why` there is none. `text` is its content on request."""

    size: int = 0
    sha256: str = ""
    text: str = ""
    why: str = ""


async def download(url: str, with_text: bool) -> File:
    """Download a file. Its content is hashed, and discarded unless it is asked for."""
    if urlsplit(url).scheme not in SCHEMES:
        return File(why=f"{url[:200]!r} is not an http:// or https:// link")
    return await asyncio.to_thread(_read, url, with_text)


def _read(url: str, with_text: bool) -> File:
    found, size, text = hashlib.sha256(), 0, bytearray()
    most, end_s = LARGEST_TEXT if with_text else LARGEST, time.monotonic() + TOTAL_S
    try:
        with urllib.request.urlopen(url, timeout=SILENT_S) as answer:
            while chunk := answer.read1(CHUNK):
                size += len(chunk)
                if size > most:
                    return File(why=f"{url[:200]} has more than {most} bytes")
                if time.monotonic() > end_s:
                    return File(why=f"{url[:200]} took more than {TOTAL_S:g} s")
                found.update(chunk)
                if with_text:
                    text += chunk
        return File(size, found.hexdigest(), text.decode())
    except UnicodeDecodeError:
        return File(why=f"{url[:200]} is not UTF-8 text")
    except urllib.error.HTTPError as error:
        return File(why=f"{url[:200]}: {error.code} {error.reason}")
    except (OSError, ValueError) as error:
        return File(why=f"{url[:200]}: {getattr(error, 'reason', None) or error}")
