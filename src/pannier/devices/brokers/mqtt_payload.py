"""The payload of an MQTT message: events and a token."""

from typing import Any, NamedTuple

import msgspec

from pannier.devices.items import split_body
from pannier.errors import BodyUnreadable


class MqttPayload(NamedTuple):
    """The unparsed events of a message, and the token that came with them."""

    events: list[Any]
    token: str | None = None


class _Envelope(msgspec.Struct):
    """An envelope with a token, for MQTT 3.1.1, which has no user properties."""

    token: str | None = None
    events: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def parse_payload(payload: bytes) -> MqttPayload:
    """Split a payload: an event, a list of them, or `{"token": …, "events": …}`.

    A payload that cannot be parsed is rejected later, once its sender is known.
    """
    envelope = _parse_envelope(payload)
    try:
        if isinstance(envelope.events, msgspec.Raw):
            return MqttPayload(split_body(bytes(envelope.events)), envelope.token)
        if envelope.token is not None:
            return MqttPayload(split_body(_remove_token(payload)), envelope.token)
        return MqttPayload(split_body(payload))
    except (BodyUnreadable, UnicodeError):
        # Rejected bodies are kept for the company to read. They must not contain a token.
        return MqttPayload([b"" if b"token" in payload else payload], envelope.token)


def _parse_envelope(payload: bytes) -> _Envelope:
    try:
        is_object = payload.lstrip()[:1] == b"{"
        return msgspec.json.decode(payload, type=_Envelope) if is_object else _Envelope()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _Envelope()


def _remove_token(payload: bytes) -> bytes:
    """Remove the token, because rejected events are kept and shown."""
    event = msgspec.json.decode(payload, type=dict[str, msgspec.Raw])
    del event["token"]
    return msgspec.json.encode(event)
