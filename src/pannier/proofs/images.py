"""Pictures as evidence: checked by content, turned upright, shrunk and encoded anew.

What is stored is what we encoded; of what was sent only its hash and a few facts remain.
`Image.MAX_IMAGE_PIXELS` and the warning filters belong to the whole process and stay as they are:
a picture's size is read from its header and refused before Pillow sees it, far below the size at
which Pillow would warn.
"""

import hashlib
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec

from pannier.errors import Problem
from pannier.proofs import containers, exif, polyglots
from pannier.proofs.containers import Container
from pannier.proofs.workshop import Workshop

if TYPE_CHECKING:
    from PIL import Image

MEBIBYTE: Final = 1024 * 1024
LONG_EDGE: Final = 2048
# A picture that a JPEG decoder can halve to this or more is not shrunk a second time: a phone's
# 4032 pixels become 2016.
LONG_EDGE_ENOUGH: Final = 1920
THUMBNAIL_EDGE: Final = 320
QUALITY: Final = 85
LEAST_INK: Final = 0.001
# How far a colour must be from the ground to be ink, of 255: beyond the noise of a JPEG.
INK_CONTRAST: Final = 32
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
LIGHT: Final = 192

Result = TypeVar("Result")
workshop: Final = Workshop()


class ImageTooLarge(Problem):
    """A picture has more bytes or more pixels than we take."""

    status, code, title = 413, "image_too_large", "The picture is too large."


class ImageUnsupported(Problem):
    """What was sent is no JPEG, PNG or WebP picture, whatever its name says."""

    status, code = 415, "image_unsupported"
    title = "This is no picture of a type we take; send JPEG, PNG or WebP."


class ImageUnreadable(Problem):
    """A picture is truncated, damaged, animated, or something else at the same time."""

    status, code, title = 422, "image_unreadable", "The picture cannot be read."


class ImageTooSlow(Problem):
    """A picture took longer to work on than any honest one does."""

    status, code, title = 422, "image_too_slow", "The picture takes too long to process."


class SignatureBlank(Problem):
    """Nobody has signed: the picture has no ink, or hardly any."""

    status, code, title = 422, "signature_blank", "The signature is blank."


class Limits(NamedTuple):
    """How large a picture may be."""

    octets: int
    pixels: int
    edge: int | None = None

    def check_octets(self, data: bytes) -> None:
        """Refuse a file with too many bytes."""
        if len(data) > self.octets:
            raise ImageTooLarge(f"A picture has at most {self.octets // MEBIBYTE} MiB.")

    def check_pixels(self, width: int, height: int) -> None:
        """Refuse a picture with too many pixels."""
        if self.edge is not None and max(width, height) > self.edge:
            raise ImageTooLarge(f"The picture has at most {self.edge} x {self.edge} pixels.")
        if width * height > self.pixels:
            raise ImageTooLarge(f"A picture has at most {self.pixels // 1_000_000} megapixels.")


PHOTO: Final = Limits(10 * MEBIBYTE, 50_000_000)
SIGNATURE: Final = Limits(MEBIBYTE, 16_000_000, 4000)


class Picture(msgspec.Struct, frozen=True):
    """A picture as it is stored, and what is remembered of the one that was sent."""

    data: bytes
    content_type: str
    width: int
    height: int
    thumbnail: bytes
    original_sha256: str
    original_type: str
    exif: dict[str, Any]


async def photo(data: bytes) -> Picture:
    """Make a photo fit to be stored."""
    return await worked(lambda: _photo(data))


async def signature(data: bytes) -> Picture:
    """Make a signature fit to be stored; a blank one is refused."""
    return await worked(lambda: _signature(data))


async def worked(work: Callable[[], Result]) -> Result:
    """Work on a picture off the event loop, for so long and no longer."""
    try:
        return await workshop.do(work)
    except TimeoutError:
        raise ImageTooSlow from None


def _photo(data: bytes) -> Picture:
    container = unpacked(data, PHOTO)
    facts = exif.read(container.exif)
    image = opaque(upright(shrunk(decoded(container, LONG_EDGE), LONG_EDGE), facts))
    encoded = _encoded(image, "JPEG", quality=QUALITY)
    return _picture(data, container, image, encoded, facts)


def _signature(data: bytes) -> Picture:
    container = unpacked(data, SIGNATURE)
    facts = exif.read(container.exif)
    image = opaque(upright(shrunk(decoded(container, LONG_EDGE), LONG_EDGE), facts))
    if ink(image) < LEAST_INK:
        raise SignatureBlank
    return _picture(data, container, image, _encoded(image, "PNG"), facts)


def _picture(
    data: bytes, container: Container, image: "Image.Image", encoded: bytes, facts: dict[str, Any]
) -> Picture:
    small = image.resize(fitted(*image.size, THUMBNAIL_EDGE), reducing_gap=1.0)
    return Picture(
        data=encoded,
        content_type="image/png" if encoded.startswith(b"\x89PNG") else "image/jpeg",
        width=image.width,
        height=image.height,
        thumbnail=_encoded(small, "WEBP", method=1),
        original_sha256=hashlib.sha256(data).hexdigest(),
        original_type=container.content_type,
        exif=facts,
    )


def unpacked(data: bytes, limits: Limits) -> Container:
    """Check all that can be known of a picture without decoding it."""
    limits.check_octets(data)
    try:
        container = containers.unpack(data)
    except ValueError as wrong:
        raise ImageUnreadable(str(wrong)) from None
    if container is None:
        raise ImageUnsupported
    limits.check_pixels(container.width, container.height)
    if polyglots.is_polyglot(data, container.trailer):
        raise ImageUnreadable("The file is a picture and something else at once.")
    return container


def decoded(container: Container, edge: int) -> "Image.Image":
    """Decode a picture, a JPEG at half its size or less where that still fills the edge."""
    from PIL import Image  # noqa: PLC0415 - only pictures need it

    try:
        image = Image.open(BytesIO(container.bare), formats=("JPEG", "PNG", "WEBP"))
        trusted = image.size == (container.width, container.height)
        if trusted:
            image.draft(None, _draft_size(container, edge))
            image.load()
    except Exception:  # noqa: BLE001 - decoders given hostile bytes raise anything
        raise ImageUnreadable from None
    if not trusted:  # the header reads differently to us and to the decoder
        raise ImageUnreadable
    return image


def _draft_size(container: Container, edge: int) -> tuple[int, int]:
    width, height = container.width, container.height
    enough = LONG_EDGE_ENOUGH * edge // LONG_EDGE
    scale = next((by for by in (8, 4, 2) if max(width, height) // by >= enough), 1)
    return max(1, width // scale), max(1, height // scale)


def fitted(width: int, height: int, edge: int) -> tuple[int, int]:
    """Tell the size of a picture that is shrunk until its long edge fits."""
    scale = min(1.0, edge / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def shrunk(image: "Image.Image", edge: int) -> "Image.Image":
    """Make a picture small enough, in a mode whose pixels can be averaged."""
    image = _averageable(image)
    size = fitted(*image.size, edge)
    return image if size == image.size else image.resize(size, reducing_gap=2.0)


def _averageable(image: "Image.Image") -> "Image.Image":
    if image.mode.startswith("I"):  # 16 bits of grey, of which the upper 8 are kept
        return image.point(lambda level: level * (1 / 256)).convert("L")
    if "transparency" in image.info:
        return image.convert("RGBA")
    return image.convert({"1": "L", "P": "RGB"}.get(image.mode, image.mode))


def upright(image: "Image.Image", facts: dict[str, Any]) -> "Image.Image":
    """Turn a picture as the camera was held."""
    from PIL import Image  # noqa: PLC0415 - only pictures need it

    turns = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_270,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_90,
    }
    turn = turns.get(facts.get("orientation", 1))
    return image if turn is None else image.transpose(turn)


def opaque(image: "Image.Image") -> "Image.Image":
    """Lay a picture on a ground on which its light or dark strokes are seen."""
    if image.mode in {"L", "RGB"}:
        return image
    if image.mode == "CMYK":
        return image.convert("RGB")
    from PIL import Image  # noqa: PLC0415 - only pictures need it

    alpha = image.getchannel("A")
    ground = BLACK if _lightness(image.convert("L"), alpha) > LIGHT else WHITE
    laid = Image.new("RGB", image.size, ground)
    laid.paste(image.convert("RGB"), mask=alpha)
    return laid


def _lightness(grey: "Image.Image", alpha: "Image.Image") -> float:
    """Tell how light the visible pixels are."""
    counts = grey.histogram(alpha.point(lambda level: 255 * (level > INK_CONTRAST)))
    return sum(level * count for level, count in enumerate(counts)) / max(1, sum(counts))


def ink(image: "Image.Image") -> float:
    """Tell the share of pixels that differ from the ground, which is the commonest colour."""
    from PIL import ImageChops  # noqa: PLC0415 - only signatures need it

    marked = None
    for band in image.split():
        counts = band.histogram()
        ground = counts.index(max(counts))
        far = band.point([255 * (abs(level - ground) > INK_CONTRAST) for level in range(256)])
        marked = far if marked is None else ImageChops.lighter(marked, far)
    return 0.0 if marked is None else marked.histogram()[255] / (image.width * image.height)


def _encoded(image: "Image.Image", format: str, **options: Any) -> bytes:  # noqa: ANN401
    image.info = {}
    made = BytesIO()
    image.save(made, format, **options)
    return made.getvalue()
