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
    """An attempt that was counted against the budgets of wrong and of right attempts."""

    database: Database
    wrong: Sequence[Budget]
    right: Sequence[Budget]

    async def fail(self) -> None:
        """Settle the attempt as wrong: undo its spending on budgets of right attempts."""
        await budgets.undo_spending(self.database, {budget.key for budget in self.right})

    async def succeed(self, *, forgive: str | None = None) -> None:
        """Settle the attempt as right: undo its spending on budgets of wrong attempts.

        For the key `forgive`, delete earlier wrong attempts too.
        """
        keys = {budget.key for budget in self.wrong if budget.key != forgive}
        await budgets.undo_spending(self.database, keys)
        if forgive is not None:
            await budgets.reset(self.database, forgive)


async def begin(
    database: Database, wrong: Sequence[Budget], right: Sequence[Budget] = ()
) -> SecretAttempt:
    """Count an attempt, or raise TooManyRequests."""
    await budgets.spend(database, [*wrong, *right])
    return SecretAttempt(database, wrong, right)
