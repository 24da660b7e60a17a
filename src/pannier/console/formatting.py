"""Values formatted for people: times in the company's zone, money, distances and names."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple, Self
from zoneinfo import ZoneInfo

import msgspec
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from pannier.console.readings import event_label
from pannier.console.record_urls import record_url, shorten_id
from pannier.console.statuses import format_actor, method_label, status_style, to_label
from pannier.kit.money import Money

EMPTY_VALUE: Final = "\N{EN DASH}"
METRES_PER_KILOMETRE: Final = 1000
SECONDS_PER_HOUR: Final = 3600
HOURS_PER_DAY: Final = 24
# Units of device readings; see the nine types of device events.
READING_UNITS: Final[Mapping[str, str]] = {
    "accuracy": "m", "altitude": "m", "battery_level": "%", "battery_voltage": "V",
    "coolant_temperature": "°C", "duration_s": "s", "engine_hours": "h", "engine_load": "%",
    "excess": "km/h", "fuel_level": "%", "fuel_rate": "l/h", "g_force": "g", "heading": "°",
    "humidity": "%", "limit": "km/h", "odometer": "m", "setpoint": "°C",
    "signal_strength": "dBm", "speed": "km/h", "temperature": "°C", "throttle": "%",
    "vehicle_speed": "km/h",
}  # fmt: skip
# The labels of false and true, for readings that are not "No" and "Yes".
BOOLEAN_READINGS: Final[Mapping[str, tuple[str, str]]] = {"ignition": ("Off", "On")}
KMH_PER_METRE_PER_SECOND: Final = 3.6


class TimeZone(NamedTuple):
    """The time zone for times on pages."""

    name: str
    info: ZoneInfo

    @classmethod
    def from_company(cls, company: Mapping[str, Any]) -> Self:
        name = company["settings"]["time_zone"]
        return cls(name, ZoneInfo(name))


def parse_time(text: str | datetime) -> datetime:
    """Parse a time in the API's format."""
    return text if isinstance(text, datetime) else datetime.fromisoformat(text)


@pass_context
def render_moment(context: Context, text: str | None, *, seconds: bool = False) -> Markup:
    """Render a time in the company's zone: "14:30" today, "5 Nov, 14:30" on another day."""
    if not text:
        return Markup.escape(EMPTY_VALUE)
    moment, zone = parse_time(text), context["zone"].info
    local, today = moment.astimezone(zone), context["now"].astimezone(zone)
    time_of_day = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    label = (
        time_of_day
        if local.date() == today.date()
        else f"{_format_short_day(local, today)}, {time_of_day}"
    )
    full_time = f"{local:%Y-%m-%d %H:%M:%S %Z}"
    return Markup(  # noqa: S704 - made of a time
        f'<time datetime="{moment.isoformat()}" title="{full_time}">{label}</time>'
    )


@pass_context
def render_hour(context: Context, text: str) -> Markup:
    """Render the time of day, such as "14:30", for pages that show the date elsewhere."""
    local = parse_time(text).astimezone(context["zone"].info)
    return Markup(  # noqa: S704 - made of a time
        f'<time datetime="{local.isoformat()}">{local:%H:%M}</time>'
    )


def _format_short_day(day: date, today: date) -> str:
    """Format a date as "5 Nov", with the year if it is not the current one."""
    return f"{day.day} {day:%b}" if day.year == today.year else f"{day.day} {day:%b %Y}"


def format_long_day(day: date) -> str:
    """Format a date as "5 November 2026"."""
    return f"{day.day} {day:%B %Y}"


@pass_context
def format_clock(context: Context, text: str) -> str:
    """Format a time for narrow places: "14:30" today, "5 Nov" on another day."""
    moment, today = (
        time.astimezone(context["zone"].info) for time in (parse_time(text), context["now"])
    )
    return f"{moment:%H:%M}" if moment.date() == today.date() else _format_short_day(moment, today)


@pass_context
def format_window(context: Context, start: str | None, end: str | None) -> str:
    """Format a time window for narrow places, such as "by 16:00" or "from 5 Nov, 14:30"."""
    zone = context["zone"].info
    today = context["now"].astimezone(zone).date()
    first, last = (parse_time(text).astimezone(zone) if text else None for text in (start, end))
    if first and last and first.date() == last.date():
        return f"{_format_day_and_time(first, today)}\N{EN DASH}{last:%H:%M}"
    if first and last:
        return (
            f"{_format_day_and_time(first, today)} \N{EN DASH} {_format_day_and_time(last, today)}"
        )
    if first:
        return f"from {_format_day_and_time(first, today)}"
    return f"by {_format_day_and_time(last, today)}" if last else ""


def _format_day_and_time(moment: datetime, today: date) -> str:
    """Format a time as "14:30" today, and as "5 Nov, 14:30" on another day."""
    clock = f"{moment:%H:%M}"
    day = moment.date()
    return clock if day == today else f"{_format_short_day(day, today)}, {clock}"


@pass_context
def format_local(context: Context, text: str | None) -> str:
    """Format a time in the company's zone for a `datetime-local` input."""
    return f"{parse_time(text).astimezone(context['zone'].info):%Y-%m-%dT%H:%M}" if text else ""


@pass_context
def render_ago(context: Context, text: str | None) -> Markup:
    """Render a relative time; the page's script keeps it up to date."""
    if not text:
        return Markup.escape(EMPTY_VALUE)
    moment = parse_time(text)
    zone = context["zone"].info
    full_time = f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"
    age = format_ago(context["now"] - moment)
    return Markup(  # noqa: S704 - made of a time
        f'<time class=ago datetime="{moment.isoformat()}" title="{full_time}">{age}</time>'
    )


@pass_context
def render_countdown(context: Context, text: str, prefix: str = "") -> Markup:
    """Render a countdown after a prefix, or "expired". The page's script keeps it up to date."""
    end = parse_time(text)
    seconds_left = int((end - context["now"]).total_seconds())
    countdown = "expired" if seconds_left <= 0 else f"{prefix}{_format_span(seconds_left)}"
    return Markup(  # noqa: S704 - made of a time
        f'<time class=until data-prefix="{escape(prefix)}" datetime="{end.isoformat()}">'
        f"{escape(countdown)}</time>"
    )


def format_ago(age: timedelta) -> str:
    """Format a relative time, such as "5 min ago"."""
    seconds = int(age.total_seconds())
    if seconds < 0:
        return f"in {_format_span(-seconds)}"
    return "now" if seconds < 1 else f"{_format_span(seconds)} ago"


def _format_span(seconds: int) -> str:
    """Format a duration in its largest unit, as the page's script does."""
    if seconds < SECONDS_PER_HOUR:
        return format_duration(seconds)
    hours = seconds // SECONDS_PER_HOUR
    return f"{hours} h" if hours < HOURS_PER_DAY else f"{hours // HOURS_PER_DAY} d"


def format_duration(seconds: float | None) -> str:
    """Format a duration in its largest unit, followed by the next smaller one for short ones."""
    if seconds is None:
        return EMPTY_VALUE
    whole_seconds = int(seconds)
    if whole_seconds < 60:  # noqa: PLR2004 - a minute
        return f"{whole_seconds} s"
    minutes = whole_seconds // 60
    if minutes < 60:  # noqa: PLR2004 - an hour
        return f"{minutes} min"
    hours, extra_minutes = divmod(minutes, 60)
    if hours < 24:  # noqa: PLR2004 - a day
        return f"{hours} h {extra_minutes} min" if extra_minutes else f"{hours} h"
    days, extra_hours = divmod(hours, 24)
    return f"{days} d {extra_hours} h" if extra_hours and days < 3 else f"{days} d"  # noqa: PLR2004  - hours no longer matter


def format_distance(metres: float | None) -> str:
    """Format a distance in metres or kilometres."""
    if metres is None:
        return EMPTY_VALUE
    return (
        f"{metres:.0f} m"
        if metres < METRES_PER_KILOMETRE
        else f"{metres / METRES_PER_KILOMETRE:.1f} km"
    )


def format_speed(metres_per_second: float | None) -> str:
    """Format a speed in kilometres per hour."""
    return (
        EMPTY_VALUE
        if metres_per_second is None
        else f"{metres_per_second * KMH_PER_METRE_PER_SECOND:.0f} km/h"
    )


def format_reading(value: object, name: str) -> str:
    """Format a device reading with its unit."""
    if isinstance(value, bool):
        false_label, true_label = BOOLEAN_READINGS.get(name, ("No", "Yes"))
        return true_label if value else false_label
    value_text = format_number(value) if isinstance(value, int | float) else to_label(value)
    unit = READING_UNITS.get(name, "")
    return f"{value_text}{unit}" if unit in ("", "%", "°") else f"{value_text} {unit}"


def format_number(number: float) -> str:
    """Format a number without trailing zeros: 3.0 is "3"."""
    return f"{number:.10g}"


@pass_context
def format_address(context: Context, place: Mapping[str, Any]) -> str:
    """Return the address on one line without the company's country."""
    address, country = str(place["address"]), dig(context.get("company"), "settings.country")
    return address.removesuffix(f", {country}") if country == place.get("country") else address


def format_money(amount: int | None, currency: str | None) -> str:
    """Format an amount in minor units: 1250 SGD is "12.50 SGD"."""
    if amount is None or not currency:
        return EMPTY_VALUE
    return Money(amount, currency).format()


def format_json(value: Any) -> str:  # noqa: ANN401 - any JSON
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def record_name(record: Mapping[str, Any]) -> str:
    """Return a record's name, address, plate, number or URL, or else a short form of its id.

    For an order, it is the company's own number, or else the tracking number.
    """
    make_and_model = " ".join(filter(None, (record.get("make"), record.get("model"))))
    names = (record.get(name) for name in ("name", "title", "plate_number", "address"))
    report = str(record.get("report") or "").partition("\n")[0][:60]
    numbers = (record.get("internal_id"), dig(record, "tracking_number.tracking_number"))
    last = (make_and_model, *numbers, report, record.get("url"))
    return str(next(filter(None, (*names, *last)), None) or shorten_id(record["id"]))


def format_initials(name: str | None) -> str:
    """Return the first letters of the first and the last word."""
    parts = (name or "").split() or ["?"]
    first_word, last_word = parts[0], parts[-1]
    return (first_word[0] if first_word is last_word else first_word[0] + last_word[0]).upper()


def dig(row: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value at a dotted path, or None."""
    for name in path.split("."):
        row = row.get(name) if isinstance(row, Mapping) else None
    return row


def to_script_json(value: Any) -> Markup:  # noqa: ANN401 - any JSON
    """Return JSON for a script element, escaped so that it cannot end the element."""
    text = msgspec.json.encode(value).decode()
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - escaped here


def highlight(text: str, term: str) -> Markup:
    """Mark the first occurrence of a term."""
    start = text.lower().find(term.lower()) if term else -1
    if start < 0:
        return escape(text)
    end = start + len(term)
    return (
        escape(text[:start])
        + Markup("<mark>{}</mark>").format(text[start:end])
        + escape(text[end:])
    )


# Tokens in user agents, and browser names. The first match wins: Edge also names Chrome.
BROWSERS: Final = (
    ("Edg", "Edge"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
PLATFORMS: Final = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def describe_browser(agent: str) -> str:
    """Return the browser and platform of a user agent. Shorten an unknown user agent."""
    browser = next((label for token, label in BROWSERS if token in agent), "")
    platform = next((label for token, label in PLATFORMS if token in agent), "")
    if not browser:
        return agent[:32]
    return f"{browser} on {platform}" if platform else browser


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "actor": format_actor,
    "address_line": format_address,
    "ago": render_ago,
    "browser": describe_browser,
    "called": record_name,
    "clock": format_clock,
    "date": date.fromisoformat,
    "day": format_long_day,
    "dig": dig,
    "distance": format_distance,
    "duration": format_duration,
    "event_label": event_label,
    "highlighted": highlight,
    "hour": render_hour,
    "initials": format_initials,
    "local": format_local,
    "moment": render_moment,
    "measured": format_reading,
    "method": method_label,
    "money": format_money,
    "number": format_number,
    "plain": to_label,
    "page_of": record_url,
    "pretty": format_json,
    "script_json": to_script_json,
    "short_id": shorten_id,
    "speed": format_speed,
    "standing": status_style,
    "until": render_countdown,
    "window": format_window,
    "weekday": lambda text: f"{date.fromisoformat(text):%A, %-d %B %Y}",
}
