"""HTTP handlers of reports."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.db import Db
from pannier.reports import home
from pannier.reports.home_schemas import Home
from pannier.web.routes import get


@get("/home")
async def show_home(caller: Caller, db: Db) -> Home:
    """Retrieve today's figures, and the counts of what needs a decision.

    Each count names the list and the filters that give exactly these records.
    """
    return await home.load_home(db, caller.company)


routers: Final = (api_routers.operator_router("Reports", "viewer", [show_home]),)
