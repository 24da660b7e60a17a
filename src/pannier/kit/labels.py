"""Labels: QR codes and bar codes as SVG or PNG."""

from io import BytesIO
from typing import Final, Literal

LabelFormat = Literal["svg", "png"]

# Pixels per narrowest line: enough for a phone's camera and for a printer with 200 dpi.
QR_SCALE: Final = 8
BAR_SCALE: Final = 3


def render_qr(text: str, kind: LabelFormat) -> bytes:
    """Render a QR code. With error correction level M, it stays readable with 15 % damage."""
    import segno  # noqa: PLC0415 - only labels need it

    output = BytesIO()
    segno.make_qr(text, error="m").save(output, kind=kind, scale=QR_SCALE)
    return output.getvalue()


def render_barcode(text: str, kind: LabelFormat) -> bytes:
    """Render a Code 128 bar code, which hand scanners read."""
    import zxingcpp  # noqa: PLC0415 - only labels need it

    barcode = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.Code128)
    if kind == "svg":
        return zxingcpp.write_barcode_to_svg(barcode, scale=BAR_SCALE, add_hrt=True).encode()
    from PIL import Image  # noqa: PLC0415 - only labels need it

    output = BytesIO()
    pixels = zxingcpp.write_barcode_to_image(barcode, scale=BAR_SCALE, add_hrt=True)
    Image.fromarray(pixels).save(output, "PNG", optimize=True)
    return output.getvalue()


def list_barcode_modules(text: str) -> list[int]:
    """List the modules of a Code 128 bar code from left to right: 1 for dark, 0 for light."""
    import zxingcpp  # noqa: PLC0415 - only labels need it
    from PIL import Image  # noqa: PLC0415 - only labels need it

    barcode = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.Code128)
    pixels = zxingcpp.write_barcode_to_image(barcode, scale=1, add_quiet_zones=False)
    image = Image.fromarray(pixels)
    return [int(value == 0) for value in image.tobytes()[: image.width]]
