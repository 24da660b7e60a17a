"""API of vehicles."""

from typing import Final

from pannier.accounts import api_routers
from pannier.errors import NotFound
from pannier.fleet.queries import VEHICLES
from pannier.fleet.vehicles import queries, service
from pannier.web.resources import Resource

vehicles: Final = Resource(
    VEHICLES,
    create=service.create,
    change=service.change,
    page=queries.list_vehicles,
    show=queries.load_vehicles_out,
    lock=queries.lock_with_driver,
    remove=service.delete,
    problems={"create": [NotFound], "list": [NotFound]},
    summaries={"delete": "Delete a vehicle. Its driver stays, without a vehicle."},
)


routers: Final = (api_routers.api_router("Vehicles", "vehicles", vehicles.make_handlers()),)
