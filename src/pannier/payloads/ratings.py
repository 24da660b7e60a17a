"""A recipient's rating of a delivery: stored with a stop or an order, and shown as it is."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pannier.web.times import Time

MAX_SCORE: Final = 5
MAX_COMMENT_LENGTH: Final = 1000


class DeliveryRating(msgspec.Struct, kw_only=True, frozen=True):
    """How the recipient rated the delivery on the tracking page."""

    score: Annotated[
        int, Meta(ge=1, le=MAX_SCORE, description="From 1 to 5, the best.", examples=[5])
    ]
    comment: Annotated[str | None, Meta(examples=["Friendly and on time."])] = None
    rated_at: Annotated[
        Time, Meta(description="Time of the first rating. It can change for a day.")
    ]
