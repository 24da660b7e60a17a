"""The selection of device events: filters resolved to records and SQL conditions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Self
from uuid import UUID

import msgspec

from pannier.db import Db, Where
from pannier.devices import kinds, spans
from pannier.devices.events.schemas import Narrowing
from pannier.devices.kinds import SEVERITIES, Class, Type
from pannier.devices.spans import Span
from pannier.errors import Field, Invalid, NotFound, checked
from pannier.fleet.queries import VEHICLES

# Classes with a single type, so that filtering by class is enough.
SINGLE: Final = frozenset({Class.POSITION, Class.HEARTBEAT})
CORNERS: Final = 4
SPANNED: Final = """exists (
    select from unnest(:span_numbers::bigint[], :span_since::timestamptz[],
                       :span_until::timestamptz[]) s (number, since, until)
    where s.number = device_no and occurred_at >= s.since
      and (s.until is null or occurred_at < s.until))"""


class Box(NamedTuple):
    """A bounding box; one that crosses the 180th meridian has west greater than east."""

    west: float
    south: float
    east: float
    north: float

    @classmethod
    def of(cls, told: str | Sequence[float]) -> Self:
        """Parse four numbers, west first."""
        numbers = told.split(",") if isinstance(told, str) else told
        try:
            box = cls(*map(float, numbers))
        except (TypeError, ValueError):
            raise ValueError(
                "must be four numbers: west, south, east and north, such as 103.6,1.2,104.0,1.5."
            ) from None
        inside = abs(box.west) <= 180 and abs(box.east) <= 180  # noqa: PLR2004 - degrees
        if not (inside and -90 <= box.south <= box.north <= 90):  # noqa: PLR2004 - degrees
            raise ValueError(
                "must be west, south, east and north in degrees, such as 103.6,1.2,104.0,1.5."
            )
        return box


class Conditions:
    """SQL conditions joined by AND, with their values; no conditions are true."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.values: dict[str, Any] = {}

    def add(self, text: str, **values: object) -> None:
        """Add a condition in SQL."""
        self.texts.append(text)
        self.values.update(values)

    def __bool__(self) -> bool:
        return bool(self.texts)

    def __str__(self) -> str:
        return " and ".join(self.texts) or "true"


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The selected events of a company; None is no restriction."""

    company: UUID
    devices: tuple[int, ...] | None = None
    spans: tuple[Span, ...] | None = None
    types: tuple[Type, ...] | None = None
    severities: tuple[int, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    box: Box | None = None

    def classes(self) -> list[int] | None:
        return None if self.types is None else sorted({type_.class_ for type_ in self.types})

    @property
    def typed(self) -> bool:
        """Whether the class alone does not determine the types."""
        return self.types is not None and not SINGLE.issuperset(self.classes() or ())

    def of_types(self) -> Conditions:
        found = Conditions()
        if self.types is not None:
            found.add(
                "(kind = any(:kinds) or kind = 0 and type = any(:type_names))",
                kinds=sorted({type_.number for type_ in self.types if type_.number}),
                type_names=[type_.name for type_ in self.types if not type_.number],
            )
        return found

    def fitting(self, *, types: bool = True, severities: bool = True) -> Conditions:
        """Build the conditions that no index covers, besides class, device and time."""
        found = self.of_types() if types and self.typed else Conditions()
        if severities and self.severities is not None:
            found.add("severity = any(:severities)", severities=list(self.severities))
        if self.box is not None:
            across = "or" if self.box.west > self.box.east else "and"
            found.add(
                f"""latitude between :south and :north
                    and (longitude >= :west {across} longitude <= :east)""",
                **self.box._asdict(),
            )
        return found

    def between(self, since: datetime, until: datetime) -> Self:
        """Drop spans outside a period, because each event is compared with all of them."""
        if self.spans is None:
            return self
        touching = (
            span
            for span in self.spans
            if span.since <= until and (span.until is None or span.until > since)
        )
        return msgspec.structs.replace(self, spans=tuple(touching))

    def where(self) -> Where:
        """Build all conditions together, for events that are found by another index."""
        where = Where(self.company)
        if self.devices is not None:
            where.that("device_no = any(:devices)", devices=list(self.devices))
        if self.spans is not None:
            # Also by number, which has an index.
            where.that(f"device_no = any(:span_numbers) and {SPANNED}", **columns_of(self.spans))
        if self.types is not None:
            where.that("class = any(:classes)", classes=self.classes())
        if self.since is not None:
            where.that("occurred_at >= :since", since=self.since)
        if self.until is not None:
            where.that("occurred_at < :until", until=self.until)
        fitting = self.fitting()
        return where.that(str(fitting), **fitting.values)


async def chosen(db: Db, company: UUID, asked: Narrowing, *, device: str | None = None) -> Choice:
    """Resolve filters to a selection; an unknown record is reported by its field."""
    if asked.since is not None and asked.until is not None and asked.since > asked.until:
        raise Invalid(fields=[Field("to", "must not be before `from`.")])
    devices = None
    if asked.device is not None:
        devices = [await number_of(db, company, name, "device") for name in asked.device]
    if device is not None:
        one = await number_of(db, company, device)
        devices = [one] if devices is None or one in devices else []
    return Choice(
        company=company,
        devices=None if devices is None else tuple(dict.fromkeys(devices)),
        spans=await _spans(db, company, asked.vehicle, devices),
        types=_types(asked.event_type),
        severities=_severities(asked.severity),
        since=asked.since,
        until=asked.until,
        box=None if asked.bbox is None else checked("bbox", Box.of, asked.bbox),
    )


async def number_of(db: Db, company: UUID, device: str, path: str | None = None) -> int:
    """Return the number of a device's events; deleted devices keep theirs."""
    where = Where(company).named(device)
    found: int | None = await db.value(f"select number from devices {where}", **where.values)
    if found is None:
        raise NotFound(fields=[Field(path, "There is no such device.")] if path else ())
    return found


async def _spans(
    db: Db, company: UUID, vehicles: Sequence[str] | None, devices: Sequence[int] | None
) -> tuple[Span, ...] | None:
    """Load the spans of vehicles, restricted to the given devices if any."""
    if vehicles is None:
        return None
    found = []
    for name in dict.fromkeys(vehicles):
        vehicle = await VEHICLES.named(db, company, "vehicle", name)
        found += await spans.of_vehicle(db, company, vehicle.uuid)
    return tuple(span for span in found if devices is None or span.device_no in devices)


def _types(names: Sequence[str] | None) -> tuple[Type, ...] | None:
    if names is None:
        return None
    found = [checked("event_type", kinds.named, name) for name in names]
    return tuple(dict.fromkeys(found))


def _severities(names: Sequence[str] | None) -> tuple[int, ...] | None:
    return None if names is None else tuple(sorted({SEVERITIES.index(name) for name in names}))


def columns_of(found: Sequence[Span]) -> Mapping[str, list[Any]]:
    """Convert spans to the arrays that a statement takes."""
    return {
        "span_numbers": [span.device_no for span in found],
        "span_since": [span.since for span in found],
        "span_until": [span.until for span in found],
    }
