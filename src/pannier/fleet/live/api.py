"""The door of the whole fleet: for operators, and for keys that may read vehicles."""

from typing import Final
from uuid import UUID

from pannier.accounts import auth, doors
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
    """Tell where every vehicle and every driver without one is, and how many of them move.

    What moves comes first, then what stands, then what has been silent for long; each by name. A
    key without `drivers:read` is told of vehicles alone, as they themselves were seen.
    """
    people = auth.may_read(exchange, "drivers")
    return await queries.whereabouts(db, company, filters, people=people)


routers: Final = (doors.for_viewers("Vehicles", "vehicles", [list_whereabouts]),)
