"""Pictures as evidence: identified by content, turned upright, shrunk and re-encoded.

We store only what we encoded; of the original only its hash and a few facts remain. A malicious
file can only harm its decoder, which runs in the sandbox with limited time and memory.
"""

from io import BytesIO
from typing import Any, Final, NamedTuple

from PIL import Image
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from pannier.proofs.boxed import exif, pixels, polyglots

LONG_EDGE: Final = 2048
THUMBNAIL_EDGE: Final = 320
QUALITY: Final = 85
LEAST_INK: Final = 0.001
MEBIBYTE: Final = 1024 * 1024
MEGAPIXEL: Final = 1_000_000

# Formats by their first bytes. Pillow's own detection would mistake a phone's photo with a second
# picture behind it for an animation.
PLUGINS: Final[tuple[tuple[bytes, bytes, str, type[ImageFile]], ...]] = (
    (b"\xff\xd8\xff", b"", "image/jpeg", JpegImageFile),
    (b"\x89PNG\r\n\x1a\n", b"", "image/png", PngImageFile),
    (b"RIFF", b"WEBP", "image/webp", WebPImageFile),
)
# Brands of the containers in which phones store HEIC and AVIF.
HEIC_BRANDS: Final = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
)
AVIF_BRANDS: Final = frozenset({b"avif", b"avis"})
HEIC: Final = "HEIC is not supported. Send JPEG; on an iPhone: Camera > Formats > Most Compatible."
AVIF: Final = "AVIF is not supported. Send a JPEG, PNG or WebP."
TRUNCATED: Final = "The picture is incomplete. Send it again."
DAMAGED: Final = "The picture is damaged. Send another one."
ANIMATED: Final = "The picture is animated. Send a still one."
TWICE: Final = "The file contains more than a picture. Send a plain picture."

# ImageLimits replaces Pillow's own limit.
Image.MAX_IMAGE_PIXELS = None


class Refused(Exception):  # noqa: N818 - an expected result, not an error of ours
    """A rejected picture: an error code and a sentence."""

    def __init__(self, code: str, words: str = "") -> None:
        super().__init__(code, words)
        self.code, self.words = code, words


class Limits(NamedTuple):
    """The maximum size of a picture."""

    octets: int
    pixels: int
    edge: int

    def check_octets(self, data: bytes) -> None:
        if len(data) > self.octets:
            raise Refused("image_too_large", f"Send at most {self.octets // MEBIBYTE} MiB.")

    def check_pixels(self, width: int, height: int) -> None:
        if max(width, height) > self.edge:
            words = f"Send at most {self.edge} by {self.edge} pixels."
            raise Refused("image_too_large", words)
        if width * height > self.pixels:
            words = f"Send at most {self.pixels // MEGAPIXEL} megapixels."
            raise Refused("image_too_large", words)


PHOTO: Final = Limits(10 * MEBIBYTE, 50 * MEGAPIXEL, 50 * MEGAPIXEL)
SIGNATURE: Final = Limits(MEBIBYTE, 16 * MEGAPIXEL, 4000)


class Made(NamedTuple):
    """A picture for storage, with facts about the original."""

    data: bytes
    content_type: str
    width: int
    height: int
    thumbnail: bytes
    original_type: str
    pixels: int
    exif: dict[str, Any]


class Opened(NamedTuple):
    """A picture whose header was read."""

    image: ImageFile
    content_type: str
    width: int
    height: int

    @property
    def pixels(self) -> int:
        """The number of pixels to decode."""
        return self.width * self.height


def photo(data: bytes) -> Made:
    """Validate and re-encode a photo for storage."""
    found = opened(data, PHOTO)
    image, facts = _upright(found, "YCbCr")
    encoded = pixels.encoded(image, "JPEG", quality=QUALITY)
    return _made(found, facts, image, "image/jpeg", encoded)


def signature(data: bytes) -> Made:
    """Validate and re-encode a signature; reject a blank one."""
    found = opened(data, SIGNATURE)
    image, facts = _upright(found)
    if pixels.ink(image) < LEAST_INK:
        raise Refused("signature_blank")
    return _made(found, facts, image, "image/png", pixels.encoded(image, "PNG"))


def grey(found: Opened, edge: int) -> Image.Image:
    """Decode a picture in grey, no larger than needed."""
    return _decoded(found, edge, "L").convert("L")


def opened(data: bytes, limits: Limits) -> Opened:
    """Apply all checks that need no decoding."""
    found = headed(data, limits)
    end = polyglots.end_of(data, found.content_type)
    if end is None:
        raise Refused("image_unreadable", TRUNCATED)
    if polyglots.is_polyglot(data, data[end:]):
        raise Refused("image_unreadable", TWICE)
    return found


def headed(data: bytes, limits: Limits) -> Opened:
    """Read a picture's header; reject a picture that is too large or animated."""
    limits.check_octets(data)
    known = (each for each in PLUGINS if data.startswith(each[0]) and each[1] in data[8:12])
    _, _, content_type, plugin = next(known, (b"", b"", "", None))
    if plugin is None:
        raise Refused("image_unsupported", _name_unsupported(data))
    try:
        image = plugin(BytesIO(data))
        width, height = image.size
        moves = getattr(image, "is_animated", False)
    except Exception:  # noqa: BLE001 - decoders given hostile bytes raise anything
        raise Refused("image_unreadable", DAMAGED) from None
    limits.check_pixels(width, height)
    if moves:
        raise Refused("image_unreadable", ANIMATED)
    return Opened(image, content_type, width, height)


def _name_unsupported(data: bytes) -> str:
    """Return a hint for a format that phones write and we do not accept."""
    if data[4:8] != b"ftyp":
        return ""
    if data[8:12] in AVIF_BRANDS:
        return AVIF
    return HEIC if data[8:12] in HEIC_BRANDS else ""


def _upright(found: Opened, mode: str | None = None) -> tuple[Image.Image, dict[str, Any]]:
    image = _decoded(found, LONG_EDGE, mode)
    facts = exif.read(found.image.info.get("exif", b""))
    return pixels.upright(image, facts.get("orientation")), facts


def _decoded(found: Opened, edge: int, mode: str | None) -> Image.Image:
    """Decode a picture without transparency, no larger than needed."""
    try:
        return pixels.opaque(pixels.load(found.image, edge, mode))
    except Exception:  # noqa: BLE001 - decoders given hostile bytes raise anything
        raise Refused("image_unreadable", DAMAGED) from None


def _made(
    found: Opened, facts: dict[str, Any], image: Image.Image, content_type: str, encoded: bytes
) -> Made:
    return Made(
        data=encoded,
        content_type=content_type,
        width=image.width,
        height=image.height,
        thumbnail=pixels.thumbnail(image, THUMBNAIL_EDGE),
        original_type=found.content_type,
        pixels=found.pixels,
        exif=facts,
    )
