"""Device events by device, vehicle, type and time, in a list and on a map."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import assets, lookup, maps, readings, render
from pannier.console.columns import Column
from pannier.console.desk import Desk, Rows
from pannier.console.door import Sent
from pannier.console.forms import Field
from pannier.console.lookup import named_by
from pannier.console.records import Records, zone_of
from pannier.console.statuses import plain
from pannier.console.words import read
from pannier.devices.kinds import SEVERITIES
from pannier.errors import Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import Streamed
from pannier.web.times import stamp

HOME: Final = "/console/device-events"
ALL: Final = "/int/v1/fleet-module/device-events"
ONE: Final = f"{ALL}/{{device_event_id}}"
FIELDS: Final = (
    Field(name="device", label="Device", kind="record", resource="devices",
          placeholder="Any device"),
    Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
          placeholder="Any vehicle"),
    Field(
        name="severity", label="Severity", kind="choice",
        options=[(one, plain(one)) for one in SEVERITIES],
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
MOMENT: Final = (
    "Enter a date and time such as 2026-01-31T09:30, optionally with a zone: Z or +08:00."
)
# Rows are taller than in other lists.
PAGE: Final = 50
FORMATS: Final = ("csv", "ndjson", "geojson", "gpx")
# The hours of one bar in a histogram of more than a day.
FEW: Final = 4
# Seconds between two refreshes.
EVERY: Final = 3
LOCAL: Final = "%Y-%m-%dT%H:%M"


class Asked(NamedTuple):
    """The events that a page shows: the query, and its meaning at this time."""

    given: Mapping[str, str]
    types: Sequence[str]
    zone: ZoneInfo
    now: datetime

    @property
    def since(self) -> datetime | None:
        """The start of the time range, or None."""
        span = SPANS.get(self.given.get("last", ""))
        return self._moment("from") or (None if span is None else self.now - span)

    @property
    def until(self) -> datetime | None:
        """The exclusive end of the time range, or None."""
        return self._moment("to")

    def _moment(self, name: str) -> datetime | None:
        text = self.given.get(name, "")
        if not text:
            return None
        told = datetime.fromisoformat(text)
        return told if told.tzinfo else told.replace(tzinfo=self.zone)

    def query(self, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any value
        """Return the query of the API call."""
        since, until = self.since, self.until
        return {
            **{name: self.given.get(name) for name in ("device", "vehicle", "severity")},
            "event_type": list(self.types),
            "from": None if since is None else since.isoformat(),
            "to": None if until is None else until.isoformat(),
            **more,
        }

    def filled(self) -> dict[str, str]:
        """Return the values of the filter form, with times in the company's zone."""
        moments = {"from": self._moment("from"), "to": self._moment("to")}
        return {
            **self.given,
            **{
                name: told.astimezone(self.zone).strftime(LOCAL)
                for name, told in moments.items()
                if told is not None
            },
        }

    def address(self, path: str = HOME, **more: Any) -> str:  # noqa: ANN401 - any value
        """Return the URL of a page with the same filters, except for the given ones."""
        said = {**self.given, "event_type": list(self.types), **more}
        pairs = [
            (name, one)
            for name, value in said.items()
            for one in (value if isinstance(value, list) else [value])
            if one
        ]
        return f"{path}?{urlencode(pairs)}" if pairs else path

    def toggled(self, event_type: str) -> str:
        """Return the URL with one event type added, or removed if it is selected."""
        others = [one for one in self.types if one != event_type]
        chosen = others if event_type in self.types else [*self.types, event_type]
        return self.address(event_type=chosen, cursor="")

    @property
    def live(self) -> bool:
        """Whether new events belong on the page."""
        return not self.given.get("cursor") and not self.given.get("to")


class Bar(NamedTuple):
    """A bar of the histogram: its time range, its count, and whether the filter selects it."""

    since: datetime
    until: datetime
    events: int
    meant: bool

    @property
    def range(self) -> dict[str, str]:
        """The query parameters that select this bar's time range."""
        return {"from": stamp(self.since), "to": stamp(self.until)}


class Histogram(NamedTuple):
    """Event counts over a time range that includes the selected one."""

    bars: Sequence[Bar]
    types: Sequence[tuple[str, int]]
    complete: bool

    @property
    def highest(self) -> int:
        """The count of the highest bar, at least 1."""
        return max((bar.events for bar in self.bars), default=0) or 1


async def counted(desk: Desk, asked: Asked) -> Histogram:
    """Count the events of all types in and around the selected time range."""
    since, until = asked.since, asked.until or asked.now
    by, merged, begins = _shape(asked, since, until)
    counts = await desk.get(
        f"{ALL}/counts",
        asked.query(**{"event_type": [], "by": by, "from": begins.isoformat()}),
    )
    rows, ends = counts["data"], read(counts["meta"]["to"])
    starts = [read(row["start"]) for row in rows]
    bars, types = [], Counter[str]()
    for at in range(0, len(rows), merged):
        start, group = starts[at], rows[at : at + merged]
        end = starts[at + merged] if at + merged < len(rows) else ends
        meant = (since is None or end > since) and start < until
        sums = sum((Counter(row["types"]) for row in group), Counter[str]())
        types.update(sums if meant else {})
        shown = sum(sums[one] for one in asked.types) if asked.types else sums.total()
        bars.append(Bar(start, end, shown, meant and since is not None))
    known = {one: types[one] for one in (*readings.LOOKS, *types, *asked.types)}
    return Histogram(bars, list(known.items()), counts["meta"]["complete"])


def _shape(asked: Asked, since: datetime | None, until: datetime) -> tuple[str, int, datetime]:
    """Return the counting interval, the intervals per bar, and the start of the first bar."""
    if since is None:
        # The precomputed counts lack these filters. Each event is counted, so for one day only.
        slow = asked.given.get("vehicle") or asked.given.get("severity")
        return ("hour", 1, until - DAY) if slow else ("day", 1, until - 30 * DAY)
    if until - since <= DAY:
        return "hour", 1, until - DAY
    return ("hour", FEW, since) if until - since <= 8 * DAY else ("day", 1, since)


@get("/device-events")
async def listed(exchange: Exchange) -> Response[bytes]:
    return await _page(Desk(exchange), None)


@get("/device-events/{identifier:str}")
async def shown(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show an event beside the list."""
    desk = Desk(exchange)
    return await _page(desk, await desk.get(ONE, device_event_id=identifier))


@get("/device-events/export")
async def export(exchange: Exchange) -> Streamed:
    """Download all events that match the filters."""
    desk = Desk(exchange)
    asked = await _resolve_filters(desk, await _asked(desk))
    try:
        wanted = asked.query(format=asked.given.get("format"))
    except ValueError:
        raise Invalid(MOMENT) from None
    streamed: Streamed = await desk.answer(f"{ALL}/export", wanted)
    return streamed


async def _asked(desk: Desk) -> Asked:
    sent = Sent(desk.exchange.query)
    given = {name: value for name, value in sent.items() if name != "event_type"}
    types = list(dict.fromkeys(filter(None, sent.all("event_type"))))
    return Asked(given, types, await zone_of(desk), desk.exchange.db.now)


async def _resolve_filters(desk: Desk, asked: Asked) -> Asked:
    """Find the device and the vehicle that the filters name."""
    return asked._replace(given=await lookup.resolve_filters(desk, FIELDS, asked.given))


async def _page(desk: Desk, event: Any) -> Response[bytes]:  # noqa: ANN401 - JSON
    asked = await _asked(desk)
    rows, histogram, refused = Rows([], None), Histogram([], [], complete=True), ""
    try:
        asked = await _resolve_filters(desk, asked)
        rows = await desk.rows(ALL, asked.query(limit=str(PAGE), cursor=asked.given.get("cursor")))
        histogram = await counted(desk, asked)
    except ValueError:
        refused = MOMENT
    except Problem as problem:
        if problem.status not in {400, 404, 422}:
            raise
        refused = problem.detail
    events = [*rows.rows, *([event] if event and event not in rows.rows else [])]
    vehicles = {one["vehicle_id"] for one in events if one["vehicle_id"]}
    return await render.page(
        desk, "device-events/list.html", title=_titled(event), rows=rows.rows,
        cursor=rows.cursor, asked=asked, given=_filled(asked), fields=FIELDS, spans=SPANS,
        formats=FORMATS, histogram=histogram, wrong=refused, event=event, every=EVERY,
        look=readings.look, told=readings.told, signs=assets.sprite(*readings.ICONS),
        base_url=desk.exchange.edge.settings.base_url.rstrip("/"),
        names=await named_by(desk, "vehicles", vehicles), features=_features(events),
    )  # fmt: skip


def _filled(asked: Asked) -> Mapping[str, str]:
    try:
        return asked.filled()
    except (ValueError, OverflowError):
        return asked.given


def _titled(event: Any) -> str:  # noqa: ANN401 - JSON
    return "Device events" if event is None else readings.look(event["event_type"]).label


def _features(events: Sequence[Any]) -> dict[str, Any]:
    """Return the events as map features, the latest on top."""
    return maps.collection(
        maps.point(
            one["id"], "", _rounded(one["location"]), readings.look(one["event_type"]).color,
        )
        for one in reversed(events)
        if one["location"]
    )  # fmt: skip


def _rounded(where: Mapping[str, Any]) -> dict[str, Any]:
    """Round to about a metre, which is all that a map can show."""
    return {"type": "Point", "coordinates": [round(one, 5) for one in where["coordinates"]]}


REJECTS: Final = Records(
    f"{ALL}/rejects",
    resource="device-rejects",
    noun="rejected event",
    columns=(
        Column("Received", "received_at", "time"),
        Column("Device", "device", "mono"),
        Column("Code", "code", "mono"),
        Column("Reason", "reason"),
        Column("Payload", "body", "mono", wide=True),
    ),
    filters=(
        Field(name="device", label="Device", placeholder="Device, as sent"),
        Field(name="code", label="Code", placeholder="Code: unknown_device"),
    ),
    empty="No rejected events. Events that cannot be stored are kept here for a while.",
)
handlers: Final = [listed, shown, export, *REJECTS.handlers("list")]
