import io
import struct
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from PIL import Image as Pillow

from rigless.kernel.problems import InputError
from rigless.worlds.pgm import read_gray, read_image

BYTES = arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=9))


def written(array, mode=None, format="PNG"):
    out = io.BytesIO()
    picture = Pillow.fromarray(array)
    (picture.convert(mode) if mode else picture).save(out, format)
    return out.getvalue()


def complaint(source):
    with pytest.raises(InputError) as caught:
        read_gray(source)
    (problem,) = caught.value.problems
    assert problem.file
    assert problem.fix
    return problem.what


@settings(deadline=None, derandomize=True)
@given(BYTES, st.sampled_from(["PNG", "PPM"]))
def test_images_written_by_pillow_are_read(pixels, format):
    gray, maxval = read_gray(written(pixels, format=format))
    assert (gray.dtype, maxval) == (np.uint8, 255)
    assert np.array_equal(gray, pixels)


@settings(deadline=None, derandomize=True)
@given(
    arrays(np.uint16, array_shapes(min_dims=2, max_dims=2, max_side=9)),
    st.sampled_from(["PNG", "PPM"]),
)
def test_sixteen_bits_are_read_whole(pixels, format):
    gray, maxval = read_gray(written(pixels, format=format))
    assert (gray.dtype, maxval) == (np.uint16, 65535)
    assert np.array_equal(gray, pixels)


@settings(deadline=None, derandomize=True)
@given(st.data(), st.integers(1, 65535), st.integers(1, 7), st.integers(1, 7), st.booleans())
def test_any_maxval_in_both_kinds(data, maxval, width, height, plain):
    values = data.draw(
        st.lists(st.integers(0, maxval), min_size=width * height, max_size=width * height)
    )
    head = f"{'P2' if plain else 'P5'}\n{width} {height}\n{maxval}\n".encode()
    depth = ">u1" if maxval < 256 else ">u2"
    body = " ".join(map(str, values)).encode() if plain else np.array(values, depth).tobytes()
    gray, white = read_gray(head + body)
    assert white == maxval
    assert gray.tolist() == np.reshape(values, (height, width)).tolist()


@pytest.mark.parametrize(
    "text",
    [
        b"P5 2 1 9 \x07\x08",
        b"P5\n#c\n2 1\n9\n\x07\x08",
        b"P5#c\n2#c\n#c\n#\n1\t9\r\x07\x08",
        b"P5\n2 # width 5 \n # 3\n1 9#c\n\x07\x08",
        b"P5\n2 1 9\n\x07\x08\n",
        b"P2 2 1 9 7 8",
        b"P2\n# by hand\n2 1\n9\n7 # seven\n08\n# end",
    ],
)
def test_comments_and_white_space_may_be_anywhere(text):
    gray, maxval = read_gray(text)
    assert (gray.tolist(), maxval) == ([[7, 8]], 9)


def test_pixels_that_look_like_a_comment_or_space_are_pixels():
    assert read_gray(b"P5 3 1 255\n# \n")[0].tolist() == [[35, 32, 10]]


@settings(deadline=None, derandomize=True)
@given(arrays(np.uint8, st.tuples(st.integers(1, 6), st.integers(1, 6), st.just(3))))
def test_colours_are_averaged(pixels):
    gray, maxval = read_gray(written(pixels))
    assert np.array_equal(gray * 1.0 / maxval, pixels.sum(axis=2) / 765)


def test_alpha_is_kept_apart_from_colour():
    pixels = np.array([[[30, 255], [60, 254], [90, 0]]], np.uint8)
    image = read_image(written(pixels))
    assert (image.gray / image.maxval * 255).tolist() == [[30, 60, 90]]
    assert image.clear.tolist() == [[False, True, True]]
    opaque = np.array([[[1, 2, 3, 255]]], np.uint8)
    assert read_image(written(opaque)).clear is None


def test_a_transparent_grey_level_is_unknown():
    out = io.BytesIO()
    Pillow.fromarray(np.array([[7, 8]], np.uint8)).save(out, "PNG", transparency=7)
    assert read_image(out.getvalue()).clear.tolist() == [[True, False]]


def test_an_image_library_that_does_not_load_is_not_blamed_on_the_file(monkeypatch):
    image = written(np.zeros((2, 2), np.uint8))
    monkeypatch.setitem(sys.modules, "PIL", None)
    what = r"Pillow cannot be loaded: .* \(pip install --force-reinstall pillow\)"
    with pytest.raises(InputError, match=what):
        read_image(image)


@pytest.mark.parametrize("mode", ["1", "P"])
def test_other_kinds_of_png(mode):
    pixels = np.array([[0, 255], [255, 0]], np.uint8)
    gray, maxval = read_gray(written(pixels, mode))
    assert (gray == maxval).tolist() == [[False, True], [True, False]]


def test_files_are_read_by_path_and_named_in_errors(tmp_path):
    good, bad = tmp_path / "good.pgm", tmp_path / "bad.pgm"
    good.write_bytes(b"P5 1 1 255\n\x01")
    bad.write_bytes(b"P5 1 1 255\n")
    assert read_gray(good)[0].tolist() == read_gray(str(good))[0].tolist() == [[1]]
    with pytest.raises(InputError, match=r"bad\.pgm: the image is cut short: it has 0 of 1 bytes"):
        read_gray(bad)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"", "the file is empty"),
        (b"hello", "neither a PGM nor a PNG"),
        (b"P6 1 1 255\n\x01\x01\x01", "neither a PGM nor a PNG"),
        (b"P5", "no width"),
        (b"P5 x 1 255\n\x01", "no width"),
        (b"P52 1 255\n\x01\x01", "no width"),
        (b"P5 -1 1 255\n\x01", "no width"),
        (b"P5 1 1", "no height"),
        (b"P5 1 1 255", "no maxval"),
        (b"P5 1 1 255#", "inside a comment"),
        (b"P5 1 #", "no height"),
        (b"P5 1 1 0\n\x01", "maxval is 0"),
        (b"P5 1 1 65536\n\x01\x01", "maxval is 65536"),
        (b"P5 0 1 255\n", "0 × 1 pixels has nothing"),
        (b"P5 10001 10000 255\n", "more than the limit of 100 million"),
        (b"P2 99999999 99999999 255\n", "more than the limit of 100 million"),
        (b"P5 " + b"9" * 5000 + b" 1 255\n", "a number of 5000 digits"),
        (b"P5 2 1 255\n\x01", "cut short: it has 1 of 2 bytes"),
        (b"P5 2 1 256\n\x01\x01\x01", "cut short: it has 3 of 4 bytes"),
        (b"P5 1 1 255\n\x01\x02", "1 bytes after the pixels"),
        (b"P5 1 1 9\n\x0a", "value 10, above the maxval of 9"),
        (b"P2 1 1 9\n10", "value 10, above the maxval of 9"),
        (b"P2 2 1 255\n1", "cut short: it has 1 of 2 pixels"),
        (b"P2 1 1 255\n1 2", "too long: it has 2 of 1 pixels"),
        (b"P2 1 1 255\n-1", "b'-' is among the pixels"),
        (b"P2 1 1 255\n\x00", r"b'\x00' is among the pixels"),
    ],
)
def test_invalid_images_are_rejected(text, what):
    assert what in complaint(text)


def test_a_number_of_thousands_of_digits_is_too_bright():
    assert "above the maxval" in complaint(b"P2 1 1 255\n" + b"9" * 5000)
    assert read_gray(b"P2 1 1 255\n" + b"0" * 5000 + b"7")[0].tolist() == [[7]]


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width, height, *chunks):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + chunk(b"IEND", b"")


def test_a_png_is_refused_by_its_announced_size_before_it_is_unpacked():
    assert "100000 × 100000 pixels" in complaint(png(100_000, 100_000, chunk(b"IDAT", b"")))


def test_a_png_decompression_bomb_is_rejected():
    swelling = chunk(b"zTXt", b"x\0\0" + zlib.compress(bytes(10**7)))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\7"))
    assert read_gray(png(1, 1, pixels))[0].tolist() == [[7]]
    assert "damaged" in complaint(png(1, 1, swelling, pixels))


@pytest.mark.parametrize("name", ["none.pgm", "nul\0.pgm", "", "x" * 5000])
def test_missing_files_are_reported(tmp_path, name):
    assert "file" in complaint(tmp_path / name)


@settings(deadline=None, derandomize=True)
@given(
    st.binary(max_size=60),
    st.sampled_from([b"", b"P2", b"P5", b"P5 1 1 9\n", b"P2 2 2 255 ", b"\x89PNG\r\n\x1a\n"]),
)
def test_garbage_is_an_image_or_an_input_error(garbage, start):
    try:
        gray, maxval = read_gray(start + garbage)
    except InputError:
        return
    assert gray.max() <= maxval


@settings(deadline=None, derandomize=True)
@given(st.data())
def test_a_damaged_or_cut_png_is_an_image_or_an_input_error(data):
    whole = written(np.arange(64, dtype=np.uint8).reshape(8, 8) * 3)
    at = data.draw(st.integers(0, len(whole) - 1))
    complaint(whole[:at]) if at < len(whole) - 20 else None
    damaged = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]
    try:
        gray, maxval = read_gray(damaged)
    except InputError:
        return
    assert gray.max() <= maxval
