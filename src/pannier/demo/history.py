"""The demo company's history: days of deliveries, and some problems."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import service as company_settings
from pannier.accounts.company_settings.models import InstallationLimits, PaceSettings
from pannier.accounts.company_settings.schemas import SettingsChange
from pannier.db import Db, PageIn
from pannier.demo import content
from pannier.demo.content import ACTIVE_COURIERS, COURIERS
from pannier.demo.routes import PACE
from pannier.demo.seeding import freeze_time, place_order, to_internal_id
from pannier.fleet.issues import service as issues
from pannier.fleet.issues.schemas import IssueIn
from pannier.fleet.models import Driver, IssueStatus
from pannier.fleet.queries import DRIVERS
from pannier.notifications import service as notifications
from pannier.orders import moves
from pannier.orders import queries as orders
from pannier.orders import service as order_service
from pannier.orders.aggregate import remeasure
from pannier.orders.attempts.schemas import AttemptIn
from pannier.orders.filters import OrderFilters
from pannier.orders.issue_photos import service as issue_photos
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import queries as quotes
from pannier.orders.quotes import service as accepting
from pannier.orders.quotes.debts import DEFAULT_TERMS
from pannier.orders.schemas import OrderChange
from pannier.orders.stages import OPEN
from pannier.orders.views import OrderAggregate
from pannier.proofs.evidence import Evidence
from pannier.robots.acting import advance, find_next_location, report_failure

# The number of the first past order. The seed data uses the numbers before it.
FIRST_NUMBER: Final = 20
# The history has at least this many orders, with numbers from the first one on.
# A few of them tell that it exists. A visitor's own order can have one of the numbers.
MIN_HISTORY_ORDERS, MIN_FOUND_ORDERS = 40, 5
# Minutes since each order of today was completed.
COMPLETED_TODAY: Final = (6, 14, 25, 41, 58, 80, 105, 140, 175, 230)
# Orders completed on each of the days before, and minutes since each order was canceled.
COMPLETED_BEFORE: Final = (6, 7, 5, 6)
CANCELED: Final = (70, 1500)
# Minutes since each current order was picked up, and whether it is late.
STARTED: Final = ((0.7, False), (1, False), (1.3, False), (1.6, False), (2, False), (2.4, False),
                  (3, True), (4, True))  # fmt: skip
VAN_ISSUES: Final[tuple[tuple[str, str, IssueStatus], ...]] = (
    ("Squealing brakes", "Brakes squeal when stopping. In the shop until tomorrow.", "open"),
    ("Rear door stuck open", "The rear door did not close. Hinge replaced.", "resolved"),
)
# Minutes since each failed attempt, the number of the driver, the reason, the remarks, and whether
# a photo was taken. The reason decides whether the order is retried, held or returned.
FAILED_ATTEMPTS: Final = (
    (27, 8, "nobody_home", "Rang twice. Neighbor says back in an hour.", False),
    (33, 9, "wrong_address", "No staircase D in this house; they end at C.", True),
    (65, 10, "damaged", "Carton soaked through, contents damaged.", True),
)
# Minutes since each order was offered to nearby drivers, and the radius in metres.
OFFERS: Final = ((5, 2_000), (12, None))
ON_HOLD: Final = {"on_hold": True}
ONE_DAY: Final = timedelta(days=1)


class HistoryBuilder:
    """Creates the past orders of a company."""

    def __init__(
        self, db: Db, company: UUID, drivers: Sequence[Driver], images: Sequence[Evidence]
    ) -> None:
        self._db, self._company = db, company
        self._drivers, self._images = drivers, images
        self._number = FIRST_NUMBER - 1

    async def build(self) -> None:
        """Create all past orders, oldest first."""
        now = self._db.now
        for days in range(len(COMPLETED_BEFORE), 0, -1):
            for number in range(COMPLETED_BEFORE[days - 1]):
                completed_at = now - days * ONE_DAY - timedelta(minutes=43 * number)
                await self.deliver_order(completed_at)
        for minutes in reversed(CANCELED):
            await self._cancel_order(now - timedelta(minutes=minutes))
        for minutes in reversed(COMPLETED_TODAY):
            await self.deliver_order(now - timedelta(minutes=minutes))
        for courier, (age, is_late) in enumerate(STARTED):
            started_at = now - timedelta(minutes=age)
            window_end = now + timedelta(minutes=-2 if is_late else 40)
            await self.start_order(started_at, courier, time_window_end=window_end)
        for minutes, courier, reason, remarks, has_photo in FAILED_ATTEMPTS:
            attempt_data = AttemptIn(reason=reason, remarks=remarks)
            images = self._images if has_photo else ()
            await self._fail_order(now - timedelta(minutes=minutes), courier, attempt_data, images)

    def _take_number(self) -> int:
        self._number += 1
        return self._number

    async def _place_order(
        self,
        moment: datetime,
        **extra: Any,  # noqa: ANN401 - fields of an order
    ) -> OrderAggregate:
        with freeze_time(self._db, moment):
            return await place_order(self._db, self._company, self._take_number(), **extra)

    async def start_order(
        self,
        started_at: datetime,
        courier: int,
        **extra: Any,  # noqa: ANN401 - fields of an order
    ) -> OrderAggregate:
        """Place, dispatch and start an order."""
        db, driver = self._db, self._drivers[courier % ACTIVE_COURIERS]
        aggregate = await self._place_order(
            started_at - timedelta(minutes=17), driver=driver.public_id,
            time_window_start=started_at - timedelta(minutes=10), **extra,
        )  # fmt: skip
        with freeze_time(db, started_at - timedelta(minutes=6)):
            await moves.dispatch(db, aggregate)
        for moment in (started_at, started_at + timedelta(seconds=10)):
            with freeze_time(db, moment):
                await self._advance_order(aggregate)
        return aggregate

    async def deliver_order(
        self,
        completed_at: datetime,
        **extra: Any,  # noqa: ANN401 - fields of an order
    ) -> OrderAggregate:
        """Place an order and deliver it."""
        started_at = completed_at - timedelta(minutes=4 + self._number % 5)
        window_end = completed_at + timedelta(minutes=-9 if self._number % 11 == 0 else 25)
        aggregate = await self.start_order(
            started_at, self._number, is_past=True, time_window_end=window_end, **extra
        )
        while aggregate.row.open:
            with freeze_time(self._db, completed_at):
                await self._advance_order(aggregate)
        return aggregate

    async def _fail_order(
        self, moment: datetime, courier: int, attempt: AttemptIn, images: Sequence[Evidence]
    ) -> None:
        """Fail a delivery. A returned order is back half an hour later."""
        aggregate = await self.start_order(moment - timedelta(minutes=7), courier)
        location = find_next_location(aggregate)
        if location is None:
            return
        with freeze_time(self._db, moment):
            await report_failure(self._db, aggregate, location, attempt, images)
        if aggregate.row.undelivered == "return":
            with freeze_time(self._db, moment + timedelta(minutes=30)):
                await self._advance_order(aggregate)

    async def _advance_order(self, aggregate: OrderAggregate) -> None:
        location = find_next_location(aggregate)
        if location is not None:
            await advance(self._db, aggregate, location, self._images)

    async def _cancel_order(self, moment: datetime) -> None:
        aggregate = await self._place_order(moment - timedelta(minutes=25))
        with freeze_time(self._db, moment):
            await moves.cancel(self._db, aggregate, reason="The customer ordered twice.")


async def lock_and_check_empty(db: Db, company: UUID) -> bool:
    """Lock the company, and return whether it has no history. Concurrent callers wait.

    Visitors may have deleted or renamed most of its orders. Deleted orders keep their numbers.
    """
    await accounts.lock_company(db, company)
    numbers = [to_internal_id(FIRST_NUMBER + number) for number in range(MIN_HISTORY_ORDERS)]
    return not await db.fetch_value(
        """select count(*) >= :least from orders
           where company = :company and internal_id = any(:numbers)""",
        company=company,
        numbers=numbers,
        least=MIN_FOUND_ORDERS,
    )


async def create(
    db: Db, company: UUID, images: Sequence[Evidence], bounds: InstallationLimits
) -> HistoryBuilder:
    """Create the company's history. Return its builder, which can add more."""
    owner = await accounts.lock_company(db, company)
    pace = PaceSettings(**msgspec.structs.asdict(PACE))
    settings_change = SettingsChange(
        country=content.COUNTRY, time_zone=content.TIME_ZONE, currency=content.CURRENCY,
        routing=pace,
    )  # fmt: skip
    await company_settings.change_settings(db, owner, settings_change, bounds)
    await remeasure_open_orders(db, company)
    drivers = await list_drivers(db, company)
    builder = HistoryBuilder(db, company, drivers, images)
    await builder.build()
    await _create_problems(db, company, drivers, images)
    await _offer_orders(db, company)
    await _accept_quote(db, company)
    await _notify_customers(db, company)
    return builder


async def remeasure_open_orders(db: Db, company: UUID) -> None:
    """Measure all open orders again after the company's pace or the city has changed."""
    where = ORDERS.where(company).add(f"route_source = 'great_circle' and {OPEN}")
    for row in (await ORDERS.load_page(db, where, PageIn(limit=100))).rows:
        locked_order = await ORDERS.lock(db, company, row.public_id)
        await remeasure(db, await OrderAggregate.load(db, locked_order))


async def list_drivers(db: Db, company: UUID) -> list[Driver]:
    """List the content's drivers who still exist, in the order of the content."""
    phones = [content.make_driver_phone(number) for number in range(len(COURIERS))]
    where = DRIVERS.where(company).add("phone = any(:phones)", phones=phones)
    page = await DRIVERS.load_page(db, where, PageIn(limit=len(phones)))
    return sorted(page.rows, key=lambda driver: phones.index(driver.phone))


async def _offer_orders(db: Db, company: UUID) -> None:
    """Offer ad-hoc orders to nearby drivers. The first driver to accept gets the order."""
    for number, (minutes, radius) in enumerate(OFFERS):
        with freeze_time(db, db.now - timedelta(minutes=minutes)):
            await place_order(
                db, company, FIRST_NUMBER + 64 + 12 * number, adhoc=True, adhoc_distance=radius,
                dispatch=True, time_window_end=db.now + timedelta(hours=2),
            )  # fmt: skip


async def _create_problems(
    db: Db, company: UUID, drivers: Sequence[Driver], images: Sequence[Evidence]
) -> None:
    """Create a delivery on hold, van issues, and a scheduled order without a driver."""
    now = db.now
    with freeze_time(db, now - timedelta(minutes=70)):
        await place_order(
            db, company, FIRST_NUMBER + 60, scheduled_at=now - timedelta(minutes=35),
            time_window_end=now + timedelta(minutes=25), notes="Deliver before noon.",
        )  # fmt: skip
    driver = drivers[content.HELD_COURIER]
    filters = OrderFilters(driver=driver.public_id, status=["enroute"])
    held_order = (await orders.list_orders(db, company, filters)).rows[0]
    aggregate = await OrderAggregate.load(db, held_order)
    change = OrderChange(meta=ON_HOLD, notes="Courier waiting at the gate.")
    with freeze_time(db, now - timedelta(minutes=4)):
        await order_service.change(db, aggregate, change)
        reported_issue = IssueIn(
            title="No one answers", report="The gate is locked and nobody answers the bell.",
            priority="high", type="delivery", category="access", driver=driver.public_id,
            order=aggregate.row.public_id, tags=["gate"],
        )  # fmt: skip
        issue = await issues.report(db, company, reported_issue)
        await issue_photos.attach_photos(
            db, issue, [image for image in images if image.method == "photo"][:1]
        )
    with freeze_time(db, now - timedelta(hours=20)):
        for title, report, status in VAN_ISSUES:
            issue_data = IssueIn(
                title=title, report=report, type="vehicle", status=status,
                driver=drivers[ACTIVE_COURIERS].public_id,
            )  # fmt: skip
            await issues.report(db, company, issue_data)


async def _accept_quote(db: Db, company: UUID) -> None:
    """Accept the most expensive quote of a waiting order."""
    page = await orders.list_orders(db, company, OrderFilters(status=["created"], unassigned=True))
    aggregate = await OrderAggregate.load(db, page.rows[0])
    open_quotes = await quotes.list_open_quotes(db, company, aggregate.row.uuid)
    if open_quotes:
        await accepting.accept_for_order(db, aggregate, open_quotes[-1], DEFAULT_TERMS)


async def _notify_customers(db: Db, company: UUID) -> None:
    """Notify some customers of their delivery time."""
    for number, name in enumerate(content.CUSTOMERS[:5]):
        text = (
            f"{content.COMPANY}: Hi {name}, your delivery is on its way "
            "and arrives within the hour."
        )
        with freeze_time(db, db.now - timedelta(minutes=11 * number + 3)):
            await notifications.queue_message(
                db, company, "sms", content.make_phone(200 + number), text
            )
