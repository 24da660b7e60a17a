"""The program in the sandbox: reads a job from standard input and writes reports.

It shares no memory with the server and has an empty environment. It cannot open files or sockets,
and its time, memory and output are limited. So an attacker who compromises it through a picture can
read no secrets and reach no other system.
"""

import json
import os
import resource
import warnings
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

# Pillow imports these only for EXIF or a second picture, when imports no longer work.
from PIL import (
    Image,
    MpoImagePlugin,  # noqa: F401 - loaded for Pillow
    TiffImagePlugin,  # noqa: F401 - loaded for Pillow
)

from pannier.proofs.sandboxed import JOB_HEADER, REPORT_HEADER, pictures, printing, seccomp
from pannier.proofs.sandboxed import barcodes as barcode_scanner
from pannier.proofs.sandboxed.pictures import EncodedImage, ImageRefused

MEBIBYTE: Final = 1024 * 1024
# Fifty megapixels take up to 800 MB while they are decoded.
MAX_MEMORY_BYTES: Final = 1536 * MEBIBYTE
MAX_OUTPUT_BYTES: Final = 64 * MEBIBYTE
MAX_OPEN_FILES: Final = 3  # input, output, errors

PartResult = tuple[dict[str, Any], list[bytes]]


def convert_photos(parts: list[bytes], max_pixels: int) -> Iterator[PartResult]:
    """Re-encode photos for storage, up to a total number of pixels."""
    # Check all headers before decoding anything, one at a time: some take much memory.
    if sum(pictures.read_header(data, pictures.PHOTO).pixels for data in parts) > max_pixels:
        message = f"Send at most {max_pixels // pictures.MEGAPIXEL} megapixels in one request."
        raise ImageRefused("image_too_large", message)
    return _convert_parts(pictures.convert_photo, parts)


def convert_signatures(parts: list[bytes], _: int) -> Iterator[PartResult]:
    """Re-encode signatures for storage."""
    return _convert_parts(pictures.convert_signature, parts)


def _convert_parts(
    convert: Callable[[bytes], EncodedImage], parts: list[bytes]
) -> Iterator[PartResult]:
    for data in parts:
        facts = convert(data)._asdict()
        yield facts, [facts.pop("data"), facts.pop("thumbnail")]


def read_codes(parts: list[bytes], _: int) -> Iterator[PartResult]:
    """Read the barcodes in a picture."""
    for codes in barcode_scanner.scan_codes(parts[0]):
        yield {"codes": codes}, []


def shrink_for_print(parts: list[bytes], _: int) -> Iterator[PartResult]:
    """Shrink pictures to print size."""
    for data in parts:
        print_picture = printing.shrink_picture(data)
        yield {"readable": print_picture is not None}, [print_picture or b""]


JOBS: Final[dict[str, Callable[[list[bytes], int], Iterator[PartResult]]]] = {
    "photos": convert_photos,
    "signatures": convert_signatures,
    "codes": read_codes,
    "prints": shrink_for_print,
}


def preload_modules() -> None:
    """Load lazily imported modules while files can still be opened.

    No module can be imported once the filter is installed. A test decodes pictures of every kind
    and fails when a module is missing here.
    """
    warnings.simplefilter("ignore")  # showing a warning opens its source file
    Image.preinit()
    Image.new("RGB", (1, 1), "white").convert("P").convert("RGBA")


def main() -> None:
    """Run one job."""
    with open(0, "rb", closefd=False) as job_input:
        job, seconds, max_pixels = JOB_HEADER.unpack(job_input.read(JOB_HEADER.size))
        _drop_privileges(seconds)
        parts = list(_read_parts(job_input))
    try:
        for facts, contents in JOBS[job.rstrip(b"\0").decode()](parts, max_pixels):
            _write_report(facts, contents)
    except ImageRefused as error:
        _write_report({"error_code": error.code, "message": error.message}, [])
    except MemoryError:
        _write_report(
            {"error_code": "image_unreadable", "message": "The picture takes too much memory."}, []
        )
    _write_report({"done": True}, [])


def _drop_privileges(seconds: int) -> None:
    """Give up all permissions that a decoder does not need, irrevocably."""
    os.nice(2)  # ordinary requests take precedence
    # The kernel enforces the CPU limit even when the caller is gone, and counts CPU time, so a busy
    # machine does not shorten it.
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MAX_MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, MAX_OUTPUT_BYTES),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
        (resource.RLIMIT_NPROC, 0),
    )
    for limit, value in limits:
        resource.setrlimit(limit, (value, value))
    seccomp.install_filter()


def _read_parts(request: BinaryIO) -> Iterator[bytes]:
    while head := request.read(4):
        yield request.read(int.from_bytes(head, "little"))


def _write_report(facts: dict[str, Any], contents: list[bytes]) -> None:
    """Write a report immediately, so that a later timeout does not lose it."""
    report = json.dumps({**facts, "sizes": [len(data) for data in contents]}).encode()
    with open(1, "wb", closefd=False) as output:
        output.writelines(
            (REPORT_HEADER.pack(len(report), sum(map(len, contents))), report, *contents)
        )
