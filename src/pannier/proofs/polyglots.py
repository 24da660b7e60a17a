"""Files that are a picture and something else at once, which somebody may be tricked into running.

We store only what we encoded ourselves, so this is the second lock. It must not turn honest
pictures away: a phone's film behind its photo is no harm, and in ten megabytes of noise any four
letters come up once in fifty pictures. So a sign has to be long enough not to come up by chance.
"""

import re
import zipfile
from io import BytesIO
from typing import Final

# A tag that browsers open, with the text of one behind it.
_MARKUP: Final = re.compile(
    rb"<(?:"
    rb"!doctype\s|html[\s/>]|script[\s/>]|\?php\s|iframe[\s/>]|"
    rb"(?:svg|img|body|head|object|embed|\?xml)[\s/>][\t\n\r -~]{8}"
    rb")",
    re.IGNORECASE,
)
_PDF: Final = re.compile(rb"%PDF-[0-9]\.")
_ARCHIVES: Final = (b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c")
# Programs and containers of programs, as they begin.
_PROGRAMS: Final = (
    b"\x7fELF",
    b"MZ",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\0asm",
    b"dex\n",
    b"#!",
    b"%!PS",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"MSCF",
    b"\x1f\x8b\x08",
)
_PADDING: Final = b"\0 \t\r\n"
# A script can read the length of a first segment as the start of a comment.
_COMMENT_END: Final = re.compile(rb"\*/\s*[=;(]")


def is_polyglot(data: bytes, trailer: bytes) -> bool:
    """Tell whether a picture is something else too; the trailer is what follows its end."""
    return (
        _MARKUP.search(data) is not None
        or _PDF.search(data) is not None
        or any(sign in data for sign in _ARCHIVES)
        or _is_script(data)
        or _is_program(trailer)
        or _is_zip(data)
    )


def _is_script(data: bytes) -> bool:
    return data[4:6] == b"/*" and _COMMENT_END.search(data) is not None


def _is_program(trailer: bytes) -> bool:
    return trailer.startswith(_PROGRAMS) or trailer.lstrip(_PADDING).startswith(_PROGRAMS)


def _is_zip(data: bytes) -> bool:
    # The sign of its end alone comes up by chance; with an entry of its directory it does not.
    return b"PK\x01\x02" in data and zipfile.is_zipfile(BytesIO(data))
