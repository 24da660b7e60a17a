# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.orders`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import OMITTED, Omitted, Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class OrdersDownloadLabelQuery(TypedDict, total=False):
    """Parameters of `download_label`."""

    format: Literal["pdf", "png", "zpl"]
    """`zpl` is for label printers with 203 dpi."""
    size: Literal["4x6", "a4", "a6"]
    """`a6` (105 x 148 mm), `4x6` (inches), or `a4`: four labels on a sheet. ZPL has no sheets."""
    start: int
    """The position of the first label on an `a4` sheet, from left to right. Earlier positions stay
    blank, so that a used sheet can be printed again."""


class OrdersGetQuery(TypedDict, total=False):
    """Parameters of `get`."""

    fields: str | Sequence[str]
    """Return only these fields, up to 20: names of an order's fields, or paths of up to three
    names for those inside, such as `customer.name`, `payload.dropoff.city` or `meta.shop`.
    Separate them with commas, or repeat the parameter. The other fields are left out, even
    those that the schema requires."""
    expand: str | Sequence[str]
    """Inline the whole records of these: `customer`, `driver`, `facilitator`, `order_config`,
    `service_quote`, `transaction` or `vehicle`. `payload` always is. A field with an identifier
    then has the record as an object, and a short form gains the other fields of its record.
    Records of these can be inlined too, such as `driver.vehicle` or `customer.place`; an
    unknown name lists them all. The API key needs the scope to read them, such as
    `drivers:read`. Separate names with commas, or repeat the parameter. Not for drivers."""


class OrdersListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `updated_at`, `status`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search text: any part of the order's numbers, notes, the customer's name, an item, an
    address, or a phone number or e-mail address of the customer or at a stop. Case, accents and
    spacing do not matter. Searches for items, addresses and people find the newest orders of at
    most 1,000 matching records."""
    id: str | Sequence[str]
    """Filter by identifier, tracking number or the company's own number."""
    status: str | Sequence[str]
    """Any of these."""
    type: str
    """The configuration's key."""
    order_config: str
    """An order configuration, by identifier or key. Defaults to the company's."""
    internal_id: str
    """The company's own number. Unique, unless the company allows duplicates."""
    driver: str
    """Assigned to this driver."""
    vehicle: str
    """Assigned to this vehicle."""
    customer: str
    """A contact or vendor, by its identifier."""
    facilitator: str
    """A vendor or contact, by its identifier."""
    payload: str
    """Payload, by UUID or public id."""
    pickup: str
    """Collected at this place."""
    dropoff: str
    """Delivered to this place."""
    tracking: str
    """The tracking number of the order, a stop or an item."""
    price_status: types.PriceStatus | Sequence[types.PriceStatus]
    """Any of these."""
    payment_status: types.OrderPaymentStatus | Sequence[types.OrderPaymentStatus]
    """Any of these."""
    balance: int
    """Exactly this balance."""
    balance_min: int
    """At least this balance, such as 1 for what is owed."""
    balance_max: int
    """At most this balance, such as -1 for credits."""
    pod_required: bool
    """Return only orders that require proof; `false` returns the others."""
    adhoc: bool
    """Return only ad-hoc orders; `false` returns the others."""
    dispatched: bool
    """Return only dispatched orders; `false` returns the others."""
    started: bool
    """Return only started orders; `false` returns the others."""
    active: bool
    """Dispatched, and still open."""
    unassigned: bool
    """Only orders without a driver."""
    scheduled: bool
    """Whether the order is dispatched automatically."""
    attention: bool
    """Open, and late, held or with an issue that is not resolved."""
    late: bool
    """Open, and after the end of its time window, or after its scheduled time while it is not
    dispatched."""
    held: bool
    """Open, and on hold after a failed attempt until somebody decides."""
    failed_on: str
    """A delivery attempt failed on this day in the company's time zone."""
    completed_on: str
    """Completed on this day in the company's time zone."""
    on_time: bool
    """Completed, and whether that was before the end of its time window."""
    forecast: Literal["at_risk", "late"] | Sequence[Literal["at_risk", "late"]]
    """Open, and by the ETA at a stop `late` for its time window, or `at_risk`: less than ten
    minutes before its end."""
    on: str
    """Scheduled for this day in the company's time zone, or created on it when not scheduled."""
    today: bool
    """Open, and under way or due by the end of today in the company's time zone: by its schedule
    or time window, if it has one."""
    since: str | datetime
    """Created at or after this moment."""
    until: str | datetime
    """Created before this moment."""
    scheduled_since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    scheduled_until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    fields: str | Sequence[str]
    """Return only these fields, up to 20: names of an order's fields, or paths of up to three
    names for those inside, such as `customer.name`, `payload.dropoff.city` or `meta.shop`.
    Separate them with commas, or repeat the parameter. The other fields are left out, even
    those that the schema requires."""
    expand: str | Sequence[str]
    """Inline the whole records of these: `customer`, `driver`, `facilitator`, `order_config`,
    `service_quote`, `transaction` or `vehicle`. `payload` always is. A field with an identifier
    then has the record as an object, and a short form gains the other fields of its record.
    Records of these can be inlined too, such as `driver.vehicle` or `customer.place`; an
    unknown name lists them all. The API key needs the scope to read them, such as
    `drivers:read`. Separate names with commas, or repeat the parameter. Not for drivers."""


class OrdersListAssignmentWarningsQuery(TypedDict, total=False):
    """Parameters of `list_assignment_warnings`."""

    driver: str
    """The driver. Defaults to the assigned one."""
    vehicle: str
    """The vehicle. Defaults to the driver's or the assigned one."""


class OrdersListAttemptsQuery(TypedDict, total=False):
    """Parameters of `list_attempts`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""


class OrdersListDriverCandidatesQuery(TypedDict, total=False):
    """Parameters of `list_driver_candidates`."""

    query: str
    """Part of a name or a phone number."""
    limit: int
    """Filter by limit."""


class OrdersListNearbyQuery(TypedDict, total=False):
    """Parameters of `list_nearby`."""

    limit: int
    """Maximum number of results."""


class OrdersListNextActivitiesQuery(TypedDict, total=False):
    """Parameters of `list_next_activities`."""

    waypoint: str
    """Only activities at this stop."""


class OrdersListServiceQuotesQuery(TypedDict, total=False):
    """Parameters of `list_service_quotes`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    state: types.QuoteState
    """Filter by stored state; see also `status`."""


class Orders:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def assign_driver(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.AssignIn]
    ) -> types.AssignedOrderOut:
        """Assign a driver to an order, with the driver's vehicle or another one."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/assign-driver", order_id),
            body=fields,
            options=options,
        )

    def cancel(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.CancelIn]
    ) -> types.OrderOut:
        """Cancel an open order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/cancel", order_id),
            body=fields,
            options=options,
        )

    def capture_photo(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PhotoIn]
    ) -> types.CapturedOut:
        """Attach photos to an order, a stop or an item; without a subject, to the order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-photo", order_id),
            body=fields,
            options=options,
        )

    def capture_photo_for_subject(
        self,
        order_id: str,
        subject_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.PhotoIn],
    ) -> types.CapturedOut:
        """Attach photos to an order, a stop or an item; without a subject, to the order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-photo/{subject_id}", order_id, subject_id),
            body=fields,
            options=options,
        )

    def capture_qr(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ScanIn]
    ) -> types.CapturedOut:
        """Attach a scanned code to an order, a stop or an item; without a subject, to the order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-qr", order_id),
            body=fields,
            options=options,
        )

    def capture_qr_for_subject(
        self,
        order_id: str,
        subject_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ScanIn],
    ) -> types.CapturedOut:
        """Attach a scanned code to an order, a stop or an item; without a subject, to the order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-qr/{subject_id}", order_id, subject_id),
            body=fields,
            options=options,
        )

    def capture_signature(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SignatureIn],
    ) -> types.CapturedOut:
        """Attach a signature to an order, a stop or an item; without a subject, to the order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-signature", order_id),
            body=fields,
            options=options,
        )

    def capture_signature_for_subject(
        self,
        order_id: str,
        subject_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SignatureIn],
    ) -> types.CapturedOut:
        """Attach a signature to an order, a stop or an item; without a subject, to the order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-signature/{subject_id}", order_id, subject_id),
            body=fields,
            options=options,
        )

    def capture_sms(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.SmsIn]
    ) -> types.CapturedOut:
        """Prove a delivery with the SMS code that the recipient gave to the driver."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-sms", order_id),
            body=fields,
            options=options,
        )

    def capture_sms_for_subject(
        self,
        order_id: str,
        subject_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SmsIn],
    ) -> types.CapturedOut:
        """Prove a delivery with the SMS code that the recipient gave to the driver."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-sms/{subject_id}", order_id, subject_id),
            body=fields,
            options=options,
        )

    def collect_cash(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CollectCashIn],
    ) -> types.CashCollectionOut:
        """Record cash on delivery that a driver collected."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/collect-cash", order_id),
            body=fields,
            options=options,
        )

    def complete(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CompleteIn],
    ) -> types.OrderOut:
        """Complete an order when its final activity is next."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/complete", order_id),
            body=fields,
            options=options,
        )

    def create(
        self,
        *,
        return_: str | types.PlaceIn | types.GeoJsonPoint | Sequence[float] | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.OrderIn],
    ) -> types.OrderOut:
        """Create an order."""
        return self._transport.call(
            "POST", "/v1/orders", body={**fields, "return": return_}, options=options
        )

    def create_batch(
        self, *, options: Options | None = None, **fields: Unpack[types.OrderBatchIn]
    ) -> types.OrderBatchOut:
        """Create up to 500 orders."""
        return self._transport.call("POST", "/v1/orders/batch", body=fields, options=options)

    def create_charge(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ChargeIn]
    ) -> types.OrderChargesOut:
        """Charge an order, or credit it with a negative amount."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/charges", order_id),
            body=fields,
            options=options,
        )

    def delete(self, order_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete an order."""
        return self._transport.call(
            "DELETE", fill_path("/v1/orders/{order_id}", order_id), options=options
        )

    def delete_simulate(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.SimulationOut:
        """Stop the simulation of an order."""
        return self._transport.call(
            "DELETE", fill_path("/v1/orders/{order_id}/simulate", order_id), options=options
        )

    def dispatch(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DispatchIn],
    ) -> types.OrderOut:
        """Dispatch an order to its driver."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/dispatch", order_id),
            body=fields,
            options=options,
        )

    def download_label(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersDownloadLabelQuery],
    ) -> bytes:
        """Download the shipping label of an order, for its last stop."""
        return self._transport.download(
            fill_path("/v1/orders/{order_id}/label", order_id), query=query, options=options
        )

    def download_proof_sheet_pdf(
        self, order_id: str, /, *, options: Options | None = None
    ) -> bytes:
        """Render the proofs of an order as PDF, with at least one page for each stop."""
        return self._transport.download(
            fill_path("/v1/orders/{order_id}/proof-sheet.pdf", order_id), options=options
        )

    def download_proofs_csv(self, order_id: str, /, *, options: Options | None = None) -> bytes:
        """List the proofs of an order as CSV."""
        return self._transport.download(
            fill_path("/v1/orders/{order_id}/proofs.csv", order_id), options=options
        )

    def download_proofs_zip(self, order_id: str, /, *, options: Options | None = None) -> bytes:
        """Download an order's proofs and images as a ZIP file, for independent verification."""
        return self._transport.download(
            fill_path("/v1/orders/{order_id}/proofs.zip", order_id), options=options
        )

    def duplicate(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DuplicateIn],
    ) -> types.OrderOut:
        """Create an order like this one: the same route, items, customer, options and flow."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/duplicate", order_id),
            body=fields,
            options=options,
        )

    def fail_attempt(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.AttemptIn]
    ) -> types.OrderOut:
        """Report a failed delivery attempt."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/fail-attempt", order_id),
            body=fields,
            options=options,
        )

    def find_best_drivers(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.BestDriversIn],
    ) -> builtins.list[types.BestDriverOut]:
        """Find the drivers whose routes an order fits best."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/best-drivers", order_id),
            body=fields,
            options=options,
        )

    def get(
        self, order_id: str, /, *, options: Options | None = None, **query: Unpack[OrdersGetQuery]
    ) -> types.OrderOut:
        """Retrieve an order."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}", order_id), query=query, options=options
        )

    def get_charges(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.OrderChargesOut:
        """Show the account of an order: charges, payments and what is still owed."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/charges", order_id), options=options
        )

    def get_distance_and_time(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.RouteOut:
        """Calculate the distance and duration of the current route."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/distance-and-time", order_id), options=options
        )

    def get_flow(self, order_id: str, /, *, options: Options | None = None) -> types.FlowOut:
        """Retrieve the flow of an order and of its stops, with the proofs they need."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/flow", order_id), options=options
        )

    def get_route(self, order_id: str, /, *, options: Options | None = None) -> types.OrderRouteOut:
        """Retrieve the lines of an order's route along streets."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/route", order_id), options=options
        )

    def get_simulate(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.SimulationOut:
        """Retrieve the latest simulation of an order."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/simulate", order_id), options=options
        )

    def get_tracker(self, order_id: str, /, *, options: Options | None = None) -> types.Tracked:
        """Retrieve the position, progress and ETA of an order."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/tracker", order_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[OrdersListQuery]
    ) -> Pages[types.OrderOut]:
        """List orders."""
        return self._transport.list_pages("/v1/orders", query=query, options=options)

    def list_assignment_warnings(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListAssignmentWarningsQuery],
    ) -> builtins.list[types.AssignmentWarning]:
        """List warnings about the assigned driver and vehicle, or about the given ones."""
        return self._transport.call(
            "GET",
            fill_path("/v1/orders/{order_id}/assignment-warnings", order_id),
            query=query,
            options=options,
        )

    def list_attempts(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListAttemptsQuery],
    ) -> Pages[types.DeliveryAttemptOut]:
        """List the failed attempts of an order, newest first."""
        return self._transport.list_pages(
            fill_path("/v1/orders/{order_id}/attempts", order_id), query=query, options=options
        )

    def list_driver_candidates(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListDriverCandidatesQuery],
    ) -> builtins.list[types.CandidateOut]:
        """List drivers for an order, nearest first, with their work, vehicle, shifts and warnings."""
        return self._transport.call(
            "GET",
            fill_path("/v1/orders/{order_id}/driver-candidates", order_id),
            query=query,
            options=options,
        )

    def list_nearby(
        self, *, options: Options | None = None, **query: Unpack[OrdersListNearbyQuery]
    ) -> builtins.list[types.OfferOut]:
        """List the open ad-hoc orders near the driver, nearest first."""
        return self._transport.call("GET", "/v1/orders/nearby", query=query, options=options)

    def list_next_activities(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListNextActivitiesQuery],
    ) -> builtins.list[types.NextActivity]:
        """List the activities that may fire now, and the proofs they still need."""
        return self._transport.call(
            "GET",
            fill_path("/v1/orders/{order_id}/next-activity", order_id),
            query=query,
            options=options,
        )

    def list_proofs(
        self, order_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.ProofOut]:
        """List the proofs of an order, a stop or an item, in the order they were received."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/proofs", order_id), options=options
        )

    def list_proofs_for_subject(
        self, order_id: str, subject_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.ProofOut]:
        """List the proofs of an order, a stop or an item, in the order they were received."""
        return self._transport.call(
            "GET",
            fill_path("/v1/orders/{order_id}/proofs/{subject_id}", order_id, subject_id),
            options=options,
        )

    def list_returnable_items(
        self, order_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.ReturnableItem]:
        """List the items of an order, and how many pieces of each can still be returned."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/returnable-items", order_id), options=options
        )

    def list_service_quotes(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListServiceQuotesQuery],
    ) -> Pages[types.OrderQuoteOut]:
        """List the quotes of an order, newest first, including replaced ones."""
        return self._transport.list_pages(
            fill_path("/v1/orders/{order_id}/service-quotes", order_id),
            query=query,
            options=options,
        )

    def optimize(self, order_id: str, /, *, options: Options | None = None) -> types.OrderOut:
        """Sort the stops of an order that has not started, to save time."""
        return self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/optimize", order_id), options=options
        )

    def renew_service_quotes(
        self, order_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.OrderQuoteOut]:
        """Reprice an order and list its new quotes, cheapest first."""
        return self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/service-quotes", order_id), options=options
        )

    def reopen(self, order_id: str, /, *, options: Options | None = None) -> types.OrderOut:
        """Reopen a canceled order."""
        return self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/reopen", order_id), options=options
        )

    def resume_attempt(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DecisionIn],
    ) -> types.OrderOut:
        """Decide what happens after a failed delivery attempt."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/resume-attempt", order_id),
            body=fields,
            options=options,
        )

    def return_(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ReturnIn]
    ) -> types.OrderOut:
        """Create an order that brings delivered items back to where they were picked up."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/return", order_id),
            body=fields,
            options=options,
        )

    def schedule(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ScheduleIn],
    ) -> types.OrderOut:
        """Set the auto-dispatch time of an order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/schedule", order_id),
            body=fields,
            options=options,
        )

    def send_sms_code(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.ProofCodeSent:
        """Send an SMS code to the stop's contact or the order's customer."""
        return self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/send-sms-code", order_id), options=options
        )

    def send_sms_code_for_subject(
        self, order_id: str, subject_id: str, /, *, options: Options | None = None
    ) -> types.ProofCodeSent:
        """Send an SMS code to the stop's contact or the order's customer."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/send-sms-code/{subject_id}", order_id, subject_id),
            options=options,
        )

    def set_destination(
        self, order_id: str, stop_id: str, /, *, options: Options | None = None
    ) -> types.OrderOut:
        """Set the next stop, by waypoint or by place."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/set-destination/{stop_id}", order_id, stop_id),
            options=options,
        )

    def simulate(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SimulateIn],
    ) -> types.SimulationOut:
        """Let a robot deliver an order of a test company."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/simulate", order_id),
            body=fields,
            options=options,
        )

    def start(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.StartIn]
    ) -> types.OrderOut:
        """Start an order."""
        return self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/start", order_id), body=fields, options=options
        )

    def take(self, order_id: str, /, *, options: Options | None = None) -> types.OrderOut:
        """Take an offered ad-hoc order."""
        return self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/take", order_id), options=options
        )

    def unassign_driver(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.OrderOut:
        """Unassign the driver of an order before it is dispatched."""
        return self._transport.call(
            "DELETE", fill_path("/v1/orders/{order_id}/assign-driver", order_id), options=options
        )

    def update(
        self,
        order_id: str,
        /,
        *,
        return_: str
        | types.PlaceIn
        | types.GeoJsonPoint
        | Sequence[float]
        | None
        | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.OrderChange],
    ) -> types.OrderOut:
        """Update an order."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/orders/{order_id}", order_id),
            body={**fields, "return": return_},
            options=options,
        )

    def update_activity(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ActivityIn],
    ) -> types.OrderOut:
        """Fire the next activity."""
        return self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/update-activity", order_id),
            body=fields,
            options=options,
        )

    def verify_proofs(self, order_id: str, /, *, options: Options | None = None) -> types.ChainOut:
        """Verify that the proofs of an order are complete and unchanged."""
        return self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/verify-proofs", order_id), options=options
        )


class AsyncOrders:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def assign_driver(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.AssignIn]
    ) -> types.AssignedOrderOut:
        """Assign a driver to an order, with the driver's vehicle or another one."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/assign-driver", order_id),
            body=fields,
            options=options,
        )

    async def cancel(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.CancelIn]
    ) -> types.OrderOut:
        """Cancel an open order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/cancel", order_id),
            body=fields,
            options=options,
        )

    async def capture_photo(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.PhotoIn]
    ) -> types.CapturedOut:
        """Attach photos to an order, a stop or an item; without a subject, to the order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-photo", order_id),
            body=fields,
            options=options,
        )

    async def capture_photo_for_subject(
        self,
        order_id: str,
        subject_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.PhotoIn],
    ) -> types.CapturedOut:
        """Attach photos to an order, a stop or an item; without a subject, to the order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-photo/{subject_id}", order_id, subject_id),
            body=fields,
            options=options,
        )

    async def capture_qr(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ScanIn]
    ) -> types.CapturedOut:
        """Attach a scanned code to an order, a stop or an item; without a subject, to the order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-qr", order_id),
            body=fields,
            options=options,
        )

    async def capture_qr_for_subject(
        self,
        order_id: str,
        subject_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ScanIn],
    ) -> types.CapturedOut:
        """Attach a scanned code to an order, a stop or an item; without a subject, to the order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-qr/{subject_id}", order_id, subject_id),
            body=fields,
            options=options,
        )

    async def capture_signature(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SignatureIn],
    ) -> types.CapturedOut:
        """Attach a signature to an order, a stop or an item; without a subject, to the order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-signature", order_id),
            body=fields,
            options=options,
        )

    async def capture_signature_for_subject(
        self,
        order_id: str,
        subject_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SignatureIn],
    ) -> types.CapturedOut:
        """Attach a signature to an order, a stop or an item; without a subject, to the order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-signature/{subject_id}", order_id, subject_id),
            body=fields,
            options=options,
        )

    async def capture_sms(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.SmsIn]
    ) -> types.CapturedOut:
        """Prove a delivery with the SMS code that the recipient gave to the driver."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-sms", order_id),
            body=fields,
            options=options,
        )

    async def capture_sms_for_subject(
        self,
        order_id: str,
        subject_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SmsIn],
    ) -> types.CapturedOut:
        """Prove a delivery with the SMS code that the recipient gave to the driver."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/capture-sms/{subject_id}", order_id, subject_id),
            body=fields,
            options=options,
        )

    async def collect_cash(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CollectCashIn],
    ) -> types.CashCollectionOut:
        """Record cash on delivery that a driver collected."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/collect-cash", order_id),
            body=fields,
            options=options,
        )

    async def complete(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CompleteIn],
    ) -> types.OrderOut:
        """Complete an order when its final activity is next."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/complete", order_id),
            body=fields,
            options=options,
        )

    async def create(
        self,
        *,
        return_: str | types.PlaceIn | types.GeoJsonPoint | Sequence[float] | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.OrderIn],
    ) -> types.OrderOut:
        """Create an order."""
        return await self._transport.call(
            "POST", "/v1/orders", body={**fields, "return": return_}, options=options
        )

    async def create_batch(
        self, *, options: Options | None = None, **fields: Unpack[types.OrderBatchIn]
    ) -> types.OrderBatchOut:
        """Create up to 500 orders."""
        return await self._transport.call("POST", "/v1/orders/batch", body=fields, options=options)

    async def create_charge(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ChargeIn]
    ) -> types.OrderChargesOut:
        """Charge an order, or credit it with a negative amount."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/charges", order_id),
            body=fields,
            options=options,
        )

    async def delete(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete an order."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/orders/{order_id}", order_id), options=options
        )

    async def delete_simulate(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.SimulationOut:
        """Stop the simulation of an order."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/orders/{order_id}/simulate", order_id), options=options
        )

    async def dispatch(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DispatchIn],
    ) -> types.OrderOut:
        """Dispatch an order to its driver."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/dispatch", order_id),
            body=fields,
            options=options,
        )

    async def download_label(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersDownloadLabelQuery],
    ) -> bytes:
        """Download the shipping label of an order, for its last stop."""
        return await self._transport.download(
            fill_path("/v1/orders/{order_id}/label", order_id), query=query, options=options
        )

    async def download_proof_sheet_pdf(
        self, order_id: str, /, *, options: Options | None = None
    ) -> bytes:
        """Render the proofs of an order as PDF, with at least one page for each stop."""
        return await self._transport.download(
            fill_path("/v1/orders/{order_id}/proof-sheet.pdf", order_id), options=options
        )

    async def download_proofs_csv(
        self, order_id: str, /, *, options: Options | None = None
    ) -> bytes:
        """List the proofs of an order as CSV."""
        return await self._transport.download(
            fill_path("/v1/orders/{order_id}/proofs.csv", order_id), options=options
        )

    async def download_proofs_zip(
        self, order_id: str, /, *, options: Options | None = None
    ) -> bytes:
        """Download an order's proofs and images as a ZIP file, for independent verification."""
        return await self._transport.download(
            fill_path("/v1/orders/{order_id}/proofs.zip", order_id), options=options
        )

    async def duplicate(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DuplicateIn],
    ) -> types.OrderOut:
        """Create an order like this one: the same route, items, customer, options and flow."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/duplicate", order_id),
            body=fields,
            options=options,
        )

    async def fail_attempt(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.AttemptIn]
    ) -> types.OrderOut:
        """Report a failed delivery attempt."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/fail-attempt", order_id),
            body=fields,
            options=options,
        )

    async def find_best_drivers(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.BestDriversIn],
    ) -> builtins.list[types.BestDriverOut]:
        """Find the drivers whose routes an order fits best."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/best-drivers", order_id),
            body=fields,
            options=options,
        )

    async def get(
        self, order_id: str, /, *, options: Options | None = None, **query: Unpack[OrdersGetQuery]
    ) -> types.OrderOut:
        """Retrieve an order."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}", order_id), query=query, options=options
        )

    async def get_charges(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.OrderChargesOut:
        """Show the account of an order: charges, payments and what is still owed."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/charges", order_id), options=options
        )

    async def get_distance_and_time(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.RouteOut:
        """Calculate the distance and duration of the current route."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/distance-and-time", order_id), options=options
        )

    async def get_flow(self, order_id: str, /, *, options: Options | None = None) -> types.FlowOut:
        """Retrieve the flow of an order and of its stops, with the proofs they need."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/flow", order_id), options=options
        )

    async def get_route(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.OrderRouteOut:
        """Retrieve the lines of an order's route along streets."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/route", order_id), options=options
        )

    async def get_simulate(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.SimulationOut:
        """Retrieve the latest simulation of an order."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/simulate", order_id), options=options
        )

    async def get_tracker(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.Tracked:
        """Retrieve the position, progress and ETA of an order."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/tracker", order_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[OrdersListQuery]
    ) -> AsyncPages[types.OrderOut]:
        """List orders."""
        return self._transport.list_pages("/v1/orders", query=query, options=options)

    async def list_assignment_warnings(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListAssignmentWarningsQuery],
    ) -> builtins.list[types.AssignmentWarning]:
        """List warnings about the assigned driver and vehicle, or about the given ones."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/orders/{order_id}/assignment-warnings", order_id),
            query=query,
            options=options,
        )

    def list_attempts(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListAttemptsQuery],
    ) -> AsyncPages[types.DeliveryAttemptOut]:
        """List the failed attempts of an order, newest first."""
        return self._transport.list_pages(
            fill_path("/v1/orders/{order_id}/attempts", order_id), query=query, options=options
        )

    async def list_driver_candidates(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListDriverCandidatesQuery],
    ) -> builtins.list[types.CandidateOut]:
        """List drivers for an order, nearest first, with their work, vehicle, shifts and warnings."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/orders/{order_id}/driver-candidates", order_id),
            query=query,
            options=options,
        )

    async def list_nearby(
        self, *, options: Options | None = None, **query: Unpack[OrdersListNearbyQuery]
    ) -> builtins.list[types.OfferOut]:
        """List the open ad-hoc orders near the driver, nearest first."""
        return await self._transport.call("GET", "/v1/orders/nearby", query=query, options=options)

    async def list_next_activities(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListNextActivitiesQuery],
    ) -> builtins.list[types.NextActivity]:
        """List the activities that may fire now, and the proofs they still need."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/orders/{order_id}/next-activity", order_id),
            query=query,
            options=options,
        )

    async def list_proofs(
        self, order_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.ProofOut]:
        """List the proofs of an order, a stop or an item, in the order they were received."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/proofs", order_id), options=options
        )

    async def list_proofs_for_subject(
        self, order_id: str, subject_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.ProofOut]:
        """List the proofs of an order, a stop or an item, in the order they were received."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/orders/{order_id}/proofs/{subject_id}", order_id, subject_id),
            options=options,
        )

    async def list_returnable_items(
        self, order_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.ReturnableItem]:
        """List the items of an order, and how many pieces of each can still be returned."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/returnable-items", order_id), options=options
        )

    def list_service_quotes(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[OrdersListServiceQuotesQuery],
    ) -> AsyncPages[types.OrderQuoteOut]:
        """List the quotes of an order, newest first, including replaced ones."""
        return self._transport.list_pages(
            fill_path("/v1/orders/{order_id}/service-quotes", order_id),
            query=query,
            options=options,
        )

    async def optimize(self, order_id: str, /, *, options: Options | None = None) -> types.OrderOut:
        """Sort the stops of an order that has not started, to save time."""
        return await self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/optimize", order_id), options=options
        )

    async def renew_service_quotes(
        self, order_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.OrderQuoteOut]:
        """Reprice an order and list its new quotes, cheapest first."""
        return await self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/service-quotes", order_id), options=options
        )

    async def reopen(self, order_id: str, /, *, options: Options | None = None) -> types.OrderOut:
        """Reopen a canceled order."""
        return await self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/reopen", order_id), options=options
        )

    async def resume_attempt(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DecisionIn],
    ) -> types.OrderOut:
        """Decide what happens after a failed delivery attempt."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/resume-attempt", order_id),
            body=fields,
            options=options,
        )

    async def return_(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ReturnIn]
    ) -> types.OrderOut:
        """Create an order that brings delivered items back to where they were picked up."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/return", order_id),
            body=fields,
            options=options,
        )

    async def schedule(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ScheduleIn],
    ) -> types.OrderOut:
        """Set the auto-dispatch time of an order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/schedule", order_id),
            body=fields,
            options=options,
        )

    async def send_sms_code(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.ProofCodeSent:
        """Send an SMS code to the stop's contact or the order's customer."""
        return await self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/send-sms-code", order_id), options=options
        )

    async def send_sms_code_for_subject(
        self, order_id: str, subject_id: str, /, *, options: Options | None = None
    ) -> types.ProofCodeSent:
        """Send an SMS code to the stop's contact or the order's customer."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/send-sms-code/{subject_id}", order_id, subject_id),
            options=options,
        )

    async def set_destination(
        self, order_id: str, stop_id: str, /, *, options: Options | None = None
    ) -> types.OrderOut:
        """Set the next stop, by waypoint or by place."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/set-destination/{stop_id}", order_id, stop_id),
            options=options,
        )

    async def simulate(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SimulateIn],
    ) -> types.SimulationOut:
        """Let a robot deliver an order of a test company."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/simulate", order_id),
            body=fields,
            options=options,
        )

    async def start(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.StartIn]
    ) -> types.OrderOut:
        """Start an order."""
        return await self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/start", order_id), body=fields, options=options
        )

    async def take(self, order_id: str, /, *, options: Options | None = None) -> types.OrderOut:
        """Take an offered ad-hoc order."""
        return await self._transport.call(
            "POST", fill_path("/v1/orders/{order_id}/take", order_id), options=options
        )

    async def unassign_driver(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.OrderOut:
        """Unassign the driver of an order before it is dispatched."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/orders/{order_id}/assign-driver", order_id), options=options
        )

    async def update(
        self,
        order_id: str,
        /,
        *,
        return_: str
        | types.PlaceIn
        | types.GeoJsonPoint
        | Sequence[float]
        | None
        | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.OrderChange],
    ) -> types.OrderOut:
        """Update an order."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/orders/{order_id}", order_id),
            body={**fields, "return": return_},
            options=options,
        )

    async def update_activity(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ActivityIn],
    ) -> types.OrderOut:
        """Fire the next activity."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/orders/{order_id}/update-activity", order_id),
            body=fields,
            options=options,
        )

    async def verify_proofs(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.ChainOut:
        """Verify that the proofs of an order are complete and unchanged."""
        return await self._transport.call(
            "GET", fill_path("/v1/orders/{order_id}/verify-proofs", order_id), options=options
        )
