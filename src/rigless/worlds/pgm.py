"""Grey images from files: a strict PGM reader (P2 and P5, any depth), and PNG through Pillow.

Any input gives an image or an InputError that names the file.
"""

import io
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem

MAX_PIXELS = 100_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
_SPACE = b" \t\n\r\v\f"
_COMMENT = re.compile(rb"#[^\n]*")
# White space and comments, then a number; a comment may also end it.
_NUMBER = re.compile(rb"(?:[ \t\n\r\v\f]|#[^\n]*\n)+([0-9]+)(?=[ \t\n\r\v\f#])")
_AGAIN = "save it again as PGM (P2 or P5) or PNG"

Gray = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True)
class Image:
    """Grey levels from 0 (black) to `maxval` (white), top row first.

    `clear` marks pixels that are not fully opaque.
    """

    gray: Gray
    maxval: int
    clear: NDArray[np.bool_] | None = None


class _ImageError(Exception):
    def __init__(self, what: str, fix: str = _AGAIN):
        super().__init__(what)
        self.fix = fix


def read_gray(source: bytes | str | Path) -> tuple[Gray, int]:
    """Return grey levels (H, W), top row first, and the level of white.

    Colours are averaged: their sum, with white at 3 × 255.
    """
    image = read_image(source)
    return image.gray, image.maxval


def read_image(source: bytes | str | Path) -> Image:
    """Read the image in a file, or in bytes.

    Raises InputError for anything that is not a complete PGM or PNG image.
    """
    data, name = (
        (source, "image") if isinstance(source, bytes) else (_bytes_of(Path(source)), str(source))
    )
    try:
        if data.startswith(_PNG):
            return _read_png(data)
        if data[:2] in (b"P2", b"P5"):
            return _read_pgm(data)
        raise _ImageError("this is neither a PGM nor a PNG image" if data else "the file is empty")
    except _ImageError as error:
        raise InputError(Problem("", str(error), error.fix, name)) from None


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise InputError(Problem("", "there is no such file", "check the path", str(path)))
        return path.read_bytes()
    except OSError as error:
        what = f"the file cannot be read: {error.strerror}"
        raise InputError(
            Problem("", what, "check the path and its permissions", str(path))
        ) from None


def _check_size(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise _ImageError(f"an image of {width} × {height} pixels has nothing in it")
    if width * height > MAX_PIXELS:
        raise _ImageError(
            f"{width} × {height} pixels are more than the limit of {MAX_PIXELS // 10**6} million",
            "use a coarser resolution, or cut the image",
        )


def _read_pgm(data: bytes) -> Image:
    at, numbers = 2, []
    for name in ("width", "height", "maxval"):
        found = _NUMBER.match(data, at)
        if not found:
            raise _ImageError(
                f"the PGM header has no {name}: a whole number and white space are expected"
            )
        if len(found[1]) > 9:
            raise _ImageError(f"the {name} in the PGM header is a number of {len(found[1])} digits")
        numbers.append(int(found[1]))
        at = found.end()
    width, height, maxval = numbers
    _check_size(width, height)
    if not 1 <= maxval <= 65535:
        raise _ImageError(f"maxval is {maxval}; it can be 1 to 65535")
    if data[at : at + 1] == b"#":  # a comment directly after maxval ends the header with its line
        at = data.find(b"\n", at)
        if at < 0:
            raise _ImageError("the PGM header ends inside a comment")
    read = _plain_values if data.startswith(b"P2") else _raw_values
    gray = read(data[at + 1 :], width * height, maxval)
    if gray.max() > maxval:
        raise _ImageError(f"a pixel has the value {gray.max():g}, above the maxval of {maxval}")
    rows = gray.reshape(height, width)
    return Image(rows.astype(np.uint8) if maxval < 256 else rows.astype(np.uint16), maxval)


def _raw_values(body: bytes, count: int, maxval: int) -> NDArray[np.uint16]:
    dtype = np.dtype("u1" if maxval < 256 else ">u2")
    size = count * dtype.itemsize
    if len(body) < size:
        raise _ImageError(f"the image is cut short: it has {len(body)} of {size} bytes of pixels")
    if body[size:].strip(_SPACE):
        raise _ImageError(
            f"there are {len(body) - size} bytes after the pixels: the size in the header is wrong"
        )
    return np.frombuffer(body, dtype, count)


def _plain_values(body: bytes, count: int, maxval: int) -> NDArray[np.float64]:
    text = _COMMENT.sub(b"", body)
    if garbage := re.search(rb"[^0-9 \t\n\r\v\f]+", text):
        raise _ImageError(
            f"{garbage[0][:20]!r} is among the pixels, where only numbers are allowed"
        )
    words = text.split()
    if len(words) != count:
        short = "cut short" if len(words) < count else "too long"
        raise _ImageError(f"the image is {short}: it has {len(words)} of {count} pixels")
    return np.array(words, float)


def _read_png(data: bytes) -> Image:
    if data[12:16] != b"IHDR" or len(data) < 24:
        raise _ImageError(
            "the PNG image is cut short or damaged: it does not begin with its header"
        )
    _check_size(int.from_bytes(data[16:20]), int.from_bytes(data[20:24]))
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        what = f"the image library Pillow cannot be loaded: {error}"
        raise _ImageError(what, "pip install --force-reinstall pillow") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about sizes: we have our own limit
            with Pillow.open(io.BytesIO(data), formats=["PNG"]) as picture:
                picture.load()
                if picture.mode.startswith("I"):  # 16 bit grey
                    return Image(np.asarray(picture).astype(np.uint16), 65535)
                if picture.mode in ("1", "L") and not picture.has_transparency_data:
                    return Image(np.asarray(picture.convert("L")), 255)
                channels = np.asarray(picture.convert("RGBA"))
    except Exception as error:  # a damaged file can raise anything in a decoder
        raise _ImageError(f"the PNG image is cut short or damaged: {error}") from None
    clear = channels[:, :, 3] < 255
    return Image(
        channels[:, :, :3].sum(axis=2, dtype=np.uint16), 3 * 255, clear if clear.any() else None
    )
