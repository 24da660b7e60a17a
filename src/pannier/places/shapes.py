"""JSON forms of points and borders."""

from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from msgspec import Meta

from pannier.web.compatibility import ACCEPTED, OBJECT_KEY
from pannier.web.documented_types import document_as

EXAMPLE_POINT = {"type": "Point", "coordinates": [103.8198, 1.3521]}
EXAMPLE_RING = [[103.8, 1.3], [103.9, 1.3], [103.9, 1.4], [103.8, 1.4], [103.8, 1.3]]

Position = Annotated[
    list[float],
    Meta(
        min_length=2,
        max_length=3,
        description="Longitude and latitude in degrees.",
        examples=[EXAMPLE_POINT["coordinates"]],
    ),
]


class GeoJsonPoint(msgspec.Struct):
    """A GeoJSON point."""

    example: ClassVar = EXAMPLE_POINT
    type: Literal["Point"]
    coordinates: Position


class LatitudeLongitude(msgspec.Struct):
    """A point by its latitude and longitude."""

    latitude: Annotated[float, Meta(ge=-90, le=90, examples=[1.3521])]
    longitude: Annotated[float, Meta(ge=-180, le=180, examples=[103.8198])]


class GeoJsonPolygon(msgspec.Struct):
    """A GeoJSON polygon: its outer ring, then its holes."""

    type: Literal["Polygon"]
    coordinates: Annotated[list[list[Position]], Meta(examples=[[EXAMPLE_RING]])]


class GeoJsonMultiPolygon(msgspec.Struct):
    """A GeoJSON polygon of several parts."""

    type: Literal["MultiPolygon"]
    coordinates: Annotated[list[list[list[Position]]], Meta(examples=[[[EXAMPLE_RING]]])]


class PointObject(msgspec.Struct):
    """A point as an object: GeoJSON, a GeoJSON feature, or `latitude` and `longitude`."""

    accepts: ClassVar = ACCEPTED["point"]
    type: Any = None
    coordinates: Any = None
    bbox: Any = None
    geometry: Any = None
    properties: Any = None
    latitude: Any = None
    longitude: Any = None
    # Readings that a phone sends with its position. Captures store the accuracy.
    accuracy: Any = None
    altitude: Any = None
    heading: Any = None
    speed: Any = None


# The forms of a point in a request.
POINT_FORMS: Final = document_as(GeoJsonPoint, LatitudeLongitude, Position, str)
PointIn = Annotated[
    dict[str, Any] | list[Any] | str,
    Meta(
        description="A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text.",
        examples=[EXAMPLE_POINT],
        extra={OBJECT_KEY: PointObject},
        extra_json_schema=POINT_FORMS,
    ),
]
PointOut = Annotated[
    dict[str, Any],
    Meta(
        description="A GeoJSON point.",
        examples=[EXAMPLE_POINT],
        extra_json_schema=document_as(GeoJsonPoint),
    ),
]
AreaBorder = Annotated[
    dict[str, Any],
    Meta(
        description="A GeoJSON Polygon or MultiPolygon. Responses contain a MultiPolygon.",
        examples=[{"type": "MultiPolygon", "coordinates": [[EXAMPLE_RING]]}],
        extra_json_schema=document_as(GeoJsonMultiPolygon, GeoJsonPolygon),
    ),
]
ZoneBorder = Annotated[
    dict[str, Any],
    Meta(
        description="A GeoJSON Polygon.",
        examples=[{"type": "Polygon", "coordinates": [EXAMPLE_RING]}],
        extra_json_schema=document_as(GeoJsonPolygon),
    ),
]
