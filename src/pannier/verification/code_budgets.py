"""The budgets that code requests and wrong answers spend."""

from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.codes import Codes
from pannier.db import Db
from pannier.verification import rules, send_limits
from pannier.verification.models import CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.web import budgets
from pannier.web.budgets import Budget, make_budgets

IDENTITY_HASH_PURPOSE: Final = "one-time code budget"
UNLIMITED: Final = 10**9


def attempt_budgets(db: Db, limits: Codes, claimant: Claimant) -> list[Budget]:
    """Return the budgets that each wrong answer spends, across all challenges."""
    code_scope, network = claimant.code_scope, claimant.network
    key = f"code-tries:{audience(code_scope)}:{_budget_owner(db, claimant)}"
    attempt_limits = make_budgets(key, rules.wrong_per_identity(limits))
    if network is not None:
        key = f"code-tries-from:{code_scope.company}:{network}"
        attempt_limits.append(Budget(key, *rules.wrong_per_address(limits)))
    return attempt_limits


def answer_budget(limits: Codes, claimant: Claimant, challenge: UUID) -> Budget:
    """Return the budget that wrong answers to one challenge spend, separate for each network."""
    where = (
        claimant.known_origin.budget_name
        if claimant.known_origin is not None
        else claimant.network or ""
    )
    return Budget(f"code:{challenge}:{where}", *rules.wrong_per_challenge(limits))


async def spend(db: Db, limits: Codes, claimant: Claimant, code_request: CodeRequest) -> None:
    """Spend the budgets of a send.

    A decoy does not spend the shared budgets, because nothing is sent.
    """
    code_scope, network = claimant.code_scope, claimant.network
    key = f"code-sends:{audience(code_scope)}"
    per_identity = rules.sends_per_identity(limits)
    own_budgets = [
        *code_request.extra_budgets,
        *make_budgets(f"{key}:{_budget_owner(db, claimant)}", per_identity),
    ]
    if claimant.known_origin is not None:
        person = f"{key}:{hash_identity(db, code_scope)}:known"
        own_budgets += make_budgets(person, rules.sends_per_person(limits))
    if network is not None:
        key = f"code-sends-from:{code_scope.company}:{network}"
        own_budgets.append(Budget(key, *rules.sends_per_address(limits)))
    shared = send_limits.shared_budgets(
        limits, code_scope, code_request.channel, reserved=code_request.reserved
    )
    # A budget that never runs out, so that a decoy takes as many steps as a real send.
    decoy = [
        Budget(
            f"{send_limits.pool_key(code_scope, code_request.channel)}:quiet",
            UNLIMITED,
            rules.MINUTE,
        )
    ]
    spent_budgets, checked_budgets = (decoy, shared) if code_request.decoy else (shared, decoy)
    await budgets.spend(db.database, [*own_budgets, *spent_budgets], check_only=checked_budgets)


def _budget_owner(db: Db, claimant: Claimant) -> str:
    """Return the owner of the budgets: the known device, or all strangers together."""
    place = claimant.known_origin
    return hash_identity(db, claimant.code_scope) if place is None else place.budget_name


def audience(code_scope: CodeScope) -> str:
    """Return the kind of audience: stores, drivers and deliveries do not share budgets."""
    return code_scope.scope.partition(":")[0]


def hash_identity(db: Db, code_scope: CodeScope) -> str:
    """Hash an identity for use in budget keys.

    The hash covers the company, so nobody can lock a person out of another company's store.
    """
    parts = msgspec.json.encode((code_scope.company, code_scope.identity))
    return db.database.keys.sign(IDENTITY_HASH_PURPOSE, parts).hex()
