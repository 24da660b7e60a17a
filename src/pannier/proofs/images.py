"""Pictures as evidence: checked by content, turned upright, shrunk and encoded anew.

What is stored is what we encoded; of what was sent only its hash and a few facts remain.

`Image.MAX_IMAGE_PIXELS` and the warning filters belong to the whole process and stay as they are:
a picture's size is read from its header and refused before Pillow sees it, well below the size at
which Pillow would warn.
"""

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec

from pannier.errors import Problem
from pannier.proofs import containers, exif, pixels, polyglots
from pannier.proofs.containers import Container
from pannier.proofs.threads import ImageThreads

if TYPE_CHECKING:
    from PIL.Image import Image

LONG_EDGE: Final = 2048
THUMBNAIL_EDGE: Final = 320
QUALITY: Final = 85
LEAST_INK: Final = 0.001
MEBIBYTE: Final = 1024 * 1024
MEGAPIXEL: Final = 1_000_000

Result = TypeVar("Result")
threads: Final = ImageThreads()


class ImageTooLarge(Problem):
    """A picture has more bytes or more pixels than we take."""

    status, code, title = 413, "image_too_large", "The picture is too large."


class ImageUnsupported(Problem):
    """What was sent is no JPEG, PNG or WebP, whatever its name says."""

    status, code = 415, "image_unsupported"
    title = "This is no picture of a kind we take; send a JPEG, PNG or WebP."


class ImageUnreadable(Problem):
    """A picture is truncated, damaged, animated, or something else at the same time."""

    status, code, title = 422, "image_unreadable", "The picture cannot be read."


class ImageTooSlow(Problem):
    """A picture took longer to work on than any honest one does."""

    status, code, title = 422, "image_too_slow", "The picture takes too long to work on."


class SignatureBlank(Problem):
    """Nobody has signed: the picture has no ink, or hardly any."""

    status, code, title = 422, "signature_blank", "The signature is blank."


class Limits(NamedTuple):
    """How large a picture may be."""

    octets: int
    pixels: int
    edge: int

    def check_octets(self, data: bytes) -> None:
        """Refuse a file with too many bytes."""
        if len(data) > self.octets:
            raise ImageTooLarge(f"Send at most {self.octets // MEBIBYTE} MiB.")

    def check_pixels(self, width: int, height: int) -> None:
        """Refuse a picture with too many pixels."""
        if max(width, height) > self.edge:
            raise ImageTooLarge(f"Send at most {self.edge} by {self.edge} pixels.")
        if width * height > self.pixels:
            raise ImageTooLarge(f"Send at most {self.pixels // MEGAPIXEL} megapixels.")


PHOTO: Final = Limits(10 * MEBIBYTE, 50 * MEGAPIXEL, 50 * MEGAPIXEL)
SIGNATURE: Final = Limits(MEBIBYTE, 16 * MEGAPIXEL, 4000)


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


async def worked(work: Callable[[], Result], pool: ImageThreads = threads) -> Result:
    """Work on a picture off the event loop, for so long and no longer."""
    try:
        return await pool.do(work)
    except TimeoutError:
        raise ImageTooSlow from None


def checked(data: bytes, limits: Limits) -> Container:
    """Refuse all that can be refused without decoding it."""
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


def decoded(container: Container, edge: int, mode: str | None = None) -> "Image":
    """Decode a picture, no larger than needed and with nothing to see through."""
    try:
        return pixels.opaque(pixels.load(container, edge, mode))
    except ValueError as wrong:
        raise ImageUnreadable(str(wrong)) from None


def _photo(data: bytes) -> Picture:
    container = checked(data, PHOTO)
    facts = exif.read(container.exif)
    image = pixels.upright(decoded(container, LONG_EDGE, "YCbCr"), facts.get("orientation"))
    encoded = pixels.encoded(image, "JPEG", quality=QUALITY)
    return _picture(data, container, facts, image, "image/jpeg", encoded)


def _signature(data: bytes) -> Picture:
    container = checked(data, SIGNATURE)
    facts = exif.read(container.exif)
    image = pixels.upright(decoded(container, LONG_EDGE), facts.get("orientation"))
    if pixels.ink(image) < LEAST_INK:
        raise SignatureBlank
    return _picture(data, container, facts, image, "image/png", pixels.encoded(image, "PNG"))


def _picture(
    data: bytes,
    container: Container,
    facts: dict[str, Any],
    image: "Image",
    content_type: str,
    encoded: bytes,
) -> Picture:
    return Picture(
        data=encoded,
        content_type=content_type,
        width=image.width,
        height=image.height,
        thumbnail=pixels.thumbnail(image, THUMBNAIL_EDGE),
        original_sha256=hashlib.sha256(data).hexdigest(),
        original_type=container.content_type,
        exif=facts,
    )
