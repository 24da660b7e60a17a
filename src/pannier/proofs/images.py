"""Pictures as evidence: validated and re-encoded in the sandbox."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.errors import Problem
from pannier.files import kinds
from pannier.proofs import box
from pannier.proofs.box import Job, Outcome, Telling
from pannier.proofs.threads import ImageThreads

# A photo takes 0.2 CPU seconds; the largest and slowest takes a little over one second.
CPU_SECONDS: Final = 6
# All pictures of a request are processed in one job.
MOST_PIXELS: Final = 200_000_000
LONG_EDGE: Final = 2048

threads: Final = ImageThreads()


class ImageTooLarge(Problem):
    """The picture, or all pictures of the request, exceed the limit."""

    status, code, title = 413, "image_too_large", "The picture is too large."
    remedy = "Send a smaller one."


class ImageUnsupported(Problem):
    """The content is not a JPEG, PNG or WebP, whatever its name says."""

    status, code = 415, "image_unsupported"
    title = "The file is not a supported picture."
    remedy = "Send a JPEG, PNG or WebP."


class ImageUnreadable(Problem):
    """The picture is truncated, damaged or animated."""

    status, code, title = 422, "image_unreadable", "The picture cannot be read."
    remedy = "Send it again as a plain JPEG, PNG or WebP."


class ImageTooSlow(Problem):
    """Processing of the picture was stopped."""

    status, code, title = 422, "image_too_slow", "The picture took too long to process."
    remedy = "Send a smaller or simpler one."


class SignatureBlank(Problem):
    """The picture shows no ink, or hardly any."""

    status, code, title = 422, "signature_blank", "The signature is blank."
    remedy = "Ask the recipient to sign again."


REFUSALS: Final[Mapping[str, type[Problem]]] = {
    refusal.code: refusal
    for refusal in (ImageTooLarge, ImageUnsupported, ImageUnreadable, SignatureBlank)
}


class Picture(msgspec.Struct, frozen=True):
    """A picture as it is stored, with facts about the original."""

    data: bytes
    content_type: str
    width: int
    height: int
    thumbnail: bytes
    original_sha256: str
    original_type: str
    pixels: int
    exif: dict[str, Any]


async def photos(company: UUID, sent: Sequence[bytes]) -> list[Picture]:
    """Validate and re-encode photos for storage."""
    return await _pictures(company, "photos", sent)


async def signature(company: UUID, sent: bytes) -> Picture:
    """Validate and re-encode a signature; raise SignatureBlank without ink."""
    return (await _pictures(company, "signatures", [sent]))[0]


async def _pictures(company: UUID, job: Job, sent: Sequence[bytes]) -> list[Picture]:
    work = partial(box.run, job, sent, seconds=CPU_SECONDS, most=MOST_PIXELS)
    outcome = await threads.do(company, work)
    told = checked(outcome)
    if len(told) != len(sent):
        raise ImageUnreadable
    return [_picture(data, telling) for data, telling in zip(sent, told, strict=True)]


def checked(outcome: Outcome) -> list[Telling]:
    """Return the reports of a finished job; raise the problem that it reported or died of."""
    for telling in outcome.tellings:
        if telling.told.refused is not None:
            refusal = REFUSALS.get(telling.told.refused, ImageUnreadable)
            raise refusal(telling.told.words or None)
    if not outcome.done:
        raise ImageTooSlow if outcome.stopped else ImageUnreadable
    return outcome.tellings


def _picture(sent: bytes, telling: Telling) -> Picture:
    """Build a picture from a report; check it, because the sandbox may be compromised."""
    told = telling.told
    match telling.made:
        case [data, thumbnail] if (
            kinds.detect(data[:32]) == told.content_type
            and kinds.detect(thumbnail[:32]) == "image/webp"
            and 0 < told.width <= LONG_EDGE
            and 0 < told.height <= LONG_EDGE
        ):
            return Picture(
                data=data,
                content_type=told.content_type,
                width=told.width,
                height=told.height,
                thumbnail=thumbnail,
                original_sha256=hashlib.sha256(sent).hexdigest(),
                original_type=told.original_type,
                pixels=told.pixels,
                exif=msgspec.to_builtins(told.exif),
            )
    raise ImageUnreadable
