"""Detection of files that are a picture and something else at once.

Only re-encoded pictures are stored, so this is a second layer. It must not reject honest
pictures: the video behind a phone's photo is harmless, and any four letters occur by chance in one
of fifty pictures of ten megabytes. So each signature is long enough to avoid that.
"""

import re
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Final

# Tags that browsers or servers execute; short ones only with text after them.
_MARKUP: Final = re.compile(
    rb"<(?=[!?bhis])(?:"  # a fast check of one letter, which usually fails
    rb"!doctype\s+(?:html|svg)|html[\s/>]|script[\s/>]|iframe[\s/>]|\?php\s|"
    rb"(?:svg|img|body)[\s/>][\t\n\r -~]{8}"
    rb")",
    re.IGNORECASE,
)
_PDF: Final = re.compile(rb"%PDF-[0-9]\.")
# JavaScript can read the first segment's length as the start of a comment that ends later.
_COMMENT: Final = b"/*"
_COMMENT_END: Final = re.compile(rb"\*/\s{0,8}[=;(]")
# Leading bytes of programs, of documents that run code, and of archives.
_PROGRAMS: Final = (
    b"\x7fELF",
    b"MZ",
    b"#!",
    b"\xca\xfe\xba\xbe",  # Java, and several Mach-O in one
    b"\xce\xfa\xed\xfe",  # Mach-O
    b"\xcf\xfa\xed\xfe",
    b"\0asm",
    b"dex\n",
    b"%!PS",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",  # Office before 2007
    b"MSCF",
    b"\x1f\x8b\x08",  # gzip
)
_ARCHIVES: Final = (b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c")
_PADDING: Final = b"\0 \t\r\n"


def _make_end_finder(marker: bytes) -> Callable[[bytes], int | None]:
    def find_marker_end(data: bytes) -> int | None:
        position = data.rfind(marker)
        return None if position < 0 else position + len(marker)

    return find_marker_end


def _find_webp_end(data: bytes) -> int | None:
    end = 8 + int.from_bytes(data[4:8], "little")
    return end if end <= len(data) else None


_END_FINDERS: Final[Mapping[str, Callable[[bytes], int | None]]] = {
    "image/jpeg": _make_end_finder(b"\xff\xd9"),
    "image/png": _make_end_finder(b"IEND\xaeB`\x82"),
    "image/webp": _find_webp_end,
}


def find_end(data: bytes, content_type: str) -> int | None:
    """Return the offset after the picture's last end marker, or None if it is missing."""
    return _END_FINDERS[content_type](data)


def is_polyglot(data: bytes, trailer: bytes) -> bool:
    """Return whether a picture is also another kind of file. `trailer` follows its end."""
    return (
        _MARKUP.search(data) is not None
        or (b"%PDF-" in data and _PDF.search(data) is not None)
        or (data[4:6] == _COMMENT and _COMMENT_END.search(data) is not None)
        or trailer.startswith(_PROGRAMS)
        or trailer.lstrip(_PADDING).startswith(_PROGRAMS)
        or any(marker in trailer for marker in _ARCHIVES)
        # The end signature alone occurs by chance; with a directory entry it does not.
        or (zipfile.is_zipfile(BytesIO(data)) and b"PK\x01\x02" in data)
    )
