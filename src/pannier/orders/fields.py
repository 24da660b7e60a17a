"""JSON field types of orders."""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from pannier.fleet.skills import Skills
from pannier.places.schemas import PLACE_FORMS, PlaceObject
from pannier.routing.route import Source
from pannier.web.compatibility import OBJECT_KEY
from pannier.web.documented_types import document_as
from pannier.web.identifiers import MAX_INTERNAL_ID_LENGTH, identifier

ConfigName = Annotated[
    str,
    identifier(
        "transport",
        "An order configuration, by identifier or key. Defaults to the company's.",
        max_length=100,
    ),
]
InternalId = Annotated[
    str,
    Meta(
        max_length=MAX_INTERNAL_ID_LENGTH,
        description="The company's own number. Unique, unless the company allows duplicates.",
        examples=["SO-2041"],
    ),
]
WaypointId = Annotated[str, identifier("waypoint_1mBf6XvR8dNs3TgH", max_length=100)]
PayloadId = Annotated[str, identifier("payload_9pTy4CzK2hWq7JrA", max_length=100)]
PlaceId = Annotated[str, identifier("place_8KfR2yLq0VbN6wTd", max_length=100)]
ContactId = Annotated[
    str,
    identifier(
        "contact_4DnWc7ZsPq1XhJ9e", "A contact or vendor, by its identifier.", max_length=100
    ),
]
VendorId = Annotated[
    str,
    identifier(
        "vendor_7TgYb3MxKs5RvL0a", "A vendor or contact, by its identifier.", max_length=100
    ),
]
PlaceInput = Annotated[
    str | dict[str, Any] | list[Any],
    Meta(
        description="A place: an identifier, an address as text or object, or a point.",
        examples=["1 Raffles Place, Singapore 048616"],
        extra={OBJECT_KEY: PlaceObject},
        extra_json_schema=PLACE_FORMS,
    ),
]
RequiredSkills = Annotated[Skills, Meta(description="Skills that the driver needs.")]
Metres = Annotated[int, Meta(ge=1, le=1_000_000, description="Metres.", examples=[6000])]
RouteSource = Annotated[
    Source,
    Meta(
        description="Source of the distance: a routing engine, or the great circle with "
        "a detour factor."
    ),
]
Own = Annotated[
    dict[str, Any],
    Meta(description="The company's own data, up to 16 KiB.", examples=[{"shift": "am"}]),
]
Status = Annotated[str, Meta(max_length=60, examples=["dispatched"])]
ClockSkew = Annotated[
    int | None,
    Meta(
        description="Seconds by which the device's clock was outside the possible range.",
        examples=[None],
    ),
]
ProofIds = Annotated[
    list[str],
    Meta(
        description="Proofs that were captured there, by public id.",
        examples=[["proof_3VqWm8NxL2aKd7Jc"]],
    ),
]
TrackingUrl = Annotated[
    str,
    Meta(
        description="The recipient's tracking page. Give the link only to the recipient.",
        examples=["https://pannier.example.com/t/ACM-7K4M-2XQ9-3TBC?k=mfzq4x7n2kdtrb5"],
    ),
]


class RecordObject(msgspec.Struct):
    """A record as a response shows it. Only its `id` is read."""

    takes_any_name: ClassVar = True
    id: Annotated[str, Meta(max_length=64, description="The record's public id or UUID.")]


DriverRef = Annotated[
    str | dict[str, Any],
    Meta(
        description="A driver, by identifier or by the object from an order.",
        examples=["driver_4kQ8ZpL0sVxYt2Wn"],
        extra_json_schema=document_as(str, RecordObject),
    ),
]
FacilitatorRef = (
    VendorId
    | Annotated[
        dict[str, Any],
        Meta(
            description="The object that an order shows.",
            extra_json_schema=document_as(RecordObject),
        ),
    ]
)
VehicleRef = Annotated[
    str | dict[str, Any],
    Meta(
        description="A vehicle, by identifier or by the object from an order.",
        examples=["vehicle_7cRw1TfM9hJb3XdE"],
        extra_json_schema=document_as(str, RecordObject),
    ),
]
NewStatus = Annotated[
    str, Meta(max_length=60, description="A new order is `created`.", examples=["created"])
]
PresentStatus = Annotated[
    str,
    Meta(
        max_length=60,
        description="Must be unchanged. Actions change the status.",
        examples=["created"],
    ),
]
PresentQuote = Annotated[
    str, Meta(max_length=600, description="Must be unchanged. Accepting a quote changes it.")
]
DispatchNow = Annotated[
    bool, Meta(description="Must be `false`. Use the dispatch action.", examples=[False])
]
PartnerName = Annotated[str, Meta(max_length=64)]
