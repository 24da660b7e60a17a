"""What each request for a code, and each wrong answer, is counted against."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.codes import Codes
from pannier.accounts.tokens.known import Place
from pannier.db import Db
from pannier.verification import rules, sending
from pannier.verification.models import CodeScope
from pannier.verification.rules import CodeChannel
from pannier.web import addresses, budgets
from pannier.web.budgets import Budget

COUNTING: Final = "one-time code budget"
ENDLESS: Final = 10**9


class By(NamedTuple):
    """Who asks for a code or gives one: about what, from where, and whether they are known there.

    A known place has budgets of its own, so that no stranger uses up what its owner may do.
    """

    code_scope: CodeScope
    address: str | None
    place: Place | None

    @property
    def network(self) -> str | None:
        """The network that pays, unless there is none or the device is known by its proof."""
        if self.address is None or (self.place is not None and self.place.proved):
            return None
        return addresses.neighbourhood(self.address)

    def name(self, db: Db) -> str:
        """Name whose budgets are spent: the place's, or those of all strangers together."""
        return identity(db, self.code_scope) if self.place is None else self.place.name

    def tries(self, db: Db, limits: Codes) -> list[Budget]:
        """What each wrong answer is counted against, over all challenges."""
        key = f"code-tries:{audience(self.code_scope)}:{self.name(db)}"
        found = [Budget(key, *limit) for limit in rules.wrong_per_identity(limits)]
        if self.network is not None:
            key = f"code-tries-from:{self.code_scope.company}:{self.network}"
            found.append(Budget(key, *rules.wrong_per_address(limits)))
        return found

    def answers(self, limits: Codes, challenge: UUID) -> Budget:
        """What each wrong answer to one challenge is counted against: apart for each network."""
        where = self.place.name if self.place is not None else self.network or ""
        return Budget(f"code:{challenge}:{where}", *rules.wrong_per_challenge(limits))


async def spend(
    db: Db,
    limits: Codes,
    by: By,
    channel: CodeChannel,
    *,
    reserved: bool,
    quiet: bool,
    more: Sequence[Budget] = (),
) -> None:
    """Count a send. A quiet one leaves to others what everybody shares: nothing is sent."""
    key = f"code-sends:{audience(by.code_scope)}:{by.name(db)}"
    own = [*more, *(Budget(key, *limit) for limit in rules.sends_per_identity(limits))]
    if by.place is not None:
        key = f"code-sends:{audience(by.code_scope)}:{identity(db, by.code_scope)}:known"
        own += [Budget(key, *limit) for limit in rules.sends_per_person(limits)]
    if by.network is not None:
        key = f"code-sends-from:{by.code_scope.company}:{by.network}"
        own.append(Budget(key, *rules.sends_per_address(limits)))
    shared = sending.pools(limits, by.code_scope, channel, reserved=reserved)
    # As many steps as for a real one, on a budget that never ends.
    decoy = [Budget(f"{sending.pool(by.code_scope, channel)}:quiet", ENDLESS, rules.MINUTE)]
    spent, beside = (decoy, shared) if quiet else (shared, decoy)
    await budgets.spend(db.database, [*own, *spent], beside=beside)


def audience(code_scope: CodeScope) -> str:
    """Name whom a scope is for: shops, drivers and deliveries do not share budgets."""
    return code_scope.scope.partition(":")[0]


def identity(db: Db, code_scope: CodeScope) -> str:
    """Name an identity in a budget without telling it.

    The company is part of it: nobody can lock a person out of another company's store.
    """
    parts = msgspec.json.encode((code_scope.company, code_scope.identity))
    return db.database.keys.sign(COUNTING, parts).hex()
