"""Which vehicle a device was on: one at a time, whatever is said in whatever order."""

import itertools
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pannier.devices.models import Attachment
from pannier.devices.registry.attachment_plans import (
    AttachmentOverlaps,
    AttachmentPlan,
    DeviceNotAttached,
    plan_attachment,
    plan_detachment,
)
from pannier.devices.spans import Span, find_vehicle_at
from stage import NOON

COMPANY, DEVICE = UUID(int=1), UUID(int=2)
VANS: Final = [UUID(int=number) for number in (10, 11, 12)]
moments = st.integers(0, 20).map(lambda hours: NOON + timedelta(hours=hours))
verbs = st.lists(st.tuples(st.sampled_from([None, *VANS]), moments), max_size=12)


def applied(past: list[Attachment], plan: AttachmentPlan) -> list[Attachment]:
    """Write a plan into the past, the latest first, as the verbs do."""
    last, *before = past or [None]
    if last is None or plan.removes_last:
        return before
    changes = {"since": plan.last_since, "until": plan.last_until}
    wanted = {name: value for name, value in changes.items() if value is not None}
    return [msgspec.structs.replace(last, **wanted), *before]


@given(verbs)
def test_a_device_is_on_one_vehicle_at_a_time_whatever_is_said(
    said: list[tuple[UUID | None, object]],
) -> None:
    past: list[Attachment] = []
    for van, moment in said:
        try:
            plan = (
                plan_detachment(past[:2], moment)
                if van is None
                else plan_attachment(past[:2], van, moment)
            )
        except (AttachmentOverlaps, DeviceNotAttached):
            continue
        past = applied(past, plan)
        if van is not None and plan.begins:
            row = Attachment(
                uuid=uuid4(), company=COMPANY, device=DEVICE, vehicle=van, since=moment
            )
            past = [row, *past]
        if van is not None:
            assert past[0].vehicle == van
            assert past[0].until is None
    for later, earlier in itertools.pairwise(past):
        assert earlier.until is not None
        assert earlier.since < earlier.until <= later.since
    spans = [Span(1, one.vehicle, one.since, one.until) for one in reversed(past)]
    for hours in range(22):
        at = NOON + timedelta(hours=hours)
        assert find_vehicle_at(spans, at) == next(
            (s.vehicle for s in spans if s.contains(at)), None
        )


def test_a_vehicle_that_left_ends_what_was_on_it() -> None:
    left, now = NOON + timedelta(hours=1), NOON + timedelta(hours=2)
    going = Attachment(uuid=uuid4(), company=COMPANY, device=DEVICE, vehicle=VANS[0], since=NOON)
    assert plan_attachment([going], VANS[1], now, left).last_until == left
    assert plan_detachment([going], now, left).last_until == left
