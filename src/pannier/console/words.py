"""Values formatted for people: times in the company's zone, money, distances and names."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple, Self
from zoneinfo import ZoneInfo

import msgspec
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from pannier.console.statuses import actor, plain, standing
from pannier.kit.money import Money

NOTHING: Final = "\N{EN DASH}"
KILOMETRE: Final = 1000
HOUR: Final = 3600
# Units of device readings; see the nine types of device events.
UNITS: Final[Mapping[str, str]] = {
    "accuracy": "m", "altitude": "m", "battery_level": "%", "battery_voltage": "V",
    "coolant_temperature": "°C", "engine_hours": "h", "engine_load": "%", "fuel_level": "%",
    "fuel_rate": "l/h", "g_force": "g", "heading": "°", "humidity": "%", "odometer": "m",
    "setpoint": "°C", "speed": "km/h", "temperature": "°C", "throttle": "%",
    "vehicle_speed": "km/h",
}  # fmt: skip
KMH: Final = 3.6


class Zone(NamedTuple):
    """The time zone that pages show times in."""

    name: str
    info: ZoneInfo

    @classmethod
    def of(cls, company: Mapping[str, Any]) -> Self:
        name = company["settings"]["time_zone"]
        return cls(name, ZoneInfo(name))


def read(text: str | datetime) -> datetime:
    """Parse a time of the API."""
    return text if isinstance(text, datetime) else datetime.fromisoformat(text)


@pass_context
def moment(context: Context, text: str | None, *, seconds: bool = False) -> Markup:
    """Render a time in the company's zone: "14:30" today, "5 Nov, 14:30" on another day."""
    if not text:
        return Markup.escape(NOTHING)
    told, zone = read(text), context["zone"].info
    local, today = told.astimezone(zone), context["now"].astimezone(zone)
    hour = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    shown = hour if local.date() == today.date() else f"{_short_day(local, today)}, {hour}"
    whole = f"{local:%Y-%m-%d %H:%M:%S %Z}"
    return Markup(  # noqa: S704 - made of a time
        f'<time datetime="{told.isoformat()}" title="{whole}">{shown}</time>'
    )


def _short_day(day: date, today: date) -> str:
    """Format a date as "5 Nov", with the year if it is not the current one."""
    return f"{day.day} {day:%b}" if day.year == today.year else f"{day.day} {day:%b %Y}"


def long_day(day: date) -> str:
    """Format a date as "5 November 2026"."""
    return f"{day.day} {day:%B %Y}"


@pass_context
def clock(context: Context, text: str) -> str:
    """Format a time for narrow places: "14:30" today, "5 Nov" on another day."""
    told, today = (one.astimezone(context["zone"].info) for one in (read(text), context["now"]))
    return f"{told:%H:%M}" if told.date() == today.date() else _short_day(told, today)


@pass_context
def local(context: Context, text: str | None) -> str:
    """Format a time in the company's zone for a `datetime-local` input."""
    return f"{read(text).astimezone(context['zone'].info):%Y-%m-%dT%H:%M}" if text else ""


@pass_context
def ago(context: Context, text: str | None) -> Markup:
    """Render a relative time; the page's script keeps it up to date."""
    if not text:
        return Markup.escape(NOTHING)
    told = read(text)
    zone = context["zone"].info
    whole = f"{told.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"
    said = span(context["now"] - told)
    return Markup(  # noqa: S704 - made of a time
        f'<time class=ago datetime="{told.isoformat()}" title="{whole}">{said}</time>'
    )


@pass_context
def until(context: Context, text: str) -> Markup:
    """Render a countdown; the page's script keeps it up to date."""
    end = read(text)
    left = int((end - context["now"]).total_seconds())
    said = "expired" if left <= 0 else duration(left) if left >= HOUR else _clock(left)
    return Markup(  # noqa: S704 - made of a time
        f'<time class=until datetime="{end.isoformat()}">{said}</time>'
    )


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"


def span(past: timedelta) -> str:
    """Format a relative time, such as "5 min ago"."""
    seconds = int(past.total_seconds())
    if seconds < 0:
        return f"in {duration(-seconds)}"
    return "now" if seconds < 1 else f"{duration(seconds)} ago"


def duration(seconds: float | None) -> str:
    """Format a duration in its largest unit, with the next one where it matters."""
    if seconds is None:
        return NOTHING
    whole = int(seconds)
    if whole < 60:  # noqa: PLR2004 - a minute
        return f"{whole} s"
    minutes = whole // 60
    if minutes < 60:  # noqa: PLR2004 - an hour
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 24:  # noqa: PLR2004 - a day
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    days, left = divmod(hours, 24)
    return f"{days} d {left} h" if left and days < 3 else f"{days} d"  # noqa: PLR2004  - hours no longer matter


def distance(metres: float | None) -> str:
    """Format a distance in metres or kilometres."""
    if metres is None:
        return NOTHING
    return f"{metres:.0f} m" if metres < KILOMETRE else f"{metres / KILOMETRE:.1f} km"


def speed(metres_a_second: float | None) -> str:
    """Format a speed in kilometres per hour."""
    return NOTHING if metres_a_second is None else f"{metres_a_second * KMH:.0f} km/h"


def measured(value: object, name: str) -> str:
    """Format a device reading with its unit."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    shown = f"{value:g}" if isinstance(value, float) else plain(value)
    return f"{shown} {UNITS[name]}" if name in UNITS else shown


def money(amount: int | None, currency: str | None) -> str:
    """Format an amount in minor units: 1250 SGD is "12.50 SGD"."""
    if amount is None or not currency:
        return NOTHING
    return Money(amount, currency).format()


def pretty(value: Any) -> str:  # noqa: ANN401 - any JSON
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def called(record: Mapping[str, Any]) -> str:
    """Return a record's name, plate, address or number, or its id."""
    made = " ".join(filter(None, (record.get("make"), record.get("model"))))
    known = (record.get(name) for name in ("name", "title", "plate_number", "address"))
    report = str(record.get("report") or "").partition("\n")[0][:60]
    numbers = (record.get("internal_id"), dig(record, "tracking_number.tracking_number"))
    return str(next(filter(None, (*known, made, *numbers, report)), record["id"]))


def initials(name: str | None) -> str:
    """Return the first letters of the first and the last word."""
    parts = (name or "").split() or ["?"]
    first, last = parts[0], parts[-1]
    return (first[0] if first is last else first[0] + last[0]).upper()


def dig(row: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value at a dotted path, or None."""
    for name in path.split("."):
        row = row.get(name) if isinstance(row, Mapping) else None
    return row


def script_json(value: Any) -> Markup:  # noqa: ANN401 - any JSON
    """Return JSON for a script element, escaped so that it cannot end the element."""
    text = msgspec.json.encode(value).decode()
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - escaped just so


def highlighted(text: str, term: str) -> Markup:
    """Mark the first occurrence of a term."""
    at = text.lower().find(term.lower()) if term else -1
    if at < 0:
        return escape(text)
    end = at + len(term)
    return escape(text[:at]) + Markup("<mark>{}</mark>").format(text[at:end]) + escape(text[end:])


# Parts of a user agent and their names. The first that matches counts.
BROWSERS: Final = (
    ("Edg", "Edge"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
MACHINES: Final = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def browser(agent: str) -> str:
    """Return the browser and platform of a user agent, or its beginning if unknown."""
    name = next((said for known, said in BROWSERS if known in agent), "")
    machine = next((said for known, said in MACHINES if known in agent), "")
    if not name:
        return agent[:32]
    return f"{name} on {machine}" if machine else name


# The resources whose pages show records, by the prefix of their ids.
PAGES: Final[Mapping[str, str]] = {
    "contact": "contacts",
    "customer": "customers",
    "delivery": "webhook-deliveries",
    "device": "devices",
    "driver": "drivers",
    "event": "events",
    "fleet": "fleets",
    "issue": "issues",
    "key": "keys",
    "message": "messages",
    "operator": "operators",
    "order": "orders",
    "order_config": "order-configs",
    "parked": "parked",
    "place": "places",
    "proof": "proofs",
    "sa": "service-areas",
    "service": "service-rates",
    "service_area": "service-areas",
    "service_rate": "service-rates",
    "store": "storefronts",
    "transaction": "transactions",
    "vehicle": "vehicles",
    "vendor": "vendors",
    "webhook": "webhooks",
    "zone": "zones",
}


def page_of(identifier: str) -> str:
    """Return the address of a record's page by its id, or nothing if it has none."""
    resource = PAGES.get(identifier.rpartition("_")[0])
    return f"/console/{resource}/{identifier}" if resource else ""


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "actor": actor,
    "ago": ago,
    "browser": browser,
    "called": called,
    "clock": clock,
    "day": long_day,
    "dig": dig,
    "distance": distance,
    "duration": duration,
    "highlighted": highlighted,
    "initials": initials,
    "local": local,
    "moment": moment,
    "measured": measured,
    "money": money,
    "plain": plain,
    "page_of": page_of,
    "pretty": pretty,
    "script_json": script_json,
    "speed": speed,
    "standing": standing,
    "until": until,
}
