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


class GatewayAccountStatus(msgspec.Struct):
    """A company's mode, and a customer's account at a gateway."""

    mode: Mode
    account: str | None
