"""HTTP handlers of the cash desk."""

from typing import Final
from uuid import UUID

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller, FleetKey
from pannier.cash import collecting, export, queries, service
from pannier.cash.export import DifferenceExportFilters
from pannier.cash.queries import COLLECTIONS, HAND_INS, REMITTANCES
from pannier.cash.schemas import (
    CashBalancesOut,
    CashCollectionOut,
    CollectCashIn,
    DifferenceFilters,
    DifferenceOut,
    DriverCashOut,
    HandInIn,
    HandInOut,
    RemittanceIn,
    RemittanceOut,
)
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth as fleet
from pannier.fleet.auth import DriverCaller, resolve_driver
from pannier.orders.assignment import DriverRequired
from pannier.web.exchange import Exchange
from pannier.web.resources import Resource
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse, TooManyStreams

_DRIVER_ACCESS: Final = {
    "before_request": fleet.require_driver_or_key("cash"),
    "security": [{"driverToken": []}],
}
_COLLECT_PROBLEMS: Final = [
    NotFound,
    collecting.NoCashDue,
    collecting.CashAlreadyCollected,
    service.CollectionConflict,
    DriverRequired,
]
_HAND_IN_PROBLEMS: Final = [NotFound, service.NothingToHandIn, service.CashBalanceChanged]
_REMIT_PROBLEMS: Final = [NotFound, service.NothingToRemit, service.CashBalanceChanged]

collections: Final = Resource(
    COLLECTIONS,
    path="cash/collections",
    page=queries.list_collections,
    show=queries.load_collections_out,
    remove=False,
    problems={"list": [NotFound]},
)
hand_ins: Final = Resource(
    HAND_INS,
    path="cash/hand-ins",
    page=queries.list_hand_ins,
    show=queries.load_hand_ins_out,
    remove=False,
    problems={"list": [NotFound]},
)
remittances: Final = Resource(
    REMITTANCES,
    path="cash/remittances",
    page=queries.list_remittances,
    show=queries.load_remittances_out,
    remove=False,
    problems={"list": [NotFound]},
)


async def collect_cash(
    caller: FleetKey | DriverCaller | Caller, order_id: str, data: CollectCashIn, db: Db
) -> CashCollectionOut:
    """Record cash on delivery that a driver collected. It is recorded once for each stop."""
    row = await service.collect_cash(db, caller, order_id, data)
    return await collections.to_out(db, row)


async def get_driver_cash(
    caller: FleetKey | DriverCaller | Caller, driver_id: str, db: Db
) -> DriverCashOut:
    """Retrieve the cash that a driver has collected and not handed in."""
    identifier = driver_id if isinstance(caller, Caller) else resolve_driver(caller, driver_id)
    driver = await queries.get_driver(db, caller.company, identifier)
    return await queries.load_driver_cash(db, caller.company, driver)


async def hand_in_cash(
    caller: FleetKey | Caller, driver_id: str, data: HandInIn, db: Db
) -> HandInOut:
    """Hand in the cash that a driver has collected in one currency, and record the count."""
    driver = await queries.get_driver(db, caller.company, driver_id)
    row = await service.hand_in_cash(db, caller.company, driver, data)
    return await hand_ins.to_out(db, row)


async def list_balances(caller: FleetKey | Caller, db: Db) -> CashBalancesOut:
    """List the cash that drivers carry, and the cash to remit to merchants."""
    return await queries.load_balances(db, caller.company)


async def list_differences(
    caller: FleetKey | Caller, filters: DifferenceFilters, db: Db
) -> list[DifferenceOut]:
    """Total the differences between counted and expected cash per driver and currency."""
    return await queries.load_differences(db, caller.company, filters)


@get(
    "/cash/differences/export",
    opt={"responses": {200: {export.MEDIA_TYPE: {"type": "string"}}}},
    problems=[NotFound, TooManyStreams],
)
async def export_differences(
    company: UUID, filters: DifferenceExportFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Download all differences as CSV: of collections, then of hand-ins, oldest first.

    Amounts are in major units, such as `14.96`.
    """
    return await export.start_export(exchange, db, company, filters)


async def remit_cash(caller: FleetKey | Caller, data: RemittanceIn, db: Db) -> RemittanceOut:
    """Remit a merchant's cash that drivers have handed in since the last remittance."""
    return await remittances.to_out(db, await service.remit_cash(db, caller.company, data))


_COLLECT: Final = "/orders/{order_id:str}/collect-cash"
_CASH: Final = "/drivers/{driver_id:str}/cash"
_HAND_IN: Final = f"{_CASH}/hand-in"
routers: Final = (
    api_routers.api_router(
        "Cash on delivery",
        "cash",
        [
            post(_COLLECT, problems=_COLLECT_PROBLEMS, **_DRIVER_ACCESS)(collect_cash),
            get(_CASH, problems=[NotFound], **_DRIVER_ACCESS)(get_driver_cash),
            post(_HAND_IN, problems=_HAND_IN_PROBLEMS)(hand_in_cash),
            *collections.make_handlers(),
            *hand_ins.make_handlers(),
            *remittances.make_handlers(),
            post("/cash/remittances", problems=_REMIT_PROBLEMS)(remit_cash),
            get("/cash/balances")(list_balances),
            get("/cash/differences", problems=[NotFound])(list_differences),
        ],
    ),
    api_routers.operator_router(
        "Cash on delivery",
        "viewer",
        [
            post(
                _COLLECT,
                before_request=auth.require_money_role("hand_in_cash"),
                problems=_COLLECT_PROBLEMS,
            )(collect_cash),
            get(_CASH, problems=[NotFound])(get_driver_cash),
            post(
                _HAND_IN,
                before_request=auth.require_money_role("hand_in_cash"),
                problems=_HAND_IN_PROBLEMS,
            )(hand_in_cash),
            *collections.make_handlers(with_envelope=True),
            *hand_ins.make_handlers(with_envelope=True),
            *remittances.make_handlers(with_envelope=True),
            post(
                "/cash/remittances",
                before_request=auth.require_money_role("remit_cash"),
                problems=_REMIT_PROBLEMS,
            )(remit_cash),
            get("/cash/balances")(list_balances),
            get("/cash/differences", problems=[NotFound])(list_differences),
            export_differences,
        ],
    ),
)
