"""Pictures as evidence: identified by content, turned upright, shrunk and re-encoded.

Only re-encoded pictures are stored, with the hash and a few facts of the original. A malicious
file can only harm its decoder, which runs in the sandbox with limited time and memory.
"""

from io import BytesIO
from typing import Any, Final, NamedTuple

from PIL import Image
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from pannier.proofs.sandboxed import exif, pixels, polyglots

MAX_EDGE_PIXELS: Final = 2048
THUMBNAIL_EDGE_PIXELS: Final = 320
JPEG_QUALITY: Final = 85
MIN_INK_SHARE: Final = 0.001
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
HEIC_MESSAGE: Final = (
    "HEIC is not supported. Send JPEG; on an iPhone: Camera > Formats > Most Compatible."
)
AVIF_MESSAGE: Final = "AVIF is not supported. Send a JPEG, PNG or WebP image."
TRUNCATED_MESSAGE: Final = "The picture is incomplete. Send it again."
DAMAGED_MESSAGE: Final = "The picture is damaged. Send another one."
ANIMATED_MESSAGE: Final = "The picture is animated. Send a still one."
POLYGLOT_MESSAGE: Final = "The file contains more than a picture. Send a plain picture."

# ImageLimits replaces Pillow's own limit.
Image.MAX_IMAGE_PIXELS = None


class ImageRefused(Exception):  # noqa: N818 - an expected result, not a defect
    """A rejected picture, with an error code and a message."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code, message)
        self.code, self.message = code, message


class ImageLimits(NamedTuple):
    """The maximum size of a picture."""

    max_bytes: int
    max_pixels: int
    max_edge: int

    def check_bytes(self, data: bytes) -> None:
        if len(data) > self.max_bytes:
            raise ImageRefused("image_too_large", f"Send at most {self.max_bytes // MEBIBYTE} MiB.")

    def check_pixels(self, width: int, height: int) -> None:
        if max(width, height) > self.max_edge:
            message = f"Send at most {self.max_edge} by {self.max_edge} pixels."
            raise ImageRefused("image_too_large", message)
        if width * height > self.max_pixels:
            message = f"Send at most {self.max_pixels // MEGAPIXEL} megapixels."
            raise ImageRefused("image_too_large", message)


PHOTO: Final = ImageLimits(10 * MEBIBYTE, 50 * MEGAPIXEL, 50 * MEGAPIXEL)
SIGNATURE: Final = ImageLimits(MEBIBYTE, 16 * MEGAPIXEL, 4000)


class EncodedImage(NamedTuple):
    """A picture for storage, with facts about the original."""

    data: bytes
    content_type: str
    width: int
    height: int
    thumbnail: bytes
    original_type: str
    pixels: int
    exif: dict[str, Any]


class OpenedImage(NamedTuple):
    """A picture whose header was read."""

    image: ImageFile
    content_type: str
    width: int
    height: int

    @property
    def pixels(self) -> int:
        """The number of pixels to decode."""
        return self.width * self.height


def convert_photo(data: bytes) -> EncodedImage:
    """Validate and re-encode a photo for storage."""
    opened_image = open_image(data, PHOTO)
    image, facts = _decode_upright_image(opened_image, "YCbCr")
    encoded_image = pixels.encode_image(image, "JPEG", quality=JPEG_QUALITY)
    return _to_encoded_image(opened_image, facts, image, "image/jpeg", encoded_image)


def convert_signature(data: bytes) -> EncodedImage:
    """Validate and re-encode a signature; reject a blank one."""
    opened_image = open_image(data, SIGNATURE)
    image, facts = _decode_upright_image(opened_image)
    if pixels.measure_ink_share(image) < MIN_INK_SHARE:
        raise ImageRefused("signature_blank")
    return _to_encoded_image(
        opened_image, facts, image, "image/png", pixels.encode_image(image, "PNG")
    )


def decode_grey(opened_image: OpenedImage, edge: int) -> Image.Image:
    """Decode a picture in grey, no larger than needed."""
    return _decode_opaque_image(opened_image, edge, "L").convert("L")


def open_image(data: bytes, limits: ImageLimits) -> OpenedImage:
    """Apply all checks that need no decoding."""
    opened_image = read_header(data, limits)
    end = polyglots.find_end(data, opened_image.content_type)
    if end is None:
        raise ImageRefused("image_unreadable", TRUNCATED_MESSAGE)
    if polyglots.is_polyglot(data, data[end:]):
        raise ImageRefused("image_unreadable", POLYGLOT_MESSAGE)
    return opened_image


def read_header(data: bytes, limits: ImageLimits) -> OpenedImage:
    """Read a picture's header; reject a picture that is too large or animated."""
    limits.check_bytes(data)
    matching_formats = (
        candidate
        for candidate in PLUGINS
        if data.startswith(candidate[0]) and candidate[1] in data[8:12]
    )
    _, _, content_type, plugin = next(matching_formats, (b"", b"", "", None))
    if plugin is None:
        raise ImageRefused("image_unsupported", _describe_unsupported_format(data))
    try:
        image = plugin(BytesIO(data))
        width, height = image.size
        is_animated = getattr(image, "is_animated", False)
    except Exception:  # noqa: BLE001 - decoders given hostile bytes raise anything
        raise ImageRefused("image_unreadable", DAMAGED_MESSAGE) from None
    limits.check_pixels(width, height)
    if is_animated:
        raise ImageRefused("image_unreadable", ANIMATED_MESSAGE)
    return OpenedImage(image, content_type, width, height)


def _describe_unsupported_format(data: bytes) -> str:
    """Describe a format that phones write and Pannier does not accept."""
    if data[4:8] != b"ftyp":
        return ""
    if data[8:12] in AVIF_BRANDS:
        return AVIF_MESSAGE
    return HEIC_MESSAGE if data[8:12] in HEIC_BRANDS else ""


def _decode_upright_image(
    opened_image: OpenedImage, mode: str | None = None
) -> tuple[Image.Image, dict[str, Any]]:
    image = _decode_opaque_image(opened_image, MAX_EDGE_PIXELS, mode)
    facts = exif.read_facts(opened_image.image.info.get("exif", b""))
    return pixels.turn_upright(image, facts.get("orientation")), facts


def _decode_opaque_image(opened_image: OpenedImage, edge: int, mode: str | None) -> Image.Image:
    """Decode a picture without transparency, no larger than needed."""
    try:
        return pixels.flatten_transparency(pixels.decode_image(opened_image.image, edge, mode))
    except Exception:  # noqa: BLE001 - decoders given hostile bytes raise anything
        raise ImageRefused("image_unreadable", DAMAGED_MESSAGE) from None


def _to_encoded_image(
    opened_image: OpenedImage,
    facts: dict[str, Any],
    image: Image.Image,
    content_type: str,
    encoded: bytes,
) -> EncodedImage:
    return EncodedImage(
        data=encoded,
        content_type=content_type,
        width=image.width,
        height=image.height,
        thumbnail=pixels.encode_thumbnail(image, THUMBNAIL_EDGE_PIXELS),
        original_type=opened_image.content_type,
        pixels=opened_image.pixels,
        exif=facts,
    )
