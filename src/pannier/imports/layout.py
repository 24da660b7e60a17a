"""Detection of a file's format, encoding and separator. Pure rules."""

import codecs
import csv
import re
from typing import Final

ZIP_MAGIC: Final = b"PK\x03\x04"
# The beginning of a file that is examined.
MAX_EXAMINED_BYTES: Final = 256 * 1024
SEPARATORS: Final = (",", ";", "\t", "|")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# A share of zero bytes at odd or even positions above this is UTF-16 without a mark.
_UTF_16_SHARE: Final = 0.3


def is_xlsx(head: bytes) -> bool:
    """Tell whether a file begins as a ZIP archive, as all XLSX files do."""
    return head.startswith(ZIP_MAGIC)


def detect_encoding(head: bytes) -> str:
    """Return the encoding of a text from its beginning."""
    for byte_order_mark, encoding in _MARKS:
        if head.startswith(byte_order_mark):
            return encoding
    half = max(1, len(head) // 2)
    if head[1::2].count(0) / half > _UTF_16_SHARE:
        return "utf-16-le"
    if head[::2].count(0) / half > _UTF_16_SHARE:
        return "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def detect_separator(text: str) -> str:
    """Return the separator of a CSV file from its beginning: the one that splits its header most.

    A separator inside quotes does not count.
    """
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    if not lines:
        return SEPARATORS[0]
    declared = re.fullmatch(r"sep=(.)", lines[0].lstrip("\ufeff"), re.IGNORECASE)
    if declared is not None:
        return declared[1]

    def count_columns(separator: str) -> int:
        return max(len(row) for row in csv.reader(lines[:1], delimiter=separator))

    return max(SEPARATORS, key=count_columns)
