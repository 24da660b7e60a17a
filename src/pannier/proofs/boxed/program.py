"""The program in the box: it takes a job from its standard input, and tells what came of it.

It is an interpreter of its own, with nothing of the server's memory and an empty environment. Once
its libraries are loaded it can open no file and no socket any more, and has so much time, memory
and output and no more: whoever takes it over through a picture finds nothing there, and gets
nowhere.
"""

import json
import os
import resource
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, Final

from PIL import Image

from pannier.proofs.boxed import HEAD, pictures, printing
from pannier.proofs.boxed.pictures import Made, Refused

MEBIBYTE: Final = 1024 * 1024
# Fifty megapixels take up to 800 MB while they are decoded.
MEMORY: Final = 1536 * MEBIBYTE
OUTPUT: Final = 64 * MEBIBYTE
STANDARD: Final = 3  # input, output, errors

Telling = tuple[dict[str, Any], list[bytes]]


def photos(parts: list[bytes], most: int) -> Iterator[Telling]:
    """Make photos fit to be stored, up to so many pixels in all."""
    # Heads are read before anything is decoded, one after the other: some take much memory.
    if sum(pictures.opened(data, pictures.PHOTO).pixels for data in parts) > most:
        words = f"Send at most {most // pictures.MEGAPIXEL} megapixels in one request."
        raise Refused("image_too_large", words)
    return _pictures(pictures.photo, parts)


def signatures(parts: list[bytes], _: int) -> Iterator[Telling]:
    """Make signatures fit to be stored."""
    return _pictures(pictures.signature, parts)


def _pictures(make: Callable[[bytes], Made], parts: list[bytes]) -> Iterator[Telling]:
    for data in parts:
        facts = make(data)._asdict()
        yield facts, [facts.pop("data"), facts.pop("thumbnail")]


def codes(parts: list[bytes], _: int) -> Iterator[Telling]:
    """Read the codes in a picture."""
    from pannier.proofs.boxed import codes as reading  # noqa: PLC0415 - loaded by `main`

    for found in reading.looks(parts[0]):
        yield {"codes": found}, []


def prints(parts: list[bytes], _: int) -> Iterator[Telling]:
    """Make pictures as small as they are printed."""
    for data in parts:
        made = printing.fit_to_print(data)
        yield {"readable": made is not None}, [made or b""]


JOBS: Final[dict[str, Callable[[list[bytes], int], Iterator[Telling]]]] = {
    "photos": photos,
    "signatures": signatures,
    "codes": codes,
    "prints": prints,
}


def main() -> None:
    """Do one job."""
    job, seconds, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    _load(job)
    _shut_in(seconds)
    parts = _parts(sys.stdin.buffer.read())
    try:
        for facts, made in JOBS[job](parts, most):
            _tell(facts, made)
    except Refused as refused:
        _tell({"refused": refused.code, "words": refused.words}, [])
    except MemoryError:
        _tell({"refused": "image_unreadable", "words": "The picture takes too much memory."}, [])
    _tell({"done": True}, [])


def _load(job: str) -> None:
    """Load what is needed later, while files can still be opened."""
    Image.preinit()
    Image.new("RGB", (1, 1), "white").convert("P").convert("RGBA")
    if job == "codes":
        from pannier.proofs.boxed import codes as _  # noqa: F401, PLC0415 - takes a while


def _shut_in(seconds: int) -> None:
    """Give up what a decoder does not need; there is no way back."""
    os.nice(2)  # those who wait for an ordinary answer go first
    # The system stops what takes longer, even when nobody is left to ask for it, and on a busy
    # machine no earlier than on an idle one.
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, OUTPUT),
        (resource.RLIMIT_NOFILE, STANDARD),
    )
    for limit, most in limits:
        resource.setrlimit(limit, (most, most))


def _parts(sent: bytes) -> list[bytes]:
    reader, found = BytesIO(sent), []
    while head := reader.read(4):
        found.append(reader.read(int.from_bytes(head, "little")))
    return found


def _tell(facts: dict[str, Any], made: list[bytes]) -> None:
    """Write what is known now, so that it stays known when we are stopped."""
    told = json.dumps({**facts, "sizes": [len(data) for data in made]}).encode()
    for piece in (HEAD.pack(len(told), sum(map(len, made))), told, *made):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
