"""The doors of places, service areas and zones."""

from typing import Final

from pannier.accounts import auth
from pannier.errors import NotFound
from pannier.places import queries, service
from pannier.places.schemas import AreaOut, PlaceOut, ZoneOut
from pannier.web.resources import Resource

places: Final = Resource(
    "places",
    queries.places,
    out=PlaceOut,
    create=service.create_place,
    change=service.change_place,
    page=queries.place_page,
)
areas: Final = Resource(
    "service-areas",
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
    "zones",
    queries.zones,
    out=ZoneOut,
    create=service.create_zone,
    change=service.change_zone,
    page=queries.zone_page,
    show=queries.shown_zones,
    problems={"create": [NotFound], "list": [NotFound]},
    says={"create": "Make a zone. Give its border, or a point and a radius."},
)
routers: Final = (
    places.router("/v1", auth.fleet("places"), tag="Places", security="apiKey"),
    areas.router("/v1", auth.fleet("service-areas"), tag="Service areas", security="apiKey"),
    zones.router("/v1", auth.fleet("zones"), tag="Zones", security="apiKey"),
)
