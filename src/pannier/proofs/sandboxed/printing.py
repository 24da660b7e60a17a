"""Pictures at print size."""

from io import BytesIO
from typing import Any, Final

from PIL import Image

# Long edge in pixels: 300 per inch at the printed size.
MAX_EDGE_PIXELS: Final = 1000
SHARP_OPTIONS: Final[dict[str, Any]] = {"quality": 94, "subsampling": 0}
SOFT_OPTIONS: Final[dict[str, Any]] = {"quality": 82}
FORMATS: Final = ("JPEG", "PNG", "WEBP")
# Printed pictures were re-encoded before, except logos, which are small.
MAX_PIXELS: Final = 6_000_000


def shrink_picture(data: bytes) -> bytes | None:
    """Encode a picture at print size. Return None if it cannot be read."""
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return None
            image.draft(None, (MAX_EDGE_PIXELS, MAX_EDGE_PIXELS))
            image.thumbnail((MAX_EDGE_PIXELS, MAX_EDGE_PIXELS))
            buffer = BytesIO()
            # A PDF embeds a JPEG as it is, so nothing decodes it again outside the sandbox. Strokes
            # stay sharp; a photo does not need that.
            options = SHARP_OPTIONS if image.format == "PNG" else SOFT_OPTIONS
            _flatten_on_white(image).save(buffer, "JPEG", **options)
            return buffer.getvalue()
    except Exception:  # noqa: BLE001 - decoders given hostile bytes raise anything
        return None


def _flatten_on_white(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
