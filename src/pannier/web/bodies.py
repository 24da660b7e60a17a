"""JSON bodies: read once, strictly, into what the handler asks for."""

from typing import Any

import msgspec

from pannier.errors import BodyUnreadable, UnsupportedMedia
from pannier.web import offenders
from pannier.web.exchange import Exchange


def read(exchange: Exchange, into: Any) -> Any:  # noqa: ANN401 - an annotation, and a value of it
    """Parse the body; no body at all is an empty object."""
    body = exchange.body or b"{}"
    if exchange.body and not exchange.is_json:
        raise UnsupportedMedia("Send the body as application/json.")
    try:
        return msgspec.json.decode(body, type=into)
    except msgspec.ValidationError as wrong:
        raise offenders.refusal(wrong, plain(body), into) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise BodyUnreadable(f"The body is not valid JSON: {wrong}.") from None


def plain(body: bytes) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Parse a body into plain lists and objects."""
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as wrong:
        raise BodyUnreadable(f"The body is not valid JSON: {wrong}.") from None
