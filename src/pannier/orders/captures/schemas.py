"""JSON schemas of captures. Forms use the same fields."""

from typing import Annotated, Any, ClassVar, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import AnyPoint
from pannier.web.compatibility import ACCEPTED
from pannier.web.times import Moment, Time

# A single red pixel.
PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mM4IScHAAK2AQUKW6YGAAAAAElFTkSuQmCC"
)
Picture = Annotated[
    str,
    Meta(
        description="An image in base64, bare or as a data URI; in a form, a file.",
        examples=[f"data:image/png;base64,{PIXEL}"],
    ),
]
Name = Annotated[str, Meta(max_length=200, examples=["Ada Lovelace"])]
Scanned = Annotated[str, Meta(min_length=1, max_length=4000, examples=["4006381333931"])]
Remarks = Annotated[str, Meta(max_length=500, examples=["Left with the concierge."])]


class CaptureIn(msgspec.Struct, kw_only=True):
    """The fields of every capture."""

    accepts: ClassVar = ACCEPTED["capture"]
    remarks: Remarks | None = None
    data: Annotated[dict[str, Any] | None, Meta(description="Your own data, up to 16 KiB.")] = None
    location: Annotated[
        AnyPoint | None, Meta(description="Place of capture. It may contain `accuracy` in metres.")
    ] = None
    captured_at: Annotated[
        Moment | None, Meta(description="Time of capture, by the device's clock. Defaults to now.")
    ] = None
    device: Annotated[
        dict[str, Any] | None, Meta(description="The device, such as its id and platform.")
    ] = None
    activity: Annotated[
        Annotated[str, Meta(max_length=60)] | None,
        Meta(description="The code of the activity that the proof is for."),
    ] = None
    proof_uuid: Annotated[
        UUID | None,
        Meta(
            description="Created by the device, so that a repeated request stores the proof "
            "only once."
        ),
    ] = None


class SignatureIn(CaptureIn, kw_only=True):
    """A signature."""

    signature: Picture | None = None
    signer_name: Name | None = None
    signer_relationship: Annotated[str, Meta(max_length=100, examples=["neighbour"])] | None = None


class PhotoIn(CaptureIn, kw_only=True):
    """One or more photos."""

    photo: Picture | None = None
    photos: Annotated[list[Picture], Meta(max_length=10)] = msgspec.field(default_factory=list)


class ScanIn(CaptureIn, kw_only=True):
    """A scanned text, an image of the code, or both."""

    code: Scanned | None = None
    raw_data: Scanned | None = None
    symbology: Annotated[str, Meta(max_length=50, examples=["Code128"])] | None = None
    entry: (
        Annotated[
            Literal["scanned", "typed"],
            Meta(description="Whether the code was scanned or typed."),
        ]
        | None
    ) = None
    photo: Picture | None = None
    mismatch_reason: Annotated[
        Remarks | None,
        Meta(
            description="Why a code that does not match is used anyway, where the activity's "
            "`scan_mismatch` is `explain`. `photo` then shows the item, and no code is read "
            "from it."
        ),
    ] = None


class SmsIn(CaptureIn, kw_only=True):
    """The SMS code that the recipient gave to the driver."""

    code: Annotated[str, Meta(min_length=1, max_length=64, examples=["402917"])]


class ProofCodeSent(msgspec.Struct):
    """A code was sent. The code itself is never returned."""

    status: Annotated[str, Meta(examples=["ok"])]
    sent_to: Annotated[
        str, Meta(description="The phone number, mostly hidden.", examples=["+65•••4567"])
    ]
    expires_in: Annotated[int, Meta(description="Seconds.", examples=[7200])]
    resend_after: Annotated[int, Meta(description="Seconds.", examples=[30])]
    expires_at: Time


class OverrideIn(msgspec.Struct):
    """The reason for allowing an activity without its proof."""

    reason: Annotated[str, Meta(min_length=3, max_length=2000, examples=["The scanner broke."])]
    activity: Annotated[str, Meta(max_length=60, examples=["handed_over"])]


class CodesUnlocked(msgspec.Struct):
    """Codes are accepted again."""

    status: Annotated[str, Meta(examples=["ok"])] = "ok"
