"""Emails of invoices in JSON."""

from typing import Annotated

import msgspec
from msgspec import Meta


class InvoiceSendIn(msgspec.Struct, kw_only=True):
    """Where to send an invoice."""

    to: Annotated[
        Annotated[str, Meta(min_length=3, max_length=254, examples=["ada@example.com"])] | None,
        Meta(description="An email address. Defaults to that of the customer."),
    ] = None
