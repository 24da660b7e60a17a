"""Barcodes in photos of labels."""

from collections.abc import Iterator
from functools import partial
from typing import Final
from uuid import UUID

import msgspec

from pannier.proofs import images, sandbox

# Enough for five passes over the largest picture. Codes found before a timeout count.
CPU_SECONDS: Final = 5

Code = tuple[str, str, str | None]


class Symbol(msgspec.Struct, frozen=True):
    """A decoded barcode."""

    text: str
    symbology: str


async def read_codes(company: UUID, data: bytes) -> list[Symbol]:
    """Read the barcodes of any symbology in a picture.

    A code with several spellings appears in each, the longest first.
    """
    work = partial(sandbox.run, "codes", [data], seconds=CPU_SECONDS)
    outcome = await images.queue.run(company, work)
    # zxing may never return; codes found before the timeout count.
    results = outcome.parts if outcome.timed_out else images.check_output(outcome)
    codes = [code for result in results for code in result.report.codes]
    symbols = [symbol for code in codes for symbol in _spellings(code)]
    # PostgreSQL cannot store a zero byte in text, and no label has one.
    return [symbol for symbol in symbols if symbol.text and "\0" not in symbol.text]


def _spellings(code: Code) -> Iterator[Symbol]:
    """Yield a code as it was read, and in the shorter forms that many scanners use for UPC."""
    text, name, short = code
    yield Symbol(text, name)
    if name in {"EAN13", "UPCA", "UPCE"} and text.startswith("0"):
        yield Symbol(text[1:], "UPCA")
    if short is not None:
        yield Symbol(short, name)
