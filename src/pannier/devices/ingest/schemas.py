"""Reports in a query or form, and the response to them."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from pannier.devices.outcomes import IngestOutcome


class OsmandIn(msgspec.Struct, kw_only=True):
    """A report of OsmAnd or Traccar Client; other fields are kept as attributes."""

    id: Annotated[
        str,
        Meta(
            description="The device's identifier; required with a gateway's token.",
            examples=["386012"],
        ),
    ] = ""
    lat: Annotated[float, Meta(ge=-90, le=90, examples=[1.3521])] | None = None
    lon: Annotated[float, Meta(ge=-180, le=180, examples=[103.8198])] | None = None
    timestamp: Annotated[
        str,
        Meta(
            description="Unix seconds or milliseconds, or ISO 8601. Defaults to now.",
            examples=["1768478340"],
        ),
    ] = ""
    speed: Annotated[float, Meta(ge=0, description="Speed in knots.", examples=[22.9])] | None = (
        None
    )
    bearing: (
        Annotated[
            float,
            Meta(ge=0, le=360, description="Direction of travel in degrees clockwise from north."),
        ]
        | None
    ) = None
    altitude: Annotated[float, Meta(description="Altitude in meters.")] | None = None
    accuracy: (
        Annotated[float, Meta(ge=0, description="Accuracy of the position in meters.")] | None
    ) = None
    batt: Annotated[float, Meta(ge=0, le=100, description="Battery level in percent.")] | None = (
        None
    )
    charge: bool | None = None
    valid: Annotated[bool, Meta(description="Whether the position is valid.")] = True
    alarm: Annotated[str, Meta(examples=["sos"])] | None = None


class RejectedOut(msgspec.Struct):
    """An event that was not stored; it is listed among the company's rejects."""

    index: Annotated[int, Meta(ge=0, description="Index in the request.", examples=[3])]
    code: Annotated[str, Meta(description="Error code.", examples=["location_nowhere"])]


class IngestOut(msgspec.Struct):
    """The outcome of a request; accepted events are stored durably."""

    accepted: Annotated[int, Meta(ge=0, description="Number of new events.", examples=[1])]
    duplicates: Annotated[
        int, Meta(ge=0, description="Number of events that were stored before.", examples=[0])
    ]
    rejected: list[RejectedOut]
    pending: Annotated[
        int | msgspec.UnsetType,
        Meta(description="Number of accepted events that are not stored yet.", examples=[0]),
    ] = msgspec.UNSET

    @classmethod
    def from_outcome(cls, outcome: IngestOutcome) -> "IngestOut":
        refusals = sorted(outcome.refusals, key=lambda refusal: refusal.index)
        rejected_events = [RejectedOut(refusal.index, refusal.code) for refusal in refusals]
        if outcome.pending:
            return PendingIngestOut(
                outcome.accepted, outcome.duplicates, rejected_events, outcome.pending
            )
        return cls(outcome.accepted, outcome.duplicates, rejected_events)


class PendingIngestOut(IngestOut):
    """The outcome of a request while some events wait to be stored."""

    http_status: ClassVar[int] = 202
