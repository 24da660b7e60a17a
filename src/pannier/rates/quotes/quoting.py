"""Finding quotes: one for each rate that holds, the cheapest first."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.rates import matching, pricing
from pannier.rates.catalogue import CATALOGUES, Catalogue
from pannier.rates.matching import Held, Reason, Wanted
from pannier.rates.models import ServiceRate
from pannier.rates.pricing import Line, Priced
from pannier.rates.shipment import Shipment
from pannier.routing.route import Route

EVERYTHING: Final = Wanted()
TURN: Final = 0.005  # seconds, then others have theirs


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """A price by a rate, as it is in this version, with its lines, until it expires."""

    rate: ServiceRate
    lines: tuple[Line, ...]
    amount: int
    created_at: datetime
    expired_at: datetime
    route: Route

    @property
    def currency(self) -> str:
        """The rate's currency."""
        return self.rate.currency


class Refusal(msgspec.Struct, frozen=True):
    """A rate without a price, and every reason for that."""

    rate: ServiceRate
    reasons: list[Reason]


class Pricing(msgspec.Struct, frozen=True):
    """Everything that a shipment is held against."""

    catalogue: Catalogue
    company: CompanySettings
    # Of orders that name no configuration.
    order_config: UUID | None
    now: datetime

    async def quotes(self, shipment: Shipment, wanted: Wanted = EVERYTHING) -> list[Quote]:
        """Price a shipment by each rate that holds, the cheapest first."""
        held = self.catalogue.around(shipment.stops)
        likely = list(self.catalogue.likely(held))
        judged = self._judged(likely, shipment, wanted, held)
        return sorted([each async for each in judged if isinstance(each, Quote)], key=_order)

    async def refusals(
        self, rates: Sequence[ServiceRate], shipment: Shipment, wanted: Wanted = EVERYTHING
    ) -> list[Refusal]:
        """Tell of each rate that has no price why it has none."""
        held = self.catalogue.around(shipment.stops)
        judged = self._judged(rates, shipment, wanted, held)
        return [each async for each in judged if isinstance(each, Refusal)]

    async def _judged(
        self, rates: Sequence[ServiceRate], shipment: Shipment, wanted: Wanted, held: Held
    ) -> AsyncIterator[Quote | Refusal]:
        clock = asyncio.get_running_loop().time
        end = clock() + TURN
        for rate in rates:
            yield self.judged(rate, shipment, wanted, held)
            if clock() >= end:
                # Not in a thread: prepared borders are for one at a time.
                await asyncio.sleep(0)
                end = clock() + TURN

    def judged(
        self, rate: ServiceRate, shipment: Shipment, wanted: Wanted, held: Held
    ) -> Quote | Refusal:
        """Price a shipment by a rate, or tell why there is no price."""
        reasons = list(matching.reasons(rate, shipment, wanted, held))
        if reasons:
            return Refusal(rate, reasons)
        found = pricing.price(
            rate, shipment, time_zone=self.company.time_zone, borders=self.catalogue.shapes
        )
        if isinstance(found, Priced):
            return self._quote(rate, shipment, found)
        return Refusal(rate, [found])

    def _quote(self, rate: ServiceRate, shipment: Shipment, found: Priced) -> Quote:
        life = timedelta(seconds=rate.quote_life or self.company.quote_life)
        return Quote(
            rate=rate,
            lines=found.lines,
            amount=found.amount,
            created_at=self.now,
            expired_at=self.now + life,
            route=shipment.route,
        )


def _order(quote: Quote) -> tuple[int, str, str, UUID]:
    """Sort by amount; amounts of different currencies do not compare, so these come apart."""
    return quote.amount, quote.currency, quote.rate.service_name, quote.rate.uuid


async def pricing_of(db: Db, company: UUID) -> Pricing:
    """Read what a company's shipments are priced by."""
    settings = await company_settings.of(db, company)
    edition = await company_settings.edition(db, company)
    catalogue = await CATALOGUES.of(db, company, edition)
    return Pricing(catalogue, settings, edition.order_config, db.now)


async def quoted(
    db: Db, company: UUID, shipment: Shipment, wanted: Wanted = EVERYTHING
) -> list[Quote]:
    """Price a shipment by each of a company's rates that holds, the cheapest first."""
    return await (await pricing_of(db, company)).quotes(shipment, wanted)
