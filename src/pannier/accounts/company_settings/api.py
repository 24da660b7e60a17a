"""API of a company's settings: every operator reads them, an admin changes them.

Billing operators change those about taxes and fees.
"""

from pannier.accounts import api_routers, auth
from pannier.accounts import queries as accounts
from pannier.accounts.auth import Caller
from pannier.accounts.company_settings import service
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.accounts.company_settings.schemas import SettingsChange, SettingsOut
from pannier.db import Db
from pannier.errors import NotFound
from pannier.settings import Settings
from pannier.web.routes import get, patch
from pannier.web.versions import IfMatch, PreconditionFailed


@get("/settings")
async def get_settings(caller: Caller, db: Db, settings: Settings) -> SettingsOut:
    """Retrieve the company's effective settings, including defaults."""
    company = await accounts.get_company(db, caller.company)
    return await service.to_out(db, company, InstallationLimits.from_settings(settings))


@patch(
    "/settings",
    before_request=auth.require_money_role("change_fees"),
    problems=[PreconditionFailed, NotFound],
)
async def change_settings(
    caller: Caller, data: SettingsChange, match: IfMatch, db: Db, settings: Settings
) -> SettingsOut:
    """Update settings. An omitted setting stays unchanged, and null restores its default.

    Billing operators update only those about fees and taxes.
    """
    service.check_role(caller.role, data)
    company = await accounts.lock_company(db, caller.company)
    match(company.version)
    bounds = InstallationLimits.from_settings(settings)
    return await service.to_out(
        db, await service.change_settings(db, company, data, bounds), bounds
    )


router = api_routers.operator_router("Settings", "viewer", [get_settings, change_settings])
routers = (router,)
