"""What nobody should send as a picture, and the code with which each is refused."""

import base64
import gzip
import struct
import zlib
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from PIL import Image

from proofs import making
from proofs.making import (
    RED,
    SIGNATURE,
    animated,
    built,
    canvas,
    chunk,
    deflated,
    four_corners,
    frame_at,
    header,
    jpeg,
    many_scans,
    plain,
    png,
    riff,
    saved,
    segment,
    webp,
    with_chunk,
    with_segment,
    with_size,
    zipped,
)

MEBIBYTE: Final = 1024 * 1024


class Hostile(NamedTuple):
    """A file that is refused."""

    name: str
    code: str
    make: Callable[[], bytes]


def _is(code: str, **files: Callable[[], bytes]) -> list[Hostile]:
    return [Hostile(name, code, make) for name, make in files.items()]


UNSUPPORTED: Final = _is(
    "image_unsupported",
    nothing=lambda: b"",
    one_byte=lambda: b"\xff",
    zeros=lambda: bytes(1000),
    text=lambda: b"A photo of the parcel.",
    json=lambda: b'{"photo": "yes"}',
    base64_of_a_picture=lambda: base64.b64encode(jpeg()),
    svg=lambda: b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    svg_with_prolog=lambda: b'\xef\xbb\xbf<?xml version="1.0"?><svg><script>1</script></svg>',
    html=lambda: b"<!doctype html><html><script>alert(1)</script></html>",
    html_after_blanks=lambda: b"\n\n   <html><body onload=alert(1)></html>",
    php=lambda: b"<?php system($_GET['c']); ?>",
    gif=lambda: saved(four_corners(), "GIF"),
    gif_animated=lambda: animated("GIF"),
    gif_that_is_a_script=lambda: b"GIF89a/*" + bytes(20) + b"*/=1;alert(1)",
    tiff=lambda: saved(four_corners(), "TIFF"),
    tiff_of_the_other_order=lambda: b"MM\0*\0\0\0\x08" + bytes(100),
    bmp=lambda: saved(four_corners(), "BMP"),
    ico=lambda: saved(four_corners(), "ICO"),
    ppm=lambda: saved(four_corners(), "PPM"),
    eps=lambda: saved(four_corners(), "EPS"),
    pdf=lambda: saved(four_corners(), "PDF"),
    psd=lambda: b"8BPS\0\1" + bytes(100),
    jpeg_2000=lambda: b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(100),
    jpeg_xl=lambda: b"\xff\x0a" + bytes(100),
    heic=lambda: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100),
    avif=lambda: saved(four_corners(), "AVIF"),
    mp4=making.film,
    wav=lambda: b"RIFF\x24\0\0\0WAVEfmt " + bytes(28),
    zip=zipped,
    gzip_of_a_picture=lambda: gzip.compress(png()),
    elf=lambda: b"\x7fELF\2\1\1" + bytes(100),
    windows_program=lambda: b"MZ" + bytes(100),
    shell_script=lambda: b"#!/bin/sh\nrm -rf /\n",
    blank_before_a_jpeg=lambda: b" " + jpeg(),
    mark_before_a_png=lambda: b"\xef\xbb\xbf" + png(),
    png_with_line_ends_changed=lambda: png().replace(b"\r\n", b"\n"),
)

TOO_LARGE: Final = _is(
    "image_too_large",
    png_with_two_headers=lambda: built(header(8, 8), bytes(25 * 8), header(60_000, 60_000)),
    a_byte_too_many=lambda: jpeg().ljust(10 * MEBIBYTE + 1, b"\0"),
    a_pixel_too_many=lambda: SIGNATURE + header(50_000_001, 1) + chunk(b"IEND"),
    png_bomb=lambda: plain(20_000, 20_000),
    png_of_the_largest_size=lambda: SIGNATURE + header(2**31 - 1, 2**31 - 1) + chunk(b"IEND"),
    png_of_an_impossible_size=lambda: SIGNATURE + header(2**32 - 1, 2**32 - 1) + chunk(b"IEND"),
    jpeg_bomb=lambda: with_size(65_500, 65_500),
    jpeg_between_our_limit_and_pillows=lambda: with_size(8_000, 8_000),
    webp_lossless_bomb=lambda: riff((b"VP8L", b"\x2f" + struct.pack("<I", 2**28 - 1) + bytes(9))),
)


def _half(picture: bytes) -> bytes:
    return picture[: len(picture) // 2]


def _changed_checksum() -> bytes:
    at = png().index(b"IDAT") + 10
    return png()[:at] + bytes([png()[at] ^ 1]) + png()[at + 1 :]


def _without(name: bytes) -> bytes:
    at = png().index(name) - 4
    (length,) = struct.unpack_from(">I", png(), at)
    return png()[:at] + png()[at + 12 + length :]


def _changed_frame(marker: int = 0xC0, bits: int = 8) -> bytes:
    at = frame_at(jpeg())
    return (
        jpeg()[:at]
        + bytes([0xFF, marker])
        + jpeg()[at + 2 : at + 4]
        + bytes([bits])
        + (jpeg()[at + 5 :])
    )


def _second_frame() -> bytes:
    at = frame_at(jpeg())
    (length,) = struct.unpack_from(">H", jpeg(), at + 2)
    return jpeg()[:at] + jpeg()[at : at + 2 + length] * 2 + jpeg()[at + 2 + length :]


def _without_tables() -> bytes:
    """Leave out the tables of weights, for which decoders have no others."""
    at, frame = jpeg().index(b"\xff\xdb"), frame_at(jpeg())
    return jpeg()[:at] + jpeg()[frame:]


UNREADABLE: Final = _is(
    "image_unreadable",
    webp_bomb=lambda: riff(canvas(16_383, 16_383), (b"VP8 ", bytes(100))),
    webp_with_a_canvas_beyond_all=lambda: riff(canvas(2**24, 2**24), (b"VP8 ", bytes(100))),
    jpeg_of_three_bytes=lambda: jpeg()[:3],
    jpeg_header_only=lambda: jpeg()[: jpeg().index(b"\xff\xda")],
    jpeg_half=lambda: _half(jpeg()),
    jpeg_without_its_end=lambda: jpeg()[:-2],
    jpeg_without_its_last_byte=lambda: jpeg()[:-1],
    jpeg_without_tables=_without_tables,
    jpeg_with_two_frames=_second_frame,
    jpeg_within_a_jpeg=lambda: jpeg()[:2] + jpeg(),
    jpeg_lossless=lambda: _changed_frame(marker=0xC3),
    jpeg_hierarchical=lambda: _changed_frame(marker=0xC5),
    jpeg_of_twelve_bits=lambda: _changed_frame(bits=12),
    jpeg_of_no_height=lambda: with_size(64, 0),
    jpeg_of_no_width=lambda: with_size(0, 48),
    jpeg_with_a_segment_beyond_its_end=lambda: jpeg()[:2] + b"\xff\xe1\xff\xff" + jpeg()[2:],
    jpeg_of_nothing_but_markers=lambda: jpeg()[:2] + b"\xff" * 1_100_000,
    png_of_eight_bytes=lambda: SIGNATURE,
    png_half=lambda: _half(png()),
    png_without_its_end=lambda: png()[:-12],
    png_without_its_last_byte=lambda: png()[:-1],
    png_without_a_header=lambda: _without(b"IHDR"),
    png_without_pixels=lambda: _without(b"IDAT"),
    png_with_a_wrong_checksum=_changed_checksum,
    png_whose_pixels_are_not_packed=lambda: (
        SIGNATURE + header(8, 8) + chunk(b"IDAT", b"x" * 50) + chunk(b"IEND")
    ),
    png_of_no_width=lambda: built(header(0, 8), bytes(8)),
    png_of_three_bits=lambda: built(header(8, 8, depth=3), bytes(25 * 8)),
    png_of_unknown_colours=lambda: built(header(8, 8, colours=5), bytes(25 * 8)),
    png_with_a_chunk_beyond_its_end=lambda: png()[:33] + b"\x7f\xff\xff\xfftEXt" + png()[33:],
    png_animated=lambda: animated("PNG"),
    png_with_a_packed_text_bomb=lambda: with_chunk(b"zTXt", b"k\0\0" + deflated(8 * MEBIBYTE)),
    png_with_an_international_bomb=lambda: with_chunk(
        b"iTXt", b"k\0\1\0en\0k\0" + deflated(8 * MEBIBYTE)
    ),
    png_with_a_profile_bomb=lambda: with_chunk(b"iCCP", b"k\0\0" + deflated(8 * MEBIBYTE)),
    webp_of_twelve_bytes=lambda: webp()[:12],
    webp_half=lambda: _half(webp()),
    webp_without_its_last_byte=lambda: webp()[:-1],
    webp_half_that_says_it_is_whole=lambda: riff((b"VP8 ", _half(webp()[20:]))),
    webp_of_noise=lambda: riff((b"VP8 ", bytes(range(256)))),
    webp_of_no_pixels=lambda: riff(canvas(64, 48)),
    webp_of_an_unknown_chunk=lambda: riff((b"WHAT", bytes(64))),
    webp_whose_canvas_is_another=lambda: riff(canvas(1_000, 1_000), (b"VP8 ", webp()[20:])),
    webp_of_many_chunks=lambda: riff(*[(b"tiny", b"")] * 100_000),
    webp_animated=lambda: animated("WEBP"),
    webp_that_says_it_is_animated=lambda: riff(canvas(64, 48, 2), (b"VP8 ", webp()[20:])),
)

SCRIPT: Final = b"<script>alert(document.cookie)</script>"
POLYGLOTS: Final = _is(
    "image_unreadable",
    jpeg_and_page_behind=lambda: jpeg() + b"<html><body>" + SCRIPT,
    jpeg_and_page_in_capitals=lambda: jpeg() + b"<HTML>\n<HEAD>",
    jpeg_and_document_type=lambda: jpeg() + b"\n<!DoCtYpE hTmL>",
    jpeg_with_a_script_as_comment=lambda: with_segment(0xFE, SCRIPT),
    jpeg_with_a_script_in_exif=lambda: with_segment(0xE1, making.exif(make="<SCRIPT src=//x>")),
    jpeg_with_php_as_comment=lambda: with_segment(0xFE, b"<?PHP system('id'); ?>"),
    jpeg_and_svg=lambda: jpeg() + b"<svg/onload=alert(1)>",
    jpeg_and_pdf=lambda: jpeg() + b"%PDF-1.7\n%\xe2\xe3\n1 0 obj",
    jpeg_with_a_pdf_inside=lambda: with_segment(0xFE, saved(four_corners(), "PDF")),
    jpeg_that_is_a_script=lambda: (
        b"\xff\xd8\xff\xe0/*JFIF\0\1" + bytes(0x2F2A - 10) + b"*/=alert(1);/*" + jpeg()[20:]
    ),
    jpeg_and_zip=lambda: jpeg() + zipped(),
    jpeg_and_zip_with_a_tail=lambda: jpeg() + zipped()[:-2] + b"\x09\0" + b"a comment",
    jpeg_and_rar=lambda: jpeg() + b"Rar!\x1a\x07\x01\0" + bytes(50),
    jpeg_and_7z=lambda: jpeg() + b"some words 7z\xbc\xaf\x27\x1c" + bytes(50),
    jpeg_and_linux_program=lambda: jpeg() + b"\x7fELF\2\1\1" + bytes(50),
    jpeg_and_windows_program_after_a_gap=lambda: jpeg() + bytes(512) + b"MZ\x90\0" + bytes(50),
    jpeg_and_apple_program=lambda: jpeg() + b"\xcf\xfa\xed\xfe" + bytes(50),
    jpeg_and_java_class=lambda: jpeg() + b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(50),
    png_and_shell_script=lambda: png() + b"\n#!/bin/sh\nrm -rf /\n",
    png_and_web_program=lambda: png() + b"\0asm\1\0\0\0",
    png_and_zip=lambda: png() + zipped(),
    png_with_php_as_text=lambda: with_chunk(b"tEXt", b"Comment\0<?php eval($_POST[1]);"),
    png_with_a_script_as_pixels=lambda: (
        SIGNATURE
        + header(len(SCRIPT), 1, colours=0)
        + chunk(b"IDAT", zlib.compress(b"\0" + SCRIPT, 0))
        + chunk(b"IEND")
    ),
    webp_and_page=lambda: webp() + b"<html >" + SCRIPT,
    webp_with_a_page_as_xmp=lambda: riff(
        canvas(64, 48, 4), (b"VP8 ", webp()[20:]), (b"XMP ", b"<iframe src=javascript:alert(1)>")
    ),
    webp_and_old_office=lambda: webp() + b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50),
)

HOSTILE: Final = [*UNSUPPORTED, *TOO_LARGE, *UNREADABLE, *POLYGLOTS]


def _filled(mode: str, colour: Any, kind: str = "PNG") -> bytes:
    return saved(Image.new(mode, (300, 120), colour), kind)


def _with_a_dot(ground: Any, dot: Any) -> bytes:
    image = Image.new("RGB", (300, 120), ground)
    image.paste(dot, (10, 10, 15, 15))
    return saved(image, "PNG")


# Twenty-five pixels of 36 000 are less than one in a thousand.
BLANK: Final = _is(
    "signature_blank",
    white=lambda: _filled("RGB", (255, 255, 255)),
    black=lambda: _filled("RGB", (0, 0, 0)),
    red=lambda: _filled("RGB", RED),
    grey=lambda: _filled("L", 128),
    one_bit=lambda: _filled("1", 1),
    transparent=lambda: _filled("RGBA", (0, 0, 0, 0)),
    transparent_with_white_hidden=lambda: _filled("RGBA", (255, 255, 255, 0)),
    half_transparent=lambda: _filled("RGBA", (0, 0, 0, 128)),
    transparent_grey=lambda: _filled("LA", (0, 0)),
    transparent_palette=lambda: saved(Image.new("P", (300, 120), 0), "PNG", transparency=0),
    jpeg_of_white=lambda: _filled("RGB", (250, 252, 251), "JPEG"),
    webp_of_white=lambda: _filled("RGB", (255, 255, 255), "WEBP"),
    one_pixel=lambda: saved(Image.new("RGB", (1, 1)), "PNG"),
    a_dot_on_white=lambda: _with_a_dot((255, 255, 255), (0, 0, 0)),
    a_dot_on_black=lambda: _with_a_dot((0, 0, 0), (255, 255, 255)),
    noise_of_a_scanner=lambda: saved(
        Image.effect_noise((300, 120), 4).point(lambda level: level + 100), "PNG"
    ),
)

SIGNATURE_TOO_LARGE: Final = _is(
    "image_too_large",
    a_byte_too_many=lambda: making.stroke().ljust(MEBIBYTE + 1, b"\0"),
    too_wide=lambda: plain(4_001, 100),
    too_high=lambda: plain(100, 4_001),
)

# Odd, but a decoder makes sense of it, and what we encode has nothing of it any more.
HARMLESS: Final[dict[str, Callable[[], bytes]]] = {
    "jpeg_that_ends_at_once": lambda: b"\xff\xd8\xff\xd9" + jpeg(),
    "jpeg_with_a_segment_of_no_length": lambda: jpeg()[:2] + b"\xff\xe1\0\0" + jpeg()[2:],
    "jpeg_with_a_thousand_scans": lambda: many_scans(2_000, 2_000, 1_000),
    "jpeg_of_many_segments": lambda: jpeg()[:2] + segment(0xFE, b"") * 100_000 + jpeg()[2:],
    "png_with_an_unknown_necessary_chunk": lambda: with_chunk(b"CgBI", bytes(4)),
    "png_of_many_chunks": lambda: png()[:33] + chunk(b"tIME") * 20_000 + png()[33:],
    "png_with_many_texts_that_are_one_bomb": lambda: (
        png()[:33] + chunk(b"zTXt", b"k\0\0" + deflated(MEBIBYTE)) * 60 + png()[33:]
    ),
}
