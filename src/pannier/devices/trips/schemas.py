"""Trips in JSON."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Annotated, Final, Literal, Self

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings.models import CompanySettings
from pannier.devices.registry.schemas import DeviceId
from pannier.devices.trips.queries import TripRow
from pannier.errors import FieldError, Invalid
from pannier.fleet.schemas import PointOut, VehicleId
from pannier.kit.lines import Line
from pannier.web.former_names import former_name
from pannier.web.identifiers import identifier
from pannier.web.times import Day, Moment, Time, to_rfc3339

MAX_PERIOD: Final = timedelta(days=31)
TrackSource = Literal["positions", "roads"]
TripId = Annotated[str, identifier("trip_4bR7xQ0mLz2KsV9d", "The trip's id.", max_length=100)]
Metres = Annotated[float, Meta(description="Metres.", examples=[8240.5])]
Seconds = Annotated[float, Meta(description="Seconds.", examples=[1260])]


class TripFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of trips: those that start on a day or in a period. The default is today."""

    on: Annotated[
        Day | None, Meta(description="A day in the company's time zone. Defaults to today.")
    ] = None
    since: Annotated[Moment | None, Meta(description="Start of the period, instead of `on`.")] = (
        msgspec.field(name="from", default=None)
    )
    until: Annotated[
        Moment | None,
        Meta(
            description=f"End of the period, at most {MAX_PERIOD.days} days long. Defaults to now."
        ),
    ] = msgspec.field(name="to", default=None)
    track: Annotated[
        TrackSource,
        Meta(
            description="Lines follow the recorded `positions`, or the `roads` where the "
            "routing engine finds them."
        ),
    ] = "positions"

    def period(self, settings: CompanySettings, now: datetime) -> tuple[datetime, datetime]:
        """Return the start and end of the period, or raise Invalid."""
        if self.since is None and self.until is None:
            return settings.get_day_bounds(self.on or now.astimezone(settings.zone).date())
        if self.on is not None:
            raise Invalid(fields=[FieldError("on", "Send a day, or `from` and `to`.")])
        if self.since is None:
            raise Invalid(fields=[FieldError("from", "This field is required with `to`.")])
        until = self.until or now
        if not self.since <= until <= self.since + MAX_PERIOD:
            sentence = f"must be after `from`, by at most {MAX_PERIOD.days} days."
            raise Invalid(fields=[FieldError("to", sentence)])
        return self.since, until


class Track(msgspec.Struct):
    """A simplified line in GeoJSON for a map."""

    type: Annotated[Literal["LineString"], Meta(description="GeoJSON type.")]
    coordinates: Annotated[
        Line,
        Meta(
            description="Longitudes and latitudes, in degrees.",
            examples=[[[103.8198, 1.3521], [103.8301, 1.3498]]],
        ),
    ]
    source: Annotated[TrackSource, Meta(description="Source of the line.")]


class TripOut(msgspec.Struct, kw_only=True):
    """A trip of a vehicle, from departure to rest."""

    id: TripId
    device: Annotated[DeviceId, Meta(description="The device that recorded the trip.")]
    device_id: Annotated[DeviceId, former_name("device")]
    started_at: Time
    ended_at: Annotated[Time | None, Meta(description="Null while the trip continues.")]
    start: PointOut
    end: Annotated[PointOut, Meta(description="Where the trip ended, or the latest position.")]
    distance: Metres
    moving_seconds: Seconds
    idle_seconds: Annotated[Seconds, Meta(description="Seconds of standing during the trip.")]
    longest_stop_seconds: Annotated[Seconds, Meta(description="The longest stop during the trip.")]
    max_speed: Annotated[float | None, Meta(description="Kilometres per hour.", examples=[62.5])]
    track: Annotated[
        Track | None, Meta(description="The trip's line. Null for periods of over two days.")
    ]

    @classmethod
    def from_row(cls, row: TripRow, track: Track | None) -> Self:
        return cls(
            id=row.public_id,
            device=row.device_id,
            device_id=row.device_id,
            started_at=to_rfc3339(row.started_at),
            ended_at=to_rfc3339(row.ended_at),
            start=_to_point(row.start_longitude, row.start_latitude),
            end=_to_point(row.end_longitude, row.end_latitude),
            distance=round(row.distance, 1),
            moving_seconds=round(row.moving_seconds, 3),
            idle_seconds=round(row.idle_seconds, 3),
            longest_stop_seconds=round(row.longest_stop_seconds, 3),
            max_speed=row.max_speed,
            track=track,
        )


class StopOut(msgspec.Struct):
    """A stop of a vehicle between two trips."""

    arrived_at: Time
    left_at: Time
    seconds: Seconds
    location: PointOut

    @classmethod
    def from_trips(cls, rows: Sequence[TripRow]) -> list[Self]:
        """Build the stops between consecutive trips."""
        return [
            cls(
                to_rfc3339(trip.ended_at),
                to_rfc3339(next_trip.started_at),
                (next_trip.started_at - trip.ended_at).total_seconds(),
                _to_point(trip.end_longitude, trip.end_latitude),
            )
            for trip, next_trip in pairwise(rows)
            if trip.ended_at is not None
        ]


class TripsOut(msgspec.Struct, kw_only=True):
    """A vehicle's trips in a period, the stops between them, and totals.

    A trip counts for the period in which it starts. Late positions may change it afterwards.
    """

    vehicle: VehicleId
    vehicle_id: Annotated[VehicleId, former_name("vehicle")]
    since: Annotated[Time, Meta(description="Start of the period.")] = msgspec.field(name="from")
    until: Annotated[Time, Meta(description="End of the period.")] = msgspec.field(name="to")
    trips: list[TripOut]
    stops: list[StopOut]
    distance: Metres
    moving_seconds: Seconds
    idle_seconds: Seconds
    max_speed: Annotated[float | None, Meta(description="Kilometres per hour.", examples=[62.5])]

    @classmethod
    def from_rows(
        cls,
        vehicle: str,
        period: tuple[datetime, datetime],
        rows: Sequence[TripRow],
        tracks: Sequence[Track | None],
    ) -> Self:
        speeds = [row.max_speed for row in rows if row.max_speed is not None]
        return cls(
            vehicle=vehicle,
            vehicle_id=vehicle,
            since=to_rfc3339(period[0]),
            until=to_rfc3339(period[1]),
            trips=[TripOut.from_row(row, track) for row, track in zip(rows, tracks, strict=True)],
            stops=StopOut.from_trips(rows),
            distance=round(sum(row.distance for row in rows), 1),
            moving_seconds=round(sum(row.moving_seconds for row in rows), 3),
            idle_seconds=round(sum(row.idle_seconds for row in rows), 3),
            max_speed=max(speeds, default=None),
        )


def _to_point(longitude: float, latitude: float) -> PointOut:
    return PointOut("Point", [longitude, latitude])
