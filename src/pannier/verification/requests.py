"""What is asked of verification: by whom, and which code is to be sent."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from pannier.accounts.tokens.known import Place
from pannier.verification import rules
from pannier.verification.models import CodeScope
from pannier.verification.rules import CodeChannel
from pannier.verification.texts import CodeText
from pannier.web import addresses
from pannier.web.budgets import Budget


class Claimant(NamedTuple):
    """Who asks for a code or gives one: about what, from where, and whether they are known there.

    Without an address there is a secret key behind it, and no network pays. A known place has
    budgets of its own, so that no stranger uses up what its owner may do.
    """

    code_scope: CodeScope
    address: str | None = None
    place: Place | None = None

    @property
    def network(self) -> str | None:
        """The network that pays, unless there is none or the device is known by its proof."""
        if self.address is None or (self.place is not None and self.place.proved):
            return None
        return addresses.neighbourhood(self.address)


class CodeRequest(NamedTuple):
    """Which code to send, and how."""

    channel: CodeChannel
    # Where to, when it is spelled otherwise than the identity.
    to: str | None = None
    # Whose settings apply, if not the company's.
    store: UUID | None = None
    text: CodeText = "sign_in"
    life: timedelta | None = None
    # It goes only to somebody who is known.
    reserved: bool = False
    # For an identity nobody knows: the same steps, the same time and the same budgets, but nothing
    # is sent.
    quiet: bool = False
    # What else is spent if it is sent.
    spent: Sequence[Budget] = ()

    @property
    def lasts(self) -> timedelta:
        """How long the code works."""
        return min(self.life or rules.LIVES[self.channel], rules.LONGEST_LIFE)
