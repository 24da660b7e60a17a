"""The program in the sandbox: reads a job from standard input and writes reports.

It has nothing of the server's memory and an empty environment. It cannot open files or sockets, and
its time, memory and output are limited. So an attacker who compromises it through a picture finds
nothing and reaches nothing.
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

from pannier.proofs.boxed import ASKED, HEAD, pictures, printing, walls
from pannier.proofs.boxed import codes as reading
from pannier.proofs.boxed.pictures import Made, Refused

MEBIBYTE: Final = 1024 * 1024
# Fifty megapixels take up to 800 MB while they are decoded.
MEMORY: Final = 1536 * MEBIBYTE
OUTPUT: Final = 64 * MEBIBYTE
STANDARD: Final = 3  # input, output, errors

Telling = tuple[dict[str, Any], list[bytes]]


def photos(parts: list[bytes], most: int) -> Iterator[Telling]:
    """Re-encode photos for storage, up to a total number of pixels."""
    # Check all headers before decoding anything, one at a time: some take much memory.
    if sum(pictures.headed(data, pictures.PHOTO).pixels for data in parts) > most:
        words = f"Send at most {most // pictures.MEGAPIXEL} megapixels in one request."
        raise Refused("image_too_large", words)
    return _pictures(pictures.photo, parts)


def signatures(parts: list[bytes], _: int) -> Iterator[Telling]:
    """Re-encode signatures for storage."""
    return _pictures(pictures.signature, parts)


def _pictures(make: Callable[[bytes], Made], parts: list[bytes]) -> Iterator[Telling]:
    for data in parts:
        facts = make(data)._asdict()
        yield facts, [facts.pop("data"), facts.pop("thumbnail")]


def codes(parts: list[bytes], _: int) -> Iterator[Telling]:
    for found in reading.looks(parts[0]):
        yield {"codes": found}, []


def prints(parts: list[bytes], _: int) -> Iterator[Telling]:
    """Shrink pictures to print size."""
    for data in parts:
        made = printing.fit_to_print(data)
        yield {"readable": made is not None}, [made or b""]


JOBS: Final[dict[str, Callable[[list[bytes], int], Iterator[Telling]]]] = {
    "photos": photos,
    "signatures": signatures,
    "codes": codes,
    "prints": prints,
}


def load() -> None:
    """Load lazily imported modules while files can still be opened.

    No module can be imported once the filter is installed. A test decodes pictures of every kind
    and fails when a module is missing here.
    """
    warnings.simplefilter("ignore")  # showing a warning opens its source file
    Image.preinit()
    Image.new("RGB", (1, 1), "white").convert("P").convert("RGBA")


def main() -> None:
    """Run one job."""
    with open(0, "rb", closefd=False) as asked:
        job, seconds, most = ASKED.unpack(asked.read(ASKED.size))
        _shut_in(seconds)
        parts = list(_parts(asked))
    try:
        for facts, made in JOBS[job.rstrip(b"\0").decode()](parts, most):
            _tell(facts, made)
    except Refused as refused:
        _tell({"refused": refused.code, "words": refused.words}, [])
    except MemoryError:
        _tell({"refused": "image_unreadable", "words": "The picture takes too much memory."}, [])
    _tell({"done": True}, [])


def _shut_in(seconds: int) -> None:
    """Give up all permissions that a decoder does not need, irrevocably."""
    os.nice(2)  # ordinary requests take precedence
    # The kernel enforces the CPU limit even when the caller is gone, and counts CPU time, so a busy
    # machine does not shorten it.
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, OUTPUT),
        (resource.RLIMIT_NOFILE, STANDARD),
        (resource.RLIMIT_NPROC, 0),
    )
    for limit, most in limits:
        resource.setrlimit(limit, (most, most))
    walls.build()


def _parts(asked: BinaryIO) -> Iterator[bytes]:
    while head := asked.read(4):
        yield asked.read(int.from_bytes(head, "little"))


def _tell(facts: dict[str, Any], made: list[bytes]) -> None:
    """Write a report immediately, so that a later timeout does not lose it."""
    told = json.dumps({**facts, "sizes": [len(data) for data in made]}).encode()
    with open(1, "wb", closefd=False) as telling:
        telling.writelines((HEAD.pack(len(told), sum(map(len, made))), told, *made))
