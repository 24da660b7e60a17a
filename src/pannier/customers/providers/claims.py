"""A provider's claim: what it says of somebody, and how well that is proved."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from pannier.customers.models import Provider

# Proved by a token; only announced, so that a code must follow; or taken on trust.
Standing = Literal["proved", "announced", "trusted"]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider says of somebody."""

    provider: Provider
    subject: str
    name: str | None = None
    email: str | None = None
    # Whether the provider vouches for the address: only then may it lead to an account.
    email_verified: bool = False
    # Whether the address is one that the provider made up: it leads to no other account.
    email_private: bool = False

    @property
    def about(self) -> dict[str, Any]:
        """Whom it is about: the provider, and what the provider calls them."""
        return {"provider": self.provider, "subject": self.subject}


class Used(msgspec.Struct, frozen=True):
    """A token that is used up by this sign-in, and until when it would work."""

    hash: bytes
    until: datetime


class ProvenClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim, how well it is proved, and the token that proved it."""

    claim: Claim
    standing: Standing = "proved"
    used: Used | None = None
    # What the provider can be asked with to forget them again.
    grant: str | None = None
