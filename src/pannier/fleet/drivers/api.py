"""API of drivers. Drivers can retrieve themselves and set their presence with their token."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts import auth as accounts
from pannier.accounts.auth import AppKey, Caller, FleetKey
from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.tokens import api as tokens
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.accounts.tokens.models import Holder
from pannier.accounts.tokens.queries import find_last_use
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth, presence, signin
from pannier.fleet.auth import DriverCaller
from pannier.fleet.drivers import app_link, queries, service
from pannier.fleet.drivers.app_link import AppLinkOut, AppLinkSent, SendAppLinkIn
from pannier.fleet.drivers.schemas import (
    DriverCodeIn,
    DriverCodeSent,
    DriverFilters,
    DriverLoginIn,
    DriverOut,
    DriverSignedIn,
    SosIn,
    SosOut,
    ToggleIn,
)
from pannier.fleet.queries import DRIVERS
from pannier.notifications import sandbox
from pannier.verification import send_limits
from pannier.verification.codes import CodeExpired, CodeInvalid
from pannier.verification.rules import TEST_CODE
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.resources import Resource
from pannier.web.routes import act, get, post
from pannier.web.times import to_rfc3339

CONFLICTS: Final = (service.DriverPhoneTaken, service.VehicleTaken, presence.DriverInactive)
# Reading a driver is separate because signed-in drivers may do it. The list is separate because it
# can contain distances.
drivers: Final = Resource(
    DRIVERS,
    create=service.create,
    change=service.change,
    show=queries.load_drivers_out,
    read=False,
    remove=service.delete,
    problems={"create": (*CONFLICTS, NotFound), "change": CONFLICTS},
    summaries={"delete": "Delete a driver. The vehicle stays, without a driver."},
)


@get("/drivers", problems=[NotFound])
async def list_drivers(
    key: FleetKey, filters: DriverFilters, exchange: Exchange, db: Db
) -> Response[list[DriverOut]]:
    """List the company's drivers, or those near a point."""
    page = await queries.list_drivers(db, key.company, filters)
    related = await queries.load_related(db, key.company, page.rows, filters)
    return to_array_response(exchange, page, related.to_out)


async def get_driver(caller: FleetKey | DriverCaller, driver_id: str, db: Db) -> DriverOut:
    """Retrieve a driver. Signed-in drivers can retrieve only themselves, for example as `me`."""
    driver = await DRIVERS.get(db, caller.company, auth.resolve_driver(caller, driver_id))
    return _hide_cost(caller, await drivers.to_out(db, driver))


async def toggle_driver_online(
    caller: FleetKey | DriverCaller, driver_id: str, data: ToggleIn, db: Db
) -> DriverOut:
    """Set a driver online or offline."""
    driver = await DRIVERS.lock(db, caller.company, auth.resolve_driver(caller, driver_id))
    updated_driver = await presence.set_online(
        db, driver, online=data.online, occurred_at=data.occurred_at
    )
    return _hide_cost(caller, await drivers.to_out(db, updated_driver))


async def call_for_help(
    caller: FleetKey | DriverCaller, driver_id: str, data: SosIn, db: Db
) -> SosOut:
    """Call for help. Operators get an alert of kind `sos`."""
    driver = await DRIVERS.lock(db, caller.company, auth.resolve_driver(caller, driver_id))
    await service.call_for_help(db, driver, data.occurred_at)
    return SosOut(driver.public_id, to_rfc3339(db.now))


def _hide_cost(caller: FleetKey | DriverCaller, driver_out: DriverOut) -> DriverOut:
    """Hide the cost of a driver from drivers."""
    return driver_out.without_cost() if isinstance(caller, DriverCaller) else driver_out


async def request_driver_code(
    key: FleetKey | AppKey, data: DriverLoginIn, exchange: Exchange, db: Db
) -> DriverCodeSent:
    """Send a sign-in code to a driver. The response is the same for an unknown number."""
    origin, limits_address = SigninOrigin.from_exchange(exchange), auth.is_public(key)
    code_timing = await signin.request_code(
        db, key.company, data.phone, origin, limit_address=limits_address
    )
    return DriverCodeSent.from_request(code_timing)


async def sign_driver_in(
    key: FleetKey | AppKey, data: DriverCodeIn, exchange: Exchange, db: Db
) -> DriverSignedIn:
    """Exchange a code for a driver token."""
    origin, limits_address = SigninOrigin.from_exchange(exchange), auth.is_public(key)
    session = await signin.sign_in(
        db, key.company, data.number, data.code, origin, limit_address=limits_address
    )
    driver_out = await drivers.to_out(db, session.driver)
    return DriverSignedIn.from_driver(driver_out, session.token, session.device_proof)


async def _find_holder(db: Db, caller: Caller, driver_id: str) -> Holder:
    return signin.make_holder(await DRIVERS.get(db, caller.company, driver_id))


@get("/drivers/{driver_id:str}/app-link", problems=[NotFound, app_link.AppKeyMissing])
async def read_app_link(caller: Caller, driver_id: str, db: Db) -> AppLinkOut:
    """Retrieve a driver's link to the driver app."""
    driver = await DRIVERS.get(db, caller.company, driver_id)
    link = await app_link.load_link(db, caller.company)
    last_use = await find_last_use(db, signin.make_holder(driver))
    settings = await company_settings.load(db, caller.company)
    is_test = sandbox.is_test_recipient(settings, driver.phone)
    return AppLinkOut(link, to_rfc3339(last_use), TEST_CODE if is_test else None)


@post(
    "/drivers/{driver_id:str}/send-app-link",
    status_code=200,
    problems=[NotFound, app_link.AppKeyMissing, *send_limits.SEND_PROBLEMS],
)
async def send_app_link(caller: Caller, driver_id: str, data: SendAppLinkIn, db: Db) -> AppLinkSent:
    """Send a driver the link to the driver app by SMS or email."""
    driver = await DRIVERS.get(db, caller.company, driver_id)
    return AppLinkSent(data.channel, await app_link.send_link(db, driver, data.channel))


_DRIVER_PATH = "/drivers/{driver_id:str}"
_TOGGLE_PATH = f"{_DRIVER_PATH}/toggle-online"
_SOS_PATH = f"{_DRIVER_PATH}/sos"
_INACTIVE_PROBLEMS = [presence.DriverInactive]
# Route options of handlers that also take the app key of a driver's app.
_SIGNIN_ROUTE: Mapping[str, Any] = {
    "status_code": 200,
    "before_request": accounts.require_api_or_app_key("drivers"),
    "security": [{"appKey": []}],
}
key_routes = api_routers.api_router(
    "Drivers",
    "drivers",
    [
        *drivers.make_handlers(),
        list_drivers,
        # In this router, because Litestar needs all methods of a path in one router.
        get(_DRIVER_PATH, **auth.DRIVER_OR_KEY_ROUTE)(get_driver),
        act(_TOGGLE_PATH, status_code=200, problems=_INACTIVE_PROBLEMS, **auth.DRIVER_OR_KEY_ROUTE)(
            toggle_driver_online
        ),
        post(_SOS_PATH, status_code=200, **auth.DRIVER_OR_KEY_ROUTE)(call_for_help),
        post("/drivers/login-with-sms", problems=send_limits.SEND_PROBLEMS, **_SIGNIN_ROUTE)(
            request_driver_code
        ),
        post("/drivers/verify-code", problems=[CodeInvalid, CodeExpired], **_SIGNIN_ROUTE)(
            sign_driver_in
        ),
    ],
)
token_routes = api_routers.guarded_router(
    "/v1",
    auth.require_driver,
    "Drivers",
    tokens.make_own_session_handlers("driver"),
    {"driverToken": []},
)
operator_routes = api_routers.operator_router(
    "Drivers",
    "dispatcher",
    [*tokens.make_managed_session_handlers("driver", _find_holder), read_app_link, send_app_link],
)
routers = (key_routes, token_routes, operator_routes)
