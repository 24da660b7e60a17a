"""What is sent is divided by shards for its way through JetStream, and put together again."""

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from pannier.devices.brokers.jetstream import decode_parcel
from pannier.devices.brokers.jetstream_backend import (
    MAX_READINGS_PER_PARCEL,
    encode_parcels,
    merge_outcomes,
    split_submission,
)
from pannier.devices.outcomes import IngestOutcome, Submission
from pannier.devices.readings import ItemRefusal, Reading
from pannier.devices.sources import Source

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
GATEWAY = Source(UUID(int=1), UUID(int=2), UUID(int=3), speaks_for_all=True, adopts=True)
SHARDS = 16


def reading(device: str | None, key: int = 0) -> Reading:
    return Reading(
        device=device, class_=0, kind=1, type=None, occurred_at=NOON, event_key=key, data={"a": 1}
    )


@st.composite
def puts(draw: st.DrawFn) -> Submission:
    """Readings of some devices, with refusals anywhere among them."""
    devices = st.sampled_from([None, *(f"d{number}" for number in range(20))])
    sent = draw(st.lists(st.tuples(devices, st.booleans()), max_size=60))
    refused = [
        ItemRefusal(at, "x", "y", b"\xff\x00", who)
        for at, (who, good) in enumerate(sent)
        if not good
    ]
    return Submission(
        GATEWAY, [reading(who, at) for at, (who, good) in enumerate(sent) if good], refused
    )


@given(puts(), st.sampled_from([100, 1000, 1 << 20]))
def test_every_reading_travels_in_one_parcel_with_its_own_index(put: Submission, most: int) -> None:
    parcels = [
        decode_parcel(message)
        for _, whole in split_submission(put, SHARDS)
        for _, message in encode_parcels(whole, "inbox", most)
    ]
    found = [pair for one in parcels for pair in zip(one.indexes, one.readings, strict=True)]
    sent = list(zip(put.indexes, put.readings, strict=True))
    assert sorted(found, key=lambda pair: pair[0]) == sent
    assert [refusal for one in parcels for refusal in one.refusals] == put.refusals
    assert {one.source for one in parcels} <= {GATEWAY}


@given(puts(), st.data())
def test_what_becomes_of_the_parts_is_what_becomes_of_the_whole(
    put: Submission, data: st.DataObject
) -> None:
    outcomes = [
        IngestOutcome(0, 0, list(part.refusals), len(part.readings))
        if data.draw(st.booleans())
        else IngestOutcome(len(part.readings), 0, list(part.refusals))
        for _, part in split_submission(put, SHARDS)
    ]
    whole = merge_outcomes(outcomes)
    assert whole.accepted + whole.pending == len(put.readings)
    assert whole.refusals == put.refusals


def test_a_device_is_always_in_the_same_shard_and_a_large_batch_in_several_parcels() -> None:
    own = GATEWAY._replace(speaks_for_all=False)
    found = list(
        split_submission(
            Submission(own, [reading(None, key) for key in range(MAX_READINGS_PER_PARCEL + 1)]),
            SHARDS,
        )
    )
    assert [len(part.readings) for _, part in found] == [MAX_READINGS_PER_PARCEL, 1]
    assert len({shard for shard, _ in found}) == 1
    fleet = Submission(GATEWAY, [reading(f"d{number}") for number in range(200)])
    assert {shard for shard, _ in split_submission(fleet, SHARDS)} == set(range(SHARDS))
