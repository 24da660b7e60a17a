"""HTTP handler for the dispatch board."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.db import Db, reject_paging
from pannier.errors import NotFound
from pannier.orders.board import queries
from pannier.orders.board.schemas import Board, BoardFilters
from pannier.web.routes import get


@get("/orders/board", problems=[NotFound])
async def read_board(caller: Caller, filters: BoardFilters, db: Db) -> Board:
    """List orders in the columns of the board, with a count for each."""
    reject_paging(filters)
    return await queries.load_board(db, caller.company, filters)


routers: Final = (api_routers.operator_router("Order board", "viewer", [read_board]),)
