"""The demo company's history: days of deliveries, and some problems."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import service as company_settings
from pannier.accounts.company_settings.models import Bounds
from pannier.accounts.company_settings.schemas import SettingsChange
from pannier.db import Db, PageIn
from pannier.demo import cast
from pannier.demo.cast import AT_WORK, VANS
from pannier.demo.couriers import give_up, next_place, onward
from pannier.demo.furnishing import at, place
from pannier.fleet.issues import service as issues
from pannier.fleet.issues.schemas import IssueIn
from pannier.fleet.models import Driver, IssueStatus
from pannier.fleet.queries import DRIVERS
from pannier.notifications import service as notifications
from pannier.orders import moves
from pannier.orders import queries as orders
from pannier.orders import service as order_service
from pannier.orders.attempts.schemas import AttemptIn
from pannier.orders.issue_photos import service as issue_photos
from pannier.orders.quotes import queries as quotes
from pannier.orders.quotes import service as accepting
from pannier.orders.quotes.owing import PAID_ELSEWHERE
from pannier.orders.schemas import OrderChange, OrderFilters
from pannier.orders.views import Aggregate
from pannier.proofs.evidence import Evidence

# The number of the first order of the past. The seed data use the numbers before it.
FIRST: Final = 20
# Minutes since each order of today was completed.
TODAY: Final = (6, 14, 25, 41, 58, 80, 105, 140, 175, 230)
# Orders completed on each of the days before, and minutes since each order was cancelled.
DAYS: Final = (6, 7, 5, 6)
CALLED_OFF: Final = (70, 1500)
# Minutes since each current order was started, and whether it is late.
ON_THE_ROAD: Final = ((3, False), (6, False), (9, False), (12, False), (14, False), (17, False),
                      (26, True), (31, True))  # fmt: skip
VAN_TROUBLES: Final[tuple[tuple[str, str, IssueStatus], ...]] = (
    ("Brakes", "Brakes squeal when stopping. In the workshop until tomorrow.", "open"),
    ("Rear door", "Rear door would not close. Hinge replaced.", "resolved"),
)
# Minutes since each failed attempt, the number of the driver, the reason, the remarks, and whether
# a photo was taken. The reason decides whether the order is retried, held or returned.
GIVEN_UP: Final = (
    (27, 8, "nobody_home", "Rang twice. Neighbor says back in an hour.", False),
    (33, 9, "wrong_address", "No number 80 on this road; it ends at 70.", True),
    (65, 10, "damaged", "Carton soaked through, contents damaged.", True),
)
# Minutes since each order was offered to nearby drivers, and the radius in metres.
OFFERED: Final = ((5, 25_000), (12, None))
HOLD: Final = {"on_hold": True}
A_DAY: Final = timedelta(days=1)


class Past:
    """Creates the history of a company with its own drivers."""

    def __init__(
        self, db: Db, company: UUID, drivers: Sequence[Driver], album: Sequence[Evidence]
    ) -> None:
        self._db, self._company = db, company
        self._drivers, self._album = drivers, album
        self._number = FIRST - 1

    async def live(self) -> None:
        """Create all orders of the past, the oldest first."""
        now = self._db.now
        for days in range(len(DAYS), 0, -1):
            for each in range(DAYS[days - 1]):
                ended = now - days * A_DAY - timedelta(minutes=43 * each)
                await self._delivered(ended)
        for minutes in reversed(CALLED_OFF):
            await self._called_off(now - timedelta(minutes=minutes))
        for minutes in reversed(TODAY):
            await self._delivered(now - timedelta(minutes=minutes))
        for courier, (minutes, late) in enumerate(ON_THE_ROAD):
            begun = now - timedelta(minutes=minutes)
            window = begun + timedelta(minutes=10 if late else 120)
            await self._begun(begun, courier, time_window_end=window)
        for minutes, courier, reason, remarks, photo in GIVEN_UP:
            given = AttemptIn(reason=reason, remarks=remarks)
            album = self._album if photo else ()
            await self._given_up(now - timedelta(minutes=minutes), courier, given, album)

    def _next(self) -> int:
        self._number += 1
        return self._number

    async def _placed(self, moment: datetime, **more: Any) -> Aggregate:  # noqa: ANN401 - fields of an order
        with at(self._db, moment):
            return await place(self._db, self._company, self._next(), **more)

    async def _begun(self, begun: datetime, courier: int, **more: Any) -> Aggregate:  # noqa: ANN401 - as above
        """Place and dispatch an order, and let its driver start it."""
        db, driver = self._db, self._drivers[courier % AT_WORK]
        held = await self._placed(
            begun - timedelta(minutes=38), driver=driver.public_id,
            time_window_start=begun, **more,
        )  # fmt: skip
        with at(db, begun - timedelta(minutes=21)):
            await moves.dispatch(db, held)
        for moment in (begun, begun + timedelta(minutes=2)):
            with at(db, moment):
                await self._onward(held)
        return held

    async def _delivered(self, ended: datetime) -> None:
        begun = ended - timedelta(minutes=22 + self._number % 5 * 4)
        window = ended + timedelta(minutes=-9 if self._number % 11 == 0 else 40)
        held = await self._begun(begun, self._number, time_window_end=window)
        while held.order.open:
            with at(self._db, ended):
                await self._onward(held)

    async def _given_up(
        self, moment: datetime, courier: int, given: AttemptIn, album: Sequence[Evidence]
    ) -> None:
        """Fail a delivery; a returned order is back half an hour later."""
        held = await self._begun(moment - timedelta(minutes=19), courier)
        where = next_place(held)
        if where is None:
            return
        with at(self._db, moment):
            await give_up(self._db, held, where, given, album)
        if held.order.undelivered == "return":
            with at(self._db, moment + timedelta(minutes=30)):
                await self._onward(held)

    async def _onward(self, held: Aggregate) -> None:
        where = next_place(held)
        if where is not None:
            await onward(self._db, held, where, self._album)

    async def _called_off(self, moment: datetime) -> None:
        held = await self._placed(moment - timedelta(minutes=25))
        with at(self._db, moment):
            await moves.cancel(self._db, held, reason="The customer ordered twice.")


async def has_none(db: Db, company: UUID) -> bool:
    """Tell whether the company has no history; concurrent callers wait for our commit."""
    await accounts.take_company(db, company)
    begun = await orders.orders(db, company, OrderFilters(internal_id=f"DC-{1001 + FIRST}"))
    return not begun.rows


async def live_through(db: Db, company: UUID, album: Sequence[Evidence], bounds: Bounds) -> None:
    """Create the company's history."""
    owner = await accounts.take_company(db, company)
    wanted = SettingsChange(country="SG", time_zone="Asia/Singapore", currency="SGD")
    await company_settings.change(db, owner, wanted, bounds)
    drivers = await working(db, company)
    await Past(db, company, drivers, album).live()
    await _troubles(db, company, drivers, album)
    await _offered(db, company)
    await _choice(db, company)
    await _said(db, company)


async def working(db: Db, company: UUID) -> list[Driver]:
    """List the drivers of the content who still exist, in its order."""
    phones = [cast.drivers_phone(number) for number in range(len(VANS))]
    where = DRIVERS.where(company).that("phone = any(:phones)", phones=phones)
    found = await DRIVERS.page(db, where, PageIn(limit=len(phones)))
    return sorted(found.rows, key=lambda driver: phones.index(driver.phone))


async def _offered(db: Db, company: UUID) -> None:
    """Offer ad-hoc orders to nearby drivers; the first one to accept gets it."""
    for number, (minutes, near) in enumerate(OFFERED):
        with at(db, db.now - timedelta(minutes=minutes)):
            await place(
                db, company, FIRST + 64 + 12 * number, adhoc=True, adhoc_distance=near,
                dispatch=True, time_window_end=db.now + timedelta(hours=2),
            )  # fmt: skip


async def _troubles(
    db: Db, company: UUID, drivers: Sequence[Driver], album: Sequence[Evidence]
) -> None:
    """Create a delivery on hold, van issues, and a scheduled order without a driver."""
    now = db.now
    with at(db, now - timedelta(minutes=70)):
        await place(
            db, company, FIRST + 60, scheduled_at=now - timedelta(minutes=35),
            time_window_end=now + timedelta(minutes=25), notes="Deliver before noon.",
        )  # fmt: skip
    driver = drivers[4]
    filters = OrderFilters(driver=driver.public_id, status=["enroute"])
    on_the_road = (await orders.orders(db, company, filters)).rows[0]
    held = await Aggregate.of(db, on_the_road)
    change = OrderChange(meta=HOLD, notes="Driver waiting at the gate.")
    with at(db, now - timedelta(minutes=4)):
        await order_service.change(db, held, change)
        reported = IssueIn(
            title="Nobody opens", report="The gate is locked and nobody answers the bell.",
            priority="high", type="delivery", category="access", driver=driver.public_id,
            order=held.order.public_id, tags=["gate"],
        )  # fmt: skip
        issue = await issues.report(db, company, reported)
        await issue_photos.attach(
            db, issue, [piece for piece in album if piece.method == "photo"][:1]
        )
    with at(db, now - timedelta(hours=20)):
        for title, report, status in VAN_TROUBLES:
            given = IssueIn(
                title=title, report=report, type="vehicle", driver=drivers[AT_WORK].public_id,
                status=status,
            )  # fmt: skip
            await issues.report(db, company, given)


async def _choice(db: Db, company: UUID) -> None:
    """Accept the most expensive quote of a waiting order."""
    waiting = await orders.orders(db, company, OrderFilters(status=["created"], unassigned=True))
    held = await Aggregate.of(db, waiting.rows[0])
    offered = await quotes.open_quotes(db, company, held.order.uuid)
    if offered:
        await accepting.accept_for(db, held, offered[-1], PAID_ELSEWHERE)


async def _said(db: Db, company: UUID) -> None:
    """Notify some customers of their delivery time."""
    for number, name in enumerate(cast.CUSTOMERS[:5]):
        text = (
            f"{cast.COMPANY}: Hi {name}, your delivery is on its way and arrives within the hour."
        )
        with at(db, db.now - timedelta(minutes=11 * number + 3)):
            await notifications.send(db, company, "sms", cast.phone(200 + number), text)
