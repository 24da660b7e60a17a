"""API of drivers: details with a key, own presence with a driver token too."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.accounts import auth as accounts
from pannier.accounts import doors
from pannier.accounts.auth import AppKey, Caller, FleetKey
from pannier.accounts.tokens import api as tokens
from pannier.accounts.tokens.known import Origin
from pannier.accounts.tokens.models import Holder
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth, presence, signin
from pannier.fleet.auth import Driving
from pannier.fleet.drivers import app_link, queries, service
from pannier.fleet.drivers.app_link import AppLinkOut, AppLinkSent, SendAppLinkIn
from pannier.fleet.drivers.schemas import (
    DriverCodeIn,
    DriverCodeSent,
    DriverFilters,
    DriverLoginIn,
    DriverOut,
    DriverSignedIn,
    ToggleIn,
)
from pannier.fleet.queries import DRIVERS
from pannier.verification import sending
from pannier.verification.codes import CodeExpired, CodeInvalid
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.resources import Resource
from pannier.web.routes import act, get, post

TAKEN: Final = (service.PhoneTaken, service.VehicleTaken, presence.DriverInactive)
# Reading one is separate because signed-in drivers may do it too. The list is separate because it
# may contain distances.
drivers: Final = Resource(
    DRIVERS,
    create=service.take_in,
    change=service.change,
    show=queries.shown,
    read=False,
    remove=service.let_go,
    problems={"create": (*TAKEN, NotFound), "change": TAKEN},
    says={"delete": "Delete a driver. The vehicle stays, without a driver."},
)


@get("/drivers", problems=[NotFound])
async def list_drivers(
    key: FleetKey, filters: DriverFilters, exchange: Exchange, db: Db
) -> Response[list[DriverOut]]:
    """List the company's drivers, or those near a point."""
    found = await queries.drivers(db, key.company, filters)
    names = await queries.names(db, key.company, found.rows, filters)
    return linked(exchange, found, names.out)


async def get_driver(caller: FleetKey | Driving, driver_id: str, db: Db) -> DriverOut:
    """Read a driver. Signed-in drivers read themselves, also as `me`."""
    driver = await DRIVERS.get(db, caller.company, auth.reach(caller, driver_id))
    return await drivers.shown(db, driver)


async def toggle_driver_online(
    caller: FleetKey | Driving, driver_id: str, data: ToggleIn, db: Db
) -> DriverOut:
    """Set a driver online or offline."""
    driver = await DRIVERS.take(db, caller.company, auth.reach(caller, driver_id))
    moved = await presence.set_online(db, driver, online=data.online, at=data.occurred_at)
    return await drivers.shown(db, moved)


async def request_driver_code(
    key: FleetKey | AppKey, data: DriverLoginIn, exchange: Exchange, db: Db
) -> DriverCodeSent:
    """Send a driver a code. The answer is the same for an unknown phone."""
    origin, charged = Origin.of(exchange), auth.is_public(key)
    sent = await signin.request_code(db, key.company, data.phone, origin, charged=charged)
    return DriverCodeSent.of(sent)


async def sign_driver_in(
    key: FleetKey | AppKey, data: DriverCodeIn, exchange: Exchange, db: Db
) -> DriverSignedIn:
    """Exchange a code for a driver token."""
    origin, charged = Origin.of(exchange), auth.is_public(key)
    done = await signin.sign_in(db, key.company, data.number, data.code, origin, charged=charged)
    shown = await drivers.shown(db, done.driver)
    return DriverSignedIn.signed_in(shown, done.text, done.proof)


async def _held(db: Db, caller: Caller, driver_id: str) -> Holder:
    return signin.holder(await DRIVERS.get(db, caller.company, driver_id))


@get("/drivers/{driver_id:str}/app-link", problems=[NotFound, app_link.AppKeyMissing])
async def read_app_link(caller: Caller, driver_id: str, db: Db) -> AppLinkOut:
    """Read the link to the driver's app."""
    await DRIVERS.get(db, caller.company, driver_id)
    return AppLinkOut(await app_link.load_link(db, caller.company))


@post(
    "/drivers/{driver_id:str}/send-app-link",
    status_code=200,
    problems=[NotFound, app_link.AppKeyMissing, *sending.REFUSALS],
)
async def send_app_link(caller: Caller, driver_id: str, data: SendAppLinkIn, db: Db) -> AppLinkSent:
    """Send a driver the link to the app by SMS or e-mail."""
    driver = await DRIVERS.get(db, caller.company, driver_id)
    return AppLinkSent(data.channel, await app_link.send_link(db, driver, data.channel))


_ONE = "/drivers/{driver_id:str}"
_TOGGLE = f"{_ONE}/toggle-online"
_INACTIVE = [presence.DriverInactive]
# Route options of handlers that also take the app key of a driver's app.
_SIGNING_IN: Mapping[str, Any] = {
    "status_code": 200,
    "before_request": accounts.fleet_or_app("drivers"),
    "security": [{"appKey": []}],
}
key_routes = doors.for_keys(
    "Drivers",
    "drivers",
    [
        *drivers.handlers(),
        list_drivers,
        # In this router, because Litestar needs all methods of a path in one.
        get(_ONE, **auth.OWN)(get_driver),
        act(_TOGGLE, status_code=200, problems=_INACTIVE, **auth.OWN)(toggle_driver_online),
        post("/drivers/login-with-sms", problems=sending.REFUSALS, **_SIGNING_IN)(
            request_driver_code
        ),
        post("/drivers/verify-code", problems=[CodeInvalid, CodeExpired], **_SIGNING_IN)(
            sign_driver_in
        ),
    ],
)
token_routes = doors.router(
    "/v1", auth.driver, "Drivers", tokens.own("driver"), {"driverToken": []}
)
desk_routes = doors.for_operators(
    "Drivers", "dispatcher", [*tokens.overseen("driver", _held), read_app_link, send_app_link]
)
routers = (key_routes, token_routes, desk_routes)
