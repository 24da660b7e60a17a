"""Content types, detected from the content: the declared type is not trusted."""

import codecs
import re
from typing import Final

import msgspec

UNKNOWN: Final = "application/octet-stream"
# Types that browsers may show; all others are downloads.
INLINE_TYPES: Final = frozenset({"image/jpeg", "image/png", "image/webp", "application/pdf"})
MAGIC: Final = (
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"%PDF-"), "application/pdf"),
)
# Text types that content cannot distinguish, and that no browser executes.
TEXT_TYPES: Final = frozenset({"text/plain", "text/csv"})

_CONTROL: Final = bytes({*range(0x20), 0x7F} - {*b"\t\n\f\r"})
_MARKUP: Final = re.compile(
    rb"\A(\xef\xbb\xbf)?\s*<|<\s*(!doctype|\?xml|html|head|body|script|svg|iframe|img)\b",
    re.IGNORECASE,
)
# Bytes searched for markup, more than any browser does; and the largest JSON that is parsed. Both
# block all other threads.
_MAX_SNIFFED_BYTES: Final = 64 * 1024
_MAX_JSON_BYTES: Final = 8 * 1024 * 1024
_STEP_BYTES: Final = 1024 * 1024


def detect(data: bytes, declared_type: str | None = None) -> str:
    """Return the content type; the declared type only distinguishes types of plain text.

    HTML, SVG and XML are deliberately unknown: no upload is ever rendered as a page.
    """
    for pattern, content_type in MAGIC:
        if pattern.match(data):
            return content_type
    if not _is_text(data):
        return UNKNOWN
    if _is_json(data):
        return "application/json"
    if _MARKUP.search(data, 0, _MAX_SNIFFED_BYTES):
        return UNKNOWN
    media_type = (declared_type or "").partition(";")[0].strip().lower()
    return media_type if media_type in TEXT_TYPES else "text/plain"


def _is_text(data: bytes) -> bool:
    """Return whether the data is UTF-8 without control characters."""
    reader = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _STEP_BYTES):
            part = data[start : start + _STEP_BYTES]
            if len(part.translate(None, _CONTROL)) < len(part):
                return False
            reader.decode(part)
        reader.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_json(data: bytes) -> bool:
    if len(data) > _MAX_JSON_BYTES or not data.lstrip().startswith((b"{", b"[")):
        return False
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
