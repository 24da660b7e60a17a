"""What recipients may do on the tracking page: configured, and effective with defaults."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta

from pannier.web.fields import Clearable

InstructionsUntil = Annotated[
    Literal["never", "dispatched", "started", "near"],
    Meta(
        description="Until when recipients can give delivery instructions: `never`, until the "
        "order is `dispatched` or `started`, or until the driver is `near`."
    ),
]
NearMinutes = Annotated[
    int,
    Meta(
        ge=1,
        le=240,
        description="The driver is near from this many minutes before the ETA.",
        examples=[10],
    ),
]


class RecipientSettings(msgspec.Struct, kw_only=True, frozen=True):
    """What recipients may do on the tracking page, as configured."""

    instructions_until: Clearable[InstructionsUntil] = UNSET
    near_minutes: Clearable[NearMinutes] = UNSET


class Recipients(msgspec.Struct, kw_only=True, frozen=True):
    """What recipients may do on the tracking page."""

    instructions_until: InstructionsUntil = "near"
    near_minutes: NearMinutes = 10
