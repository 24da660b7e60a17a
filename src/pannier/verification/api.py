"""The door through which operators see what codes by SMS cost, and what was stopped."""

from pannier.accounts import doors
from pannier.accounts.auth import Caller
from pannier.db import Db
from pannier.verification import overview
from pannier.verification.schemas import SmsOverview
from pannier.web.routes import get


@get("/sms")
async def get_sms(caller: Caller, db: Db) -> SmsOverview:
    """Tell how many codes were sent by SMS today, and which countries are left alone.

    Sending stops by itself where hardly any code comes back, and goes on by itself.
    """
    return SmsOverview(await overview.of(db, caller.company))


router = doors.for_operators("Messages", "viewer", [get_sms])
routers = (router,)
