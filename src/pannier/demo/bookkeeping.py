"""Money of the demo company: business customers, payments, cash on delivery and invoices."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import service as company_settings
from pannier.accounts.company_settings.billing import BillingAddressSettings
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.accounts.company_settings.schemas import SettingsChange
from pannier.cash import service as cash
from pannier.cash.queries import get_driver, load_balances
from pannier.cash.schemas import HandInIn, RemittanceIn
from pannier.db import Db, PageIn
from pannier.demo import content
from pannier.demo.history import HistoryBuilder
from pannier.demo.seeding import freeze_time, place_order
from pannier.invoices import issuing
from pannier.invoices import service as invoices
from pannier.invoices.schemas import InvoiceIn
from pannier.orders.charges import service as charges
from pannier.orders.charges.schemas import ChargeIn
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.partners import service as partners
from pannier.partners.models import Contact
from pannier.partners.schemas import ContactIn
from pannier.payments.gateway import NoGateway
from pannier.payments.transactions import followers, queries
from pannier.payments.transactions import service as transactions
from pannier.payments.transactions.models import PaymentMethod
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.places import service as places
from pannier.places.schemas import PlaceIn
from pannier.rates import service as rates
from pannier.rates.models import MeterFee
from pannier.rates.schemas import ServiceRateIn
from pannier.robots.acting import collect_cash

PRICE_GROUP: Final = "Business"
TAX_RATE: Final = Decimal("25.5")
# Their orders take the numbers between those of the history and this one.
UNPRICED_NUMBER: Final = 79
CONTRACT_RATE: Final = ServiceRateIn(
    service_name="Contract", service_type="standard", currency=content.CURRENCY,
    price_groups=[PRICE_GROUP], rate_calculation_method="fixed_rate", max_distance_unit="km",
    open_ended=True, meter_fees=[MeterFee(Decimal(2), 440), MeterFee(Decimal(8), 790)],
    tax_rate=TAX_RATE, has_cod_fee=True, cod_calculation_method="flat", cod_flat_fee=150,
    estimated_days=0,
)  # fmt: skip
SETTINGS: Final = SettingsChange(
    legal_name="Demo City Couriers Oy", tax_number="FI20265554", tax_rate=TAX_RATE,
    billing_address=BillingAddressSettings(
        street="Kaisaniemenkatu 6", postal_code="00100", city=content.CITY,
        country=content.COUNTRY,
    ),
    iban="FI2112345600000785", bic="NDEAFIHH", payment_terms_days=14,
    invoice_footer="Invented for the demo. Do not pay.",
)  # fmt: skip
# Name, address in the content's shops, payment terms in days, and tax number.
BUSINESSES: Final = (
    ("Vanamo flowers Oy", 1, 14, "FI20264441"),
    ("Lumo bookshop Oy", 3, 30, "FI20263338"),
)
VANAMO, LUMO = range(len(BUSINESSES))
NO_MORE_CASH: Final = "The recipient had no more cash."


class BusinessDelivery(NamedTuple):
    """A delivery for a business: its age in days and minutes, and its cash on delivery."""

    business: int
    days: int
    minutes: int
    cod_amount: int | None = None
    # None if it was collected in full.
    collected: int | None = None


# Those of the days before are in invoices. The rest is in drafts, or not invoiced yet.
INVOICED: Final = (
    BusinessDelivery(VANAMO, 4, 300),
    BusinessDelivery(VANAMO, 4, 210),
    BusinessDelivery(LUMO, 4, 240),
    BusinessDelivery(LUMO, 3, 320, 8900),
    BusinessDelivery(LUMO, 3, 180, 2450),
)
RECENT: Final = (
    BusinessDelivery(LUMO, 1, 200, 6450, 6000),
    BusinessDelivery(LUMO, 1, 150, 1990),
    BusinessDelivery(VANAMO, 1, 90, 3150),
    BusinessDelivery(VANAMO, 0, 170),
    BusinessDelivery(VANAMO, 0, 95, 3900),
    BusinessDelivery(VANAMO, 0, 30, 5450, 5000),
)
# Cash that is due at the door of an order that is under way.
OPEN_CASH: Final = 4250


async def change_settings(db: Db, company: UUID, limits: InstallationLimits) -> None:
    """Set the seller and the tax of invoices."""
    owner = await accounts.lock_company(db, company)
    await company_settings.change_settings(db, owner, SETTINGS, limits)


class BookBuilder:
    """Creates the business customers, and what they and others owe and have paid."""

    def __init__(self, db: Db, company: UUID, history: HistoryBuilder) -> None:
        self._db, self._company, self._history = db, company, history
        self._now = db.now
        self._businesses: list[Contact] = []

    async def build(self) -> None:
        """Create everything, oldest first."""
        with freeze_time(self._db, self._ago(days=5)):
            await rates.create_rate(self._db, self._company, CONTRACT_RATE)
            await self._create_businesses()
        for delivery in INVOICED:
            await self._deliver(delivery)
        await self._hand_in(self._ago(days=2, hours=6))
        await self._issue_invoices()
        for delivery in RECENT[:3]:
            await self._deliver(delivery)
        await self._hand_in(self._ago(hours=20), missing=500)
        await self._remit(LUMO, self._ago(hours=19), "Transfer 2041")
        for delivery in RECENT[3:]:
            await self._deliver(delivery)
        await self._start_open_order()
        await self._add_charges()
        await self._record_payments()
        await self._place_unpriced_order()

    def _ago(self, **age: int) -> datetime:
        return self._now - timedelta(**age)

    async def _create_businesses(self) -> None:
        for number, (name, shop, terms, tax_number) in enumerate(BUSINESSES):
            address = {**content.SHOPS[shop].to_place(), "name": name}
            place = await places.create_place(self._db, self._company, PlaceIn(**address))
            contact_data = ContactIn(
                name=name, type="business", phone=content.make_phone(240 + number),
                place=place.public_id, price_group=PRICE_GROUP,
                payment_terms_days=terms, tax_number=tax_number,
                email=f"accounts@{name.split()[0].lower()}.example",
            )  # fmt: skip
            self._businesses.append(
                await partners.create_contact(self._db, self._company, contact_data)
            )

    async def _deliver(self, delivery: BusinessDelivery) -> OrderAggregate:
        completed_at = self._ago(days=delivery.days, minutes=delivery.minutes)
        aggregate = await self._history.deliver_order(
            completed_at, **self._make_fields(delivery.business, delivery.cod_amount)
        )
        if delivery.cod_amount is not None:
            reason = None if delivery.collected is None else NO_MORE_CASH
            with freeze_time(self._db, completed_at):
                await collect_cash(self._db, aggregate, delivery.collected, reason)
        return aggregate

    def _make_fields(self, business: int, cod_amount: int | None) -> Mapping[str, Any]:
        """Return the fields of an order of a business."""
        shop = content.SHOPS[BUSINESSES[business][1]]
        cash_fields = {"cod_amount": cod_amount, "cod_currency": content.CURRENCY,
                       "cod_payment_method": "cash"}  # fmt: skip
        return {
            "customer": self._businesses[business].public_id,
            "pickup": shop.to_place(),
            **(cash_fields if cod_amount is not None else {}),
        }

    async def _start_open_order(self) -> None:
        """Start an order whose cash is still to be collected."""
        courier = len(content.COURIERS) - 4
        await self._history.start_order(
            self._ago(minutes=1), courier, time_window_end=self._now + timedelta(minutes=40),
            **self._make_fields(LUMO, OPEN_CASH),
        )  # fmt: skip

    async def _hand_in(self, moment: datetime, missing: int = 0) -> None:
        """Hand in what all drivers carry. The first of them has lost some of it."""
        with freeze_time(self._db, moment):
            for row in (await load_balances(self._db, self._company)).drivers:
                driver = await get_driver(self._db, self._company, row.driver)
                counted = max(0, row.balance - missing)
                remarks = "A banknote is missing." if missing else None
                hand_in = HandInIn(currency=row.currency, counted_amount=counted, remarks=remarks)
                await cash.hand_in_cash(self._db, self._company, driver, hand_in)
                missing = 0

    async def _remit(self, business: int, moment: datetime, reference: str) -> None:
        remittance = RemittanceIn(
            customer=self._businesses[business].public_id, currency=content.CURRENCY,
            reference=reference,
        )  # fmt: skip
        with freeze_time(self._db, moment):
            await cash.remit_cash(self._db, self._company, remittance)

    async def _issue_invoices(self) -> None:
        """Issue an invoice that is overdue and one that is paid."""
        for business, due in ((VANAMO, self._ago(days=1)), (LUMO, None)):
            with freeze_time(self._db, self._ago(days=2, hours=5)):
                draft = await invoices.create_draft(
                    self._db, self._company,
                    InvoiceIn(
                        customer=self._businesses[business].public_id,
                        due_date=due and due.date(),
                    ),
                )  # fmt: skip
                await issuing.issue_draft(self._db, draft)
        with freeze_time(self._db, self._ago(days=1)):
            await self._pay(self._businesses[LUMO].uuid, "transfer", "Transfer 1187")

    async def _add_charges(self) -> None:
        """Charge a business for waiting, and credit the other one after its invoice."""
        waiting = ChargeIn(kind="waiting", description="Waited 20 minutes", amount=900)
        goodwill = ChargeIn(
            kind="goodwill", description="Delivered to the wrong door", amount=-200,
            reason="Agreed by phone.",
        )  # fmt: skip
        for business, charge, is_newest in ((VANAMO, waiting, True), (LUMO, goodwill, False)):
            where = ORDERS.where(self._company).add_equal(customer=self._businesses[business].uuid)
            where.add("completed_at is not null")
            sort = "-created_at" if is_newest else "created_at"
            page = await ORDERS.load_page(self._db, where, PageIn(limit=1, sort=sort))
            aggregate = await OrderAggregate.load(
                self._db, await ORDERS.lock(self._db, self._company, page.rows[0].public_id)
            )
            await charges.add_charge(self._db, aggregate, charge, NoGateway(), can_refund=True)
            draft = await invoices.create_draft(
                self._db, self._company,
                InvoiceIn(customer=self._businesses[business].public_id,
                          orders=[page.rows[0].public_id]),
            )  # fmt: skip
            if draft.amount < 0:
                await issuing.issue_draft(self._db, draft)

    async def _record_payments(self) -> None:
        """Record the payments of private customers, and a part of today's first."""
        where = TRANSACTIONS.where(self._company).add("balance > 0 and created_at < :today",
                                                      today=self._ago(hours=12))  # fmt: skip
        businesses = {business.uuid for business in self._businesses}
        page = await TRANSACTIONS.load_page(self._db, where, PageIn(limit=100))
        rows = [row for row in page.rows if row.customer not in businesses]
        for number, row in enumerate(rows):
            with freeze_time(self._db, row.created_at + timedelta(hours=1)):
                await self._record(row.uuid, "cash" if number % 3 else "other",
                                   None if number else row.balance // 2)  # fmt: skip

    async def _pay(self, customer: UUID, method: PaymentMethod, reference: str) -> None:
        where = TRANSACTIONS.where(self._company).add_equal(customer=customer)
        page = await TRANSACTIONS.load_page(self._db, where.add("balance > 0"), PageIn(limit=100))
        for row in page.rows:
            await self._record(row.uuid, method, None, reference)

    async def _record(
        self,
        transaction: UUID,
        method: PaymentMethod,
        amount: int | None,
        reference: str | None = None,
    ) -> None:
        row = await queries.lock_transaction_and_order(self._db, self._company, transaction)
        paid = await transactions.record_payment(
            self._db, row, method=method, amount=amount, reference=reference, received_at=None
        )
        await followers.notify_order(self._db, paid)

    async def _place_unpriced_order(self) -> None:
        """Offer an order whose drop-off is not known yet, so that it has no price."""
        with freeze_time(self._db, self._ago(minutes=9)):
            await place_order(
                self._db, self._company, UNPRICED_NUMBER, adhoc=True, dispatch=True,
                dropoff={"name": "Exhibition stand, to be announced", "country": content.COUNTRY},
            )  # fmt: skip
