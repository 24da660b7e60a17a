"""Pictures as small as they are printed."""

from io import BytesIO
from typing import Any, Final

from PIL import Image

# Pixels along the longer edge of a picture: 300 to the inch at the size in which it is printed.
LONG_EDGE: Final = 1000
SHARP: Final[dict[str, Any]] = {"quality": 94, "subsampling": 0}
SOFT: Final[dict[str, Any]] = {"quality": 82}
FORMATS: Final = ("JPEG", "PNG", "WEBP")
# What is printed was stored by us, but for a logo, which is small.
MOST_PIXELS: Final = 6_000_000


def fit_to_print(data: bytes) -> bytes | None:
    """Encode a picture in the size in which it is printed; None when it cannot be read."""
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                return None
            opened.draft(None, (LONG_EDGE, LONG_EDGE))
            opened.thumbnail((LONG_EDGE, LONG_EDGE))
            made = BytesIO()
            # A JPEG goes onto the paper as it is: nobody decodes it again outside of the box.
            # Strokes stay sharp; a photo has no use for that.
            options = SHARP if opened.format == "PNG" else SOFT
            _on_white(opened).save(made, "JPEG", **options)
            return made.getvalue()
    except Exception:  # noqa: BLE001 - decoders given hostile bytes raise anything
        return None


def _on_white(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
