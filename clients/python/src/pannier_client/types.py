# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The bodies of requests and responses, by their names in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NotRequired, Required, TypeAlias, TypedDict

from pannier_client.requests import Omitted, Options


class AcceptIn(TypedDict):
    """The order and the payer of an accepted quote."""

    order: NotRequired[str]
    """The order. Not needed for a quote of an order."""
    customer: NotRequired[str]
    """The payer. Defaults to the order's customer."""
    return_url: NotRequired[str]
    """`https://` URL to which the payer returns. Query parameters `transaction` and `checkout`
    (`done` or `canceled`) are added. The transaction has the actual state."""


class AccountClosed(TypedDict):
    """The account is closed."""

    status: str
    closed_at: str
    erase_at: str
    erasure_at: str
    """Deprecated: use `erase_at`."""


class AccountExport(TypedDict):
    """An account at a payment gateway."""

    gateway: str
    account: str
    created_at: str


class Activity(TypedDict):
    """One step of a flow."""

    code: str
    status: NotRequired[str]
    """Label for people."""
    details: NotRequired[str]
    sequence: NotRequired[int]
    """Defaults to `0`."""
    next: NotRequired[list[str]]
    """Codes of the activities that may follow. Defaults to `[]`."""
    complete: NotRequired[bool]
    """Whether it ends the order or stop. Defaults to `false`."""
    pod_method: NotRequired[ProofMethod | None]
    require_pod: NotRequired[bool]
    """Defaults to `false`."""
    pod_scope: NotRequired[ProofSubjectType]
    """Defaults to `"order"`."""
    scan_mismatch: NotRequired[ScanMismatch | None]
    """A scan that matches none of the subject's codes is rejected (`refuse`), or accepted with a
    reason and a photo (`explain`). By default, the driver app rejects it, and the API stores it
    as unmatched unless items declare codes."""
    at: NotRequired[Literal["pickup"] | None]
    """`pickup` for a step at the pickup, which other stops leave out."""
    events: NotRequired[list[str]]
    """Defaults to `[]`."""
    color: NotRequired[str | None]


class ActivityAhead(TypedDict):
    """An activity of the order or of a stop, and the proofs it requires."""

    code: str
    status: str
    details: str
    sequence: int
    next: list[str]
    """Codes of the activities that may follow."""
    complete: bool
    """Whether it ends the order or stop."""
    pod_method: ProofMethod | None
    require_pod: bool
    pod_scope: ProofSubjectType
    scan_mismatch: ScanMismatch | None
    at: Literal["pickup"] | None
    """`pickup` for a step at the pickup."""
    color: str | None
    demands: list[DemandAhead]


class ActivityIn(TypedDict):
    """An activity to fire."""

    activity: str | ActivityNamed
    waypoint: NotRequired[str]
    """The stop. Defaults to the current one."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """The point where it happened. Defaults to the driver's position."""
    skip_dispatch: NotRequired[bool]
    """Defaults to `false`."""
    occurred_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""


class ActivityNamed(TypedDict):
    """An activity as `next-activity` returns it. Only its code is read."""

    code: str


class ActorOut(TypedDict):
    """The person or program behind a change."""

    kind: Literal[
        "command", "customer", "device", "driver", "key", "operator", "stranger", "worker"
    ]
    """Kind of actor."""
    id: str
    """Public id of the actor."""
    name: str
    """Name at that time."""


class AddressOut(TypedDict):
    """An address, with its coordinates."""

    label: str
    """On one line."""
    street1: str | None
    """Street and house number."""
    city: str | None
    postal_code: str | None
    country: str | None
    """ISO 3166, two letters."""
    location: GeoJsonPoint
    """A GeoJSON point."""
    quality: AddressQuality
    """Precision of the point."""


AddressQuality: TypeAlias = "Literal['house', 'locality', 'region', 'street']"


class AgeingOut(TypedDict):
    """What a customer still has to pay in one currency, by days since the due date."""

    customer: str
    """A customer, contact or vendor."""
    customer_type: PartnerType
    name: str
    """Its present name."""
    currency: str
    """ISO 4217."""
    invoices: int
    """The number of open invoices."""
    not_due: int
    """In whole minor units."""
    days_1_30: int
    """In whole minor units."""
    days_31_60: int
    """In whole minor units."""
    days_61_90: int
    """In whole minor units."""
    over_90_days: int
    """In whole minor units."""
    total: int
    """In whole minor units."""
    oldest_due_date: str | None


class AlertOut(TypedDict):
    """An alert about a record."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    kind: Literal[
        "delivery_failed", "device_silent", "late", "sos", "temperature", "webhook_disabled"
    ]
    subject: str
    """Public id of the order, driver, device, vehicle or webhook."""
    occurrences: int
    """How often the cause has occurred since the alert was opened."""
    details: JsonObject
    """What is known about the cause."""
    raised_at: str
    """Time of the latest cause."""
    closed_at: str | None
    """When the cause ended."""
    acknowledged_at: str | None
    """When an operator began to take care of it."""
    acknowledged_by: str | None
    """The operator's name."""


class AlertRule(TypedDict):
    """How an operator hears of a kind of alert."""

    list: bool
    """In the list and the count of the bell."""
    desktop: bool
    """Notification on the desktop."""
    sound: bool
    """Sound in an open page of the console."""


class AlertRuleChange(TypedDict):
    """A change of how an operator hears of a kind of alert. Omitted fields stay."""

    list: NotRequired[bool]
    desktop: NotRequired[bool]
    sound: NotRequired[bool]


class AlertRulesChange(TypedDict):
    """Changed rules. Omitted kinds and fields stay."""

    sos: NotRequired[AlertRuleChange]
    delivery_failed: NotRequired[AlertRuleChange]
    late: NotRequired[AlertRuleChange]
    temperature: NotRequired[AlertRuleChange]
    device_silent: NotRequired[AlertRuleChange]
    webhook_disabled: NotRequired[AlertRuleChange]


class AlertRulesOut(TypedDict):
    """How the operator hears of each kind of alert."""

    sos: AlertRule
    delivery_failed: AlertRule
    late: AlertRule
    temperature: AlertRule
    device_silent: AlertRule
    webhook_disabled: AlertRule


class AppLinkOut(TypedDict):
    """The link to the driver app."""

    link: str
    last_opened_at: str | None
    """When the driver's app last contacted the server."""
    test_code: str | None
    """The code of test numbers. Null for other numbers."""


class AppLinkSent(TypedDict):
    """The recipient of the link."""

    channel: CodeChannel
    sent_to: str


AppPlatform: TypeAlias = "Literal['android', 'ios', 'web']"


class AppleLogin(TypedDict):
    """A sign-in with provider A, as existing apps send it."""

    identityToken: str
    authorizationCode: NotRequired[str]
    name: NotRequired[str]
    """Used on the first sign-in only."""
    nonce: NotRequired[str]
    """The nonce that the app gave the provider, if any."""
    appleUserId: str
    """The provider's id of the user."""


class AreaChange(TypedDict):
    """Changes to a service area. Omitted fields stay; null clears a field."""

    name: NotRequired[str]
    type: NotRequired[str | None]
    border: NotRequired[GeoJsonMultiPolygon | GeoJsonPolygon]
    """A GeoJSON Polygon or MultiPolygon. Responses contain a MultiPolygon."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text."""
    radius: NotRequired[float]
    """Metres around `location`, instead of a border."""
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    color: NotRequired[str | None]
    """Hexadecimal, or a color name."""
    stroke_color: NotRequired[str | None]
    """Hexadecimal, or a color name."""
    status: NotRequired[RecordStatus]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    tax_rate: NotRequired[float | None]
    """Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
    service area's."""


class AreaIn(TypedDict):
    """A new service area, with a border, or with a point and a radius."""

    name: str
    type: NotRequired[str | None]
    border: NotRequired[GeoJsonMultiPolygon | GeoJsonPolygon]
    """A GeoJSON Polygon or MultiPolygon. Responses contain a MultiPolygon."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text."""
    radius: NotRequired[float]
    """Metres around `location`, instead of a border."""
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    color: NotRequired[str | None]
    """Hexadecimal, or a color name."""
    stroke_color: NotRequired[str | None]
    """Hexadecimal, or a color name."""
    status: NotRequired[RecordStatus]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    tax_rate: NotRequired[float | None]
    """Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
    service area's."""


class AreaOut(TypedDict):
    """A service area."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str
    type: str | None
    center: GeoJsonPoint
    """A GeoJSON point."""
    country: str | None
    """ISO 3166, two letters."""
    color: str | None
    """Hexadecimal, or a color name."""
    stroke_color: str | None
    """Hexadecimal, or a color name."""
    status: RecordStatus
    meta: JsonObject
    """The company's own data, up to 16 KiB."""
    border: GeoJsonMultiPolygon | GeoJsonPolygon
    """A GeoJSON Polygon or MultiPolygon. Responses contain a MultiPolygon."""
    tax_rate: float | None
    """Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
    service area's."""


class AssignIn(TypedDict):
    """The driver and vehicle of an order. Null unassigns the driver."""

    driver: str | None
    vehicle: NotRequired[str | None]
    """The vehicle. Defaults to the driver's own."""


class AssignedOrderOut(TypedDict):
    """An order, with warnings about its driver and vehicle."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    time_window_start: str | None
    time_window_end: str | None
    notes: str | None
    pod_required: bool
    pod_method: ProofMethod | None
    attempts: int
    """Number of failed attempts."""
    undelivered: Undelivered | None
    """Result of failed attempts: `hold` waits for a decision, `return` goes back."""
    delivery_instructions: DeliveryInstructions | None
    """The recipient's instructions. Null if the recipient gave none."""
    rating: DeliveryRating | None
    """The recipient's rating. Null without one, and for drivers."""
    internal_id: str | None
    """The company's own number. Unique, unless the company allows duplicates."""
    order_config: str
    type: str
    status: str
    payload: PayloadOut
    current_waypoint: str | None
    customer: OrderPartnerOut | None
    customer_type: PartnerType | None
    facilitator: OrderPartnerOut | None
    facilitator_type: PartnerType | None
    driver: OrderDriverOut | None
    driver_assigned: OrderDriverOut | None
    """Deprecated: use `driver`."""
    vehicle: OrderVehicleOut | None
    vehicle_assigned: OrderVehicleOut | None
    """Deprecated: use `vehicle`."""
    tracking: str
    tracking_number: OrderNumberOut
    """The record of the tracking number."""
    tracking_url: str | None
    """The recipient's tracking page. Give the link only to the recipient. Null for drivers."""
    cod_amount: int | None
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: str | None
    """ISO 4217, three letters."""
    cod_payment_method: CodMethod | None
    cash_to_collect: CashToCollectOut | None
    """The cash of the whole order, with that of its stops and items."""
    dispatched: bool
    started: bool
    required_skills: list[str]
    """Skills that the driver needs."""
    adhoc: bool
    adhoc_distance: int | None
    """Metres."""
    distance: int | None
    """Metres."""
    time: int | None
    """Seconds."""
    route_source: DistanceSource | None
    """Source of the distance: a routing engine, or the great circle with a detour factor."""
    service_quote: str | None
    """The accepted quote."""
    transaction: str | None
    """The first transaction. `GET /v1/transactions?order=` lists all."""
    price_status: PriceStatus
    """`unpriced`: no price, so nothing is owed; `priced`: it has quotes to choose from;
    `accepted`: a quote was accepted and is owed."""
    payment_status: OrderPaymentStatus
    """`none`: nothing is owed; `refunded`: everything that was paid went back; `overpaid`: more
    was recorded by hand than was owed."""
    balance: int | None
    """The amount still owed, in minor units. Below zero, it is a credit. Null for drivers."""
    currency: str | None
    """The currency of its transactions."""
    return_of: str | None
    """The delivered order whose items this one brings back."""
    returns: list[str]
    """The returns of this order, including canceled and deleted ones."""
    scheduled_at: str | None
    dispatched_at: str | None
    started_at: str | None
    completed_at: str | None
    canceled_at: str | None
    cancel_reason: str | None
    meta: JsonObject
    """The company's own data, up to 16 KiB."""
    warnings: list[AssignmentWarning]


class AssignmentWarning(TypedDict):
    """A reason why a driver or a vehicle may not suit an order. It prevents nothing."""

    code: Literal["capacity_exceeded", "driver_off_shift", "skills_missing"]
    """Code of the warning."""
    message: str
    """Sentence for the dispatcher."""


class AttachIn(TypedDict):
    """The vehicle to attach a device to."""

    vehicle: str
    since: NotRequired[str | datetime]
    """Start of the attachment. Defaults to now. Events are assigned by their own time."""


class AttachmentOut(TypedDict):
    """A period in which a device was on a vehicle; without an end it still is."""

    vehicle: str
    vehicle_uuid: str
    since: str
    until: str | None
    """Null while the device is attached."""


class AttemptExport(TypedDict):
    """A failed delivery attempt to the person."""

    number: int
    label: str
    remarks: str | None
    location: PointOut | None
    occurred_at: str


class AttemptIn(TypedDict):
    """A failed delivery attempt and its reason."""

    reason: str
    """The code of one of the order configuration's reasons."""
    remarks: NotRequired[str]
    """For the company; recipients never see them."""
    waypoint: NotRequired[str]
    """The stop. Defaults to the current one."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """The point where it happened. Defaults to the driver's position."""
    occurred_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""
    then: NotRequired[UndeliveredDecision]
    """Overrides what the reason defines as the next step. Not for drivers."""


class AttemptOut(TypedDict):
    """One request of a delivery."""

    id: str
    number: int
    trigger: Literal["event", "ping", "replay", "retry"]
    outcome: Literal[
        "blocked",
        "connect",
        "disconnected",
        "dns",
        "internal",
        "interrupted",
        "malformed",
        "refused",
        "sending",
        "succeeded",
        "timeout",
        "tls",
    ]
    """`sending` while in flight."""
    started_at: str
    finished_at: str | None
    duration_ms: float | None
    """Milliseconds."""
    phases: dict[str, float] | None
    """Milliseconds by phase: `dns`, `connect`, `tls`, `wait` for the head of the response, `read`
    of its body, `total`. Phases that were not needed are omitted."""
    status: int | None
    error: str | None
    """Error message."""
    remote_address: str | None
    request_headers: dict[str, str] | None
    """Values of your own headers are masked."""
    response_headers: list[list[str]] | None
    """Names and values, in order."""
    response_body: str | None
    """First 16 KiB, decoded as UTF-8."""
    response_cut: bool
    """Whether the body was longer."""


class AuditOut(TypedDict):
    """One change in the audit log."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    actor_type: Literal[
        "command", "customer", "device", "driver", "key", "operator", "stranger", "worker"
    ]
    actor: str
    actor_name: str
    action: str
    subject: str
    details: JsonObject
    before: JsonObject
    """The changed fields before the change."""
    after: JsonObject
    """The changed fields after the change."""
    request_id: str
    address: str


BalanceKind: TypeAlias = "Literal['credit', 'owed']"


class Band(TypedDict):
    """The fee of stops, kilograms or cubic metres from `min` to `max`. No `max` means no limit.
    For stops, `max` is inclusive. For weights and volumes, it belongs to the next band."""

    min: float
    max: float | None
    fee: int


class BatchFieldError(TypedDict):
    """An invalid field of an order in a batch."""

    path: str
    message: str


class BatchIn(TypedDict):
    """Events of many devices, at most 5,000."""

    events: Sequence[NamedEventIn]


_BatchOrderInKeywords = TypedDict(
    "_BatchOrderInKeywords",
    {
        "return": "NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]",
    },
)


class BatchOrderIn(_BatchOrderInKeywords):
    """A new order of a batch: the same fields as a single order, and its key."""

    order_config: NotRequired[str]
    """An order configuration, by identifier or key. Defaults to the company's."""
    type: NotRequired[str]
    """An order configuration, by identifier or key. Defaults to the company's."""
    internal_id: NotRequired[str]
    """The company's own number. Unique, unless the company allows duplicates."""
    payload: NotRequired[str | PayloadIn]
    pickup: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place: an identifier, an address as text or object, or a point."""
    dropoff: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place: an identifier, an address as text or object, or a point."""
    waypoints: NotRequired[Sequence[str | WaypointIn]]
    """Stops, in the order in which they are visited."""
    entities: NotRequired[Sequence[EntityIn]]
    customer: NotRequired[str | OrderCustomerIn]
    facilitator: NotRequired[str | RecordObject]
    driver: NotRequired[str | RecordObject]
    """A driver, by identifier or by the object from an order."""
    driver_assigned: NotRequired[str | RecordObject | None]
    """Deprecated: use `driver`."""
    vehicle: NotRequired[str | RecordObject]
    """A vehicle, by identifier or by the object from an order."""
    vehicle_assigned: NotRequired[str | RecordObject | None]
    """Deprecated: use `vehicle`."""
    cod_amount: NotRequired[int | None]
    """In minor units of the currency."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    status: NotRequired[str]
    """A new order is `created`."""
    required_skills: NotRequired[Sequence[str]]
    """Skills that the driver needs."""
    adhoc: NotRequired[bool]
    """Defaults to `false`."""
    adhoc_distance: NotRequired[int]
    """Metres."""
    pod_required: NotRequired[bool]
    """Defaults to `false`."""
    pod_method: NotRequired[ProofMethod]
    scheduled_at: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""
    time_window_start: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""
    time_window_end: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""
    notes: NotRequired[str]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    service_quote: NotRequired[str]
    """A signed quote to accept for it."""
    return_url: NotRequired[str]
    """Only with `service_quote`, for its checkout page."""
    dispatch: NotRequired[bool]
    """Dispatch it at once. Defaults to `false`."""
    idempotency_key: NotRequired[str]
    """Identifies the order for 30 days, in all batches. Defaults to `internal_id`."""


class BatchProblem(TypedDict):
    """Why an order of a batch was refused."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    fields: list[BatchFieldError]


class BatchResult(TypedDict):
    """What became of an order of a batch: an order, or a problem."""

    index: int
    """Its position in the batch, from 0."""
    key: str | None
    """Its key."""
    status: int
    """201: created; 200: an earlier request created it; otherwise the status of the problem. After
    429 or 503, send the order again."""
    order: OrderOut | None
    problem: BatchProblem | None


class BestDriverOut(TypedDict):
    """A driver who could take an order, with the work that it adds."""

    driver: PlanDriverOut
    vehicle: PlanVehicleOut | None
    time: int
    """Seconds added."""
    drive_time: int
    """Seconds on the road added."""
    distance: int
    """Metres added."""
    cost: int
    """Minor units of `currency` added."""
    currency: str | None
    lateness: int
    """Seconds of lateness added, over all orders."""
    overtime: int
    """Seconds after the shift."""
    on_time: bool
    """Whether no stop gets later than its time window."""
    in_time: bool
    """Deprecated: use `on_time`."""
    position: int
    """Index of the order's first stop among the driver's stops."""
    arrives_at: str
    """At the order's first stop."""
    completes_at: str
    """At the order's last stop."""
    stops: int
    """The driver's stops, with those of the order."""
    roads: DistanceSource
    """The source of the distances and times."""


class BestDriversIn(TypedDict):
    """The drivers to compare. By default, they are all who work on the order's day."""

    day: NotRequired[str]
    """Defaults to the day of the order's schedule or time window, or today."""
    drivers: NotRequired[Sequence[str]]
    fleets: NotRequired[Sequence[str]]
    aim: NotRequired[PlanAim]
    """The quantity to minimise, once as many orders as possible are assigned: the working `time`,
    the `cost`, the number of `vehicles`, or the difference between drivers (`balance`).
    Defaults to `"time"`."""
    service_time: NotRequired[int]
    """Seconds. Defaults to `180`."""
    pickup_time: NotRequired[int]
    """Seconds. Defaults to `30`."""
    default_hours: NotRequired[HoursIn]
    limit: NotRequired[int]
    """The number of drivers to return. Defaults to `5`."""


class BillingAddress(TypedDict):
    """The address of the company on its invoices."""

    street: str | None
    postal_code: str | None
    city: str | None
    country: str | None
    """ISO 3166, two letters."""


class BillingAddressSettings(TypedDict):
    """The configured address of the company on its invoices."""

    street: NotRequired[str | None]
    postal_code: NotRequired[str | None]
    city: NotRequired[str | None]
    country: NotRequired[str | None]
    """ISO 3166, two letters."""


class BillingIdentityExport(TypedDict):
    """What is kept of an erased customer until their transactions are settled."""

    name: str
    address: str | None
    tax_number: str | None
    created_at: str


class BillingIdentityOut(TypedDict):
    """The name and address of an erased payer."""

    name: str
    address: str | None
    tax_number: str | None


class Board(TypedDict):
    """Orders in columns. Each order appears once."""

    columns: list[BoardStageColumn]


class BoardStageColumn(TypedDict):
    """The orders of one stage, newest first."""

    stage: Literal["assigned", "attention", "completed", "dispatched", "in_progress", "unassigned"]
    """`unassigned` and `assigned` orders are not dispatched yet. Orders under `attention` are
    late, held or have an issue. `completed` orders are those of the day `on`, by default today."""
    count: int
    """Number of orders, up to the counting limit."""
    more: bool
    """Whether there may be more orders than `count`."""
    cards: list[Card]


class Brand(TypedDict):
    """The look of the paper: the company's name, its colour such as `#1d4ed8`, and its logo."""

    name: str
    color: NotRequired[str | None]
    logo: NotRequired[str | None]


class BrandSettings(TypedDict):
    """A company's configured brand."""

    name: NotRequired[str | None]
    """The name in messages and on delivery sheets."""
    color: NotRequired[str | None]
    """`#rrggbb`."""
    logo: NotRequired[str | None]
    """The id of an uploaded image: JPEG, PNG or WebP."""


class Branding(TypedDict):
    """A company's effective brand."""

    name: str
    """The name in messages and on delivery sheets."""
    color: str | None
    """`#rrggbb`."""
    logo: str | None
    """The id of an uploaded image: JPEG, PNG or WebP."""


class BreakFields(TypedDict):
    """A break: it starts between two times of day, and ends within the shift."""

    earliest: str
    """Time of day, `HH:MM`."""
    latest: str
    """Time of day, `HH:MM`."""
    duration: int
    """Seconds."""


class CancelIn(TypedDict):
    """Cancellation of an order."""

    reason: NotRequired[str]


class CancelOwnIn(TypedDict):
    """Why a customer cancels their order."""

    reason: NotRequired[str]


class CancellationFeeSettings(TypedDict):
    """Configured fees by the stage that an order has reached when it is canceled."""

    created: NotRequired[int | str | None]
    dispatched: NotRequired[int | str | None]
    started: NotRequired[int | str | None]


class CancellationFees(TypedDict):
    """Fees by the stage that an order has reached when it is canceled. None by default."""

    created: int | str
    dispatched: int | str
    started: int | str


CancellationRefund: TypeAlias = "Literal['automatic', 'manual']"


class CandidateLoadOut(TypedDict):
    """The items of a driver's open orders. Unknown weights and sizes count as zero."""

    weight: float
    """Kilograms."""
    volume: float
    """Cubic metres."""
    items: int
    """Number of items."""


class CandidateOut(TypedDict):
    """A driver who could take an order."""

    driver: OrderDriverOut
    vehicle: OrderVehicleOut | None
    distance: int | None
    """Metres in a straight line from the driver's last position to the order's next stop. Null if
    either is unknown."""
    located_at: str | None
    """The time of the last position."""
    open_orders: int
    """Open orders of the driver."""
    load: CandidateLoadOut | None
    """The items of these orders. Null if the listed drivers have more than 10,000 items."""
    shifts: list[CandidateShiftOut] | None
    """Shifts on the order's day. Null if the driver works at any time."""
    warnings: list[AssignmentWarning]


class CandidateShiftOut(TypedDict):
    """A shift of a driver on the order's day."""

    start: str
    end: str


class CapacityFields(TypedDict):
    """The vehicle's capacity. An omitted limit stays, and null removes it."""

    weight: NotRequired[float | None]
    """Kilograms."""
    volume: NotRequired[float | None]
    """Cubic metres."""
    items: NotRequired[int | None]
    """Items."""


class CapacityOut(TypedDict):
    """The vehicle's capacity. Null means no limit."""

    weight: float | None
    """Kilograms."""
    volume: float | None
    """Cubic metres."""
    items: int | None
    """Items."""


class CapturedOut(TypedDict):
    """A new proof, or the first of several that were captured together."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    order: str
    order_id: str
    """Deprecated: use `order`."""
    subject_uuid: str
    subject_type: ProofSubjectType
    subject_id: str
    method: RecordedProofMethod
    status: Literal["valid"]
    file_uuid: str | None
    url: str | None
    """Valid for 15 minutes."""
    thumbnail_url: str | None
    """Valid for 15 minutes."""
    raw_data: str | None
    """The scanned content."""
    raw: str | None
    """Deprecated: use `raw_data`."""
    data: JsonObject
    """Details of the capture: signer, location, device, image or scan, and the caller's own data."""
    scan_entry: ScanEntry | None
    """Whether the code was scanned or typed."""
    scan_match: bool | None
    """Whether the code is one of the subject's codes."""
    remarks: str | None
    activity: str | None
    actor: ActorOut
    """The actor that sent the proof."""
    used: bool
    """Whether an activity has used the proof."""
    integrity: Integrity
    created_at: str
    """Time of capture."""
    received_at: str
    """Time of arrival at the server."""
    updated_at: str
    proofs: NotRequired[list[ProofOut]]
    """All proofs, if several were captured together."""


class Card(TypedDict):
    """An order with the facts that a dispatcher needs at a glance."""

    order: OrderOut
    late: bool
    """Whether the order is later than its time window or schedule."""
    forecast: Forecast | None
    """Whether it will be late, by the last ETAs. Null while they are unknown."""
    issues: int
    """Unresolved issues about the order."""
    progress: int
    """Per cent."""
    proofs: list[ProofMethod]
    """Proof methods that its flow requires."""
    captured: list[str]
    """Methods of the proofs that were captured. `override` if an operator skipped one."""


class CashBalanceOut(TypedDict):
    """A driver's cash in one currency."""

    currency: str
    """ISO 4217, three letters."""
    balance: int
    """Cash and checks to hand in."""
    collections: list[CashCollectionOut]
    """Collections that are not handed in, the newest 200."""


class CashBalancesOut(TypedDict):
    """The cash that drivers carry, and the cash to remit to merchants, at most 1,000 each."""

    drivers: list[DriverBalanceOut]
    customers: list[PayableOut]


class CashCollectionOut(TypedDict):
    """Cash on delivery that a driver collected."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    order: str
    waypoint: str | None
    driver: str
    customer: str | None
    """The merchant: the order's customer."""
    customer_type: PartnerType | None
    amount_due: int
    """In whole minor units of the currency."""
    amount: int
    """In whole minor units of the currency."""
    currency: str
    """ISO 4217, three letters."""
    method: CodMethod
    reason: str | None
    collected_at: str
    clock_skew: int | None
    """Seconds by which the device's clock was outside the possible range."""
    hand_in: str | None
    """The driver's hand-in. Null for cash that the driver still has."""
    remittance: str | None
    actor: ActorOut
    """The actor that reported the collection."""


class CashExport(TypedDict):
    """Cash on delivery that the person paid, in minor currency units."""

    amount_due: int
    amount: int
    currency: str
    method: str
    reason: str | None
    collected_at: str


class CashToCollectOut(TypedDict):
    """The cash that the driver collects, in minor units."""

    amount: int
    currency: str
    """ISO 4217, three letters."""
    method: CodMethod | None
    """Null if several methods are named: any will do."""
    collected: bool


class ChainOut(TypedDict):
    """The result of verifying all proofs of an order, except the bytes of their pictures."""

    order: str
    valid: bool
    faults: list[str]
    """One message per fault."""
    count: int
    """The number of proofs."""
    erased: int
    """The number of proofs whose contents were erased."""
    head: HeadOut | None
    """Null when the order never had a proof."""


class ChangeExport(TypedDict):
    """A change of the person's data."""

    action: str
    before: JsonObject
    after: JsonObject
    details: JsonObject
    created_at: str


class ChargeIn(TypedDict):
    """A charge for an order, or with a negative amount a credit."""

    kind: Literal["discount", "goodwill", "other", "redelivery", "return", "surcharge", "waiting"]
    description: str
    amount: int
    """In whole minor units. Negative amounts are credits. Includes tax if the setting
    `prices_include_tax` is on."""
    tax_rate: NotRequired[float]
    """Per cent. Defaults to the company's rate."""
    reason: NotRequired[str]


ChargeKind: TypeAlias = "Literal['adjustment', 'cancellation', 'discount', 'goodwill', 'other', 'quote', 'redelivery', 'return', 'surcharge', 'waiting']"


class ChargeOut(TypedDict):
    """A line of an order's account. Lines never change; a correction is another line."""

    id: str
    uuid: str
    kind: ChargeKind
    code: str
    description: str
    amount: int
    """In whole minor units of the currency."""
    tax_rate: float | None
    """Per cent."""
    tax_amount: int
    """The part of the amount that is tax, in minor units."""
    net_amount: int
    """The amount without tax, in whole minor units."""
    reason: str | None
    transaction: str
    actor: ActorOut
    created_at: str


class CheckoutAgainIn(TypedDict):
    """The page to which the customer returns after paying."""

    return_url: NotRequired[str]
    """`https://` URL to which the payer returns. Query parameters `transaction` and `checkout`
    (`done` or `canceled`) are added. The transaction has the actual state."""


class CheckoutIn(TypedDict):
    """Options of a checkout page."""

    return_url: NotRequired[str]
    """`https://` URL to which the payer returns. Query parameters `transaction` and `checkout`
    (`done` or `canceled`) are added. The transaction has the actual state."""


CheckoutStatus: TypeAlias = (
    "Literal['declined', 'expired', 'open', 'paid', 'preparing', 'processing']"
)


class CloseIn(TypedDict):
    """The reason why an operator closes an account."""

    reason: str


class ClosureIn(TypedDict):
    """The code that confirms the closure."""

    code: str
    reason: NotRequired[str]


CodMethod: TypeAlias = "Literal['bank_transfer', 'card', 'cash', 'check']"

CodeChannel: TypeAlias = "Literal['email', 'sms']"


class CodeIn(TypedDict):
    """A code."""

    code: str


class CodeSettings(TypedDict):
    """Configured limits of one-time codes."""

    sends_per_hour: NotRequired[int | None]
    """Codes per identity and hour."""
    sends_per_day: NotRequired[int | None]
    """Codes per identity and day."""
    sends_per_minute: NotRequired[int | None]
    """Codes to all recipients per minute."""
    wrong_per_code: NotRequired[int | None]
    """Wrong attempts before a code expires."""
    wrong_per_hour: NotRequired[int | None]
    """Wrong attempts per identity and hour."""
    wrong_per_day: NotRequired[int | None]
    """Wrong attempts per identity and day."""
    sends_per_address: NotRequired[int | None]
    """Codes requested per IP address and hour."""
    wrong_per_address: NotRequired[int | None]
    """Wrong attempts per IP address and hour."""
    countries: NotRequired[list[str] | None]
    """Countries that codes are sent to by SMS. All if not set."""
    refused_types: NotRequired[
        list[
            Literal[
                "fixed_line",
                "fixed_line_or_mobile",
                "mobile",
                "pager",
                "personal_number",
                "premium_rate",
                "satellite",
                "shared_cost",
                "toll_free",
                "uan",
                "unknown",
                "voicemail",
                "voip",
            ]
        ]
        | None
    ]
    """Number types that codes are not sent to."""
    sms_per_day: NotRequired[int | None]
    """Codes by SMS in 24 hours, counted separately for each store, for drivers and for deliveries.
    A fifth is reserved for people who have an account."""
    breaker_sends: NotRequired[int | None]
    """Hourly codes to new numbers of a country before their success rate is checked."""
    breaker_percent: NotRequired[int | None]
    """If a smaller percentage of these codes is entered, codes to new numbers of the country are
    paused until the hour has passed. 0 disables the check."""


class Codes(TypedDict):
    """Effective limits of one-time codes."""

    sends_per_hour: int
    """Codes per identity and hour."""
    sends_per_day: int
    """Codes per identity and day."""
    sends_per_minute: int
    """Codes to all recipients per minute."""
    wrong_per_code: int
    """Wrong attempts before a code expires."""
    wrong_per_hour: int
    """Wrong attempts per identity and hour."""
    wrong_per_day: int
    """Wrong attempts per identity and day."""
    sends_per_address: int
    """Codes requested per IP address and hour."""
    wrong_per_address: int
    """Wrong attempts per IP address and hour."""
    countries: list[str] | None
    """Countries that codes are sent to by SMS. All if not set."""
    refused_types: NotRequired[
        list[
            Literal[
                "fixed_line",
                "fixed_line_or_mobile",
                "mobile",
                "pager",
                "personal_number",
                "premium_rate",
                "satellite",
                "shared_cost",
                "toll_free",
                "uan",
                "unknown",
                "voicemail",
                "voip",
            ]
        ]
    ]
    """Number types that codes are not sent to."""
    sms_per_day: int
    """Codes by SMS in 24 hours, counted separately for each store, for drivers and for deliveries.
    A fifth is reserved for people who have an account."""
    breaker_sends: int
    """Hourly codes to new numbers of a country before their success rate is checked."""
    breaker_percent: int
    """If a smaller percentage of these codes is entered, codes to new numbers of the country are
    paused until the hour has passed. 0 disables the check."""


class CodesUnlocked(TypedDict):
    """Codes are accepted again."""

    status: str


class CollectCashIn(TypedDict):
    """Cash on delivery that was collected."""

    waypoint: NotRequired[str]
    """The stop. Defaults to the only one whose cash is not collected yet."""
    stop: NotRequired[str | None]
    """Deprecated: use `waypoint`."""
    amount: int
    """In whole minor units of the currency."""
    method: NotRequired[CodMethod]
    """Defaults to the method that the order names, or to `cash`."""
    reason: NotRequired[str]
    """Required if the amount differs from the cash due."""
    amount_due: NotRequired[int]
    """The cash due that the app has shown, with `currency`. With both, a late report counts
    although the cash due was changed meanwhile."""
    currency: NotRequired[str]
    """The currency of `amount_due`, which requires it."""
    collection_uuid: NotRequired[str]
    """Chosen by the app. A repeated request gets the same answer."""
    collected_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""
    driver: NotRequired[str]
    """The driver who has the cash. Defaults to the order's driver. Not for drivers."""


class CompanyOut(TypedDict):
    """A company."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    name: str
    mode: Literal["live", "test"]
    created_at: str


class CompleteIn(TypedDict):
    """Completion of an order."""

    occurred_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""


ConnectionStatus: TypeAlias = "Literal['never_seen', 'offline', 'online', 'stale']"


class ContactChange(TypedDict):
    """Changes to a contact. Omitted fields stay; null clears a field."""

    internal_id: NotRequired[str | None]
    """The company's own number."""
    name: NotRequired[str]
    title: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    """With country code."""
    locale: NotRequired[str | None]
    """The language of notifications, as a BCP 47 tag."""
    type: NotRequired[str]
    place: NotRequired[str | None]
    """A place, by its identifier."""
    price_group: NotRequired[str | None]
    """Rates with this price group apply."""
    default_service: NotRequired[str | None]
    """The service rate to prefer when an order is dispatched."""
    payment_terms_days: NotRequired[int | None]
    """Days until an invoice is due."""
    tax_number: NotRequired[str | None]
    """The tax number."""
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


class ContactExport(TypedDict):
    """A contact that is the person."""

    id: str
    uuid: str
    name: str
    title: str | None
    email: str | None
    phone: str | None
    locale: str | None
    internal_id: str | None
    price_group: str | None
    payment_terms_days: int | None
    tax_number: str | None
    type: str
    meta: JsonObject
    created_at: str
    updated_at: str


class ContactIn(TypedDict):
    """A new contact."""

    internal_id: NotRequired[str | None]
    """The company's own number."""
    name: str
    title: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    """With country code."""
    locale: NotRequired[str | None]
    """The language of notifications, as a BCP 47 tag."""
    type: NotRequired[str]
    place: NotRequired[str | None]
    """A place, by its identifier."""
    price_group: NotRequired[str | None]
    """Rates with this price group apply."""
    default_service: NotRequired[str | None]
    """The service rate to prefer when an order is dispatched."""
    payment_terms_days: NotRequired[int | None]
    """Days until an invoice is due."""
    tax_number: NotRequired[str | None]
    """The tax number."""
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


class ContactOut(TypedDict):
    """A contact."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    internal_id: str | None
    """The company's own number."""
    name: str
    title: str | None
    email: str | None
    phone: str | None
    """With country code."""
    locale: str | None
    """The language of notifications, as a BCP 47 tag."""
    type: str
    place: str | None
    """A place, by its identifier."""
    price_group: str | None
    """Rates with this price group apply."""
    default_service: str | None
    """The service rate to prefer when an order is dispatched."""
    payment_terms_days: int | None
    """Days until an invoice is due."""
    tax_number: str | None
    """The tax number."""
    payment_status: CustomerPaymentStatus
    """`unpaid` if anything is owed, `overpaid` if there is only a credit, `none` without a
    transaction."""
    balances: list[PartnerBalanceOut]
    """Open balances by currency: charges minus payments."""
    meta: JsonObject
    """The company's own data, up to 16 KiB."""


class Counts(TypedDict):
    """Units in each state, regardless of the `state` filter."""

    moving: int
    standing: int
    stale: int
    offline: int
    never_seen: int


_CountsMetaKeywords = TypedDict(
    "_CountsMetaKeywords",
    {
        "from": "str",
    },
)


class CountsMeta(_CountsMetaKeywords):
    """The unit and period of the counts."""

    by: Literal["day", "hour"]
    to: str
    """End of the last hour or day."""
    complete: bool
    """False if there were too many events to count all of them."""


class CreationCodeIn(TypedDict):
    """The recipient of a code: `phone`, `email`, or `identity` as existing apps send it."""

    phone: NotRequired[str]
    """With country code."""
    email: NotRequired[str]
    identity: NotRequired[str]
    """A phone number or an email address."""
    mode: NotRequired[str]
    """`sms` or `email`, with `identity`."""


class CreditNoteIn(TypedDict):
    """What a credit note takes back of an invoice."""

    reason: str
    lines: NotRequired[Sequence[CreditedLineIn]]
    """Defaults to all that is left of the invoice."""


class CreditedLineIn(TypedDict):
    """A line of an invoice to take back."""

    line: str
    amount: NotRequired[int]
    """Defaults to the rest of the line."""


class CustomerAttempt(TypedDict):
    """A failed delivery attempt at a customer's stop."""

    label: str
    """The reason, for people."""
    then: UndeliveredDecision
    """`retry`: there will be another attempt. `hold`: the decision is pending. `return`: the goods
    go back."""
    occurred_at: str


class CustomerChange(TypedDict):
    """Changes to the signed-in customer. A new phone or address must be verified first."""

    name: NotRequired[str]
    phone: NotRequired[str | None]
    """The current one. Verify a new one first."""
    email: NotRequired[str | None]
    """The current one. Verify a new one first."""
    password: NotRequired[str]
    current_password: NotRequired[str]
    meta: NotRequired[JsonObject]
    """Free data of the app, up to 16 KiB."""


class CustomerCodeSent(TypedDict):
    """A code was sent, if the recipient is known."""

    status: str
    method: CodeChannel
    expires_in: int
    """Seconds."""
    resend_after: int
    """Seconds."""


class CustomerDetailsOut(TypedDict):
    """A customer, as operators see them."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    contact: str
    """The customer's contact in orders."""
    name: str
    email: str | None
    phone: str | None
    """With country code."""
    email_verified: bool
    phone_verified: bool
    meta: JsonObject
    """Free data of the app, up to 16 KiB."""
    created_at: str
    updated_at: str
    has_password: bool
    closed_at: str | None
    close_reason: str | None
    erase_at: str | None
    erased_at: str | None


class CustomerDriverOut(TypedDict):
    """The driver of an order."""

    name: str
    phone: str
    """Partly hidden."""


class CustomerExport(TypedDict):
    """All data of a person."""

    customer: CustomerDetailsOut
    former_identities: list[str]
    contacts: list[ContactExport]
    places: list[PlaceOut]
    waypoints: list[WaypointOut]
    """Stops of payloads without an order."""
    entities: list[EntityOut]
    """Items without a payload, or of payloads without an order."""
    providers: list[LinkExport]
    devices: list[DeviceExport]
    sessions: list[SessionExport]
    payment_accounts: list[AccountExport]
    transactions: list[TransactionExport]
    billing_identities: list[BillingIdentityExport]
    invoices: list[InvoiceExport]
    order_templates: list[OrderTemplateExport]
    changes: list[ChangeExport]
    messages: list[MessageExport]
    orders: list[OrderExport]


class CustomerIn(TypedDict):
    """A new customer, with the code that was just requested."""

    name: str
    code: str
    phone: NotRequired[str]
    """With country code."""
    email: NotRequired[str]
    identity: NotRequired[str]
    """The phone number or email address that received the code, if both are sent."""
    password: NotRequired[str]
    meta: NotRequired[JsonObject]
    """Free data of the app, up to 16 KiB."""


class CustomerItemIn(TypedDict):
    """An item in a customer's order."""

    name: str
    quantity: NotRequired[int]
    """The number of equal pieces. Weight, size, price and declared value are those of one piece;
    cash on delivery of all of them. Defaults to `1`."""
    description: NotRequired[str | None]
    length: NotRequired[float | None]
    width: NotRequired[float | None]
    height: NotRequired[float | None]
    dimensions_unit: NotRequired[LengthUnit]
    """Defaults to `"cm"`."""
    weight: NotRequired[float | None]
    weight_unit: NotRequired[WeightUnit]
    """Defaults to `"kg"`."""
    declared_value: NotRequired[int | None]
    """In minor units of the currency."""
    currency: NotRequired[str | None]
    """ISO 4217, three letters."""


class CustomerItemOut(TypedDict):
    """A customer's own item."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    destination: str | None
    """The stop where the item is delivered."""
    name: str
    type: str
    description: str | None
    sku: str | None
    quantity: int
    """The number of equal pieces. Weight, size, price and declared value are those of one piece;
    cash on delivery of all of them."""
    length: float | None
    width: float | None
    height: float | None
    dimensions_unit: LengthUnit
    weight: float | None
    weight_unit: WeightUnit
    tracking: str | None
    tracking_number: str | None
    """Deprecated: use `tracking`."""


class CustomerOrderIn(TypedDict):
    """An order from a quote. Its route and items must match the quote."""

    service_quote: str
    """A quote from this store."""
    pickup: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place's identifier, a point, or an address with a point."""
    dropoff: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place's identifier, a point, or an address with a point."""
    waypoints: NotRequired[Sequence[str | PlaceIn | GeoJsonPoint | Sequence[float]]]
    entities: NotRequired[Sequence[CustomerItemIn]]
    cod_amount: NotRequired[int]
    """In minor units of the currency."""
    cod_currency: NotRequired[str]
    """ISO 4217 code."""
    scheduled_at: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""
    notes: NotRequired[str]
    return_url: NotRequired[str]
    """`https://` URL to which the payer returns. Query parameters `transaction` and `checkout`
    (`done` or `canceled`) are added. The transaction has the actual state."""


class CustomerOrderOut(TypedDict):
    """An order as its customer sees it."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    type: str
    status: str
    customer: OrderCustomerOut
    payload: CustomerPayloadOut
    driver: CustomerDriverOut | None
    driver_assigned: CustomerDriverOut | None
    """Deprecated: use `driver`."""
    vehicle: CustomerVehicleOut | None
    vehicle_assigned: CustomerVehicleOut | None
    """Deprecated: use `vehicle`."""
    tracking: str
    tracking_number: OrderNumberOut
    """The record of the tracking number."""
    return_of: str | None
    """The delivered order whose items this one brings back."""
    pod_required: bool
    pod_method: ProofMethod | None
    time_window_start: str | None
    time_window_end: str | None
    dispatched: bool
    started: bool
    scheduled_at: str | None
    dispatched_at: str | None
    started_at: str | None
    completed_at: str | None
    canceled_at: str | None


class CustomerOut(TypedDict):
    """A customer."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    contact: str
    """The customer's contact in orders."""
    name: str
    email: str | None
    phone: str | None
    """With country code."""
    email_verified: bool
    phone_verified: bool
    meta: JsonObject
    """Free data of the app, up to 16 KiB."""
    created_at: str
    updated_at: str


class CustomerPayloadOut(TypedDict):
    """The customer's share of a payload: their own stops and items."""

    pickup: CustomerPlaceOut | None
    """The pickup address, unless the order has several stops."""
    dropoff: CustomerPlaceOut | None
    waypoints: list[CustomerStopOut]
    """The customer's own stops."""
    entities: list[CustomerItemOut]
    """The customer's own items."""
    cod_amount: int | None
    """Cash on delivery. Null if the order has other recipients."""
    cod_currency: str | None
    """ISO 4217, three letters."""
    cod_payment_method: CodMethod | None


CustomerPaymentStatus: TypeAlias = "Literal['none', 'overpaid', 'paid', 'unpaid']"


class CustomerPlaceOut(TypedDict):
    """The address of a place, as customers see it."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str | None
    address: str
    """The address, on one line."""
    street1: str | None
    street2: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    neighborhood: str | None
    district: str | None
    building: str | None
    country: str | None
    """ISO 3166, two letters."""
    location: PointOut | None


class CustomerPlacedOut(TypedDict):
    """A new order and its payment."""

    order: CustomerOrderOut
    payment: PaymentOut


class CustomerSignedIn(TypedDict):
    """A signed-in customer with a token. The customer's fields are repeated for existing apps."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    contact: str
    """The customer's contact in orders."""
    name: str
    email: str | None
    phone: str | None
    """With country code."""
    email_verified: bool
    phone_verified: bool
    meta: JsonObject
    """Free data of the app, up to 16 KiB."""
    created_at: str
    updated_at: str
    token: str
    """Shown once."""
    customer: CustomerOut
    device_proof: str
    """Keep it, and send it as `Device-Proof` at the next sign-in. Attempts by strangers then do
    not count against this device. It grants no access."""


class CustomerStopOut(TypedDict):
    """A customer's own stop."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    type: StopType
    place: CustomerPlaceOut
    time_window_start: str | None
    time_window_end: str | None
    pod_required: bool
    pod_method: ProofMethod | None
    status_code: str | None
    """Code of the latest activity at the stop."""
    complete: bool
    completed_at: str | None
    tracking: str | None
    tracking_number: str | None
    """Deprecated: use `tracking`."""


class CustomerTracked(TypedDict):
    """The progress and ETA of a customer's order. The driver's position is visible only while they
    are on the way to this customer."""

    order: str
    status: str
    progress: int
    """Per cent."""
    stops: list[CustomerTrackedStop]
    """The customer's own stops."""
    completed_stops: int
    total_stops: int
    eta: str | None
    """ETA at the next of the customer's stops."""
    time_remaining: int | None
    """Seconds until then."""
    distance_remaining: int | None
    """Metres, while the driver's position is shown."""
    position: PointOut | None
    """The driver's latest position."""
    heading: float | None
    """Degrees from north."""
    speed: float | None
    """Metres per second."""
    located_at: str | None
    tracking_url: str
    """The recipient's tracking page. Give the link only to the recipient."""


class CustomerTrackedStop(TypedDict):
    """A customer's own stop with its ETA."""

    waypoint: str | None
    type: str
    address: str
    location: PointOut | None
    complete: bool
    attempts: int
    """Number of failed attempts."""
    failed: CustomerAttempt | None
    """The latest failed attempt."""
    eta: str | None


class CustomerVehicleOut(TypedDict):
    """The vehicle of an order, for recognising it."""

    plate_number: str | None
    make: str | None
    model: str | None


DateOrder: TypeAlias = "Literal['day_first', 'month_first']"


class DecisionIn(TypedDict):
    """The decision after a failed delivery attempt."""

    then: Literal["retry", "return"]
    """`retry` or `return`."""
    waypoint: NotRequired[str]
    """The stop to decide about. Defaults to the only one that waits."""


class DeliveryAttemptOut(TypedDict):
    """A failed delivery attempt."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    order: str
    waypoint: str | None
    """The stop, if the order has several."""
    number: int
    """The number of the attempt at this stop, starting at 1."""
    reason: str
    label: str
    """The reason's label at that time."""
    remarks: str | None
    then: UndeliveredDecision
    """`retry` attempts the delivery again, `return` returns the goods, `hold` waits for a
    dispatcher's decision."""
    decided_at: str | None
    """Time of the decision, if there was one."""
    occurred_at: str
    """Time of the attempt; `created_at` is the time of arrival."""
    clock_skew: int | None
    """Seconds by which the device's clock was outside the possible range."""
    location: PointOut | None
    proofs: list[str]
    """Proofs that were captured there, by public id."""
    actor: ActorOut
    """The actor that reported the failed attempt."""


class DeliveryDetailOut(TypedDict):
    """A delivery with its body and all attempts."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    webhook: str
    event: str
    event_id: str | None
    """Null for a ping."""
    subject: str
    """UUID or public id of the record that the event is about."""
    sequence: int
    """Position among the deliveries about one order."""
    state: Literal["cancelled", "failed", "held", "pending", "sending", "succeeded", "superseded"]
    attempts: int
    """Requests so far."""
    retries_used: int
    """Retries used, of four."""
    replays: int
    next_attempt_at: str | None
    status: int | None
    """HTTP status of the latest response."""
    error: str | None
    """Error of the latest attempt."""
    created_at: str
    finished_at: str | None
    body: JsonObject | None
    """The envelope that every attempt sends. Null for a key without the scope `events:read`."""
    attempt_log: list[AttemptOut]
    retry_delays: list[int]
    """Seconds from a failed attempt to the next one, for each retry."""


class DeliveryInstructions(TypedDict):
    """How the recipient wants to receive the delivery, as chosen on the tracking page."""

    handover: Literal["neighbor", "recipient", "safe_place"]
    """`recipient` receives it in person, or it is left in a `safe_place` or with a `neighbor`."""
    location: str | None
    """The safe place, or the neighbor."""
    access_code: str | None
    """The code of the gate or door."""
    note: str | None
    requested_at: str


class DeliveryOut(TypedDict):
    """An event for a webhook, with any number of attempts."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    webhook: str
    event: str
    event_id: str | None
    """Null for a ping."""
    subject: str
    """UUID or public id of the record that the event is about."""
    sequence: int
    """Position among the deliveries about one order."""
    state: Literal["cancelled", "failed", "held", "pending", "sending", "succeeded", "superseded"]
    attempts: int
    """Requests so far."""
    retries_used: int
    """Retries used, of four."""
    replays: int
    next_attempt_at: str | None
    status: int | None
    """HTTP status of the latest response."""
    error: str | None
    """Error of the latest attempt."""
    created_at: str
    finished_at: str | None


class DeliveryRating(TypedDict):
    """How the recipient rated the delivery on the tracking page."""

    score: int
    """From 1 to 5, the best."""
    comment: str | None
    rated_at: str
    """Time of the first rating. It can change for a day."""


DeliveryState: TypeAlias = "Literal['canceled', 'cancelled', 'failed', 'held', 'pending', 'sending', 'succeeded', 'superseded']"


class DemandAhead(TypedDict):
    """A proof that an activity requires."""

    subject_type: ProofSubjectType
    subject_id: str
    method: ProofMethod
    met: bool
    """Whether a suitable proof exists."""


class DemandOut(TypedDict):
    """A proof that is still missing."""

    subject_type: ProofSubjectType
    subject_id: str
    method: ProofMethod


class DetachIn(TypedDict):
    """When a device was detached."""

    until: NotRequired[str | datetime]
    """End of the attachment. Defaults to now."""


class DeviceChange(TypedDict):
    """Changes of a device: an omitted field stays, null clears it."""

    name: NotRequired[str]
    kind: NotRequired[DeviceKind]
    identifier: NotRequired[str | None]
    """The device's own id: an IMEI, a serial number or the id in an app."""
    provider: NotRequired[str | None]
    """Manufacturer or service."""
    reporting_interval: NotRequired[int]
    """Reporting interval in seconds. After two missed reports the device is stale, after six
    offline."""
    adopts: NotRequired[bool]
    """Whether unknown devices that a gateway reports are registered. Gateways only."""
    min_temperature: NotRequired[float | None]
    """°C. A lower reading raises an alert. Limits of a device override those of its vehicle."""
    max_temperature: NotRequired[float | None]
    """°C. A higher reading raises an alert."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""
    device_id: NotRequired[str | None]
    """Deprecated: use `identifier`."""
    type: NotRequired[
        DeviceKind
        | Literal[
            "battery_asset_tracker",
            "can_bus_module",
            "dashcam_unit",
            "gps_tracker",
            "hardwired_black_box",
            "mobile_edge_gateway",
            "obd2_plugin",
            "smartphone_app_device",
            "trailer_container_node",
        ]
    ]
    """Deprecated: use `kind`. Also accepts other products' names."""
    vehicle: NotRequired[str | None]
    """Attach it to this vehicle; null detaches it."""


class DeviceEventCount(TypedDict):
    """The number of events in an hour or on a day."""

    start: str
    """Start of the hour or day."""
    count: int
    types: dict[str, int]
    """Number of events by type."""


class DeviceEventCounts(TypedDict):
    """Numbers of events, by hour or by day."""

    data: list[DeviceEventCount]
    meta: CountsMeta


class DeviceEventOut(TypedDict):
    """An event that a device reported, or that was derived from its positions."""

    id: str
    """The event's id."""
    device_id: str
    """The device that sent it."""
    vehicle_id: str | None
    """The vehicle that the device was on at that moment."""
    event_type: str
    """One of the nine types, by name or alias, or a custom type."""
    timestamp: str
    """Time of the event."""
    location: PointOut | None
    data: JsonObject
    """Values of the event type, in km/h, degrees, metres and °C."""
    severity: Severity | None
    late: bool
    """Whether the event arrived late."""
    clock_corrected: bool
    """Whether the device's clock was wrong. `timestamp` is then the time of arrival."""
    derived: bool
    """Whether the event was derived from positions."""
    device: str
    """The same as `device_id`."""
    vehicle: str | None
    """The same as `vehicle_id`."""


class DeviceExport(TypedDict):
    """A device for push messages."""

    id: str
    platform: str
    token: str
    details: JsonObject
    created_at: str
    last_seen_at: str


class DeviceIn(TypedDict):
    """A device for push messages."""

    platform: AppPlatform
    token: str
    app_version: NotRequired[str]
    locale: NotRequired[str]


DeviceKind: TypeAlias = (
    "Literal['camera', 'gateway', 'obd', 'phone', 'sensor', 'tracker', 'virtual']"
)


class DeviceLatestOut(TypedDict):
    """A device in its current state."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str
    kind: DeviceKind
    identifier: str | None
    """The device's own id: an IMEI, a serial number or the id in an app."""
    provider: str | None
    """Manufacturer or service."""
    vehicle: str | None
    """The vehicle that the device is attached to."""
    driver: str | None
    """The driver who uses the phone."""
    reporting_interval: int
    """Reporting interval in seconds. After two missed reports the device is stale, after six
    offline."""
    adopts: bool
    """Whether unknown devices that a gateway reports are registered. Gateways only."""
    min_temperature: float | None
    """°C. A lower reading raises an alert. Limits of a device override those of its vehicle."""
    max_temperature: float | None
    """°C. A higher reading raises an alert."""
    status: ConnectionStatus
    """Whether the device reports."""
    last_seen_at: str | None
    location: PointOut | None
    located_at: str | None
    meta: JsonObject
    """Custom data of the company."""
    readings: list[LatestReading]
    """The latest reading of each type, newest first."""


class DeviceOut(TypedDict):
    """A device that reports; `version` counts changes, not reports."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str
    kind: DeviceKind
    identifier: str | None
    """The device's own id: an IMEI, a serial number or the id in an app."""
    provider: str | None
    """Manufacturer or service."""
    vehicle: str | None
    """The vehicle that the device is attached to."""
    driver: str | None
    """The driver who uses the phone."""
    reporting_interval: int
    """Reporting interval in seconds. After two missed reports the device is stale, after six
    offline."""
    adopts: bool
    """Whether unknown devices that a gateway reports are registered. Gateways only."""
    min_temperature: float | None
    """°C. A lower reading raises an alert. Limits of a device override those of its vehicle."""
    max_temperature: float | None
    """°C. A higher reading raises an alert."""
    status: ConnectionStatus
    """Whether the device reports."""
    last_seen_at: str | None
    location: PointOut | None
    located_at: str | None
    meta: JsonObject
    """Custom data of the company."""


class DeviceRegistered(TypedDict):
    """The device now receives push messages."""

    status: str
    device: str


class DifferenceOut(TypedDict):
    """The differences of one driver in one currency."""

    driver: str
    name: str
    currency: str
    """ISO 4217, three letters."""
    collections: int
    """Number of collections of another amount than the cash due."""
    uncollected: int
    """Total of the cash due minus the cash collected."""
    hand_ins: int
    """Number of hand-ins with a difference."""
    missing: int
    """Total of the missing cash."""
    surplus: int
    """Total of the surplus cash."""
    difference: int
    """Surplus minus missing."""


class DispatchIn(TypedDict):
    """Dispatch of an order."""

    driver: NotRequired[str]
    """The driver to assign first."""


DispatchRequirement: TypeAlias = "Literal['nothing', 'payment', 'price']"


class DisputeOut(TypedDict):
    """A payer's dispute of a payment with their bank."""

    id: str
    """The gateway's id."""
    amount: int
    """In whole minor units of the currency."""
    currency: str
    """ISO 4217."""
    status: Literal["closed", "inquiry", "lost", "needs_response", "under_review", "won"]
    """`inquiry`: the bank asks, and no money moves. `needs_response`: send evidence before
    `due_by`. The amount of a `lost` dispute is owed again."""
    reason: str | None
    """The bank's reason."""
    due_by: str | None
    """Deadline for evidence."""
    funds_withdrawn: bool
    """Whether the gateway has withdrawn the amount."""


DistanceRounding: TypeAlias = "Literal['exact', 'started_unit']"

DistanceSource: TypeAlias = "Literal['given', 'great_circle', 'osrm', 'valhalla']"

DistanceUnit: TypeAlias = "Literal['ft', 'km', 'm', 'mi', 'yd']"


class DocumentLine(TypedDict):
    """A charge or credit. `amount` contains the tax."""

    position: int
    kind: str
    description: str
    date: str
    order: NotRequired[str | None]
    tracking_number: NotRequired[str | None]
    order_number: NotRequired[str | None]
    charge: NotRequired[str | None]
    tax_rate: NotRequired[float | None]
    tax_amount: NotRequired[int]
    """Defaults to `0`."""
    amount: int


class DocumentReference(TypedDict):
    """The invoice that a credit note corrects."""

    number: str
    issue_date: str


class DriverActivityOut(TypedDict):
    """An activity or a failed attempt that a driver recorded."""

    order: str
    internal_id: str | None
    """The company's own number. Unique, unless the company allows duplicates."""
    tracking: str
    """The order's tracking number."""
    code: str
    status: str
    occurred_at: str


class DriverBalanceOut(TypedDict):
    """The cash of one driver in one currency."""

    driver: str
    name: str
    currency: str
    """ISO 4217, three letters."""
    balance: int
    """In whole minor units of the currency."""
    collections: int
    since: str
    """Time of the oldest collection."""


class DriverCashOut(TypedDict):
    """The cash that a driver has collected and not handed in, per currency."""

    driver: str
    balances: list[CashBalanceOut]


class DriverChange(TypedDict):
    """Changes to a driver. Omitted fields stay, and null clears a field."""

    internal_id: NotRequired[str | None]
    """The company's own reference."""
    online: NotRequired[bool]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """Position of a new record. A change cannot set another position: report it to `track`."""
    latitude: NotRequired[float | str | None]
    """Instead of `location`."""
    longitude: NotRequired[float | str | None]
    """Instead of `location`."""
    heading: NotRequired[float | None]
    """Degrees clockwise from north."""
    altitude: NotRequired[float | None]
    speed: NotRequired[float | None]
    located_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""
    name: NotRequired[str]
    phone: NotRequired[str]
    """With country code."""
    email: NotRequired[str | None]
    drivers_license_number: NotRequired[str | None]
    license_expiry: NotRequired[str | None]
    """A day between the years 1970 and 2100."""
    status: NotRequired[DriverStatus]
    vehicle: NotRequired[str | None]
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    city: NotRequired[str | None]
    skills: NotRequired[Sequence[str]]
    shifts: NotRequired[Sequence[ShiftFields] | None]
    """The weekly shifts, in the company's time zone. Null: works at any time. An empty list: works
    only on days of `shift_exceptions`."""
    shift_exceptions: NotRequired[Sequence[ShiftExceptionFields]]
    """Days off, and days with other shifts than the weekly ones."""
    start_place: NotRequired[str | None]
    """The place where work begins."""
    end_place: NotRequired[str | None]
    """The place where work ends."""
    cost_per_hour: NotRequired[int | None]
    """In minor units of `currency`. Plans compare routes by it."""
    currency: NotRequired[str | None]
    """The cost's currency, ISO 4217. Defaults to the company's."""


class DriverCodeIn(TypedDict):
    """The code, and its phone as `identity` or `phone`."""

    code: str
    identity: NotRequired[str]
    """With country code."""
    phone: NotRequired[str]
    """With country code."""


class DriverCodeSent(TypedDict):
    """The sent code. The response is the same for an unknown phone."""

    status: str
    method: str
    expires_in: int
    """Seconds."""
    resend_after: int
    """Seconds."""


class DriverIn(TypedDict):
    """A new driver."""

    internal_id: NotRequired[str | None]
    """The company's own reference."""
    online: NotRequired[bool]
    """Defaults to `false`."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """Position of a new record. A change cannot set another position: report it to `track`."""
    latitude: NotRequired[float | str | None]
    """Instead of `location`."""
    longitude: NotRequired[float | str | None]
    """Instead of `location`."""
    heading: NotRequired[float | None]
    """Degrees clockwise from north."""
    altitude: NotRequired[float | None]
    speed: NotRequired[float | None]
    located_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""
    name: str
    phone: str
    """With country code."""
    email: NotRequired[str | None]
    drivers_license_number: NotRequired[str | None]
    license_expiry: NotRequired[str | None]
    """A day between the years 1970 and 2100."""
    status: NotRequired[DriverStatus]
    """Defaults to `"available"`."""
    vehicle: NotRequired[str | None]
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    city: NotRequired[str | None]
    skills: NotRequired[Sequence[str]]
    shifts: NotRequired[Sequence[ShiftFields] | None]
    """The weekly shifts, in the company's time zone. Null: works at any time. An empty list: works
    only on days of `shift_exceptions`."""
    shift_exceptions: NotRequired[Sequence[ShiftExceptionFields]]
    """Days off, and days with other shifts than the weekly ones."""
    start_place: NotRequired[str | None]
    """The place where work begins."""
    end_place: NotRequired[str | None]
    """The place where work ends."""
    cost_per_hour: NotRequired[int | None]
    """In minor units of `currency`. Plans compare routes by it."""
    currency: NotRequired[str | None]
    """The cost's currency, ISO 4217. Defaults to the company's."""


class DriverLoginIn(TypedDict):
    """A driver's request for a code."""

    phone: str
    """With country code."""


class DriverMessageExport(TypedDict):
    """A message between dispatch and the driver about an order that the person placed."""

    id: str
    sender: Literal["dispatch", "driver"]
    body: str
    sent_at: str


class DriverMessageIn(TypedDict):
    """A new message. From drivers it goes to dispatch, otherwise to the driver."""

    text: str
    driver: NotRequired[str]
    """The recipient. Defaults to the order's driver. Not for drivers."""
    order: NotRequired[str]
    """The order that it is about."""
    message_uuid: NotRequired[str]
    """Chosen by the sender. A repeated request gets the same answer; another text, recipient or
    photo is a conflict."""
    sent_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""


class DriverMessageOut(TypedDict):
    """A message between dispatch and a driver."""

    id: str
    uuid: str
    driver: str
    order: str | None
    """The order that it is about."""
    sender: Literal["dispatch", "driver"]
    actor: ActorOut
    text: str
    """Empty if there are only photos."""
    photos: list[MessagePhotoOut]
    sent_at: str
    """When it was written, perhaps without reception."""
    created_at: str
    """When it arrived. Lists are sorted by it."""
    read_at: str | None
    """When the other side read it."""


class DriverOut(TypedDict):
    """A driver. Positions do not change `version`."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    internal_id: str | None
    """The company's own reference."""
    online: bool
    fleets: list[str]
    location: PointOut | None
    heading: float | None
    """Degrees from north."""
    altitude: float | None
    """Metres."""
    speed: float | None
    """Metres per second."""
    located_at: str | None
    meta: JsonObject
    """Custom data of the company."""
    name: str
    email: str | None
    phone: str
    """With country code."""
    drivers_license_number: str | None
    license_expiry: str | None
    """A day between the years 1970 and 2100."""
    status: DriverStatus
    vehicle: str | None
    country: str | None
    """ISO 3166, two letters."""
    city: str | None
    skills: list[str]
    shifts: list[ShiftFields] | None
    """The weekly shifts, in the company's time zone. Null: works at any time. An empty list: works
    only on days of `shift_exceptions`."""
    shift_exceptions: list[ShiftExceptionFields]
    """Days off, and days with other shifts than the weekly ones."""
    start_place: str | None
    """The place where work begins."""
    end_place: str | None
    """The place where work ends."""
    cost_per_hour: int | None
    """In minor units of `currency`. Plans compare routes by it."""
    currency: str | None
    """The cost's currency, ISO 4217. Defaults to the company's."""
    distance: NotRequired[float]
    """Metres from `nearby`."""


class DriverSignedIn(TypedDict):
    """A signed-in driver with the token. The driver's fields are also at the top level."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    internal_id: str | None
    """The company's own reference."""
    online: bool
    fleets: list[str]
    location: PointOut | None
    heading: float | None
    """Degrees from north."""
    altitude: float | None
    """Metres."""
    speed: float | None
    """Metres per second."""
    located_at: str | None
    meta: JsonObject
    """Custom data of the company."""
    name: str
    email: str | None
    phone: str
    """With country code."""
    drivers_license_number: str | None
    license_expiry: str | None
    """A day between the years 1970 and 2100."""
    status: DriverStatus
    vehicle: str | None
    country: str | None
    """ISO 3166, two letters."""
    city: str | None
    skills: list[str]
    shifts: list[ShiftFields] | None
    """The weekly shifts, in the company's time zone. Null: works at any time. An empty list: works
    only on days of `shift_exceptions`."""
    shift_exceptions: list[ShiftExceptionFields]
    """Days off, and days with other shifts than the weekly ones."""
    start_place: str | None
    """The place where work begins."""
    end_place: str | None
    """The place where work ends."""
    cost_per_hour: int | None
    """In minor units of `currency`. Plans compare routes by it."""
    currency: str | None
    """The cost's currency, ISO 4217. Defaults to the company's."""
    distance: NotRequired[float]
    """Metres from `nearby`."""
    token: str
    """Shown once."""
    driver: DriverOut
    device_proof: str
    """Keep it, and send it as `Device-Proof` at the next sign-in. Attempts by strangers then do
    not count against this device. It grants no access."""


DriverStatus: TypeAlias = "Literal['accident_hold', 'active', 'available', 'delayed', 'inactive', 'no_show', 'off_duty', 'on_break', 'on_duty', 'on_leave', 'on_route', 'onboarding', 'pending_verification', 'pre_shift', 'suspended', 'terminated', 'training']"


class DriverStopOut(TypedDict):
    """A remaining stop of a driver, with the ETA that was last computed."""

    order: str
    waypoint: str | None
    """Null for an end of an order without stops."""
    type: StopType
    dispatched: bool
    """Whether its order is dispatched."""
    time_window_start: str | None
    time_window_end: str | None
    planned_at: str | None
    """Arrival by the accepted plan."""
    eta: str | None
    """Null while it is unknown."""
    forecast: ForecastState | None
    """`late` if the ETA is after the time window, `at_risk` if it is less than ten minutes before
    its end."""
    late_seconds: int | None
    """Seconds from the end of the time window to the ETA."""


class DriverStopsOut(TypedDict):
    """The remaining stops of a driver, in the sequence of the visits."""

    driver: str
    located_at: str | None
    """Time of the position from which the ETAs were computed."""
    computed_at: str | None
    """Time at which they were computed."""
    dispatch_phone: str | None
    """The number on which drivers reach dispatch."""
    stops: list[DriverStopOut]


class DuplicateIn(TypedDict):
    """What differs from the earlier order."""

    day: NotRequired[str]
    """Moves the schedule and the time windows to this day, with the same times of day in the
    company's time zone. Without it, they are left out."""
    internal_id: NotRequired[str]
    """The company's own number. Unique, unless the company allows duplicates."""
    driver: NotRequired[str]


class EmailIn(TypedDict):
    """The new address, which receives the code."""

    email: str


class EmailLoginIn(TypedDict):
    """A request for a code by email."""

    email: str


class EntityChange(TypedDict):
    """Changes to an item. Omitted fields stay; null clears a field."""

    cod_amount: NotRequired[int | None]
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    destination: NotRequired[int | str | None]
    """The stop where the item is delivered: the index of a waypoint in this request, the
    identifier of a waypoint, or the identifier of a stop's place."""
    internal_id: NotRequired[str | None]
    """The company's own number."""
    name: NotRequired[str]
    type: NotRequired[str]
    description: NotRequired[str | None]
    sku: NotRequired[str | None]
    quantity: NotRequired[int]
    """The number of equal pieces. Weight, size, price and declared value are those of one piece;
    cash on delivery of all of them."""
    expected_codes: NotRequired[Sequence[str]]
    """Codes declared for the item's proof. Any other scan is rejected."""
    length: NotRequired[float | None]
    width: NotRequired[float | None]
    height: NotRequired[float | None]
    dimensions_unit: NotRequired[LengthUnit]
    weight: NotRequired[float | None]
    weight_unit: NotRequired[WeightUnit]
    declared_value: NotRequired[int | None]
    """In minor units of the currency."""
    price: NotRequired[int | None]
    """In minor units of the currency."""
    sale_price: NotRequired[int | None]
    """In minor units of the currency."""
    currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    customer: NotRequired[str | None]
    supplier: NotRequired[str | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    payload: NotRequired[str | None]


class EntityIn(TypedDict):
    """An item of a payload. In a change, an item sent with its `id` is kept."""

    cod_amount: NotRequired[int | None]
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    destination: NotRequired[int | str | None]
    """The stop where the item is delivered: the index of a waypoint in this request, the
    identifier of a waypoint, or the identifier of a stop's place."""
    internal_id: NotRequired[str | None]
    """The company's own number."""
    name: NotRequired[str]
    type: NotRequired[str]
    description: NotRequired[str | None]
    sku: NotRequired[str | None]
    quantity: NotRequired[int]
    """The number of equal pieces. Weight, size, price and declared value are those of one piece;
    cash on delivery of all of them."""
    expected_codes: NotRequired[Sequence[str]]
    """Codes declared for the item's proof. Any other scan is rejected."""
    length: NotRequired[float | None]
    width: NotRequired[float | None]
    height: NotRequired[float | None]
    dimensions_unit: NotRequired[LengthUnit]
    weight: NotRequired[float | None]
    weight_unit: NotRequired[WeightUnit]
    declared_value: NotRequired[int | None]
    """In minor units of the currency."""
    price: NotRequired[int | None]
    """In minor units of the currency."""
    sale_price: NotRequired[int | None]
    """In minor units of the currency."""
    currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    customer: NotRequired[str | None]
    supplier: NotRequired[str | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    id: NotRequired[str]


class EntityOut(TypedDict):
    """An item."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    payload: str | None
    destination: str | None
    """The stop where the item is delivered."""
    internal_id: str | None
    """The company's own number."""
    name: str
    type: str
    description: str | None
    sku: str | None
    quantity: int
    """The number of equal pieces. Weight, size, price and declared value are those of one piece;
    cash on delivery of all of them."""
    expected_codes: list[str]
    """Codes declared for the item's proof. Any other scan is rejected."""
    length: float | None
    width: float | None
    height: float | None
    dimensions_unit: LengthUnit
    weight: float | None
    weight_unit: WeightUnit
    declared_value: int | None
    """In minor units of the currency."""
    price: int | None
    """In minor units of the currency."""
    sale_price: int | None
    """In minor units of the currency."""
    currency: str | None
    """ISO 4217, three letters."""
    customer: str | None
    supplier: str | None
    tracking: str | None
    tracking_number: str | None
    """Deprecated: use `tracking`."""
    cod_amount: int | None
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: str | None
    """ISO 4217, three letters."""
    cod_payment_method: CodMethod | None
    meta: JsonObject
    """The company's own data, up to 16 KiB."""


class EntryOut(TypedDict):
    """An event type of the catalogue."""

    event: Name
    group: str
    meaning: str
    schema: JsonObject | None
    """JSON Schema (2020-12) of `data`; null if the event is never emitted."""


class EphemeralKeyIn(TypedDict):
    """The API version of the app's library."""

    api_version: NotRequired[str]
    """The version of the gateway's API that the app's library uses."""


class EphemeralKeyOut(TypedDict):
    """A key to a customer's saved cards."""

    ephemeralKey: str
    """A secret."""
    customerId: str
    """The customer at the gateway."""
    publishableKey: str
    expires: str | None


class EventEnvelope(TypedDict):
    """An event as webhooks receive it: the same fields, in the same bytes."""

    event: Name
    api_version: str
    created_at: str
    data: JsonObject
    """A snapshot of the record. `GET /int/v1/event-catalog` has its schema."""
    id: str


class EventFeedOut(TypedDict):
    """Events in the order in which they were committed, and where to read on."""

    data: list[EventEnvelope]
    meta: FeedMeta


class EventIn(TypedDict):
    """An event of a device."""

    event_type: str
    """One of the nine types, or any other, which is stored as it is."""
    timestamp: NotRequired[str | datetime | float]
    """Time of the event: RFC 3339 with an offset, or Unix time in seconds or milliseconds.
    Defaults to now."""
    location: NotRequired[LocationIn]
    """A GeoJSON point, or `latitude` and `longitude`."""
    data: NotRequired[JsonObject]
    """Values of the event type. Other keys are stored unchanged."""
    event_id: NotRequired[str]
    """Your own id, by which a repeat is recognised. Without one, the whole content is compared."""


class EventOut(TypedDict):
    """An event of the log, with the body that receivers get."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    event: Name
    subject: str
    """Public id of the record that the event is about."""
    created_at: str
    relayed_at: str | None
    body: JsonObject


class ExplainedOut(TypedDict):
    """Quotes, and the rates without a price."""

    quotes: list[QuoteOut]
    rejected: list[RefusalOut]
    """Up to 500 rates."""


class FacebookLogin(TypedDict):
    """A sign-in with provider C, as existing apps send it."""

    email: NotRequired[str]
    name: NotRequired[str]
    accessToken: NotRequired[str]
    """The provider's access token: a proof."""
    authenticationToken: NotRequired[str]
    """The provider's OIDC token: a proof."""
    nonce: NotRequired[str]
    """The nonce that the app gave the provider, if any."""
    facebookUserId: str
    """The provider's id of the user."""


class FailureReason(TypedDict):
    """Why a delivery failed, and what happens next."""

    code: str
    label: str
    """Label for people, including recipients."""
    photo: NotRequired[bool]
    """Whether a photo is required. Defaults to `false`."""
    then: NotRequired[UndeliveredDecision]
    """`retry` attempts the delivery again, `return` returns the goods, `hold` waits for a
    dispatcher's decision. Defaults to `"retry"`."""


class FeedMeta(TypedDict):
    """How to continue in the feed of events."""

    limit: int
    has_more: bool
    """Whether more events may follow at once. If not, poll again later."""
    next_cursor: str
    """Send it as `cursor` to read on. It never ends, and is never null."""


class FieldOut(TypedDict):
    """A field that can be used in a text."""

    name: str
    meaning: str


class FileIn(TypedDict):
    """A file in JSON; the server detects its content type."""

    data: str | bytes
    """The content in base64, bare or as a data URI."""
    name: NotRequired[str]
    content_type: NotRequired[str]
    """Only distinguishes types of plain text, such as `text/csv`."""


class FileOut(TypedDict):
    """A file, with a download link that is valid for an hour."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    name: str
    content_type: str
    """Detected from the content."""
    size: int
    """Bytes."""
    sha256: str
    """The content's hash, in hexadecimal."""
    url: str
    """Downloads the file without a credential."""
    url_expires_at: str
    created_at: str
    version: int
    """Always 1: a file never changes."""


class FixIn(TypedDict):
    """A past position of a driver."""

    latitude: NotRequired[float]
    longitude: NotRequired[float]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """Instead of `latitude` and `longitude`."""
    heading: NotRequired[float]
    """Degrees clockwise from north."""
    altitude: NotRequired[float]
    """Metres."""
    speed: NotRequired[float]
    """Metres per second."""
    accuracy: NotRequired[float]
    """Metres."""
    recorded_at: NotRequired[str | datetime]
    """Time of the position. Defaults to now. Late reports do not replace newer positions."""
    event_id: NotRequired[str]
    """The sender's own id, by which a repeat is recognised. Without one, the whole content is
    compared."""


class FixedOrderIn(TypedDict):
    """An order that must go to a certain driver."""

    order: str
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    driver: str


class FleetChange(TypedDict):
    """Changes to a fleet. Omitted fields stay, and null clears a field."""

    name: NotRequired[str]
    task: NotRequired[str | None]
    status: NotRequired[RecordStatus]
    parent_fleet: NotRequired[str | None]
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""


class FleetDriverIn(TypedDict):
    """The driver to add to a fleet."""

    driver: NotRequired[str]


class FleetIn(TypedDict):
    """A new fleet."""

    name: str
    task: NotRequired[str | None]
    status: NotRequired[RecordStatus]
    """Defaults to `"active"`."""
    parent_fleet: NotRequired[str | None]
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""


class FleetOut(TypedDict):
    """A fleet with its members. `version` counts changes to the fleet's fields."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str
    task: str | None
    status: RecordStatus
    parent_fleet: str | None
    drivers: list[str]
    """The first 100. `GET /v1/drivers?fleet=` lists all of them."""
    vehicles: list[str]
    """The first 100. `GET /v1/vehicles?fleet=` lists all of them."""
    meta: JsonObject
    """Custom data of the company."""


class FleetVehicleIn(TypedDict):
    """The vehicle to add to a fleet."""

    vehicle: NotRequired[str]


class FlowOut(TypedDict):
    """The flow of an order, and its current position. The activities that follow the order's
    latest one may fire. Once an order with stops has started, the next activities of its
    current stop may fire too. When a stop is done, the order returns to `started`, and the
    first stop that is not done becomes current. When the last stop is done, so is the order."""

    order: str
    status: str
    activity: str
    """The latest activity of the order."""
    open: bool
    """Whether the order is open."""
    current_waypoint: str | None
    next: list[str]
    """Activities that are possible now."""
    collecting: bool
    """Whether steps at the pickup of an order without stops are left."""
    activities: list[ActivityAhead]
    """For an order with stops: only created, dispatched and started, and also returned if goods
    are sent back."""
    waypoints: list[StopAhead]
    undelivered: Undelivered | None
    """Result of failed attempts: `hold` waits for a decision, `return` goes back."""
    held: bool
    """Whether the order waits for a dispatcher's decision."""
    failure_reasons: list[FailureReason]
    """Reasons for failed attempts, and what happens next."""
    expected: dict[str, list[str]]
    """Codes of each order, stop or item whose items declare codes. Any other scan is rejected."""
    known: dict[str, list[str]]
    """The codes of every order, stop or item that is to be scanned: declared codes, tracking
    number, internal id, id and UUID. Any other scan is unmatched."""


class Forecast(TypedDict):
    """Whether an order will be late, judged by its stop with the worst delay."""

    state: ForecastState
    """`late` if the ETA is after the time window, `at_risk` if it is less than ten minutes before
    its end."""
    late_seconds: int
    """Seconds from the end of the time window to the ETA."""
    waypoint: str | None
    type: StopType
    eta: str
    time_window_end: str


class ForecastCounts(TypedDict):
    """Numbers of open orders whose ETAs are late or at risk, each counted up to 1,000."""

    late: int
    at_risk: int


ForecastState: TypeAlias = "Literal['at_risk', 'late', 'on_time']"


class ForgotIn(TypedDict):
    """The identity whose password was forgotten."""

    identity: str
    """A phone number or an email address."""


class GeoJsonMultiPolygon(TypedDict):
    """A GeoJSON polygon of several parts."""

    type: Literal["MultiPolygon"]
    coordinates: list[list[list[list[float]]]]


class GeoJsonPoint(TypedDict):
    """A GeoJSON point."""

    type: Literal["Point"]
    coordinates: list[float]
    """Longitude and latitude in degrees."""


class GeoJsonPolygon(TypedDict):
    """A GeoJSON polygon: its outer ring, then its holes."""

    type: Literal["Polygon"]
    coordinates: list[list[list[float]]]


class GeocodingOut(TypedDict):
    """The geocoding of an address. Null if the caller sent coordinates."""

    status: Literal["failed", "found", "not_found", "off", "waiting"]
    """`waiting` for the geocoder, `found`, `not_found`, `failed` if it was unavailable too often,
    or `off` if this installation has none."""
    source: Literal["embedded", "nominatim", "photon"] | None
    quality: AddressQuality | None
    """Precision of the point."""
    located_at: str | None


class HandInIn(TypedDict):
    """The cash that a driver hands in, as counted."""

    currency: str
    """ISO 4217, three letters."""
    counted_amount: int
    """In whole minor units of the currency."""
    expected_amount: NotRequired[int]
    """The balance that you have seen. If the driver has collected more since, nothing is handed
    in."""
    remarks: NotRequired[str]


class HandInOut(TypedDict):
    """A driver's hand-in of the cash in one currency."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    driver: str
    currency: str
    """ISO 4217, three letters."""
    collections: int
    """Number of collections."""
    expected_amount: int
    """In whole minor units of the currency."""
    counted_amount: int
    """In whole minor units of the currency."""
    difference: int
    """Counted minus expected: negative if cash is missing."""
    remarks: str | None
    actor: ActorOut
    """The actor that counted the cash."""


class HeadOut(TypedDict):
    """The signed end of a chain."""

    statement: str
    """The signed JSON text: the order, its number among the company's orders with proofs, its
    number of proofs, the hash of the last one, and the time."""
    signature: str
    """Ed25519 of `pannier head 1`, a line feed and the statement."""
    key_id: str


class Home(TypedDict):
    """Today's figures, and what needs a decision."""

    day: str
    """Today in the company's time zone."""
    today: list[HomeCount]
    """Today's orders."""
    punctuality: HomePunctuality
    money: list[HomeMoney]
    """By currency."""
    decisions: list[HomeCount]
    """Records that need a decision."""


class HomeCount(TypedDict):
    """A number of records, and the list that contains exactly these."""

    name: Literal[
        "completed",
        "disabled_webhooks",
        "failed",
        "held",
        "late",
        "on_the_way",
        "open_issues",
        "refunds_due",
        "silent_devices",
        "unassigned",
        "unpriced",
    ]
    count: int
    """Up to the counting limit."""
    more: bool
    """Whether there are more than `count`."""
    path: str
    """The path of the list."""
    filters: dict[str, str]
    """The query of the list."""


class HomeMoney(TypedDict):
    """Today's revenue, and the cash that drivers carry, in one currency."""

    currency: str
    """ISO 4217."""
    revenue: int
    """What was charged today and is owed or paid, in whole minor units. Voided and refunded
    amounts are taken out."""
    cash_with_drivers: int
    """In whole minor units."""


class HomePunctuality(TypedDict):
    """How many of today's completed orders were on time."""

    completed: int
    with_window: int
    """Completed orders with a time window."""
    on_time: int
    """Completed before the end of their time window."""


class HoursIn(TypedDict):
    """Working hours in the company's time zone."""

    start: NotRequired[str]
    """Time of day, `HH:MM`. Defaults to `"08:00"`."""
    end: NotRequired[str]
    """Time of day, `HH:MM`. Defaults to `"18:00"`."""


class IdentityConfirmed(TypedDict):
    """The customer's identity was confirmed. For some minutes, sign-in methods can be changed."""

    status: str
    confirmed_until: str


class IdleDriverOut(TypedDict):
    """A driver's shift without work."""

    driver: PlanDriverOut
    vehicle: PlanVehicleOut | None
    shift_start: str
    shift_end: str


class ImportChange(TypedDict):
    """A change of an import that has not started."""

    mapping: NotRequired[Mapping[str, str | None]]
    """The field of each column, by the column's header; null skips a column."""
    date_order: NotRequired[DateOrder | None]


class ImportCountsOut(TypedDict):
    """The number of rows by result. An order of several rows counts once."""

    ready: int
    """Without errors, in a dry run."""
    created: int
    unchanged: int
    """The record exists already and was left as it is."""
    failed: int
    undone: int
    """Created, then deleted by undoing."""
    kept: int
    """Created, and still needed when undone."""


class ImportFieldOut(TypedDict):
    """A field that columns can be mapped to."""

    field: str
    label: str
    required: bool


class ImportIn(TypedDict):
    """A new import of an uploaded file. Without a mapping, the suggested one is used."""

    resource: ImportResource
    """The kind of records in the file."""
    file: NotRequired[str]
    """An uploaded CSV or XLSX file."""
    data: NotRequired[str]
    """Instead of `file`: the content in base64, bare or as a data URI."""
    name: NotRequired[str]
    """The file name of `data`."""
    mapping: NotRequired[Mapping[str, str | None]]
    """The field of each column, by the column's header; null skips a column."""
    date_order: NotRequired[DateOrder]
    """Whether dates such as 3/4/2026 begin with the day or the month. Without it, rows with a date
    that could be read in both orders are refused."""


class ImportOut(TypedDict):
    """An import."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    resource: ImportResource
    """The kind of records in the file."""
    state: Literal["checked", "checking", "done", "failed", "importing", "new", "undoing", "undone"]
    """`new`; `checking` and `checked` by a dry run; `importing` and `done`; `undoing` and
    `undone`; or `failed`, if the file could not be read."""
    name: str
    """The name of the file."""
    file_name: str
    """Deprecated: use `name`."""
    format: Literal["csv", "xlsx"]
    encoding: str | None
    separator: str | None
    sheet: str | None
    """The sheet of an XLSX file."""
    headers: list[str]
    """The columns of the file."""
    sample: list[list[str]]
    """The first rows of the file. Empty for a key that cannot read such records."""
    mapping: dict[str, str]
    """The field of each mapped column."""
    date_order: DateOrder | None
    """Whether dates such as 3/4/2026 begin with the day or the month. Without it, rows with a date
    that could be read in both orders are refused."""
    fields: list[ImportFieldOut]
    """The fields that columns can be mapped to."""
    missing: list[str]
    """Required fields that no column is mapped to."""
    row_count: int | None
    """The number of the file's last row."""
    processed: int
    """The number of the last processed row."""
    counts: ImportCountsOut
    failure: str | None
    """Why the file could not be read."""
    checked_at: str | None
    started_at: str | None
    finished_at: str | None
    undone_at: str | None


ImportResource: TypeAlias = (
    "Literal['contacts', 'drivers', 'orders', 'places', 'service-rates', 'vehicles']"
)


class ImportedRowOut(TypedDict):
    """The result of a row."""

    number: int
    """The row as spreadsheets number it: the header is 1."""
    state: Literal["created", "failed", "kept", "unchanged", "undone"]
    record: str | None
    """The record's id."""
    errors: list[RowErrorOut]


class IngestOut(TypedDict):
    """The outcome of a request; accepted events are stored durably."""

    accepted: int
    """Number of new events."""
    duplicates: int
    """Number of events that were stored before."""
    rejected: list[RejectedOut]
    pending: NotRequired[int]
    """Number of accepted events that are not stored yet."""


class Integrity(TypedDict):
    """The data that verifies the proof, even without Pannier."""

    algorithm: Literal["sha256"]
    sequence: int
    """Position in the order's chain."""
    hash: str
    previous: str | None
    signature: str
    """Ed25519 of the hash."""
    key_id: str


class InvoiceChange(TypedDict):
    """Changes to a draft. Omitted fields stay; null clears a field."""

    reference: NotRequired[str | None]
    """The customer's reference, such as an order number."""
    notes: NotRequired[str | None]
    """A text for the customer."""
    due_date: NotRequired[str | None]
    """A day between the years 1970 and 2100."""


_InvoiceDetailsOutKeywords = TypedDict(
    "_InvoiceDetailsOutKeywords",
    {
        "from": "str | None",
    },
)


class InvoiceDetailsOut(_InvoiceDetailsOutKeywords):
    """An invoice or a credit note with its lines."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    kind: InvoiceKind
    """The amounts of a credit note are negative."""
    status: InvoiceStatus
    """Derived from the payments of its transactions, which settle the oldest invoice first. A
    credit note stays `issued`."""
    number: str | None
    """Null while it is a draft."""
    customer: str
    """A customer, contact or vendor."""
    customer_type: PartnerType
    customer_name: str
    """The present name of the customer."""
    currency: str
    """ISO 4217."""
    net_amount: int
    """Without tax, in whole minor units of the currency."""
    tax_amount: int
    """The part of the amount that is tax, in minor units."""
    amount: int
    """With tax, in whole minor units of the currency."""
    open_amount: int
    """What is still to be paid."""
    credited_amount: int
    """What credit notes have taken back."""
    to: str | None
    """The last day of the charges."""
    issue_date: str | None
    """In the company's time zone."""
    issued_at: str | None
    due_date: str | None
    reference: str | None
    """The customer's reference, such as an order number."""
    notes: str | None
    """A text for the customer."""
    refers_to: str | None
    """The invoice that a credit note corrects."""
    reason: str | None
    """The reason of a credit note."""
    seller: PartyOut
    """As it was when the document was issued."""
    buyer: PartyOut
    """As it was when the document was issued."""
    lines: list[InvoiceLineOut]
    taxes: list[TaxTotalOut]
    """The sums for each tax rate."""


class InvoiceDocument(TypedDict):
    """An invoice or a credit note. Drafts have no number."""

    kind: NotRequired[InvoiceKind]
    """Defaults to `"invoice"`."""
    number: NotRequired[str | None]
    issue_date: str
    due_date: NotRequired[str | None]
    supply_from: NotRequired[str | None]
    supply_to: NotRequired[str | None]
    currency: str
    locale: NotRequired[str]
    """Defaults to `"en"`."""
    seller: Party
    buyer: Party
    brand: Brand
    lines: NotRequired[list[DocumentLine]]
    """Defaults to `[]`."""
    taxes: NotRequired[list[TaxTotal]]
    """Defaults to `[]`."""
    net_amount: int
    tax_amount: int
    amount: int
    paid_amount: NotRequired[int]
    """Defaults to `0`."""
    due_amount: int
    refers_to: NotRequired[DocumentReference | None]
    reference: NotRequired[str | None]
    notes: NotRequired[str | None]
    footer: NotRequired[str | None]
    payment: NotRequired[PaymentInstructions]


class InvoiceExport(TypedDict):
    """An invoice or a credit note to the person. Drafts have no document."""

    id: str
    state: str
    currency: str
    amount: int
    open_amount: int
    document: InvoiceDocument | None


_InvoiceInKeywords = TypedDict(
    "_InvoiceInKeywords",
    {
        "from": "NotRequired[str]",
    },
)


class InvoiceIn(_InvoiceInKeywords):
    """What to invoice to a customer."""

    customer: str
    """A customer, contact or vendor."""
    to: NotRequired[str]
    """The last day of the charges, in the company's time zone."""
    orders: NotRequired[Sequence[str]]
    """Only charges of these orders."""
    currency: NotRequired[str]
    """ISO 4217. Required if the charges have several currencies."""
    reference: NotRequired[str]
    """The customer's reference, such as an order number."""
    notes: NotRequired[str]
    """A text for the customer."""
    due_date: NotRequired[str]
    """Defaults to the terms of the customer, from the issue date."""


InvoiceKind: TypeAlias = "Literal['credit_note', 'invoice']"


class InvoiceLineOut(TypedDict):
    """A line of an invoice."""

    id: str
    position: int
    """Its number, from 1."""
    kind: ChargeKind | Literal["balance"]
    """The kind of charge. `balance` corrects earlier lines of a transaction."""
    description: str
    date: str
    """The day of the charge."""
    order: str | None
    transaction: str
    net_amount: int
    """Without tax, in whole minor units of the currency."""
    tax_rate: float | None
    """Per cent."""
    tax_amount: int
    """The part of the amount that is tax, in minor units."""
    amount: int
    """With tax, in whole minor units of the currency."""


_InvoiceOutKeywords = TypedDict(
    "_InvoiceOutKeywords",
    {
        "from": "str | None",
    },
)


class InvoiceOut(_InvoiceOutKeywords):
    """An invoice or a credit note, without its lines."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    kind: InvoiceKind
    """The amounts of a credit note are negative."""
    status: InvoiceStatus
    """Derived from the payments of its transactions, which settle the oldest invoice first. A
    credit note stays `issued`."""
    number: str | None
    """Null while it is a draft."""
    customer: str
    """A customer, contact or vendor."""
    customer_type: PartnerType
    customer_name: str
    """The present name of the customer."""
    currency: str
    """ISO 4217."""
    net_amount: int
    """Without tax, in whole minor units of the currency."""
    tax_amount: int
    """The part of the amount that is tax, in minor units."""
    amount: int
    """With tax, in whole minor units of the currency."""
    open_amount: int
    """What is still to be paid."""
    credited_amount: int
    """What credit notes have taken back."""
    to: str | None
    """The last day of the charges."""
    issue_date: str | None
    """In the company's time zone."""
    issued_at: str | None
    due_date: str | None
    reference: str | None
    """The customer's reference, such as an order number."""
    notes: str | None
    """A text for the customer."""
    refers_to: str | None
    """The invoice that a credit note corrects."""
    reason: str | None
    """The reason of a credit note."""


class InvoiceSendIn(TypedDict):
    """Where to send an invoice."""

    to: NotRequired[str]
    """An email address. Defaults to that of the customer."""


InvoiceStatus: TypeAlias = "Literal['credited', 'draft', 'issued', 'overdue', 'paid']"


class IssueChange(TypedDict):
    """Changes to an issue. Omitted fields stay, and null clears a field."""

    report: NotRequired[str]
    driver: NotRequired[str | None]
    vehicle: NotRequired[str | None]
    order: NotRequired[str | None]
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    title: NotRequired[str | None]
    priority: NotRequired[IssuePriority]
    type: NotRequired[str | None]
    category: NotRequired[str | None]
    tags: NotRequired[Sequence[str] | None]
    status: NotRequired[IssueStatus]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """GeoJSON, `{latitude, longitude}` or `latitude,longitude`."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""


class IssueExport(TypedDict):
    """A problem with the order."""

    title: str | None
    report: str
    resolution: str | None
    created_at: str


class IssueIn(TypedDict):
    """A new issue."""

    report: str
    driver: NotRequired[str | None]
    vehicle: NotRequired[str | None]
    order: NotRequired[str | None]
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    title: NotRequired[str | None]
    priority: NotRequired[IssuePriority]
    """Defaults to `"medium"`."""
    type: NotRequired[str | None]
    category: NotRequired[str | None]
    tags: NotRequired[Sequence[str] | None]
    status: NotRequired[IssueStatus]
    """Defaults to `"open"`."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """GeoJSON, `{latitude, longitude}` or `latitude,longitude`."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""


class IssueOut(TypedDict):
    """An issue."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    driver: str | None
    vehicle: str | None
    order: str | None
    title: str | None
    report: str
    priority: IssuePriority
    type: str | None
    category: str | None
    tags: list[str]
    status: IssueStatus
    location: PointOut | None
    resolution: str | None
    resolved_at: str | None
    meta: JsonObject
    """Custom data of the company."""


class IssuePhotoOut(TypedDict):
    """A photo of an issue."""

    url: str
    """Valid for 15 minutes."""
    thumbnail_url: str
    """Valid for 15 minutes."""
    created_at: str


class IssuePhotosIn(TypedDict):
    """Photos of an issue."""

    photo: NotRequired[str | bytes]
    """An image in base64, bare or as a data URI; in a form, a file."""
    photos: NotRequired[Sequence[str | bytes]]


IssuePriority: TypeAlias = "Literal['critical', 'high', 'low', 'medium', 'operational_suggestion', 'scheduled_maintenance']"

IssueStatus: TypeAlias = "Literal['awaiting_parts', 'awaiting_vendor', 'backlogged', 'canceled', 'closed', 'completed', 'duplicate', 'escalated', 'in_progress', 'in_review', 'monitoring', 'open', 'pending', 'pending_review', 're_opened', 'requires_update', 'resolved', 'triage', 'wont_fix']"


class ItemIn(TypedDict):
    """An item. Fields that only orders use are ignored."""

    quantity: NotRequired[int]
    """The number of equal pieces. Weight, size, price and declared value are those of one piece;
    cash on delivery of all of them. Defaults to `1`."""
    length: NotRequired[float]
    width: NotRequired[float]
    height: NotRequired[float]
    dimensions_unit: NotRequired[LengthUnit]
    """Defaults to `"cm"`."""
    weight: NotRequired[float]
    weight_unit: NotRequired[WeightUnit]
    """Defaults to `"kg"`."""
    declared_value: NotRequired[int]
    """In minor units."""
    currency: NotRequired[str]
    """Of the declared value."""


class ItemOut(TypedDict):
    """A line of a transaction."""

    kind: ChargeKind
    code: str
    details: str
    amount: int
    """In whole minor units of the currency."""
    tax_rate: float | None
    """Per cent."""
    tax_amount: int
    """The part of the amount that is tax, in minor units."""
    net_amount: int
    """The amount without tax, in whole minor units."""


JsonObject: TypeAlias = "dict[str, Any]"


class KeyChange(TypedDict):
    """Changes of a key: its name and scopes. The other fields must be unchanged."""

    name: NotRequired[str]
    scopes: NotRequired[Sequence[str]]
    kind: NotRequired[KeyKind]
    store: NotRequired[str | None]
    expires_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    revoked_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""


class KeyIn(TypedDict):
    """A new key; a storefront key may name its store, an app key has no scopes."""

    kind: KeyKind
    name: str
    scopes: NotRequired[Sequence[str]]
    """Defaults to all, `*`."""
    store: NotRequired[str]
    expires_at: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""


KeyKind: TypeAlias = "Literal['api', 'app', 'storefront']"


class KeyOut(TypedDict):
    """A key, without its secret."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    kind: KeyKind
    name: str
    scopes: list[str]
    hint: str
    """The beginning of the key."""
    store: str | None
    last_used_at: str | None
    expires_at: str | None
    revoked_at: str | None
    replaced_by: str | None


class KeyRotation(TypedDict):
    """How long the old key works after the new one is created."""

    overlap_seconds: NotRequired[int]
    """Seconds the old key keeps working. Defaults to `86400`."""


class LabelsIn(TypedDict):
    """Orders whose labels to print, in this order."""

    orders: Sequence[str]
    """Up to 100 for ZPL and 50 for a PDF."""
    format: NotRequired[Literal["pdf", "zpl"]]
    """`zpl` is for label printers with 203 dpi. Defaults to `"pdf"`."""
    size: NotRequired[Literal["4x6", "a4", "a6"]]
    """`a6` (105 x 148 mm), `4x6` (inches), or `a4`: four labels on a sheet. ZPL has no sheets.
    Defaults to `"a6"`."""
    start: NotRequired[int]
    """The position of the first label on an `a4` sheet, from left to right. Earlier positions stay
    blank, so that a used sheet can be printed again. Defaults to `1`."""


class LatestReading(TypedDict):
    """The latest reading of a type."""

    event_id: str
    """The event's id."""
    event_type: str
    """One of the nine types, by name or alias, or a custom type."""
    timestamp: str
    severity: Severity | None
    data: JsonObject


class LatitudeLongitude(TypedDict):
    """A point by its latitude and longitude."""

    latitude: float
    longitude: float


LengthUnit: TypeAlias = "Literal['cm', 'ft', 'in', 'm', 'mm', 'yd']"


class LineOut(TypedDict):
    """A part of a price."""

    code: str
    details: str
    amount: int
    """Minor units."""
    currency: str
    """ISO 4217 code."""


class LinkExport(TypedDict):
    """The person's account at a sign-in provider."""

    provider: str
    subject: str
    email: str | None
    verified: bool
    created_at: str
    last_used_at: str


class LinkedProvider(TypedDict):
    """A provider that the customer can sign in with."""

    id: str
    """Used to unlink the provider."""
    provider: Literal["a", "b", "c"]
    email: str | None
    """As reported by the provider."""
    created_at: str
    last_used_at: str


class Listed_AlertOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[AlertOut]
    meta: PageMeta


class Listed_AttachmentOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[AttachmentOut]
    meta: PageMeta


class Listed_AuditOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[AuditOut]
    meta: PageMeta


class Listed_CashCollectionOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[CashCollectionOut]
    meta: PageMeta


class Listed_CustomerDetailsOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[CustomerDetailsOut]
    meta: PageMeta


class Listed_DeliveryOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[DeliveryOut]
    meta: PageMeta


class Listed_DeviceEventOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[DeviceEventOut]
    meta: PageMeta


class Listed_DeviceLatestOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[DeviceLatestOut]
    meta: PageMeta


class Listed_DeviceOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[DeviceOut]
    meta: PageMeta


class Listed_EventOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[EventOut]
    meta: PageMeta


class Listed_HandInOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[HandInOut]
    meta: PageMeta


class Listed_InvoiceOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[InvoiceOut]
    meta: PageMeta


class Listed_KeyOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[KeyOut]
    meta: PageMeta


class Listed_MessageOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[MessageOut]
    meta: PageMeta


class Listed_OperatorOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[OperatorOut]
    meta: PageMeta


class Listed_OrderQuoteOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[OrderQuoteOut]
    meta: PageMeta


class Listed_ParkedOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[ParkedOut]
    meta: PageMeta


class Listed_RejectOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[RejectOut]
    meta: PageMeta


class Listed_RemittanceOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[RemittanceOut]
    meta: PageMeta


class Listed_SavedViewOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[SavedViewOut]
    meta: PageMeta


class Listed_ServiceRateOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[ServiceRateOut]
    meta: PageMeta


class Listed_SessionOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[SessionOut]
    meta: PageMeta


class Listed_StorefrontOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[StorefrontOut]
    meta: PageMeta


class Listed_TransactionOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[TransactionOut]
    meta: PageMeta


class Listed_WebhookOut(TypedDict):
    """A page under `/int/v1`."""

    data: list[WebhookOut]
    meta: PageMeta


class LocationIn(TypedDict):
    """A location as GeoJSON, or as latitude and longitude."""

    type: NotRequired[str]
    coordinates: NotRequired[Sequence[float]]
    latitude: NotRequired[float]
    longitude: NotRequired[float]


class LocationSettings(TypedDict):
    """Configured minimums for the events about a driver's moves."""

    distance: NotRequired[int | None]
    """Metres that a driver moves before an event is emitted."""
    interval: NotRequired[int | None]
    """Minimum seconds between two events about a driver's position."""


class Locations(TypedDict):
    """A driver's move emits an event after this distance and interval."""

    distance: int
    """Metres that a driver moves before an event is emitted."""
    interval: int
    """Minimum seconds between two events about a driver's position."""


class LoginIn(TypedDict):
    """A sign-in; `cookie` asks for the console's session instead of a bearer token."""

    email: str
    password: str
    company: NotRequired[str]
    """The company; required if the address and password match several."""
    cookie: NotRequired[bool]
    """Defaults to `false`."""


class LoginOut(TypedDict):
    """A successful sign-in."""

    token: str | None
    csrf_token: str | None
    expires_at: str
    operator: OperatorOut
    device_proof: str | None
    """Null with a cookie, which carries it."""


class LookupIn(TypedDict):
    """The text typed so far, and where to search."""

    query: str
    """The text typed so far."""
    near: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """Prefer results near this point."""
    country: NotRequired[str]
    """Search only in this country. Defaults to the company's."""
    limit: NotRequired[int]
    """Defaults to `5`."""


class LookupOut(TypedDict):
    """Suggested addresses, the company's own places first."""

    suggestions: list[SuggestionOut]
    geocoder: Literal["embedded", "nominatim", "photon"] | None
    """The geocoder that was queried as well. Null if there is none or it is unavailable."""


class MeChange(TypedDict):
    """Fields that operators may change themselves. A new password requires the current one."""

    name: NotRequired[str]
    password: NotRequired[str]
    email: NotRequired[str]
    role: NotRequired[OperatorRole]
    current_password: NotRequired[str]


class MeOut(TypedDict):
    """The signed-in operator and their company."""

    operator: OperatorOut
    company: CompanyOut


MessageChannel: TypeAlias = "Literal['email', 'push', 'sms']"


class MessageExport(TypedDict):
    """A message to the person. Codes that are still valid are hidden."""

    channel: str
    recipient: str
    subject: str
    body: str
    state: str
    created_at: str
    sent_at: str | None


class MessageOut(TypedDict):
    """A message and its delivery state."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    channel: MessageChannel
    to: str
    subject: str
    text: str
    """A secret text, such as a code, can be read only in the state `drawer`."""
    state: Literal["drawer", "due", "failed", "sent"]
    attempts: int
    """Delivery attempts so far."""
    error: str | None
    """Error of the latest attempt."""
    created_at: str
    sent_at: str | None
    kind: str | None
    """Kind of news; null for other messages."""
    order: str | None
    """Order that the news is about."""


class MessagePhotoOut(TypedDict):
    """A photo of a message."""

    url: str
    """Valid for 15 minutes."""
    thumbnail_url: str
    """Valid for 15 minutes."""


class MessageReadIn(TypedDict):
    """The thread that was read."""

    thread: NotRequired[Literal["driver", "order"]]
    """The driver's whole thread, or only the message's order. Defaults to `"driver"`."""


class MeterFee(TypedDict):
    """The fee of routes up to this distance, in the rate's `max_distance_unit`."""

    distance: float
    fee: int


Name: TypeAlias = "Literal['cash.collected', 'charge.created', 'driver.assigned', 'driver.location_changed', 'driver.offline', 'driver.online', 'driver.updated', 'invoice.issued', 'issue.created', 'issue.resolved', 'issue.updated', 'order.cancelled', 'order.completed', 'order.created', 'order.dispatched', 'order.started', 'order.updated', 'proof_of_delivery.created', 'tracking_number.created', 'tracking_status.created', 'transaction.created', 'transaction.paid', 'transaction.refunded', 'transaction.voided', 'vehicle.assigned', 'vehicle.updated']"


class NamedEventIn(TypedDict):
    """An event of one of many devices."""

    event_type: str
    """One of the nine types, or any other, which is stored as it is."""
    timestamp: NotRequired[str | datetime | float]
    """Time of the event: RFC 3339 with an offset, or Unix time in seconds or milliseconds.
    Defaults to now."""
    location: NotRequired[LocationIn]
    """A GeoJSON point, or `latitude` and `longitude`."""
    data: NotRequired[JsonObject]
    """Values of the event type. Other keys are stored unchanged."""
    event_id: NotRequired[str]
    """Your own id, by which a repeat is recognised. Without one, the whole content is compared."""
    device: str
    """The device's own id, such as an IMEI, or its public id or UUID."""


class NewDeviceIn(TypedDict):
    """A new device."""

    name: str
    kind: NotRequired[DeviceKind]
    """Defaults to `"tracker"`."""
    identifier: NotRequired[str | None]
    """The device's own id: an IMEI, a serial number or the id in an app."""
    provider: NotRequired[str | None]
    """Manufacturer or service."""
    reporting_interval: NotRequired[int]
    """Reporting interval in seconds. After two missed reports the device is stale, after six
    offline."""
    adopts: NotRequired[bool]
    """Whether unknown devices that a gateway reports are registered. Gateways only."""
    min_temperature: NotRequired[float | None]
    """°C. A lower reading raises an alert. Limits of a device override those of its vehicle."""
    max_temperature: NotRequired[float | None]
    """°C. A higher reading raises an alert."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""
    device_id: NotRequired[str | None]
    """Deprecated: use `identifier`."""
    type: NotRequired[
        DeviceKind
        | Literal[
            "battery_asset_tracker",
            "can_bus_module",
            "dashcam_unit",
            "gps_tracker",
            "hardwired_black_box",
            "mobile_edge_gateway",
            "obd2_plugin",
            "smartphone_app_device",
            "trailer_container_node",
        ]
    ]
    """Deprecated: use `kind`. Also accepts other products' names."""
    vehicle: NotRequired[str | None]
    """Attach it to this vehicle; null detaches it."""
    driver: NotRequired[str]
    """The driver who uses the phone. Phones only."""


class NewDeviceOut(TypedDict):
    """A device with its token, which is shown only once."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str
    kind: DeviceKind
    identifier: str | None
    """The device's own id: an IMEI, a serial number or the id in an app."""
    provider: str | None
    """Manufacturer or service."""
    vehicle: str | None
    """The vehicle that the device is attached to."""
    driver: str | None
    """The driver who uses the phone."""
    reporting_interval: int
    """Reporting interval in seconds. After two missed reports the device is stale, after six
    offline."""
    adopts: bool
    """Whether unknown devices that a gateway reports are registered. Gateways only."""
    min_temperature: float | None
    """°C. A lower reading raises an alert. Limits of a device override those of its vehicle."""
    max_temperature: float | None
    """°C. A higher reading raises an alert."""
    status: ConnectionStatus
    """Whether the device reports."""
    last_seen_at: str | None
    location: PointOut | None
    located_at: str | None
    meta: JsonObject
    """Custom data of the company."""
    token: str
    """The token that the device sends with its events."""


class NewEntity(TypedDict):
    """A new item, with or without a payload."""

    cod_amount: NotRequired[int | None]
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    destination: NotRequired[int | str | None]
    """The stop where the item is delivered: the index of a waypoint in this request, the
    identifier of a waypoint, or the identifier of a stop's place."""
    internal_id: NotRequired[str | None]
    """The company's own number."""
    name: str
    type: NotRequired[str]
    description: NotRequired[str | None]
    sku: NotRequired[str | None]
    quantity: NotRequired[int]
    """The number of equal pieces. Weight, size, price and declared value are those of one piece;
    cash on delivery of all of them."""
    expected_codes: NotRequired[Sequence[str]]
    """Codes declared for the item's proof. Any other scan is rejected."""
    length: NotRequired[float | None]
    width: NotRequired[float | None]
    height: NotRequired[float | None]
    dimensions_unit: NotRequired[LengthUnit]
    weight: NotRequired[float | None]
    weight_unit: NotRequired[WeightUnit]
    declared_value: NotRequired[int | None]
    """In minor units of the currency."""
    price: NotRequired[int | None]
    """In minor units of the currency."""
    sale_price: NotRequired[int | None]
    """In minor units of the currency."""
    currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    customer: NotRequired[str | None]
    supplier: NotRequired[str | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    id: NotRequired[str]
    payload: NotRequired[str | None]


class NewKeyOut(TypedDict):
    """A new key with its secret, which is shown only once."""

    key: str
    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    kind: KeyKind
    name: str
    scopes: list[str]
    hint: str
    """The beginning of the key."""
    store: str | None
    last_used_at: str | None
    expires_at: str | None
    revoked_at: str | None
    replaced_by: str | None


class NewWaypoint(TypedDict):
    """A new stop for a payload."""

    time_window_start: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    time_window_end: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    notes: NotRequired[str | None]
    pod_required: NotRequired[bool]
    pod_method: NotRequired[ProofMethod | None]
    place: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place's identifier, an address as text or as an object, or a point."""
    type: NotRequired[StopType]
    contact: NotRequired[str | StopContact | None]
    subflow: NotRequired[str | None]
    """A stop flow of the order configuration."""
    service_time: NotRequired[int | None]
    """Duration of the stop in seconds."""
    cod_amount: NotRequired[int | None]
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    name: NotRequired[str | None]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text."""
    id: NotRequired[str]
    street1: NotRequired[str | None]
    street2: NotRequired[str | None]
    city: NotRequired[str | None]
    province: NotRequired[str | None]
    postal_code: NotRequired[str | None]
    neighborhood: NotRequired[str | None]
    district: NotRequired[str | None]
    building: NotRequired[str | None]
    security_access_code: NotRequired[str | None]
    """Access code of the building."""
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    phone: NotRequired[str | None]
    """With country code."""
    owner_type: NotRequired[PlaceOwnerType | None]
    """`company`: a saved place, kept when a customer is erased. `customer`: erased with its
    `owner`. `order`: created for one order, erased with the order's customer."""
    owner: NotRequired[str | None]
    """The contact of a `customer`, or the order of an `order`; null for a company. A change
    accepts a contact or a customer."""
    latitude: NotRequired[float | str | None]
    """Instead of `location`."""
    longitude: NotRequired[float | str | None]
    """Instead of `location`."""
    payload: str


class NewWebhookOut(TypedDict):
    """A webhook with a new secret, which is not shown again."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    url: str
    """URL of the receiver: HTTPS, and reachable from the internet."""
    description: str | None
    events: list[str]
    """Events by name, groups such as `order.*`, or `*` for all."""
    headers: dict[str, str]
    """Values are not shown."""
    signature_format: SignatureFormat
    """Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits."""
    ordering: WebhookOrdering
    """`first_attempt`: first attempts for events of the same order are made in sequence. `strict`:
    an event waits until the earlier one has succeeded or permanently failed."""
    timeout: int
    """Timeout for the response, in seconds."""
    rate_limit: int | None
    """Maximum deliveries per second."""
    max_in_flight: int
    """Maximum concurrent deliveries."""
    state: WebhookState
    """Events for a webhook that is paused or disabled are held."""
    state_reason: str | None
    """Why the webhook is not enabled: `operator`; `gone` if the receiver responded with 410;
    `failing` if nothing has succeeded for days."""
    state_changed_at: str
    secrets: list[SecretOut]
    health: WebhookHealthOut
    secret: str


class News(TypedDict):
    """Effective notifications to recipients."""

    on_its_way: NotRequired[list[MessageChannel]]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    next_stop: NotRequired[list[MessageChannel]]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    delivered: NotRequired[list[MessageChannel]]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    could_not_be_delivered: NotRequired[list[MessageChannel]]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    cancelled: NotRequired[list[MessageChannel]]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    sms_per_day: int
    """SMS notifications in 24 hours. Beyond them, only other channels are used."""
    texts: dict[str, WordsOfNews]
    """Your own texts, by language. `{brand}`, `{number}`, `{link}`, `{way_out}`, `{name}`,
    `{driver}`, `{window}`, `{time}` and `{reason}` are filled in. A part in `[brackets]` is
    omitted if a field in it is unknown."""


class NewsOut(TypedDict):
    """The texts of all kinds of news, and the fields that they can use."""

    languages: list[str]
    fields: list[FieldOut]
    words: list[WordsOut]
    sms: SpentOut


class NewsPreviewIn(TypedDict):
    """A draft to preview. Texts that are left out are taken from the settings."""

    subject: NotRequired[str]
    """Subject of an email, title of a push message."""
    text: NotRequired[str]
    """Text of an SMS or push message."""
    email: NotRequired[str]
    """Text of an email."""
    kind: Literal["cancelled", "could_not_be_delivered", "delivered", "next_stop", "on_its_way"]
    """Kind of news."""
    language: NotRequired[str]
    """A BCP 47 tag. Defaults to `"en"`."""
    store: NotRequired[str]
    """The store. Without one, the company's texts are used."""
    storefront: NotRequired[str | None]
    """Deprecated: use `store`."""


class NewsPreviewOut(TypedDict):
    """A text with example values filled in."""

    subject: str
    text: str
    email: str
    sms: SmsLength


class NewsSettings(TypedDict):
    """Configured notifications to recipients."""

    on_its_way: NotRequired[list[MessageChannel] | None]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    next_stop: NotRequired[list[MessageChannel] | None]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    delivered: NotRequired[list[MessageChannel] | None]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    could_not_be_delivered: NotRequired[list[MessageChannel] | None]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    cancelled: NotRequired[list[MessageChannel] | None]
    """Channels by preference; the first that reaches the recipient is used. An empty list disables
    the notification."""
    sms_per_day: NotRequired[int | None]
    """SMS notifications in 24 hours. Beyond them, only other channels are used."""
    texts: NotRequired[dict[str, WordsOfNews] | None]
    """Your own texts, by language. `{brand}`, `{number}`, `{link}`, `{way_out}`, `{name}`,
    `{driver}`, `{window}`, `{time}` and `{reason}` are filled in. A part in `[brackets]` is
    omitted if a field in it is unknown."""


class NewsText(TypedDict):
    """The text of a notification; omitted parts use the standard text."""

    subject: NotRequired[str | None]
    """Subject of an email, title of a push message."""
    text: NotRequired[str | None]
    """Text of an SMS or push message."""
    email: NotRequired[str | None]
    """Text of an email."""


class NextActivity(TypedDict):
    """An activity that may fire now, and the proofs it still needs."""

    code: str
    status: str
    details: str
    sequence: int
    complete: bool
    pod_method: ProofMethod | None
    require_pod: bool
    pod_scope: ProofSubjectType
    scan_mismatch: ScanMismatch | None
    color: str | None
    waypoint: str | None
    """The stop of the activity."""
    missing: list[DemandOut]
    """Proofs to capture first."""


class NumberDetailsOut(TypedDict):
    """A tracking number with its history and label pictures."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    tracking: str
    tracking_number: str
    """Deprecated: use `tracking`."""
    order: str
    type: ProofSubjectType
    """The type of the subject."""
    subject: str
    region: str | None
    status: str | None
    """The latest status."""
    status_code: str | None
    tracking_url: str
    """The recipient's tracking page. Give the link only to the recipient."""
    statuses: list[StatusOut]
    qr_code: str
    """A PNG image, in base64."""
    barcode: str
    """A PNG image, in base64."""


class NumberOut(TypedDict):
    """A tracking number with its latest status."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    tracking: str
    tracking_number: str
    """Deprecated: use `tracking`."""
    order: str
    type: ProofSubjectType
    """The type of the subject."""
    subject: str
    region: str | None
    status: str | None
    """The latest status."""
    status_code: str | None
    tracking_url: str
    """The recipient's tracking page. Give the link only to the recipient."""


class OfferArea(TypedDict):
    """An approximate location. The driver who takes the order sees the address."""

    city: str | None
    district: str | None
    neighborhood: str | None
    postal_area: str | None
    """The part of the postal code that many addresses share."""
    country: str | None
    location: PointOut | None
    """Accurate to about a kilometre."""


class OfferOut(TypedDict):
    """An ad-hoc order without a driver."""

    id: str
    type: str
    away: int
    """Metres from the driver to the start, rounded to 100."""
    pickup: OfferArea | None
    dropoff: OfferArea | None
    stops: int
    """Number of stops."""
    items: int
    """Number of pieces of all items."""
    distance: int | None
    """Length of the route in metres."""
    time: int | None
    """Duration of the route in seconds."""
    time_window_start: str | None
    time_window_end: str | None
    dispatched_at: str


class OperatorChange(TypedDict):
    """Fields of an operator that an admin may change."""

    name: NotRequired[str]
    password: NotRequired[str]
    email: NotRequired[str]
    role: NotRequired[OperatorRole]
    disabled: NotRequired[bool]
    disabled_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""


class OperatorIn(TypedDict):
    """A new operator."""

    email: str
    name: str
    role: OperatorRole
    password: str


class OperatorOut(TypedDict):
    """An operator, without the password."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    email: str
    name: str
    role: OperatorRole
    disabled_at: str | None


OperatorRole: TypeAlias = "Literal['admin', 'billing', 'dispatcher', 'viewer']"


class OrderBatchIn(TypedDict):
    """Orders to create. Each needs an `idempotency_key` or an `internal_id`."""

    orders: Sequence[BatchOrderIn]


class OrderBatchOut(TypedDict):
    """The results of a batch, in the order of the request, and how many there are of each."""

    created: int
    repeated: int
    """Orders that an earlier request had created."""
    refused: int
    results: list[BatchResult]


_OrderChangeKeywords = TypedDict(
    "_OrderChangeKeywords",
    {
        "return": "NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float] | None]",
    },
)


class OrderChange(_OrderChangeKeywords):
    """Changes to an order. Omitted fields stay; null clears a field."""

    time_window_start: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    time_window_end: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    notes: NotRequired[str | None]
    pod_required: NotRequired[bool]
    pod_method: NotRequired[ProofMethod | None]
    order_config: NotRequired[str]
    """An order configuration, by identifier or key. Defaults to the company's."""
    type: NotRequired[str]
    """An order configuration, by identifier or key. Defaults to the company's."""
    internal_id: NotRequired[str | None]
    """The company's own number. Unique, unless the company allows duplicates."""
    payload: NotRequired[str | PayloadChange]
    pickup: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place: an identifier, an address as text or object, or a point."""
    dropoff: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place: an identifier, an address as text or object, or a point."""
    waypoints: NotRequired[Sequence[str | WaypointIn]]
    """Stops, in the order in which they are visited."""
    entities: NotRequired[Sequence[EntityIn]]
    customer: NotRequired[str | OrderCustomerIn | None]
    facilitator: NotRequired[str | RecordObject | None]
    driver: NotRequired[str | RecordObject | None]
    """A driver, by identifier or by the object from an order."""
    driver_assigned: NotRequired[str | RecordObject | None]
    """Deprecated: use `driver`."""
    vehicle: NotRequired[str | RecordObject | None]
    """A vehicle, by identifier or by the object from an order."""
    vehicle_assigned: NotRequired[str | RecordObject | None]
    """Deprecated: use `vehicle`."""
    cod_amount: NotRequired[int | None]
    """In minor units of the currency."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    status: NotRequired[str]
    """Must be unchanged. Actions change the status."""
    service_quote: NotRequired[str | None]
    """Must be unchanged. Accepting a quote changes it."""
    dispatch: NotRequired[bool]
    """Must be `false`. Use the dispatch action."""
    required_skills: NotRequired[Sequence[str] | None]
    """Skills that the driver needs."""
    adhoc: NotRequired[bool]
    adhoc_distance: NotRequired[int | None]
    """Metres."""
    scheduled_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    meta: NotRequired[JsonObject | None]
    """The company's own data, up to 16 KiB."""


class OrderChargesOut(TypedDict):
    """The account of an order. Voided and refunded transactions are left out of the lines."""

    currency: str | None
    """ISO 4217."""
    lines: list[ChargeOut]
    amount: int
    """The sum of the lines."""
    total: int
    """Deprecated: use `amount`."""
    tax_amount: int
    """The tax in the amount."""
    tax: int
    """Deprecated: use `tax_amount`."""
    amount_paid: int
    """All payments, without those of voided prices."""
    paid: int
    """Deprecated: use `amount_paid`."""
    amount_refunded: int
    """All refunds of these payments."""
    refunded: int
    """Deprecated: use `amount_refunded`."""
    balance: int
    """The amount still owed. Below zero, it is a credit. A refund does not make its amount owed
    again."""
    priced_distance: int | None
    """The metres that the accepted price is for. The order's own distance may have changed since,
    if the company keeps prices."""


class OrderConfigChange(TypedDict):
    """Changes to an order configuration. Omitted fields stay."""

    name: NotRequired[str]
    flow: NotRequired[Sequence[Activity]]
    """The activities after created, dispatched and started, which every flow has."""
    description: NotRequired[str]
    status: NotRequired[RecordStatus]
    subflows: NotRequired[Mapping[str, Sequence[Activity]]]
    """Stop flows, by name."""
    failure_reasons: NotRequired[Sequence[FailureReason]]
    """Reasons for failed attempts, and what happens next. There are default reasons."""
    meta: NotRequired[JsonObject]


class OrderConfigIn(TypedDict):
    """A new order configuration."""

    name: str
    flow: Sequence[Activity]
    """The activities after created, dispatched and started, which every flow has."""
    key: NotRequired[str]
    """Defaults to a key derived from the name."""
    description: NotRequired[str]
    status: NotRequired[RecordStatus]
    """Defaults to `"active"`."""
    subflows: NotRequired[Mapping[str, Sequence[Activity]]]
    """Stop flows, by name."""
    failure_reasons: NotRequired[Sequence[FailureReason]]
    """Reasons for failed attempts, and what happens next. There are default reasons."""
    meta: NotRequired[JsonObject]


class OrderConfigOut(TypedDict):
    """An order configuration."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    key: str
    name: str
    description: str
    status: RecordStatus
    flow: list[Activity]
    """The activities after created, dispatched and started, which every flow has."""
    subflows: dict[str, list[Activity]]
    """Stop flows, by name."""
    failure_reasons: list[FailureReason]
    """Reasons for failed attempts, and what happens next. There are default reasons."""
    flow_version: int
    """Increases with every change to a flow or reason."""
    meta: JsonObject


class OrderConfigVersionOut(TypedDict):
    """The flow of a configuration in one version."""

    order_config: str
    number: int
    """The version's `flow_version`."""
    flow: list[Activity]
    """The activities after created, dispatched and started, which every flow has."""
    subflows: dict[str, list[Activity]]
    """Stop flows, by name."""
    failure_reasons: list[FailureReason]
    """Reasons for failed attempts, and what happens next. There are default reasons."""
    created_at: str


class OrderCustomerIn(TypedDict):
    """The customer of an order: an existing contact by `id`, or one described by its fields. With
    an `id`, the contact is not changed."""

    id: NotRequired[str]
    """A contact or vendor, by its identifier."""
    public_id: NotRequired[str]
    uuid: NotRequired[str]
    name: NotRequired[str]
    internal_id: NotRequired[str | None]
    title: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    locale: NotRequired[str | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


class OrderCustomerOut(TypedDict):
    """The customer of the order, who is the caller."""

    id: str
    uuid: str
    name: str
    contact: str
    """The customer's contact in orders."""


class OrderDriverOut(TypedDict):
    """The driver of an order."""

    id: str
    uuid: str
    name: str
    phone: str
    online: bool


class OrderExport(TypedDict):
    """The person's part of an order."""

    id: str
    uuid: str
    status: str
    customer_name: str | None
    """The name with which the order described the person."""
    notes: str | None
    delivery_instructions: DeliveryInstructions | None
    rating: DeliveryRating | None
    meta: JsonObject
    cancel_reason: str | None
    pickup: PlaceOut | None
    """Only for an order that the person placed."""
    dropoff: PlaceOut | None
    waypoints: list[WaypointOut]
    entities: list[EntityOut]
    statuses: list[StatusExport]
    attempts: list[AttemptExport]
    cash: list[CashExport]
    proofs: list[ProofExport]
    issues: list[IssueExport]
    driver_messages: list[DriverMessageExport]
    created_at: str
    scheduled_at: str | None
    dispatched_at: str | None
    started_at: str | None
    completed_at: str | None
    canceled_at: str | None


_OrderInKeywords = TypedDict(
    "_OrderInKeywords",
    {
        "return": "NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]",
    },
)


class OrderIn(_OrderInKeywords):
    """A new order: a payload by identifier, an inline payload, or its fields at the top level."""

    order_config: NotRequired[str]
    """An order configuration, by identifier or key. Defaults to the company's."""
    type: NotRequired[str]
    """An order configuration, by identifier or key. Defaults to the company's."""
    internal_id: NotRequired[str]
    """The company's own number. Unique, unless the company allows duplicates."""
    payload: NotRequired[str | PayloadIn]
    pickup: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place: an identifier, an address as text or object, or a point."""
    dropoff: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place: an identifier, an address as text or object, or a point."""
    waypoints: NotRequired[Sequence[str | WaypointIn]]
    """Stops, in the order in which they are visited."""
    entities: NotRequired[Sequence[EntityIn]]
    customer: NotRequired[str | OrderCustomerIn]
    facilitator: NotRequired[str | RecordObject]
    driver: NotRequired[str | RecordObject]
    """A driver, by identifier or by the object from an order."""
    driver_assigned: NotRequired[str | RecordObject | None]
    """Deprecated: use `driver`."""
    vehicle: NotRequired[str | RecordObject]
    """A vehicle, by identifier or by the object from an order."""
    vehicle_assigned: NotRequired[str | RecordObject | None]
    """Deprecated: use `vehicle`."""
    cod_amount: NotRequired[int | None]
    """In minor units of the currency."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    status: NotRequired[str]
    """A new order is `created`."""
    required_skills: NotRequired[Sequence[str]]
    """Skills that the driver needs."""
    adhoc: NotRequired[bool]
    """Defaults to `false`."""
    adhoc_distance: NotRequired[int]
    """Metres."""
    pod_required: NotRequired[bool]
    """Defaults to `false`."""
    pod_method: NotRequired[ProofMethod]
    scheduled_at: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""
    time_window_start: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""
    time_window_end: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""
    notes: NotRequired[str]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    service_quote: NotRequired[str]
    """A signed quote to accept for it."""
    return_url: NotRequired[str]
    """Only with `service_quote`, for its checkout page."""
    dispatch: NotRequired[bool]
    """Dispatch it at once. Defaults to `false`."""


class OrderMoveIn(TypedDict):
    """A move of an order to another driver, or within its route."""

    order: str
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    driver: str | None
    """Null leaves the order out."""
    position: NotRequired[int]
    """Index of the order's first stop among the other stops of the route. Without it, the order
    goes where it costs least."""


class OrderNumberOut(TypedDict):
    """The tracking number of an order."""

    id: str
    uuid: str
    tracking: str
    tracking_number: str
    """Deprecated: use `tracking`."""


class OrderOut(TypedDict):
    """An order."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    time_window_start: str | None
    time_window_end: str | None
    notes: str | None
    pod_required: bool
    pod_method: ProofMethod | None
    attempts: int
    """Number of failed attempts."""
    undelivered: Undelivered | None
    """Result of failed attempts: `hold` waits for a decision, `return` goes back."""
    delivery_instructions: DeliveryInstructions | None
    """The recipient's instructions. Null if the recipient gave none."""
    rating: DeliveryRating | None
    """The recipient's rating. Null without one, and for drivers."""
    internal_id: str | None
    """The company's own number. Unique, unless the company allows duplicates."""
    order_config: str
    type: str
    status: str
    payload: PayloadOut
    current_waypoint: str | None
    customer: OrderPartnerOut | None
    customer_type: PartnerType | None
    facilitator: OrderPartnerOut | None
    facilitator_type: PartnerType | None
    driver: OrderDriverOut | None
    driver_assigned: OrderDriverOut | None
    """Deprecated: use `driver`."""
    vehicle: OrderVehicleOut | None
    vehicle_assigned: OrderVehicleOut | None
    """Deprecated: use `vehicle`."""
    tracking: str
    tracking_number: OrderNumberOut
    """The record of the tracking number."""
    tracking_url: str | None
    """The recipient's tracking page. Give the link only to the recipient. Null for drivers."""
    cod_amount: int | None
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: str | None
    """ISO 4217, three letters."""
    cod_payment_method: CodMethod | None
    cash_to_collect: CashToCollectOut | None
    """The cash of the whole order, with that of its stops and items."""
    dispatched: bool
    started: bool
    required_skills: list[str]
    """Skills that the driver needs."""
    adhoc: bool
    adhoc_distance: int | None
    """Metres."""
    distance: int | None
    """Metres."""
    time: int | None
    """Seconds."""
    route_source: DistanceSource | None
    """Source of the distance: a routing engine, or the great circle with a detour factor."""
    service_quote: str | None
    """The accepted quote."""
    transaction: str | None
    """The first transaction. `GET /v1/transactions?order=` lists all."""
    price_status: PriceStatus
    """`unpriced`: no price, so nothing is owed; `priced`: it has quotes to choose from;
    `accepted`: a quote was accepted and is owed."""
    payment_status: OrderPaymentStatus
    """`none`: nothing is owed; `refunded`: everything that was paid went back; `overpaid`: more
    was recorded by hand than was owed."""
    balance: int | None
    """The amount still owed, in minor units. Below zero, it is a credit. Null for drivers."""
    currency: str | None
    """The currency of its transactions."""
    return_of: str | None
    """The delivered order whose items this one brings back."""
    returns: list[str]
    """The returns of this order, including canceled and deleted ones."""
    scheduled_at: str | None
    dispatched_at: str | None
    started_at: str | None
    completed_at: str | None
    canceled_at: str | None
    cancel_reason: str | None
    meta: JsonObject
    """The company's own data, up to 16 KiB."""


class OrderPartnerOut(TypedDict):
    """The customer or facilitator of an order."""

    id: str
    uuid: str
    name: str
    email: str | None
    phone: str | None
    type: PartnerType


OrderPaymentStatus: TypeAlias = (
    "Literal['none', 'overpaid', 'paid', 'partially_paid', 'refunded', 'unpaid']"
)


class OrderQuoteOut(TypedDict):
    """A quote of an order, or an accepted quote."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    order: str | None
    status: Literal["accepted", "expired", "open", "replaced"]
    """`replaced` by newer ones; `expired` as soon as `expired_at` has passed."""
    service_rate_uuid: str
    service_rate: str
    service_rate_version: int
    service_rate_name: str
    service_name: str
    service_type: str
    amount: int
    """Minor units."""
    currency: str
    """ISO 4217 code."""
    amount_decimal: str
    """In major units."""
    tax_rate: float | None
    """Tax in per cent."""
    tax_amount: int
    """The tax in `amount`, in minor units."""
    net_amount: int
    """`amount` without tax, in minor units."""
    items: list[LineOut]
    distance: int
    """Metres."""
    time: int
    """Seconds."""
    source: DistanceSource
    """Source of the distance."""
    firm: bool
    """`false` if the distance is an estimate, because the routing engine was unavailable.
    Accepting the quote measures it again, and responds with 409 `quote_replaced` if the amount
    differs."""
    expired_at: str
    expires_at: str
    """The same as `expired_at`."""
    accepted_at: str | None
    transaction: str | None


class OrderRouteOut(TypedDict):
    """The lines of an order's route. Stops without coordinates are left out."""

    planned: RouteLineOut | None
    """The line through all stops."""
    remaining: RouteLineOut | None
    """From the driver to the remaining stops. Null until a driver is underway."""


class OrderSelectionIn(TypedDict):
    """Filters for the open orders of the day. Without fields, all of them are planned."""

    unassigned: NotRequired[bool]
    """Only orders without a driver. Defaults to `false`."""
    type: NotRequired[str]
    """The configuration's key."""
    customer: NotRequired[str]
    """A contact or vendor, by its identifier."""
    facilitator: NotRequired[str]
    """A vendor or contact, by its identifier."""
    pickup: NotRequired[str]
    """Only orders collected at this place."""


class OrderTemplateChange(TypedDict):
    """Changes to a template. Omitted fields stay."""

    name: NotRequired[str]
    order: NotRequired[str]
    """The order to copy. Its driver, number and price are not copied."""


class OrderTemplateExport(TypedDict):
    """A template for the person's orders, or the person's stops and items in another one."""

    id: str
    name: str
    body: JsonObject
    created_at: str


class OrderTemplateIn(TypedDict):
    """A new template, copied from an order."""

    name: str
    order: str
    """The order to copy. Its driver, number and price are not copied."""


class OrderTemplateOut(TypedDict):
    """A template for orders."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str
    body: JsonObject
    """The request for the order. Its times are local times without an offset, in the company's
    time zone."""


class OrderVehicleOut(TypedDict):
    """The vehicle of an order."""

    id: str
    uuid: str
    plate_number: str | None
    make: str | None
    model: str | None


class OverrideIn(TypedDict):
    """The reason for allowing an activity without its proof."""

    reason: str
    activity: str


class Pace(TypedDict):
    """Effective defaults of routing."""

    detour_factor: float
    """Road distance divided by the great-circle distance."""
    speed_kmh: float
    """Average speed between stops, in km/h."""
    adhoc_distance: int
    """Metres around a driver within which ad-hoc orders are offered."""


class PaceSettings(TypedDict):
    """Configured defaults of routing."""

    detour_factor: NotRequired[float | None]
    """Road distance divided by the great-circle distance."""
    speed_kmh: NotRequired[float | None]
    """Average speed between stops, in km/h."""
    adhoc_distance: NotRequired[int | None]
    """Metres around a driver within which ad-hoc orders are offered."""


class PageMeta(TypedDict):
    """Metadata of a page."""

    limit: int
    has_more: bool
    next_cursor: str | None


class ParcelFee(TypedDict):
    """The fee of a parcel that fits into this box and its weight limit."""

    size: str
    length: float
    width: float
    height: float
    dimensions_unit: NotRequired[LengthUnit]
    """Defaults to `"cm"`."""
    weight: NotRequired[float | None]
    weight_unit: NotRequired[WeightUnit]
    """Defaults to `"kg"`."""
    fee: int


class ParkedOut(TypedDict):
    """A piece of background work that failed, and when it is retried."""

    step: str
    """The step that failed."""
    subject: str
    """Public id of the order or event that it is about."""
    error: str
    """Error of the latest attempt."""
    attempts: int
    """Attempts so far."""
    retry_at: str | None
    """Time of the next automatic retry; null if there is none."""
    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""


class PartnerBalanceOut(TypedDict):
    """What a contact or vendor owes in a currency."""

    currency: str
    """ISO 4217."""
    amount: int
    """In whole minor units. Below zero, it is a credit."""


PartnerType: TypeAlias = "Literal['contact', 'vendor']"


class Party(TypedDict):
    """The seller or the buyer."""

    name: str
    address_lines: NotRequired[list[str]]
    """Defaults to `[]`."""
    postal_code: NotRequired[str | None]
    city: NotRequired[str | None]
    country: NotRequired[str | None]
    tax_number: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]


class PartyOut(TypedDict):
    """The seller or the buyer of an invoice."""

    name: str
    address_lines: list[str]
    postal_code: str | None
    city: str | None
    country: str | None
    """ISO 3166."""
    tax_number: str | None
    email: str | None


class PasswordIn(TypedDict):
    """The current password."""

    password: str


class PasswordLoginIn(TypedDict):
    """An identity and its password."""

    identity: str
    """A phone number or an email address."""
    password: str


class PausedOut(TypedDict):
    """A country whose new numbers get no codes at present."""

    country: str
    sent: int
    """Codes sent within the hour."""
    verified: int
    """Number of confirmed codes."""
    until: str
    """Earliest time at which sending can resume."""


class PayableOut(TypedDict):
    """The cash of one merchant in one currency that can be remitted."""

    customer: str
    customer_type: PartnerType
    name: str
    currency: str
    """ISO 4217, three letters."""
    amount: int
    """In whole minor units of the currency."""
    collections: int


_PayloadChangeKeywords = TypedDict(
    "_PayloadChangeKeywords",
    {
        "return": "NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float] | None]",
    },
)


class PayloadChange(_PayloadChangeKeywords):
    """Changes to a payload. Omitted fields stay; null clears a field."""

    cod_amount: NotRequired[int | None]
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    type: NotRequired[str | None]
    pickup: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float] | None]
    """A place's identifier, an address as text or as an object, or a point."""
    dropoff: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float] | None]
    """A place's identifier, an address as text or as an object, or a point."""
    waypoints: NotRequired[Sequence[str | WaypointIn]]
    """Stops, in the order in which they are visited."""
    entities: NotRequired[Sequence[EntityIn]]
    payment_method: NotRequired[str | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


_PayloadInKeywords = TypedDict(
    "_PayloadInKeywords",
    {
        "return": "NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float] | None]",
    },
)


class PayloadIn(_PayloadInKeywords):
    """A new payload: a pickup and a drop-off, or waypoints."""

    cod_amount: NotRequired[int | None]
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    type: NotRequired[str | None]
    pickup: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float] | None]
    """A place's identifier, an address as text or as an object, or a point."""
    dropoff: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float] | None]
    """A place's identifier, an address as text or as an object, or a point."""
    waypoints: NotRequired[Sequence[str | WaypointIn]]
    """Stops, in the order in which they are visited."""
    entities: NotRequired[Sequence[EntityIn]]
    payment_method: NotRequired[str | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


_PayloadOutKeywords = TypedDict(
    "_PayloadOutKeywords",
    {
        "return": "PlaceOut | None",
    },
)


class PayloadOut(_PayloadOutKeywords):
    """A payload, with its stops and items."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    order: str | None
    state: Literal["begun", "closed", "open"]
    """Whether the order has not begun, is in progress or has ended."""
    type: str | None
    pickup: PlaceOut | None
    dropoff: PlaceOut | None
    waypoints: list[WaypointOut]
    entities: list[EntityOut]
    current_waypoint: str | None
    cod_amount: int | None
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: str | None
    """ISO 4217, three letters."""
    cod_payment_method: CodMethod | None
    cash_to_collect: CashToCollectOut | None
    """The cash of the whole order, with that of its stops and items."""
    payment_method: str | None
    meta: JsonObject
    """The company's own data, up to 16 KiB."""


class PaymentIn(TypedDict):
    """Money that was received outside a gateway."""

    amount: NotRequired[int]
    """In whole minor units. Defaults to the remaining amount."""
    method: Literal["account", "cash", "check", "other", "transfer"]
    """How the money was received."""
    reference: NotRequired[str]
    """The number of a receipt, transfer or check."""
    received_at: NotRequired[str | datetime]
    """Defaults to now."""


class PaymentInstructions(TypedDict):
    """How to pay an invoice."""

    iban: NotRequired[str | None]
    bic: NotRequired[str | None]
    text: NotRequired[str | None]


class PaymentOut(TypedDict):
    """The amount that a customer owes for an order, and its checkout page."""

    transaction: str
    amount: int
    """Minor units."""
    currency: str
    """ISO 4217 code."""
    status: str
    amount_paid: int
    """Minor units."""
    amount_refunded: int
    """Minor units."""
    items: list[ItemOut]
    """The lines of the amount. Empty if the rate is not `public`."""
    balance: int
    """The amount still owed by this transaction."""
    cancellation_fee: int | None
    """What canceling the order costs now. Null if the customer can no longer cancel it."""
    checkout_url: str | None
    """The page to pay on. Null if there is nothing to pay or no page is open."""
    checkout_status: CheckoutStatus | None


class PeakWindow(TypedDict):
    """Hours of the rate's local time that cost more. `days` are the days on which they begin. The
    start is inclusive, the end exclusive. An end that is not after the start is on the next
    day. No `days` means every day. A window without a fee uses the rate's."""

    days: NotRequired[list[Weekday]]
    start: str
    end: str
    method: NotRequired[RateCalculation | None]
    flat_fee: NotRequired[int | None]
    percent: NotRequired[float | None]


class PerformanceOut(TypedDict):
    """Statistics of a webhook's attempts in the last day, for at most 1,000 deliveries."""

    since: str
    deliveries: int
    """Deliveries that the statistics cover."""
    complete: bool
    """Whether all of the day's deliveries are covered, or only the latest 1,000."""
    attempts: int
    succeeded: int
    """Successful attempts."""
    median_ms: float | None
    """Milliseconds."""
    slow_ms: float | None
    """95th percentile of the response time, in milliseconds."""


class PhoneIn(TypedDict):
    """The new number, which receives the code."""

    phone: str
    """With country code."""


class PhotoIn(TypedDict):
    """One or more photos."""

    remarks: NotRequired[str]
    data: NotRequired[JsonObject]
    """Your own data, up to 16 KiB."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """Place of capture. It may contain `accuracy` in metres."""
    captured_at: NotRequired[str | datetime]
    """Time of capture, by the device's clock. Defaults to now."""
    device: NotRequired[JsonObject]
    """The device, such as its id and platform."""
    activity: NotRequired[str]
    """The code of the activity that the proof is for."""
    proof_uuid: NotRequired[str]
    """Created by the device, so that a repeated request stores the proof only once."""
    photo: NotRequired[str | bytes]
    """An image in base64, bare or as a data URI; in a form, a file."""
    photos: NotRequired[Sequence[str | bytes]]


class PhotoMessageIn(TypedDict):
    """A new message with photos. Forms use the same fields."""

    text: NotRequired[str]
    driver: NotRequired[str]
    """The recipient. Defaults to the order's driver. Not for drivers."""
    order: NotRequired[str]
    """The order that it is about."""
    message_uuid: NotRequired[str]
    """Chosen by the sender. A repeated request gets the same answer; another text, recipient or
    photo is a conflict."""
    sent_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""
    photo: NotRequired[str | bytes]
    """An image in base64, bare or as a data URI; in a form, a file."""
    photos: NotRequired[Sequence[str | bytes]]


class PingOut(TypedDict):
    """The result of a ping."""

    delivery: str
    ok: bool
    """Whether the receiver accepted the current signature format."""
    status: int | None
    """HTTP status of the first attempt."""
    error: str | None
    """Error message."""
    duration_ms: float | None
    """Milliseconds."""
    response_body: str | None
    signature_format: SignatureFormat
    """Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits."""
    expects: SignatureFormat | None
    """The other signature format, if the receiver responded with 401 and then accepted it."""
    advice: str | None
    """Suggested fix."""
    attempts: list[AttemptOut]


class PlaceIn(TypedDict):
    """A new or changed place. In a change, omitted fields stay and null clears a field."""

    name: NotRequired[str | None]
    street1: NotRequired[str | None]
    street2: NotRequired[str | None]
    city: NotRequired[str | None]
    province: NotRequired[str | None]
    postal_code: NotRequired[str | None]
    neighborhood: NotRequired[str | None]
    district: NotRequired[str | None]
    building: NotRequired[str | None]
    security_access_code: NotRequired[str | None]
    """Access code of the building."""
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    phone: NotRequired[str | None]
    """With country code."""
    type: NotRequired[str | None]
    owner_type: NotRequired[PlaceOwnerType]
    """`company`: a saved place, kept when a customer is erased. `customer`: erased with its
    `owner`. `order`: created for one order, erased with the order's customer."""
    owner: NotRequired[str | None]
    """The contact of a `customer`, or the order of an `order`; null for a company. A change
    accepts a contact or a customer."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text."""
    latitude: NotRequired[float | str | None]
    """Instead of `location`."""
    longitude: NotRequired[float | str | None]
    """Instead of `location`."""
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


class PlaceOut(TypedDict):
    """A place."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str | None
    address: str
    """The address, on one line."""
    street1: str | None
    street2: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    neighborhood: str | None
    district: str | None
    building: str | None
    security_access_code: str | None
    """Access code of the building."""
    country: str | None
    """ISO 3166, two letters."""
    phone: str | None
    """With country code."""
    type: str | None
    owner_type: PlaceOwnerType
    """`company`: a saved place, kept when a customer is erased. `customer`: erased with its
    `owner`. `order`: created for one order, erased with the order's customer."""
    owner: str | None
    """The contact of a `customer`, or the order of an `order`; null for a company. A change
    accepts a contact or a customer."""
    location: GeoJsonPoint | None
    """A GeoJSON point."""
    geocoding: GeocodingOut | None
    meta: JsonObject
    """The company's own data, up to 16 KiB."""


PlaceOwnerType: TypeAlias = "Literal['company', 'customer', 'order']"


class PlacedStop(TypedDict):
    """A stop as an order has it. Only its place counts."""

    place: str | PlaceIn | GeoJsonPoint | Sequence[float]
    """A place's identifier, an address as text or as an object, or a point."""


PlanAim: TypeAlias = "Literal['balance', 'cost', 'time', 'vehicles']"


class PlanBreakOut(TypedDict):
    """A break of a route."""

    before: int
    """Index of the stop that follows."""
    starts_at: str
    begins_at: str
    """Deprecated: use `starts_at`."""
    ends_at: str


class PlanDetailOut(TypedDict):
    """A plan with its routes. The lists are empty until the plan is done."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    state: PlanState
    """`queued` and `running` plans are being made; `done` ones can be edited and accepted."""
    day: str
    aim: PlanAim
    """The quantity to minimise, once as many orders as possible are assigned: the working `time`,
    the `cost`, the number of `vehicles`, or the difference between drivers (`balance`)."""
    max_seconds: int
    """Seconds of search."""
    progress: int
    """Per cent."""
    based_on: str | None
    locked: list[str]
    """Orders that a later plan keeps."""
    summary: PlanFiguresOut | None
    """Null until the plan is done."""
    present: PlanFiguresOut | None
    """The assignment when the plan was made."""
    failure: PlanFailureOut | None
    started_at: str | None
    finished_at: str | None
    accepted_at: str | None
    reverted_at: str | None
    routes: list[PlanRouteOut]
    idle: list[IdleDriverOut]
    """Shifts without work."""
    unassigned: list[UnassignedOut]
    moves: list[PlanMoveOut]
    """Orders that get another driver on acceptance."""
    present_routes: list[PlanRouteOut]
    """The timetable of the assignment when the plan was made."""
    roads: DistanceSource | None
    """`great_circle` if no routing engine was available."""
    request: JsonObject
    """The request."""


class PlanDriverOut(TypedDict):
    """A driver of a plan."""

    id: str
    name: str


class PlanEditIn(TypedDict):
    """Edits of a finished plan."""

    moves: NotRequired[Sequence[OrderMoveIn]]
    """Applied one after the other."""
    locked: NotRequired[Sequence[str]]
    """Orders that stay with their drivers in a plan based on this one. Replaces the list."""


class PlanFailureOut(TypedDict):
    """The reason why a plan could not be made."""

    code: Literal[
        "interrupted", "no_shifts", "planner_failed", "too_many_orders", "too_many_places"
    ]
    message: str


class PlanFiguresOut(TypedDict):
    """The figures of a plan."""

    orders: int
    """Assigned orders."""
    unassigned: int
    """Orders without a driver."""
    drivers: int
    """Drivers with work."""
    distance: int
    """Metres."""
    drive_time: int
    """Seconds on the road."""
    time: int
    """Seconds from start to end."""
    cost: int
    """Minor units of `currency`."""
    currency: str | None
    late_stops: int
    """Stops after their time windows."""
    lateness: int
    """Seconds after time windows."""


_PlanInKeywords = TypedDict(
    "_PlanInKeywords",
    {
        "from": "NotRequired[Literal['now', 'start']]",
    },
)


class PlanIn(_PlanInKeywords):
    """A request for a plan. By default, it has all open orders of today and all working drivers."""

    day: NotRequired[str]
    """A day in the company's time zone. Defaults to today."""
    orders: NotRequired[Sequence[str]]
    """The orders. Without it, `filter` selects them."""
    filter: NotRequired[OrderSelectionIn]
    drivers: NotRequired[Sequence[str]]
    """The drivers. Defaults to all who work on the day, if `fleets` is empty."""
    fleets: NotRequired[Sequence[str]]
    """Fleets whose drivers take part."""
    aim: NotRequired[PlanAim]
    """The quantity to minimise, once as many orders as possible are assigned: the working `time`,
    the `cost`, the number of `vehicles`, or the difference between drivers (`balance`).
    Defaults to `"time"`."""
    max_seconds: NotRequired[int]
    """Seconds of search. Defaults to 5 to 60, by the number of orders."""
    service_time: NotRequired[int]
    """Seconds at a drop-off that has no `service_time`. Defaults to `180`."""
    pickup_time: NotRequired[int]
    """Seconds at a pickup that has no `service_time`. Defaults to `30`."""
    setup_time: NotRequired[int]
    """Seconds to park and walk, once for consecutive stops at one place. Defaults to `0`."""
    default_hours: NotRequired[HoursIn]
    """Working hours of drivers without shifts."""
    start_place: NotRequired[str]
    """The start place of drivers without a `start_place`."""
    end_place: NotRequired[str]
    """The end place of drivers without an `end_place`."""
    keep_assigned: NotRequired[bool]
    """Whether assigned orders stay with their drivers. Defaults to `false`."""
    fixed: NotRequired[Sequence[FixedOrderIn]]
    """Orders that go to certain drivers."""
    based_on: NotRequired[str]
    """An earlier plan. Its locked orders stay with their drivers."""


class PlanLineOut(TypedDict):
    """The line of a route."""

    driver: str
    line: RouteLineOut | None
    """Null for a single point."""


class PlanLoadOut(TypedDict):
    """Goods on board."""

    weight: float
    """Kilograms."""
    volume: float
    """Cubic metres."""
    items: int


_PlanMoveOutKeywords = TypedDict(
    "_PlanMoveOutKeywords",
    {
        "from": "PlanDriverOut | None",
    },
)


class PlanMoveOut(_PlanMoveOutKeywords):
    """An order that gets another driver when the plan is accepted."""

    order: str
    internal_id: str | None
    number: str
    """The order's number: `internal_id`, or else its tracking number."""
    to: PlanDriverOut


class PlanOut(TypedDict):
    """A plan without its routes."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    state: PlanState
    """`queued` and `running` plans are being made; `done` ones can be edited and accepted."""
    day: str
    aim: PlanAim
    """The quantity to minimise, once as many orders as possible are assigned: the working `time`,
    the `cost`, the number of `vehicles`, or the difference between drivers (`balance`)."""
    max_seconds: int
    """Seconds of search."""
    progress: int
    """Per cent."""
    based_on: str | None
    locked: list[str]
    """Orders that a later plan keeps."""
    summary: PlanFiguresOut | None
    """Null until the plan is done."""
    present: PlanFiguresOut | None
    """The assignment when the plan was made."""
    failure: PlanFailureOut | None
    started_at: str | None
    finished_at: str | None
    accepted_at: str | None
    reverted_at: str | None


class PlanPlaceOut(TypedDict):
    """A place of a plan."""

    id: str
    name: str | None
    address: str
    location: PointOut | None


class PlanPreviewOut(TypedDict):
    """A plan before and after an edit."""

    before: PlanFiguresOut
    after: PlanFiguresOut
    routes: list[RoutePreviewOut]
    """The routes that change."""
    unassigned: list[UnassignedOut]


class PlanRouteOut(TypedDict):
    """The work of a driver's shift."""

    driver: PlanDriverOut
    vehicle: PlanVehicleOut | None
    shift_start: str
    shift_end: str
    starts_at: str
    ends_at: str
    start: PointOut | None
    """Where the route begins. Null: at the first stop."""
    end: PointOut | None
    """Where the route ends. Null: at the last stop."""
    from_position: bool
    """Whether `start` is a live position."""
    distance: int
    """Metres."""
    drive_time: int
    """Seconds on the road."""
    time: int
    """Seconds from start to end."""
    cost: int
    """Minor units of `currency`."""
    late_stops: int
    lateness: int
    """Seconds after time windows."""
    overtime: int
    """Seconds after the shift."""
    overloaded: bool
    """Whether the load exceeds the vehicle's capacity."""
    stops: list[PlanStopOut]
    breaks: list[PlanBreakOut]


PlanState: TypeAlias = "Literal['accepted', 'canceled', 'done', 'failed', 'queued', 'running']"


class PlanStopOut(TypedDict):
    """A stop of a route."""

    order: str
    internal_id: str | None
    """The order's."""
    number: str
    """The order's number: `internal_id`, or else its tracking number."""
    waypoint: str | None
    """Null if the order has no stops."""
    type: StopType
    place: PlanPlaceOut
    arrives_at: str
    starts_at: str
    """After waiting for the time window."""
    begins_at: str
    """Deprecated: use `starts_at`."""
    leaves_at: str
    time_window_start: str | None
    time_window_end: str | None
    late: int
    """Seconds after the time window."""
    drive_time: int
    """Seconds from the previous stop."""
    distance: int
    """Metres from the previous stop."""
    load: PlanLoadOut
    """On board on departure."""
    fixed: bool
    """Whether the order must stay with this driver."""
    started: bool
    """Whether the order has started."""


class PlanVehicleOut(TypedDict):
    """A vehicle of a plan."""

    id: str
    plate_number: str | None


class PointOut(TypedDict):
    """A point on the earth as GeoJSON, longitude first."""

    type: Literal["Point"]
    """GeoJSON type."""
    coordinates: list[float]
    """Longitude, then latitude, in degrees."""


class PositionBatchIn(TypedDict):
    """Positions of a driver in any order, also old ones. The body may be compressed (gzip)."""

    positions: Sequence[FixIn]


class PositionOut(TypedDict):
    """A position of a driver or a vehicle. It has no public id, as nothing refers to it."""

    uuid: str
    location: PointOut
    heading: float | None
    """Degrees clockwise from north."""
    altitude: float | None
    """Metres."""
    speed: float | None
    """Metres per second."""
    accuracy: float | None
    """Metres."""
    recorded_at: str
    """Time of the position."""
    created_at: str
    """Time of the report."""


class PositionsOut(TypedDict):
    """The outcome of a batch; accepted positions are stored."""

    accepted: int
    duplicates: int
    """Number of positions that were stored before."""
    rejected: list[RejectedPosition]


class PreviewIn(TypedDict):
    """A shipment to price by one rate, saved or not, or by all."""

    pickup: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place's identifier, a point, or an address with a point."""
    dropoff: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place's identifier, a point, or an address with a point."""
    waypoints: NotRequired[Sequence[str | PlaceIn | PlacedStop | GeoJsonPoint | Sequence[float]]]
    """Stops in order, between `pickup` and `dropoff` if these are sent."""
    entities: NotRequired[Sequence[ItemIn]]
    """Items to deliver."""
    scheduled_at: NotRequired[str | datetime]
    """The scheduled time. Defaults to now."""
    cod: NotRequired[str | int | bool]
    """Cash to collect, in minor units, or `true`: only rates that accept cash."""
    currency: NotRequired[str]
    """Only rates in this currency."""
    service_type: NotRequired[str]
    """Only rates of this type."""
    payload: NotRequired[str]
    """Replaces all locations and items."""
    facilitator: NotRequired[str]
    """A vendor or a contact."""
    customer: NotRequired[str]
    """Also use the rates of this customer, contact or vendor."""
    order_config: NotRequired[str]
    """An order configuration, or its key."""
    distance: NotRequired[int]
    """Metres of the route, instead of measuring it."""
    time: NotRequired[int]
    """Seconds of the route, instead of measuring it."""
    service_rate: NotRequired[str]
    """A rate, by its identifier."""
    rate: NotRequired[ServiceRateIn]


class PreviewOut(TypedDict):
    """A shipment, and the result of each rate."""

    stops: int
    distance: int
    """Metres."""
    time: int
    """Seconds."""
    source: DistanceSource
    """How the route was measured."""
    firm: bool
    """`false` if the distance is an estimate, because the routing engine was unavailable.
    Accepting the quote measures it again, and responds with 409 `quote_replaced` if the amount
    differs."""
    items: int
    rates: list[PreviewedOut]


class PreviewedOut(TypedDict):
    """The result of one rate: a price with its lines, or the reasons why there is none."""

    service_rate_uuid: str
    service_rate: str
    service_rate_version: int
    service_rate_name: str
    service_name: str
    service_type: str
    matches: bool
    amount: int | None
    """Minor units."""
    currency: str
    """ISO 4217 code."""
    tax_rate: float | None
    """Tax in per cent."""
    tax_amount: int | None
    """The tax in `amount`, in minor units."""
    net_amount: int | None
    """`amount` without tax, in minor units."""
    items: list[LineOut]
    reasons: list[ReasonOut]


PriceStatus: TypeAlias = "Literal['accepted', 'priced', 'unpriced']"


class ProofCodeSent(TypedDict):
    """A code was sent. The code itself is never returned."""

    status: str
    sent_to: str
    """The phone number, mostly hidden."""
    expires_in: int
    """Seconds."""
    resend_after: int
    """Seconds."""
    expires_at: str


class ProofExport(TypedDict):
    """A proof of delivery to the person. `picture` is its file name in the archive."""

    id: str
    subject_id: str
    method: str
    raw_data: str | None
    remarks: str | None
    data: JsonObject
    picture: str | None
    created_at: str
    received_at: str


ProofMethod: TypeAlias = "Literal['photo', 'scan', 'signature', 'sms']"


class ProofOut(TypedDict):
    """A proof of delivery."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    order: str
    order_id: str
    """Deprecated: use `order`."""
    subject_uuid: str
    subject_type: ProofSubjectType
    subject_id: str
    method: RecordedProofMethod
    status: Literal["valid"]
    file_uuid: str | None
    url: str | None
    """Valid for 15 minutes."""
    thumbnail_url: str | None
    """Valid for 15 minutes."""
    raw_data: str | None
    """The scanned content."""
    raw: str | None
    """Deprecated: use `raw_data`."""
    data: JsonObject
    """Details of the capture: signer, location, device, image or scan, and the caller's own data."""
    scan_entry: ScanEntry | None
    """Whether the code was scanned or typed."""
    scan_match: bool | None
    """Whether the code is one of the subject's codes."""
    remarks: str | None
    activity: str | None
    actor: ActorOut
    """The actor that sent the proof."""
    used: bool
    """Whether an activity has used the proof."""
    integrity: Integrity
    created_at: str
    """Time of capture."""
    received_at: str
    """Time of arrival at the server."""
    updated_at: str


ProofSubjectType: TypeAlias = "Literal['entity', 'order', 'waypoint']"


class ProviderAIn(TypedDict):
    """Settings of provider A. An omitted private key stays; null deletes it."""

    audiences: Sequence[str]
    """Accepted bundle and service ids of tokens."""
    team_id: NotRequired[str]
    key_id: NotRequired[str]
    private_key: NotRequired[str | None]
    """The provider's P-256 key in PEM. Stored encrypted, never returned."""


class ProviderALogin(TypedDict):
    """A sign-in with provider A."""

    identityToken: str
    authorizationCode: NotRequired[str]
    name: NotRequired[str]
    """Used on the first sign-in only."""
    nonce: NotRequired[str]
    """The nonce that the app gave the provider, if any."""
    providerAUserId: str
    """The provider's id of the user."""


class ProviderAOut(TypedDict):
    """Settings of provider A."""

    audiences: list[str]
    """Accepted bundle and service ids of tokens."""
    team_id: str | None
    key_id: str | None
    has_private_key: bool


class ProviderBIn(TypedDict):
    """Settings of provider B."""

    client_ids: Sequence[str]
    """Client ids of the store's apps and pages."""


class ProviderBLogin(TypedDict):
    """A sign-in with provider B."""

    idToken: str
    clientId: str
    nonce: NotRequired[str]
    """The nonce that the app gave the provider, if any."""


class ProviderBOut(TypedDict):
    """Settings of provider B."""

    client_ids: list[str]
    """Client ids of the store's apps and pages."""


class ProviderCIn(TypedDict):
    """Settings of provider C. An omitted secret stays; null deletes it."""

    app_id: str
    app_secret: NotRequired[str | None]
    """Stored encrypted, never returned."""
    mode: NotRequired[Literal["require_proof", "step_up", "trust_client"]]
    """How a live store treats a sign-in without proof. Defaults to `"step_up"`."""


class ProviderCLogin(TypedDict):
    """A sign-in with provider C."""

    email: NotRequired[str]
    name: NotRequired[str]
    accessToken: NotRequired[str]
    """The provider's access token: a proof."""
    authenticationToken: NotRequired[str]
    """The provider's OIDC token: a proof."""
    nonce: NotRequired[str]
    """The nonce that the app gave the provider, if any."""
    providerCUserId: str
    """The provider's id of the user."""


class ProviderCOut(TypedDict):
    """Settings of provider C."""

    app_id: str
    has_app_secret: bool
    mode: Literal["require_proof", "step_up", "trust_client"]


class ProvidersChange(TypedDict):
    """Changes of the providers: an omitted one stays, null disables it."""

    a: NotRequired[ProviderAIn | None]
    b: NotRequired[ProviderBIn | None]
    c: NotRequired[ProviderCIn | None]


class ProvidersOut(TypedDict):
    """The sign-in providers of the store; null if a provider is not enabled."""

    a: ProviderAOut | None
    b: ProviderBOut | None
    c: ProviderCOut | None


class PushIn(TypedDict):
    """A push message."""

    title: str
    text: str


class PushQueued(TypedDict):
    """The push message was queued."""

    status: str
    devices: int
    """The number of devices it is sent to."""


class QuoteOut(TypedDict):
    """A quote. It can be accepted by its id until it expires."""

    service_rate_uuid: str
    service_rate: str
    service_rate_version: int
    service_rate_name: str
    service_name: str
    service_type: str
    id: str
    """The complete signed quote."""
    amount: int
    """Minor units."""
    currency: str
    """ISO 4217 code."""
    amount_decimal: str
    """In major units."""
    tax_rate: float | None
    """Tax in per cent."""
    tax_amount: int
    """The tax in `amount`, in minor units."""
    net_amount: int
    """`amount` without tax, in minor units."""
    expired_at: str
    expires_at: str
    """The same as `expired_at`."""
    created_at: str
    items: list[LineOut]
    distance: int
    """Metres."""
    time: int
    """Seconds."""
    source: DistanceSource
    """How the route was measured."""
    firm: bool
    """`false` if the distance is an estimate, because the routing engine was unavailable.
    Accepting the quote measures it again, and responds with 409 `quote_replaced` if the amount
    differs."""
    duration_terms: str | None
    estimated_days: int | None
    request_id: str


QuoteState: TypeAlias = "Literal['accepted', 'open', 'replaced']"

RateCalculation: TypeAlias = "Literal['flat', 'percentage']"


class ReadIn(TypedDict):
    """Which alerts to mark as read."""

    until: NotRequired[str | datetime]
    """Only alerts raised up to then, such as those that you have seen."""


class ReasonOut(TypedDict):
    """A reason why a rate has no price."""

    code: str
    detail: str


class RecipientOut(TypedDict):
    """The person at a stop, and their phone number."""

    name: str
    phone: str | None


class RecipientSettings(TypedDict):
    """What recipients may do on the tracking page, as configured."""

    instructions_until: NotRequired[Literal["dispatched", "near", "never", "started"] | None]
    """Until when recipients can give delivery instructions: `never`, until the order is
    `dispatched` or `started`, or until the driver is `near`."""
    near_minutes: NotRequired[int | None]
    """The driver is near from this many minutes before the ETA."""
    reschedule_days: NotRequired[int | None]
    """Days ahead to which recipients can move a delivery. 0: not at all."""
    reschedule_notice_hours: NotRequired[int | None]
    """Hours between the recipient's choice and the start of the time window."""
    weekdays: NotRequired[Sequence[Weekday] | None]
    """Days of the week that recipients can choose."""
    windows: NotRequired[Sequence[str] | None]
    """Time windows that recipients can choose, in the local time of the delivery."""
    contact_phone: NotRequired[str | None]
    """A phone number with its country code, on which recipients reach the sender."""
    contact_email: NotRequired[str | None]
    """An email address at which recipients reach the sender."""
    ratings: NotRequired[bool | None]
    """Whether recipients can rate their deliveries."""


class Recipients(TypedDict):
    """What recipients may do on the tracking page."""

    instructions_until: Literal["dispatched", "near", "never", "started"]
    """Until when recipients can give delivery instructions: `never`, until the order is
    `dispatched` or `started`, or until the driver is `near`."""
    near_minutes: int
    """The driver is near from this many minutes before the ETA."""
    reschedule_days: int
    """Days ahead to which recipients can move a delivery. 0: not at all."""
    reschedule_notice_hours: int
    """Hours between the recipient's choice and the start of the time window."""
    weekdays: NotRequired[list[Weekday]]
    """Days of the week that recipients can choose."""
    windows: NotRequired[list[str]]
    """Time windows that recipients can choose, in the local time of the delivery."""
    contact_phone: str | None
    """A phone number with its country code, on which recipients reach the sender."""
    contact_email: str | None
    """An email address at which recipients reach the sender."""
    ratings: bool
    """Whether recipients can rate their deliveries."""


class RecordDeleted(TypedDict):
    """A deleted record."""

    id: str
    """Public id of the deleted record."""
    object: str
    """Kind of record."""
    time: str
    deleted: bool


class RecordObject(TypedDict):
    """A record as a response shows it. Only its `id` is read."""

    id: str
    """The record's public id or UUID."""


RecordStatus: TypeAlias = "Literal['active', 'inactive']"


class RecordedPaymentOut(TypedDict):
    """A payment that a person recorded."""

    id: str
    amount: int
    """In whole minor units of the currency."""
    method: Literal["account", "cash", "check", "other", "transfer"]
    """How the money was received."""
    reference: str | None
    """The number of a receipt, transfer or check."""
    received_at: str
    recorded_by: ActorOut
    created_at: str


RecordedProofMethod: TypeAlias = "Literal['override', 'photo', 'scan', 'signature', 'sms']"


class RecurringDayIn(TypedDict):
    """A day of a recurring order."""

    day: str
    """A day between the years 1970 and 2100."""


class RecurringDayOut(TypedDict):
    """What happened to one day of a recurring order."""

    day: str
    """A day between the years 1970 and 2100."""
    state: Literal["created", "missed", "refused", "skipped"]
    """`refused`: its order could not be created; `missed`: the day was over before the worker
    could create it."""
    order: str | None
    reason: str | None
    """Why the order was refused."""
    created_at: str


class RecurringOrderChange(TypedDict):
    """Changes to a recurring order. Omitted fields stay. Created orders are not changed."""

    name: NotRequired[str]
    template: NotRequired[str]
    """The template of the orders."""
    rule: NotRequired[str]
    """The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
    `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`."""
    starts_on: NotRequired[str]
    """The first day that the rule may match, and where intervals begin."""
    lead_days: NotRequired[int]
    """How many days before its day an order is created, at midnight in the company's time zone."""


class RecurringOrderIn(TypedDict):
    """A new recurring order, from a template or from an order that is saved as one."""

    name: str
    template: NotRequired[str]
    """The template of the orders."""
    order: NotRequired[str]
    """The order to copy. Its driver, number and price are not copied."""
    rule: str
    """The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
    `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`."""
    starts_on: NotRequired[str]
    """Defaults to today."""
    lead_days: NotRequired[int]
    """How many days before its day an order is created, at midnight in the company's time zone.
    Defaults to `1`."""


class RecurringOrderOut(TypedDict):
    """A recurring order."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str
    template: str | None
    """The template of the orders."""
    rule: str
    """The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
    `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`."""
    description: str
    """The rule in words."""
    starts_on: str
    """The first day that the rule may match, and where intervals begin."""
    lead_days: int
    """How many days before its day an order is created, at midnight in the company's time zone."""
    status: Literal["active", "ended", "finished", "paused"]
    """`finished`: the rule has no more days; `ended`: by a person."""
    paused_at: str | None
    ended_at: str | None
    next_day: str | None
    """The next day without an order."""
    next_creation_at: str | None
    """When the order of that day is created."""


class RefundIn(TypedDict):
    """A request for a refund."""

    amount: NotRequired[int]
    """In whole minor units. Defaults to the remaining amount."""
    reason: NotRequired[str]


class RefundOut(TypedDict):
    """A refund."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    amount: int
    """In whole minor units of the currency."""
    status: Literal["failed", "pending", "succeeded"]
    """`pending` until the gateway reports the result."""
    reason: str | None
    error: str | None
    """Error code, if it failed."""


class RefusalOut(TypedDict):
    """A rate without a price."""

    service_rate_uuid: str
    service_rate: str
    service_rate_version: int
    service_rate_name: str
    service_name: str
    service_type: str
    reasons: list[ReasonOut]


class RejectOut(TypedDict):
    """An event that was not stored, and why."""

    id: str
    device: str | None
    """The device, as the sender named it."""
    code: str
    reason: str
    body: str
    """The rejected event, truncated if it is long."""
    received_at: str


class RejectedOut(TypedDict):
    """An event that was not stored; it is listed among the company's rejects."""

    index: int
    """Index in the request."""
    code: str
    """Error code."""


class RejectedPosition(TypedDict):
    """A position that was not stored, and why."""

    index: int
    """Index in the request."""
    code: str
    message: str


class RemittanceIn(TypedDict):
    """Cash to pass on to a merchant: all that was handed in and not remitted yet."""

    customer: str
    """The merchant: a customer, contact or vendor."""
    currency: str
    """ISO 4217, three letters."""
    expected_amount: NotRequired[int]
    """The amount that you have seen. If more was handed in since, nothing is remitted."""
    reference: NotRequired[str]


class RemittanceOut(TypedDict):
    """Collected cash that was passed on to a merchant."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    customer: str
    customer_type: PartnerType
    currency: str
    """ISO 4217, three letters."""
    collections: int
    """Number of collections."""
    amount: int
    """In whole minor units of the currency."""
    reference: str | None
    actor: ActorOut
    """The actor that remitted the cash."""


class ReplayFilter(TypedDict):
    """Filters of the deliveries to replay. At least one is required."""

    webhook: NotRequired[str]
    """Filter by webhook."""
    event: NotRequired[Sequence[str]]
    """Filter by event name."""
    state: NotRequired[Sequence[DeliveryState]]
    """Filter by state. Defaults to `failed`. `canceled` is the same as `cancelled`."""
    since: NotRequired[str | datetime]
    """Created at or after this time."""
    until: NotRequired[str | datetime]
    """Created before this time."""
    subject: NotRequired[str]
    """UUID or public id of the record that the event is about."""


class ReplayIn(TypedDict):
    """A replay of many deliveries, or a count of them."""

    filter: ReplayFilter
    dry_run: NotRequired[bool]
    """Count without replaying. Defaults to `false`."""
    limit: NotRequired[int]
    """Maximum deliveries to replay, oldest first. Defaults to `10000`."""
    after: NotRequired[str]
    """Continue after this delivery: `last` of the previous response."""


class ReplayOut(TypedDict):
    """The result of a replay of many deliveries."""

    dry_run: bool
    matched: int
    """Deliveries that match the filter."""
    replayed: int
    remaining: int
    """Matching deliveries after this batch."""
    last: str | None
    """The last delivery of this batch."""


class ReportDriver(TypedDict):
    """A driver of a report, who may be deleted."""

    id: str
    name: str


class ReportFigureOut(TypedDict):
    """A column of a report."""

    name: str
    label: str
    unit: Literal["count", "metres", "milliseconds", "money", "percent", "seconds"]
    """`money` is in whole minor units of the row's currency. The CSV has major units, kilometres,
    hours, and seconds for `milliseconds`."""
    main: bool
    """Whether it is a main figure of the report."""


class ReportIn(TypedDict):
    """A new issue with photos."""

    report: str
    driver: NotRequired[str | None]
    vehicle: NotRequired[str | None]
    order: NotRequired[str | None]
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    title: NotRequired[str | None]
    priority: NotRequired[IssuePriority]
    """Defaults to `"medium"`."""
    type: NotRequired[str | None]
    category: NotRequired[str | None]
    tags: NotRequired[Sequence[str] | None]
    status: NotRequired[IssueStatus]
    """Defaults to `"open"`."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """GeoJSON, `{latitude, longitude}` or `latitude,longitude`."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""
    photo: NotRequired[str | bytes]
    """An image in base64, bare or as a data URI; in a form, a file."""
    photos: NotRequired[Sequence[str | bytes]]


class ReportInfo(TypedDict):
    """A report."""

    name: Literal[
        "devices",
        "drivers",
        "first-attempt",
        "idle",
        "kilometres",
        "margin",
        "on-time",
        "proofs",
        "revenue",
        "volume",
        "webhooks",
    ]
    title: str
    description: str


_ReportOutKeywords = TypedDict(
    "_ReportOutKeywords",
    {
        "from": "str",
    },
)


class ReportOut(_ReportOutKeywords):
    """A report by the company's days. Today's figures are those of this moment."""

    name: Literal[
        "devices",
        "drivers",
        "first-attempt",
        "idle",
        "kilometres",
        "margin",
        "on-time",
        "proofs",
        "revenue",
        "volume",
        "webhooks",
    ]
    title: str
    description: str
    to: str
    """The last day."""
    time_zone: str
    complete: bool
    """False while some earlier days are computed for the first time, or again after a change.
    Retry after a minute."""
    figures: list[ReportFigureOut]
    totals: list[ReportTotal]
    rows: list[ReportRow]
    """Earliest first. Days without amounts in a currency are left out. In `drivers`, the 100
    drivers with the most completed orders."""


ReportPeriod: TypeAlias = "Literal['day', 'month', 'week']"


class ReportRow(TypedDict):
    """The figures of a day, or of several days."""

    currency: str | None
    """Null in reports without amounts."""
    figures: dict[str, float | int | None]
    """The figures by name. A share is null where its whole is zero."""
    day: str
    """The first of its days."""
    until: str
    """The last of its days."""
    driver: ReportDriver | None
    """In `drivers`, whose figures they are."""


class ReportTotal(TypedDict):
    """The figures of all days. With amounts, there is one for each currency."""

    currency: str | None
    """Null in reports without amounts."""
    figures: dict[str, float | int | None]
    """The figures by name. A share is null where its whole is zero."""


class ReportedOut(TypedDict):
    """An issue with its photos."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    driver: str | None
    vehicle: str | None
    order: str | None
    title: str | None
    report: str
    priority: IssuePriority
    type: str | None
    category: str | None
    tags: list[str]
    status: IssueStatus
    location: PointOut | None
    resolution: str | None
    resolved_at: str | None
    meta: JsonObject
    """Custom data of the company."""
    photos: list[IssuePhotoOut]


class ResetIn(TypedDict):
    """A new password, with the code that was sent."""

    identity: str
    """A phone number or an email address."""
    code: str
    password: str


class ResolveIn(TypedDict):
    """The resolution of an issue."""

    resolution: NotRequired[str]


class Retention(TypedDict):
    """Effective days of retention."""

    events: int
    """Days to keep the data."""
    messages: int
    """Days to keep the data."""
    webhook_log: int
    """Days to keep the data."""
    audit: int
    """Days to keep the data."""
    billing: int
    """Days to keep the billing identity of erased customers: in debt, and on invoices after their
    issue."""
    positions: int
    """Days to keep the data."""
    telemetry: int
    """Days to keep the data."""
    alerts: int
    """Days to keep the data."""
    heartbeats: int
    """Days to keep the data."""
    other_readings: int
    """Days to keep the data."""
    tokens: int
    """Days to keep tokens after they expire or are revoked."""


class RetentionSettings(TypedDict):
    """Configured days of retention, never more than the installation allows."""

    events: NotRequired[int | None]
    """Days to keep the data."""
    messages: NotRequired[int | None]
    """Days to keep the data."""
    webhook_log: NotRequired[int | None]
    """Days to keep the data."""
    audit: NotRequired[int | None]
    """Days to keep the data."""
    billing: NotRequired[int | None]
    """Days to keep the data."""
    positions: NotRequired[int | None]
    """Days to keep the data."""
    telemetry: NotRequired[int | None]
    """Days to keep the data."""
    alerts: NotRequired[int | None]
    """Days to keep the data."""
    heartbeats: NotRequired[int | None]
    """Days to keep the data."""
    other_readings: NotRequired[int | None]
    """Days to keep the data."""
    tokens: NotRequired[int | None]
    """Days to keep the data."""


class ReturnIn(TypedDict):
    """What goes back, and when."""

    items: NotRequired[Sequence[ReturnItemIn]]
    """Defaults to everything that can still be returned."""
    reason: NotRequired[str]
    """Becomes the `notes` of the return."""
    scheduled_at: NotRequired[str | datetime]
    """RFC 3339, between the years 1970 and 2100."""
    driver: NotRequired[str]


class ReturnItemIn(TypedDict):
    """An item of the delivered order, and how many of its pieces go back."""

    entity: str
    quantity: NotRequired[int]
    """The number of pieces. Defaults to all that can still be returned."""


class ReturnableItem(TypedDict):
    """An item of a delivered order, and how many of its pieces can still be returned."""

    entity: str | None
    """Null for the whole of an order that has no items."""
    name: str | None
    delivered: int
    """The number of pieces."""
    returned: int
    """The pieces in returns of the order that are not canceled."""
    returnable: int
    """The pieces that are left."""


class RevertIn(TypedDict):
    """Options for reverting an accepted plan."""

    skip_changed: NotRequired[bool]
    """Skip orders that have changed since the plan was accepted. Defaults to `false`."""


class RotateIn(TypedDict):
    """Options for the rotation of a secret."""

    grace_seconds: NotRequired[int]
    """Seconds for which deliveries are also signed with the older secrets; 0 expires them at once.
    Defaults to `86400`."""
    switch: NotRequired[Literal["at_end", "now"]]
    """When the new secret starts to sign `X-Service-Signature`, which contains one signature: now,
    or when the grace period ends. Defaults to `"now"`."""


class RotateTokenIn(TypedDict):
    """Options for a new token."""

    grace_seconds: NotRequired[int]
    """Seconds for which the old token stays valid; 0 ends it at once. Defaults to `86400`."""


class RouteChangeOut(TypedDict):
    """The differences of a route. Negative numbers are savings."""

    distance: int
    """Metres."""
    drive_time: int
    """Seconds."""
    time: int
    """Seconds."""
    cost: int
    """Minor units of the currency."""
    late_stops: int
    lateness: int
    """Seconds."""


class RouteLineOut(TypedDict):
    """The line of a route in GeoJSON."""

    type: Literal["LineString"]
    coordinates: list[list[float]]
    """Longitudes and latitudes, in degrees."""
    source: DistanceSource
    """`great_circle` if the line goes straight from stop to stop."""


class RouteOut(TypedDict):
    """The distance and time of a route. Null if a place has no coordinates."""

    distance: int | None
    """Metres."""
    time: int | None
    """Seconds."""
    source: DistanceSource | None
    """Source of the distance: a routing engine, or the great circle with a detour factor."""


class RoutePreviewOut(TypedDict):
    """A route before and after a change. Null is a shift without work."""

    driver: PlanDriverOut
    before: PlanRouteOut | None
    after: PlanRouteOut | None
    change: RouteChangeOut


class RowErrorOut(TypedDict):
    """A error of a row."""

    column: str | None
    """The column's header."""
    message: str


class RuleDatesOut(TypedDict):
    """A rule and its next days."""

    rule: str
    """The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
    `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`."""
    description: str
    """The rule in words."""
    days: list[str]
    """The next days, at most ten."""


class RulePreviewIn(TypedDict):
    """A rule to try."""

    rule: str
    """The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
    `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`."""
    starts_on: NotRequired[str]
    """Defaults to today."""


class SampleDataOut(TypedDict):
    """The sample data of the company."""

    records: list[SampleRecordOut]
    removed: int
    """The number of records removed now."""


class SampleRecordOut(TypedDict):
    """A record of the sample data."""

    record: str
    """Its public id."""
    resource: ImportResource
    reason: str | None
    """Why it was not removed; null before that."""


class SavedViewChange(TypedDict):
    """Changes to a view. Omitted fields stay."""

    name: NotRequired[str]
    query: NotRequired[str]
    """The query of the list's page: its filters, `sort` and `layout`."""
    shared: NotRequired[bool]
    """Whether other operators of the company see it."""
    is_default: NotRequired[bool]
    """Whether the list opens with it. An operator has one for each list."""


class SavedViewIn(TypedDict):
    """A new view."""

    list_name: NotRequired[Literal["orders"]]
    """Defaults to `"orders"`."""
    name: str
    query: NotRequired[str]
    """The query of the list's page: its filters, `sort` and `layout`."""
    shared: NotRequired[bool]
    """Whether other operators of the company see it. Defaults to `false`."""
    is_default: NotRequired[bool]
    """Whether the list opens with it. An operator has one for each list. Defaults to `false`."""


class SavedViewOut(TypedDict):
    """A view of a list."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    list_name: Literal["orders"]
    name: str
    query: str
    """The query of the list's page: its filters, `sort` and `layout`."""
    shared: bool
    """Whether other operators of the company see it."""
    is_default: bool
    """Whether the list opens with it. An operator has one for each list."""
    own: bool
    """Whether it belongs to the caller."""


ScanEntry: TypeAlias = "Literal['scanned', 'typed']"


class ScanIn(TypedDict):
    """A scanned text, an image of the code, or both."""

    remarks: NotRequired[str]
    data: NotRequired[JsonObject]
    """Your own data, up to 16 KiB."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """Place of capture. It may contain `accuracy` in metres."""
    captured_at: NotRequired[str | datetime]
    """Time of capture, by the device's clock. Defaults to now."""
    device: NotRequired[JsonObject]
    """The device, such as its id and platform."""
    activity: NotRequired[str]
    """The code of the activity that the proof is for."""
    proof_uuid: NotRequired[str]
    """Created by the device, so that a repeated request stores the proof only once."""
    code: NotRequired[str]
    raw_data: NotRequired[str]
    symbology: NotRequired[str]
    entry: NotRequired[ScanEntry]
    """Whether the code was scanned or typed."""
    photo: NotRequired[str | bytes]
    """An image in base64, bare or as a data URI; in a form, a file."""
    mismatch_reason: NotRequired[str]
    """Why a code that does not match is used anyway, where the activity's `scan_mismatch` is
    `explain`. `photo` then shows the item, and no code is read from it."""


ScanMismatch: TypeAlias = "Literal['explain', 'refuse']"


class ScannedIn(TypedDict):
    """The text of a scanned label."""

    code: str


class ScheduleIn(TypedDict):
    """The auto-dispatch time: a moment, or a date and time in a time zone. The time zone defaults
    to the company's."""

    scheduled_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    date: NotRequired[str]
    """A day between the years 1970 and 2100."""
    time: NotRequired[str]
    time_zone: NotRequired[str]
    timezone: NotRequired[str | None]
    """Deprecated: use `time_zone`."""


class SecretOut(TypedDict):
    """A signing secret, without its text."""

    id: str
    created_at: str
    leads_at: str
    """Time from which it signs `X-Service-Signature`."""
    expires_at: str | None
    """Time at which it expires, if it was replaced."""


class SendAppLinkIn(TypedDict):
    """The channel for the link."""

    channel: CodeChannel


class SenderSettings(TypedDict):
    """Configured senders of messages."""

    sms: NotRequired[str | None]
    """A number, or up to eleven letters, digits and spaces."""
    email: NotRequired[str | None]
    """The sender's name in emails."""


class Senders(TypedDict):
    """Effective senders of messages; the brand by default."""

    sms: str | None
    """A number, or up to eleven letters, digits and spaces."""
    email: str | None
    """The sender's name in emails."""


class ServiceRateChange(TypedDict):
    """Changes of a rate. Omitted fields stay as they are; null clears a field."""

    service_name: NotRequired[str]
    service_type: NotRequired[str]
    status: NotRequired[RecordStatus]
    public: NotRequired[bool]
    """Whether storefronts show the rate."""
    currency: NotRequired[str]
    """ISO 4217 code."""
    service_area: NotRequired[str | None]
    """A service area, by its identifier."""
    zone: NotRequired[str | None]
    """A zone."""
    zone_applies_to: NotRequired[ZoneApplication]
    order_config: NotRequired[str | None]
    """An order configuration, or its key."""
    facilitator: NotRequired[str | None]
    """A vendor or a contact."""
    customers: NotRequired[Sequence[str]]
    """Contacts or vendors. The rate is only for them and for `price_groups`."""
    price_groups: NotRequired[Sequence[str]]
    """The rate is only for customers of these groups, and for `customers`."""
    valid_from: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    valid_until: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    min_weight: NotRequired[float | None]
    """Kilograms of all items."""
    max_weight: NotRequired[float | None]
    """Kilograms of all items."""
    min_volume: NotRequired[float | None]
    """Cubic metres of all items."""
    max_volume: NotRequired[float | None]
    """Cubic metres of all items."""
    min_distance: NotRequired[int | None]
    """Metres."""
    max_distance: NotRequired[float | None]
    max_distance_unit: NotRequired[DistanceUnit]
    min_stops: NotRequired[int | None]
    max_stops: NotRequired[int | None]
    min_cod: NotRequired[int | None]
    """In minor units of the currency."""
    max_cod: NotRequired[int | None]
    """In minor units of the currency."""
    rate_calculation_method: NotRequired[
        Literal[
            "algo",
            "algorithm",
            "fixed_meter",
            "fixed_rate",
            "multi_zone_distance",
            "parcel",
            "per_drop",
            "per_meter",
            "volume",
            "weight",
        ]
    ]
    """The pricing method. `fixed_meter` is `fixed_rate`, `algo` is `algorithm`."""
    base_fee: NotRequired[int]
    """In minor units of the currency."""
    per_meter_flat_rate_fee: NotRequired[float | None]
    per_meter_unit: NotRequired[DistanceUnit]
    distance_rounding: NotRequired[DistanceRounding]
    meter_fees: NotRequired[Sequence[MeterFee]]
    open_ended: NotRequired[bool]
    drop_fees: NotRequired[Sequence[Band]]
    weight_fees: NotRequired[Sequence[Band]]
    volumetric_divisor: NotRequired[int | None]
    volume_fees: NotRequired[Sequence[Band]]
    parcel_fees: NotRequired[Sequence[ParcelFee]]
    zone_fees: NotRequired[Sequence[ZoneFeeIn]]
    algorithm: NotRequired[str | None]
    """A price in minor units, from `distance_km`, `time_min`, `stops`, `weight_kg`, `volume_m3`,
    `items` and `base_fee`, with `+ - * /`, comparisons, `min max ceil floor round if`."""
    minimum_fee: NotRequired[int | None]
    """In minor units of the currency."""
    maximum_fee: NotRequired[int | None]
    """In minor units of the currency."""
    tax_rate: NotRequired[float | None]
    """Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
    service area's."""
    has_cod_fee: NotRequired[bool]
    cod_calculation_method: NotRequired[RateCalculation | None]
    cod_flat_fee: NotRequired[int | None]
    """In minor units of the currency."""
    cod_percent: NotRequired[float | None]
    """Per cent."""
    has_peak_hours_fee: NotRequired[bool]
    peak_hours_calculation_method: NotRequired[RateCalculation | None]
    peak_hours_flat_fee: NotRequired[int | None]
    """In minor units of the currency."""
    peak_hours_percent: NotRequired[float | None]
    """Per cent."""
    peak_hours_start: NotRequired[str | None]
    """Local time, `HH:MM`."""
    peak_hours_end: NotRequired[str | None]
    """Local time, `HH:MM`."""
    peak_windows: NotRequired[Sequence[PeakWindow]]
    surcharges: NotRequired[Sequence[SurchargeRuleIn]]
    time_zone: NotRequired[str | None]
    """IANA name. Defaults to the company's."""
    timezone: NotRequired[str | None]
    """Deprecated: use `time_zone`."""
    quote_life: NotRequired[int | None]
    """Seconds. Defaults to the company's."""
    duration_terms: NotRequired[str | None]
    estimated_days: NotRequired[int | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


class ServiceRateIn(TypedDict):
    """A new rate."""

    service_name: str
    service_type: str
    status: NotRequired[RecordStatus]
    public: NotRequired[bool]
    """Whether storefronts show the rate."""
    currency: str
    """ISO 4217 code."""
    service_area: NotRequired[str | None]
    """A service area, by its identifier."""
    zone: NotRequired[str | None]
    """A zone."""
    zone_applies_to: NotRequired[ZoneApplication]
    order_config: NotRequired[str | None]
    """An order configuration, or its key."""
    facilitator: NotRequired[str | None]
    """A vendor or a contact."""
    customers: NotRequired[Sequence[str]]
    """Contacts or vendors. The rate is only for them and for `price_groups`."""
    price_groups: NotRequired[Sequence[str]]
    """The rate is only for customers of these groups, and for `customers`."""
    valid_from: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    valid_until: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    min_weight: NotRequired[float | None]
    """Kilograms of all items."""
    max_weight: NotRequired[float | None]
    """Kilograms of all items."""
    min_volume: NotRequired[float | None]
    """Cubic metres of all items."""
    max_volume: NotRequired[float | None]
    """Cubic metres of all items."""
    min_distance: NotRequired[int | None]
    """Metres."""
    max_distance: NotRequired[float | None]
    max_distance_unit: NotRequired[DistanceUnit]
    min_stops: NotRequired[int | None]
    max_stops: NotRequired[int | None]
    min_cod: NotRequired[int | None]
    """In minor units of the currency."""
    max_cod: NotRequired[int | None]
    """In minor units of the currency."""
    rate_calculation_method: Literal[
        "algo",
        "algorithm",
        "fixed_meter",
        "fixed_rate",
        "multi_zone_distance",
        "parcel",
        "per_drop",
        "per_meter",
        "volume",
        "weight",
    ]
    """The pricing method. `fixed_meter` is `fixed_rate`, `algo` is `algorithm`."""
    base_fee: NotRequired[int]
    """In minor units of the currency."""
    per_meter_flat_rate_fee: NotRequired[float | None]
    per_meter_unit: NotRequired[DistanceUnit]
    distance_rounding: NotRequired[DistanceRounding]
    meter_fees: NotRequired[Sequence[MeterFee]]
    open_ended: NotRequired[bool]
    drop_fees: NotRequired[Sequence[Band]]
    weight_fees: NotRequired[Sequence[Band]]
    volumetric_divisor: NotRequired[int | None]
    volume_fees: NotRequired[Sequence[Band]]
    parcel_fees: NotRequired[Sequence[ParcelFee]]
    zone_fees: NotRequired[Sequence[ZoneFeeIn]]
    algorithm: NotRequired[str | None]
    """A price in minor units, from `distance_km`, `time_min`, `stops`, `weight_kg`, `volume_m3`,
    `items` and `base_fee`, with `+ - * /`, comparisons, `min max ceil floor round if`."""
    minimum_fee: NotRequired[int | None]
    """In minor units of the currency."""
    maximum_fee: NotRequired[int | None]
    """In minor units of the currency."""
    tax_rate: NotRequired[float | None]
    """Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
    service area's."""
    has_cod_fee: NotRequired[bool]
    cod_calculation_method: NotRequired[RateCalculation | None]
    cod_flat_fee: NotRequired[int | None]
    """In minor units of the currency."""
    cod_percent: NotRequired[float | None]
    """Per cent."""
    has_peak_hours_fee: NotRequired[bool]
    peak_hours_calculation_method: NotRequired[RateCalculation | None]
    peak_hours_flat_fee: NotRequired[int | None]
    """In minor units of the currency."""
    peak_hours_percent: NotRequired[float | None]
    """Per cent."""
    peak_hours_start: NotRequired[str | None]
    """Local time, `HH:MM`."""
    peak_hours_end: NotRequired[str | None]
    """Local time, `HH:MM`."""
    peak_windows: NotRequired[Sequence[PeakWindow]]
    surcharges: NotRequired[Sequence[SurchargeRuleIn]]
    time_zone: NotRequired[str | None]
    """IANA name. Defaults to the company's."""
    timezone: NotRequired[str | None]
    """Deprecated: use `time_zone`."""
    quote_life: NotRequired[int | None]
    """Seconds. Defaults to the company's."""
    duration_terms: NotRequired[str | None]
    estimated_days: NotRequired[int | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


class ServiceRateOut(TypedDict):
    """A rate."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    service_name: str
    service_type: str
    status: RecordStatus
    public: bool
    currency: str
    """ISO 4217 code."""
    service_area: str | None
    """A service area, by its identifier."""
    zone: str | None
    """A zone."""
    zone_applies_to: ZoneApplication
    order_config: str | None
    """An order configuration, or its key."""
    facilitator: str | None
    """A vendor or a contact."""
    customers: list[str]
    price_groups: list[str]
    valid_from: str | None
    valid_until: str | None
    min_weight: float | None
    """Kilograms of all items."""
    max_weight: float | None
    """Kilograms of all items."""
    min_volume: float | None
    """Cubic metres of all items."""
    max_volume: float | None
    """Cubic metres of all items."""
    min_distance: int | None
    """Metres."""
    max_distance: float | None
    max_distance_unit: DistanceUnit
    min_stops: int | None
    max_stops: int | None
    min_cod: int | None
    """In minor units of the currency."""
    max_cod: int | None
    """In minor units of the currency."""
    rate_calculation_method: Literal[
        "algorithm",
        "fixed_rate",
        "multi_zone_distance",
        "parcel",
        "per_drop",
        "per_meter",
        "volume",
        "weight",
    ]
    base_fee: int
    """In minor units of the currency."""
    per_meter_flat_rate_fee: float | None
    per_meter_unit: DistanceUnit
    distance_rounding: DistanceRounding
    meter_fees: list[MeterFee]
    open_ended: bool
    drop_fees: list[Band]
    weight_fees: list[Band]
    volumetric_divisor: int | None
    volume_fees: list[Band]
    parcel_fees: list[ParcelFee]
    zone_fees: list[ZoneFeeOut]
    algorithm: str | None
    """A price in minor units, from `distance_km`, `time_min`, `stops`, `weight_kg`, `volume_m3`,
    `items` and `base_fee`, with `+ - * /`, comparisons, `min max ceil floor round if`."""
    minimum_fee: int | None
    """In minor units of the currency."""
    maximum_fee: int | None
    """In minor units of the currency."""
    tax_rate: float | None
    """Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
    service area's."""
    has_cod_fee: bool
    cod_calculation_method: RateCalculation | None
    cod_flat_fee: int | None
    """In minor units of the currency."""
    cod_percent: float | None
    """Per cent."""
    has_peak_hours_fee: bool
    peak_hours_calculation_method: RateCalculation | None
    peak_hours_flat_fee: int | None
    """In minor units of the currency."""
    peak_hours_percent: float | None
    """Per cent."""
    peak_hours_start: str | None
    """Local time, `HH:MM`."""
    peak_hours_end: str | None
    """Local time, `HH:MM`."""
    peak_windows: list[PeakWindow]
    surcharges: list[SurchargeRuleOut]
    time_zone: str | None
    """IANA name. Defaults to the company's."""
    timezone: str | None
    """Deprecated: use `time_zone`."""
    quote_life: int | None
    duration_terms: str | None
    estimated_days: int | None
    meta: JsonObject


class SessionEnded(TypedDict):
    """The session has ended."""

    status: str


class SessionExport(TypedDict):
    """A session, active or ended."""

    method: str
    user_agent: str
    address: str
    created_at: str
    last_used_at: str
    revoked_at: str | None


class SessionOut(TypedDict):
    """One session."""

    id: str
    method: str
    """How the person signed in."""
    user_agent: str
    address: str
    """The network it came from."""
    current: bool
    """Whether this request uses the session."""
    created_at: str
    last_used_at: str
    """Accurate to a minute; for devices, to 15 minutes."""
    expires_at: str | None
    """Time of expiry, even if the session is in use."""
    revoked_at: str | None
    revoked_by: str | None
    """The actor that ended the session."""


class SettingsChange(TypedDict):
    """Changes: an omitted setting stays, null restores the default."""

    name: NotRequired[str]
    country: NotRequired[str | None]
    """Used for phone numbers without a country code (ISO 3166)."""
    time_zone: NotRequired[str | None]
    """IANA time zone. It decides when a day begins."""
    locale: NotRequired[str | None]
    """A BCP 47 tag."""
    currency: NotRequired[str | None]
    """ISO 4217 code."""
    order_config: NotRequired[str | None]
    """The default order configuration; `transport` if not set."""
    codes: NotRequired[CodeSettings | None]
    quote_life: NotRequired[int | None]
    """Quote validity in seconds, unless the quote's rate has its own."""
    dispatch_requires: NotRequired[DispatchRequirement | None]
    """What an order needs before dispatch: `nothing`, an accepted `price`, or its `payment` in
    full."""
    undelivered_charge: NotRequired[Literal["keep", "return_fee", "void"] | None]
    """The charge for an order that could not be delivered: `keep` the price, `void` it, or charge
    the `return_fee`. Any excess payment is refunded."""
    return_fee: NotRequired[int | str | None]
    price_changes: NotRequired[Literal["adjust", "keep", "refuse"] | None]
    """When a change of an order moves its accepted price: `adjust` the price, `refuse` the change,
    or `keep` the price."""
    cancellation_fees: NotRequired[CancellationFeeSettings | None]
    cancellation_refund: NotRequired[CancellationRefund | None]
    """Whether a paid order that is canceled is refunded: `automatic`, less the cancellation fee,
    or `manual`, by a person. A customer's own cancellation is always refunded."""
    prices_include_tax: NotRequired[bool | None]
    """Whether rates and charges include tax."""
    tax_rate: NotRequired[float | None]
    """Tax in per cent, with at most four decimals."""
    tax_rounding: NotRequired[Literal["document", "line"] | None]
    """Whether tax is rounded per `line` or per `document`."""
    tax_number: NotRequired[str | None]
    """The company's tax number, for invoices."""
    legal_name: NotRequired[str | None]
    """The seller's name on invoices. Defaults to the company's name."""
    billing_address: NotRequired[BillingAddressSettings | None]
    iban: NotRequired[str | None]
    """The account for transfers. Spaces are removed."""
    bic: NotRequired[str | None]
    """The bank of the account."""
    payment_instructions: NotRequired[str | None]
    payment_terms_days: NotRequired[int | None]
    """Days until an invoice is due, unless the customer has other terms."""
    invoice_prefix: NotRequired[str | None]
    """Before the year and the number, as in `INV-2026-00042`."""
    credit_note_prefix: NotRequired[str | None]
    """Before the year and the number, as in `INV-2026-00042`."""
    invoice_footer: NotRequired[str | None]
    email_invoices: NotRequired[bool | None]
    """Whether issued invoices are emailed to their customers."""
    speed_limit_kmh: NotRequired[int | None]
    """Devices raise a speed alert above this speed in km/h, unless a zone or the vehicle has its
    own limit. No alerts if not set."""
    dispatch_phone: NotRequired[str | None]
    """The phone number on which drivers call or message dispatch, with country code."""
    unique_internal_ids: NotRequired[bool | None]
    """Whether an order is refused if another order has its `internal_id`."""
    locations: NotRequired[LocationSettings | None]
    routing: NotRequired[PaceSettings | None]
    retention: NotRequired[RetentionSettings | None]
    branding: NotRequired[BrandSettings | None]
    senders: NotRequired[SenderSettings | None]
    news: NotRequired[NewsSettings | None]
    recipients: NotRequired[RecipientSettings | None]


class SettingsOut(TypedDict):
    """Effective settings. `given` lists the configured ones, and the rest are defaults."""

    name: str
    country: str | None
    """Used for phone numbers without a country code (ISO 3166)."""
    time_zone: str
    """IANA time zone. It decides when a day begins."""
    locale: str
    """A BCP 47 tag."""
    currency: str | None
    """ISO 4217 code."""
    order_config: str | None
    """The default order configuration; `transport` if not set."""
    codes: Codes
    quote_life: int
    """Quote validity in seconds, unless the quote's rate has its own."""
    dispatch_requires: DispatchRequirement
    """What an order needs before dispatch: `nothing`, an accepted `price`, or its `payment` in
    full."""
    undelivered_charge: Literal["keep", "return_fee", "void"]
    """The charge for an order that could not be delivered: `keep` the price, `void` it, or charge
    the `return_fee`. Any excess payment is refunded."""
    return_fee: int | str | None
    price_changes: Literal["adjust", "keep", "refuse"]
    """When a change of an order moves its accepted price: `adjust` the price, `refuse` the change,
    or `keep` the price."""
    cancellation_fees: CancellationFees
    cancellation_refund: CancellationRefund
    """Whether a paid order that is canceled is refunded: `automatic`, less the cancellation fee,
    or `manual`, by a person. A customer's own cancellation is always refunded."""
    prices_include_tax: bool
    """Whether rates and charges include tax."""
    tax_rate: float | None
    """Tax in per cent, with at most four decimals."""
    tax_rounding: Literal["document", "line"]
    """Whether tax is rounded per `line` or per `document`."""
    tax_number: str | None
    """The company's tax number, for invoices."""
    legal_name: str
    """The seller's name on invoices. Defaults to the company's name."""
    billing_address: BillingAddress
    iban: str | None
    """The account for transfers. Spaces are removed."""
    bic: str | None
    """The bank of the account."""
    payment_instructions: str | None
    payment_terms_days: int
    """Days until an invoice is due, unless the customer has other terms."""
    invoice_prefix: str
    """Before the year and the number, as in `INV-2026-00042`."""
    credit_note_prefix: str
    """Before the year and the number, as in `INV-2026-00042`."""
    invoice_footer: str | None
    email_invoices: bool
    """Whether issued invoices are emailed to their customers."""
    speed_limit_kmh: int | None
    """Devices raise a speed alert above this speed in km/h, unless a zone or the vehicle has its
    own limit. No alerts if not set."""
    dispatch_phone: str | None
    """The phone number on which drivers call or message dispatch, with country code."""
    unique_internal_ids: bool
    """Whether an order is refused if another order has its `internal_id`."""
    locations: Locations
    routing: Pace
    retention: Retention
    branding: Branding
    senders: Senders
    news: News
    recipients: Recipients
    given: list[str]
    updated_at: str
    version: int
    """Increases with each change."""


class SetupIntentOut(TypedDict):
    """An intent to save a card."""

    setupIntentId: str
    setupIntent: str
    """The client secret of the setup intent."""
    customerId: str
    """The customer at the gateway."""
    publishableKey: str


Severity: TypeAlias = "Literal['critical', 'high', 'info', 'low', 'medium', 'warning']"


class ShiftExceptionFields(TypedDict):
    """Days off, or days with other shifts than the weekly ones."""

    date: str
    """A day between the years 1970 and 2100."""
    until: NotRequired[str | None]
    """The last day. Defaults to `date`."""
    shifts: NotRequired[list[ShiftHoursFields]]
    """The shifts of each day; none on a day off."""


class ShiftFields(TypedDict):
    """A shift that begins on some days of every week."""

    start: str
    """Time of day, `HH:MM`."""
    end: str
    """Time of day, `HH:MM`."""
    breaks: NotRequired[list[BreakFields]]
    """Breaks within the shift."""
    days: list[Weekday]
    """The days on which it begins."""


class ShiftHoursFields(TypedDict):
    """A shift. If its end is not after its start, it ends on the next day."""

    start: str
    """Time of day, `HH:MM`."""
    end: str
    """Time of day, `HH:MM`."""
    breaks: NotRequired[list[BreakFields]]
    """Breaks within the shift."""


SignatureFormat: TypeAlias = "Literal['bare', 'prefixed']"


class SignatureIn(TypedDict):
    """A signature."""

    remarks: NotRequired[str]
    data: NotRequired[JsonObject]
    """Your own data, up to 16 KiB."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """Place of capture. It may contain `accuracy` in metres."""
    captured_at: NotRequired[str | datetime]
    """Time of capture, by the device's clock. Defaults to now."""
    device: NotRequired[JsonObject]
    """The device, such as its id and platform."""
    activity: NotRequired[str]
    """The code of the activity that the proof is for."""
    proof_uuid: NotRequired[str]
    """Created by the device, so that a repeated request stores the proof only once."""
    signature: NotRequired[str | bytes]
    """An image in base64, bare or as a data URI; in a form, a file."""
    signer_name: NotRequired[str]
    signer_relationship: NotRequired[str]


class SimulateIn(TypedDict):
    """A simulation of a driver."""

    speed: NotRequired[float | Literal["instant"]]
    """How much faster than a real driver, from 1 to 1000, or `instant`. Defaults to `60`."""
    outcome: NotRequired[Literal["delivered", "failed"]]
    """`delivered`, or `failed` for a failed attempt at the last stop. Defaults to `"delivered"`."""
    reason: NotRequired[str]
    """With `outcome: failed`, a reason of the order configuration. Defaults to its first."""


class SimulationOut(TypedDict):
    """A simulation, with its plan."""

    order: str
    driver: str
    """The robot that works on the order."""
    state: Literal["done", "failed", "running", "stopped"]
    """`stopped`: the order was canceled, changed or assigned to another driver, or the simulation
    was stopped. `failed`: a step was refused; see `reason`."""
    reason: str | None
    """Why it ended early."""
    speed: float | Literal["instant"]
    """How much faster than a real driver, from 1 to 1000, or `instant`."""
    outcome: Literal["delivered", "failed"]
    """`delivered`, or `failed` for a failed attempt at the last stop."""
    created_at: str
    finished_at: str | None
    steps: list[SimulationStepOut]


class SimulationStepOut(TypedDict):
    """A step of a simulation."""

    activity: str
    waypoint: str | None
    """The stop, if there are several."""
    method: ProofMethod | None
    """The proof that the robot captures."""
    reason: str | None
    """The reason of a failed attempt, which replaces the activity."""
    at: str
    """The planned time. A step may be a little later."""
    done: bool


class SmsIn(TypedDict):
    """The SMS code that the recipient gave to the driver."""

    remarks: NotRequired[str]
    data: NotRequired[JsonObject]
    """Your own data, up to 16 KiB."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """Place of capture. It may contain `accuracy` in metres."""
    captured_at: NotRequired[str | datetime]
    """Time of capture, by the device's clock. Defaults to now."""
    device: NotRequired[JsonObject]
    """The device, such as its id and platform."""
    activity: NotRequired[str]
    """The code of the activity that the proof is for."""
    proof_uuid: NotRequired[str]
    """Created by the device, so that a repeated request stores the proof only once."""
    code: str


class SmsLength(TypedDict):
    """The length of a text as an SMS."""

    alphabet: Literal["gsm", "unicode"]
    """One character outside the GSM alphabet makes it `unicode`, with less than half the length
    per segment."""
    characters: int
    segments: int
    """Number of SMS billed."""
    others: str
    """Characters outside the GSM alphabet."""


class SmsLoginIn(TypedDict):
    """A request for a code by SMS."""

    phone: str
    """With country code."""


class SmsOut(TypedDict):
    """SMS codes of one store, of all drivers, or of all deliveries."""

    audience: Literal["deliveries", "drivers", "store"]
    store: str | None
    sent: int
    """Codes sent within 24 hours."""
    sms_per_day: int
    """Codes by SMS in 24 hours, counted separately for each store, for drivers and for deliveries.
    A fifth is reserved for people who have an account."""
    paused: list[PausedOut]


class SmsOverview(TypedDict):
    """SMS codes by audience."""

    audiences: list[SmsOut]


class SosIn(TypedDict):
    """A call for help."""

    occurred_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""


class SosOut(TypedDict):
    """A call for help that has reached dispatch."""

    driver: str
    received_at: str


class SpentOut(TypedDict):
    """News sent by SMS within 24 hours. The company's count excludes its stores' customers."""

    sent: int
    sms_per_day: int


class StartIn(TypedDict):
    """Start of an order."""

    skip_dispatch: NotRequired[bool]
    """Dispatch the order first, if necessary. Defaults to `false`."""
    assign: NotRequired[str]
    """The driver to assign first."""
    occurred_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""


class StatusChange(TypedDict):
    """Changes to a manual status. Omitted fields stay; null clears a field."""

    code: NotRequired[str]
    status: NotRequired[str]
    details: NotRequired[str]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """GeoJSON, `{latitude, longitude}` or `latitude,longitude`."""
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


class StatusExport(TypedDict):
    """An event of the order, or at the person's stop."""

    code: str
    status: str
    details: str
    location: PointOut | None
    meta: JsonObject
    occurred_at: str
    created_at: str


class StatusIn(TypedDict):
    """A manual status of an order, or of the stop or item with a tracking number."""

    code: str
    status: str
    details: NotRequired[str]
    order: NotRequired[str]
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    tracking: NotRequired[str]
    """A tracking number, or its identifier."""
    tracking_number: NotRequired[str | None]
    """Deprecated: use `tracking`."""
    place: NotRequired[str]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """GeoJSON, `{latitude, longitude}` or `latitude,longitude`."""
    latitude: NotRequired[float]
    longitude: NotRequired[float]
    complete: NotRequired[bool]
    """Defaults to `false`."""
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""


class StatusOut(TypedDict):
    """An entry in the history of an order or of one of its stops."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    tracking: str
    tracking_number: str
    """Deprecated: use `tracking`."""
    order: str
    code: str
    status: str
    details: str
    complete: bool
    place: str | None
    address: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    country: str | None
    location: PointOut | None
    manual: bool
    """Whether the status was added manually."""
    actor: ActorOut
    """The actor."""
    occurred_at: str
    """Time of the event; `created_at` is the time of recording."""
    clock_skew: int | None
    """Seconds by which the device's clock was outside the possible range."""
    meta: JsonObject
    """The company's own data, up to 16 KiB."""


class StopAhead(TypedDict):
    """A stop with its progress and all of its activities."""

    id: str
    type: StopType
    activity: str | None
    """The latest activity at the stop."""
    done: bool
    attempts: int
    """Number of failed attempts."""
    undelivered: Undelivered | None
    """Result of failed attempts: `hold` waits for a decision, `return` goes back."""
    next: list[str]
    """Activities that are possible once the driver is at the stop."""
    begin: list[str]
    """Activities that may happen first at the stop."""
    activities: list[ActivityAhead]


class StopContact(TypedDict):
    """The contact at a stop: an existing one by `id`, or one described by its fields."""

    id: NotRequired[str]
    name: NotRequired[str]
    phone: NotRequired[str]
    """With country code."""
    email: NotRequired[str]


class StopOut(TypedDict):
    """A stop of a vehicle between two trips."""

    arrived_at: str
    left_at: str
    seconds: float
    """Seconds."""
    location: PointOut


StopType: TypeAlias = "Literal['dropoff', 'pickup']"


class StoreSettings(TypedDict):
    """Settings in which a store differs from its company."""

    locale: NotRequired[str | None]
    """A BCP 47 tag."""
    codes: NotRequired[CodeSettings | None]
    branding: NotRequired[BrandSettings | None]
    senders: NotRequired[SenderSettings | None]
    news: NotRequired[NewsSettings | None]
    return_origins: NotRequired[list[str] | None]
    """Origins that the store's customers may return to after payment. None if not set."""
    orders: NotRequired[bool | None]
    """Whether the store's customers may place orders from quotes."""
    dispatch_requires: NotRequired[DispatchRequirement | None]
    """What an order needs before dispatch: `nothing`, an accepted `price`, or its `payment` in
    full."""
    unpaid_order_minutes: NotRequired[int | None]
    """Minutes until an unpaid order that a customer placed is canceled. Never if not set."""


class StorefrontChange(TypedDict):
    """Changes of a storefront."""

    name: NotRequired[str]
    providers: NotRequired[ProvidersChange]
    settings: NotRequired[StoreSettings | None]
    """Changes of the store's own settings: an omitted setting stays, null restores the company's."""


class StorefrontOut(TypedDict):
    """A storefront."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    name: str
    providers: ProvidersOut
    settings: StoreSettings
    """Settings in which the store differs from its company."""
    created_at: str
    updated_at: str | None
    version: int
    """Increases with each change."""


class Success(TypedDict):
    """The request succeeded."""

    status: str


class SuggestionOut(TypedDict):
    """A suggested address."""

    place: str | None
    """The company's own place."""
    name: str | None
    address: str
    """The address, on one line."""
    street1: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    country: str | None
    """ISO 3166, two letters."""
    location: GeoJsonPoint | None
    """A GeoJSON point."""
    quality: AddressQuality | None
    """Precision of the point."""


class SurchargeRuleIn(TypedDict):
    """A surcharge on top of the price, if all its conditions are met."""

    kind: Literal["fuel", "holiday", "insured_value", "other", "oversize", "remote_area"]
    name: str
    percent: NotRequired[float]
    """Per cent of the price without surcharges and tax. For `insured_value`, of the declared value
    of the items."""
    flat_fee: NotRequired[int]
    """Instead of `percent`. For items, the fee of each of them."""
    dates: NotRequired[Sequence[str]]
    """Days on which it applies, in the rate's time zone."""
    zone: NotRequired[str]
    """Any stop is in this zone."""
    service_area: NotRequired[str]
    """Any stop is in this area."""
    over_length: NotRequired[float]
    """For items with a side above this many centimetres."""
    over_weight: NotRequired[float]
    """For items above this many kilograms."""


class SurchargeRuleOut(TypedDict):
    """A surcharge on top of the price, if all its conditions are met."""

    kind: Literal["fuel", "holiday", "insured_value", "other", "oversize", "remote_area"]
    name: str
    percent: float | None
    """Per cent."""
    flat_fee: int | None
    """In minor units of the currency."""
    dates: list[str]
    zone: str | None
    """A zone."""
    service_area: str | None
    """A service area, by its identifier."""
    over_length: float | None
    over_weight: float | None


class TaxTotal(TypedDict):
    """The sum of the lines with one tax rate. Without a rate, no tax was charged."""

    rate: NotRequired[float | None]
    net_amount: int
    tax_amount: int


class TaxTotalOut(TypedDict):
    """The sums of the lines with one tax rate."""

    tax_rate: float | None
    """Per cent."""
    net_amount: int
    """Without tax, in whole minor units of the currency."""
    tax_amount: int
    """The part of the amount that is tax, in minor units."""
    amount: int
    """With tax, in whole minor units of the currency."""


class TestMessageIn(TypedDict):
    """A test message to send."""

    channel: CodeChannel
    to: str
    """The recipient's phone number or email address."""


class ToggleIn(TypedDict):
    """Presence. Without a value it is toggled."""

    online: NotRequired[bool]
    occurred_at: NotRequired[str | datetime]
    """Time of the event, by the device's clock. A future or missing time means now."""


class Track(TypedDict):
    """A simplified line in GeoJSON for a map."""

    type: Literal["LineString"]
    """GeoJSON type."""
    coordinates: list[list[float]]
    """Longitudes and latitudes, in degrees."""
    source: Literal["positions", "roads"]
    """Source of the line."""


class TrackIn(TypedDict):
    """The position of a driver or a vehicle."""

    latitude: NotRequired[float]
    longitude: NotRequired[float]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """Instead of `latitude` and `longitude`."""
    heading: NotRequired[float]
    """Degrees clockwise from north."""
    altitude: NotRequired[float]
    """Metres."""
    speed: NotRequired[float]
    """Metres per second."""
    accuracy: NotRequired[float]
    """Metres."""
    recorded_at: NotRequired[str | datetime]
    """Time of the position. Defaults to now. Late reports do not replace newer positions."""


class Tracked(TypedDict):
    """The position, progress and ETA of an order."""

    order: str
    status: str
    driver: str | None
    position: PointOut | None
    """The driver's latest position."""
    heading: float | None
    """Degrees from north."""
    speed: float | None
    """Metres per second."""
    located_at: str | None
    progress: int
    """Per cent."""
    current_waypoint: str | None
    stops: list[TrackedStop]
    completed_stops: int
    total_stops: int
    distance_remaining: int | None
    """Metres."""
    time_remaining: int | None
    """Seconds."""
    eta: str | None
    """ETA at the last stop, after the driver's stops for other orders. Null while the driver's
    position is older than ten minutes."""
    forecast: Forecast | None
    """Null without an ETA or a time window."""
    route_source: DistanceSource | None
    """Source of the remaining distance."""
    tracking_url: str | None
    """The recipient's tracking page. Give the link only to the recipient."""


class TrackedStop(TypedDict):
    """A stop with its ETA."""

    waypoint: str | None
    type: str
    address: str
    location: PointOut | None
    complete: bool
    attempts: int
    """Number of failed attempts."""
    undelivered: Undelivered | None
    """Result of failed attempts: `hold` waits for a decision, `return` goes back."""
    eta: str | None
    forecast: ForecastState | None
    """`late` if the ETA is after the time window, `at_risk` if it is less than ten minutes before
    its end."""
    late_seconds: int | None
    """Seconds from the end of the time window to the ETA."""


class TransactionExport(TypedDict):
    """A payment that the person owes or has made, in minor currency units."""

    id: str
    amount: int
    currency: str
    status: str
    amount_paid: int
    amount_refunded: int
    void_reason: str | None
    created_at: str


class TransactionOut(TypedDict):
    """A transaction: the amount owed for an order, and its payments."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    order: str | None
    service_quote: str | None
    customer: str | None
    """A customer, contact or vendor."""
    customer_type: PartnerType | None
    amount: int
    """In whole minor units of the currency."""
    currency: str
    """ISO 4217."""
    status: TransactionStatus
    """Derived from the known payments and refunds."""
    amount_paid: int
    """Total amount paid, without lost disputes."""
    amount_refunded: int
    """Total amount refunded."""
    amount_disputed: int
    """Total amount of lost disputes."""
    balance: int
    """The amount still owed. Below zero, it is a credit. A refund does not make its amount owed
    again."""
    items: list[ItemOut]
    """Their sum is the amount."""
    payments: list[RecordedPaymentOut]
    """Money that people recorded, outside a gateway."""
    refunds: list[RefundOut]
    disputes: list[DisputeOut]
    unmatched_payments: list[UnmatchedPaymentOut]
    """Payments in another currency. They settle nothing; refund them there."""
    gateway: str | None
    """Null if no gateway takes the payment."""
    checkout_url: str | None
    """The page to pay on. Null if there is nothing to pay or no page is open."""
    checkout_status: CheckoutStatus | None
    """Status of the page of the payment, or else of the last page."""
    checkout_error: str | None
    """Error code of the page, if it could not be opened."""
    paid_at: str | None
    voided_at: str | None
    void_reason: str | None


TransactionStatus: TypeAlias = (
    "Literal['paid', 'partially_paid', 'partially_refunded', 'refunded', 'unpaid', 'voided']"
)


class TripOut(TypedDict):
    """A trip of a vehicle, from departure to rest."""

    id: str
    """The trip's id."""
    device: str
    """The device that recorded the trip."""
    device_id: str
    """Deprecated: use `device`."""
    started_at: str
    ended_at: str | None
    """Null while the trip continues."""
    start: PointOut
    end: PointOut
    """Where the trip ended, or the latest position."""
    distance: float
    """Metres."""
    moving_seconds: float
    """Seconds."""
    idle_seconds: float
    """Seconds of standing during the trip."""
    longest_stop_seconds: float
    """The longest stop during the trip."""
    max_speed: float | None
    """Kilometres per hour."""
    track: Track | None
    """The trip's line. Null for periods of over two days."""


_TripsOutKeywords = TypedDict(
    "_TripsOutKeywords",
    {
        "from": "str",
    },
)


class TripsOut(_TripsOutKeywords):
    """A vehicle's trips in a period, the stops between them, and totals. A trip counts for the
    period in which it starts. Late positions may change it afterwards."""

    vehicle: str
    vehicle_id: str
    """Deprecated: use `vehicle`."""
    to: str
    """End of the period."""
    trips: list[TripOut]
    stops: list[StopOut]
    distance: float
    """Metres."""
    moving_seconds: float
    """Seconds."""
    idle_seconds: float
    """Seconds."""
    max_speed: float | None
    """Kilometres per hour."""


class UnassignedOut(TypedDict):
    """An order without a driver, and the reason."""

    order: str
    internal_id: str | None
    number: str
    """The order's number: `internal_id`, or else its tracking number."""
    reason: (
        Literal["capacity", "no_road", "outside_shifts", "removed", "skill", "too_large", "window"]
        | Literal["fixed_driver", "no_location", "nothing_left", "on_hold", "other_driver"]
    )
    message: str


Undelivered: TypeAlias = "Literal['hold', 'return']"

UndeliveredDecision: TypeAlias = "Literal['hold', 'retry', 'return']"


class UnitOut(TypedDict):
    """A vehicle with its driver, or a driver without one."""

    id: str
    kind: Literal["driver", "vehicle"]
    name: str
    """The vehicle's plate or model, or the driver's name."""
    plate_number: str | None
    status: str
    online: bool
    """Whether the vehicle or its driver is online."""
    driver: str | None
    driver_name: str | None
    state: Literal["moving", "never_seen", "offline", "stale", "standing"]
    """`stale` after 10 minutes without a report, `offline` after 30; otherwise whether the unit
    moves."""
    location: PointOut | None
    heading: float | None
    """Degrees clockwise from north."""
    speed: float | None
    """Metres per second."""
    located_at: str | None


class UnmatchedPaymentOut(TypedDict):
    """A payment in another currency than the transaction's. It settles nothing."""

    reference: str | None
    """The gateway's id."""
    amount: int
    """In whole minor units of the currency."""
    currency: str
    """ISO 4217."""
    received_at: str


class UnreadOut(TypedDict):
    """The number of unread alerts in the operator's list."""

    count: int
    """At most 99."""
    more: bool
    """Whether there are more than `count`."""
    announced: bool
    """Whether your rules announce any kind on the desktop or by a sound."""


class UnregisterDeviceIn(TypedDict):
    """A device that no longer receives push messages."""

    token: str
    platform: NotRequired[AppPlatform]


class VehicleChange(TypedDict):
    """Changes to a vehicle. Omitted fields stay, and null clears a field."""

    internal_id: NotRequired[str | None]
    """The company's own reference."""
    online: NotRequired[bool]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """Position of a new record. A change cannot set another position: report it to `track`."""
    latitude: NotRequired[float | str | None]
    """Instead of `location`."""
    longitude: NotRequired[float | str | None]
    """Instead of `location`."""
    heading: NotRequired[float | None]
    """Degrees clockwise from north."""
    altitude: NotRequired[float | None]
    speed: NotRequired[float | None]
    located_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""
    vin: NotRequired[str | None]
    plate_number: NotRequired[str | None]
    make: NotRequired[str | None]
    model: NotRequired[str | None]
    trim: NotRequired[str | None]
    year: NotRequired[int | None]
    color: NotRequired[str | None]
    type: NotRequired[str | None]
    fuel_type: NotRequired[str | None]
    payload_capacity: NotRequired[float | None]
    """The same as `capacity.weight`."""
    capacity: NotRequired[CapacityFields | None]
    profile: NotRequired[VehicleProfile]
    """The roads it can use, for routes and times."""
    cost_per_km: NotRequired[int | None]
    """In minor units of `currency`. Plans compare routes by it."""
    currency: NotRequired[str | None]
    """The cost's currency, ISO 4217. Defaults to the company's."""
    speed_limit_kmh: NotRequired[int | None]
    """Devices on the vehicle raise a speed alert above it. A zone's limit overrides it, and it
    overrides the company's."""
    min_temperature: NotRequired[float | None]
    """°C. A lower reading raises an alert. Limits of a device override those of its vehicle."""
    max_temperature: NotRequired[float | None]
    """°C. A higher reading raises an alert."""
    status: NotRequired[VehicleStatus]


class VehicleIn(TypedDict):
    """A new vehicle."""

    internal_id: NotRequired[str | None]
    """The company's own reference."""
    online: NotRequired[bool]
    """Defaults to `false`."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """Position of a new record. A change cannot set another position: report it to `track`."""
    latitude: NotRequired[float | str | None]
    """Instead of `location`."""
    longitude: NotRequired[float | str | None]
    """Instead of `location`."""
    heading: NotRequired[float | None]
    """Degrees clockwise from north."""
    altitude: NotRequired[float | None]
    speed: NotRequired[float | None]
    located_at: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    meta: NotRequired[JsonObject | None]
    """Custom data of the company."""
    vin: NotRequired[str | None]
    plate_number: NotRequired[str | None]
    make: NotRequired[str | None]
    model: NotRequired[str | None]
    trim: NotRequired[str | None]
    year: NotRequired[int | None]
    color: NotRequired[str | None]
    type: NotRequired[str | None]
    fuel_type: NotRequired[str | None]
    payload_capacity: NotRequired[float | None]
    """The same as `capacity.weight`."""
    capacity: NotRequired[CapacityFields | None]
    profile: NotRequired[VehicleProfile]
    """The roads it can use, for routes and times."""
    cost_per_km: NotRequired[int | None]
    """In minor units of `currency`. Plans compare routes by it."""
    currency: NotRequired[str | None]
    """The cost's currency, ISO 4217. Defaults to the company's."""
    speed_limit_kmh: NotRequired[int | None]
    """Devices on the vehicle raise a speed alert above it. A zone's limit overrides it, and it
    overrides the company's."""
    min_temperature: NotRequired[float | None]
    """°C. A lower reading raises an alert. Limits of a device override those of its vehicle."""
    max_temperature: NotRequired[float | None]
    """°C. A higher reading raises an alert."""
    status: NotRequired[VehicleStatus]
    """Defaults to `"available"`."""


class VehicleOut(TypedDict):
    """A vehicle. Positions do not change `version`."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    internal_id: str | None
    """The company's own reference."""
    online: bool
    fleets: list[str]
    location: PointOut | None
    heading: float | None
    """Degrees from north."""
    altitude: float | None
    """Metres."""
    speed: float | None
    """Metres per second."""
    located_at: str | None
    meta: JsonObject
    """Custom data of the company."""
    vin: str | None
    plate_number: str | None
    make: str | None
    model: str | None
    trim: str | None
    year: int | None
    color: str | None
    type: str | None
    fuel_type: str | None
    payload_capacity: float | None
    """The same as `capacity.weight`."""
    capacity: CapacityOut
    profile: VehicleProfile
    """The roads it can use, for routes and times."""
    cost_per_km: int | None
    """In minor units of `currency`. Plans compare routes by it."""
    currency: str | None
    """The cost's currency, ISO 4217. Defaults to the company's."""
    speed_limit_kmh: int | None
    """Devices on the vehicle raise a speed alert above it. A zone's limit overrides it, and it
    overrides the company's."""
    min_temperature: float | None
    """°C. A lower reading raises an alert. Limits of a device override those of its vehicle."""
    max_temperature: float | None
    """°C. A higher reading raises an alert."""
    status: VehicleStatus
    driver: str | None


VehicleProfile: TypeAlias = "Literal['bicycle', 'car', 'van']"

VehicleStatus: TypeAlias = "Literal['accident', 'active', 'available', 'awaiting_parts', 'cleaning', 'compliance_hold', 'decommissioned', 'idle', 'in_use', 'inspection_due', 'inspection_failed', 'maintenance', 'on_route', 'operational', 'out_of_service', 'reserved', 'retired', 'staging', 'stolen']"


class VendorChange(TypedDict):
    """Changes to a vendor. Omitted fields stay; null clears a field."""

    internal_id: NotRequired[str | None]
    """The company's own number."""
    name: NotRequired[str]
    title: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    """With country code."""
    locale: NotRequired[str | None]
    """The language of notifications, as a BCP 47 tag."""
    type: NotRequired[str]
    place: NotRequired[str | None]
    """A place, by its identifier."""
    price_group: NotRequired[str | None]
    """Rates with this price group apply."""
    default_service: NotRequired[str | None]
    """The service rate to prefer when an order is dispatched."""
    payment_terms_days: NotRequired[int | None]
    """Days until an invoice is due."""
    tax_number: NotRequired[str | None]
    """The tax number."""
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    business_id: NotRequired[str | None]
    """The business registration number."""
    website_url: NotRequired[str | None]
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    status: NotRequired[RecordStatus]


class VendorIn(TypedDict):
    """A new vendor."""

    internal_id: NotRequired[str | None]
    """The company's own number."""
    name: str
    title: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    """With country code."""
    locale: NotRequired[str | None]
    """The language of notifications, as a BCP 47 tag."""
    type: NotRequired[str]
    place: NotRequired[str | None]
    """A place, by its identifier."""
    price_group: NotRequired[str | None]
    """Rates with this price group apply."""
    default_service: NotRequired[str | None]
    """The service rate to prefer when an order is dispatched."""
    payment_terms_days: NotRequired[int | None]
    """Days until an invoice is due."""
    tax_number: NotRequired[str | None]
    """The tax number."""
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    business_id: NotRequired[str | None]
    """The business registration number."""
    website_url: NotRequired[str | None]
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    status: NotRequired[RecordStatus]


class VendorOut(TypedDict):
    """A vendor."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    internal_id: str | None
    """The company's own number."""
    name: str
    title: str | None
    email: str | None
    phone: str | None
    """With country code."""
    locale: str | None
    """The language of notifications, as a BCP 47 tag."""
    type: str
    place: str | None
    """A place, by its identifier."""
    price_group: str | None
    """Rates with this price group apply."""
    default_service: str | None
    """The service rate to prefer when an order is dispatched."""
    payment_terms_days: int | None
    """Days until an invoice is due."""
    tax_number: str | None
    """The tax number."""
    payment_status: CustomerPaymentStatus
    """`unpaid` if anything is owed, `overpaid` if there is only a credit, `none` without a
    transaction."""
    balances: list[PartnerBalanceOut]
    """Open balances by currency: charges minus payments."""
    meta: JsonObject
    """The company's own data, up to 16 KiB."""
    business_id: str | None
    """The business registration number."""
    website_url: str | None
    country: str | None
    """ISO 3166, two letters."""
    status: RecordStatus


class VerdictOut(TypedDict):
    """The result of a proof's verification."""

    valid: bool
    erased: bool
    facts_valid: bool
    hash_valid: bool
    chain_valid: bool
    head_valid: bool
    signature_valid: bool
    file_valid: bool
    faults: list[str]
    """One message per fault."""
    proof: str
    public_key: str | None
    """The signer's Ed25519 key in hex, or null if it is not trusted."""
    facts: str
    """The signed facts, as JSON text."""


class VerifyCodeIn(TypedDict):
    """A code, and the identity that received it."""

    identity: str
    """A phone number or an email address."""
    code: str


class VoidIn(TypedDict):
    """The reason to void a transaction."""

    reason: NotRequired[str]


class WaypointChange(TypedDict):
    """Changes to a stop. Omitted fields stay; null clears a field. Only `place` changes its place.
    The place's own fields are accepted if they match the stored place."""

    time_window_start: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    time_window_end: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    notes: NotRequired[str | None]
    pod_required: NotRequired[bool]
    pod_method: NotRequired[ProofMethod | None]
    place: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place's identifier, an address as text or as an object, or a point."""
    type: NotRequired[StopType]
    contact: NotRequired[str | StopContact | None]
    subflow: NotRequired[str | None]
    """A stop flow of the order configuration."""
    service_time: NotRequired[int | None]
    """Duration of the stop in seconds."""
    cod_amount: NotRequired[int | None]
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    name: NotRequired[str | None]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text."""


class WaypointIn(TypedDict):
    """A stop: its `place`, or the fields of a new place next to the stop's own. In a change, a
    stop sent with its `id` is kept. Only `place` changes its place."""

    time_window_start: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    time_window_end: NotRequired[str | datetime | None]
    """RFC 3339, between the years 1970 and 2100."""
    notes: NotRequired[str | None]
    pod_required: NotRequired[bool]
    pod_method: NotRequired[ProofMethod | None]
    place: NotRequired[str | PlaceIn | GeoJsonPoint | Sequence[float]]
    """A place's identifier, an address as text or as an object, or a point."""
    type: NotRequired[StopType]
    contact: NotRequired[str | StopContact | None]
    subflow: NotRequired[str | None]
    """A stop flow of the order configuration."""
    service_time: NotRequired[int | None]
    """Duration of the stop in seconds."""
    cod_amount: NotRequired[int | None]
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: NotRequired[str | None]
    """ISO 4217, three letters."""
    cod_payment_method: NotRequired[CodMethod | None]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    name: NotRequired[str | None]
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str | None]
    """A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text."""
    id: NotRequired[str]
    street1: NotRequired[str | None]
    street2: NotRequired[str | None]
    city: NotRequired[str | None]
    province: NotRequired[str | None]
    postal_code: NotRequired[str | None]
    neighborhood: NotRequired[str | None]
    district: NotRequired[str | None]
    building: NotRequired[str | None]
    security_access_code: NotRequired[str | None]
    """Access code of the building."""
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    phone: NotRequired[str | None]
    """With country code."""
    owner_type: NotRequired[PlaceOwnerType | None]
    """`company`: a saved place, kept when a customer is erased. `customer`: erased with its
    `owner`. `order`: created for one order, erased with the order's customer."""
    owner: NotRequired[str | None]
    """The contact of a `customer`, or the order of an `order`; null for a company. A change
    accepts a contact or a customer."""
    latitude: NotRequired[float | str | None]
    """Instead of `location`."""
    longitude: NotRequired[float | str | None]
    """Instead of `location`."""


class WaypointOut(TypedDict):
    """A stop with its place. The place's name, address and location are repeated on the stop."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    time_window_start: str | None
    time_window_end: str | None
    notes: str | None
    pod_required: bool
    pod_method: ProofMethod | None
    attempts: int
    """Number of failed attempts."""
    undelivered: Undelivered | None
    """Result of failed attempts: `hold` waits for a decision, `return` goes back."""
    delivery_instructions: DeliveryInstructions | None
    """The recipient's instructions. Null if the recipient gave none."""
    rating: DeliveryRating | None
    """The recipient's rating. Null without one, and for drivers."""
    payload: str
    order: int
    """Position in the route, from 0."""
    type: StopType
    place: PlaceOut
    name: str | None
    address: str
    location: GeoJsonPoint | None
    """A GeoJSON point."""
    contact: str | None
    recipient: RecipientOut | None
    """The contact's name and phone number."""
    subflow: str | None
    """A stop flow of the order configuration."""
    service_time: int | None
    """Duration of the stop in seconds."""
    status_code: str | None
    """Code of the latest activity at the stop."""
    complete: bool
    completed_at: str | None
    tracking: str | None
    tracking_number: str | None
    """Deprecated: use `tracking`."""
    cod_amount: int | None
    """Cash on delivery, in minor units of `cod_currency`."""
    cod_currency: str | None
    """ISO 4217, three letters."""
    cod_payment_method: CodMethod | None
    cash_to_collect: CashToCollectOut | None
    """The cash to collect at this stop: its own, that of its items and, at the last drop-off, that
    of the whole order."""
    meta: JsonObject
    """The company's own data, up to 16 KiB."""


class WebhookChange(TypedDict):
    """A change of a webhook. Fields left out stay unchanged; null clears a field."""

    url: NotRequired[str]
    """URL of the receiver: HTTPS, and reachable from the internet."""
    events: NotRequired[Sequence[str]]
    """Events by name, groups such as `order.*`, or `*` for all."""
    description: NotRequired[str | None]
    headers: NotRequired[Mapping[str, str] | None]
    """Your own headers. Send `***` to keep a value. If the URL changes to another host, send every
    value again."""
    signature_format: NotRequired[SignatureFormat]
    """Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits."""
    ordering: NotRequired[WebhookOrdering]
    """`first_attempt`: first attempts for events of the same order are made in sequence. `strict`:
    an event waits until the earlier one has succeeded or permanently failed."""
    timeout: NotRequired[int]
    """Timeout for the response, in seconds."""
    rate_limit: NotRequired[int | None]
    """Maximum deliveries per second."""
    max_in_flight: NotRequired[int]
    """Maximum concurrent deliveries."""
    state: NotRequired[WebhookState]
    """Events for a webhook that is paused or disabled are held."""


class WebhookHealthOut(TypedDict):
    """The latest successes and failures of a webhook."""

    failing_since: str | None
    """Time of the first failure since the latest success."""
    failures: int
    """Failed attempts since the latest success."""
    last_success_at: str | None
    last_failure_at: str | None


class WebhookIn(TypedDict):
    """A new webhook."""

    url: str
    """URL of the receiver: HTTPS, and reachable from the internet."""
    events: NotRequired[Sequence[str]]
    """Events by name, groups such as `order.*`, or `*` for all."""
    description: NotRequired[str]
    headers: NotRequired[Mapping[str, str]]
    """Your own headers. Send `***` to keep a value. If the URL changes to another host, send every
    value again."""
    signature_format: NotRequired[SignatureFormat]
    """Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits. Defaults to
    `"prefixed"`."""
    ordering: NotRequired[WebhookOrdering]
    """`first_attempt`: first attempts for events of the same order are made in sequence. `strict`:
    an event waits until the earlier one has succeeded or permanently failed. Defaults to
    `"first_attempt"`."""
    timeout: NotRequired[int]
    """Timeout for the response, in seconds. Defaults to `10`."""
    rate_limit: NotRequired[int]
    """Maximum deliveries per second."""
    max_in_flight: NotRequired[int]
    """Maximum concurrent deliveries. Defaults to `16`."""
    state: NotRequired[WebhookState]
    """Events for a webhook that is paused or disabled are held. Defaults to `"enabled"`."""


WebhookOrdering: TypeAlias = "Literal['first_attempt', 'strict']"


class WebhookOut(TypedDict):
    """An endpoint that events are sent to."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    url: str
    """URL of the receiver: HTTPS, and reachable from the internet."""
    description: str | None
    events: list[str]
    """Events by name, groups such as `order.*`, or `*` for all."""
    headers: dict[str, str]
    """Values are not shown."""
    signature_format: SignatureFormat
    """Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits."""
    ordering: WebhookOrdering
    """`first_attempt`: first attempts for events of the same order are made in sequence. `strict`:
    an event waits until the earlier one has succeeded or permanently failed."""
    timeout: int
    """Timeout for the response, in seconds."""
    rate_limit: int | None
    """Maximum deliveries per second."""
    max_in_flight: int
    """Maximum concurrent deliveries."""
    state: WebhookState
    """Events for a webhook that is paused or disabled are held."""
    state_reason: str | None
    """Why the webhook is not enabled: `operator`; `gone` if the receiver responded with 410;
    `failing` if nothing has succeeded for days."""
    state_changed_at: str
    secrets: list[SecretOut]
    health: WebhookHealthOut


WebhookState: TypeAlias = "Literal['disabled', 'enabled', 'paused']"

Weekday: TypeAlias = "Literal['fri', 'mon', 'sat', 'sun', 'thu', 'tue', 'wed']"


class WeeklyReportIn(TypedDict):
    """Whether to receive the weekly report."""

    enabled: bool


class WeeklyReportOut(TypedDict):
    """Whether the signed-in operator receives the weekly report."""

    enabled: bool
    """Sent on Mondays, by email."""


WeightUnit: TypeAlias = "Literal['g', 'kg', 'lb', 'oz']"


class WhereaboutsMeta(TypedDict):
    """Counts of all matching units."""

    counts: Counts
    complete: bool
    """False if there were too many units to count all."""


class WhereaboutsOut(TypedDict):
    """Positions of the fleet: moving units first, then by name."""

    data: list[UnitOut]
    meta: WhereaboutsMeta


class WordsOfNews(TypedDict):
    """Texts in one language, by kind of notification."""

    on_its_way: NotRequired[NewsText | None]
    next_stop: NotRequired[NewsText | None]
    delivered: NotRequired[NewsText | None]
    could_not_be_delivered: NotRequired[NewsText | None]
    cancelled: NotRequired[NewsText | None]


class WordsOut(TypedDict):
    """The texts of a kind of news in one language."""

    language: str
    """A BCP 47 tag."""
    kind: Literal["cancelled", "could_not_be_delivered", "delivered", "next_stop", "on_its_way"]
    """Kind of news."""
    subject: str
    """Subject of an email, title of a push message."""
    text: str
    """Text of an SMS or push message."""
    email: str
    """Text of an email."""
    own: list[str]
    """Names of the texts that you have set; the others are defaults."""


ZoneApplication: TypeAlias = "Literal['both', 'destination', 'origin']"


class ZoneChange(TypedDict):
    """Changes to a zone. Omitted fields stay; null clears a field."""

    name: NotRequired[str]
    type: NotRequired[str | None]
    border: NotRequired[GeoJsonPolygon]
    """A GeoJSON Polygon."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text."""
    radius: NotRequired[float]
    """Metres around `location`, instead of a border."""
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    color: NotRequired[str | None]
    """Hexadecimal, or a color name."""
    stroke_color: NotRequired[str | None]
    """Hexadecimal, or a color name."""
    status: NotRequired[RecordStatus]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    service_area: NotRequired[str]
    """A service area, by its identifier."""
    description: NotRequired[str | None]
    speed_limit_kmh: NotRequired[int | None]
    """Speed alerts start above it. It overrides the vehicle's limit."""
    trigger_on_entry: NotRequired[bool]
    trigger_on_exit: NotRequired[bool]
    dwell_threshold_minutes: NotRequired[int | None]


class ZoneFeeIn(TypedDict):
    """The price per distance unit in a zone or an area, or anywhere else."""

    label: NotRequired[str]
    zone: NotRequired[str]
    """A zone."""
    service_area: NotRequired[str]
    """A service area, by its identifier."""
    priority: NotRequired[int]
    """Defaults to `0`."""
    fee: float


class ZoneFeeOut(TypedDict):
    """The price per distance unit in a zone or an area, or anywhere else."""

    label: str | None
    zone: str | None
    """A zone."""
    service_area: str | None
    """A service area, by its identifier."""
    priority: int
    fee: float


class ZoneIn(TypedDict):
    """A new zone, with a border, or with a point and a radius."""

    name: str
    type: NotRequired[str | None]
    border: NotRequired[GeoJsonPolygon]
    """A GeoJSON Polygon."""
    location: NotRequired[GeoJsonPoint | LatitudeLongitude | Sequence[float] | str]
    """A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text."""
    radius: NotRequired[float]
    """Metres around `location`, instead of a border."""
    country: NotRequired[str | None]
    """ISO 3166, two letters."""
    color: NotRequired[str | None]
    """Hexadecimal, or a color name."""
    stroke_color: NotRequired[str | None]
    """Hexadecimal, or a color name."""
    status: NotRequired[RecordStatus]
    meta: NotRequired[JsonObject]
    """The company's own data, up to 16 KiB."""
    service_area: str
    """A service area, by its identifier."""
    description: NotRequired[str | None]
    speed_limit_kmh: NotRequired[int | None]
    """Speed alerts start above it. It overrides the vehicle's limit."""
    trigger_on_entry: NotRequired[bool]
    trigger_on_exit: NotRequired[bool]
    dwell_threshold_minutes: NotRequired[int | None]


class ZoneOut(TypedDict):
    """A zone."""

    id: str
    uuid: str
    public_id: str
    """Deprecated: use `id`."""
    created_at: str
    updated_at: str
    version: int
    """Increases with each change."""
    name: str
    type: str | None
    center: GeoJsonPoint
    """A GeoJSON point."""
    country: str | None
    """ISO 3166, two letters."""
    color: str | None
    """Hexadecimal, or a color name."""
    stroke_color: str | None
    """Hexadecimal, or a color name."""
    status: RecordStatus
    meta: JsonObject
    """The company's own data, up to 16 KiB."""
    service_area: str
    """A service area, by its identifier."""
    description: str | None
    border: GeoJsonPolygon
    """A GeoJSON Polygon."""
    speed_limit_kmh: int | None
    """Speed alerts start above it. It overrides the vehicle's limit."""
    trigger_on_entry: bool
    trigger_on_exit: bool
    dwell_threshold_minutes: int | None
