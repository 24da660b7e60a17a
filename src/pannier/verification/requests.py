"""Requests for codes: the claimant, and the code to send."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from pannier.accounts.tokens.device_proofs import KnownOrigin
from pannier.verification import rules
from pannier.verification.models import CodeScope
from pannier.verification.rules import CodeChannel
from pannier.verification.texts import CodeText
from pannier.web import addresses
from pannier.web.budgets import Budget


class Claimant(NamedTuple):
    """The requester or sender of a code: its scope, network address and known device.

    Without an address the request used a secret key, so no network's budget is spent. A known
    device has its own budgets, so strangers cannot exhaust its owner's.
    """

    code_scope: CodeScope
    address: str | None = None
    known_origin: KnownOrigin | None = None

    @property
    def network(self) -> str | None:
        """The network whose budget is spent; None without an address or with a proved device."""
        if self.address is None or (self.known_origin is not None and self.known_origin.proved):
            return None
        return addresses.get_rate_limit_network(self.address)


class CodeRequest(NamedTuple):
    """The code to send, and how."""

    channel: CodeChannel
    # The recipient, if its spelling differs from the identity.
    recipient: str | None = None
    # The store whose settings apply; the company's otherwise.
    store: UUID | None = None
    text: CodeText = "sign_in"
    wanted_lifetime: timedelta | None = None
    # The recipient is a known person, so the reserved share applies.
    reserved: bool = False
    # A decoy for an unknown identity: the same steps, time and budgets, but nothing is sent.
    decoy: bool = False
    # Further budgets to spend when a code is sent.
    extra_budgets: Sequence[Budget] = ()

    @property
    def lifetime(self) -> timedelta:
        """The code's lifetime."""
        return min(
            self.wanted_lifetime or rules.DEFAULT_LIFETIMES[self.channel], rules.MAX_LIFETIME
        )
