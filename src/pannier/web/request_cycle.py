"""A request on a connection; a complete response is sent in one write.

uvicorn sends a response in parts, and validates each of its headers anew.
"""

import asyncio
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from pannier.web.buffered_response import HSTS, SECURITY_HEADERS, SINGLE_WRITE_EXTENSION
from pannier.web.idempotency import Headers
from pannier.web.routes import JSON_HEADERS


class SingleWriteCycle(RequestResponseCycle):
    """A request and its response."""

    def __init__(self, connection: HttpToolsProtocol) -> None:
        parser = connection.parser
        super().__init__(
            scope=connection.scope,
            transport=connection.transport,
            flow=connection.flow,
            logger=connection.logger,
            access_logger=connection.access_logger,
            access_log=False,
            default_headers=connection.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=connection.expect_100_continue,
            keep_alive=parser.get_http_version() != "1.0" and parser.should_keep_alive(),
            on_response=connection.on_response_complete,
        )
        cast("Any", self.scope)["extensions"] = {SINGLE_WRITE_EXTENSION: self.write_response}

    def write_response(self, status: int, headers: Headers, body: bytes) -> bool:
        """Write a complete response at once; return False if it must be sent in parts."""
        if self.flow.write_paused or self.response_started or self.disconnected:
            return False
        lines = [
            RENDERED_HEADERS.get(pair) or _render_header(pair)
            for pair in (*self.default_headers, *headers)
        ]
        if not self.keep_alive:
            lines.append(CLOSE_HEADER)
        self.transport.write(b"".join([STATUS_LINE[status], *lines, b"\r\n", body]))
        self.waiting_for_100_continue = False
        self.response_started = self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()
        return True


def _render_header(pair: tuple[bytes, bytes]) -> bytes:
    """Render a header line. A line break in its value would begin another header."""
    if HEADER_RE.search(pair[0]) or HEADER_VALUE_RE.search(pair[1]):
        raise RuntimeError("A header contains forbidden characters.")
    return b"%b: %b\r\n" % pair


# Headers of nearly every response, rendered once.
RENDERED_HEADERS: Final = {
    pair: _render_header(pair) for pair in (*JSON_HEADERS, *SECURITY_HEADERS, HSTS)
}
CLOSE_HEADER: Final = _render_header((b"connection", b"close"))
