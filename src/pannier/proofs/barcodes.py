"""Codes in pictures: what a photo of a label says."""

from collections.abc import Iterator
from functools import partial
from typing import Final
from uuid import UUID

import msgspec

from pannier.proofs import box, images

# Enough for five looks at the largest picture; what was found before it is over stays found.
CPU_SECONDS: Final = 5

Code = tuple[str, str, str | None]


class Symbol(msgspec.Struct, frozen=True):
    """A code that was read."""

    text: str
    symbology: str


async def read(company: UUID, data: bytes) -> list[Symbol]:
    """Read the codes of any symbology in a picture; empty when none can be read.

    A code with several spellings is told in each, the longest first.
    """
    work = partial(box.run, "codes", [data], seconds=CPU_SECONDS)
    outcome = await images.threads.do(company, work)
    # zxing may never end; what it found before it was stopped is found.
    told = outcome.tellings if outcome.stopped else images.checked(outcome)
    codes = [code for telling in told for code in telling.told.codes]
    symbols = [symbol for code in codes for symbol in _spellings(code)]
    # PostgreSQL keeps no text with a zero byte in it, and no label has one.
    return [symbol for symbol in symbols if symbol.text and "\0" not in symbol.text]


def _spellings(code: Code) -> Iterator[Symbol]:
    """Spell a code as it was read, and as scanners spell it that know American codes by name."""
    text, name, short = code
    yield Symbol(text, name)
    if name in {"EAN13", "UPCA", "UPCE"} and text.startswith("0"):
        yield Symbol(text[1:], "UPCA")
    if short is not None:
        yield Symbol(short, name)
