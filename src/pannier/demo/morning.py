"""The plan of the morning, which assigns the orders of the day to couriers."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from pannier.db import Database, Db
from pannier.demo import content
from pannier.demo.history import list_drivers
from pannier.demo.seeding import freeze_time, get_kind, place_order
from pannier.errors import Problem
from pannier.planning import acceptance, service
from pannier.planning.queries import PLANS
from pannier.planning.schemas import PlanIn
from pannier.web.logs import log

# The numbers of the orders are not used by others.
FIRST_NUMBER: Final = 110
ORDER_COUNT: Final = 40
# All time windows open now. The first one closes after this time, the others at this interval.
FIRST_WINDOW, WINDOW_INTERVAL = timedelta(minutes=45), timedelta(seconds=90)
QUARTER_SECONDS: Final = 900
# The age of the newest order.
ORDER_AGE: Final = timedelta(hours=9)
SEARCH_SECONDS: Final = 3
MAX_WAIT: Final = timedelta(minutes=1)


class MorningPlan:
    """A plan that is requested once, and accepted when it is done."""

    def __init__(self, database: Database, company: UUID) -> None:
        self._database, self._company = database, company
        self._plan: UUID | None = None
        self._requested_at = database.clock.now()

    @property
    def is_waiting(self) -> bool:
        """Whether the plan is pending, so that the dispatcher assigns no orders."""
        return self._plan is not None

    async def request(self, pickup_time: timedelta, service_time: timedelta) -> None:
        """Place the orders of the day, and request their plan."""
        async with self._database.transaction() as db:
            orders = [
                await _place_order(db, self._company, number) for number in range(ORDER_COUNT)
            ]
            request = PlanIn(
                orders=orders, drivers=await _list_driver_ids(db, self._company), aim="balance",
                from_="now", max_seconds=SEARCH_SECONDS,
                pickup_time=round(pickup_time.total_seconds()),
                service_time=round(service_time.total_seconds()),
            )  # fmt: skip
            plan = await service.create(db, self._company, request)
        self._plan = plan.uuid

    async def accept_if_done(self) -> None:
        """Accept the plan once it is done, or give up after MAX_WAIT."""
        if self._plan is None:
            return
        try:
            async with self._database.transaction() as db:
                plan = await PLANS.lock(db, self._company, self._plan)
                if plan.state == "done":
                    await acceptance.accept(db, plan)
                    log.info("demo plan accepted")
                is_over = db.now - self._requested_at > MAX_WAIT
                if plan.finished_at is not None or is_over:
                    self._plan = None
        except Problem as problem:
            log.info("demo plan refused", reason=str(problem))
            self._plan = None


async def _list_driver_ids(db: Db, company: UUID) -> list[str]:
    """List the ids of the couriers who can take orders."""
    numbers = set(range(content.ACTIVE_COURIERS)) - {content.HELD_COURIER}
    return [
        driver.public_id
        for driver in await list_drivers(db, company)
        if content.find_courier_number(driver.phone) in numbers
    ]


async def _place_order(db: Db, company: UUID, number: int) -> str:
    """Place an order of the day, and return its id."""
    opens = _round_to_quarter(db.now)
    closes = _round_to_quarter(db.now + FIRST_WINDOW + number * WINDOW_INTERVAL)
    is_cold = get_kind(FIRST_NUMBER + number) == content.PHARMACY
    placed_at = db.now - ORDER_AGE - (ORDER_COUNT - number) * timedelta(minutes=6)
    with freeze_time(db, placed_at):
        order = await place_order(
            db, company, FIRST_NUMBER + number, time_window_start=opens, time_window_end=closes,
            required_skills=["cold chain"] if is_cold else [],
        )  # fmt: skip
    return order.row.public_id


def _round_to_quarter(moment: datetime) -> datetime:
    """Round a moment down to the quarter of an hour."""
    return moment - timedelta(seconds=moment.timestamp() % QUARTER_SECONDS)
