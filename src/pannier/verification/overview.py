"""Recent SMS usage, for the company that pays for it."""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.codes import Codes
from pannier.accounts.models import Store
from pannier.accounts.queries import STORES
from pannier.db import Db
from pannier.verification import rules, scopes, send_limits
from pannier.verification.models import CodeScope
from pannier.verification.schemas import Audience, PausedOut, SmsOut
from pannier.web import budgets
from pannier.web.times import to_rfc3339

MAX_STORES: Final = 100


class _ScopeTally(msgspec.Struct):
    scope: str
    country: str
    sent: int
    verified: int
    since: datetime


async def list_audiences(db: Db, company: UUID) -> list[SmsOut]:
    """List the usage of each store, of the drivers and of the deliveries."""
    tallies = await _load_tallies(db, company)
    where = STORES.where(company)
    stores = await db.fetch_all(
        Store,
        f"""select {STORES.columns} from stores {where}
            order by created_at, uuid limit {MAX_STORES}""",
        **where.values,
    )
    senders: list[tuple[str, Store | None]] = [
        *((scopes.store_scope(store.uuid), store) for store in stores),
        (scopes.DRIVERS, None),
        (scopes.DELIVERIES, None),
    ]
    return [await _load_audience(db, company, scope, store, tallies) for scope, store in senders]


async def _load_audience(
    db: Db, company: UUID, scope: str, store: Store | None, tallies: list[_ScopeTally]
) -> SmsOut:
    store_uuid = None if store is None else store.uuid
    codes = (await company_settings.load(db, company, store_uuid)).codes
    pool_key = send_limits.make_pool_key(CodeScope(company, scope, "", ""), "sms")
    return SmsOut(
        audience=_find_audience(scope),
        store=None if store is None else store.public_id,
        sent=await budgets.count_hits(db, pool_key, rules.DAY),
        sms_per_day=codes.sms_per_day,
        paused=_list_paused_countries(codes, [tally for tally in tallies if tally.scope == scope]),
    )


def _find_audience(scope: str) -> Audience:
    if scope == scopes.DRIVERS:
        return "drivers"
    return "deliveries" if scope == scopes.DELIVERIES else "store"


def _list_paused_countries(codes: Codes, tallies: list[_ScopeTally]) -> list[PausedOut]:
    return [
        PausedOut(
            country=tally.country,
            sent=tally.sent,
            verified=tally.verified,
            until=to_rfc3339(tally.since + rules.BREAKER_SPAN),
        )
        for tally in tallies
        if rules.should_pause(codes, tally.sent, tally.verified)
    ]


async def _load_tallies(db: Db, company: UUID) -> list[_ScopeTally]:
    return await db.fetch_all(
        _ScopeTally,
        """select scope, country, sum(sends)::bigint as sent, count(verified_at) as verified,
                  min(created_at) as since
           from challenges where company = :company and country is not null
             and created_at > :since and created_at <= :until
           group by scope, country order by scope, country""",
        company=company,
        since=db.now - rules.BREAKER_SPAN,
        until=db.now - rules.ANSWER_TIME,
    )
