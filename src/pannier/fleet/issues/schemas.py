"""Issues in JSON."""

from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.fleet.events import IssueId, IssueLinks
from pannier.fleet.models import Issue, IssueStatus, Priority
from pannier.fleet.schemas import (
    AnyPoint,
    Details,
    DriverId,
    LongText,
    PointOut,
    SearchIn,
    Text,
    VehicleId,
    get_sent_columns,
    parse_location,
    to_schema,
)
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.identifiers import OrderId, OrderReference
from pannier.web.resource_out import ResourceOut
from pannier.web.times import Time

Title = Annotated[str, Meta(max_length=200, examples=["Rear door"])]
Report = Annotated[
    str, Meta(min_length=1, max_length=10_000, examples=["The rear door does not close."])
]
IssueKind = Annotated[str, Meta(max_length=100, examples=["vehicle"])]
Category = Annotated[str, Meta(max_length=100, examples=["body work"])]
Tags = Annotated[list[Text], Meta(max_length=50, examples=[["door"]])]
Resolution = Annotated[LongText, Meta(examples=["The hinge was replaced."])]


class IssueOut(ResourceOut, kw_only=True):
    """An issue."""

    id: IssueId
    driver: DriverId | None
    vehicle: VehicleId | None
    order: OrderId | None
    title: Title | None
    report: Report
    priority: Priority
    type: IssueKind | None
    category: Category | None
    tags: Tags
    status: IssueStatus
    location: PointOut | None
    resolution: Resolution | None
    resolved_at: Time | None
    meta: Details

    @classmethod
    def from_row(cls, row: Issue, links: IssueLinks) -> Self:
        return to_schema(row, cls, driver=links.driver, vehicle=links.vehicle, order=row.order_id)


class IssueChange(msgspec.Struct, kw_only=True):
    """Changes to an issue. Omitted fields stay, and null clears a field."""

    accepts: ClassVar = ACCEPTED["issue"]
    report: Given[Report] = UNSET
    driver: Clearable[DriverId] = UNSET
    vehicle: Clearable[VehicleId] = UNSET
    order: Clearable[OrderReference] = UNSET
    title: Clearable[Title] = UNSET
    priority: Given[Priority] = UNSET
    type: Clearable[IssueKind] = UNSET
    category: Clearable[Category] = UNSET
    tags: Clearable[Tags] = UNSET
    status: Given[IssueStatus] = UNSET
    location: Clearable[AnyPoint] = UNSET
    meta: Clearable[Details] = UNSET


class IssueIn(IssueChange, kw_only=True):
    """A new issue."""

    report: Report
    priority: Priority = "medium"
    status: IssueStatus = "open"


def parse_columns(change: IssueChange) -> dict[str, Any]:
    """Parse the sent fields into columns. The caller resolves the references."""
    columns = get_sent_columns(change)
    if "location" in columns:
        point = parse_location(columns.pop("location"))
        columns |= {"latitude": point and point.latitude, "longitude": point and point.longitude}
    if "order" in columns:
        columns["order_id"] = columns.pop("order")
    if "tags" in columns:
        columns["tags"] = columns["tags"] or []
    return columns


class IssueFilters(SearchIn, frozen=True, kw_only=True):
    """Filters for the list of issues."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "status", "priority")

    status: Annotated[list[IssueStatus] | None, Meta(description="Any of these.")] = None
    resolved: Annotated[bool | None, Meta(description="Whether it is resolved.")] = None
    priority: Priority | None = None
    type: IssueKind | None = None
    category: Category | None = None
    order: Annotated[OrderReference | None, Meta(description="About this order.")] = None
    tag: Annotated[str | None, Meta(examples=["door"])] = None
    driver: Annotated[DriverId | None, Meta(description="About this driver.")] = None
    vehicle: Annotated[VehicleId | None, Meta(description="About this vehicle.")] = None


class ResolveIn(msgspec.Struct):
    """The resolution of an issue."""

    resolution: Resolution | None = None


accept_response_fields(IssueChange, IssueOut)
