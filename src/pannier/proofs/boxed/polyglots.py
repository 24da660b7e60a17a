"""Files that are a picture and something else at once, which somebody may be tricked into running.

We store only what we encoded ourselves, so this is the second lock. It must not turn honest
pictures away: a phone's film behind its photo does no harm, and in ten megabytes of coded pixels
any four letters come up by chance in one picture of fifty. So each sign is long enough not to.
"""

import re
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Final

# A tag that a browser or a server runs; a short one only with the text of one behind it.
_MARKUP: Final = re.compile(
    rb"<(?=[!?bhis])(?:"  # a quick look at one letter, which nearly always settles it
    rb"!doctype\s+(?:html|svg)|html[\s/>]|script[\s/>]|iframe[\s/>]|\?php\s|"
    rb"(?:svg|img|body)[\s/>][\t\n\r -~]{8}"
    rb")",
    re.IGNORECASE,
)
_PDF: Final = re.compile(rb"%PDF-[0-9]\.")
# A script can take the length of the first part for the start of a comment, and end it later.
_COMMENT: Final = b"/*"
_COMMENT_END: Final = re.compile(rb"\*/\s{0,8}[=;(]")
# Programs, documents that run them and archives that hold them, as they begin.
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


def _after(sign: bytes) -> Callable[[bytes], int | None]:
    def end(data: bytes) -> int | None:
        at = data.rfind(sign)
        return None if at < 0 else at + len(sign)

    return end


def _webp(data: bytes) -> int | None:
    end = 8 + int.from_bytes(data[4:8], "little")
    return end if end <= len(data) else None


_ENDS: Final[Mapping[str, Callable[[bytes], int | None]]] = {
    "image/jpeg": _after(b"\xff\xd9"),
    "image/png": _after(b"IEND\xaeB`\x82"),
    "image/webp": _webp,
}


def end_of(data: bytes, content_type: str) -> int | None:
    """Tell where a picture ends, at the latest; None when its end is missing."""
    return _ENDS[content_type](data)


def is_polyglot(data: bytes, trailer: bytes) -> bool:
    """Tell whether a picture is something else too; the trailer is what follows its end."""
    return (
        _MARKUP.search(data) is not None
        or (b"%PDF-" in data and _PDF.search(data) is not None)
        or (data[4:6] == _COMMENT and _COMMENT_END.search(data) is not None)
        or trailer.startswith(_PROGRAMS)
        or trailer.lstrip(_PADDING).startswith(_PROGRAMS)
        or any(sign in trailer for sign in _ARCHIVES)
        # The sign of its end alone comes up by chance; with an entry of its directory it does not.
        or (zipfile.is_zipfile(BytesIO(data)) and b"PK\x01\x02" in data)
    )
