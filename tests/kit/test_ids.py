"""Identifiers sort by time, and nobody can guess them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pannier.kit import ids

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


def test_a_uuid_is_a_version_7_of_the_right_variant_and_holds_its_millisecond() -> None:
    made = ids.new_uuid(NOON)
    assert made.version == 7
    assert made.variant == "specified in RFC 4122"
    assert made.int >> 80 == int(NOON.timestamp() * 1000)


@given(st.lists(st.integers(min_value=0, max_value=3), min_size=1, max_size=200))
def test_uuids_sort_in_the_order_in_which_they_were_made(steps: list[int]) -> None:
    moment, made = NOON, []
    for step in steps:
        moment += timedelta(milliseconds=step)
        made.append(ids.new_uuid(moment))
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_a_public_id_names_its_kind_and_has_at_least_60_random_bits() -> None:
    made = {ids.new_public_id("order") for _ in range(1000)}
    assert len(made) == 1000
    assert all(text.startswith("order_") for text in made)
    assert len(ids.ALPHABET) ** ids.RANDOM_LENGTH >= 2**60


def test_only_a_spelled_out_uuid_is_read_as_one() -> None:
    made = ids.new_uuid(NOON)
    assert ids.parse_uuid(str(made)) == made
    assert ids.parse_uuid(made.hex) is None
    assert ids.parse_uuid("order_4fT0") is None
    assert ids.parse_uuid("x" * 36) is None
