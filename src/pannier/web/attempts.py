"""Attempts at a secret, such as a password, a code or a postcode.

An attempt is counted before it is checked, so neither a crash nor parallel guesses get one free.
Each package defines its own budgets: per identity, per network, or per device that signed in
before.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pannier.db import Database
from pannier.web import budgets
from pannier.web.budgets import Budget


class SecretAttempt(NamedTuple):
    """A counted attempt, with the budgets for failed and for successful attempts."""

    database: Database
    failure_budgets: Sequence[Budget]
    success_budgets: Sequence[Budget]

    async def fail(self) -> None:
        """Record a failure: undo the hit on each budget for successful attempts."""
        await budgets.undo_spending(self.database, {budget.key for budget in self.success_budgets})

    async def succeed(self, *, forgiven_key: str | None = None) -> None:
        """Record a success: undo the hit on each budget for failed attempts.

        For the key `forgiven_key`, delete the hits of earlier failures too.
        """
        keys = {budget.key for budget in self.failure_budgets if budget.key != forgiven_key}
        await budgets.undo_spending(self.database, keys)
        if forgiven_key is not None:
            await budgets.reset(self.database, forgiven_key)


async def begin(
    database: Database,
    failure_budgets: Sequence[Budget],
    success_budgets: Sequence[Budget] = (),
) -> SecretAttempt:
    """Count an attempt against all budgets, or raise TooManyRequests."""
    await budgets.spend(database, [*failure_budgets, *success_budgets])
    return SecretAttempt(database, failure_budgets, success_budgets)
