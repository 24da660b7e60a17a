"""What is done with decoded pictures: shrink them, turn them upright, find ink, encode them."""

import threading
from contextlib import AbstractContextManager, nullcontext
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from pannier.proofs.containers import Container

if TYPE_CHECKING:
    from PIL.Image import Image

UNREADABLE: Final = "The picture cannot be decoded."
# A JPEG can be decoded at a half, a quarter or an eighth of its size, which saves most of the work.
# When that leaves this share of the edge, it is not shrunk again: a phone's 4032 become 2016.
ENOUGH: Final = 15 / 16
# How far a colour must be from the ground to be ink, of 255: beyond the noise of a JPEG.
CONTRAST: Final = 32
# Strokes as light as this are laid on black.
LIGHT: Final = 192
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
# Fifty megapixels take up to 800 MB while they are decoded, so large pictures go one at a time.
LARGE: Final = 16_000_000
_large: Final = threading.Lock()


def load(container: Container, edge: int, mode: str | None = None) -> "Image":
    """Decode a picture no larger than needed; ValueError when it cannot be.

    A JPEG can be decoded into a cheaper mode than red, green and blue: YCbCr or L.
    """
    with _turn(container):
        return _shrunk(_averageable(_decoded(container, edge, mode)), edge)


def _turn(container: Container) -> AbstractContextManager[object]:
    return _large if container.width * container.height > LARGE else nullcontext()


def _decoded(container: Container, edge: int, mode: str | None) -> "Image":
    # Without its plugin Pillow would load all forty to find who reads and writes WebP.
    from PIL import Image, WebPImagePlugin  # noqa: F401, PLC0415 - only pictures need them

    try:
        image = Image.open(BytesIO(container.bare), formats=("JPEG", "PNG", "WEBP"))
        trusted = image.size == (container.width, container.height)
        if trusted:
            image.draft(mode if container.is_ycbcr else None, _draft_size(container, edge))
            image.load()
    except Exception:  # noqa: BLE001 - decoders given hostile bytes raise anything
        raise ValueError(UNREADABLE) from None
    if not trusted:  # the header means one size to us and another to the decoder
        raise ValueError(UNREADABLE)
    return image


def _draft_size(container: Container, edge: int) -> tuple[int, int]:
    width, height = container.width, container.height
    scale = next((by for by in (8, 4, 2) if max(width, height) >= by * edge * ENOUGH), 1)
    return max(1, width // scale), max(1, height // scale)


def fitted(width: int, height: int, edge: int) -> tuple[int, int]:
    """Tell the size of a picture that is shrunk until its long edge fits."""
    scale = min(1.0, edge / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def _averageable(image: "Image") -> "Image":
    """Bring a picture into a mode in which neighbouring pixels can be averaged."""
    if image.mode.startswith("I"):  # 16 bits of grey, of which the upper 8 are kept
        return image.point(lambda level: level * (1 / 256)).convert("L")
    if "transparency" in image.info:
        return image.convert("RGBA")
    mode = {"1": "L", "P": "RGB"}.get(image.mode)
    return image.convert(mode) if mode else image


def _shrunk(image: "Image", edge: int) -> "Image":
    size = fitted(*image.size, edge)
    if size == image.size:
        return image
    if image.mode != "YCbCr":
        return image.resize(size, reducing_gap=2.0)
    from PIL import Image  # noqa: PLC0415 - only pictures need it

    # The eye takes sharpness from brightness; the hues are encoded at half the size anyway, so
    # picking instead of averaging theirs is not seen, and takes a third off the whole.
    ways = (Image.Resampling.BICUBIC, Image.Resampling.NEAREST, Image.Resampling.NEAREST)
    bands = [image.getchannel(band).resize(size, way) for band, way in enumerate(ways)]
    del image  # what need not be held at once need not be fetched from the system again
    return Image.merge("YCbCr", bands)


def upright(image: "Image", orientation: int | None) -> "Image":
    """Turn a picture as the camera was held."""
    from PIL.Image import Transpose  # noqa: PLC0415 - only pictures need it

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


def opaque(image: "Image") -> "Image":
    """Lay a picture on a ground on which its strokes are seen, be they dark or light."""
    if image.mode in {"L", "RGB", "YCbCr"}:
        return image
    if image.mode == "CMYK":
        return image.convert("RGB")
    from PIL import Image  # noqa: PLC0415 - only pictures need it

    alpha = image.getchannel("A")
    laid = Image.new("RGB", image.size, BLACK if _lightness(image, alpha) > LIGHT else WHITE)
    laid.paste(image.convert("RGB"), mask=alpha)
    return laid


def _lightness(image: "Image", alpha: "Image") -> float:
    """Tell how light the visible pixels are, of 255."""
    counts = image.convert("L").histogram(alpha.point(_beyond(0)))
    return sum(level * count for level, count in enumerate(counts)) / max(1, sum(counts))


def ink(image: "Image") -> float:
    """Tell the share of pixels that differ from the ground, which is the commonest colour."""
    from PIL import ImageChops  # noqa: PLC0415 - only signatures need it

    bands = image.split()
    marked = bands[0].point([0] * 256)
    for band in bands:
        counts = band.histogram()
        marked = ImageChops.lighter(marked, band.point(_beyond(counts.index(max(counts)))))
    return marked.histogram()[255] / (image.width * image.height)


def _beyond(ground: int) -> list[int]:
    return [255 * (abs(level - ground) > CONTRAST) for level in range(256)]


def thumbnail(image: "Image", edge: int) -> bytes:
    """Make a small WebP of a picture."""
    from PIL.Image import Resampling  # noqa: PLC0415 - only pictures need it

    size = fitted(*image.size, edge)
    # Nine pixels to each of the thumbnail's are enough, wherever there are more.
    fewer = min(image.width, 3 * size[0]), min(image.height, 3 * size[1])
    small = image.resize(fewer, Resampling.NEAREST).resize(size, reducing_gap=1.0)
    # The quickest of WebP's methods; better ones take three times as long for one byte in fifty.
    return encoded(small, "WEBP", method=0, quality=75)


def encoded(image: "Image", format: str, **options: Any) -> bytes:  # noqa: ANN401 - Pillow's own
    """Encode a picture without a word beside its pixels."""
    image.info = {}
    made = BytesIO()
    image.save(made, format, **options)
    return made.getvalue()
