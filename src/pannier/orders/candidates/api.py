"""HTTP handler for the drivers who could take an order."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.orders.access import load_order
from pannier.orders.candidates import queries
from pannier.orders.candidates.schemas import CandidateFilters, CandidateOut
from pannier.web.routes import get


@get("/orders/{order_id:str}/driver-candidates")
async def list_driver_candidates(
    key: FleetKey, order_id: str, filters: CandidateFilters, db: Db
) -> list[CandidateOut]:
    """List drivers for an order, nearest first, with their work, vehicle, shifts and warnings.

    There is a single page. `best-drivers` compares routes instead.
    """
    return await queries.list_candidates(db, await load_order(db, key, order_id), filters)


routes: Final = api_routers.api_router(
    "Order assignment", "orders", [list_driver_candidates], also_reads=["drivers"]
)
