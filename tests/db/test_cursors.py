"""Cursors show nothing of their positions, and are valid for their list only."""

import struct

import pytest

from pannier.db.cursors import open_cursor, seal_cursor
from pannier.errors import CursorInvalid
from pannier.events import stream
from pannier.kit import crypto
from pannier.kit.crypto import Keyring
from stage import Firm, House

KEYS = Keyring("a secret for tests that is long enough")
POSITION = struct.pack(">q", 1_234_567)


def test_a_cursor_hides_its_position_and_is_valid_for_its_list_only() -> None:
    cursor = seal_cursor(KEYS, b"list", POSITION)
    assert POSITION not in (crypto.from_text(cursor) or POSITION)
    assert open_cursor(KEYS, b"list", cursor) == POSITION
    # Equal positions have equal cursors; no others have.
    assert seal_cursor(KEYS, b"list", POSITION) == cursor
    others = [(b"list", struct.pack(">q", 1_234_568)), (b"other", POSITION), (b"lis", b"t")]
    assert len({cursor, *(seal_cursor(KEYS, *other) for other in others)}) == 4
    changed = cursor[:20] + ("A" if cursor[20] != "A" else "B") + cursor[21:]
    for scope, text in ((b"other", cursor), (b"list", changed), (b"list", "é"), (b"list", "")):
        with pytest.raises(CursorInvalid):
            open_cursor(KEYS, scope, text)


def test_cursors_of_an_older_secret_and_those_that_were_only_signed_still_work() -> None:
    rotated = Keyring(
        "another secret that is long enough", ["a secret for tests that is long enough"]
    )
    assert open_cursor(rotated, b"list", seal_cursor(KEYS, b"list", POSITION)) == POSITION
    signed = crypto.to_text(KEYS.sign("cursor", b"list" + POSITION) + POSITION)
    assert open_cursor(rotated, b"list", signed) == POSITION
    with pytest.raises(CursorInvalid):
        open_cursor(KEYS, b"other", signed)


async def test_a_signed_cursor_of_events_catches_up(acme: Firm, house: House) -> None:
    scope = f"event_relays|{acme.uuid}|".encode()
    payload = struct.pack(">q", 0)
    keys = house.database.keys
    signed = crypto.to_text(keys.sign("cursor", scope + payload) + payload)
    assert stream.decode_cursor(house.database, acme.uuid, signed) == 0
    answer = await acme.api.get("/v1/events", params={"cursor": signed})
    assert answer.status_code == 200, answer.text
