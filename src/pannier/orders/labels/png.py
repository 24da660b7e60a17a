"""A label as a picture, drawn from its PDF."""

from io import BytesIO
from typing import Final

POINTS_PER_INCH: Final = 72
DOTS_PER_INCH: Final = 203


def render_png(pdf: bytes) -> bytes:
    """Render the first page of a PDF that we made, with 203 dots per inch."""
    import pypdfium2  # type: ignore[import-untyped]  # noqa: PLC0415 - only pictures of labels need it

    document = pypdfium2.PdfDocument(pdf)
    try:
        image = document[0].render(scale=DOTS_PER_INCH / POINTS_PER_INCH).to_pil()
    finally:
        document.close()
    output = BytesIO()
    # Black and white would print sharper, but screens show grey edges better.
    image.convert("L").save(output, "PNG", optimize=True, dpi=(DOTS_PER_INCH, DOTS_PER_INCH))
    return output.getvalue()
