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
    run_job = partial(sandbox.run, "codes", [data], seconds=CPU_SECONDS)
    output = await images.queue.run(company, run_job)
    # zxing may never return; codes found before the timeout count.
    results = output.parts if output.timed_out else images.check_output(output)
    codes = [code for result in results for code in result.report.codes]
    symbols = [symbol for code in codes for symbol in _list_spellings(code)]
    # PostgreSQL cannot store a zero byte in text, and no label has one.
    return [symbol for symbol in symbols if symbol.text and "\0" not in symbol.text]


def _list_spellings(code: Code) -> Iterator[Symbol]:
    """Yield a code as read, and in the shorter forms that many scanners use for UPC."""
    text, symbology, short_form = code
    yield Symbol(text, symbology)
    if symbology in {"EAN13", "UPCA", "UPCE"} and text.startswith("0"):
        yield Symbol(text[1:], "UPCA")
    if short_form is not None:
        yield Symbol(short_form, symbology)
