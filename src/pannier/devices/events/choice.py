"""The selection of device events: filters resolved to records and SQL conditions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Self
from uuid import UUID

import msgspec

from pannier.db import Db, Where
from pannier.devices import event_types, spans
from pannier.devices.event_types import SEVERITIES, DeviceEventType, RetentionClass
from pannier.devices.events.schemas import BaseEventFilters
from pannier.devices.spans import Span
from pannier.errors import FieldError, Invalid, NotFound, parse_field
from pannier.fleet.queries import VEHICLES

# Classes with a single type, so that filtering by class is enough.
SINGLE_TYPE_CLASSES: Final = frozenset({RetentionClass.POSITION, RetentionClass.HEARTBEAT})
CORNERS: Final = 4
WITHIN_SPANS: Final = """exists (
    select from unnest(:span_numbers::bigint[], :span_since::timestamptz[],
                       :span_until::timestamptz[]) s (number, since, until)
    where s.number = device_no and occurred_at >= s.since
      and (s.until is null or occurred_at < s.until))"""


class BoundingBox(NamedTuple):
    """A bounding box; one that crosses the 180th meridian has west greater than east."""

    west: float
    south: float
    east: float
    north: float

    @classmethod
    def parse(cls, text: str | Sequence[float]) -> Self:
        """Parse four numbers, west first."""
        numbers = text.split(",") if isinstance(text, str) else text
        try:
            bounds = cls(*map(float, numbers))
        except (TypeError, ValueError):
            raise ValueError(
                "must be four numbers: west, south, east and north, such as 103.6,1.2,104.0,1.5."
            ) from None
        has_valid_longitudes = abs(bounds.west) <= 180 and abs(bounds.east) <= 180  # noqa: PLR2004 - degrees
        if not (has_valid_longitudes and -90 <= bounds.south <= bounds.north <= 90):  # noqa: PLR2004 - degrees
            raise ValueError(
                "must be west, south, east and north in degrees, such as 103.6,1.2,104.0,1.5."
            )
        return bounds


class Conditions:
    """SQL conditions joined by AND, with their values. If there are none, every row matches."""

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


class EventChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The selected events of a company; None means no restriction."""

    company: UUID
    devices: tuple[int, ...] | None = None
    spans: tuple[Span, ...] | None = None
    types: tuple[DeviceEventType, ...] | None = None
    severities: tuple[int, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    box: BoundingBox | None = None

    def list_classes(self) -> list[int] | None:
        return None if self.types is None else sorted({type_.class_ for type_ in self.types})

    @property
    def has_type_condition(self) -> bool:
        """Whether the class alone does not determine the types."""
        return self.types is not None and not SINGLE_TYPE_CLASSES.issuperset(
            self.list_classes() or ()
        )

    def build_type_conditions(self) -> Conditions:
        conditions = Conditions()
        if self.types is not None:
            conditions.add(
                "(kind = any(:kinds) or kind = 0 and type = any(:type_names))",
                kinds=sorted({type_.number for type_ in self.types if type_.number}),
                type_names=[type_.name for type_ in self.types if not type_.number],
            )
        return conditions

    def build_unindexed_conditions(
        self, *, types: bool = True, severities: bool = True
    ) -> Conditions:
        """Build the conditions that no index covers, besides class, device and time."""
        conditions = (
            self.build_type_conditions() if types and self.has_type_condition else Conditions()
        )
        if severities and self.severities is not None:
            conditions.add("severity = any(:severities)", severities=list(self.severities))
        if self.box is not None:
            operator = "or" if self.box.west > self.box.east else "and"
            conditions.add(
                f"""latitude between :south and :north
                    and (longitude >= :west {operator} longitude <= :east)""",
                **self.box._asdict(),
            )
        return conditions

    def limit_spans(self, since: datetime, until: datetime) -> Self:
        """Drop spans outside a period, because each event is compared with all of them."""
        if self.spans is None:
            return self
        overlapping_spans = (
            span
            for span in self.spans
            if span.since <= until and (span.until is None or span.until > since)
        )
        return msgspec.structs.replace(self, spans=tuple(overlapping_spans))

    def build_where(self) -> Where:
        """Build all conditions together, for a query that uses another index."""
        where = Where(self.company)
        if self.devices is not None:
            where.add("device_no = any(:devices)", devices=list(self.devices))
        if self.spans is not None:
            # The condition on the number uses an index.
            where.add(
                f"device_no = any(:span_numbers) and {WITHIN_SPANS}", **to_span_arrays(self.spans)
            )
        if self.types is not None:
            where.add("class = any(:classes)", classes=self.list_classes())
        if self.since is not None:
            where.add("occurred_at >= :since", since=self.since)
        if self.until is not None:
            where.add("occurred_at < :until", until=self.until)
        unindexed_conditions = self.build_unindexed_conditions()
        return where.add(str(unindexed_conditions), **unindexed_conditions.values)


async def resolve_choice(
    db: Db, company: UUID, filters: BaseEventFilters, *, device: str | None = None
) -> EventChoice:
    """Resolve filters to a selection; an unknown record is reported by its field."""
    if filters.since is not None and filters.until is not None and filters.since > filters.until:
        raise Invalid(fields=[FieldError("to", "must not be before `from`.")])
    devices = None
    if filters.device is not None:
        devices = [await get_device_number(db, company, name, "device") for name in filters.device]
    if device is not None:
        number = await get_device_number(db, company, device)
        devices = [number] if devices is None or number in devices else []
    return EventChoice(
        company=company,
        devices=None if devices is None else tuple(dict.fromkeys(devices)),
        spans=await _load_spans(db, company, filters.vehicle, devices),
        types=_parse_types(filters.event_type),
        severities=_parse_severities(filters.severity),
        since=filters.since,
        until=filters.until,
        box=None if filters.bbox is None else parse_field("bbox", BoundingBox.parse, filters.bbox),
    )


async def get_device_number(db: Db, company: UUID, device: str, path: str | None = None) -> int:
    """Return a device's number, even if the device is deleted."""
    where = Where(company).add_identifier(device)
    number: int | None = await db.fetch_value(f"select number from devices {where}", **where.values)
    if number is None:
        raise NotFound(fields=[FieldError(path, "There is no such device.")] if path else ())
    return number


async def _load_spans(
    db: Db, company: UUID, vehicles: Sequence[str] | None, devices: Sequence[int] | None
) -> tuple[Span, ...] | None:
    """Load the spans of vehicles, restricted to the given devices if any."""
    if vehicles is None:
        return None
    vehicle_spans = []
    for name in dict.fromkeys(vehicles):
        vehicle = await VEHICLES.resolve_reference(db, company, "vehicle", name)
        vehicle_spans += await spans.list_spans_of_vehicle(db, company, vehicle.uuid)
    return tuple(span for span in vehicle_spans if devices is None or span.device_no in devices)


def _parse_types(names: Sequence[str] | None) -> tuple[DeviceEventType, ...] | None:
    if names is None:
        return None
    types = [parse_field("event_type", event_types.from_name, name) for name in names]
    return tuple(dict.fromkeys(types))


def _parse_severities(names: Sequence[str] | None) -> tuple[int, ...] | None:
    return None if names is None else tuple(sorted({SEVERITIES.index(name) for name in names}))


def to_span_arrays(spans: Sequence[Span]) -> Mapping[str, list[Any]]:
    """Convert spans to array parameters of a statement."""
    return {
        "span_numbers": [span.device_no for span in spans],
        "span_since": [span.since for span in spans],
        "span_until": [span.until for span in spans],
    }
