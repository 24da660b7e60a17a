"""Letters: what one MQTT message holds, and who sent it."""

from typing import Any, NamedTuple

import msgspec

from pannier.devices.items import items
from pannier.errors import BodyUnreadable


class Letter(NamedTuple):
    """The events of a message, each still to be read, and the token that lay beside them."""

    told: list[Any]
    token: str | None = None


class _Envelope(msgspec.Struct):
    """A message of MQTT 3.1.1, which has no other place for a token."""

    token: str | None = None
    events: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def opened(payload: bytes) -> Letter:
    """Open a message: an event, a list of them, or `{"token": …, "events": …}`.

    What cannot be read is refused later, as a whole, under the name of its sender.
    """
    envelope = _envelope(payload)
    try:
        if isinstance(envelope.events, msgspec.Raw):
            return Letter(items(bytes(envelope.events)), envelope.token)
        if envelope.token is not None:
            return Letter(items(_without_token(payload)), envelope.token)
        return Letter(items(payload))
    except (BodyUnreadable, UnicodeError):
        # Refused bodies are kept for the company to read. A token must not be among them.
        return Letter([b"" if b"token" in payload else payload], envelope.token)


def _envelope(payload: bytes) -> _Envelope:
    try:
        alone = payload.lstrip()[:1] == b"{"
        return msgspec.json.decode(payload, type=_Envelope) if alone else _Envelope()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _Envelope()


def _without_token(payload: bytes) -> bytes:
    """Take the token out: what is refused is kept, and shown to whoever looks for the mistake."""
    event = msgspec.json.decode(payload, type=dict[str, msgspec.Raw])
    del event["token"]
    return msgspec.json.encode(event)
