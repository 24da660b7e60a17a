"""Device events, filtered by device, vehicle, type and time, in a list and on a map."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import assets, lookup, maps, readings, responses
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.columns import Column
from pannier.console.formatting import parse_time
from pannier.console.forms import Field
from pannier.console.record_names import load_record_names
from pannier.console.records import Records, load_zone
from pannier.console.session import FormData
from pannier.console.statuses import to_label
from pannier.devices.event_types import SEVERITIES
from pannier.errors import Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse
from pannier.web.times import to_rfc3339

HOME: Final = "/console/device-events"
API: Final = "/int/v1/fleet-module/device-events"
RECORD_PATH: Final = f"{API}/{{device_event_id}}"
FIELDS: Final = (
    Field(name="device", label="Device", kind="record", resource="devices",
          placeholder="Any device"),
    Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
          placeholder="Any vehicle"),
    Field(
        name="severity", label="Severity", kind="choice",
        options=[(severity, to_label(severity)) for severity in SEVERITIES],
    ),
    Field(name="from", label="From", kind="moment"),
    Field(name="to", label="To", kind="moment"),
)  # fmt: skip
SPANS: Final[Mapping[str, timedelta]] = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
}
DAY: Final = timedelta(days=1)
TIME_FORMAT_MESSAGE: Final = (
    "Enter a date and time such as 2026-01-31T09:30, optionally with a zone: Z or +08:00."
)
# Pages are shorter than those of other lists, because rows are taller.
PAGE_SIZE: Final = 50
FORMATS: Final = ("csv", "ndjson", "geojson", "gpx")
# The hours of one bar in a histogram of more than a day.
HOURS_PER_BAR: Final = 4
# Seconds between two refreshes.
REFRESH_SECONDS: Final = 3
LOCAL_FORMAT: Final = "%Y-%m-%dT%H:%M"


class EventFilter(NamedTuple):
    """The filters of the page: the query's values, the selected types, and the current time."""

    values: Mapping[str, str]
    types: Sequence[str]
    zone: ZoneInfo
    now: datetime

    @property
    def since(self) -> datetime | None:
        """The start of the time range, or None."""
        span = SPANS.get(self.values.get("last", ""))
        return self._parse_moment("from") or (None if span is None else self.now - span)

    @property
    def until(self) -> datetime | None:
        """The exclusive end of the time range, or None."""
        return self._parse_moment("to")

    def _parse_moment(self, name: str) -> datetime | None:
        text = self.values.get(name, "")
        if not text:
            return None
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=self.zone)

    def to_query(self, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - any value
        """Return the query of the API call, with additional parameters."""
        since, until = self.since, self.until
        return {
            **{name: self.values.get(name) for name in ("device", "vehicle", "severity")},
            "event_type": list(self.types),
            "from": None if since is None else since.isoformat(),
            "to": None if until is None else until.isoformat(),
            **parameters,
        }

    def fill_form(self) -> dict[str, str]:
        """Return the values of the filter form, with times in the company's zone."""
        moments = {"from": self._parse_moment("from"), "to": self._parse_moment("to")}
        return {
            **self.values,
            **{
                name: moment.astimezone(self.zone).strftime(LOCAL_FORMAT)
                for name, moment in moments.items()
                if moment is not None
            },
        }

    def build_url(self, path: str = HOME, **changes: Any) -> str:  # noqa: ANN401 - any value
        """Return the URL of a page with these filters and the given changes."""
        parameters = {**self.values, "event_type": list(self.types), **changes}
        pairs = [
            (name, item)
            for name, value in parameters.items()
            for item in (value if isinstance(value, list) else [value])
            if item
        ]
        return f"{path}?{urlencode(pairs)}" if pairs else path

    def build_toggled_url(self, event_type: str) -> str:
        """Return the URL with one event type added, or removed if it is selected."""
        other_types = [selected_type for selected_type in self.types if selected_type != event_type]
        selected_types = other_types if event_type in self.types else [*self.types, event_type]
        return self.build_url(event_type=selected_types, cursor="")

    @property
    def is_live(self) -> bool:
        """Whether the page can show new events."""
        return not self.values.get("cursor") and not self.values.get("to")


class Bar(NamedTuple):
    """A bar of the histogram: its time range, its count, and whether the range is selected."""

    since: datetime
    until: datetime
    events: int
    is_selected: bool

    @property
    def query(self) -> dict[str, str]:
        """The query parameters that select this bar's time range."""
        return {"from": to_rfc3339(self.since), "to": to_rfc3339(self.until)}


class Histogram(NamedTuple):
    """Event counts over a time range that includes the selected one."""

    bars: Sequence[Bar]
    types: Sequence[tuple[str, int]]
    complete: bool

    @property
    def highest(self) -> int:
        """The count of the highest bar, at least 1."""
        return max((bar.events for bar in self.bars), default=0) or 1


async def load_histogram(client: ApiClient, event_filter: EventFilter) -> Histogram:
    """Count the events of all types in and around the selected time range."""
    since, until = event_filter.since, event_filter.until or event_filter.now
    unit, bucket_count, first_start = _choose_buckets(event_filter, since, until)
    counts = await client.get(
        f"{API}/counts",
        event_filter.to_query(**{"event_type": [], "by": unit, "from": first_start.isoformat()}),
    )
    rows, range_end = counts["data"], parse_time(counts["meta"]["to"])
    starts = [parse_time(row["start"]) for row in rows]
    bars, total_by_type = [], Counter[str]()
    for index in range(0, len(rows), bucket_count):
        start, bar_rows = starts[index], rows[index : index + bucket_count]
        end = starts[index + bucket_count] if index + bucket_count < len(rows) else range_end
        in_range = (since is None or end > since) and start < until
        group_by_type = sum((Counter(row["types"]) for row in bar_rows), Counter[str]())
        total_by_type.update(group_by_type if in_range else {})
        total = (
            sum(group_by_type[name] for name in event_filter.types)
            if event_filter.types
            else group_by_type.total()
        )
        bars.append(Bar(start, end, total, in_range and since is not None))
    counts_by_type = {
        name: total_by_type[name]
        for name in (*readings.EVENT_STYLES, *total_by_type, *event_filter.types)
    }
    return Histogram(bars, list(counts_by_type.items()), counts["meta"]["complete"])


def _choose_buckets(
    event_filter: EventFilter, since: datetime | None, until: datetime
) -> tuple[str, int, datetime]:
    """Return the counting interval, the intervals per bar, and the start of the first bar."""
    if since is None:
        # Precomputed counts do not support these filters. Counting every event is limited to a day.
        needs_scan = event_filter.values.get("vehicle") or event_filter.values.get("severity")
        return ("hour", 1, until - DAY) if needs_scan else ("day", 1, until - 30 * DAY)
    if until - since <= DAY:
        return "hour", 1, until - DAY
    return ("hour", HOURS_PER_BAR, since) if until - since <= 8 * DAY else ("day", 1, since)


@get("/device-events")
async def list_events(exchange: Exchange) -> Response[bytes]:
    return await _render_page(ApiClient(exchange), None)


@get("/device-events/{identifier:str}")
async def show_event(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show an event beside the list."""
    client = ApiClient(exchange)
    return await _render_page(client, await client.get(RECORD_PATH, device_event_id=identifier))


@get("/device-events/export")
async def export_events(exchange: Exchange) -> StreamedResponse:
    """Download all events that match the filters."""
    client = ApiClient(exchange)
    filters = await _resolve_filters(client, await _read_filter(client))
    try:
        query = filters.to_query(format=filters.values.get("format"))
    except ValueError:
        raise Invalid(TIME_FORMAT_MESSAGE) from None
    stream: StreamedResponse = await client.get_response(f"{API}/export", query)
    return stream


async def _read_filter(client: ApiClient) -> EventFilter:
    form_data = FormData(client.exchange.query)
    values = {name: value for name, value in form_data.items() if name != "event_type"}
    types = list(dict.fromkeys(filter(None, form_data.get_all("event_type"))))
    return EventFilter(values, types, await load_zone(client), client.exchange.db.now)


async def _resolve_filters(client: ApiClient, event_filter: EventFilter) -> EventFilter:
    """Replace the names of the device and the vehicle by identifiers."""
    return event_filter._replace(
        values=await lookup.resolve_filters(client, FIELDS, event_filter.values)
    )


async def _render_page(client: ApiClient, event: Any) -> Response[bytes]:  # noqa: ANN401 - JSON
    filters = await _read_filter(client)
    rows, histogram, error_text = ListPage([], None), Histogram([], [], complete=True), ""
    try:
        filters = await _resolve_filters(client, filters)
        rows = await client.list_rows(
            API, filters.to_query(limit=str(PAGE_SIZE), cursor=filters.values.get("cursor"))
        )
        histogram = await load_histogram(client, filters)
    except ValueError:
        error_text = TIME_FORMAT_MESSAGE
    except Problem as problem:
        if problem.status not in {400, 404, 422}:
            raise
        error_text = problem.detail
    events = [*rows.rows, *([event] if event and event not in rows.rows else [])]
    vehicles = {row["vehicle_id"] for row in events if row["vehicle_id"]}
    return await responses.render_page(
        client,
        "device-events/list.html",
        title=_make_page_title(event),
        rows=rows.rows,
        cursor=rows.cursor,
        event_filter=filters,
        filter_values=_fill_form(filters),
        fields=FIELDS,
        spans=SPANS,
        formats=FORMATS,
        histogram=histogram,
        error=error_text,
        event=event,
        every=REFRESH_SECONDS,
        get_event_style=readings.event_style,
        told=readings.format_readings,
        signs=assets.render_sprite(*readings.ICONS),
        base_url=client.exchange.edge.settings.base_url.rstrip("/"),
        names={
            **await load_record_names(client, "vehicles", vehicles),
            **await load_record_names(client, "devices", {row["device_id"] for row in events}),
        },
        features=_make_map_features(events),
    )


def _fill_form(event_filter: EventFilter) -> Mapping[str, str]:
    try:
        return event_filter.fill_form()
    except (ValueError, OverflowError):
        return event_filter.values


def _make_page_title(event: Any) -> str:  # noqa: ANN401 - JSON
    return "Device events" if event is None else readings.event_style(event["event_type"]).label


def _make_map_features(events: Sequence[Any]) -> dict[str, Any]:
    """Convert events to map features, the latest on top."""
    return maps.collection(
        maps.point(
            row["id"],
            "",
            _round_location(row["location"]),
            readings.event_style(row["event_type"]).color,
        )
        for row in reversed(events)
        if row["location"]
    )


def _round_location(location: Mapping[str, Any]) -> dict[str, Any]:
    """Round a location to about one metre, the precision of the map."""
    return {
        "type": "Point",
        "coordinates": [round(degrees, 5) for degrees in location["coordinates"]],
    }


REJECTS: Final = Records(
    f"{API}/rejects",
    resource="device-rejects",
    noun="rejected device event",
    columns=(
        Column("Received", "received_at", "log_time"),
        Column("Device", "device", "mono"),
        Column("Code", "code", "mono"),
        Column("Reason", "reason"),
        Column("Payload", "body", "mono", wide=True),
    ),
    filters=(
        Field(name="device", label="Device", placeholder="Device ID as sent"),
        Field(name="code", label="Code", placeholder="Code, such as unknown_device"),
    ),
    empty="No rejected device events. Device events that cannot be stored appear here.",
)
handlers: Final = [list_events, show_event, export_events, *REJECTS.make_handlers("list")]
