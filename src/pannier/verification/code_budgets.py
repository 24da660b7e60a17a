"""The budgets that code requests and wrong answers draw on."""

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


def make_attempt_budgets(db: Db, limits: Codes, claimant: Claimant) -> list[Budget]:
    """Make the budgets that each wrong answer draws on, across all challenges."""
    code_scope, network = claimant.code_scope, claimant.network
    key = f"code-tries:{get_audience(code_scope)}:{_choose_budget_owner(db, claimant)}"
    attempt_budgets = make_budgets(key, rules.get_identity_attempt_limits(limits))
    if network is not None:
        key = f"code-tries-from:{code_scope.company}:{network}"
        attempt_budgets.append(Budget(key, *rules.get_address_attempt_limit(limits)))
    return attempt_budgets


def make_answer_budget(limits: Codes, claimant: Claimant, challenge: UUID) -> Budget:
    """Make the budget that wrong answers to one challenge draw on, separate for each network."""
    origin_name = (
        claimant.known_origin.budget_name
        if claimant.known_origin is not None
        else claimant.network or ""
    )
    return Budget(f"code:{challenge}:{origin_name}", *rules.get_challenge_attempt_limit(limits))


async def spend_send_budgets(
    db: Db, limits: Codes, claimant: Claimant, code_request: CodeRequest
) -> None:
    """Spend the budgets for sending a code.

    A decoy does not spend the shared budgets, because nothing is sent.
    """
    code_scope, network = claimant.code_scope, claimant.network
    key = f"code-sends:{get_audience(code_scope)}"
    identity_limits = rules.get_identity_send_limits(limits)
    own_budgets = [
        *code_request.extra_budgets,
        *make_budgets(f"{key}:{_choose_budget_owner(db, claimant)}", identity_limits),
    ]
    if claimant.known_origin is not None:
        person_key = f"{key}:{hash_identity(db, code_scope)}:known"
        own_budgets += make_budgets(person_key, rules.get_person_send_limits(limits))
    if network is not None:
        key = f"code-sends-from:{code_scope.company}:{network}"
        own_budgets.append(Budget(key, *rules.get_address_send_limit(limits)))
    shared_budgets = send_limits.make_shared_budgets(
        limits, code_scope, code_request.channel, reserved=code_request.reserved
    )
    # A budget that never runs out, so that a decoy takes as many steps as a real send.
    decoy_budgets = [
        Budget(
            f"{send_limits.make_pool_key(code_scope, code_request.channel)}:quiet",
            UNLIMITED,
            rules.MINUTE,
        )
    ]
    spent_budgets, checked_budgets = shared_budgets, decoy_budgets
    if code_request.decoy:
        spent_budgets, checked_budgets = decoy_budgets, shared_budgets
    await budgets.spend(db.database, [*own_budgets, *spent_budgets], check_only=checked_budgets)


def _choose_budget_owner(db: Db, claimant: Claimant) -> str:
    """Choose the owner of the budgets: the known device, or all strangers together."""
    origin = claimant.known_origin
    return hash_identity(db, claimant.code_scope) if origin is None else origin.budget_name


def get_audience(code_scope: CodeScope) -> str:
    """Return the kind of audience. Stores, drivers and deliveries do not share budgets."""
    return code_scope.scope.partition(":")[0]


def hash_identity(db: Db, code_scope: CodeScope) -> str:
    """Hash an identity for use in budget keys.

    The hash covers the company, so nobody can lock a person out of another company's store.
    """
    parts = msgspec.json.encode((code_scope.company, code_scope.identity))
    return db.database.keys.sign(IDENTITY_HASH_PURPOSE, parts).hex()
