"""What a file is, told by its content: whoever uploads it may say anything."""

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

_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_MARKUP: Final = re.compile(
    rb"\A(\xef\xbb\xbf)?\s*<|<\s*(!doctype|\?xml|html|head|body|script|svg|iframe|img)\b",
    re.IGNORECASE,
)


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
    if _MARKUP.search(data):
        return UNKNOWN
    said = (declared or "").partition(";")[0].strip().lower()
    return said if said in TEXTS else "text/plain"


def _is_text(data: bytes) -> bool:
    if _CONTROL.search(data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_json(data: bytes) -> bool:
    if not data.lstrip().startswith((b"{", b"[")):
        return False
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
