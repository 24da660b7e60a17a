"""Pictures as evidence: validated and re-encoded in the sandbox."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.errors import Problem
from pannier.files import content_types
from pannier.proofs import sandbox
from pannier.proofs.image_queue import ImageQueue
from pannier.proofs.sandbox import Job, JobOutput, PartResult

# A typical photo takes 0.2 CPU seconds, the slowest a little over one second.
CPU_SECONDS: Final = 6
# All pictures of a request are processed in one job.
MAX_PIXELS_PER_REQUEST: Final = 200_000_000
MAX_EDGE_PIXELS: Final = 2048

queue: Final = ImageQueue()


class ImageTooLarge(Problem):
    """An image exceeds the limit, or all images in the request together do."""

    status, code, title = 413, "image_too_large", "The image is too large."
    remedy = "Send smaller images."


class ImageUnsupported(Problem):
    """The type is detected from the content, not from the file's name."""

    status, code = 415, "image_unsupported"
    title = "The file is not a supported image."
    remedy = "Send a JPEG, PNG or WebP image."


class ImageUnreadable(Problem):
    """The image is truncated, damaged or animated."""

    status, code, title = 422, "image_unreadable", "The image cannot be read."
    remedy = "Send it again as a plain JPEG, PNG or WebP image."


class ImageTooSlow(Problem):
    """Image processing exceeded its time limit."""

    status, code, title = 422, "image_too_slow", "The image took too long to process."
    remedy = "Send a smaller or simpler image."


class SignatureBlank(Problem):
    """The image shows no ink, or hardly any."""

    status, code, title = 422, "signature_blank", "The signature is blank."
    remedy = "Ask the recipient to sign again."


PROBLEMS_BY_CODE: Final[Mapping[str, type[Problem]]] = {
    problem.code: problem
    for problem in (ImageTooLarge, ImageUnsupported, ImageUnreadable, SignatureBlank)
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


async def process_photos(company: UUID, images: Sequence[bytes]) -> list[Picture]:
    """Validate and re-encode photos for storage."""
    return await _process_pictures(company, "photos", images)


async def process_signature(company: UUID, image: bytes) -> Picture:
    """Validate and re-encode a signature. Raise SignatureBlank if it has no ink."""
    return (await _process_pictures(company, "signatures", [image]))[0]


async def _process_pictures(company: UUID, job: Job, images: Sequence[bytes]) -> list[Picture]:
    run_job = partial(
        sandbox.run, job, images, seconds=CPU_SECONDS, max_pixels=MAX_PIXELS_PER_REQUEST
    )
    output = await queue.run(company, run_job)
    results = check_output(output)
    if len(results) != len(images):
        raise ImageUnreadable
    return [_to_picture(data, result) for data, result in zip(images, results, strict=True)]


def check_output(output: JobOutput) -> list[PartResult]:
    """Return the results of a finished job, or raise the problem that stopped it."""
    for result in output.parts:
        if result.report.error_code is not None:
            problem_class = PROBLEMS_BY_CODE.get(result.report.error_code, ImageUnreadable)
            raise problem_class(result.report.message or None)
    if not output.done:
        raise ImageTooSlow if output.timed_out else ImageUnreadable
    return output.parts


def _to_picture(image: bytes, result: PartResult) -> Picture:
    """Build a picture from a result. Check it, because the sandbox may be compromised."""
    report = result.report
    match result.files:
        case [data, thumbnail] if (
            content_types.detect(data[:32]) == report.content_type
            and content_types.detect(thumbnail[:32]) == "image/webp"
            and 0 < report.width <= MAX_EDGE_PIXELS
            and 0 < report.height <= MAX_EDGE_PIXELS
        ):
            return Picture(
                data=data,
                content_type=report.content_type,
                width=report.width,
                height=report.height,
                thumbnail=thumbnail,
                original_sha256=hashlib.sha256(image).hexdigest(),
                original_type=report.original_type,
                pixels=report.pixels,
                exif=msgspec.to_builtins(report.exif),
            )
    raise ImageUnreadable
