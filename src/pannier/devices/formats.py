"""File formats for exported device events, written in pieces."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeGuard
from xml.sax.saxutils import escape

import msgspec

from pannier.devices.events.schemas import DeviceEventOut
from pannier.kit.spreadsheets import encode_rows, escape_formula

MEASURES: Final = ("speed", "heading", "altitude", "accuracy")
HEADER: Final = (
    "id", "device_id", "vehicle_id", "event_type", "timestamp", "longitude", "latitude",
    *MEASURES, "severity", "late", "clock_corrected", "derived", "data",
)  # fmt: skip
MAX_MEASUREMENT: Final = 1e15  # larger values are not measurements
_json_encoder: Final = msgspec.json.Encoder()


class ExportFormat(Protocol):
    """A file format: a start, any number of parts, and an end."""

    media_type: str
    start: bytes
    # Whether events are written device by device.
    by_device: bool

    @property
    def end(self) -> bytes:
        """The end of the file."""
        ...

    def encode(self, rows: Sequence[DeviceEventOut]) -> bytes:
        """Encode events as the next part of the file."""
        ...


class Csv:
    """CSV with a header row and one row per event."""

    media_type = "text/csv; charset=utf-8; header=present"
    start, end = f"{','.join(HEADER)}\r\n".encode(), b""
    by_device = False

    def encode(self, rows: Sequence[DeviceEventOut]) -> bytes:
        return encode_rows(map(self._to_cells, rows))

    def _to_cells(self, row: DeviceEventOut) -> list[Any]:
        longitude, latitude = (None, None) if row.location is None else row.location.coordinates
        data = dict(row.data)
        # Custom types may use these names for other values. Those stay in the JSON column.
        measures = [data.pop(name) if _is_number(data.get(name)) else None for name in MEASURES]
        return [
            row.id, row.device_id, row.vehicle_id,
            escape_formula(row.event_type),
            row.timestamp, longitude, latitude, *measures, row.severity,
            *(str(flag).lower() for flag in (row.late, row.clock_corrected, row.derived)),
            _json_encoder.encode(data).decode() if data else "",
        ]  # fmt: skip


class Ndjson:
    """One JSON object per line, as in the API."""

    media_type, start, end = "application/x-ndjson", b"", b""
    by_device = False

    def encode(self, rows: Sequence[DeviceEventOut]) -> bytes:
        return _json_encoder.encode_lines(rows)


class GeoJson:
    """A feature collection with one feature per event; without a location it has no geometry."""

    media_type = "application/geo+json"
    start, end = b'{"type":"FeatureCollection","features":[', b"\n]}\n"
    by_device = False

    def __init__(self) -> None:
        self._has_features = False

    def encode(self, rows: Sequence[DeviceEventOut]) -> bytes:
        """Encode events as features separated by commas."""
        features = b",\n".join(_json_encoder.encode(self._to_feature(row)) for row in rows)
        separator = b",\n" if self._has_features else b"\n"
        self._has_features = self._has_features or bool(rows)
        return separator + features if rows else b""

    def _to_feature(self, row: DeviceEventOut) -> dict[str, Any]:
        properties = msgspec.structs.asdict(row)
        return {
            "type": "Feature",
            "id": properties.pop("id"),
            "geometry": properties.pop("location"),
            "properties": properties,
        }


class Gpx:
    """GPX with one track per device and one point per event that has a location."""

    media_type = "application/gpx+xml"
    start = (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<gpx version="1.1" creator="Pannier" xmlns="http://www.topografix.com/GPX/1/1"'
        b' xmlns:t="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n'
    )
    by_device = True

    def __init__(self) -> None:
        self._device: str | None = None

    @property
    def end(self) -> bytes:
        """The end of the last track and of the file."""
        return self._close_track() + b"</gpx>\n"

    def _close_track(self) -> bytes:
        return b"" if self._device is None else b"</trkseg></trk>\n"

    def encode(self, rows: Sequence[DeviceEventOut]) -> bytes:
        """Encode events as track points. They must arrive device by device."""
        return b"".join(self._to_track_point(row) for row in rows if row.location is not None)

    def _to_track_point(self, row: DeviceEventOut) -> bytes:
        track_start = b""
        if row.device_id != self._device:
            track_start = (
                self._close_track() + f"<trk><name>{row.device_id}</name><trkseg>\n".encode()
            )
            self._device = row.device_id
        longitude, latitude = row.location.coordinates if row.location is not None else (0, 0)
        parts = [
            f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}">',
            _make_element("ele", row.data.get("altitude")),
            f"<time>{row.timestamp}</time><type>{escape(row.event_type)}</type>",
            _encode_extension(row.data),
            "</trkpt>\n",
        ]
        return track_start + "".join(parts).encode()


def _is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number of a plausible size."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) < MAX_MEASUREMENT
    )


def _make_element(name: str, value: object) -> str:
    return f"<{name}>{value}</{name}>" if _is_number(value) else ""


def _encode_extension(data: Mapping[str, Any]) -> str:
    """Encode speed (m/s) and course in Garmin's track point extension, which most readers know."""
    speed, heading = data.get("speed"), data.get("heading")
    metres_per_second = round(speed / 3.6, 3) if _is_number(speed) else None
    elements = _make_element("t:speed", metres_per_second) + _make_element("t:course", heading)
    extension = f"<t:TrackPointExtension>{elements}</t:TrackPointExtension>"
    return f"<extensions>{extension}</extensions>" if elements else ""


FORMATS: Final[Mapping[str, type[ExportFormat]]] = {
    "csv": Csv, "ndjson": Ndjson, "geojson": GeoJson, "gpx": Gpx,
}  # fmt: skip
