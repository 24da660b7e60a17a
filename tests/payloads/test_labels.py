"""Labels: what is drawn is read back by a scanner."""

import io
import xml.etree.ElementTree as ET

import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pannier.kit import labels
from pannier.payloads import numbers

NUMBER = "ACM-7K3Q-9X2M-4TRD"
DRAWERS = {"QR Code": labels.render_qr, "Code 128": labels.render_barcode}


def scanned(png: bytes) -> list[tuple[str, str]]:
    """Read a picture as a scanner does."""
    picture = Image.open(io.BytesIO(png))
    assert picture.format == "PNG"
    found = zxingcpp.read_barcodes(picture.convert("L"))
    return [(str(code.symbology), code.text) for code in found]


@pytest.mark.parametrize("kind", DRAWERS)
def test_a_picture_is_read_back(kind: str) -> None:
    assert scanned(DRAWERS[kind](NUMBER, "png")) == [(kind, NUMBER)]


@settings(deadline=None, max_examples=25)
@given(st.builds(numbers.draw_number, st.just("Acme")))
def test_every_number_can_be_put_on_a_label(number: str) -> None:
    for kind, draw in DRAWERS.items():
        assert scanned(draw(number, "png")) == [(kind, number)]


def test_a_qr_code_holds_an_address_too() -> None:
    address = f"https://pannier.example.com/track/{NUMBER}?lang=é"
    assert scanned(labels.render_qr(address, "png")) == [("QR Code", address)]


@pytest.mark.parametrize("kind", DRAWERS)
def test_a_drawing_is_well_formed_and_has_a_size(kind: str) -> None:
    svg = DRAWERS[kind](NUMBER, "svg")
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(root.attrib["width"]) > 100
    assert float(root.attrib["height"]) > 50
    assert b"<script" not in svg
