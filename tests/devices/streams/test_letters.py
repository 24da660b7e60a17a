"""A message holds an event, some events, or both with a token."""

import msgspec
import pytest

from pannier.devices.brokers.mqtt_payload import parse_payload
from pannier.devices.items import EventItem

EVENT = {"event_type": "heartbeat", "timestamp": "2026-01-15T12:00:00Z"}


def encoded(value: object) -> bytes:
    return msgspec.json.encode(value)


@pytest.mark.parametrize(
    ("payload", "count", "token"),
    [
        (EVENT, 1, None),
        ([EVENT, EVENT], 2, None),
        ({**EVENT, "token": "dvc"}, 1, "dvc"),
        ({"token": "dvc", "events": EVENT}, 1, "dvc"),
        ({"token": "dvc", "events": [EVENT, EVENT]}, 2, "dvc"),
        ({"events": [EVENT]}, 1, None),
        ([], 0, None),
    ],
)
def test_events_come_alone_or_together_with_or_without_a_token(
    payload: object, count: int, token: str | None
) -> None:
    letter = parse_payload(encoded(payload))
    assert letter.token == token
    assert [type(item) for item in letter.events] == [EventItem] * count


@pytest.mark.parametrize(
    "payload", [b"", b"no JSON", b"{", b'{"token": 3}', b'{"events": [}', b"\xff\xfe", b"[" * 2000]
)
def test_what_cannot_be_read_is_one_thing_to_refuse(payload: bytes) -> None:
    letter = parse_payload(payload)
    assert letter.token is None
    assert len(letter.events) == 1


def test_no_token_is_kept_with_what_is_refused() -> None:
    letter = parse_payload(encoded({"token": "dvc_secret", "event_type": 3}))
    assert letter.token == "dvc_secret"
    assert b"dvc_secret" not in b"".join(map(bytes, letter.events))


@pytest.mark.parametrize(
    "payload",
    [
        b'{"token": "dvc_secret", "event_type": "\xff"}',
        b'{"token": "dvc_secret", "events": [{"event_type": "\xff"}]}',
    ],
)
def test_no_token_is_kept_beside_a_value_that_is_not_text(payload: bytes) -> None:
    assert parse_payload(payload) == ([b""], "dvc_secret")


@pytest.mark.parametrize(
    "payload",
    [
        b'{"token": "dvc_secret"} more',
        b'{"token": "dvc_secret", "events": [{"event_type": "\\ud83d"}]}',
    ],
)
def test_no_token_is_kept_of_a_message_that_cannot_be_read(payload: bytes) -> None:
    assert parse_payload(payload) == ([b""], None)


def test_no_token_is_kept_beside_a_name_that_is_no_text() -> None:
    assert parse_payload(b'{"token": "dvc_secret", "\xb6vents": []}') == ([b""], "dvc_secret")
