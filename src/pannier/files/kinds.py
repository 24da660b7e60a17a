"""What a file is, told by its content: whoever uploads it may say anything."""

import codecs
import re
from typing import Final

import msgspec

UNKNOWN: Final = "application/octet-stream"
# Shown in the browser; everything else is only ever saved.
SHOWN: Final = frozenset({"image/jpeg", "image/png", "image/webp", "application/pdf"})
MAGIC: Final = (
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"%PDF-"), "application/pdf"),
)
# Among texts nothing in the content decides, and no browser runs any of them.
TEXTS: Final = frozenset({"text/plain", "text/csv"})

_CONTROL: Final = bytes({*range(0x20), 0x7F} - {*b"\t\n\f\r"})
_MARKUP: Final = re.compile(
    rb"\A(\xef\xbb\xbf)?\s*<|<\s*(!doctype|\?xml|html|head|body|script|svg|iframe|img)\b",
    re.IGNORECASE,
)
# How far we look for markup, which is further than any browser does; and how large JSON may be to
# be told as such. Both hold every other thread up.
_SNIFFED: Final = 64 * 1024
_LARGEST_JSON: Final = 8 * 1024 * 1024
_STEP: Final = 1024 * 1024


def detect(data: bytes, declared: str | None = None) -> str:
    """Tell the content type; what was declared only chooses between kinds of plain text.

    HTML, SVG and XML are unknown on purpose: nothing that was uploaded is ever shown as a page.
    """
    for pattern, kind in MAGIC:
        if pattern.match(data):
            return kind
    if not _is_text(data):
        return UNKNOWN
    if _is_json(data):
        return "application/json"
    if _MARKUP.search(data, 0, _SNIFFED):
        return UNKNOWN
    said = (declared or "").partition(";")[0].strip().lower()
    return said if said in TEXTS else "text/plain"


def _is_text(data: bytes) -> bool:
    """Tell whether it is UTF-8 without control characters, step by step."""
    reader = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _STEP):
            part = data[start : start + _STEP]
            if len(part.translate(None, _CONTROL)) < len(part):
                return False
            reader.decode(part)
        reader.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_json(data: bytes) -> bool:
    if len(data) > _LARGEST_JSON or not data.lstrip().startswith((b"{", b"[")):
        return False
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
