"""Operations on decoded pictures: shrink, rotate, measure ink and encode."""

from io import BytesIO
from typing import Any, Final

from PIL import Image, ImageChops
from PIL.Image import Resampling, Transpose
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile

# A JPEG can be decoded at 1/2, 1/4 or 1/8 of its size, which saves most of the work. If that leaves
# this share of the edge, it is not shrunk again: a phone's 4032 pixels become 2016.
MIN_EDGE_SHARE: Final = 15 / 16
# The minimum difference from the background to count as ink, of 255: above the noise of a JPEG.
MIN_INK_CONTRAST: Final = 32
# Strokes at least this light get a black background.
LIGHT_INK_LEVEL: Final = 192
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def decode_image(image: ImageFile, edge: int, mode: str | None = None) -> Image.Image:
    """Decode a picture no larger than needed.

    A JPEG can be decoded into a cheaper mode than RGB: YCbCr or L.
    """
    image.draft(mode if _is_ycbcr(image) else None, _choose_draft_size(*image.size, edge))
    image.load()
    return _shrink_image(_to_resizable(image), edge)


def _is_ycbcr(image: ImageFile) -> bool:
    """Return whether colours are stored as brightness and two hues.

    Without an Adobe marker, three components with these numbers always mean YCbCr.
    """
    if not isinstance(image, JpegImageFile) or "adobe" in image.info:
        return False
    return [component[0] for component in image.layer] == [1, 2, 3]


def _choose_draft_size(width: int, height: int, edge: int) -> tuple[int, int]:
    scale = next(
        (divisor for divisor in (8, 4, 2) if max(width, height) >= divisor * edge * MIN_EDGE_SHARE),
        1,
    )
    return max(1, width // scale), max(1, height // scale)


def fit_size(width: int, height: int, edge: int) -> tuple[int, int]:
    """Return the size of a picture shrunk until its long edge fits."""
    scale = min(1.0, edge / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def _to_resizable(image: Image.Image) -> Image.Image:
    """Convert a picture to a mode in which neighbouring pixels can be averaged."""
    if image.mode.startswith("I"):  # 16-bit grey: keep the upper 8 bits
        return image.point(lambda level: level * (1 / 256)).convert("L")
    if "transparency" in image.info:
        return image.convert("RGBA")
    mode = {"1": "L", "P": "RGB"}.get(image.mode)
    return image.convert(mode) if mode else image


def _shrink_image(image: Image.Image, edge: int) -> Image.Image:
    size = fit_size(*image.size, edge)
    if size == image.size:
        return image
    if image.mode != "YCbCr":
        return image.resize(size, reducing_gap=2.0)
    # The eye sees sharpness in brightness, and hues are encoded at half size anyway. So
    # nearest-neighbour for the hues is invisible, and saves a third of the time.
    methods = (Image.Resampling.BICUBIC, Image.Resampling.NEAREST, Image.Resampling.NEAREST)
    bands = [image.getchannel(band).resize(size, method) for band, method in enumerate(methods)]
    del image  # lets the allocator reuse its memory
    return Image.merge("YCbCr", bands)


def turn_upright(image: Image.Image, orientation: int | None) -> Image.Image:
    """Rotate a picture upright, according to its EXIF orientation."""
    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    return image.transpose(turns[orientation]) if orientation in turns else image


def flatten_transparency(image: Image.Image) -> Image.Image:
    """Flatten transparency onto a background against which the strokes are visible."""
    if image.mode in {"L", "RGB", "YCbCr"}:
        return image
    if image.mode == "CMYK":
        return image.convert("RGB")
    alpha = image.getchannel("A")
    flat_image = Image.new(
        "RGB", image.size, BLACK if _measure_lightness(image, alpha) > LIGHT_INK_LEVEL else WHITE
    )
    flat_image.paste(image.convert("RGB"), mask=alpha)
    return flat_image


def _measure_lightness(image: Image.Image, alpha: Image.Image) -> float:
    """Return the mean lightness of the visible pixels, of 255."""
    counts = image.convert("L").histogram(alpha.point(_make_contrast_table(0)))
    return sum(level * count for level, count in enumerate(counts)) / max(1, sum(counts))


def measure_ink_share(image: Image.Image) -> float:
    """Return the share of pixels that differ from the background, the commonest colour."""
    bands = image.split()
    ink_mask = bands[0].point([0] * 256)
    for band in bands:
        counts = band.histogram()
        ink_mask = ImageChops.lighter(
            ink_mask, band.point(_make_contrast_table(counts.index(max(counts))))
        )
    return ink_mask.histogram()[255] / (image.width * image.height)


def _make_contrast_table(background: int) -> list[int]:
    return [255 * (abs(level - background) > MIN_INK_CONTRAST) for level in range(256)]


def encode_thumbnail(image: Image.Image, edge: int) -> bytes:
    size = fit_size(*image.size, edge)
    # Nine source pixels per thumbnail pixel are enough.
    sample_size = min(image.width, 3 * size[0]), min(image.height, 3 * size[1])
    thumbnail = image.resize(sample_size, Resampling.NEAREST).resize(size, reducing_gap=1.0)
    # WebP's fastest method. Better ones take three times as long and save 2 % of the size.
    return encode_image(thumbnail, "WEBP", method=0, quality=75)


def encode_image(image: Image.Image, format: str, **options: Any) -> bytes:  # noqa: ANN401 - Pillow's options
    """Encode a picture without metadata."""
    image.info = {}
    buffer = BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()
