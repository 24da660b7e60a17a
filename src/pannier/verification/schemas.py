"""JSON schemas of SMS codes."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings.codes import SmsPerDay
from pannier.web.times import Time

Audience = Literal["store", "drivers", "deliveries"]


class PausedOut(msgspec.Struct, kw_only=True):
    """A country whose new numbers get no codes at present."""

    country: Annotated[str, Meta(examples=["SG"])]
    sent: Annotated[int, Meta(description="Codes sent within the hour.", examples=[140])]
    verified: Annotated[int, Meta(description="Number of confirmed codes.", examples=[3])]
    until: Annotated[Time, Meta(description="Earliest time at which sending can resume.")]


class SmsOut(msgspec.Struct, kw_only=True):
    """SMS codes of one store, of all drivers, or of all deliveries."""

    audience: Audience
    store: Annotated[str | None, Meta(examples=["store_2hVt6MnQ9sLc4ZxW"])]
    sent: Annotated[int, Meta(description="Codes sent within 24 hours.", examples=[312])]
    sms_per_day: SmsPerDay
    paused: list[PausedOut]


class SmsOverview(msgspec.Struct):
    """SMS codes by audience."""

    audiences: list[SmsOut]
