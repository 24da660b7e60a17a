"""API of vehicles."""

from typing import Final

from pannier.accounts import doors
from pannier.errors import NotFound
from pannier.fleet.queries import VEHICLES
from pannier.fleet.vehicles import queries, service
from pannier.web.resources import Resource

vehicles: Final = Resource(
    VEHICLES,
    create=service.add,
    change=service.change,
    page=queries.vehicles,
    show=queries.shown,
    take=queries.take_with_driver,
    remove=service.remove,
    problems={"create": [NotFound], "list": [NotFound]},
    says={"delete": "Delete a vehicle. Its driver stays, without a vehicle."},
)


routers: Final = (doors.for_keys("Vehicles", "vehicles", vehicles.handlers()),)
