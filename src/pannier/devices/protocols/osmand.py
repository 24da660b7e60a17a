"""The OsmAnd protocol of Traccar Client and compatible apps, as query, form or JSON.

Speeds are in knots in a query or form, and in metres per second in JSON.
"""

import math
import re
from datetime import UTC, datetime
from typing import Annotated, Any, Final
from urllib.parse import unquote

import msgspec
from msgspec import Meta

from pannier.devices.items import EventItem, InvalidItem
from pannier.devices.protocols import owntracks, reports
from pannier.devices.protocols.reports import KNOT, METRE_PER_SECOND, DeviceReport, to_kmh
from pannier.kit import wording

EXAMPLE_TIME: Final = "2026-01-31T09:30:00.000Z"
MAX_FIELDS: Final = 200
MAX_LOCATIONS: Final = 1000
_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_FRACTION: Final = frozenset(".eE")
_BOOLEANS: Final = {"true": True, "false": False}
# Known fields; any other field is an attribute.
_KNOWN_FIELDS: Final = frozenset(
    {
        "id", "deviceid", "valid", "timestamp", "lat", "lon", "location", "speed", "bearing",
        "heading", "altitude", "accuracy", "cell", "wifi", "token",
    }
)  # fmt: skip
_REPEATABLE_FIELDS: Final = ("cell", "wifi")


class PhoneCoordinates(msgspec.Struct):
    """A phone's position from its operating system; negative values are unknown."""

    latitude: Annotated[float, Meta(examples=[1.3521])] | None = None
    longitude: Annotated[float, Meta(examples=[103.8198])] | None = None
    accuracy: Annotated[float, Meta(description="Metres.", examples=[4.8])] | None = None
    speed: Annotated[float, Meta(description="Metres per second.", examples=[11.8])] | None = None
    heading: Annotated[float, Meta(description="Degrees.", examples=[91.2])] | None = None
    altitude: Annotated[float, Meta(description="Metres.", examples=[15.4])] | None = None


class PhoneBattery(msgspec.Struct):
    """The battery level, from 0 to 1, and whether it is charging."""

    level: float | None = None
    is_charging: bool | None = None


class PhoneActivity(msgspec.Struct):
    """The activity that the phone detects."""

    type: str | None = None


class PhoneLocation(msgspec.Struct, kw_only=True):
    """One location of Traccar Client 9."""

    timestamp: Annotated[datetime | int | float, Meta(examples=[EXAMPLE_TIME])] | None = None
    coords: PhoneCoordinates | None = None
    is_moving: bool | None = None
    odometer: float | None = None
    event: str | None = None
    mock: bool | None = None
    activity: PhoneActivity | None = None
    battery: PhoneBattery | None = None
    alarm: str | None = None
    uuid: str | None = None
    extras: dict[str, Any] | list[Any] | None = None


class PhoneReport(msgspec.Struct, kw_only=True):
    """The JSON of Traccar Client 9: one location, or several that waited for the network."""

    device_id: Annotated[str | int, Meta(examples=["device_5Ks2GqTn9XcVb4Kd"])] | None = None
    location: PhoneLocation | Annotated[list[PhoneLocation], Meta(max_length=MAX_LOCATIONS)]


_report_decoder: Final = msgspec.json.Decoder(PhoneReport)


def parse_fields(encoded_fields: bytes) -> list[EventItem]:
    """Parse a query or form."""
    pairs = _split_pairs(encoded_fields)
    fields_by_name = dict(pairs)
    if not fields_by_name:
        raise InvalidItem(
            "event_invalid", "The request has no fields. Send at least `id`, `lat` and `lon`."
        )
    device = fields_by_name.get("id") or fields_by_name.get("deviceid")
    latitude, longitude = _parse_location(fields_by_name)
    report = DeviceReport(
        device=device,
        timestamp=_parse_time(fields_by_name.get("timestamp")),
        latitude=latitude,
        longitude=longitude,
        fixed=fields_by_name.get("valid", "true").lower() not in {"false", "0"},
        measures=_parse_measures(fields_by_name),
        attributes=_collect_attributes(pairs, fields_by_name),
    )
    return reports.to_items(report)


def _split_pairs(encoded_fields: bytes) -> list[tuple[str, str]]:
    """Split a query or form into pairs; empty fields are ignored."""
    if encoded_fields.count(b"&") >= MAX_FIELDS:
        raise InvalidItem("event_invalid", f"Send at most {MAX_FIELDS} fields.")
    try:
        fields = [part.partition("=") for part in encoded_fields.decode().split("&")]
        if b"%" not in encoded_fields and b"+" not in encoded_fields:
            return [(name, text) for name, _, text in fields if text]
        return [(_unquote(name), _unquote(text)) for name, _, text in fields if text]
    except UnicodeError:
        raise InvalidItem("event_invalid", "The request is not valid UTF-8.") from None


def _unquote(text: str) -> str:
    return unquote(text.replace("+", " "), errors="strict")


def _collect_attributes(
    pairs: list[tuple[str, str]], fields_by_name: dict[str, str]
) -> dict[str, Any]:
    """Collect the attributes; fields that may repeat become lists."""
    attributes: dict[str, Any] = {
        name: _parse_value(text)
        for name, text in fields_by_name.items()
        if name not in _KNOWN_FIELDS
    }
    for name in _REPEATABLE_FIELDS:
        if name in fields_by_name:
            attributes[name] = [text for key, text in pairs if key == name]
    return attributes


def parse_json(body: bytes) -> list[EventItem]:
    """Parse JSON of Traccar Client or OwnTracks."""
    try:
        if owntracks.is_owntracks(body):
            return owntracks.parse_message(body)
        message = _report_decoder.decode(body)
    except msgspec.ValidationError as error:
        raise InvalidItem("event_invalid", wording.describe_in_text(error)) from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InvalidItem("event_invalid", wording.describe_json_error(error)) from None
    device = None if message.device_id is None else str(message.device_id)
    locations = message.location if isinstance(message.location, list) else [message.location]
    return [
        item for location in locations for item in reports.to_items(_to_report(device, location))
    ]


def _to_report(device: str | None, location: PhoneLocation) -> DeviceReport:
    coords = location.coords or PhoneCoordinates()
    battery = location.battery or PhoneBattery()
    level = battery.level
    measures = {
        "speed": None
        if coords.speed is None or coords.speed < 0
        else to_kmh(coords.speed, METRE_PER_SECOND),
        "heading": coords.heading,
        "altitude": coords.altitude,
        "accuracy": coords.accuracy,
    }
    attributes = {
        "motion": location.is_moving,
        "odometer": location.odometer,
        "event": location.event,
        "mock": location.mock or None,
        "activity": location.activity.type if location.activity else None,
        "battery_level": None if level is None or level < 0 else round(level * 100, 2),
        "charging": battery.is_charging,
        "alarm": location.alarm,
    }
    extras = location.extras if isinstance(location.extras, dict) else {}
    return DeviceReport(
        device=device,
        timestamp=location.timestamp,
        latitude=coords.latitude,
        longitude=coords.longitude,
        measures={name: value for name, value in measures.items() if value is not None},
        attributes=extras
        | {name: value for name, value in attributes.items() if value is not None},
        event_id=location.uuid,
    )


def _parse_location(fields_by_name: dict[str, str]) -> tuple[float | None, float | None]:
    latitude, longitude = fields_by_name.get("lat"), fields_by_name.get("lon")
    if "location" in fields_by_name:
        latitude, _, longitude = fields_by_name["location"].partition(",")
    if latitude is None or longitude is None:
        return None, None
    return _parse_number("lat", latitude), _parse_number("lon", longitude)


def _parse_measures(fields_by_name: dict[str, str]) -> dict[str, Any]:
    measures = (
        ("speed", fields_by_name.get("speed")),
        ("heading", fields_by_name.get("bearing") or fields_by_name.get("heading")),
        ("altitude", fields_by_name.get("altitude")),
        ("accuracy", fields_by_name.get("accuracy")),
    )
    numbers = {name: _parse_number(name, text) for name, text in measures if text is not None}
    if numbers.get("speed", 0) > 0:
        numbers["speed"] = to_kmh(numbers["speed"], KNOT)
    return numbers


def _parse_number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    # Python also accepts 1_000 and infinity, which are not valid here.
    if not math.isfinite(number) or "_" in text:
        raise InvalidItem("event_invalid", f"`{name}` must be a number, such as 12.5.")
    return number


def _parse_time(text: str | None) -> datetime | float | None:
    """Parse Unix seconds or milliseconds, ISO 8601, or a UTC date and time with a space."""
    if text is None:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        # An unencoded plus sign was decoded as a space.
        moment = datetime.fromisoformat(re.sub(r"(?<=:\d\d) (?=\d\d:\d\d$)", "+", text.strip()))
    except ValueError:
        raise InvalidItem("timestamp_invalid") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse_value(text: str) -> Any:  # noqa: ANN401 - a number, a boolean or the text itself
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _NUMBER.fullmatch(text) and len(text) < 16:  # noqa: PLR2004 - as many digits as are exact
        return int(text) if _FRACTION.isdisjoint(text) else float(text)
    return text
