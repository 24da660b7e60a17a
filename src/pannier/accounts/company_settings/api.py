"""The doors of a company's settings: anybody at the console looks, an admin changes."""

from pannier.accounts import auth, doors
from pannier.accounts import queries as accounts
from pannier.accounts.auth import Caller
from pannier.accounts.company_settings import service
from pannier.accounts.company_settings.models import Bounds
from pannier.accounts.company_settings.schemas import SettingsChange, SettingsOut
from pannier.db import Db
from pannier.errors import NotFound
from pannier.settings import Settings
from pannier.web.routes import get, patch
from pannier.web.versions import Match, PreconditionFailed


@get("/settings")
async def get_settings(caller: Caller, db: Db, settings: Settings) -> SettingsOut:
    """Read what applies to the company, defaults included."""
    company = await accounts.company(db, caller.company)
    return await service.shown(db, company, Bounds.of(settings))


@patch("/settings", before_request=auth.operator("admin"), problems=[PreconditionFailed, NotFound])
async def change_settings(
    caller: Caller, data: SettingsChange, match: Match, db: Db, settings: Settings
) -> SettingsOut:
    """Change settings. What is left out stays, and null goes back to the default."""
    company = await accounts.take_company(db, caller.company)
    match(company.version)
    bounds = Bounds.of(settings)
    return await service.shown(db, await service.change(db, company, data, bounds), bounds)


router = doors.for_operators("Settings", "viewer", [get_settings, change_settings])
routers = (router,)
