"""Codes in pictures: read whatever their kind, their place and their colours."""

from functools import cache
from typing import Any
from uuid import UUID

import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from pannier.errors import Problem
from pannier.kit import labels
from pannier.proofs import barcodes
from pannier.proofs.barcodes import Symbol
from proofs.hostile import HOSTILE
from proofs.making import jpeg, png, saved

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

SOMEBODY = UUID(int=1)
TEXT = "W1129082649-1"
KINDS = {
    "QRCode": TEXT,
    "Code128": TEXT,
    "DataMatrix": TEXT,
    "Aztec": TEXT,
    "PDF417": TEXT,
    "Code39": TEXT,
    "ITF": "00123456789012",
    "EAN13": "4006381333931",
    "EAN8": "96385074",
}


@cache
def drawn(kind: str, text: str = TEXT, scale: int = 4) -> Image.Image:
    made = zxingcpp.create_barcode(text, zxingcpp.barcode_format_from_str(kind))
    pixels: Any = zxingcpp.write_barcode_to_image(made, scale=scale)
    return ImageOps.expand(Image.fromarray(pixels).convert("L"), 20, 255)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_code_of_every_kind_is_read(kind: str) -> None:
    found = await barcodes.read_codes(SOMEBODY, saved(drawn(kind, KINDS[kind]), "PNG"))
    assert found == [Symbol(KINDS[kind], kind)]


@pytest.mark.parametrize("text", [TEXT, "order_7YqM3KpL2n", "Grüße an 東京"])
async def test_our_own_labels_are_read(text: str) -> None:
    assert await barcodes.read_codes(SOMEBODY, labels.render_qr(text, "png")) == [
        Symbol(text, "QRCode")
    ]
    if text.isascii():
        assert await barcodes.read_codes(SOMEBODY, labels.render_barcode(text, "png")) == [
            Symbol(text, "Code128")
        ]


@pytest.mark.parametrize("degrees", [12, 90, 203, 270])
@pytest.mark.parametrize("kind", ["QRCode", "Code128", "DataMatrix"])
async def test_a_code_is_read_however_it_is_held(kind: str, degrees: int) -> None:
    turned = drawn(kind).rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    assert await barcodes.read_codes(SOMEBODY, saved(turned, "JPEG", quality=60)) == [
        Symbol(TEXT, kind)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [22, 45, 68, 135])
async def test_a_slanted_bar_code_is_read_at_a_second_look(degrees: int) -> None:
    turned = drawn("Code128").rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    assert await barcodes.read_codes(SOMEBODY, saved(turned, "JPEG", quality=80)) == [
        Symbol(TEXT, "Code128")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [76, 255])
async def test_what_was_found_stays_found_when_reading_never_ends(
    degrees: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These turns of this code send zxing 3.1 into an endless search for a QR code."""
    monkeypatch.setattr(barcodes, "CPU_SECONDS", 2)
    turned = drawn("Code128").rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    assert await barcodes.read_codes(SOMEBODY, saved(turned, "JPEG", quality=60)) == [
        Symbol(TEXT, "Code128")
    ]


def on_ground(ground: Any, ink: Any) -> bytes:
    """Draw a code in one colour on another, either of which may be transparent."""
    code = drawn("QRCode")
    image = Image.new("RGBA", code.size, ground)
    image.paste(ink, mask=ImageOps.invert(code))
    return saved(image, "PNG")


@pytest.mark.parametrize(
    ("ground", "ink"),
    [
        ((255, 255, 255, 255), (0, 0, 0, 255)),
        ((0, 0, 0, 255), (255, 255, 255, 255)),
        ((0, 0, 0, 0), (0, 0, 0, 255)),
        ((0, 0, 0, 0), (255, 255, 255, 255)),
        ((255, 240, 180, 255), (20, 20, 160, 255)),
    ],
    ids=["plain", "inverted", "black_on_nothing", "white_on_nothing", "coloured"],
)
async def test_a_code_is_read_in_any_colours(ground: Any, ink: Any) -> None:
    assert await barcodes.read_codes(SOMEBODY, on_ground(ground, ink)) == [Symbol(TEXT, "QRCode")]


async def test_every_code_in_a_picture_is_read() -> None:
    page = Image.new("RGB", (900, 700), "white")
    page.paste(drawn("QRCode"), (50, 50))
    page.paste(drawn("EAN13", KINDS["EAN13"]), (400, 400))
    found = await barcodes.read_codes(SOMEBODY, saved(page, "WEBP"))
    assert set(found) == {Symbol(TEXT, "QRCode"), Symbol(KINDS["EAN13"], "EAN13")}


@pytest.mark.parametrize(
    ("kind", "text", "spellings"),
    [
        ("UPCA", "036000291452", ["0036000291452", "036000291452"]),
        ("UPCE", "04252614", ["0042100005264", "042100005264", "04252614"]),
    ],
)
async def test_an_american_code_is_told_in_every_spelling(
    kind: str, text: str, spellings: list[str]
) -> None:
    found = await barcodes.read_codes(SOMEBODY, saved(drawn(kind, text), "PNG"))
    assert [symbol.text for symbol in found] == spellings


async def test_the_text_is_the_codes_own_and_not_how_people_are_shown_it() -> None:
    text = "A1\x1dB2"  # the mark between two fields, which people would be shown as a word
    assert await barcodes.read_codes(SOMEBODY, saved(drawn("QRCode", text), "PNG")) == [
        Symbol(text, "QRCode")
    ]


async def test_a_text_that_cannot_be_kept_is_not_told() -> None:
    assert await barcodes.read_codes(SOMEBODY, saved(drawn("QRCode", "a\0b"), "PNG")) == []


@pytest.mark.slow
async def test_a_small_code_in_a_large_photo_is_read_at_the_second_look() -> None:
    page = Image.new("L", (4000, 3000), 180)
    page.paste(drawn("QRCode", scale=2), (3000, 2000))
    assert await barcodes.read_codes(SOMEBODY, saved(page, "JPEG", quality=80)) == [
        Symbol(TEXT, "QRCode")
    ]


@pytest.mark.parametrize("make", [jpeg, png])
async def test_a_picture_without_a_code_gives_nothing(make: Any) -> None:
    assert await barcodes.read_codes(SOMEBODY, make()) == []


async def test_a_torn_code_gives_nothing() -> None:
    code = drawn("Code128")
    torn = code.crop((0, 0, code.width * 2 // 3, code.height))
    assert await barcodes.read_codes(SOMEBODY, saved(torn, "PNG")) == []


@pytest.mark.parametrize(
    "name",
    [
        "nothing",
        "svg",
        "heic",
        "gif_animated",
        "webp_bomb",
        "a_byte_too_many",
        "jpeg_half",
        "webp_animated",
        "jpeg_and_zip",
    ],
)
async def test_a_hostile_file_is_refused_as_it_is_as_a_photo(name: str) -> None:
    hostile = next(hostile for hostile in HOSTILE if hostile.name == name)
    with pytest.raises(Problem) as refused:
        await barcodes.read_codes(SOMEBODY, hostile.make())
    assert refused.value.code == hostile.code


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.data())
async def test_a_spoiled_picture_of_a_code_is_refused_or_read(data: st.DataObject) -> None:
    sent = bytearray(saved(drawn("QRCode", scale=2), "JPEG"))
    for _ in range(data.draw(st.integers(1, 5))):
        sent[data.draw(st.integers(0, len(sent) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = await barcodes.read_codes(SOMEBODY, bytes(sent))
    except Problem as refused:
        assert refused.code.startswith("image_")  # noqa: PT017 - both are right
    else:
        assert {symbol.symbology for symbol in found} <= {"QRCode"}
