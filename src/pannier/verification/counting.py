"""The budgets that code requests and wrong answers spend."""

from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.codes import Codes
from pannier.db import Db
from pannier.verification import rules, sending
from pannier.verification.models import CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.web import budgets
from pannier.web.budgets import Budget, make_budgets

COUNTING: Final = "one-time code budget"
ENDLESS: Final = 10**9


def tries(db: Db, limits: Codes, claimant: Claimant) -> list[Budget]:
    """Return the budgets that each wrong answer spends, across all challenges."""
    code_scope, network = claimant.code_scope, claimant.network
    key = f"code-tries:{audience(code_scope)}:{_name(db, claimant)}"
    found = make_budgets(key, rules.wrong_per_identity(limits))
    if network is not None:
        key = f"code-tries-from:{code_scope.company}:{network}"
        found.append(Budget(key, *rules.wrong_per_address(limits)))
    return found


def answers(limits: Codes, claimant: Claimant, challenge: UUID) -> Budget:
    """Return the budget that wrong answers to one challenge spend, separate for each network."""
    where = claimant.place.name if claimant.place is not None else claimant.network or ""
    return Budget(f"code:{challenge}:{where}", *rules.wrong_per_challenge(limits))


async def spend(db: Db, limits: Codes, claimant: Claimant, wanted: CodeRequest) -> None:
    """Spend the budgets of a send.

    A decoy does not spend the shared budgets, because nothing is sent.
    """
    code_scope, network = claimant.code_scope, claimant.network
    key = f"code-sends:{audience(code_scope)}"
    per_identity = rules.sends_per_identity(limits)
    own = [*wanted.spent, *make_budgets(f"{key}:{_name(db, claimant)}", per_identity)]
    if claimant.place is not None:
        person = f"{key}:{identity(db, code_scope)}:known"
        own += make_budgets(person, rules.sends_per_person(limits))
    if network is not None:
        key = f"code-sends-from:{code_scope.company}:{network}"
        own.append(Budget(key, *rules.sends_per_address(limits)))
    shared = sending.pools(limits, code_scope, wanted.channel, reserved=wanted.reserved)
    # A budget that never runs out, so that a decoy takes as many steps as a real send.
    decoy = [Budget(f"{sending.pool(code_scope, wanted.channel)}:quiet", ENDLESS, rules.MINUTE)]
    spent, beside = (decoy, shared) if wanted.quiet else (shared, decoy)
    await budgets.spend(db.database, [*own, *spent], beside=beside)


def _name(db: Db, claimant: Claimant) -> str:
    """Return the owner of the budgets: the known device, or all strangers together."""
    place = claimant.place
    return identity(db, claimant.code_scope) if place is None else place.name


def audience(code_scope: CodeScope) -> str:
    """Return the kind of audience: stores, drivers and deliveries do not share budgets."""
    return code_scope.scope.partition(":")[0]


def identity(db: Db, code_scope: CodeScope) -> str:
    """Hash an identity for use in budget keys.

    The hash covers the company, so nobody can lock a person out of another company's store.
    """
    parts = msgspec.json.encode((code_scope.company, code_scope.identity))
    return db.database.keys.sign(COUNTING, parts).hex()
