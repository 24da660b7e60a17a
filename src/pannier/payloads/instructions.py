"""A recipient's delivery instructions: stored with a stop or an order, and shown as they are."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pannier.web.times import Time

Handover = Literal["recipient", "safe_place", "neighbor"]
MAX_LOCATION_LENGTH: Final = 200
MAX_CODE_LENGTH: Final = 50
MAX_NOTE_LENGTH: Final = 500


class DeliveryInstructions(msgspec.Struct, kw_only=True, frozen=True):
    """How the recipient wants to receive the delivery, as chosen on the tracking page."""

    handover: Annotated[
        Handover,
        Meta(
            description="`recipient` receives it in person, or it is left in a `safe_place` or "
            "with a `neighbor`."
        ),
    ]
    location: Annotated[
        str | None,
        Meta(description="The safe place, or the neighbor.", examples=["In the garden shed"]),
    ] = None
    access_code: Annotated[
        str | None, Meta(description="The code of the gate or door.", examples=["4711#"])
    ] = None
    note: Annotated[str | None, Meta(examples=["The bell is broken. Please knock."])] = None
    requested_at: Time
