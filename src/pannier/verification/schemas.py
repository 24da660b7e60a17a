"""Sending of codes in JSON."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings.codes import SmsPerDay
from pannier.web.times import Time

Audience = Literal["store", "drivers", "deliveries"]


class PausedOut(msgspec.Struct, kw_only=True):
    """A country to whose new numbers no codes are sent for the moment."""

    country: Annotated[str, Meta(examples=["SG"])]
    sent: Annotated[int, Meta(description="Codes sent within the hour.", examples=[140])]
    verified: Annotated[int, Meta(description="How many of them came back.", examples=[3])]
    until: Annotated[Time, Meta(description="When it is looked at again, at the soonest.")]


class SmsOut(msgspec.Struct, kw_only=True):
    """Codes by SMS of one store, of all drivers, or of all deliveries."""

    audience: Audience
    store: Annotated[str | None, Meta(examples=["store_2hVt6MnQ9sLc4ZxW"])]
    sent: Annotated[int, Meta(description="Codes sent within 24 hours.", examples=[312])]
    sms_per_day: SmsPerDay
    paused: list[PausedOut]


class SmsOverview(msgspec.Struct):
    """Codes by SMS, for each of those who send them."""

    audiences: list[SmsOut]
