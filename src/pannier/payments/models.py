"""The rows of payments."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.kit.credential import Mode


class PaymentCustomer(msgspec.Struct, kw_only=True):
    """A customer's account at a gateway."""

    company: UUID
    customer: UUID
    gateway: str
    account: str
    created_at: datetime


class Standing(msgspec.Struct):
    """What must be known of a customer before a gateway is asked."""

    mode: Mode
    account: str | None
