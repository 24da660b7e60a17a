"""Operations on rates. A rate is saved only if it can compute prices. Every edit adds a version."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.errors import Conflict, Invalid
from pannier.rates import changed, checks, fields, queries
from pannier.rates.models import ServiceRate
from pannier.rates.queries import RATES
from pannier.rates.schemas import ServiceRateChange, ServiceRateIn
from pannier.web.fields import get_sent_fields

MAX_RATES: Final = 20_000


class RateVersion(msgspec.Struct):
    """A stored version of a rate."""

    service_rate: UUID
    number: int
    company: UUID
    terms: ServiceRate
    created_at: datetime


class ServiceRateLimit(Conflict):
    """The number of rates per company is limited, because rates are kept in memory."""

    code = "service_rate_limit"
    title = f"A company can have at most {MAX_RATES:,} rates."
    remedy = "Delete a rate first."


async def create_rate(db: Db, company: UUID, data: ServiceRateIn) -> ServiceRate:
    rate = await draft_rate(db, company, data)
    if await queries.count_rates(db, company) >= MAX_RATES:
        raise ServiceRateLimit
    await RATES.insert(db, rate)
    await _save_version(db, rate)
    return rate


async def draft_rate(db: Db, company: UUID, data: ServiceRateIn) -> ServiceRate:
    """Build a valid rate without saving it."""
    return _validate_rate(RATES.draft(db, company, **await _normalise_fields(db, company, data)))


async def change_rate(db: Db, rate: ServiceRate, change: ServiceRateChange) -> ServiceRate:
    """Save the changed fields as a new version. Existing quotes keep their version."""
    columns = await _normalise_fields(db, rate.company, change)
    _validate_rate(msgspec.structs.replace(rate, **columns))
    updated_rate, changed_columns = await RATES.change(db, rate, **columns)
    if changed_columns:
        await _save_version(db, updated_rate)
    return updated_rate


async def delete_rate(db: Db, rate: ServiceRate) -> ServiceRate:
    """Delete a rate. Its open quotes expire at once."""
    return await RATES.remove(db, rate)


async def _save_version(db: Db, rate: ServiceRate) -> None:
    row = RateVersion(rate.uuid, rate.version, rate.company, rate, db.now)
    await db.insert("service_rate_versions", row)
    await changed.queue_company(db, rate.company)


async def _normalise_fields(db: Db, company: UUID, data: msgspec.Struct) -> dict[str, Any]:
    return await fields.normalise_rate(db, company, get_sent_fields(data))


def _validate_rate(rate: ServiceRate) -> ServiceRate:
    errors = checks.list_faults(rate)
    if errors:
        raise Invalid(fields=errors)
    return rate
