"""API of the whole fleet's positions, for operators and for keys that may read vehicles."""

from typing import Final
from uuid import UUID

from pannier.accounts import api_routers, auth
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet.live import queries
from pannier.fleet.live.schemas import UnitFilters, WhereaboutsOut
from pannier.web.exchange import Exchange
from pannier.web.routes import get


@get("/fleet-module/whereabouts", problems=[NotFound])
async def list_whereabouts(
    company: UUID, filters: UnitFilters, exchange: Exchange, db: Db
) -> WhereaboutsOut:
    """List positions of vehicles, and of drivers without one, with counts by state.

    Moving units come first, then standing ones, then those without recent reports, each group
    by name. A key without `drivers:read` sees only vehicles, with the positions of the vehicles
    themselves.
    """
    include_drivers = auth.can_read(exchange, "drivers")
    return await queries.load_whereabouts(db, company, filters, include_drivers=include_drivers)


routers: Final = (api_routers.viewer_router("Vehicles", "vehicles", [list_whereabouts]),)
