"""File downloads: never rendered as a page, with range and conditional requests."""

import re
from collections.abc import AsyncIterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import quote

from litestar.types import Receive, Scope, Send

from pannier.errors import Problem
from pannier.files import content_types
from pannier.files.models import File
from pannier.files.storage import Storage

# Nothing in a file may run, load or be framed. Browsers show no PDF inside a sandbox.
SANDBOX_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
)
PDF_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'"
)
_RANGE_PATTERN: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)
_UNSAFE_CHARACTERS: Final = re.compile(r"[^ !#$&+\-.0-9A-Z^_`a-z{}~()\[\],=@\';]")


class RangeNotSatisfiable(Problem):
    """The `Range` header asks for bytes that the file does not have."""

    status, code, title = 416, "range_not_satisfiable", "The range lies beyond the end of the file."
    remedy = "Request a range within the size in `Content-Range`."


class ByteRange(NamedTuple):
    """The bytes from `start` up to, but not including, `end`."""

    start: int
    end: int


class Download:
    """A streamed response, sent after the transaction with exactly these headers."""

    def __init__(
        self, status: int, headers: Mapping[str, str], parts: AsyncIterator[bytes] | None
    ) -> None:
        self.status, self.headers, self.parts = status, headers, parts

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        # An empty first part makes every response a stream, so that HEAD keeps its Content-Length.
        await send({"type": "http.response.body", "body": b"", "more_body": True})
        if self.parts is not None:
            async for part in self.parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def serve(
    storage: Storage, file: File, method: str, request_headers: Mapping[bytes, bytes]
) -> Download:
    """Build the response to a request for a file."""
    headers = make_response_headers(file)
    etags = [
        tag.strip().removeprefix("W/")
        for tag in _get_header(request_headers, b"if-none-match").split(",")
    ]
    if headers["ETag"] in etags or "*" in etags:
        return Download(304, headers, None)
    full_range = ByteRange(0, file.size)
    byte_range = full_range
    if _get_header(request_headers, b"if-range") in {"", headers["ETag"]}:
        byte_range = parse_range(_get_header(request_headers, b"range"), file.size) or full_range
    headers["Content-Length"] = str(byte_range.end - byte_range.start)
    if byte_range != full_range:
        headers["Content-Range"] = f"bytes {byte_range.start}-{byte_range.end - 1}/{file.size}"
    parts = await storage.stream(file.sha256, *byte_range) if method == "GET" else None
    return Download(200 if byte_range == full_range else 206, headers, parts)


def _get_header(headers: Mapping[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1").strip()


def make_response_headers(file: File) -> dict[str, str]:
    """Build the headers that describe a file and keep browsers from rendering it as a page."""
    charset = "; charset=utf-8" if file.content_type.startswith("text/") else ""
    return {
        "Content-Type": file.content_type + charset,
        "Content-Disposition": make_content_disposition(file),
        "Content-Security-Policy": (
            PDF_POLICY if file.content_type == "application/pdf" else SANDBOX_POLICY
        ),
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-cache",
        "ETag": f'"{file.sha256.hex()}"',
        "Accept-Ranges": "bytes",
    }


def make_content_disposition(file: File) -> str:
    """Encode the file's name for every browser (RFC 6266): in ASCII and in full."""
    disposition = "inline" if file.content_type in content_types.INLINE_TYPES else "attachment"
    ascii_name, encoded_name = _UNSAFE_CHARACTERS.sub("_", file.name), quote(file.name, safe="")
    return f"{disposition}; filename=\"{ascii_name}\"; filename*=UTF-8''{encoded_name}"


def parse_range(text: str, size: int) -> ByteRange | None:
    """Parse a Range header. Return None, for the whole file, if it is missing or invalid."""
    match = _RANGE_PATTERN.fullmatch(text)
    if match is None or text == "bytes=-":
        return None
    first_text, last_text = match.groups()
    if not first_text:
        start, end = max(0, size - int(last_text)), size
    else:
        start, end = int(first_text), min(size, int(last_text) + 1) if last_text else size
        if last_text and int(last_text) < start:
            return None
    if start >= end:
        raise RangeNotSatisfiable(headers={"Content-Range": f"bytes */{size}"})
    return ByteRange(start, end)
