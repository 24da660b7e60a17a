"""Spans: the vehicle that a device was on, in the time of its events.

A device is on the vehicle it is attached to, a driver's phone on the vehicle they drive. A span
ends with its vehicle. It includes `since` and excludes `until`.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db


class Span(NamedTuple):
    """A period in which a device was on a vehicle; without an end it still is."""

    device_no: int
    vehicle: UUID
    since: datetime
    until: datetime | None

    def contains(self, moment: datetime) -> bool:
        return self.since <= moment and (self.until is None or moment < self.until)


class _SpanRow(msgspec.Struct):
    device_no: int
    vehicle: UUID
    since: datetime
    until: datetime | None


async def list_spans_of_vehicle(db: Db, company: UUID, vehicle: UUID) -> list[Span]:
    """List the spans of a vehicle by device, each earliest first."""
    return await _load_spans(db, company, "vehicle = :vehicle", vehicle=vehicle)


async def list_spans_by_device(
    db: Db, company: UUID, device_nos: Iterable[int]
) -> dict[int, list[Span]]:
    """List the spans of each device, earliest first. A device without any is left out."""
    found_spans = await _load_spans(
        db, company, "device_no = any(:numbers)", numbers=list(device_nos)
    )
    return {
        number: list(spans) for number, spans in groupby(found_spans, lambda span: span.device_no)
    }


async def _load_spans(db: Db, company: UUID, condition: str, **values: Any) -> list[Span]:  # noqa: ANN401 - values of the condition
    rows = await db.fetch_all(
        _SpanRow,
        f"""select device_no, vehicle, since, until from device_spans
            where company = :company and {condition} order by device_no, since""",
        company=company,
        **values,
    )
    return [Span(row.device_no, row.vehicle, row.since, row.until) for row in rows]


def find_vehicle_at(spans: Sequence[Span], moment: datetime) -> UUID | None:
    """Return the vehicle of a device at a time, given its spans earliest first."""
    index = bisect_right(spans, moment, key=lambda span: span.since)
    if index == 0 or not spans[index - 1].contains(moment):
        return None
    return spans[index - 1].vehicle
