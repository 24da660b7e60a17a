"""The activities of a flow."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from pannier.web.compatibility import ACCEPTED

PodMethod = Literal["scan", "signature", "photo", "sms"]
PodScope = Literal["order", "waypoint", "entity"]
# What happens with a scan that matches none of the subject's codes.
ScanMismatch = Literal["refuse", "explain"]


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a flow."""

    accepts: ClassVar = ACCEPTED["activity"]
    code: Annotated[str, Meta(examples=["enroute"])]
    status: Annotated[str, Meta(description="Label for people.", examples=["On the way"])] = ""
    details: Annotated[str, Meta(examples=["The driver is on the way."])] = ""
    sequence: int = 0
    next: Annotated[
        tuple[str, ...], Meta(description="Codes of the activities that may follow.")
    ] = ()
    complete: Annotated[bool, Meta(description="Whether it ends the order or stop.")] = False
    pod_method: PodMethod | None = None
    require_pod: bool = False
    pod_scope: PodScope = "order"
    scan_mismatch: Annotated[
        ScanMismatch | None,
        Meta(
            description="A scan that matches none of the subject's codes is rejected (`refuse`), "
            "or accepted with a reason and a photo (`explain`). By default, the driver app rejects "
            "it, and the API stores it as unmatched unless items declare codes."
        ),
    ] = None
    at: Annotated[
        Literal["pickup"] | None,
        Meta(description="`pickup` for a step at the pickup, which other stops leave out."),
    ] = None
    events: tuple[str, ...] = ()
    color: str | None = None


Flow = Mapping[str, Activity]
