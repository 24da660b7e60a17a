"""Pictures: the good ones of every kind come out upright, small and silent; the rest is refused."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ExifTags, Image, ImageCms, ImageDraw, TiffImagePlugin

from pannier.errors import Problem, Unavailable
from pannier.proofs import images
from pannier.proofs.image_queue import ImageQueue
from pannier.proofs.sandboxed import exif, pictures
from pannier.proofs.sandboxed.pictures import EncodedImage, ImageRefused
from proofs import making
from proofs.hostile import BLANK, HARMLESS, HOSTILE, SIGNATURE_TOO_LARGE, Hostile
from proofs.making import CORNERS, GREYS, RED, four_corners, jpeg, png, saved, webp

# The program in the box says nothing of them either.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning:PIL")]

PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
REFUSALS = {"image_too_large", "image_unsupported", "image_unreadable", "signature_blank"}
CAMERA = {
    "taken_at": "2026:05:07 09:15:00",
    "make": "Acme Optics",
    "model": "Phone 12",
    "gps": [103.850612, 1.291833],
}


def opened(data: bytes) -> Image.Image:
    image = Image.open(BytesIO(data))
    image.load()
    return image


def corners(image: Image.Image) -> list[tuple[int, ...]]:
    """Look at the colours a little inside the corners, in the order of reading."""
    width, height = image.size
    across, down = (width // 8, width - 1 - width // 8), (height // 8, height - 1 - height // 8)
    pixels = image.convert("RGB")
    found = [pixels.getpixel((x, y)) for y in down for x in across]
    return [colour for colour in found if isinstance(colour, tuple)]


def alike(found: list[tuple[int, ...]], expected: Any) -> bool:
    """Compare colours as far as a JPEG keeps them."""
    return len(found) == len(expected) and all(
        abs(one - other) <= 14
        for colour, wanted in zip(found, expected, strict=True)
        for one, other in zip(colour, wanted, strict=True)
    )


def grey(levels: Any) -> list[tuple[int, int, int]]:
    return [(level, level, level) for level in levels]


def sixteen_bits_of_colour() -> bytes:
    rows = b""
    for row in range(48):
        left, right = CORNERS[:2] if row < 24 else CORNERS[2:]
        rows += b"\0" + b"".join(bytes([level, 77]) for level in left) * 32
        rows += b"".join(bytes([level, 77]) for level in right) * 32
    return making.built(making.header(64, 48, depth=16), rows)


def sixteen_bits_of_grey() -> bytes:
    levels = four_corners(mode="L").tobytes()
    rows = b"".join(
        b"\0" + b"".join(bytes([level, 77]) for level in levels[at : at + 64])
        for at in range(0, len(levels), 64)
    )
    return making.built(making.header(64, 48, depth=16, colours=0), rows)


def interlaced() -> bytes:
    drawn, rows = four_corners(), b""
    steps = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2))
    for x, y, across, down in (*steps, (0, 1, 1, 2)):
        for row in range(y, 48, down):
            rows += b"\0" + b"".join(
                bytes(drawn.getpixel((at, row))) for at in range(x, 64, across)
            )
    return making.built(making.header(64, 48, interlaced=1), rows)


def see_through(mode: str) -> Image.Image:
    """Make the lower right corner transparent; its hidden colour must never be seen."""
    drawn = four_corners(mode="RGBA")
    drawn.paste((255, 0, 255, 0), (32, 24, 64, 48))
    return drawn.convert(mode)


def on_palette(*, transparent: bool) -> bytes:
    drawn = four_corners().quantize(8)
    options = {"transparency": drawn.getpixel((60, 40))} if transparent else {}
    return saved(drawn, "PNG", **options)


COLOURS: dict[str, Callable[[], bytes]] = {
    "jpeg": jpeg,
    "jpeg_progressive": lambda: jpeg(progressive=True),
    "jpeg_full_colour": lambda: jpeg(subsampling=0),
    "jpeg_stored_as_rgb": lambda: jpeg(keep_rgb=True),
    "jpeg_with_restarts": lambda: jpeg(restart_marker_rows=1),
    "jpeg_cmyk": lambda: saved(four_corners(mode="CMYK"), "JPEG", quality=95),
    "png": png,
    "png_interlaced": interlaced,
    "png_palette": lambda: on_palette(transparent=False),
    "png_16_bits": sixteen_bits_of_colour,
    "png_with_full_alpha": lambda: saved(four_corners(mode="RGBA"), "PNG"),
    "webp": webp,
    "webp_lossless": lambda: saved(four_corners(), "WEBP", lossless=True),
    "webp_with_a_profile": lambda: saved(four_corners(), "WEBP", quality=95, icc_profile=PROFILE),
}


@pytest.mark.parametrize("kind", COLOURS)
def test_a_photo_of_every_kind_keeps_its_colours(kind: str) -> None:
    sent = COLOURS[kind]()
    picture = pictures.convert_photo(sent)
    stored = opened(picture.data)
    assert stored.format == "JPEG"
    assert picture.content_type == "image/jpeg"
    assert stored.size == (picture.width, picture.height) == (64, 48)
    assert alike(corners(stored), CORNERS), corners(stored)
    assert picture.original_type == f"image/{kind.partition('_')[0]}"


@pytest.mark.parametrize(
    "make",
    [
        lambda: saved(four_corners(mode="L"), "JPEG", quality=95),
        lambda: saved(four_corners(mode="L"), "PNG"),
        lambda: saved(four_corners(mode="L").convert("LA"), "PNG"),
        sixteen_bits_of_grey,
    ],
    ids=["jpeg", "png", "png_with_alpha", "png_16_bits"],
)
def test_a_grey_photo_keeps_its_levels(make: Callable[[], bytes]) -> None:
    stored = opened((pictures.convert_photo(make())).data)
    assert alike(corners(stored), grey(GREYS)), corners(stored)


def test_a_photo_of_black_and_white_stays_so() -> None:
    drawn = four_corners(mode="L").convert("1", dither=Image.Dither.NONE)
    stored = opened((pictures.convert_photo(saved(drawn, "PNG"))).data)
    assert alike(corners(stored), grey((0, 0, 255, 255)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: saved(see_through("RGBA"), "PNG"),
        lambda: saved(see_through("RGBA"), "WEBP", lossless=True),
        lambda: on_palette(transparent=True),
        lambda: saved(four_corners(), "PNG", transparency=CORNERS[3]),
    ],
    ids=["png", "webp", "palette", "one_colour"],
)
def test_what_is_transparent_becomes_white(make: Callable[[], bytes]) -> None:
    stored = opened((pictures.convert_photo(make())).data)
    assert alike(corners(stored), [*CORNERS[:3], (255, 255, 255)]), corners(stored)


TURNS = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,  # the camera writes the inverse of what a viewer does
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", TURNS)
def test_a_photo_is_turned_upright(kind: str, orientation: int) -> None:
    turn = TURNS[orientation]
    held = four_corners() if turn is None else four_corners().transpose(turn)
    sent = saved(held, kind, quality=95, exif=making.exif(orientation=orientation))
    picture = pictures.convert_photo(sent)
    stored = opened(picture.data)
    assert (picture.width, picture.height) == stored.size == (64, 48)
    assert alike(corners(stored), CORNERS), corners(stored)
    assert alike(corners(opened(picture.thumbnail)), CORNERS)
    assert picture.exif == {"orientation": orientation}


def test_a_signature_is_turned_upright_too() -> None:
    drawn = Image.new("RGB", (100, 300), "white")
    ImageDraw.Draw(drawn).rectangle((10, 10, 30, 290), fill="black")
    picture = pictures.convert_signature(saved(drawn, "PNG", exif=making.exif(orientation=6)))
    assert (picture.width, picture.height) == (300, 100)
    assert opened(picture.data).convert("L").getpixel((150, 20)) == 0


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_what_the_camera_said_is_read_and_then_gone(kind: str, order: str) -> None:
    told = making.exif(order, orientation=3, **CAMERA)
    sent = saved(four_corners(), kind, exif=told, icc_profile=PROFILE)
    assert b"Acme Optics" in sent
    picture = pictures.convert_photo(sent)
    assert picture.exif == {**CAMERA, "orientation": 3}
    for stored in (picture.data, picture.thumbnail):
        assert not opened(stored).getexif()
        assert "icc_profile" not in opened(stored).info
        for word in (b"Exif", b"EXIF", b"eXIf", b"Acme", b"2026:", b"ICC_PROFILE", b"ICCP"):
            assert word not in stored


def test_comments_and_texts_are_gone() -> None:
    spoken = making.with_segment(0xFE, b"a secret word")
    spoken = making.with_segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:a secret word>", spoken)
    written = making.with_chunk(b"tEXt", b"Comment\0a secret word")
    for sent in (spoken, written):
        picture = pictures.convert_photo(sent)
        assert b"secret" not in picture.data + picture.thumbnail
        assert not opened(picture.data).info.keys() & {"comment", "xmp", "Comment"}


@pytest.mark.parametrize(
    ("gps", "expected"),
    [
        ([-70.5, -33.25], [-70.5, -33.25]),
        ([0.0, 51.5], [0.0, 51.5]),
        ([200.0, 10.0], None),
        ([10.0, 95.0], None),
    ],
)
def test_a_place_is_told_when_it_is_on_earth(
    gps: list[float], expected: list[float] | None
) -> None:
    picture = pictures.convert_photo(saved(four_corners(), "JPEG", exif=making.exif(gps=gps)))
    assert picture.exif.get("gps") == expected


@pytest.mark.parametrize("kind", [5, 10, 11, 12])  # fractions and floats, which no camera writes
def test_an_orientation_that_is_no_whole_number_is_not_taken(kind: int) -> None:
    told = TiffImagePlugin.ImageFileDirectory_v2()
    told.tagtype[ExifTags.Base.Orientation] = kind
    told[ExifTags.Base.Orientation] = 6
    block = b"Exif\0\0II*\0\x08\0\0\0" + told.tobytes(8)
    assert exif.read_facts(block) == {}


def test_what_the_camera_said_is_bounded_and_printable() -> None:
    told = making.exif(make="A\tc\x1bme \u202e" + "x" * 500, model=" ", taken_at="yesterday")
    picture = pictures.convert_photo(saved(four_corners(), "JPEG", exif=told))
    assert picture.exif == {"make": ("Acme " + "x" * 500)[:64]}


def broken(blob: bytes, at: int, count: int = 0xFFFFFFFF) -> bytes:
    return blob[:at] + count.to_bytes(4, "little") + blob[at + 4 :]


TOLD = making.exif(orientation=1, **CAMERA)
GARBAGE = {
    "empty": b"Exif\0\0",
    "zeros": b"Exif\0\0" + bytes(100),
    "noise": b"Exif\0\0II*\0" + bytes(range(256)),
    "cut": TOLD[:40],
    "directory_far_away": broken(TOLD, 10),
    "directory_within_itself": broken(TOLD, 10, 1),
    "value_far_away": broken(TOLD, 24),
    "endless_directory": b"Exif\0\0II*\0\x08\0\0\0\xff\xff" + bytes(60_000),
    "division_by_zero": TOLD.replace(b"\1\0\0\0", b"\0\0\0\0"),
}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_from_the_camera_spoils_no_picture(kind: str, garbage: str) -> None:
    picture = pictures.convert_photo(saved(four_corners(), kind, quality=95, exif=GARBAGE[garbage]))
    assert alike(corners(opened(picture.data)), CORNERS)


@given(st.one_of(st.binary(max_size=300), st.binary(max_size=300).map(lambda b: b"II*\0" + b)))
def test_no_bytes_upset_the_reader_of_facts(blob: bytes) -> None:
    assert exif.read_facts(blob).keys() <= {"taken_at", "make", "model", "gps", "orientation"}


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, len(TOLD) - 1), st.integers(0, 255)), max_size=6))
def test_no_change_of_a_byte_upsets_the_reader_of_facts(changes: list[tuple[int, int]]) -> None:
    blob = bytearray(TOLD)
    for at, value in changes:
        blob[at] = value
    facts = exif.read_facts(bytes(blob))
    assert all(len(str(fact)) <= 64 for fact in facts.values())


@pytest.mark.parametrize(
    ("size", "stored", "small"),
    [
        ((3000, 1500), (2048, 1024), (320, 160)),
        ((1500, 3000), (1024, 2048), (160, 320)),
        ((4032, 3024), (2016, 1512), (320, 240)),  # what a phone takes is halved by the decoder
        ((2048, 100), (2048, 100), (320, 16)),
        ((200, 100), (200, 100), (200, 100)),  # nothing is made larger
        ((1, 1), (1, 1), (1, 1)),
        ((6000, 1), (2048, 1), (320, 1)),
    ],
)
@pytest.mark.parametrize("mode", ["RGB", "CMYK"])
def test_photos_and_thumbnails_fit(
    mode: str, size: tuple[int, int], stored: tuple[int, int], small: tuple[int, int]
) -> None:
    picture = pictures.convert_photo(saved(four_corners(*size, mode=mode), "JPEG"))
    assert (picture.width, picture.height) == opened(picture.data).size == stored
    assert opened(picture.thumbnail).size == small
    assert opened(picture.thumbnail).format == "WEBP"
    if min(size) > 1:
        assert alike(corners(opened(picture.data)), CORNERS)
        assert alike(corners(opened(picture.thumbnail)), CORNERS)


@pytest.mark.parametrize(
    "make",
    [
        lambda: saved(four_corners(2500, 1000), "PNG", compress_level=1),
        lambda: saved(four_corners(2500, 1000).quantize(8), "PNG"),
        lambda: saved(four_corners(2500, 1000), "WEBP", method=0),
        lambda: saved(four_corners(2500, 1000, mode="L"), "JPEG"),
    ],
    ids=["png", "png_palette", "webp", "jpeg_grey"],
)
def test_photos_of_other_kinds_fit_too(make: Callable[[], bytes]) -> None:
    picture = pictures.convert_photo(make())
    assert (picture.width, picture.height) == opened(picture.data).size == (2048, 819)
    expected = grey(GREYS) if opened(picture.data).mode == "L" else CORNERS
    assert alike(corners(opened(picture.data)), expected)
    assert opened(picture.thumbnail).size == (320, 128)


@pytest.mark.parametrize("make", [jpeg, png, webp])
def test_the_same_picture_always_becomes_the_same_bytes(make: Callable[[], bytes]) -> None:
    first, *others = [pictures.convert_photo(make()) for _ in range(3)]
    assert all(other == first for other in others)


def test_what_was_stored_can_be_sent_again() -> None:
    first = pictures.convert_photo(jpeg())
    assert alike(corners(opened((pictures.convert_photo(first.data)).data)), CORNERS)
    assert (pictures.convert_photo(first.thumbnail)).original_type == "image/webp"


def several_pictures() -> bytes:
    return saved(four_corners(), "MPO", save_all=True, append_images=[Image.new("RGB", (64, 48))])


# An index of further pictures that points nowhere.
LOST_INDEX = b"MPF\0II*\0\x08\0\0\0\x03\0" + bytes(60)
PHONES: dict[str, Callable[[], bytes]] = {
    "several_pictures_in_one": several_pictures,
    "several_pictures_with_a_broken_index": lambda: making.with_segment(0xE2, LOST_INDEX),
    "a_film_behind": lambda: jpeg() + making.film(),
    "a_film_behind_a_gap": lambda: jpeg() + bytes(100) + making.film(),
    "a_picture_of_brightness_behind": lambda: jpeg() + saved(Image.new("L", (32, 24)), "JPEG"),
    "a_makers_notes_behind": lambda: jpeg() + b"\0\0\x01\x0a\x0e\0\0\0Image_UTC_Data1SEFT",
    "line_ends_behind": lambda: jpeg() + b"\r\n\r\n",
    "remains_of_an_older_picture_behind": lambda: png() + png()[200:],
    "an_apple_property_list": lambda: making.with_segment(
        0xED, b'Photoshop 3.0\0<?xml version="1.0"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST">'
    ),
    "letters_that_come_up_by_chance": lambda: jpeg() + b"\x81<svg\x9c<HTML\xfe%PDF-\xffPK\5\6\0\0",
    "fill_between_segments": lambda: jpeg()[:2] + b"\xff\xff\xff" + jpeg()[2:],
    "a_profile_in_several_parts": lambda: saved(
        four_corners(), "JPEG", quality=95, icc_profile=PROFILE * 200
    ),
}


@pytest.mark.parametrize("kind", PHONES)
def test_what_phones_add_to_their_photos_is_dropped(kind: str) -> None:
    picture = pictures.convert_photo(PHONES[kind]())
    assert alike(corners(opened(picture.data)), CORNERS)


def refusal(work: Callable[[bytes], Any], data: bytes) -> Problem:
    with pytest.raises(ImageRefused) as refused:
        work(data)
    return images.PROBLEMS_BY_CODE[refused.value.code](refused.value.message or None)


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_a_hostile_file_is_refused(hostile: Hostile) -> None:
    refused = refusal(pictures.convert_photo, hostile.make())
    assert refused.code == hostile.code
    assert refused.detail.endswith(".")


@pytest.mark.parametrize("harmless", HARMLESS)
def test_what_a_decoder_makes_sense_of_comes_out_clean(harmless: str) -> None:
    made = pictures.convert_photo(HARMLESS[harmless]())
    assert within_limits(made)
    assert opened(made.data).info.keys() <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_the_table_of_hostile_files_is_long() -> None:
    assert len({hostile.name for hostile in HOSTILE}) == len(HOSTILE) >= 45


@pytest.mark.parametrize("hostile", [*BLANK, *SIGNATURE_TOO_LARGE], ids=lambda made: made.name)
def test_a_signature_that_is_none_is_refused(hostile: Hostile) -> None:
    assert (refusal(pictures.convert_signature, hostile.make())).code == hostile.code


@pytest.mark.parametrize("name", ["svg", "gif", "pdf", "png_half", "png_animated", "jpeg_and_zip"])
def test_a_signature_is_held_to_the_same(name: str) -> None:
    hostile = next(hostile for hostile in HOSTILE if hostile.name == name)
    assert (refusal(pictures.convert_signature, hostile.make())).code == hostile.code


def test_a_refusal_says_what_to_send_instead() -> None:
    refused = refusal(pictures.convert_photo, b"GIF89a")
    assert refused.status == 415
    assert all(kind in refused.detail for kind in ("JPEG", "PNG", "WebP"))
    assert "10 MiB" in (refusal(pictures.convert_photo, bytes(11 * 1024 * 1024))).detail
    assert "50 megapixels" in (refusal(pictures.convert_photo, making.plain(10_000, 6_000))).detail
    assert "4000 by 4000" in (refusal(pictures.convert_signature, making.plain(4_100, 5))).detail


def signed(mode: str, ground: Any, stroke: Any) -> Image.Image:
    drawn = Image.new(mode, (600, 200), ground)
    line = [(50, 150), (150, 50), (300, 140), (500, 60)]
    ImageDraw.Draw(drawn).line(line, fill=stroke, width=3)
    return drawn


SIGNED: dict[str, Callable[[], bytes]] = {
    "black_on_white": lambda: saved(signed("L", 255, 0), "PNG"),
    "white_on_black": lambda: saved(signed("RGB", (0, 0, 0), (255, 255, 255)), "PNG"),
    "blue_on_black": lambda: saved(signed("RGB", (0, 0, 0), (0, 0, 255)), "PNG"),
    "black_on_transparent": lambda: saved(signed("RGBA", (0, 0, 0, 0), (0, 0, 0, 255)), "PNG"),
    "white_on_transparent": lambda: saved(
        signed("RGBA", (255, 255, 255, 0), (255, 255, 255, 255)), "PNG"
    ),
    "white_on_transparent_black": lambda: saved(
        signed("RGBA", (0, 0, 0, 0), (255, 255, 255, 255)), "WEBP", lossless=True
    ),
    "pencil_on_paper": lambda: saved(signed("RGB", (240, 236, 225), (170, 168, 165)), "JPEG"),
    "one_bit": lambda: saved(signed("1", 1, 0), "PNG"),
    "palette": lambda: saved(signed("RGB", (255, 255, 255), (0, 0, 90)).quantize(4), "PNG"),
    "grey_and_alpha": lambda: saved(signed("LA", (0, 0), (0, 255)), "PNG"),
}


@pytest.mark.parametrize("kind", SIGNED)
def test_a_signature_is_seen_whatever_its_colours(kind: str) -> None:
    picture = pictures.convert_signature(SIGNED[kind]())
    stored = opened(picture.data)
    assert picture.content_type == "image/png"
    assert stored.format == "PNG"
    assert stored.mode in {"L", "RGB"}
    assert stored.size == (600, 200) == (picture.width, picture.height)
    levels: Any = stored.convert("L").getextrema()
    assert levels[1] - levels[0] > 25
    assert opened(picture.thumbnail).size == (320, 107)


@pytest.mark.slow
def test_a_large_signature_is_shrunk_and_still_signed() -> None:
    drawn = Image.new("L", (4000, 4000), 255)
    ImageDraw.Draw(drawn).line([(500, 2000), (2000, 1000), (3500, 2500)], fill=0, width=8)
    picture = pictures.convert_signature(saved(drawn, "PNG"))
    assert (picture.width, picture.height) == (2048, 2048)


BASES = {
    "jpeg": saved(four_corners(), "JPEG", exif=TOLD),
    "jpeg_progressive": saved(four_corners(), "JPEG", progressive=True),
    "png": saved(four_corners(), "PNG", exif=TOLD),
    "png_palette": on_palette(transparent=True),
    "webp": saved(four_corners(), "WEBP", exif=TOLD),
    "webp_lossless": saved(see_through("RGBA"), "WEBP", lossless=True),
}


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """Change, cut, double or insert bytes of a good picture, with checksums put right or not."""
    data = bytearray(BASES[draw(st.sampled_from(sorted(BASES)))])
    is_png = data.startswith(making.SIGNATURE)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1))
        length = draw(st.integers(0, 40))
        match draw(st.sampled_from(["change", "cut", "double", "insert", "end"])):
            case "change":
                data[at] = draw(st.integers(0, 255))
            case "cut":
                del data[at : at + length]
            case "double":
                data[at:at] = data[at : at + length]
            case "insert":
                data[at:at] = draw(st.binary(max_size=12))
            case "end":
                del data[at:]
        if not data:
            return b""
    return making.resealed(bytes(data)) if is_png and draw(st.booleans()) else bytes(data)


def within_limits(picture: EncodedImage) -> bool:
    stored, small = opened(picture.data), opened(picture.thumbnail)
    return max(stored.size) <= 2048 and max(small.size) <= 320


@pytest.mark.slow
@settings(max_examples=2 * settings.default.max_examples)
@given(spoiled())
def test_a_spoiled_picture_is_refused_or_fits(data: bytes) -> None:
    try:
        picture = pictures.convert_photo(data)
    except ImageRefused as refused:
        assert refused.code in REFUSALS  # noqa: PT017 - refused or not, both are right
    else:
        assert within_limits(picture)


@given(spoiled())
def test_a_spoiled_signature_is_refused_or_fits(data: bytes) -> None:
    try:
        picture = pictures.convert_signature(data)
    except ImageRefused as refused:
        assert refused.code in REFUSALS  # noqa: PT017 - refused or not, both are right
    else:
        assert within_limits(picture)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda: making.plain(50_000_000, 1),
        lambda: making.plain(8_165, 6_123),
        lambda: making.many_scans(8_160, 6_120, 63),
        lambda: saved(Image.new("RGB", (8_165, 6_123)), "WEBP", method=0),
        lambda: saved(Image.new("RGB", (8_165, 6_123), RED), "JPEG"),
    ],
    ids=["png_of_one_row", "png", "jpeg_of_many_scans", "webp", "jpeg"],
)
def test_the_largest_pictures_are_done_in_time(make: Callable[[], bytes]) -> None:
    assert within_limits(pictures.convert_photo(make()))


@pytest.mark.slow
@pytest.mark.parametrize("filling", [b"<", b"<scrip", b"\xff", b"%PDF", b"*/ ", b"PK\1\2PK\5"])
def test_ten_megabytes_of_almost_a_sign_are_done_in_time(filling: bytes) -> None:
    padding = filling * (10 * 1024 * 1024 // len(filling) - 1000)
    assert (pictures.convert_photo(jpeg() + padding)).width == 64


@pytest.mark.slow
async def test_work_over_its_time_is_given_up_and_keeps_its_place_until_it_ends() -> None:
    pool = ImageQueue(threads=1, max_waiting=1, timeout_seconds=0.4)
    ending, ended = threading.Event(), threading.Event()

    def endless() -> None:
        ending.wait()
        ended.set()

    with pytest.raises(TimeoutError):
        await pool.run("acme", endless)
    waiting = asyncio.ensure_future(pool.run("acme", lambda: "never begun"))
    await asyncio.sleep(0)
    with pytest.raises(Unavailable):  # one is running and one is waiting
        await pool.run("acme", lambda: "turned away")
    with pytest.raises(Unavailable):
        await waiting
    ending.set()
    await asyncio.to_thread(ended.wait)
    assert await pool.run("acme", lambda: "done") == "done"
    pool.close()


async def test_there_are_never_more_threads_than_allowed() -> None:
    pool = ImageQueue(threads=2, max_waiting=20, timeout_seconds=10)
    names = await asyncio.gather(
        *(pool.run(who, lambda: threading.current_thread().name) for who in range(20))
    )
    assert len(set(names)) <= 2
    assert threading.current_thread().name not in names
    pool.close()


async def test_companies_take_turns_and_none_takes_all_places() -> None:
    pool = ImageQueue(threads=1, max_waiting=9)
    begun, ending, done = threading.Event(), threading.Event(), list[str]()

    def first() -> None:
        begun.set()
        ending.wait()

    running = asyncio.ensure_future(pool.run("acme", first))
    await asyncio.to_thread(begun.wait)
    names = ["acme 1", "acme 2", "acme 3", "acme 4", "acme 5", "rival 1", "rival 2", "third 1"]
    waiting = [
        asyncio.ensure_future(pool.run(name.split()[0], partial(done.append, name)))
        for name in names
    ]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable):
        await pool.run("acme", lambda: "one too many")
    waiting.pop(2).cancel()
    await asyncio.sleep(0)
    waiting.append(asyncio.ensure_future(pool.run("acme", lambda: done.append("acme 6"))))
    await asyncio.sleep(0)
    ending.set()
    await asyncio.gather(running, *waiting)
    assert done == [
        "acme 1", "rival 1", "third 1", "acme 2", "rival 2", "acme 4", "acme 5", "acme 6",
    ]  # fmt: skip
    pool.close()


async def test_a_failure_of_the_work_is_not_hidden() -> None:
    pool = ImageQueue(threads=1, max_waiting=0)
    for _ in range(3):  # and each gives its place back
        with pytest.raises(ZeroDivisionError):
            await pool.run("acme", lambda: 1 // 0)
    pool.close()


def test_a_plain_start_loads_no_decoder() -> None:
    code = (
        "import sys, pannier.proofs.images, pannier.proofs.barcodes;"
        "sys.exit(bool({'PIL', 'zxingcpp'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
