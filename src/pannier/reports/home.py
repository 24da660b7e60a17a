"""Today's figures. Each count uses the filters of the list that its link opens."""

from datetime import date
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.cash import queries as cash
from pannier.db import Db, Page
from pannier.db.paging import MAX_LIMIT
from pannier.devices.registry import queries as devices
from pannier.devices.registry.schemas import DeviceFilters
from pannier.fleet.issues import queries as issues
from pannier.fleet.issues.schemas import IssueFilters
from pannier.orders import queries as orders
from pannier.orders.filters import OrderFilters
from pannier.orders.queries import ORDERS
from pannier.reports import figures
from pannier.reports.figures import Bounds
from pannier.reports.home_schemas import (
    MAX_COUNT,
    CountName,
    Home,
    HomeCount,
    HomeMoney,
    HomePunctuality,
)
from pannier.web.serialization import encode
from pannier.webhooks import queries as webhooks
from pannier.webhooks.schemas import WebhookFilters

_PAGING: Final = frozenset({"limit", "cursor", "sort"})


async def load_home(db: Db, company: UUID) -> Home:
    """Load today's figures, and the counts of what needs a decision."""
    settings = await company_settings.load(db, company)
    day = db.now.astimezone(settings.zone).date()
    bounds = settings.get_day_bounds(day)
    today = await figures.compute_day(db, company, bounds)
    return Home(
        day=day,
        today=[
            await _count_orders(db, company, "late", OrderFilters(late=True)),
            await _count_orders(
                db, company, "unassigned", OrderFilters(today=True, unassigned=True)
            ),
            await _count_orders(db, company, "failed", OrderFilters(failed_on=day)),
            await _count_orders(db, company, "on_the_way", OrderFilters(active=True)),
            await _count_orders(db, company, "completed", OrderFilters(completed_on=day)),
        ],
        punctuality=HomePunctuality(
            completed=today.completed, with_window=today.with_window, on_time=today.on_time
        ),
        money=await _load_money(db, company, bounds),
        decisions=await _list_decisions(db, company),
    )


async def _list_decisions(db: Db, company: UUID) -> list[HomeCount]:
    silent_devices = DeviceFilters(status=["offline"], limit=MAX_LIMIT)
    disabled_webhooks = WebhookFilters(state=["disabled"], limit=MAX_LIMIT)
    open_issues = IssueFilters(resolved=False, limit=MAX_LIMIT)
    unpriced = OrderFilters(price_status=["unpriced"], active=True)
    return [
        # What a person has to refund is a credit.
        await _count_orders(db, company, "refunds_due", OrderFilters(balance_max=-1)),
        await _count_orders(db, company, "held", OrderFilters(held=True)),
        _count_page(
            "open_issues",
            "/v1/issues",
            open_issues,
            await issues.list_issues(db, company, open_issues),
        ),
        await _count_orders(db, company, "unpriced", unpriced),
        _count_page(
            "disabled_webhooks",
            "/int/v1/webhooks",
            disabled_webhooks,
            await webhooks.list_webhooks(db, company, disabled_webhooks),
        ),
        _count_page(
            "silent_devices",
            "/int/v1/devices",
            silent_devices,
            await devices.list_devices(db, company, silent_devices),
        ),
    ]


async def _count_orders(db: Db, company: UUID, name: CountName, filters: OrderFilters) -> HomeCount:
    where = await orders.build_where(db, company, filters)
    count = await ORDERS.count(db, where, MAX_COUNT + 1)
    return HomeCount(
        name=name,
        count=min(count, MAX_COUNT),
        more=count > MAX_COUNT,
        path="/v1/orders",
        filters=_to_query(filters),
    )


def _count_page(name: CountName, path: str, filters: msgspec.Struct, page: Page[Any]) -> HomeCount:
    """Count the rows of a list's first page."""
    return HomeCount(
        name=name,
        count=len(page.rows),
        more=page.next_cursor is not None,
        path=path,
        filters=_to_query(filters),
    )


def _to_query(filters: msgspec.Struct) -> dict[str, str]:
    """Return filters as the query of their list, without paging."""
    values = {
        name: value
        for name, value in msgspec.structs.asdict(filters).items()
        if value is not None and name not in _PAGING
    }
    return {name: _to_text(value) for name, value in values.items()}


def _to_text(value: object) -> str:
    match value:
        case [single]:
            return str(single)
        case date():
            return value.isoformat()
        case _:
            return encode(value).decode()


async def _load_money(db: Db, company: UUID, bounds: Bounds) -> list[HomeMoney]:
    money = await figures.compute_money(db, company, bounds)
    revenue = {row.currency: row.revenue for row in money}
    carried = await cash.sum_carried(db, company)
    return [
        HomeMoney(
            currency=currency,
            revenue=revenue.get(currency, 0),
            cash_with_drivers=carried.get(currency, 0),
        )
        for currency in sorted(revenue.keys() | carried)
    ]
