"""Compute quotes: one for each rate that matches, the cheapest first.

Pricing by thousands of rates takes a while on the event loop. It yields to other requests every few
milliseconds, and each company prices one shipment at a time, so that a company with many rates
cannot slow down the others.

Orders are priced inside a transaction, which holds one of the few connections. They have their own
queue, so that they never wait for quotes, and it is short. When it is full, the transaction is
rolled back and the request waits without a connection.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.errors import TooManyRequests
from pannier.rates import matching, pricing, taxation
from pannier.rates.catalogue import Catalogue, load_catalogue
from pannier.rates.matching import NoPriceReason, RateCriteria, ZonesByStop
from pannier.rates.models import ServiceRate
from pannier.rates.pricing import CuttingBudget, Price, PriceLine
from pannier.rates.shipment import Shipment
from pannier.routing.route import Route
from pannier.web.fair_queue import FairQueue

Item = TypeVar("Item")
ALL_RATES: Final = RateCriteria()
TURN_SECONDS: Final = 0.002  # seconds of work, then other requests run
LONG_TURN_SECONDS: Final = 0.01  # seconds of work; after a longer turn, others get as long
MAX_WAITING_REQUESTS: Final = 32  # requests of a company, in each process
MAX_WAITING_ORDERS: Final = 2  # transactions of a company, in each process
RETRY_SECONDS: Final = 1.0


class PricingBusy(TooManyRequests):
    """The company has reached its limit of concurrent quotes."""

    code, title = "pricing_busy", "Too many quotes are being priced."
    remedy = "Retry after the time in `Retry-After`."


def make_pricing_queue(max_waiting: int, *, is_retried: bool = False) -> FairQueue:
    """Make a queue that lets each company price one shipment at a time."""

    def refuse() -> PricingBusy:
        problem = PricingBusy(RETRY_SECONDS)
        problem.is_transient = is_retried
        return problem

    return FairQueue(refuse, company_places=1, company_waiting=max_waiting)


# The queues of this process: for callers without a transaction, and for orders in one.
QUEUE: Final = make_pricing_queue(MAX_WAITING_REQUESTS)
ORDER_QUEUE: Final = make_pricing_queue(MAX_WAITING_ORDERS, is_retried=True)


async def yield_in_turns(items: Iterable[Item]) -> AsyncIterator[Item]:
    """Yield items, and let other requests run every few milliseconds."""
    # Processor time: on a busy machine more wall time passes, for all requests alike.
    started_at = time.thread_time()
    for item in items:
        yield item
        seconds = time.thread_time() - started_at
        if seconds >= TURN_SECONDS:
            # A thread would not help: only one thread at a time may use prepared borders. After a
            # long item, such as a rate with many borders, pause for as long as it took, so that
            # other requests can make several steps.
            await asyncio.sleep(seconds if seconds > LONG_TURN_SECONDS else 0)
            started_at = time.thread_time()


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """A price by one version of a rate, which is valid until it expires."""

    rate: ServiceRate
    lines: tuple[PriceLine, ...]
    amount: int
    created_at: datetime
    expired_at: datetime
    scheduled_at: datetime | None = None
    route: Route
    tax_rate: Decimal | None = None
    tax_amount: int = 0
    # The contact or vendor for whom the quote was made.
    customer: UUID | None = None

    @property
    def currency(self) -> str:
        return self.rate.currency


class RateRefusal(msgspec.Struct, frozen=True):
    """A rate without a price, and all reasons."""

    rate: ServiceRate
    reasons: list[NoPriceReason]


class Pricing(msgspec.Struct, frozen=True):
    """The data that prices a company's shipments."""

    catalogue: Catalogue
    company: CompanySettings
    # For orders without a configuration.
    order_config: UUID | None
    now: datetime

    async def find_quotes(
        self, shipment: Shipment, criteria: RateCriteria = ALL_RATES
    ) -> list[Quote]:
        """Price a shipment by each rate that matches, the cheapest first."""
        zones_by_stop = self.catalogue.find_zones(shipment.stops)
        candidates = list(self.catalogue.list_candidates(zones_by_stop, shipment.customer))
        return (await self._evaluate_all(candidates, shipment, criteria, zones_by_stop))[0]

    async def evaluate_rates(
        self, rates: Sequence[ServiceRate], shipment: Shipment, criteria: RateCriteria = ALL_RATES
    ) -> tuple[list[Quote], list[RateRefusal]]:
        """Price a shipment by these rates. Return quotes, the cheapest first, and refusals."""
        return await self._evaluate_all(
            rates, shipment, criteria, self.catalogue.find_zones(shipment.stops)
        )

    async def _evaluate_all(
        self,
        rates: Sequence[ServiceRate],
        shipment: Shipment,
        criteria: RateCriteria,
        zones_by_stop: ZonesByStop,
    ) -> tuple[list[Quote], list[RateRefusal]]:
        quotes: list[Quote] = []
        refusals: list[RateRefusal] = []
        cutting = CuttingBudget()
        async for rate in yield_in_turns(rates):
            result = self.evaluate_rate(rate, shipment, criteria, zones_by_stop, cutting)
            if isinstance(result, Quote):
                quotes.append(result)
            else:
                refusals.append(result)
        return sorted(quotes, key=self._get_sort_key), refusals

    def _get_sort_key(self, quote: Quote) -> tuple[bool, str, int, str, UUID]:
        """Sort by currency, the company's own first, then by amount.

        Amounts in different currencies do not compare.
        """
        return (
            quote.currency != self.company.currency,
            quote.currency,
            quote.amount,
            quote.rate.service_name,
            quote.rate.uuid,
        )

    def evaluate_rate(
        self,
        rate: ServiceRate,
        shipment: Shipment,
        criteria: RateCriteria,
        zones_by_stop: ZonesByStop,
        cutting: CuttingBudget,
    ) -> Quote | RateRefusal:
        """Price a shipment by a rate, or return why there is no price."""
        reasons = list(matching.list_no_price_reasons(rate, shipment, criteria, zones_by_stop))
        if reasons:
            return RateRefusal(rate, reasons)
        result = self._price_shipment(rate, shipment, cutting)
        if isinstance(result, Price):
            return self._make_quote(rate, shipment, result)
        return RateRefusal(rate, [result])

    def price_by_rate(self, rate: ServiceRate, shipment: Shipment) -> Quote | None:
        """Price a shipment by a rate, whether or not it matches; None if it cannot."""
        result = self._price_shipment(rate, shipment, CuttingBudget())
        return self._make_quote(rate, shipment, result) if isinstance(result, Price) else None

    def _price_shipment(
        self, rate: ServiceRate, shipment: Shipment, cutting: CuttingBudget
    ) -> Price | NoPriceReason:
        result = pricing.price_shipment(
            rate,
            shipment,
            time_zone=self.company.time_zone,
            borders=self.catalogue.shapes,
            compile_formula=self.catalogue.compile_formula,
            cutting=cutting,
        )
        return self._add_tax(rate, result) if isinstance(result, Price) else result

    def _add_tax(self, rate: ServiceRate, price: Price) -> Price | NoPriceReason:
        terms, tax_rate = self.company.tax, self.catalogue.find_tax_rate(rate)
        return taxation.add_tax(
            price,
            terms.rate if tax_rate is None else tax_rate,
            inclusive=terms.inclusive,
            rounding=terms.rounding,
        )

    def _make_quote(self, rate: ServiceRate, shipment: Shipment, price: Price) -> Quote:
        expires_at = self.now + timedelta(seconds=rate.quote_life or self.company.quote_life)
        if rate.valid_until is not None and rate.valid_until > self.now:
            # Afterwards, the rate applies only to shipments that were scheduled before.
            expires_at = min(expires_at, rate.valid_until)
        return Quote(
            rate=rate,
            lines=price.lines,
            amount=price.amount,
            tax_rate=price.tax_rate,
            tax_amount=price.tax_amount,
            created_at=self.now,
            expired_at=expires_at,
            scheduled_at=shipment.scheduled_at,
            route=shipment.route,
            customer=None if shipment.customer is None else shipment.customer.uuid,
        )


async def load_pricing(db: Db, company: UUID) -> Pricing:
    """Load the data that prices a company's shipments."""
    settings = await company_settings.load(db, company)
    edition = await company_settings.get_version(db, company)
    catalogue = await load_catalogue(db, company, edition)
    return Pricing(catalogue, settings, edition.order_config, db.now)


async def find_quote_by_version(db: Db, rate: ServiceRate, shipment: Shipment) -> Quote | None:
    """Price a shipment inside a transaction by one version of a rate, or return None."""
    pricing = await load_pricing(db, rate.company)
    catalogue = await pricing.catalogue.load_for_rate(db, rate)
    pricing = msgspec.structs.replace(pricing, catalogue=catalogue)
    async with ORDER_QUEUE.wait_turn(rate.company):
        quotes, _ = await pricing.evaluate_rates([rate], shipment)
    return quotes[0] if quotes else None


async def has_rates(db: Db, company: UUID) -> bool:
    """Return whether a company has any active rate."""
    return bool((await load_pricing(db, company)).catalogue.rates)


async def price_by_rate(
    db: Db, company: UUID, rate: ServiceRate, shipment: Shipment, *, includes_tax: bool
) -> Quote | None:
    """Price a shipment by one version of a rate, even if the rate no longer matches it.

    None if the rate cannot price it. `includes_tax` if the rate's prices include tax.
    """
    if shipment.cod_currency not in (None, rate.currency):
        # A share of the cash would be an amount in another currency.
        return None
    pricing = await load_pricing(db, company)
    terms = msgspec.structs.replace(pricing.company.tax, inclusive=includes_tax)
    pricing = msgspec.structs.replace(
        pricing,
        # The rate may be inactive, so that the company's catalogue lacks its zones.
        catalogue=await pricing.catalogue.load_for_rate(db, rate),
        company=msgspec.structs.replace(pricing.company, tax=terms),
    )
    async with ORDER_QUEUE.wait_turn(company):
        return pricing.price_by_rate(rate, shipment)


async def find_quotes(
    db: Db, company: UUID, shipment: Shipment, criteria: RateCriteria = ALL_RATES
) -> list[Quote]:
    """Price a shipment inside a transaction by each of a company's rates, the cheapest first."""
    pricing = await load_pricing(db, company)
    async with ORDER_QUEUE.wait_turn(company):
        return await pricing.find_quotes(shipment, criteria)
