"""Limits on sending codes: allowed numbers, amounts, and automatic pauses.

A store's key is public, so anybody can request codes at the store's expense. Codes to known people
have a reserved share, so a flood of new numbers cannot block them. A country is paused while too
few of its codes are confirmed.
"""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.company_settings.codes import Codes
from pannier.db import Db
from pannier.errors import Problem, TooManyRequests
from pannier.kit import phone
from pannier.notifications import service as notifications
from pannier.verification import rules
from pannier.verification.models import CodeScope
from pannier.verification.rules import CodeChannel
from pannier.web import budgets
from pannier.web.budgets import Budget, make_budgets


class CountryNotAllowed(Problem):
    """The company or its store sends no codes to this country."""

    status, code = 422, "country_not_allowed"
    title = "SMS codes to this country are not allowed."
    remedy = "Use a number from another country, or another sign-in method."


class NumberNotAllowed(Problem):
    """The company or its store sends no codes to such numbers, for example premium-rate numbers."""

    status, code = 422, "number_not_allowed"
    title = "SMS codes to this type of number are not allowed."
    remedy = "Use a mobile number."


class SmsCapReached(TooManyRequests):
    """The company or its store limits the number of codes per day."""

    code = "sms_cap_reached"
    title = "The daily limit for SMS codes has been reached."
    remedy = "Use another sign-in method, or try again tomorrow."

    def __init__(self, wait: float) -> None:
        super().__init__(wait, self.explain())


class SmsPaused(TooManyRequests):
    """Too few of the codes sent to new numbers in this country were confirmed."""

    code = "sms_paused"
    title = "SMS codes to this country are paused."
    remedy = "Try again later, or use another sign-in method."

    def __init__(self, wait: float) -> None:
        super().__init__(wait, self.explain())


MAX_NOTICES_PER_DAY: Final = 5
SEND_PROBLEMS: list[type[Problem]] = [
    CountryNotAllowed, NumberNotAllowed, SmsCapReached, SmsPaused, TooManyRequests,
]  # fmt: skip


class CountryTally(msgspec.Struct):
    """Codes sent to new numbers of a country within the hour, and how many were confirmed."""

    sent: int
    verified: int
    since: datetime | None


def check_number(codes: Codes, number: str) -> None:
    """Raise a problem for a number that the settings exclude."""
    if codes.countries is not None and phone.find_country(number) not in codes.countries:
        raise CountryNotAllowed
    if phone.find_type(number) in codes.refused_types:
        raise NumberNotAllowed


def make_shared_budgets(
    codes: Codes, code_scope: CodeScope, channel: CodeChannel, *, reserved: bool
) -> list[Budget]:
    """Make the budgets that all codes of a scope share."""
    limits = rules.get_scope_send_limits(codes, channel)
    key = make_pool_key(code_scope, channel)
    send_budgets = make_budgets(key, limits)
    if not reserved:
        send_budgets += [
            Budget(f"{key}:new", rules.compute_unreserved_share(maximum), span)
            for maximum, span in limits
        ]
    return send_budgets


def make_pool_key(code_scope: CodeScope, channel: CodeChannel) -> str:
    """Make the key of a scope's shared budget."""
    return f"code-sends-in:{code_scope.company}:{code_scope.scope}:{channel}"


async def check_limits(
    db: Db, codes: Codes, code_scope: CodeScope, channel: CodeChannel, country: str | None
) -> None:
    """Raise a problem if the daily limit is reached or the country is paused.

    `country` is None for known people, whom a pause does not affect.
    """
    send_budgets = make_shared_budgets(codes, code_scope, channel, reserved=country is None)
    seconds = await budgets.find_wait_seconds(db, send_budgets)
    if seconds > rules.MINUTE.total_seconds():
        raise SmsCapReached(seconds)
    if country is not None:
        await _check_pause(db, codes, code_scope, country)


async def _check_pause(db: Db, codes: Codes, code_scope: CodeScope, country: str) -> None:
    tally = await db.get(
        CountryTally,
        """select coalesce(sum(sends), 0)::bigint as sent, count(verified_at) as verified,
                  min(created_at) as since
           from challenges where company = :company and scope = :scope and country = :country
             and created_at > :since and created_at <= :until""",
        company=code_scope.company,
        scope=code_scope.scope,
        country=country,
        since=db.now - rules.BREAKER_SPAN,
        until=db.now - rules.ANSWER_TIME,
    )
    if tally.since is not None and rules.should_pause(codes, tally.sent, tally.verified):
        await _notify_admins(db, code_scope, country, tally)
        raise SmsPaused((tally.since + rules.BREAKER_SPAN - db.now) / timedelta(seconds=1))


async def _notify_admins(db: Db, code_scope: CodeScope, country: str, tally: CountryTally) -> None:
    """Notify admins of a paused country: once a day per country, with a daily limit.

    The notice is committed although the request itself is rejected.
    """
    company = code_scope.company
    country_budget = Budget(f"sms-paused:{company}:{code_scope.scope}:{country}", 1, rules.DAY)
    company_budget = Budget(f"sms-paused:{company}", MAX_NOTICES_PER_DAY, rules.DAY)
    try:
        await budgets.spend(db.database, [country_budget, company_budget])
    except TooManyRequests:
        return
    values = {"sent": tally.sent, "verified": tally.verified, "country": country}
    async with db.database.side_transaction() as side_db:
        await notifications.email_admins(side_db, company, "codes_paused", **values)
