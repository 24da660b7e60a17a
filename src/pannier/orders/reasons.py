"""The reasons for failed deliveries that drivers choose from. Pure rules."""

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pannier.kit.wording import MESSAGE
from pannier.orders.flow import AttemptOutcome
from pannier.orders.flow_faults import Fault

MAX_REASONS: Final = 50


class FailureReason(msgspec.Struct, frozen=True, kw_only=True):
    """Why a delivery failed, and what happens next."""

    code: Annotated[
        str,
        Meta(
            pattern=r"^[a-z][a-z0-9_]{0,39}\Z",
            examples=["nobody_home"],
            extra={
                MESSAGE: "must have at most 40 lower-case letters, digits and underscores, "
                "such as nobody_home."
            },
        ),
    ]
    label: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=100,
            description="Label for people, including recipients.",
            examples=["Recipient not available"],
        ),
    ]
    photo: Annotated[bool, Meta(description="Whether a photo is required.", examples=[False])] = (
        False
    )
    then: Annotated[
        AttemptOutcome,
        Meta(
            description="`retry` attempts the delivery again, `return` returns the goods, "
            "`hold` waits for a dispatcher's decision."
        ),
    ] = "retry"


DEFAULT: Final = (
    FailureReason(code="nobody_home", label="Recipient not available"),
    FailureReason(code="no_access", label="No access to the address"),
    FailureReason(code="closed", label="Location closed"),
    FailureReason(code="wrong_address", label="Address not found", then="hold"),
    FailureReason(code="refused", label="Delivery refused", then="return"),
    FailureReason(code="damaged", label="Goods damaged", photo=True, then="return"),
    FailureReason(code="other", label="Other reason", then="hold"),
)


def get_effective_reasons(custom_reasons: Sequence[FailureReason]) -> Sequence[FailureReason]:
    """Return the company's own reasons, or the defaults if it has none."""
    return custom_reasons or DEFAULT


def find_faults(reasons: Sequence[FailureReason]) -> list[Fault]:
    if len(reasons) > MAX_REASONS:
        return [Fault(f"Send at most {MAX_REASONS} reasons.")]
    codes = [reason.code for reason in reasons]
    return [
        Fault(f"The code {code} is used twice.", position)
        for position, code in enumerate(codes)
        if code in codes[:position]
    ]
