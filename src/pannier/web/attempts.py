"""Attempts at a secret, such as a password, a code or a postcode: counted before they are checked.

So neither a crash nor a flood of parallel guesses gets one for nothing. Each package names its own
budgets: of the identity, the network, or the place where somebody signed in before.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pannier.db import Database
from pannier.web import budgets
from pannier.web.budgets import Budget


class Attempt(NamedTuple):
    """An attempt that was counted, as a wrong one and as a right one."""

    database: Database
    wrong: Sequence[Budget]
    right: Sequence[Budget]

    async def fail(self) -> None:
        """Take back what only right attempts count against."""
        await budgets.take_back(self.database, {budget.key for budget in self.right})

    async def succeed(self, *, forgive: str | None = None) -> None:
        """Take back what only wrong attempts count against.

        Of the key to `forgive`, earlier ones are forgotten too.
        """
        keys = {budget.key for budget in self.wrong if budget.key != forgive}
        await budgets.take_back(self.database, keys)
        if forgive is not None:
            await budgets.refund(self.database, forgive)


async def begin(
    database: Database, wrong: Sequence[Budget], right: Sequence[Budget] = ()
) -> Attempt:
    """Count an attempt, or refuse it with 429 where there were too many."""
    await budgets.spend(database, [*wrong, *right])
    return Attempt(database, wrong, right)
