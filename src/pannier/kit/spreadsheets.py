"""CSV that spreadsheets open without evaluating its cells."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

# Prefixes that make a spreadsheet evaluate a cell as a formula (CSV injection).
FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r")


def escape_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would evaluate."""
    return f"'{text}" if text.startswith(FORMULA_PREFIXES) else text


def encode_rows(rows: Iterable[Sequence[object]]) -> bytes:
    """Encode rows as lines of CSV."""
    output = io.StringIO()
    csv.writer(output).writerows(rows)
    return output.getvalue().encode()
