"""HTTP API of SMS usage for operators."""

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.db import Db
from pannier.verification import overview
from pannier.verification.schemas import SmsOverview
from pannier.web.routes import get


@get("/sms")
async def get_sms(caller: Caller, db: Db) -> SmsOverview:
    """Report the SMS codes sent in the last 24 hours, and the paused countries.

    Sending to a country pauses while too few codes are confirmed, and resumes automatically.
    """
    return SmsOverview(await overview.list_audiences(db, caller.company))


router = api_routers.operator_router("Messages", "viewer", [get_sms])
routers = (router,)
