"""The doors of places, service areas and zones."""

from typing import Final

from pannier.accounts import doors
from pannier.errors import NotFound
from pannier.places import queries, service
from pannier.places.schemas import AreaOut, PlaceOut
from pannier.web.resources import Resource

places: Final = Resource(
    queries.places,
    out=PlaceOut,
    create=service.create_place,
    change=service.change_place,
    page=queries.place_page,
)
areas: Final = Resource(
    queries.areas,
    out=AreaOut,
    create=service.create_area,
    change=service.change_area,
    page=queries.area_page,
    remove=service.delete_area,
    problems={"delete": [service.ServiceAreaHasZones]},
    says={
        "create": "Make a service area. Give its border, or a point and a radius.",
        "delete": "Delete a service area. Its zones must have gone before it.",
    },
)
zones: Final = Resource(
    queries.zones,
    create=service.create_zone,
    change=service.change_zone,
    page=queries.zone_page,
    show=queries.shown_zones,
    problems={"create": [NotFound], "list": [NotFound]},
    says={"create": "Make a zone. Give its border, or a point and a radius."},
)
routers: Final = (
    doors.for_keys("Places", "places", places.handlers()),
    doors.for_keys("Service areas", "service-areas", areas.handlers()),
    doors.for_keys("Zones", "zones", zones.handlers()),
)
