"""How exported device events are written: in pieces, for whatever reads such files."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeGuard
from xml.sax.saxutils import escape

import msgspec

from pannier.devices.events.schemas import DeviceEventOut

MEASURES: Final = ("speed", "heading", "altitude", "accuracy")
HEAD: Final = (
    "id", "device_id", "vehicle_id", "event_type", "timestamp", "longitude", "latitude",
    *MEASURES, "severity", "late", "clock_corrected", "derived", "data",
)  # fmt: skip
# A spreadsheet takes what begins so for a formula, also if a device said it.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
LARGEST: Final = 1e15  # whatever is larger measures nothing
_json: Final = msgspec.json.Encoder()


class Format(Protocol):
    """How events are written: a beginning, parts of any number of them, an end."""

    media_type: str
    begin: bytes
    # Whether events come device by device.
    by_device: bool

    @property
    def end(self) -> bytes:
        """Write the end."""
        ...

    def part(self, rows: Sequence[DeviceEventOut]) -> bytes:
        """Write some events."""
        ...


class Csv:
    """A line for each event, with a head."""

    media_type = "text/csv; charset=utf-8; header=present"
    begin, end = f"{','.join(HEAD)}\r\n".encode(), b""
    by_device = False

    def part(self, rows: Sequence[DeviceEventOut]) -> bytes:
        """Write lines."""
        out = io.StringIO()
        csv.writer(out).writerows(map(self._line, rows))
        return out.getvalue().encode()

    def _line(self, row: DeviceEventOut) -> list[Any]:
        longitude, latitude = (None, None) if row.location is None else row.location.coordinates
        data = dict(row.data)
        # Of types that are not ours they may be anything, which is then for readers of JSON.
        measured = [data.pop(name) if _is_number(data.get(name)) else None for name in MEASURES]
        kind = row.event_type
        return [
            row.id, row.device_id, row.vehicle_id,
            f"'{kind}" if kind.startswith(FORMULA) else kind,
            row.timestamp, longitude, latitude, *measured, row.severity,
            *(str(flag).lower() for flag in (row.late, row.clock_corrected, row.derived)),
            _json.encode(data).decode() if data else "",
        ]  # fmt: skip


class Ndjson:
    """An event as the API spells it on each line."""

    media_type, begin, end = "application/x-ndjson", b"", b""
    by_device = False

    def part(self, rows: Sequence[DeviceEventOut]) -> bytes:
        """Write lines."""
        return _json.encode_lines(rows)


class GeoJson:
    """A collection with a feature for each event; one without a place has no geometry."""

    media_type = "application/geo+json"
    begin, end = b'{"type":"FeatureCollection","features":[', b"\n]}\n"
    by_device = False

    def __init__(self) -> None:
        self._begun = False

    def part(self, rows: Sequence[DeviceEventOut]) -> bytes:
        """Write features; a comma stands between two of them."""
        features = b",\n".join(_json.encode(self._feature(row)) for row in rows)
        before = b",\n" if self._begun else b"\n"
        self._begun = self._begun or bool(rows)
        return before + features if rows else b""

    def _feature(self, row: DeviceEventOut) -> dict[str, Any]:
        said = msgspec.structs.asdict(row)
        return {
            "type": "Feature",
            "id": said.pop("id"),
            "geometry": said.pop("location"),
            "properties": said,
        }


class Gpx:
    """A track for each device, with a point for each event that has a place."""

    media_type = "application/gpx+xml"
    begin = (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<gpx version="1.1" creator="Pannier" xmlns="http://www.topografix.com/GPX/1/1"'
        b' xmlns:t="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n'
    )
    by_device = True

    def __init__(self) -> None:
        self._device: str | None = None

    @property
    def end(self) -> bytes:
        """End the last track, and the file."""
        return self._ended() + b"</gpx>\n"

    def _ended(self) -> bytes:
        return b"" if self._device is None else b"</trkseg></trk>\n"

    def part(self, rows: Sequence[DeviceEventOut]) -> bytes:
        """Write points; events come device by device."""
        return b"".join(self._point(row) for row in rows if row.location is not None)

    def _point(self, row: DeviceEventOut) -> bytes:
        begin = b""
        if row.device_id != self._device:
            begin = self._ended() + f"<trk><name>{row.device_id}</name><trkseg>\n".encode()
            self._device = row.device_id
        longitude, latitude = row.location.coordinates if row.location is not None else (0, 0)
        said = [
            f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}">',
            _element("ele", row.data.get("altitude")),
            f"<time>{row.timestamp}</time><type>{escape(row.event_type)}</type>",
            _extension(row.data),
            "</trkpt>\n",
        ]
        return begin + "".join(said).encode()


def _is_number(value: object) -> TypeGuard[float]:
    """Tell whether something is a number that others can read too: there are endless ones."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST


def _element(name: str, value: object) -> str:
    return f"<{name}>{value}</{name}>" if _is_number(value) else ""


def _extension(data: Mapping[str, Any]) -> str:
    """Write what a point of GPX has no element for, as most readers know it: metres a second."""
    speed, heading = data.get("speed"), data.get("heading")
    known = round(speed / 3.6, 3) if _is_number(speed) else None
    said = _element("t:speed", known) + _element("t:course", heading)
    wrapped = f"<t:TrackPointExtension>{said}</t:TrackPointExtension>"
    return f"<extensions>{wrapped}</extensions>" if said else ""


FORMATS: Final[Mapping[str, type[Format]]] = {
    "csv": Csv, "ndjson": Ndjson, "geojson": GeoJson, "gpx": Gpx,
}  # fmt: skip
