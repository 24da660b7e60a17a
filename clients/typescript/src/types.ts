// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
/** The order and the payer of an accepted quote. */
export interface AcceptIn {
  /** The order. Not needed for a quote of an order. */
  order?: string | undefined;
  /** The payer. Defaults to the order's customer. */
  customer?: string | undefined;
  /**
   * `https://` URL to which the payer returns. Query parameters `transaction` and `checkout`
   * (`done` or `canceled`) are added. The transaction has the actual state.
   */
  return_url?: string | undefined;
}

/** The account is closed. */
export interface AccountClosed {
  status: string;
  closed_at: string;
  erase_at: string;
  /** Deprecated: use `erase_at`. */
  erasure_at: string;
}

/** An account at a payment gateway. */
export interface AccountExport {
  gateway: string;
  account: string;
  created_at: string;
}

/** One step of a flow. */
export interface Activity {
  code: string;
  /** Label for people. */
  status?: string;
  details?: string;
  /** Defaults to `0`. */
  sequence?: number;
  /** Codes of the activities that may follow. Defaults to `[]`. */
  next?: Array<string>;
  /** Whether it ends the order or stop. Defaults to `false`. */
  complete?: boolean;
  pod_method?: ProofMethod | null;
  /** Defaults to `false`. */
  require_pod?: boolean;
  /** Defaults to `"order"`. */
  pod_scope?: ProofSubjectType;
  /**
   * A scan that matches none of the subject's codes is rejected (`refuse`), or accepted with a
   * reason and a photo (`explain`). By default, the driver app rejects it, and the API stores it as
   * unmatched unless items declare codes.
   */
  scan_mismatch?: ScanMismatch | null;
  /** `pickup` for a step at the pickup, which other stops leave out. */
  at?: "pickup" | null;
  /** Defaults to `[]`. */
  events?: Array<string>;
  color?: string | null;
}

/** An activity of the order or of a stop, and the proofs it requires. */
export interface ActivityAhead {
  code: string;
  status: string;
  details: string;
  sequence: number;
  /** Codes of the activities that may follow. */
  next: Array<string>;
  /** Whether it ends the order or stop. */
  complete: boolean;
  pod_method: ProofMethod | null;
  require_pod: boolean;
  pod_scope: ProofSubjectType;
  scan_mismatch: ScanMismatch | null;
  /** `pickup` for a step at the pickup. */
  at: "pickup" | null;
  color: string | null;
  demands: Array<DemandAhead>;
}

/** An activity to fire. */
export interface ActivityIn {
  activity: string | ActivityNamed;
  /** The stop. Defaults to the current one. */
  waypoint?: string | undefined;
  /** The point where it happened. Defaults to the driver's position. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Defaults to `false`. */
  skip_dispatch?: boolean | undefined;
  /** Time of the event, by the device's clock. A future or missing time means now. */
  occurred_at?: string | Date | undefined;
}

/** An activity as `next-activity` returns it. Only its code is read. */
export interface ActivityNamed {
  code: string;
}

/** The person or program behind a change. */
export interface ActorOut {
  /** Kind of actor. */
  kind: "command" | "customer" | "device" | "driver" | "key" | "operator" | "stranger" | "worker";
  /** Public id of the actor. */
  id: string;
  /** Name at that time. */
  name: string;
}

/** An address, with its coordinates. */
export interface AddressOut {
  /** On one line. */
  label: string;
  /** Street and house number. */
  street1: string | null;
  city: string | null;
  postal_code: string | null;
  /** ISO 3166, two letters. */
  country: string | null;
  /** A GeoJSON point. */
  location: GeoJsonPoint;
  /** Precision of the point. */
  quality: AddressQuality;
}

/** AddressQuality. */
export type AddressQuality = "house" | "locality" | "region" | "street";

/** What a customer still has to pay in one currency, by days since the due date. */
export interface AgeingOut {
  /** A customer, contact or vendor. */
  customer: string;
  customer_type: PartnerType;
  /** Its present name. */
  name: string;
  /** ISO 4217. */
  currency: string;
  /** The number of open invoices. */
  invoices: number;
  /** In whole minor units. */
  not_due: number;
  /** In whole minor units. */
  days_1_30: number;
  /** In whole minor units. */
  days_31_60: number;
  /** In whole minor units. */
  days_61_90: number;
  /** In whole minor units. */
  over_90_days: number;
  /** In whole minor units. */
  total: number;
  oldest_due_date: string | null;
}

/** An alert about a record. */
export interface AlertOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  kind: "delivery_failed" | "device_silent" | "late" | "sos" | "temperature" | "webhook_disabled";
  /** Public id of the order, driver, device, vehicle or webhook. */
  subject: string;
  /** How often the cause has occurred since the alert was opened. */
  occurrences: number;
  /** What is known about the cause. */
  details: JsonObject;
  /** Time of the latest cause. */
  raised_at: string;
  /** When the cause ended. */
  closed_at: string | null;
  /** When an operator began to take care of it. */
  acknowledged_at: string | null;
  /** The operator's name. */
  acknowledged_by: string | null;
}

/** How an operator hears of a kind of alert. */
export interface AlertRule {
  /** In the list and the count of the bell. */
  list: boolean;
  /** Notification on the desktop. */
  desktop: boolean;
  /** Sound in an open page of the console. */
  sound: boolean;
}

/** A change of how an operator hears of a kind of alert. Omitted fields stay. */
export interface AlertRuleChange {
  list?: boolean | undefined;
  desktop?: boolean | undefined;
  sound?: boolean | undefined;
}

/** Changed rules. Omitted kinds and fields stay. */
export interface AlertRulesChange {
  sos?: AlertRuleChange | undefined;
  delivery_failed?: AlertRuleChange | undefined;
  late?: AlertRuleChange | undefined;
  temperature?: AlertRuleChange | undefined;
  device_silent?: AlertRuleChange | undefined;
  webhook_disabled?: AlertRuleChange | undefined;
}

/** How the operator hears of each kind of alert. */
export interface AlertRulesOut {
  sos: AlertRule;
  delivery_failed: AlertRule;
  late: AlertRule;
  temperature: AlertRule;
  device_silent: AlertRule;
  webhook_disabled: AlertRule;
}

/** The link to the driver app. */
export interface AppLinkOut {
  link: string;
  /** When the driver's app last contacted the server. */
  last_opened_at: string | null;
  /** The code of test numbers. Null for other numbers. */
  test_code: string | null;
}

/** The recipient of the link. */
export interface AppLinkSent {
  channel: CodeChannel;
  sent_to: string;
}

/** AppPlatform. */
export type AppPlatform = "android" | "ios" | "web";

/** A sign-in with provider A, as existing apps send it. */
export interface AppleLogin {
  identityToken: string;
  authorizationCode?: string | undefined;
  /** Used on the first sign-in only. */
  name?: string | undefined;
  /** The nonce that the app gave the provider, if any. */
  nonce?: string | undefined;
  /** The provider's id of the user. */
  appleUserId: string;
}

/** Changes to a service area. Omitted fields stay; null clears a field. */
export interface AreaChange {
  name?: string | undefined;
  type?: string | null | undefined;
  /** A GeoJSON Polygon or MultiPolygon. Responses contain a MultiPolygon. */
  border?: GeoJsonMultiPolygon | GeoJsonPolygon | undefined;
  /** A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Metres around `location`, instead of a border. */
  radius?: number | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  /** Hexadecimal, or a color name. */
  color?: string | null | undefined;
  /** Hexadecimal, or a color name. */
  stroke_color?: string | null | undefined;
  status?: RecordStatus | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  /**
   * Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
   * service area's.
   */
  tax_rate?: number | null | undefined;
}

/** A new service area, with a border, or with a point and a radius. */
export interface AreaIn {
  name: string;
  type?: string | null | undefined;
  /** A GeoJSON Polygon or MultiPolygon. Responses contain a MultiPolygon. */
  border?: GeoJsonMultiPolygon | GeoJsonPolygon | undefined;
  /** A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Metres around `location`, instead of a border. */
  radius?: number | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  /** Hexadecimal, or a color name. */
  color?: string | null | undefined;
  /** Hexadecimal, or a color name. */
  stroke_color?: string | null | undefined;
  status?: RecordStatus | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  /**
   * Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
   * service area's.
   */
  tax_rate?: number | null | undefined;
}

/** A service area. */
export interface AreaOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string;
  type: string | null;
  /** A GeoJSON point. */
  center: GeoJsonPoint;
  /** ISO 3166, two letters. */
  country: string | null;
  /** Hexadecimal, or a color name. */
  color: string | null;
  /** Hexadecimal, or a color name. */
  stroke_color: string | null;
  status: RecordStatus;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
  /** A GeoJSON Polygon or MultiPolygon. Responses contain a MultiPolygon. */
  border: GeoJsonMultiPolygon | GeoJsonPolygon;
  /**
   * Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
   * service area's.
   */
  tax_rate: number | null;
}

/** The driver and vehicle of an order. Null unassigns the driver. */
export interface AssignIn {
  driver: string | null;
  /** The vehicle. Defaults to the driver's own. */
  vehicle?: string | null | undefined;
}

/** An order, with warnings about its driver and vehicle. */
export interface AssignedOrderOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  time_window_start: string | null;
  time_window_end: string | null;
  notes: string | null;
  pod_required: boolean;
  pod_method: ProofMethod | null;
  /** Number of failed attempts. */
  attempts: number;
  /** Result of failed attempts: `hold` waits for a decision, `return` goes back. */
  undelivered: Undelivered | null;
  /** The recipient's instructions. Null if the recipient gave none. */
  delivery_instructions: DeliveryInstructions | null;
  /** The recipient's rating. Null without one, and for drivers. */
  rating: DeliveryRating | null;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id: string | null;
  order_config: string;
  type: string;
  status: string;
  payload: PayloadOut;
  current_waypoint: string | null;
  customer: OrderPartnerOut | null;
  customer_type: PartnerType | null;
  facilitator: OrderPartnerOut | null;
  facilitator_type: PartnerType | null;
  driver: OrderDriverOut | null;
  /** Deprecated: use `driver`. */
  driver_assigned: OrderDriverOut | null;
  vehicle: OrderVehicleOut | null;
  /** Deprecated: use `vehicle`. */
  vehicle_assigned: OrderVehicleOut | null;
  tracking: string;
  /** The record of the tracking number. */
  tracking_number: OrderNumberOut;
  /** The recipient's tracking page. Give the link only to the recipient. Null for drivers. */
  tracking_url: string | null;
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount: number | null;
  /** ISO 4217, three letters. */
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  /** The cash of the whole order, with that of its stops and items. */
  cash_to_collect: CashToCollectOut | null;
  dispatched: boolean;
  started: boolean;
  /** Skills that the driver needs. */
  required_skills: Array<string>;
  adhoc: boolean;
  /** Metres. */
  adhoc_distance: number | null;
  /** Metres. */
  distance: number | null;
  /** Seconds. */
  time: number | null;
  /** Source of the distance: a routing engine, or the great circle with a detour factor. */
  route_source: DistanceSource | null;
  /** The accepted quote. */
  service_quote: string | null;
  /** The first transaction. `GET /v1/transactions?order=` lists all. */
  transaction: string | null;
  /**
   * `unpriced`: no price, so nothing is owed; `priced`: it has quotes to choose from; `accepted`: a
   * quote was accepted and is owed.
   */
  price_status: PriceStatus;
  /**
   * `none`: nothing is owed; `refunded`: everything that was paid went back; `overpaid`: more was
   * recorded by hand than was owed.
   */
  payment_status: OrderPaymentStatus;
  /** The amount still owed, in minor units. Below zero, it is a credit. Null for drivers. */
  balance: number | null;
  /** The currency of its transactions. */
  currency: string | null;
  /** The delivered order whose items this one brings back. */
  return_of: string | null;
  /** The returns of this order, including canceled and deleted ones. */
  returns: Array<string>;
  scheduled_at: string | null;
  dispatched_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  canceled_at: string | null;
  cancel_reason: string | null;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
  warnings: Array<AssignmentWarning>;
}

/** A reason why a driver or a vehicle may not suit an order. It prevents nothing. */
export interface AssignmentWarning {
  /** Code of the warning. */
  code: "capacity_exceeded" | "driver_off_shift" | "skills_missing";
  /** Sentence for the dispatcher. */
  message: string;
}

/** The vehicle to attach a device to. */
export interface AttachIn {
  vehicle: string;
  /** Start of the attachment. Defaults to now. Events are assigned by their own time. */
  since?: string | Date | undefined;
}

/** A period in which a device was on a vehicle; without an end it still is. */
export interface AttachmentOut {
  vehicle: string;
  vehicle_uuid: string;
  since: string;
  /** Null while the device is attached. */
  until: string | null;
}

/** A failed delivery attempt to the person. */
export interface AttemptExport {
  number: number;
  label: string;
  remarks: string | null;
  location: PointOut | null;
  occurred_at: string;
}

/** A failed delivery attempt and its reason. */
export interface AttemptIn {
  /** The code of one of the order configuration's reasons. */
  reason: string;
  /** For the company; recipients never see them. */
  remarks?: string | undefined;
  /** The stop. Defaults to the current one. */
  waypoint?: string | undefined;
  /** The point where it happened. Defaults to the driver's position. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Time of the event, by the device's clock. A future or missing time means now. */
  occurred_at?: string | Date | undefined;
  /** Overrides what the reason defines as the next step. Not for drivers. */
  then?: UndeliveredDecision | undefined;
}

/** One request of a delivery. */
export interface AttemptOut {
  id: string;
  number: number;
  trigger: "event" | "ping" | "replay" | "retry";
  /** `sending` while in flight. */
  outcome:
    | "blocked"
    | "connect"
    | "disconnected"
    | "dns"
    | "internal"
    | "interrupted"
    | "malformed"
    | "refused"
    | "sending"
    | "succeeded"
    | "timeout"
    | "tls";
  started_at: string;
  finished_at: string | null;
  /** Milliseconds. */
  duration_ms: number | null;
  /**
   * Milliseconds by phase: `dns`, `connect`, `tls`, `wait` for the head of the response, `read` of
   * its body, `total`. Phases that were not needed are omitted.
   */
  phases: { [name: string]: number } | null;
  status: number | null;
  /** Error message. */
  error: string | null;
  remote_address: string | null;
  /** Values of your own headers are masked. */
  request_headers: { [name: string]: string } | null;
  /** Names and values, in order. */
  response_headers: Array<Array<string>> | null;
  /** First 16 KiB, decoded as UTF-8. */
  response_body: string | null;
  /** Whether the body was longer. */
  response_cut: boolean;
}

/** One change in the audit log. */
export interface AuditOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  actor_type:
    | "command"
    | "customer"
    | "device"
    | "driver"
    | "key"
    | "operator"
    | "stranger"
    | "worker";
  actor: string;
  actor_name: string;
  action: string;
  subject: string;
  details: JsonObject;
  /** The changed fields before the change. */
  before: JsonObject;
  /** The changed fields after the change. */
  after: JsonObject;
  request_id: string;
  address: string;
}

/** BalanceKind. */
export type BalanceKind = "credit" | "owed";

/**
 * The fee of stops, kilograms or cubic metres from `min` to `max`. No `max` means no limit. For
 * stops, `max` is inclusive. For weights and volumes, it belongs to the next band.
 */
export interface Band {
  min: number;
  max: number | null;
  fee: number;
}

/** An invalid field of an order in a batch. */
export interface BatchFieldError {
  path: string;
  message: string;
}

/** Events of many devices, at most 5,000. */
export interface BatchIn {
  events: ReadonlyArray<NamedEventIn>;
}

/** A new order of a batch: the same fields as a single order, and its key. */
export interface BatchOrderIn {
  /** An order configuration, by identifier or key. Defaults to the company's. */
  order_config?: string | undefined;
  /** An order configuration, by identifier or key. Defaults to the company's. */
  type?: string | undefined;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id?: string | undefined;
  payload?: string | PayloadIn | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  pickup?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  dropoff?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  return?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** Stops, in the order in which they are visited. */
  waypoints?: ReadonlyArray<string | WaypointIn> | undefined;
  entities?: ReadonlyArray<EntityIn> | undefined;
  customer?: string | OrderCustomerIn | undefined;
  facilitator?: string | RecordObject | undefined;
  /** A driver, by identifier or by the object from an order. */
  driver?: string | RecordObject | undefined;
  /** Deprecated: use `driver`. */
  driver_assigned?: string | RecordObject | null | undefined;
  /** A vehicle, by identifier or by the object from an order. */
  vehicle?: string | RecordObject | undefined;
  /** Deprecated: use `vehicle`. */
  vehicle_assigned?: string | RecordObject | null | undefined;
  /** In minor units of the currency. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /** A new order is `created`. */
  status?: string | undefined;
  /** Skills that the driver needs. */
  required_skills?: ReadonlyArray<string> | undefined;
  /** Defaults to `false`. */
  adhoc?: boolean | undefined;
  /** Metres. */
  adhoc_distance?: number | undefined;
  /** Defaults to `false`. */
  pod_required?: boolean | undefined;
  pod_method?: ProofMethod | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_at?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_start?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_end?: string | Date | undefined;
  notes?: string | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  /** A signed quote to accept for it. */
  service_quote?: string | undefined;
  /** Only with `service_quote`, for its checkout page. */
  return_url?: string | undefined;
  /** Dispatch it at once. Defaults to `false`. */
  dispatch?: boolean | undefined;
  /** Identifies the order for 30 days, in all batches. Defaults to `internal_id`. */
  idempotency_key?: string | undefined;
}

/** Why an order of a batch was refused. */
export interface BatchProblem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  fields: Array<BatchFieldError>;
}

/** What became of an order of a batch: an order, or a problem. */
export interface BatchResult {
  /** Its position in the batch, from 0. */
  index: number;
  /** Its key. */
  key: string | null;
  /**
   * 201: created; 200: an earlier request created it; otherwise the status of the problem. After
   * 429 or 503, send the order again.
   */
  status: number;
  order: OrderOut | null;
  problem: BatchProblem | null;
}

/** A driver who could take an order, with the work that it adds. */
export interface BestDriverOut {
  driver: PlanDriverOut;
  vehicle: PlanVehicleOut | null;
  /** Seconds added. */
  time: number;
  /** Seconds on the road added. */
  drive_time: number;
  /** Metres added. */
  distance: number;
  /** Minor units of `currency` added. */
  cost: number;
  currency: string | null;
  /** Seconds of lateness added, over all orders. */
  lateness: number;
  /** Seconds after the shift. */
  overtime: number;
  /** Whether no stop gets later than its time window. */
  on_time: boolean;
  /** Deprecated: use `on_time`. */
  in_time: boolean;
  /** Index of the order's first stop among the driver's stops. */
  position: number;
  /** At the order's first stop. */
  arrives_at: string;
  /** At the order's last stop. */
  completes_at: string;
  /** The driver's stops, with those of the order. */
  stops: number;
  /** The source of the distances and times. */
  roads: DistanceSource;
}

/** The drivers to compare. By default, they are all who work on the order's day. */
export interface BestDriversIn {
  /** Defaults to the day of the order's schedule or time window, or today. */
  day?: string | undefined;
  drivers?: ReadonlyArray<string> | undefined;
  fleets?: ReadonlyArray<string> | undefined;
  /**
   * The quantity to minimise, once as many orders as possible are assigned: the working `time`, the
   * `cost`, the number of `vehicles`, or the difference between drivers (`balance`). Defaults to
   * `"time"`.
   */
  aim?: PlanAim | undefined;
  /** Seconds. Defaults to `180`. */
  service_time?: number | undefined;
  /** Seconds. Defaults to `30`. */
  pickup_time?: number | undefined;
  default_hours?: HoursIn | undefined;
  /** The number of drivers to return. Defaults to `5`. */
  limit?: number | undefined;
}

/** The address of the company on its invoices. */
export interface BillingAddress {
  street: string | null;
  postal_code: string | null;
  city: string | null;
  /** ISO 3166, two letters. */
  country: string | null;
}

/** The configured address of the company on its invoices. */
export interface BillingAddressSettings {
  street?: string | null | undefined;
  postal_code?: string | null | undefined;
  city?: string | null | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
}

/** What is kept of an erased customer until their transactions are settled. */
export interface BillingIdentityExport {
  name: string;
  address: string | null;
  tax_number: string | null;
  created_at: string;
}

/** The name and address of an erased payer. */
export interface BillingIdentityOut {
  name: string;
  address: string | null;
  tax_number: string | null;
}

/** Orders in columns. Each order appears once. */
export interface Board {
  columns: Array<BoardStageColumn>;
}

/** The orders of one stage, newest first. */
export interface BoardStageColumn {
  /**
   * `unassigned` and `assigned` orders are not dispatched yet. Orders under `attention` are late,
   * held or have an issue. `completed` orders are those of the day `on`, by default today.
   */
  stage: "assigned" | "attention" | "completed" | "dispatched" | "in_progress" | "unassigned";
  /** Number of orders, up to the counting limit. */
  count: number;
  /** Whether there may be more orders than `count`. */
  more: boolean;
  cards: Array<Card>;
}

/** The look of the paper: the company's name, its colour such as `#1d4ed8`, and its logo. */
export interface Brand {
  name: string;
  color?: string | null;
  logo?: string | null;
}

/** A company's configured brand. */
export interface BrandSettings {
  /** The name in messages and on delivery sheets. */
  name?: string | null;
  /** `#rrggbb`. */
  color?: string | null;
  /** The id of an uploaded image: JPEG, PNG or WebP. */
  logo?: string | null;
}

/** A company's effective brand. */
export interface Branding {
  /** The name in messages and on delivery sheets. */
  name: string;
  /** `#rrggbb`. */
  color: string | null;
  /** The id of an uploaded image: JPEG, PNG or WebP. */
  logo: string | null;
}

/** A break: it starts between two times of day, and ends within the shift. */
export interface BreakFields {
  /** Time of day, `HH:MM`. */
  earliest: string;
  /** Time of day, `HH:MM`. */
  latest: string;
  /** Seconds. */
  duration: number;
}

/** Cancellation of an order. */
export interface CancelIn {
  reason?: string | undefined;
}

/** Why a customer cancels their order. */
export interface CancelOwnIn {
  reason?: string | undefined;
}

/** Configured fees by the stage that an order has reached when it is canceled. */
export interface CancellationFeeSettings {
  created?: number | string | null | undefined;
  dispatched?: number | string | null | undefined;
  started?: number | string | null | undefined;
}

/** Fees by the stage that an order has reached when it is canceled. None by default. */
export interface CancellationFees {
  created: number | string;
  dispatched: number | string;
  started: number | string;
}

/** CancellationRefund. */
export type CancellationRefund = "automatic" | "manual";

/** The items of a driver's open orders. Unknown weights and sizes count as zero. */
export interface CandidateLoadOut {
  /** Kilograms. */
  weight: number;
  /** Cubic metres. */
  volume: number;
  /** Number of items. */
  items: number;
}

/** A driver who could take an order. */
export interface CandidateOut {
  driver: OrderDriverOut;
  vehicle: OrderVehicleOut | null;
  /**
   * Metres in a straight line from the driver's last position to the order's next stop. Null if
   * either is unknown.
   */
  distance: number | null;
  /** The time of the last position. */
  located_at: string | null;
  /** Open orders of the driver. */
  open_orders: number;
  /** The items of these orders. Null if the listed drivers have more than 10,000 items. */
  load: CandidateLoadOut | null;
  /** Shifts on the order's day. Null if the driver works at any time. */
  shifts: Array<CandidateShiftOut> | null;
  warnings: Array<AssignmentWarning>;
}

/** A shift of a driver on the order's day. */
export interface CandidateShiftOut {
  start: string;
  end: string;
}

/** The vehicle's capacity. An omitted limit stays, and null removes it. */
export interface CapacityFields {
  /** Kilograms. */
  weight?: number | null | undefined;
  /** Cubic metres. */
  volume?: number | null | undefined;
  /** Items. */
  items?: number | null | undefined;
}

/** The vehicle's capacity. Null means no limit. */
export interface CapacityOut {
  /** Kilograms. */
  weight: number | null;
  /** Cubic metres. */
  volume: number | null;
  /** Items. */
  items: number | null;
}

/** A new proof, or the first of several that were captured together. */
export interface CapturedOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  order: string;
  /** Deprecated: use `order`. */
  order_id: string;
  subject_uuid: string;
  subject_type: ProofSubjectType;
  subject_id: string;
  method: RecordedProofMethod;
  status: "valid";
  file_uuid: string | null;
  /** Valid for 15 minutes. */
  url: string | null;
  /** Valid for 15 minutes. */
  thumbnail_url: string | null;
  /** The scanned content. */
  raw_data: string | null;
  /** Deprecated: use `raw_data`. */
  raw: string | null;
  /** Details of the capture: signer, location, device, image or scan, and the caller's own data. */
  data: JsonObject;
  /** Whether the code was scanned or typed. */
  scan_entry: ScanEntry | null;
  /** Whether the code is one of the subject's codes. */
  scan_match: boolean | null;
  remarks: string | null;
  activity: string | null;
  /** The actor that sent the proof. */
  actor: ActorOut;
  /** Whether an activity has used the proof. */
  used: boolean;
  integrity: Integrity;
  /** Time of capture. */
  created_at: string;
  /** Time of arrival at the server. */
  received_at: string;
  updated_at: string;
  /** All proofs, if several were captured together. */
  proofs?: Array<ProofOut>;
}

/** An order with the facts that a dispatcher needs at a glance. */
export interface Card {
  order: OrderOut;
  /** Whether the order is later than its time window or schedule. */
  late: boolean;
  /** Whether it will be late, by the last ETAs. Null while they are unknown. */
  forecast: Forecast | null;
  /** Unresolved issues about the order. */
  issues: number;
  /** Per cent. */
  progress: number;
  /** Proof methods that its flow requires. */
  proofs: Array<ProofMethod>;
  /** Methods of the proofs that were captured. `override` if an operator skipped one. */
  captured: Array<string>;
}

/** A driver's cash in one currency. */
export interface CashBalanceOut {
  /** ISO 4217, three letters. */
  currency: string;
  /** Cash and checks to hand in. */
  balance: number;
  /** Collections that are not handed in, the newest 200. */
  collections: Array<CashCollectionOut>;
}

/** The cash that drivers carry, and the cash to remit to merchants, at most 1,000 each. */
export interface CashBalancesOut {
  drivers: Array<DriverBalanceOut>;
  customers: Array<PayableOut>;
}

/** Cash on delivery that a driver collected. */
export interface CashCollectionOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  order: string;
  waypoint: string | null;
  driver: string;
  /** The merchant: the order's customer. */
  customer: string | null;
  customer_type: PartnerType | null;
  /** In whole minor units of the currency. */
  amount_due: number;
  /** In whole minor units of the currency. */
  amount: number;
  /** ISO 4217, three letters. */
  currency: string;
  method: CodMethod;
  reason: string | null;
  collected_at: string;
  /** Seconds by which the device's clock was outside the possible range. */
  clock_skew: number | null;
  /** The driver's hand-in. Null for cash that the driver still has. */
  hand_in: string | null;
  remittance: string | null;
  /** The actor that reported the collection. */
  actor: ActorOut;
}

/** Cash on delivery that the person paid, in minor currency units. */
export interface CashExport {
  amount_due: number;
  amount: number;
  currency: string;
  method: string;
  reason: string | null;
  collected_at: string;
}

/** The cash that the driver collects, in minor units. */
export interface CashToCollectOut {
  amount: number;
  /** ISO 4217, three letters. */
  currency: string;
  /** Null if several methods are named: any will do. */
  method: CodMethod | null;
  collected: boolean;
}

/** The result of verifying all proofs of an order, except the bytes of their pictures. */
export interface ChainOut {
  order: string;
  valid: boolean;
  /** One message per fault. */
  faults: Array<string>;
  /** The number of proofs. */
  count: number;
  /** The number of proofs whose contents were erased. */
  erased: number;
  /** Null when the order never had a proof. */
  head: HeadOut | null;
}

/** A change of the person's data. */
export interface ChangeExport {
  action: string;
  before: JsonObject;
  after: JsonObject;
  details: JsonObject;
  created_at: string;
}

/** A charge for an order, or with a negative amount a credit. */
export interface ChargeIn {
  kind: "discount" | "goodwill" | "other" | "redelivery" | "return" | "surcharge" | "waiting";
  description: string;
  /**
   * In whole minor units. Negative amounts are credits. Includes tax if the setting
   * `prices_include_tax` is on.
   */
  amount: number;
  /** Per cent. Defaults to the company's rate. */
  tax_rate?: number | undefined;
  reason?: string | undefined;
}

/** ChargeKind. */
export type ChargeKind = "adjustment" | "cancellation" | "discount" | "goodwill" | "other" | "quote" | "redelivery" | "return" | "surcharge" | "waiting";

/** A line of an order's account. Lines never change; a correction is another line. */
export interface ChargeOut {
  id: string;
  uuid: string;
  kind: ChargeKind;
  code: string;
  description: string;
  /** In whole minor units of the currency. */
  amount: number;
  /** Per cent. */
  tax_rate: number | null;
  /** The part of the amount that is tax, in minor units. */
  tax_amount: number;
  /** The amount without tax, in whole minor units. */
  net_amount: number;
  reason: string | null;
  transaction: string;
  actor: ActorOut;
  created_at: string;
}

/** The page to which the customer returns after paying. */
export interface CheckoutAgainIn {
  /**
   * `https://` URL to which the payer returns. Query parameters `transaction` and `checkout`
   * (`done` or `canceled`) are added. The transaction has the actual state.
   */
  return_url?: string | undefined;
}

/** Options of a checkout page. */
export interface CheckoutIn {
  /**
   * `https://` URL to which the payer returns. Query parameters `transaction` and `checkout`
   * (`done` or `canceled`) are added. The transaction has the actual state.
   */
  return_url?: string | undefined;
}

/** CheckoutStatus. */
export type CheckoutStatus = "declined" | "expired" | "open" | "paid" | "preparing" | "processing";

/** The reason why an operator closes an account. */
export interface CloseIn {
  reason: string;
}

/** The code that confirms the closure. */
export interface ClosureIn {
  code: string;
  reason?: string | undefined;
}

/** CodMethod. */
export type CodMethod = "bank_transfer" | "card" | "cash" | "check";

/** CodeChannel. */
export type CodeChannel = "email" | "sms";

/** A code. */
export interface CodeIn {
  code: string;
}

/** Configured limits of one-time codes. */
export interface CodeSettings {
  /** Codes per identity and hour. */
  sends_per_hour?: number | null;
  /** Codes per identity and day. */
  sends_per_day?: number | null;
  /** Codes to all recipients per minute. */
  sends_per_minute?: number | null;
  /** Wrong attempts before a code expires. */
  wrong_per_code?: number | null;
  /** Wrong attempts per identity and hour. */
  wrong_per_hour?: number | null;
  /** Wrong attempts per identity and day. */
  wrong_per_day?: number | null;
  /** Codes requested per IP address and hour. */
  sends_per_address?: number | null;
  /** Wrong attempts per IP address and hour. */
  wrong_per_address?: number | null;
  /** Countries that codes are sent to by SMS. All if not set. */
  countries?: Array<string> | null;
  /** Number types that codes are not sent to. */
  refused_types?: Array<"fixed_line" | "fixed_line_or_mobile" | "mobile" | "pager" | "personal_number" | "premium_rate" | "satellite" | "shared_cost" | "toll_free" | "uan" | "unknown" | "voicemail" | "voip"> | null;
  /**
   * Codes by SMS in 24 hours, counted separately for each store, for drivers and for deliveries. A
   * fifth is reserved for people who have an account.
   */
  sms_per_day?: number | null;
  /** Hourly codes to new numbers of a country before their success rate is checked. */
  breaker_sends?: number | null;
  /**
   * If a smaller percentage of these codes is entered, codes to new numbers of the country are
   * paused until the hour has passed. 0 disables the check.
   */
  breaker_percent?: number | null;
}

/** Effective limits of one-time codes. */
export interface Codes {
  /** Codes per identity and hour. */
  sends_per_hour: number;
  /** Codes per identity and day. */
  sends_per_day: number;
  /** Codes to all recipients per minute. */
  sends_per_minute: number;
  /** Wrong attempts before a code expires. */
  wrong_per_code: number;
  /** Wrong attempts per identity and hour. */
  wrong_per_hour: number;
  /** Wrong attempts per identity and day. */
  wrong_per_day: number;
  /** Codes requested per IP address and hour. */
  sends_per_address: number;
  /** Wrong attempts per IP address and hour. */
  wrong_per_address: number;
  /** Countries that codes are sent to by SMS. All if not set. */
  countries: Array<string> | null;
  /** Number types that codes are not sent to. */
  refused_types?: Array<"fixed_line" | "fixed_line_or_mobile" | "mobile" | "pager" | "personal_number" | "premium_rate" | "satellite" | "shared_cost" | "toll_free" | "uan" | "unknown" | "voicemail" | "voip">;
  /**
   * Codes by SMS in 24 hours, counted separately for each store, for drivers and for deliveries. A
   * fifth is reserved for people who have an account.
   */
  sms_per_day: number;
  /** Hourly codes to new numbers of a country before their success rate is checked. */
  breaker_sends: number;
  /**
   * If a smaller percentage of these codes is entered, codes to new numbers of the country are
   * paused until the hour has passed. 0 disables the check.
   */
  breaker_percent: number;
}

/** Codes are accepted again. */
export interface CodesUnlocked {
  status: string;
}

/** Cash on delivery that was collected. */
export interface CollectCashIn {
  /** The stop. Defaults to the only one whose cash is not collected yet. */
  waypoint?: string | undefined;
  /** Deprecated: use `waypoint`. */
  stop?: string | null | undefined;
  /** In whole minor units of the currency. */
  amount: number;
  /** Defaults to the method that the order names, or to `cash`. */
  method?: CodMethod | undefined;
  /** Required if the amount differs from the cash due. */
  reason?: string | undefined;
  /**
   * The cash due that the app has shown, with `currency`. With both, a late report counts although
   * the cash due was changed meanwhile.
   */
  amount_due?: number | undefined;
  /** The currency of `amount_due`, which requires it. */
  currency?: string | undefined;
  /** Chosen by the app. A repeated request gets the same answer. */
  collection_uuid?: string | undefined;
  /** Time of the event, by the device's clock. A future or missing time means now. */
  collected_at?: string | Date | undefined;
  /** The driver who has the cash. Defaults to the order's driver. Not for drivers. */
  driver?: string | undefined;
}

/** A company. */
export interface CompanyOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  name: string;
  mode: "live" | "test";
  created_at: string;
}

/** Completion of an order. */
export interface CompleteIn {
  /** Time of the event, by the device's clock. A future or missing time means now. */
  occurred_at?: string | Date | undefined;
}

/** ConnectionStatus. */
export type ConnectionStatus = "never_seen" | "offline" | "online" | "stale";

/** Changes to a contact. Omitted fields stay; null clears a field. */
export interface ContactChange {
  /** The company's own number. */
  internal_id?: string | null | undefined;
  name?: string | undefined;
  title?: string | null | undefined;
  email?: string | null | undefined;
  /** With country code. */
  phone?: string | null | undefined;
  /** The language of notifications, as a BCP 47 tag. */
  locale?: string | null | undefined;
  type?: string | undefined;
  /** A place, by its identifier. */
  place?: string | null | undefined;
  /** Rates with this price group apply. */
  price_group?: string | null | undefined;
  /** The service rate to prefer when an order is dispatched. */
  default_service?: string | null | undefined;
  /** Days until an invoice is due. */
  payment_terms_days?: number | null | undefined;
  /** The tax number. */
  tax_number?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** A contact that is the person. */
export interface ContactExport {
  id: string;
  uuid: string;
  name: string;
  title: string | null;
  email: string | null;
  phone: string | null;
  locale: string | null;
  internal_id: string | null;
  price_group: string | null;
  payment_terms_days: number | null;
  tax_number: string | null;
  type: string;
  meta: JsonObject;
  created_at: string;
  updated_at: string;
}

/** A new contact. */
export interface ContactIn {
  /** The company's own number. */
  internal_id?: string | null | undefined;
  name: string;
  title?: string | null | undefined;
  email?: string | null | undefined;
  /** With country code. */
  phone?: string | null | undefined;
  /** The language of notifications, as a BCP 47 tag. */
  locale?: string | null | undefined;
  type?: string | undefined;
  /** A place, by its identifier. */
  place?: string | null | undefined;
  /** Rates with this price group apply. */
  price_group?: string | null | undefined;
  /** The service rate to prefer when an order is dispatched. */
  default_service?: string | null | undefined;
  /** Days until an invoice is due. */
  payment_terms_days?: number | null | undefined;
  /** The tax number. */
  tax_number?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** A contact. */
export interface ContactOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The company's own number. */
  internal_id: string | null;
  name: string;
  title: string | null;
  email: string | null;
  /** With country code. */
  phone: string | null;
  /** The language of notifications, as a BCP 47 tag. */
  locale: string | null;
  type: string;
  /** A place, by its identifier. */
  place: string | null;
  /** Rates with this price group apply. */
  price_group: string | null;
  /** The service rate to prefer when an order is dispatched. */
  default_service: string | null;
  /** Days until an invoice is due. */
  payment_terms_days: number | null;
  /** The tax number. */
  tax_number: string | null;
  /**
   * `unpaid` if anything is owed, `overpaid` if there is only a credit, `none` without a
   * transaction.
   */
  payment_status: CustomerPaymentStatus;
  /** Open balances by currency: charges minus payments. */
  balances: Array<PartnerBalanceOut>;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
}

/** Units in each state, regardless of the `state` filter. */
export interface Counts {
  moving: number;
  standing: number;
  stale: number;
  offline: number;
  never_seen: number;
}

/** The unit and period of the counts. */
export interface CountsMeta {
  by: "day" | "hour";
  /** Start of the first hour or day. */
  from: string;
  /** End of the last hour or day. */
  to: string;
  /** False if there were too many events to count all of them. */
  complete: boolean;
}

/** The recipient of a code: `phone`, `email`, or `identity` as existing apps send it. */
export interface CreationCodeIn {
  /** With country code. */
  phone?: string | undefined;
  email?: string | undefined;
  /** A phone number or an email address. */
  identity?: string | undefined;
  /** `sms` or `email`, with `identity`. */
  mode?: string | undefined;
}

/** What a credit note takes back of an invoice. */
export interface CreditNoteIn {
  reason: string;
  /** Defaults to all that is left of the invoice. */
  lines?: ReadonlyArray<CreditedLineIn> | undefined;
}

/** A line of an invoice to take back. */
export interface CreditedLineIn {
  line: string;
  /** Defaults to the rest of the line. */
  amount?: number | undefined;
}

/** A failed delivery attempt at a customer's stop. */
export interface CustomerAttempt {
  /** The reason, for people. */
  label: string;
  /**
   * `retry`: there will be another attempt. `hold`: the decision is pending. `return`: the goods go
   * back.
   */
  then: UndeliveredDecision;
  occurred_at: string;
}

/** Changes to the signed-in customer. A new phone or address must be verified first. */
export interface CustomerChange {
  name?: string | undefined;
  /** The current one. Verify a new one first. */
  phone?: string | null | undefined;
  /** The current one. Verify a new one first. */
  email?: string | null | undefined;
  password?: string | undefined;
  current_password?: string | undefined;
  /** Free data of the app, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** A code was sent, if the recipient is known. */
export interface CustomerCodeSent {
  status: string;
  method: CodeChannel;
  /** Seconds. */
  expires_in: number;
  /** Seconds. */
  resend_after: number;
}

/** A customer, as operators see them. */
export interface CustomerDetailsOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  /** The customer's contact in orders. */
  contact: string;
  name: string;
  email: string | null;
  /** With country code. */
  phone: string | null;
  email_verified: boolean;
  phone_verified: boolean;
  /** Free data of the app, up to 16 KiB. */
  meta: JsonObject;
  created_at: string;
  updated_at: string;
  has_password: boolean;
  closed_at: string | null;
  close_reason: string | null;
  erase_at: string | null;
  erased_at: string | null;
}

/** The driver of an order. */
export interface CustomerDriverOut {
  name: string;
  /** Partly hidden. */
  phone: string;
}

/** All data of a person. */
export interface CustomerExport {
  customer: CustomerDetailsOut;
  former_identities: Array<string>;
  contacts: Array<ContactExport>;
  places: Array<PlaceOut>;
  /** Stops of payloads without an order. */
  waypoints: Array<WaypointOut>;
  /** Items without a payload, or of payloads without an order. */
  entities: Array<EntityOut>;
  providers: Array<LinkExport>;
  devices: Array<DeviceExport>;
  sessions: Array<SessionExport>;
  payment_accounts: Array<AccountExport>;
  transactions: Array<TransactionExport>;
  billing_identities: Array<BillingIdentityExport>;
  invoices: Array<InvoiceExport>;
  order_templates: Array<OrderTemplateExport>;
  changes: Array<ChangeExport>;
  messages: Array<MessageExport>;
  orders: Array<OrderExport>;
}

/** A new customer, with the code that was just requested. */
export interface CustomerIn {
  name: string;
  code: string;
  /** With country code. */
  phone?: string | undefined;
  email?: string | undefined;
  /** The phone number or email address that received the code, if both are sent. */
  identity?: string | undefined;
  password?: string | undefined;
  /** Free data of the app, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** An item in a customer's order. */
export interface CustomerItemIn {
  name: string;
  /**
   * The number of equal pieces. Weight, size, price and declared value are those of one piece; cash
   * on delivery of all of them. Defaults to `1`.
   */
  quantity?: number | undefined;
  description?: string | null | undefined;
  length?: number | null | undefined;
  width?: number | null | undefined;
  height?: number | null | undefined;
  /** Defaults to `"cm"`. */
  dimensions_unit?: LengthUnit | undefined;
  weight?: number | null | undefined;
  /** Defaults to `"kg"`. */
  weight_unit?: WeightUnit | undefined;
  /** In minor units of the currency. */
  declared_value?: number | null | undefined;
  /** ISO 4217, three letters. */
  currency?: string | null | undefined;
}

/** A customer's own item. */
export interface CustomerItemOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The stop where the item is delivered. */
  destination: string | null;
  name: string;
  type: string;
  description: string | null;
  sku: string | null;
  /**
   * The number of equal pieces. Weight, size, price and declared value are those of one piece; cash
   * on delivery of all of them.
   */
  quantity: number;
  length: number | null;
  width: number | null;
  height: number | null;
  dimensions_unit: LengthUnit;
  weight: number | null;
  weight_unit: WeightUnit;
  tracking: string | null;
  /** Deprecated: use `tracking`. */
  tracking_number: string | null;
}

/** An order from a quote. Its route and items must match the quote. */
export interface CustomerOrderIn {
  /** A quote from this store. */
  service_quote: string;
  /** A place's identifier, a point, or an address with a point. */
  pickup?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place's identifier, a point, or an address with a point. */
  dropoff?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  waypoints?: ReadonlyArray<string | PlaceIn | GeoJsonPoint | ReadonlyArray<number>> | undefined;
  entities?: ReadonlyArray<CustomerItemIn> | undefined;
  /** In minor units of the currency. */
  cod_amount?: number | undefined;
  /** ISO 4217 code. */
  cod_currency?: string | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_at?: string | Date | undefined;
  notes?: string | undefined;
  /**
   * `https://` URL to which the payer returns. Query parameters `transaction` and `checkout`
   * (`done` or `canceled`) are added. The transaction has the actual state.
   */
  return_url?: string | undefined;
}

/** An order as its customer sees it. */
export interface CustomerOrderOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  type: string;
  status: string;
  customer: OrderCustomerOut;
  payload: CustomerPayloadOut;
  driver: CustomerDriverOut | null;
  /** Deprecated: use `driver`. */
  driver_assigned: CustomerDriverOut | null;
  vehicle: CustomerVehicleOut | null;
  /** Deprecated: use `vehicle`. */
  vehicle_assigned: CustomerVehicleOut | null;
  tracking: string;
  /** The record of the tracking number. */
  tracking_number: OrderNumberOut;
  /** The delivered order whose items this one brings back. */
  return_of: string | null;
  pod_required: boolean;
  pod_method: ProofMethod | null;
  time_window_start: string | null;
  time_window_end: string | null;
  dispatched: boolean;
  started: boolean;
  scheduled_at: string | null;
  dispatched_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  canceled_at: string | null;
}

/** A customer. */
export interface CustomerOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  /** The customer's contact in orders. */
  contact: string;
  name: string;
  email: string | null;
  /** With country code. */
  phone: string | null;
  email_verified: boolean;
  phone_verified: boolean;
  /** Free data of the app, up to 16 KiB. */
  meta: JsonObject;
  created_at: string;
  updated_at: string;
}

/** The customer's share of a payload: their own stops and items. */
export interface CustomerPayloadOut {
  /** The pickup address, unless the order has several stops. */
  pickup: CustomerPlaceOut | null;
  dropoff: CustomerPlaceOut | null;
  /** The customer's own stops. */
  waypoints: Array<CustomerStopOut>;
  /** The customer's own items. */
  entities: Array<CustomerItemOut>;
  /** Cash on delivery. Null if the order has other recipients. */
  cod_amount: number | null;
  /** ISO 4217, three letters. */
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
}

/** CustomerPaymentStatus. */
export type CustomerPaymentStatus = "none" | "overpaid" | "paid" | "unpaid";

/** The address of a place, as customers see it. */
export interface CustomerPlaceOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string | null;
  /** The address, on one line. */
  address: string;
  street1: string | null;
  street2: string | null;
  city: string | null;
  province: string | null;
  postal_code: string | null;
  neighborhood: string | null;
  district: string | null;
  building: string | null;
  /** ISO 3166, two letters. */
  country: string | null;
  location: PointOut | null;
}

/** A new order and its payment. */
export interface CustomerPlacedOut {
  order: CustomerOrderOut;
  payment: PaymentOut;
}

/** A signed-in customer with a token. The customer's fields are repeated for existing apps. */
export interface CustomerSignedIn {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  /** The customer's contact in orders. */
  contact: string;
  name: string;
  email: string | null;
  /** With country code. */
  phone: string | null;
  email_verified: boolean;
  phone_verified: boolean;
  /** Free data of the app, up to 16 KiB. */
  meta: JsonObject;
  created_at: string;
  updated_at: string;
  /** Shown once. */
  token: string;
  customer: CustomerOut;
  /**
   * Keep it, and send it as `Device-Proof` at the next sign-in. Attempts by strangers then do not
   * count against this device. It grants no access.
   */
  device_proof: string;
}

/** A customer's own stop. */
export interface CustomerStopOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  type: StopType;
  place: CustomerPlaceOut;
  time_window_start: string | null;
  time_window_end: string | null;
  pod_required: boolean;
  pod_method: ProofMethod | null;
  /** Code of the latest activity at the stop. */
  status_code: string | null;
  complete: boolean;
  completed_at: string | null;
  tracking: string | null;
  /** Deprecated: use `tracking`. */
  tracking_number: string | null;
}

/**
 * The progress and ETA of a customer's order. The driver's position is visible only while they are
 * on the way to this customer.
 */
export interface CustomerTracked {
  order: string;
  status: string;
  /** Per cent. */
  progress: number;
  /** The customer's own stops. */
  stops: Array<CustomerTrackedStop>;
  completed_stops: number;
  total_stops: number;
  /** ETA at the next of the customer's stops. */
  eta: string | null;
  /** Seconds until then. */
  time_remaining: number | null;
  /** Metres, while the driver's position is shown. */
  distance_remaining: number | null;
  /** The driver's latest position. */
  position: PointOut | null;
  /** Degrees from north. */
  heading: number | null;
  /** Metres per second. */
  speed: number | null;
  located_at: string | null;
  /** The recipient's tracking page. Give the link only to the recipient. */
  tracking_url: string;
}

/** A customer's own stop with its ETA. */
export interface CustomerTrackedStop {
  waypoint: string | null;
  type: string;
  address: string;
  location: PointOut | null;
  complete: boolean;
  /** Number of failed attempts. */
  attempts: number;
  /** The latest failed attempt. */
  failed: CustomerAttempt | null;
  eta: string | null;
}

/** The vehicle of an order, for recognising it. */
export interface CustomerVehicleOut {
  plate_number: string | null;
  make: string | null;
  model: string | null;
}

/** DateOrder. */
export type DateOrder = "day_first" | "month_first";

/** The decision after a failed delivery attempt. */
export interface DecisionIn {
  /** `retry` or `return`. */
  then: "retry" | "return";
  /** The stop to decide about. Defaults to the only one that waits. */
  waypoint?: string | undefined;
}

/** A failed delivery attempt. */
export interface DeliveryAttemptOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  order: string;
  /** The stop, if the order has several. */
  waypoint: string | null;
  /** The number of the attempt at this stop, starting at 1. */
  number: number;
  reason: string;
  /** The reason's label at that time. */
  label: string;
  remarks: string | null;
  /**
   * `retry` attempts the delivery again, `return` returns the goods, `hold` waits for a
   * dispatcher's decision.
   */
  then: UndeliveredDecision;
  /** Time of the decision, if there was one. */
  decided_at: string | null;
  /** Time of the attempt; `created_at` is the time of arrival. */
  occurred_at: string;
  /** Seconds by which the device's clock was outside the possible range. */
  clock_skew: number | null;
  location: PointOut | null;
  /** Proofs that were captured there, by public id. */
  proofs: Array<string>;
  /** The actor that reported the failed attempt. */
  actor: ActorOut;
}

/** A delivery with its body and all attempts. */
export interface DeliveryDetailOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  webhook: string;
  event: string;
  /** Null for a ping. */
  event_id: string | null;
  /** UUID or public id of the record that the event is about. */
  subject: string;
  /** Position among the deliveries about one order. */
  sequence: number;
  state: "cancelled" | "failed" | "held" | "pending" | "sending" | "succeeded" | "superseded";
  /** Requests so far. */
  attempts: number;
  /** Retries used, of four. */
  retries_used: number;
  replays: number;
  next_attempt_at: string | null;
  /** HTTP status of the latest response. */
  status: number | null;
  /** Error of the latest attempt. */
  error: string | null;
  created_at: string;
  finished_at: string | null;
  /** The envelope that every attempt sends. Null for a key without the scope `events:read`. */
  body: JsonObject | null;
  attempt_log: Array<AttemptOut>;
  /** Seconds from a failed attempt to the next one, for each retry. */
  retry_delays: Array<number>;
}

/** How the recipient wants to receive the delivery, as chosen on the tracking page. */
export interface DeliveryInstructions {
  /** `recipient` receives it in person, or it is left in a `safe_place` or with a `neighbor`. */
  handover: "neighbor" | "recipient" | "safe_place";
  /** The safe place, or the neighbor. */
  location: string | null;
  /** The code of the gate or door. */
  access_code: string | null;
  note: string | null;
  requested_at: string;
}

/** An event for a webhook, with any number of attempts. */
export interface DeliveryOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  webhook: string;
  event: string;
  /** Null for a ping. */
  event_id: string | null;
  /** UUID or public id of the record that the event is about. */
  subject: string;
  /** Position among the deliveries about one order. */
  sequence: number;
  state: "cancelled" | "failed" | "held" | "pending" | "sending" | "succeeded" | "superseded";
  /** Requests so far. */
  attempts: number;
  /** Retries used, of four. */
  retries_used: number;
  replays: number;
  next_attempt_at: string | null;
  /** HTTP status of the latest response. */
  status: number | null;
  /** Error of the latest attempt. */
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

/** How the recipient rated the delivery on the tracking page. */
export interface DeliveryRating {
  /** From 1 to 5, the best. */
  score: number;
  comment: string | null;
  /** Time of the first rating. It can change for a day. */
  rated_at: string;
}

/** DeliveryState. */
export type DeliveryState = "canceled" | "cancelled" | "failed" | "held" | "pending" | "sending" | "succeeded" | "superseded";

/** A proof that an activity requires. */
export interface DemandAhead {
  subject_type: ProofSubjectType;
  subject_id: string;
  method: ProofMethod;
  /** Whether a suitable proof exists. */
  met: boolean;
}

/** A proof that is still missing. */
export interface DemandOut {
  subject_type: ProofSubjectType;
  subject_id: string;
  method: ProofMethod;
}

/** When a device was detached. */
export interface DetachIn {
  /** End of the attachment. Defaults to now. */
  until?: string | Date | undefined;
}

/** Changes of a device: an omitted field stays, null clears it. */
export interface DeviceChange {
  name?: string | undefined;
  kind?: DeviceKind | undefined;
  /** The device's own id: an IMEI, a serial number or the id in an app. */
  identifier?: string | null | undefined;
  /** Manufacturer or service. */
  provider?: string | null | undefined;
  /**
   * Reporting interval in seconds. After two missed reports the device is stale, after six offline.
   */
  reporting_interval?: number | undefined;
  /** Whether unknown devices that a gateway reports are registered. Gateways only. */
  adopts?: boolean | undefined;
  /** °C. A lower reading raises an alert. Limits of a device override those of its vehicle. */
  min_temperature?: number | null | undefined;
  /** °C. A higher reading raises an alert. */
  max_temperature?: number | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
  /** Deprecated: use `identifier`. */
  device_id?: string | null | undefined;
  /** Deprecated: use `kind`. Also accepts other products' names. */
  type?:
    | DeviceKind
    | "battery_asset_tracker"
    | "can_bus_module"
    | "dashcam_unit"
    | "gps_tracker"
    | "hardwired_black_box"
    | "mobile_edge_gateway"
    | "obd2_plugin"
    | "smartphone_app_device"
    | "trailer_container_node"
    | undefined;
  /** Attach it to this vehicle; null detaches it. */
  vehicle?: string | null | undefined;
}

/** The number of events in an hour or on a day. */
export interface DeviceEventCount {
  /** Start of the hour or day. */
  start: string;
  count: number;
  /** Number of events by type. */
  types: { [name: string]: number };
}

/** Numbers of events, by hour or by day. */
export interface DeviceEventCounts {
  data: Array<DeviceEventCount>;
  meta: CountsMeta;
}

/** An event that a device reported, or that was derived from its positions. */
export interface DeviceEventOut {
  /** The event's id. */
  id: string;
  /** The device that sent it. */
  device_id: string;
  /** The vehicle that the device was on at that moment. */
  vehicle_id: string | null;
  /** One of the nine types, by name or alias, or a custom type. */
  event_type: string;
  /** Time of the event. */
  timestamp: string;
  location: PointOut | null;
  /** Values of the event type, in km/h, degrees, metres and °C. */
  data: JsonObject;
  severity: Severity | null;
  /** Whether the event arrived late. */
  late: boolean;
  /** Whether the device's clock was wrong. `timestamp` is then the time of arrival. */
  clock_corrected: boolean;
  /** Whether the event was derived from positions. */
  derived: boolean;
  /** The same as `device_id`. */
  device: string;
  /** The same as `vehicle_id`. */
  vehicle: string | null;
}

/** A device for push messages. */
export interface DeviceExport {
  id: string;
  platform: string;
  token: string;
  details: JsonObject;
  created_at: string;
  last_seen_at: string;
}

/** A device for push messages. */
export interface DeviceIn {
  platform: AppPlatform;
  token: string;
  app_version?: string | undefined;
  locale?: string | undefined;
}

/** DeviceKind. */
export type DeviceKind = "camera" | "gateway" | "obd" | "phone" | "sensor" | "tracker" | "virtual";

/** A device in its current state. */
export interface DeviceLatestOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string;
  kind: DeviceKind;
  /** The device's own id: an IMEI, a serial number or the id in an app. */
  identifier: string | null;
  /** Manufacturer or service. */
  provider: string | null;
  /** The vehicle that the device is attached to. */
  vehicle: string | null;
  /** The driver who uses the phone. */
  driver: string | null;
  /**
   * Reporting interval in seconds. After two missed reports the device is stale, after six offline.
   */
  reporting_interval: number;
  /** Whether unknown devices that a gateway reports are registered. Gateways only. */
  adopts: boolean;
  /** °C. A lower reading raises an alert. Limits of a device override those of its vehicle. */
  min_temperature: number | null;
  /** °C. A higher reading raises an alert. */
  max_temperature: number | null;
  /** Whether the device reports. */
  status: ConnectionStatus;
  last_seen_at: string | null;
  location: PointOut | null;
  located_at: string | null;
  /** Custom data of the company. */
  meta: JsonObject;
  /** The latest reading of each type, newest first. */
  readings: Array<LatestReading>;
}

/** A device that reports; `version` counts changes, not reports. */
export interface DeviceOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string;
  kind: DeviceKind;
  /** The device's own id: an IMEI, a serial number or the id in an app. */
  identifier: string | null;
  /** Manufacturer or service. */
  provider: string | null;
  /** The vehicle that the device is attached to. */
  vehicle: string | null;
  /** The driver who uses the phone. */
  driver: string | null;
  /**
   * Reporting interval in seconds. After two missed reports the device is stale, after six offline.
   */
  reporting_interval: number;
  /** Whether unknown devices that a gateway reports are registered. Gateways only. */
  adopts: boolean;
  /** °C. A lower reading raises an alert. Limits of a device override those of its vehicle. */
  min_temperature: number | null;
  /** °C. A higher reading raises an alert. */
  max_temperature: number | null;
  /** Whether the device reports. */
  status: ConnectionStatus;
  last_seen_at: string | null;
  location: PointOut | null;
  located_at: string | null;
  /** Custom data of the company. */
  meta: JsonObject;
}

/** The device now receives push messages. */
export interface DeviceRegistered {
  status: string;
  device: string;
}

/** The differences of one driver in one currency. */
export interface DifferenceOut {
  driver: string;
  name: string;
  /** ISO 4217, three letters. */
  currency: string;
  /** Number of collections of another amount than the cash due. */
  collections: number;
  /** Total of the cash due minus the cash collected. */
  uncollected: number;
  /** Number of hand-ins with a difference. */
  hand_ins: number;
  /** Total of the missing cash. */
  missing: number;
  /** Total of the surplus cash. */
  surplus: number;
  /** Surplus minus missing. */
  difference: number;
}

/** Dispatch of an order. */
export interface DispatchIn {
  /** The driver to assign first. */
  driver?: string | undefined;
}

/** DispatchRequirement. */
export type DispatchRequirement = "nothing" | "payment" | "price";

/** A payer's dispute of a payment with their bank. */
export interface DisputeOut {
  /** The gateway's id. */
  id: string;
  /** In whole minor units of the currency. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  /**
   * `inquiry`: the bank asks, and no money moves. `needs_response`: send evidence before `due_by`.
   * The amount of a `lost` dispute is owed again.
   */
  status: "closed" | "inquiry" | "lost" | "needs_response" | "under_review" | "won";
  /** The bank's reason. */
  reason: string | null;
  /** Deadline for evidence. */
  due_by: string | null;
  /** Whether the gateway has withdrawn the amount. */
  funds_withdrawn: boolean;
}

/** DistanceRounding. */
export type DistanceRounding = "exact" | "started_unit";

/** DistanceSource. */
export type DistanceSource = "given" | "great_circle" | "osrm" | "valhalla";

/** DistanceUnit. */
export type DistanceUnit = "ft" | "km" | "m" | "mi" | "yd";

/** A charge or credit. `amount` contains the tax. */
export interface DocumentLine {
  position: number;
  kind: string;
  description: string;
  date: string;
  order?: string | null;
  tracking_number?: string | null;
  order_number?: string | null;
  charge?: string | null;
  tax_rate?: number | null;
  /** Defaults to `0`. */
  tax_amount?: number;
  amount: number;
}

/** The invoice that a credit note corrects. */
export interface DocumentReference {
  number: string;
  issue_date: string;
}

/** An activity or a failed attempt that a driver recorded. */
export interface DriverActivityOut {
  order: string;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id: string | null;
  /** The order's tracking number. */
  tracking: string;
  code: string;
  status: string;
  occurred_at: string;
}

/** The cash of one driver in one currency. */
export interface DriverBalanceOut {
  driver: string;
  name: string;
  /** ISO 4217, three letters. */
  currency: string;
  /** In whole minor units of the currency. */
  balance: number;
  collections: number;
  /** Time of the oldest collection. */
  since: string;
}

/** The cash that a driver has collected and not handed in, per currency. */
export interface DriverCashOut {
  driver: string;
  balances: Array<CashBalanceOut>;
}

/** Changes to a driver. Omitted fields stay, and null clears a field. */
export interface DriverChange {
  /** The company's own reference. */
  internal_id?: string | null | undefined;
  online?: boolean | undefined;
  /** Position of a new record. A change cannot set another position: report it to `track`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** Instead of `location`. */
  latitude?: number | string | null | undefined;
  /** Instead of `location`. */
  longitude?: number | string | null | undefined;
  /** Degrees clockwise from north. */
  heading?: number | null | undefined;
  altitude?: number | null | undefined;
  speed?: number | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  located_at?: string | Date | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
  name?: string | undefined;
  /** With country code. */
  phone?: string | undefined;
  email?: string | null | undefined;
  drivers_license_number?: string | null | undefined;
  /** A day between the years 1970 and 2100. */
  license_expiry?: string | null | undefined;
  status?: DriverStatus | undefined;
  vehicle?: string | null | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  city?: string | null | undefined;
  skills?: ReadonlyArray<string> | undefined;
  /**
   * The weekly shifts, in the company's time zone. Null: works at any time. An empty list: works
   * only on days of `shift_exceptions`.
   */
  shifts?: ReadonlyArray<ShiftFields> | null | undefined;
  /** Days off, and days with other shifts than the weekly ones. */
  shift_exceptions?: ReadonlyArray<ShiftExceptionFields> | undefined;
  /** The place where work begins. */
  start_place?: string | null | undefined;
  /** The place where work ends. */
  end_place?: string | null | undefined;
  /** In minor units of `currency`. Plans compare routes by it. */
  cost_per_hour?: number | null | undefined;
  /** The cost's currency, ISO 4217. Defaults to the company's. */
  currency?: string | null | undefined;
}

/** The code, and its phone as `identity` or `phone`. */
export interface DriverCodeIn {
  code: string;
  /** With country code. */
  identity?: string | undefined;
  /** With country code. */
  phone?: string | undefined;
}

/** The sent code. The response is the same for an unknown phone. */
export interface DriverCodeSent {
  status: string;
  method: string;
  /** Seconds. */
  expires_in: number;
  /** Seconds. */
  resend_after: number;
}

/** A new driver. */
export interface DriverIn {
  /** The company's own reference. */
  internal_id?: string | null | undefined;
  /** Defaults to `false`. */
  online?: boolean | undefined;
  /** Position of a new record. A change cannot set another position: report it to `track`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** Instead of `location`. */
  latitude?: number | string | null | undefined;
  /** Instead of `location`. */
  longitude?: number | string | null | undefined;
  /** Degrees clockwise from north. */
  heading?: number | null | undefined;
  altitude?: number | null | undefined;
  speed?: number | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  located_at?: string | Date | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
  name: string;
  /** With country code. */
  phone: string;
  email?: string | null | undefined;
  drivers_license_number?: string | null | undefined;
  /** A day between the years 1970 and 2100. */
  license_expiry?: string | null | undefined;
  /** Defaults to `"available"`. */
  status?: DriverStatus | undefined;
  vehicle?: string | null | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  city?: string | null | undefined;
  skills?: ReadonlyArray<string> | undefined;
  /**
   * The weekly shifts, in the company's time zone. Null: works at any time. An empty list: works
   * only on days of `shift_exceptions`.
   */
  shifts?: ReadonlyArray<ShiftFields> | null | undefined;
  /** Days off, and days with other shifts than the weekly ones. */
  shift_exceptions?: ReadonlyArray<ShiftExceptionFields> | undefined;
  /** The place where work begins. */
  start_place?: string | null | undefined;
  /** The place where work ends. */
  end_place?: string | null | undefined;
  /** In minor units of `currency`. Plans compare routes by it. */
  cost_per_hour?: number | null | undefined;
  /** The cost's currency, ISO 4217. Defaults to the company's. */
  currency?: string | null | undefined;
}

/** A driver's request for a code. */
export interface DriverLoginIn {
  /** With country code. */
  phone: string;
}

/** A message between dispatch and the driver about an order that the person placed. */
export interface DriverMessageExport {
  id: string;
  sender: "dispatch" | "driver";
  body: string;
  sent_at: string;
}

/** A new message. From drivers it goes to dispatch, otherwise to the driver. */
export interface DriverMessageIn {
  text: string;
  /** The recipient. Defaults to the order's driver. Not for drivers. */
  driver?: string | undefined;
  /** The order that it is about. */
  order?: string | undefined;
  /**
   * Chosen by the sender. A repeated request gets the same answer; another text, recipient or photo
   * is a conflict.
   */
  message_uuid?: string | undefined;
  /** Time of the event, by the device's clock. A future or missing time means now. */
  sent_at?: string | Date | undefined;
}

/** A message between dispatch and a driver. */
export interface DriverMessageOut {
  id: string;
  uuid: string;
  driver: string;
  /** The order that it is about. */
  order: string | null;
  sender: "dispatch" | "driver";
  actor: ActorOut;
  /** Empty if there are only photos. */
  text: string;
  photos: Array<MessagePhotoOut>;
  /** When it was written, perhaps without reception. */
  sent_at: string;
  /** When it arrived. Lists are sorted by it. */
  created_at: string;
  /** When the other side read it. */
  read_at: string | null;
}

/** A driver. Positions do not change `version`. */
export interface DriverOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The company's own reference. */
  internal_id: string | null;
  online: boolean;
  fleets: Array<string>;
  location: PointOut | null;
  /** Degrees from north. */
  heading: number | null;
  /** Metres. */
  altitude: number | null;
  /** Metres per second. */
  speed: number | null;
  located_at: string | null;
  /** Custom data of the company. */
  meta: JsonObject;
  name: string;
  email: string | null;
  /** With country code. */
  phone: string;
  drivers_license_number: string | null;
  /** A day between the years 1970 and 2100. */
  license_expiry: string | null;
  status: DriverStatus;
  vehicle: string | null;
  /** ISO 3166, two letters. */
  country: string | null;
  city: string | null;
  skills: Array<string>;
  /**
   * The weekly shifts, in the company's time zone. Null: works at any time. An empty list: works
   * only on days of `shift_exceptions`.
   */
  shifts: Array<ShiftFields> | null;
  /** Days off, and days with other shifts than the weekly ones. */
  shift_exceptions: Array<ShiftExceptionFields>;
  /** The place where work begins. */
  start_place: string | null;
  /** The place where work ends. */
  end_place: string | null;
  /** In minor units of `currency`. Plans compare routes by it. */
  cost_per_hour: number | null;
  /** The cost's currency, ISO 4217. Defaults to the company's. */
  currency: string | null;
  /** Metres from `nearby`. */
  distance?: number;
}

/** A signed-in driver with the token. The driver's fields are also at the top level. */
export interface DriverSignedIn {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The company's own reference. */
  internal_id: string | null;
  online: boolean;
  fleets: Array<string>;
  location: PointOut | null;
  /** Degrees from north. */
  heading: number | null;
  /** Metres. */
  altitude: number | null;
  /** Metres per second. */
  speed: number | null;
  located_at: string | null;
  /** Custom data of the company. */
  meta: JsonObject;
  name: string;
  email: string | null;
  /** With country code. */
  phone: string;
  drivers_license_number: string | null;
  /** A day between the years 1970 and 2100. */
  license_expiry: string | null;
  status: DriverStatus;
  vehicle: string | null;
  /** ISO 3166, two letters. */
  country: string | null;
  city: string | null;
  skills: Array<string>;
  /**
   * The weekly shifts, in the company's time zone. Null: works at any time. An empty list: works
   * only on days of `shift_exceptions`.
   */
  shifts: Array<ShiftFields> | null;
  /** Days off, and days with other shifts than the weekly ones. */
  shift_exceptions: Array<ShiftExceptionFields>;
  /** The place where work begins. */
  start_place: string | null;
  /** The place where work ends. */
  end_place: string | null;
  /** In minor units of `currency`. Plans compare routes by it. */
  cost_per_hour: number | null;
  /** The cost's currency, ISO 4217. Defaults to the company's. */
  currency: string | null;
  /** Metres from `nearby`. */
  distance?: number;
  /** Shown once. */
  token: string;
  driver: DriverOut;
  /**
   * Keep it, and send it as `Device-Proof` at the next sign-in. Attempts by strangers then do not
   * count against this device. It grants no access.
   */
  device_proof: string;
}

/** DriverStatus. */
export type DriverStatus = "accident_hold" | "active" | "available" | "delayed" | "inactive" | "no_show" | "off_duty" | "on_break" | "on_duty" | "on_leave" | "on_route" | "onboarding" | "pending_verification" | "pre_shift" | "suspended" | "terminated" | "training";

/** A remaining stop of a driver, with the ETA that was last computed. */
export interface DriverStopOut {
  order: string;
  /** Null for an end of an order without stops. */
  waypoint: string | null;
  type: StopType;
  /** Whether its order is dispatched. */
  dispatched: boolean;
  time_window_start: string | null;
  time_window_end: string | null;
  /** Arrival by the accepted plan. */
  planned_at: string | null;
  /** Null while it is unknown. */
  eta: string | null;
  /**
   * `late` if the ETA is after the time window, `at_risk` if it is less than ten minutes before its
   * end.
   */
  forecast: ForecastState | null;
  /** Seconds from the end of the time window to the ETA. */
  late_seconds: number | null;
}

/** The remaining stops of a driver, in the sequence of the visits. */
export interface DriverStopsOut {
  driver: string;
  /** Time of the position from which the ETAs were computed. */
  located_at: string | null;
  /** Time at which they were computed. */
  computed_at: string | null;
  /** The number on which drivers reach dispatch. */
  dispatch_phone: string | null;
  stops: Array<DriverStopOut>;
}

/** What differs from the earlier order. */
export interface DuplicateIn {
  /**
   * Moves the schedule and the time windows to this day, with the same times of day in the
   * company's time zone. Without it, they are left out.
   */
  day?: string | undefined;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id?: string | undefined;
  driver?: string | undefined;
}

/** The new address, which receives the code. */
export interface EmailIn {
  email: string;
}

/** A request for a code by email. */
export interface EmailLoginIn {
  email: string;
}

/** Changes to an item. Omitted fields stay; null clears a field. */
export interface EntityChange {
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /**
   * The stop where the item is delivered: the index of a waypoint in this request, the identifier
   * of a waypoint, or the identifier of a stop's place.
   */
  destination?: number | string | null | undefined;
  /** The company's own number. */
  internal_id?: string | null | undefined;
  name?: string | undefined;
  type?: string | undefined;
  description?: string | null | undefined;
  sku?: string | null | undefined;
  /**
   * The number of equal pieces. Weight, size, price and declared value are those of one piece; cash
   * on delivery of all of them.
   */
  quantity?: number | undefined;
  /** Codes declared for the item's proof. Any other scan is rejected. */
  expected_codes?: ReadonlyArray<string> | undefined;
  length?: number | null | undefined;
  width?: number | null | undefined;
  height?: number | null | undefined;
  dimensions_unit?: LengthUnit | undefined;
  weight?: number | null | undefined;
  weight_unit?: WeightUnit | undefined;
  /** In minor units of the currency. */
  declared_value?: number | null | undefined;
  /** In minor units of the currency. */
  price?: number | null | undefined;
  /** In minor units of the currency. */
  sale_price?: number | null | undefined;
  /** ISO 4217, three letters. */
  currency?: string | null | undefined;
  customer?: string | null | undefined;
  supplier?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  payload?: string | null | undefined;
}

/** An item of a payload. In a change, an item sent with its `id` is kept. */
export interface EntityIn {
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /**
   * The stop where the item is delivered: the index of a waypoint in this request, the identifier
   * of a waypoint, or the identifier of a stop's place.
   */
  destination?: number | string | null | undefined;
  /** The company's own number. */
  internal_id?: string | null | undefined;
  name?: string | undefined;
  type?: string | undefined;
  description?: string | null | undefined;
  sku?: string | null | undefined;
  /**
   * The number of equal pieces. Weight, size, price and declared value are those of one piece; cash
   * on delivery of all of them.
   */
  quantity?: number | undefined;
  /** Codes declared for the item's proof. Any other scan is rejected. */
  expected_codes?: ReadonlyArray<string> | undefined;
  length?: number | null | undefined;
  width?: number | null | undefined;
  height?: number | null | undefined;
  dimensions_unit?: LengthUnit | undefined;
  weight?: number | null | undefined;
  weight_unit?: WeightUnit | undefined;
  /** In minor units of the currency. */
  declared_value?: number | null | undefined;
  /** In minor units of the currency. */
  price?: number | null | undefined;
  /** In minor units of the currency. */
  sale_price?: number | null | undefined;
  /** ISO 4217, three letters. */
  currency?: string | null | undefined;
  customer?: string | null | undefined;
  supplier?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  id?: string | undefined;
}

/** An item. */
export interface EntityOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  payload: string | null;
  /** The stop where the item is delivered. */
  destination: string | null;
  /** The company's own number. */
  internal_id: string | null;
  name: string;
  type: string;
  description: string | null;
  sku: string | null;
  /**
   * The number of equal pieces. Weight, size, price and declared value are those of one piece; cash
   * on delivery of all of them.
   */
  quantity: number;
  /** Codes declared for the item's proof. Any other scan is rejected. */
  expected_codes: Array<string>;
  length: number | null;
  width: number | null;
  height: number | null;
  dimensions_unit: LengthUnit;
  weight: number | null;
  weight_unit: WeightUnit;
  /** In minor units of the currency. */
  declared_value: number | null;
  /** In minor units of the currency. */
  price: number | null;
  /** In minor units of the currency. */
  sale_price: number | null;
  /** ISO 4217, three letters. */
  currency: string | null;
  customer: string | null;
  supplier: string | null;
  tracking: string | null;
  /** Deprecated: use `tracking`. */
  tracking_number: string | null;
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount: number | null;
  /** ISO 4217, three letters. */
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
}

/** An event type of the catalogue. */
export interface EntryOut {
  event: Name;
  group: string;
  meaning: string;
  /** JSON Schema (2020-12) of `data`; null if the event is never emitted. */
  schema: JsonObject | null;
}

/** The API version of the app's library. */
export interface EphemeralKeyIn {
  /** The version of the gateway's API that the app's library uses. */
  api_version?: string | undefined;
}

/** A key to a customer's saved cards. */
export interface EphemeralKeyOut {
  /** A secret. */
  ephemeralKey: string;
  /** The customer at the gateway. */
  customerId: string;
  publishableKey: string;
  expires: string | null;
}

/** An event as webhooks receive it: the same fields, in the same bytes. */
export interface EventEnvelope {
  event: Name;
  api_version: string;
  created_at: string;
  /** A snapshot of the record. `GET /int/v1/event-catalog` has its schema. */
  data: JsonObject;
  id: string;
}

/** Events in the order in which they were committed, and where to read on. */
export interface EventFeedOut {
  data: Array<EventEnvelope>;
  meta: FeedMeta;
}

/** An event of a device. */
export interface EventIn {
  /** One of the nine types, or any other, which is stored as it is. */
  event_type: string;
  /**
   * Time of the event: RFC 3339 with an offset, or Unix time in seconds or milliseconds. Defaults
   * to now.
   */
  timestamp?: string | Date | number | undefined;
  /** A GeoJSON point, or `latitude` and `longitude`. */
  location?: LocationIn | undefined;
  /** Values of the event type. Other keys are stored unchanged. */
  data?: JsonObject | undefined;
  /** Your own id, by which a repeat is recognised. Without one, the whole content is compared. */
  event_id?: string | undefined;
}

/** An event of the log, with the body that receivers get. */
export interface EventOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  event: Name;
  /** Public id of the record that the event is about. */
  subject: string;
  created_at: string;
  relayed_at: string | null;
  body: JsonObject;
}

/** Quotes, and the rates without a price. */
export interface ExplainedOut {
  quotes: Array<QuoteOut>;
  /** Up to 500 rates. */
  rejected: Array<RefusalOut>;
}

/** A sign-in with provider C, as existing apps send it. */
export interface FacebookLogin {
  email?: string | undefined;
  name?: string | undefined;
  /** The provider's access token: a proof. */
  accessToken?: string | undefined;
  /** The provider's OIDC token: a proof. */
  authenticationToken?: string | undefined;
  /** The nonce that the app gave the provider, if any. */
  nonce?: string | undefined;
  /** The provider's id of the user. */
  facebookUserId: string;
}

/** Why a delivery failed, and what happens next. */
export interface FailureReason {
  code: string;
  /** Label for people, including recipients. */
  label: string;
  /** Whether a photo is required. Defaults to `false`. */
  photo?: boolean;
  /**
   * `retry` attempts the delivery again, `return` returns the goods, `hold` waits for a
   * dispatcher's decision. Defaults to `"retry"`.
   */
  then?: UndeliveredDecision;
}

/** How to continue in the feed of events. */
export interface FeedMeta {
  limit: number;
  /** Whether more events may follow at once. If not, poll again later. */
  has_more: boolean;
  /** Send it as `cursor` to read on. It never ends, and is never null. */
  next_cursor: string;
}

/** A field that can be used in a text. */
export interface FieldOut {
  name: string;
  meaning: string;
}

/** A file in JSON; the server detects its content type. */
export interface FileIn {
  /** The content in base64, bare or as a data URI. */
  data: string | Uint8Array;
  name?: string | undefined;
  /** Only distinguishes types of plain text, such as `text/csv`. */
  content_type?: string | undefined;
}

/** A file, with a download link that is valid for an hour. */
export interface FileOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  name: string;
  /** Detected from the content. */
  content_type: string;
  /** Bytes. */
  size: number;
  /** The content's hash, in hexadecimal. */
  sha256: string;
  /** Downloads the file without a credential. */
  url: string;
  url_expires_at: string;
  created_at: string;
  /** Always 1: a file never changes. */
  version: number;
}

/** A past position of a driver. */
export interface FixIn {
  latitude?: number | undefined;
  longitude?: number | undefined;
  /** Instead of `latitude` and `longitude`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Degrees clockwise from north. */
  heading?: number | undefined;
  /** Metres. */
  altitude?: number | undefined;
  /** Metres per second. */
  speed?: number | undefined;
  /** Metres. */
  accuracy?: number | undefined;
  /** Time of the position. Defaults to now. Late reports do not replace newer positions. */
  recorded_at?: string | Date | undefined;
  /**
   * The sender's own id, by which a repeat is recognised. Without one, the whole content is
   * compared.
   */
  event_id?: string | undefined;
}

/** An order that must go to a certain driver. */
export interface FixedOrderIn {
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order: string;
  driver: string;
}

/** Changes to a fleet. Omitted fields stay, and null clears a field. */
export interface FleetChange {
  name?: string | undefined;
  task?: string | null | undefined;
  status?: RecordStatus | undefined;
  parent_fleet?: string | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
}

/** The driver to add to a fleet. */
export interface FleetDriverIn {
  driver?: string | undefined;
}

/** A new fleet. */
export interface FleetIn {
  name: string;
  task?: string | null | undefined;
  /** Defaults to `"active"`. */
  status?: RecordStatus | undefined;
  parent_fleet?: string | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
}

/** A fleet with its members. `version` counts changes to the fleet's fields. */
export interface FleetOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string;
  task: string | null;
  status: RecordStatus;
  parent_fleet: string | null;
  /** The first 100. `GET /v1/drivers?fleet=` lists all of them. */
  drivers: Array<string>;
  /** The first 100. `GET /v1/vehicles?fleet=` lists all of them. */
  vehicles: Array<string>;
  /** Custom data of the company. */
  meta: JsonObject;
}

/** The vehicle to add to a fleet. */
export interface FleetVehicleIn {
  vehicle?: string | undefined;
}

/**
 * The flow of an order, and its current position. The activities that follow the order's latest one
 * may fire. Once an order with stops has started, the next activities of its current stop may fire
 * too. When a stop is done, the order returns to `started`, and the first stop that is not done
 * becomes current. When the last stop is done, so is the order.
 */
export interface FlowOut {
  order: string;
  status: string;
  /** The latest activity of the order. */
  activity: string;
  /** Whether the order is open. */
  open: boolean;
  current_waypoint: string | null;
  /** Activities that are possible now. */
  next: Array<string>;
  /** Whether steps at the pickup of an order without stops are left. */
  collecting: boolean;
  /**
   * For an order with stops: only created, dispatched and started, and also returned if goods are
   * sent back.
   */
  activities: Array<ActivityAhead>;
  waypoints: Array<StopAhead>;
  /** Result of failed attempts: `hold` waits for a decision, `return` goes back. */
  undelivered: Undelivered | null;
  /** Whether the order waits for a dispatcher's decision. */
  held: boolean;
  /** Reasons for failed attempts, and what happens next. */
  failure_reasons: Array<FailureReason>;
  /** Codes of each order, stop or item whose items declare codes. Any other scan is rejected. */
  expected: { [name: string]: Array<string> };
  /**
   * The codes of every order, stop or item that is to be scanned: declared codes, tracking number,
   * internal id, id and UUID. Any other scan is unmatched.
   */
  known: { [name: string]: Array<string> };
}

/** Whether an order will be late, judged by its stop with the worst delay. */
export interface Forecast {
  /**
   * `late` if the ETA is after the time window, `at_risk` if it is less than ten minutes before its
   * end.
   */
  state: ForecastState;
  /** Seconds from the end of the time window to the ETA. */
  late_seconds: number;
  waypoint: string | null;
  type: StopType;
  eta: string;
  time_window_end: string;
}

/** Numbers of open orders whose ETAs are late or at risk, each counted up to 1,000. */
export interface ForecastCounts {
  late: number;
  at_risk: number;
}

/** ForecastState. */
export type ForecastState = "at_risk" | "late" | "on_time";

/** The identity whose password was forgotten. */
export interface ForgotIn {
  /** A phone number or an email address. */
  identity: string;
}

/** A GeoJSON polygon of several parts. */
export interface GeoJsonMultiPolygon {
  type: "MultiPolygon";
  coordinates: Array<Array<Array<Array<number>>>>;
}

/** A GeoJSON point. */
export interface GeoJsonPoint {
  type: "Point";
  /** Longitude and latitude in degrees. */
  coordinates: Array<number>;
}

/** A GeoJSON polygon: its outer ring, then its holes. */
export interface GeoJsonPolygon {
  type: "Polygon";
  coordinates: Array<Array<Array<number>>>;
}

/** The geocoding of an address. Null if the caller sent coordinates. */
export interface GeocodingOut {
  /**
   * `waiting` for the geocoder, `found`, `not_found`, `failed` if it was unavailable too often, or
   * `off` if this installation has none.
   */
  status: "failed" | "found" | "not_found" | "off" | "waiting";
  source: "embedded" | "nominatim" | "photon" | null;
  /** Precision of the point. */
  quality: AddressQuality | null;
  located_at: string | null;
}

/** The cash that a driver hands in, as counted. */
export interface HandInIn {
  /** ISO 4217, three letters. */
  currency: string;
  /** In whole minor units of the currency. */
  counted_amount: number;
  /**
   * The balance that you have seen. If the driver has collected more since, nothing is handed in.
   */
  expected_amount?: number | undefined;
  remarks?: string | undefined;
}

/** A driver's hand-in of the cash in one currency. */
export interface HandInOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  driver: string;
  /** ISO 4217, three letters. */
  currency: string;
  /** Number of collections. */
  collections: number;
  /** In whole minor units of the currency. */
  expected_amount: number;
  /** In whole minor units of the currency. */
  counted_amount: number;
  /** Counted minus expected: negative if cash is missing. */
  difference: number;
  remarks: string | null;
  /** The actor that counted the cash. */
  actor: ActorOut;
}

/** The signed end of a chain. */
export interface HeadOut {
  /**
   * The signed JSON text: the order, its number among the company's orders with proofs, its number
   * of proofs, the hash of the last one, and the time.
   */
  statement: string;
  /** Ed25519 of `pannier head 1`, a line feed and the statement. */
  signature: string;
  key_id: string;
}

/** Today's figures, and what needs a decision. */
export interface Home {
  /** Today in the company's time zone. */
  day: string;
  /** Today's orders. */
  today: Array<HomeCount>;
  punctuality: HomePunctuality;
  /** By currency. */
  money: Array<HomeMoney>;
  /** Records that need a decision. */
  decisions: Array<HomeCount>;
}

/** A number of records, and the list that contains exactly these. */
export interface HomeCount {
  name:
    | "completed"
    | "disabled_webhooks"
    | "failed"
    | "held"
    | "late"
    | "on_the_way"
    | "open_issues"
    | "refunds_due"
    | "silent_devices"
    | "unassigned"
    | "unpriced";
  /** Up to the counting limit. */
  count: number;
  /** Whether there are more than `count`. */
  more: boolean;
  /** The path of the list. */
  path: string;
  /** The query of the list. */
  filters: { [name: string]: string };
}

/** Today's revenue, and the cash that drivers carry, in one currency. */
export interface HomeMoney {
  /** ISO 4217. */
  currency: string;
  /**
   * What was charged today and is owed or paid, in whole minor units. Voided and refunded amounts
   * are taken out.
   */
  revenue: number;
  /** In whole minor units. */
  cash_with_drivers: number;
}

/** How many of today's completed orders were on time. */
export interface HomePunctuality {
  completed: number;
  /** Completed orders with a time window. */
  with_window: number;
  /** Completed before the end of their time window. */
  on_time: number;
}

/** Working hours in the company's time zone. */
export interface HoursIn {
  /** Time of day, `HH:MM`. Defaults to `"08:00"`. */
  start?: string | undefined;
  /** Time of day, `HH:MM`. Defaults to `"18:00"`. */
  end?: string | undefined;
}

/** The customer's identity was confirmed. For some minutes, sign-in methods can be changed. */
export interface IdentityConfirmed {
  status: string;
  confirmed_until: string;
}

/** A driver's shift without work. */
export interface IdleDriverOut {
  driver: PlanDriverOut;
  vehicle: PlanVehicleOut | null;
  shift_start: string;
  shift_end: string;
}

/** A change of an import that has not started. */
export interface ImportChange {
  /** The field of each column, by the column's header; null skips a column. */
  mapping?: { [name: string]: string | null } | undefined;
  date_order?: DateOrder | null | undefined;
}

/** The number of rows by result. An order of several rows counts once. */
export interface ImportCountsOut {
  /** Without errors, in a dry run. */
  ready: number;
  created: number;
  /** The record exists already and was left as it is. */
  unchanged: number;
  failed: number;
  /** Created, then deleted by undoing. */
  undone: number;
  /** Created, and still needed when undone. */
  kept: number;
}

/** A field that columns can be mapped to. */
export interface ImportFieldOut {
  field: string;
  label: string;
  required: boolean;
}

/** A new import of an uploaded file. Without a mapping, the suggested one is used. */
export interface ImportIn {
  /** The kind of records in the file. */
  resource: ImportResource;
  /** An uploaded CSV or XLSX file. */
  file?: string | undefined;
  /** Instead of `file`: the content in base64, bare or as a data URI. */
  data?: string | undefined;
  /** The file name of `data`. */
  name?: string | undefined;
  /** The field of each column, by the column's header; null skips a column. */
  mapping?: { [name: string]: string | null } | undefined;
  /**
   * Whether dates such as 3/4/2026 begin with the day or the month. Without it, rows with a date
   * that could be read in both orders are refused.
   */
  date_order?: DateOrder | undefined;
}

/** An import. */
export interface ImportOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The kind of records in the file. */
  resource: ImportResource;
  /**
   * `new`; `checking` and `checked` by a dry run; `importing` and `done`; `undoing` and `undone`;
   * or `failed`, if the file could not be read.
   */
  state: "checked" | "checking" | "done" | "failed" | "importing" | "new" | "undoing" | "undone";
  /** The name of the file. */
  name: string;
  /** Deprecated: use `name`. */
  file_name: string;
  format: "csv" | "xlsx";
  encoding: string | null;
  separator: string | null;
  /** The sheet of an XLSX file. */
  sheet: string | null;
  /** The columns of the file. */
  headers: Array<string>;
  /** The first rows of the file. Empty for a key that cannot read such records. */
  sample: Array<Array<string>>;
  /** The field of each mapped column. */
  mapping: { [name: string]: string };
  /**
   * Whether dates such as 3/4/2026 begin with the day or the month. Without it, rows with a date
   * that could be read in both orders are refused.
   */
  date_order: DateOrder | null;
  /** The fields that columns can be mapped to. */
  fields: Array<ImportFieldOut>;
  /** Required fields that no column is mapped to. */
  missing: Array<string>;
  /** The number of the file's last row. */
  row_count: number | null;
  /** The number of the last processed row. */
  processed: number;
  counts: ImportCountsOut;
  /** Why the file could not be read. */
  failure: string | null;
  checked_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  undone_at: string | null;
}

/** ImportResource. */
export type ImportResource = "contacts" | "drivers" | "orders" | "places" | "service-rates" | "vehicles";

/** The result of a row. */
export interface ImportedRowOut {
  /** The row as spreadsheets number it: the header is 1. */
  number: number;
  state: "created" | "failed" | "kept" | "unchanged" | "undone";
  /** The record's id. */
  record: string | null;
  errors: Array<RowErrorOut>;
}

/** The outcome of a request; accepted events are stored durably. */
export interface IngestOut {
  /** Number of new events. */
  accepted: number;
  /** Number of events that were stored before. */
  duplicates: number;
  rejected: Array<RejectedOut>;
  /** Number of accepted events that are not stored yet. */
  pending?: number;
}

/** The data that verifies the proof, even without Pannier. */
export interface Integrity {
  algorithm: "sha256";
  /** Position in the order's chain. */
  sequence: number;
  hash: string;
  previous: string | null;
  /** Ed25519 of the hash. */
  signature: string;
  key_id: string;
}

/** Changes to a draft. Omitted fields stay; null clears a field. */
export interface InvoiceChange {
  /** The customer's reference, such as an order number. */
  reference?: string | null | undefined;
  /** A text for the customer. */
  notes?: string | null | undefined;
  /** A day between the years 1970 and 2100. */
  due_date?: string | null | undefined;
}

/** An invoice or a credit note with its lines. */
export interface InvoiceDetailsOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The amounts of a credit note are negative. */
  kind: InvoiceKind;
  /**
   * Derived from the payments of its transactions, which settle the oldest invoice first. A credit
   * note stays `issued`.
   */
  status: InvoiceStatus;
  /** Null while it is a draft. */
  number: string | null;
  /** A customer, contact or vendor. */
  customer: string;
  customer_type: PartnerType;
  /** The present name of the customer. */
  customer_name: string;
  /** ISO 4217. */
  currency: string;
  /** Without tax, in whole minor units of the currency. */
  net_amount: number;
  /** The part of the amount that is tax, in minor units. */
  tax_amount: number;
  /** With tax, in whole minor units of the currency. */
  amount: number;
  /** What is still to be paid. */
  open_amount: number;
  /** What credit notes have taken back. */
  credited_amount: number;
  /** The first day of the charges. */
  from: string | null;
  /** The last day of the charges. */
  to: string | null;
  /** In the company's time zone. */
  issue_date: string | null;
  issued_at: string | null;
  due_date: string | null;
  /** The customer's reference, such as an order number. */
  reference: string | null;
  /** A text for the customer. */
  notes: string | null;
  /** The invoice that a credit note corrects. */
  refers_to: string | null;
  /** The reason of a credit note. */
  reason: string | null;
  /** As it was when the document was issued. */
  seller: PartyOut;
  /** As it was when the document was issued. */
  buyer: PartyOut;
  lines: Array<InvoiceLineOut>;
  /** The sums for each tax rate. */
  taxes: Array<TaxTotalOut>;
}

/** An invoice or a credit note. Drafts have no number. */
export interface InvoiceDocument {
  /** Defaults to `"invoice"`. */
  kind?: InvoiceKind;
  number?: string | null;
  issue_date: string;
  due_date?: string | null;
  supply_from?: string | null;
  supply_to?: string | null;
  currency: string;
  /** Defaults to `"en"`. */
  locale?: string;
  seller: Party;
  buyer: Party;
  brand: Brand;
  /** Defaults to `[]`. */
  lines?: Array<DocumentLine>;
  /** Defaults to `[]`. */
  taxes?: Array<TaxTotal>;
  net_amount: number;
  tax_amount: number;
  amount: number;
  /** Defaults to `0`. */
  paid_amount?: number;
  due_amount: number;
  refers_to?: DocumentReference | null;
  reference?: string | null;
  notes?: string | null;
  footer?: string | null;
  payment?: PaymentInstructions;
}

/** An invoice or a credit note to the person. Drafts have no document. */
export interface InvoiceExport {
  id: string;
  state: string;
  currency: string;
  amount: number;
  open_amount: number;
  document: InvoiceDocument | null;
}

/** What to invoice to a customer. */
export interface InvoiceIn {
  /** A customer, contact or vendor. */
  customer: string;
  /** The first day of the charges, in the company's time zone. */
  from?: string | undefined;
  /** The last day of the charges, in the company's time zone. */
  to?: string | undefined;
  /** Only charges of these orders. */
  orders?: ReadonlyArray<string> | undefined;
  /** ISO 4217. Required if the charges have several currencies. */
  currency?: string | undefined;
  /** The customer's reference, such as an order number. */
  reference?: string | undefined;
  /** A text for the customer. */
  notes?: string | undefined;
  /** Defaults to the terms of the customer, from the issue date. */
  due_date?: string | undefined;
}

/** InvoiceKind. */
export type InvoiceKind = "credit_note" | "invoice";

/** A line of an invoice. */
export interface InvoiceLineOut {
  id: string;
  /** Its number, from 1. */
  position: number;
  /** The kind of charge. `balance` corrects earlier lines of a transaction. */
  kind: ChargeKind | "balance";
  description: string;
  /** The day of the charge. */
  date: string;
  order: string | null;
  transaction: string;
  /** Without tax, in whole minor units of the currency. */
  net_amount: number;
  /** Per cent. */
  tax_rate: number | null;
  /** The part of the amount that is tax, in minor units. */
  tax_amount: number;
  /** With tax, in whole minor units of the currency. */
  amount: number;
}

/** An invoice or a credit note, without its lines. */
export interface InvoiceOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The amounts of a credit note are negative. */
  kind: InvoiceKind;
  /**
   * Derived from the payments of its transactions, which settle the oldest invoice first. A credit
   * note stays `issued`.
   */
  status: InvoiceStatus;
  /** Null while it is a draft. */
  number: string | null;
  /** A customer, contact or vendor. */
  customer: string;
  customer_type: PartnerType;
  /** The present name of the customer. */
  customer_name: string;
  /** ISO 4217. */
  currency: string;
  /** Without tax, in whole minor units of the currency. */
  net_amount: number;
  /** The part of the amount that is tax, in minor units. */
  tax_amount: number;
  /** With tax, in whole minor units of the currency. */
  amount: number;
  /** What is still to be paid. */
  open_amount: number;
  /** What credit notes have taken back. */
  credited_amount: number;
  /** The first day of the charges. */
  from: string | null;
  /** The last day of the charges. */
  to: string | null;
  /** In the company's time zone. */
  issue_date: string | null;
  issued_at: string | null;
  due_date: string | null;
  /** The customer's reference, such as an order number. */
  reference: string | null;
  /** A text for the customer. */
  notes: string | null;
  /** The invoice that a credit note corrects. */
  refers_to: string | null;
  /** The reason of a credit note. */
  reason: string | null;
}

/** Where to send an invoice. */
export interface InvoiceSendIn {
  /** An email address. Defaults to that of the customer. */
  to?: string | undefined;
}

/** InvoiceStatus. */
export type InvoiceStatus = "credited" | "draft" | "issued" | "overdue" | "paid";

/** Changes to an issue. Omitted fields stay, and null clears a field. */
export interface IssueChange {
  report?: string | undefined;
  driver?: string | null | undefined;
  vehicle?: string | null | undefined;
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order?: string | null | undefined;
  title?: string | null | undefined;
  priority?: IssuePriority | undefined;
  type?: string | null | undefined;
  category?: string | null | undefined;
  tags?: ReadonlyArray<string> | null | undefined;
  status?: IssueStatus | undefined;
  /** GeoJSON, `{latitude, longitude}` or `latitude,longitude`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
}

/** A problem with the order. */
export interface IssueExport {
  title: string | null;
  report: string;
  resolution: string | null;
  created_at: string;
}

/** A new issue. */
export interface IssueIn {
  report: string;
  driver?: string | null | undefined;
  vehicle?: string | null | undefined;
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order?: string | null | undefined;
  title?: string | null | undefined;
  /** Defaults to `"medium"`. */
  priority?: IssuePriority | undefined;
  type?: string | null | undefined;
  category?: string | null | undefined;
  tags?: ReadonlyArray<string> | null | undefined;
  /** Defaults to `"open"`. */
  status?: IssueStatus | undefined;
  /** GeoJSON, `{latitude, longitude}` or `latitude,longitude`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
}

/** An issue. */
export interface IssueOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  driver: string | null;
  vehicle: string | null;
  order: string | null;
  title: string | null;
  report: string;
  priority: IssuePriority;
  type: string | null;
  category: string | null;
  tags: Array<string>;
  status: IssueStatus;
  location: PointOut | null;
  resolution: string | null;
  resolved_at: string | null;
  /** Custom data of the company. */
  meta: JsonObject;
}

/** A photo of an issue. */
export interface IssuePhotoOut {
  /** Valid for 15 minutes. */
  url: string;
  /** Valid for 15 minutes. */
  thumbnail_url: string;
  created_at: string;
}

/** Photos of an issue. */
export interface IssuePhotosIn {
  /** An image in base64, bare or as a data URI; in a form, a file. */
  photo?: string | Uint8Array | undefined;
  photos?: ReadonlyArray<string | Uint8Array> | undefined;
}

/** IssuePriority. */
export type IssuePriority = "critical" | "high" | "low" | "medium" | "operational_suggestion" | "scheduled_maintenance";

/** IssueStatus. */
export type IssueStatus = "awaiting_parts" | "awaiting_vendor" | "backlogged" | "canceled" | "closed" | "completed" | "duplicate" | "escalated" | "in_progress" | "in_review" | "monitoring" | "open" | "pending" | "pending_review" | "re_opened" | "requires_update" | "resolved" | "triage" | "wont_fix";

/** An item. Fields that only orders use are ignored. */
export interface ItemIn {
  /**
   * The number of equal pieces. Weight, size, price and declared value are those of one piece; cash
   * on delivery of all of them. Defaults to `1`.
   */
  quantity?: number | undefined;
  length?: number | undefined;
  width?: number | undefined;
  height?: number | undefined;
  /** Defaults to `"cm"`. */
  dimensions_unit?: LengthUnit | undefined;
  weight?: number | undefined;
  /** Defaults to `"kg"`. */
  weight_unit?: WeightUnit | undefined;
  /** In minor units. */
  declared_value?: number | undefined;
  /** Of the declared value. */
  currency?: string | undefined;
}

/** A line of a transaction. */
export interface ItemOut {
  kind: ChargeKind;
  code: string;
  details: string;
  /** In whole minor units of the currency. */
  amount: number;
  /** Per cent. */
  tax_rate: number | null;
  /** The part of the amount that is tax, in minor units. */
  tax_amount: number;
  /** The amount without tax, in whole minor units. */
  net_amount: number;
}

/** An object with any fields. */
export type JsonObject = { [name: string]: unknown };

/** Changes of a key: its name and scopes. The other fields must be unchanged. */
export interface KeyChange {
  name?: string | undefined;
  scopes?: ReadonlyArray<string> | undefined;
  kind?: KeyKind | undefined;
  store?: string | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  expires_at?: string | Date | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  revoked_at?: string | Date | null | undefined;
}

/** A new key; a storefront key may name its store, an app key has no scopes. */
export interface KeyIn {
  kind: KeyKind;
  name: string;
  /** Defaults to all, `*`. */
  scopes?: ReadonlyArray<string> | undefined;
  store?: string | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  expires_at?: string | Date | undefined;
}

/** KeyKind. */
export type KeyKind = "api" | "app" | "storefront";

/** A key, without its secret. */
export interface KeyOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  kind: KeyKind;
  name: string;
  scopes: Array<string>;
  /** The beginning of the key. */
  hint: string;
  store: string | null;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
}

/** How long the old key works after the new one is created. */
export interface KeyRotation {
  /** Seconds the old key keeps working. Defaults to `86400`. */
  overlap_seconds?: number | undefined;
}

/** Orders whose labels to print, in this order. */
export interface LabelsIn {
  /** Up to 100 for ZPL and 50 for a PDF. */
  orders: ReadonlyArray<string>;
  /** `zpl` is for label printers with 203 dpi. Defaults to `"pdf"`. */
  format?: "pdf" | "zpl" | undefined;
  /**
   * `a6` (105 x 148 mm), `4x6` (inches), or `a4`: four labels on a sheet. ZPL has no sheets.
   * Defaults to `"a6"`.
   */
  size?: "4x6" | "a4" | "a6" | undefined;
  /**
   * The position of the first label on an `a4` sheet, from left to right. Earlier positions stay
   * blank, so that a used sheet can be printed again. Defaults to `1`.
   */
  start?: number | undefined;
}

/** The latest reading of a type. */
export interface LatestReading {
  /** The event's id. */
  event_id: string;
  /** One of the nine types, by name or alias, or a custom type. */
  event_type: string;
  timestamp: string;
  severity: Severity | null;
  data: JsonObject;
}

/** A point by its latitude and longitude. */
export interface LatitudeLongitude {
  latitude: number;
  longitude: number;
}

/** LengthUnit. */
export type LengthUnit = "cm" | "ft" | "in" | "m" | "mm" | "yd";

/** A part of a price. */
export interface LineOut {
  code: string;
  details: string;
  /** Minor units. */
  amount: number;
  /** ISO 4217 code. */
  currency: string;
}

/** The person's account at a sign-in provider. */
export interface LinkExport {
  provider: string;
  subject: string;
  email: string | null;
  verified: boolean;
  created_at: string;
  last_used_at: string;
}

/** A provider that the customer can sign in with. */
export interface LinkedProvider {
  /** Used to unlink the provider. */
  id: string;
  provider: "a" | "b" | "c";
  /** As reported by the provider. */
  email: string | null;
  created_at: string;
  last_used_at: string;
}

/** A page under `/int/v1`. */
export interface Listed_AlertOut {
  data: Array<AlertOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_AttachmentOut {
  data: Array<AttachmentOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_AuditOut {
  data: Array<AuditOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_CashCollectionOut {
  data: Array<CashCollectionOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_CustomerDetailsOut {
  data: Array<CustomerDetailsOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_DeliveryOut {
  data: Array<DeliveryOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_DeviceEventOut {
  data: Array<DeviceEventOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_DeviceLatestOut {
  data: Array<DeviceLatestOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_DeviceOut {
  data: Array<DeviceOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_EventOut {
  data: Array<EventOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_HandInOut {
  data: Array<HandInOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_InvoiceOut {
  data: Array<InvoiceOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_KeyOut {
  data: Array<KeyOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_MessageOut {
  data: Array<MessageOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_OperatorOut {
  data: Array<OperatorOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_OrderQuoteOut {
  data: Array<OrderQuoteOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_ParkedOut {
  data: Array<ParkedOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_RejectOut {
  data: Array<RejectOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_RemittanceOut {
  data: Array<RemittanceOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_SavedViewOut {
  data: Array<SavedViewOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_ServiceRateOut {
  data: Array<ServiceRateOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_SessionOut {
  data: Array<SessionOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_StorefrontOut {
  data: Array<StorefrontOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_TransactionOut {
  data: Array<TransactionOut>;
  meta: PageMeta;
}

/** A page under `/int/v1`. */
export interface Listed_WebhookOut {
  data: Array<WebhookOut>;
  meta: PageMeta;
}

/** A location as GeoJSON, or as latitude and longitude. */
export interface LocationIn {
  type?: string | undefined;
  coordinates?: ReadonlyArray<number> | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

/** Configured minimums for the events about a driver's moves. */
export interface LocationSettings {
  /** Metres that a driver moves before an event is emitted. */
  distance?: number | null | undefined;
  /** Minimum seconds between two events about a driver's position. */
  interval?: number | null | undefined;
}

/** A driver's move emits an event after this distance and interval. */
export interface Locations {
  /** Metres that a driver moves before an event is emitted. */
  distance: number;
  /** Minimum seconds between two events about a driver's position. */
  interval: number;
}

/** A sign-in; `cookie` asks for the console's session instead of a bearer token. */
export interface LoginIn {
  email: string;
  password: string;
  /** The company; required if the address and password match several. */
  company?: string | undefined;
  /** Defaults to `false`. */
  cookie?: boolean | undefined;
}

/** A successful sign-in. */
export interface LoginOut {
  token: string | null;
  csrf_token: string | null;
  expires_at: string;
  operator: OperatorOut;
  /** Null with a cookie, which carries it. */
  device_proof: string | null;
}

/** The text typed so far, and where to search. */
export interface LookupIn {
  /** The text typed so far. */
  query: string;
  /** Prefer results near this point. */
  near?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Search only in this country. Defaults to the company's. */
  country?: string | undefined;
  /** Defaults to `5`. */
  limit?: number | undefined;
}

/** Suggested addresses, the company's own places first. */
export interface LookupOut {
  suggestions: Array<SuggestionOut>;
  /** The geocoder that was queried as well. Null if there is none or it is unavailable. */
  geocoder: "embedded" | "nominatim" | "photon" | null;
}

/** Fields that operators may change themselves. A new password requires the current one. */
export interface MeChange {
  name?: string | undefined;
  password?: string | undefined;
  email?: string | undefined;
  role?: OperatorRole | undefined;
  current_password?: string | undefined;
}

/** The signed-in operator and their company. */
export interface MeOut {
  operator: OperatorOut;
  company: CompanyOut;
}

/** MessageChannel. */
export type MessageChannel = "email" | "push" | "sms";

/** A message to the person. Codes that are still valid are hidden. */
export interface MessageExport {
  channel: string;
  recipient: string;
  subject: string;
  body: string;
  state: string;
  created_at: string;
  sent_at: string | null;
}

/** A message and its delivery state. */
export interface MessageOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  channel: MessageChannel;
  to: string;
  subject: string;
  /** A secret text, such as a code, can be read only in the state `drawer`. */
  text: string;
  state: "drawer" | "due" | "failed" | "sent";
  /** Delivery attempts so far. */
  attempts: number;
  /** Error of the latest attempt. */
  error: string | null;
  created_at: string;
  sent_at: string | null;
  /** Kind of news; null for other messages. */
  kind: string | null;
  /** Order that the news is about. */
  order: string | null;
}

/** A photo of a message. */
export interface MessagePhotoOut {
  /** Valid for 15 minutes. */
  url: string;
  /** Valid for 15 minutes. */
  thumbnail_url: string;
}

/** The thread that was read. */
export interface MessageReadIn {
  /** The driver's whole thread, or only the message's order. Defaults to `"driver"`. */
  thread?: "driver" | "order" | undefined;
}

/** The fee of routes up to this distance, in the rate's `max_distance_unit`. */
export interface MeterFee {
  distance: number;
  fee: number;
}

/** The name of an event type. */
export type Name = "cash.collected" | "charge.created" | "driver.assigned" | "driver.location_changed" | "driver.offline" | "driver.online" | "driver.updated" | "invoice.issued" | "issue.created" | "issue.resolved" | "issue.updated" | "order.cancelled" | "order.completed" | "order.created" | "order.dispatched" | "order.started" | "order.updated" | "proof_of_delivery.created" | "tracking_number.created" | "tracking_status.created" | "transaction.created" | "transaction.paid" | "transaction.refunded" | "transaction.voided" | "vehicle.assigned" | "vehicle.updated";

/** An event of one of many devices. */
export interface NamedEventIn {
  /** One of the nine types, or any other, which is stored as it is. */
  event_type: string;
  /**
   * Time of the event: RFC 3339 with an offset, or Unix time in seconds or milliseconds. Defaults
   * to now.
   */
  timestamp?: string | Date | number | undefined;
  /** A GeoJSON point, or `latitude` and `longitude`. */
  location?: LocationIn | undefined;
  /** Values of the event type. Other keys are stored unchanged. */
  data?: JsonObject | undefined;
  /** Your own id, by which a repeat is recognised. Without one, the whole content is compared. */
  event_id?: string | undefined;
  /** The device's own id, such as an IMEI, or its public id or UUID. */
  device: string;
}

/** A new device. */
export interface NewDeviceIn {
  name: string;
  /** Defaults to `"tracker"`. */
  kind?: DeviceKind | undefined;
  /** The device's own id: an IMEI, a serial number or the id in an app. */
  identifier?: string | null | undefined;
  /** Manufacturer or service. */
  provider?: string | null | undefined;
  /**
   * Reporting interval in seconds. After two missed reports the device is stale, after six offline.
   */
  reporting_interval?: number | undefined;
  /** Whether unknown devices that a gateway reports are registered. Gateways only. */
  adopts?: boolean | undefined;
  /** °C. A lower reading raises an alert. Limits of a device override those of its vehicle. */
  min_temperature?: number | null | undefined;
  /** °C. A higher reading raises an alert. */
  max_temperature?: number | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
  /** Deprecated: use `identifier`. */
  device_id?: string | null | undefined;
  /** Deprecated: use `kind`. Also accepts other products' names. */
  type?:
    | DeviceKind
    | "battery_asset_tracker"
    | "can_bus_module"
    | "dashcam_unit"
    | "gps_tracker"
    | "hardwired_black_box"
    | "mobile_edge_gateway"
    | "obd2_plugin"
    | "smartphone_app_device"
    | "trailer_container_node"
    | undefined;
  /** Attach it to this vehicle; null detaches it. */
  vehicle?: string | null | undefined;
  /** The driver who uses the phone. Phones only. */
  driver?: string | undefined;
}

/** A device with its token, which is shown only once. */
export interface NewDeviceOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string;
  kind: DeviceKind;
  /** The device's own id: an IMEI, a serial number or the id in an app. */
  identifier: string | null;
  /** Manufacturer or service. */
  provider: string | null;
  /** The vehicle that the device is attached to. */
  vehicle: string | null;
  /** The driver who uses the phone. */
  driver: string | null;
  /**
   * Reporting interval in seconds. After two missed reports the device is stale, after six offline.
   */
  reporting_interval: number;
  /** Whether unknown devices that a gateway reports are registered. Gateways only. */
  adopts: boolean;
  /** °C. A lower reading raises an alert. Limits of a device override those of its vehicle. */
  min_temperature: number | null;
  /** °C. A higher reading raises an alert. */
  max_temperature: number | null;
  /** Whether the device reports. */
  status: ConnectionStatus;
  last_seen_at: string | null;
  location: PointOut | null;
  located_at: string | null;
  /** Custom data of the company. */
  meta: JsonObject;
  /** The token that the device sends with its events. */
  token: string;
}

/** A new item, with or without a payload. */
export interface NewEntity {
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /**
   * The stop where the item is delivered: the index of a waypoint in this request, the identifier
   * of a waypoint, or the identifier of a stop's place.
   */
  destination?: number | string | null | undefined;
  /** The company's own number. */
  internal_id?: string | null | undefined;
  name: string;
  type?: string | undefined;
  description?: string | null | undefined;
  sku?: string | null | undefined;
  /**
   * The number of equal pieces. Weight, size, price and declared value are those of one piece; cash
   * on delivery of all of them.
   */
  quantity?: number | undefined;
  /** Codes declared for the item's proof. Any other scan is rejected. */
  expected_codes?: ReadonlyArray<string> | undefined;
  length?: number | null | undefined;
  width?: number | null | undefined;
  height?: number | null | undefined;
  dimensions_unit?: LengthUnit | undefined;
  weight?: number | null | undefined;
  weight_unit?: WeightUnit | undefined;
  /** In minor units of the currency. */
  declared_value?: number | null | undefined;
  /** In minor units of the currency. */
  price?: number | null | undefined;
  /** In minor units of the currency. */
  sale_price?: number | null | undefined;
  /** ISO 4217, three letters. */
  currency?: string | null | undefined;
  customer?: string | null | undefined;
  supplier?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  id?: string | undefined;
  payload?: string | null | undefined;
}

/** A new key with its secret, which is shown only once. */
export interface NewKeyOut {
  key: string;
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  kind: KeyKind;
  name: string;
  scopes: Array<string>;
  /** The beginning of the key. */
  hint: string;
  store: string | null;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
}

/** A new stop for a payload. */
export interface NewWaypoint {
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_start?: string | Date | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_end?: string | Date | null | undefined;
  notes?: string | null | undefined;
  pod_required?: boolean | undefined;
  pod_method?: ProofMethod | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  place?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  type?: StopType | undefined;
  contact?: string | StopContact | null | undefined;
  /** A stop flow of the order configuration. */
  subflow?: string | null | undefined;
  /** Duration of the stop in seconds. */
  service_time?: number | null | undefined;
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  name?: string | null | undefined;
  /** A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  id?: string | undefined;
  street1?: string | null | undefined;
  street2?: string | null | undefined;
  city?: string | null | undefined;
  province?: string | null | undefined;
  postal_code?: string | null | undefined;
  neighborhood?: string | null | undefined;
  district?: string | null | undefined;
  building?: string | null | undefined;
  /** Access code of the building. */
  security_access_code?: string | null | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  /** With country code. */
  phone?: string | null | undefined;
  /**
   * `company`: a saved place, kept when a customer is erased. `customer`: erased with its `owner`.
   * `order`: created for one order, erased with the order's customer.
   */
  owner_type?: PlaceOwnerType | null | undefined;
  /**
   * The contact of a `customer`, or the order of an `order`; null for a company. A change accepts a
   * contact or a customer.
   */
  owner?: string | null | undefined;
  /** Instead of `location`. */
  latitude?: number | string | null | undefined;
  /** Instead of `location`. */
  longitude?: number | string | null | undefined;
  payload: string;
}

/** A webhook with a new secret, which is not shown again. */
export interface NewWebhookOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** URL of the receiver: HTTPS, and reachable from the internet. */
  url: string;
  description: string | null;
  /** Events by name, groups such as `order.*`, or `*` for all. */
  events: Array<string>;
  /** Values are not shown. */
  headers: { [name: string]: string };
  /** Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits. */
  signature_format: SignatureFormat;
  /**
   * `first_attempt`: first attempts for events of the same order are made in sequence. `strict`: an
   * event waits until the earlier one has succeeded or permanently failed.
   */
  ordering: WebhookOrdering;
  /** Timeout for the response, in seconds. */
  timeout: number;
  /** Maximum deliveries per second. */
  rate_limit: number | null;
  /** Maximum concurrent deliveries. */
  max_in_flight: number;
  /** Events for a webhook that is paused or disabled are held. */
  state: WebhookState;
  /**
   * Why the webhook is not enabled: `operator`; `gone` if the receiver responded with 410;
   * `failing` if nothing has succeeded for days.
   */
  state_reason: string | null;
  state_changed_at: string;
  secrets: Array<SecretOut>;
  health: WebhookHealthOut;
  secret: string;
}

/** Effective notifications to recipients. */
export interface News {
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  on_its_way?: Array<MessageChannel>;
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  next_stop?: Array<MessageChannel>;
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  delivered?: Array<MessageChannel>;
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  could_not_be_delivered?: Array<MessageChannel>;
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  cancelled?: Array<MessageChannel>;
  /** SMS notifications in 24 hours. Beyond them, only other channels are used. */
  sms_per_day: number;
  /**
   * Your own texts, by language. `{brand}`, `{number}`, `{link}`, `{way_out}`, `{name}`,
   * `{driver}`, `{window}`, `{time}` and `{reason}` are filled in. A part in `[brackets]` is
   * omitted if a field in it is unknown.
   */
  texts: { [name: string]: WordsOfNews };
}

/** The texts of all kinds of news, and the fields that they can use. */
export interface NewsOut {
  languages: Array<string>;
  fields: Array<FieldOut>;
  words: Array<WordsOut>;
  sms: SpentOut;
}

/** A draft to preview. Texts that are left out are taken from the settings. */
export interface NewsPreviewIn {
  /** Subject of an email, title of a push message. */
  subject?: string | undefined;
  /** Text of an SMS or push message. */
  text?: string | undefined;
  /** Text of an email. */
  email?: string | undefined;
  /** Kind of news. */
  kind: "cancelled" | "could_not_be_delivered" | "delivered" | "next_stop" | "on_its_way";
  /** A BCP 47 tag. Defaults to `"en"`. */
  language?: string | undefined;
  /** The store. Without one, the company's texts are used. */
  store?: string | undefined;
  /** Deprecated: use `store`. */
  storefront?: string | null | undefined;
}

/** A text with example values filled in. */
export interface NewsPreviewOut {
  subject: string;
  text: string;
  email: string;
  sms: SmsLength;
}

/** Configured notifications to recipients. */
export interface NewsSettings {
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  on_its_way?: Array<MessageChannel> | null;
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  next_stop?: Array<MessageChannel> | null;
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  delivered?: Array<MessageChannel> | null;
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  could_not_be_delivered?: Array<MessageChannel> | null;
  /**
   * Channels by preference; the first that reaches the recipient is used. An empty list disables
   * the notification.
   */
  cancelled?: Array<MessageChannel> | null;
  /** SMS notifications in 24 hours. Beyond them, only other channels are used. */
  sms_per_day?: number | null;
  /**
   * Your own texts, by language. `{brand}`, `{number}`, `{link}`, `{way_out}`, `{name}`,
   * `{driver}`, `{window}`, `{time}` and `{reason}` are filled in. A part in `[brackets]` is
   * omitted if a field in it is unknown.
   */
  texts?: { [name: string]: WordsOfNews } | null;
}

/** The text of a notification; omitted parts use the standard text. */
export interface NewsText {
  /** Subject of an email, title of a push message. */
  subject?: string | null;
  /** Text of an SMS or push message. */
  text?: string | null;
  /** Text of an email. */
  email?: string | null;
}

/** An activity that may fire now, and the proofs it still needs. */
export interface NextActivity {
  code: string;
  status: string;
  details: string;
  sequence: number;
  complete: boolean;
  pod_method: ProofMethod | null;
  require_pod: boolean;
  pod_scope: ProofSubjectType;
  scan_mismatch: ScanMismatch | null;
  color: string | null;
  /** The stop of the activity. */
  waypoint: string | null;
  /** Proofs to capture first. */
  missing: Array<DemandOut>;
}

/** A tracking number with its history and label pictures. */
export interface NumberDetailsOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  tracking: string;
  /** Deprecated: use `tracking`. */
  tracking_number: string;
  order: string;
  /** The type of the subject. */
  type: ProofSubjectType;
  subject: string;
  region: string | null;
  /** The latest status. */
  status: string | null;
  status_code: string | null;
  /** The recipient's tracking page. Give the link only to the recipient. */
  tracking_url: string;
  statuses: Array<StatusOut>;
  /** A PNG image, in base64. */
  qr_code: string;
  /** A PNG image, in base64. */
  barcode: string;
}

/** A tracking number with its latest status. */
export interface NumberOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  tracking: string;
  /** Deprecated: use `tracking`. */
  tracking_number: string;
  order: string;
  /** The type of the subject. */
  type: ProofSubjectType;
  subject: string;
  region: string | null;
  /** The latest status. */
  status: string | null;
  status_code: string | null;
  /** The recipient's tracking page. Give the link only to the recipient. */
  tracking_url: string;
}

/** An approximate location. The driver who takes the order sees the address. */
export interface OfferArea {
  city: string | null;
  district: string | null;
  neighborhood: string | null;
  /** The part of the postal code that many addresses share. */
  postal_area: string | null;
  country: string | null;
  /** Accurate to about a kilometre. */
  location: PointOut | null;
}

/** An ad-hoc order without a driver. */
export interface OfferOut {
  id: string;
  type: string;
  /** Metres from the driver to the start, rounded to 100. */
  away: number;
  pickup: OfferArea | null;
  dropoff: OfferArea | null;
  /** Number of stops. */
  stops: number;
  /** Number of pieces of all items. */
  items: number;
  /** Length of the route in metres. */
  distance: number | null;
  /** Duration of the route in seconds. */
  time: number | null;
  time_window_start: string | null;
  time_window_end: string | null;
  dispatched_at: string;
}

/** Fields of an operator that an admin may change. */
export interface OperatorChange {
  name?: string | undefined;
  password?: string | undefined;
  email?: string | undefined;
  role?: OperatorRole | undefined;
  disabled?: boolean | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  disabled_at?: string | Date | null | undefined;
}

/** A new operator. */
export interface OperatorIn {
  email: string;
  name: string;
  role: OperatorRole;
  password: string;
}

/** An operator, without the password. */
export interface OperatorOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  email: string;
  name: string;
  role: OperatorRole;
  disabled_at: string | null;
}

/** OperatorRole. */
export type OperatorRole = "admin" | "billing" | "dispatcher" | "viewer";

/** Orders to create. Each needs an `idempotency_key` or an `internal_id`. */
export interface OrderBatchIn {
  orders: ReadonlyArray<BatchOrderIn>;
}

/** The results of a batch, in the order of the request, and how many there are of each. */
export interface OrderBatchOut {
  created: number;
  /** Orders that an earlier request had created. */
  repeated: number;
  refused: number;
  results: Array<BatchResult>;
}

/** Changes to an order. Omitted fields stay; null clears a field. */
export interface OrderChange {
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_start?: string | Date | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_end?: string | Date | null | undefined;
  notes?: string | null | undefined;
  pod_required?: boolean | undefined;
  pod_method?: ProofMethod | null | undefined;
  /** An order configuration, by identifier or key. Defaults to the company's. */
  order_config?: string | undefined;
  /** An order configuration, by identifier or key. Defaults to the company's. */
  type?: string | undefined;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id?: string | null | undefined;
  payload?: string | PayloadChange | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  pickup?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  dropoff?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  return?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | null | undefined;
  /** Stops, in the order in which they are visited. */
  waypoints?: ReadonlyArray<string | WaypointIn> | undefined;
  entities?: ReadonlyArray<EntityIn> | undefined;
  customer?: string | OrderCustomerIn | null | undefined;
  facilitator?: string | RecordObject | null | undefined;
  /** A driver, by identifier or by the object from an order. */
  driver?: string | RecordObject | null | undefined;
  /** Deprecated: use `driver`. */
  driver_assigned?: string | RecordObject | null | undefined;
  /** A vehicle, by identifier or by the object from an order. */
  vehicle?: string | RecordObject | null | undefined;
  /** Deprecated: use `vehicle`. */
  vehicle_assigned?: string | RecordObject | null | undefined;
  /** In minor units of the currency. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /** Must be unchanged. Actions change the status. */
  status?: string | undefined;
  /** Must be unchanged. Accepting a quote changes it. */
  service_quote?: string | null | undefined;
  /** Must be `false`. Use the dispatch action. */
  dispatch?: boolean | undefined;
  /** Skills that the driver needs. */
  required_skills?: ReadonlyArray<string> | null | undefined;
  adhoc?: boolean | undefined;
  /** Metres. */
  adhoc_distance?: number | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_at?: string | Date | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | null | undefined;
}

/** The account of an order. Voided and refunded transactions are left out of the lines. */
export interface OrderChargesOut {
  /** ISO 4217. */
  currency: string | null;
  lines: Array<ChargeOut>;
  /** The sum of the lines. */
  amount: number;
  /** Deprecated: use `amount`. */
  total: number;
  /** The tax in the amount. */
  tax_amount: number;
  /** Deprecated: use `tax_amount`. */
  tax: number;
  /** All payments, without those of voided prices. */
  amount_paid: number;
  /** Deprecated: use `amount_paid`. */
  paid: number;
  /** All refunds of these payments. */
  amount_refunded: number;
  /** Deprecated: use `amount_refunded`. */
  refunded: number;
  /**
   * The amount still owed. Below zero, it is a credit. A refund does not make its amount owed
   * again.
   */
  balance: number;
  /**
   * The metres that the accepted price is for. The order's own distance may have changed since, if
   * the company keeps prices.
   */
  priced_distance: number | null;
}

/** Changes to an order configuration. Omitted fields stay. */
export interface OrderConfigChange {
  name?: string | undefined;
  /** The activities after created, dispatched and started, which every flow has. */
  flow?: ReadonlyArray<Activity> | undefined;
  description?: string | undefined;
  status?: RecordStatus | undefined;
  /** Stop flows, by name. */
  subflows?: { [name: string]: ReadonlyArray<Activity> } | undefined;
  /** Reasons for failed attempts, and what happens next. There are default reasons. */
  failure_reasons?: ReadonlyArray<FailureReason> | undefined;
  meta?: JsonObject | undefined;
}

/** A new order configuration. */
export interface OrderConfigIn {
  name: string;
  /** The activities after created, dispatched and started, which every flow has. */
  flow: ReadonlyArray<Activity>;
  /** Defaults to a key derived from the name. */
  key?: string | undefined;
  description?: string | undefined;
  /** Defaults to `"active"`. */
  status?: RecordStatus | undefined;
  /** Stop flows, by name. */
  subflows?: { [name: string]: ReadonlyArray<Activity> } | undefined;
  /** Reasons for failed attempts, and what happens next. There are default reasons. */
  failure_reasons?: ReadonlyArray<FailureReason> | undefined;
  meta?: JsonObject | undefined;
}

/** An order configuration. */
export interface OrderConfigOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  key: string;
  name: string;
  description: string;
  status: RecordStatus;
  /** The activities after created, dispatched and started, which every flow has. */
  flow: Array<Activity>;
  /** Stop flows, by name. */
  subflows: { [name: string]: Array<Activity> };
  /** Reasons for failed attempts, and what happens next. There are default reasons. */
  failure_reasons: Array<FailureReason>;
  /** Increases with every change to a flow or reason. */
  flow_version: number;
  meta: JsonObject;
}

/** The flow of a configuration in one version. */
export interface OrderConfigVersionOut {
  order_config: string;
  /** The version's `flow_version`. */
  number: number;
  /** The activities after created, dispatched and started, which every flow has. */
  flow: Array<Activity>;
  /** Stop flows, by name. */
  subflows: { [name: string]: Array<Activity> };
  /** Reasons for failed attempts, and what happens next. There are default reasons. */
  failure_reasons: Array<FailureReason>;
  created_at: string;
}

/**
 * The customer of an order: an existing contact by `id`, or one described by its fields. With an
 * `id`, the contact is not changed.
 */
export interface OrderCustomerIn {
  /** A contact or vendor, by its identifier. */
  id?: string | undefined;
  public_id?: string | undefined;
  uuid?: string | undefined;
  name?: string | undefined;
  internal_id?: string | null | undefined;
  title?: string | null | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** The customer of the order, who is the caller. */
export interface OrderCustomerOut {
  id: string;
  uuid: string;
  name: string;
  /** The customer's contact in orders. */
  contact: string;
}

/** The driver of an order. */
export interface OrderDriverOut {
  id: string;
  uuid: string;
  name: string;
  phone: string;
  online: boolean;
}

/** The person's part of an order. */
export interface OrderExport {
  id: string;
  uuid: string;
  status: string;
  /** The name with which the order described the person. */
  customer_name: string | null;
  notes: string | null;
  delivery_instructions: DeliveryInstructions | null;
  rating: DeliveryRating | null;
  meta: JsonObject;
  cancel_reason: string | null;
  /** Only for an order that the person placed. */
  pickup: PlaceOut | null;
  dropoff: PlaceOut | null;
  waypoints: Array<WaypointOut>;
  entities: Array<EntityOut>;
  statuses: Array<StatusExport>;
  attempts: Array<AttemptExport>;
  cash: Array<CashExport>;
  proofs: Array<ProofExport>;
  issues: Array<IssueExport>;
  driver_messages: Array<DriverMessageExport>;
  created_at: string;
  scheduled_at: string | null;
  dispatched_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  canceled_at: string | null;
}

/** A new order: a payload by identifier, an inline payload, or its fields at the top level. */
export interface OrderIn {
  /** An order configuration, by identifier or key. Defaults to the company's. */
  order_config?: string | undefined;
  /** An order configuration, by identifier or key. Defaults to the company's. */
  type?: string | undefined;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id?: string | undefined;
  payload?: string | PayloadIn | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  pickup?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  dropoff?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place: an identifier, an address as text or object, or a point. */
  return?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** Stops, in the order in which they are visited. */
  waypoints?: ReadonlyArray<string | WaypointIn> | undefined;
  entities?: ReadonlyArray<EntityIn> | undefined;
  customer?: string | OrderCustomerIn | undefined;
  facilitator?: string | RecordObject | undefined;
  /** A driver, by identifier or by the object from an order. */
  driver?: string | RecordObject | undefined;
  /** Deprecated: use `driver`. */
  driver_assigned?: string | RecordObject | null | undefined;
  /** A vehicle, by identifier or by the object from an order. */
  vehicle?: string | RecordObject | undefined;
  /** Deprecated: use `vehicle`. */
  vehicle_assigned?: string | RecordObject | null | undefined;
  /** In minor units of the currency. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /** A new order is `created`. */
  status?: string | undefined;
  /** Skills that the driver needs. */
  required_skills?: ReadonlyArray<string> | undefined;
  /** Defaults to `false`. */
  adhoc?: boolean | undefined;
  /** Metres. */
  adhoc_distance?: number | undefined;
  /** Defaults to `false`. */
  pod_required?: boolean | undefined;
  pod_method?: ProofMethod | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_at?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_start?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_end?: string | Date | undefined;
  notes?: string | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  /** A signed quote to accept for it. */
  service_quote?: string | undefined;
  /** Only with `service_quote`, for its checkout page. */
  return_url?: string | undefined;
  /** Dispatch it at once. Defaults to `false`. */
  dispatch?: boolean | undefined;
}

/** A move of an order to another driver, or within its route. */
export interface OrderMoveIn {
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order: string;
  /** Null leaves the order out. */
  driver: string | null;
  /**
   * Index of the order's first stop among the other stops of the route. Without it, the order goes
   * where it costs least.
   */
  position?: number | undefined;
}

/** The tracking number of an order. */
export interface OrderNumberOut {
  id: string;
  uuid: string;
  tracking: string;
  /** Deprecated: use `tracking`. */
  tracking_number: string;
}

/** An order. */
export interface OrderOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  time_window_start: string | null;
  time_window_end: string | null;
  notes: string | null;
  pod_required: boolean;
  pod_method: ProofMethod | null;
  /** Number of failed attempts. */
  attempts: number;
  /** Result of failed attempts: `hold` waits for a decision, `return` goes back. */
  undelivered: Undelivered | null;
  /** The recipient's instructions. Null if the recipient gave none. */
  delivery_instructions: DeliveryInstructions | null;
  /** The recipient's rating. Null without one, and for drivers. */
  rating: DeliveryRating | null;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id: string | null;
  order_config: string;
  type: string;
  status: string;
  payload: PayloadOut;
  current_waypoint: string | null;
  customer: OrderPartnerOut | null;
  customer_type: PartnerType | null;
  facilitator: OrderPartnerOut | null;
  facilitator_type: PartnerType | null;
  driver: OrderDriverOut | null;
  /** Deprecated: use `driver`. */
  driver_assigned: OrderDriverOut | null;
  vehicle: OrderVehicleOut | null;
  /** Deprecated: use `vehicle`. */
  vehicle_assigned: OrderVehicleOut | null;
  tracking: string;
  /** The record of the tracking number. */
  tracking_number: OrderNumberOut;
  /** The recipient's tracking page. Give the link only to the recipient. Null for drivers. */
  tracking_url: string | null;
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount: number | null;
  /** ISO 4217, three letters. */
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  /** The cash of the whole order, with that of its stops and items. */
  cash_to_collect: CashToCollectOut | null;
  dispatched: boolean;
  started: boolean;
  /** Skills that the driver needs. */
  required_skills: Array<string>;
  adhoc: boolean;
  /** Metres. */
  adhoc_distance: number | null;
  /** Metres. */
  distance: number | null;
  /** Seconds. */
  time: number | null;
  /** Source of the distance: a routing engine, or the great circle with a detour factor. */
  route_source: DistanceSource | null;
  /** The accepted quote. */
  service_quote: string | null;
  /** The first transaction. `GET /v1/transactions?order=` lists all. */
  transaction: string | null;
  /**
   * `unpriced`: no price, so nothing is owed; `priced`: it has quotes to choose from; `accepted`: a
   * quote was accepted and is owed.
   */
  price_status: PriceStatus;
  /**
   * `none`: nothing is owed; `refunded`: everything that was paid went back; `overpaid`: more was
   * recorded by hand than was owed.
   */
  payment_status: OrderPaymentStatus;
  /** The amount still owed, in minor units. Below zero, it is a credit. Null for drivers. */
  balance: number | null;
  /** The currency of its transactions. */
  currency: string | null;
  /** The delivered order whose items this one brings back. */
  return_of: string | null;
  /** The returns of this order, including canceled and deleted ones. */
  returns: Array<string>;
  scheduled_at: string | null;
  dispatched_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  canceled_at: string | null;
  cancel_reason: string | null;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
}

/** The customer or facilitator of an order. */
export interface OrderPartnerOut {
  id: string;
  uuid: string;
  name: string;
  email: string | null;
  phone: string | null;
  type: PartnerType;
}

/** OrderPaymentStatus. */
export type OrderPaymentStatus = "none" | "overpaid" | "paid" | "partially_paid" | "refunded" | "unpaid";

/** A quote of an order, or an accepted quote. */
export interface OrderQuoteOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  order: string | null;
  /** `replaced` by newer ones; `expired` as soon as `expired_at` has passed. */
  status: "accepted" | "expired" | "open" | "replaced";
  service_rate_uuid: string;
  service_rate: string;
  service_rate_version: number;
  service_rate_name: string;
  service_name: string;
  service_type: string;
  /** Minor units. */
  amount: number;
  /** ISO 4217 code. */
  currency: string;
  /** In major units. */
  amount_decimal: string;
  /** Tax in per cent. */
  tax_rate: number | null;
  /** The tax in `amount`, in minor units. */
  tax_amount: number;
  /** `amount` without tax, in minor units. */
  net_amount: number;
  items: Array<LineOut>;
  /** Metres. */
  distance: number;
  /** Seconds. */
  time: number;
  /** Source of the distance. */
  source: DistanceSource;
  /**
   * `false` if the distance is an estimate, because the routing engine was unavailable. Accepting
   * the quote measures it again, and responds with 409 `quote_replaced` if the amount differs.
   */
  firm: boolean;
  expired_at: string;
  /** The same as `expired_at`. */
  expires_at: string;
  accepted_at: string | null;
  transaction: string | null;
}

/** The lines of an order's route. Stops without coordinates are left out. */
export interface OrderRouteOut {
  /** The line through all stops. */
  planned: RouteLineOut | null;
  /** From the driver to the remaining stops. Null until a driver is underway. */
  remaining: RouteLineOut | null;
}

/** Filters for the open orders of the day. Without fields, all of them are planned. */
export interface OrderSelectionIn {
  /** Only orders without a driver. Defaults to `false`. */
  unassigned?: boolean | undefined;
  /** The configuration's key. */
  type?: string | undefined;
  /** A contact or vendor, by its identifier. */
  customer?: string | undefined;
  /** A vendor or contact, by its identifier. */
  facilitator?: string | undefined;
  /** Only orders collected at this place. */
  pickup?: string | undefined;
}

/** Changes to a template. Omitted fields stay. */
export interface OrderTemplateChange {
  name?: string | undefined;
  /** The order to copy. Its driver, number and price are not copied. */
  order?: string | undefined;
}

/** A template for the person's orders, or the person's stops and items in another one. */
export interface OrderTemplateExport {
  id: string;
  name: string;
  body: JsonObject;
  created_at: string;
}

/** A new template, copied from an order. */
export interface OrderTemplateIn {
  name: string;
  /** The order to copy. Its driver, number and price are not copied. */
  order: string;
}

/** A template for orders. */
export interface OrderTemplateOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string;
  /**
   * The request for the order. Its times are local times without an offset, in the company's time
   * zone.
   */
  body: JsonObject;
}

/** The vehicle of an order. */
export interface OrderVehicleOut {
  id: string;
  uuid: string;
  plate_number: string | null;
  make: string | null;
  model: string | null;
}

/** The reason for allowing an activity without its proof. */
export interface OverrideIn {
  reason: string;
  activity: string;
}

/** Effective defaults of routing. */
export interface Pace {
  /** Road distance divided by the great-circle distance. */
  detour_factor: number;
  /** Average speed between stops, in km/h. */
  speed_kmh: number;
  /** Metres around a driver within which ad-hoc orders are offered. */
  adhoc_distance: number;
}

/** Configured defaults of routing. */
export interface PaceSettings {
  /** Road distance divided by the great-circle distance. */
  detour_factor?: number | null | undefined;
  /** Average speed between stops, in km/h. */
  speed_kmh?: number | null | undefined;
  /** Metres around a driver within which ad-hoc orders are offered. */
  adhoc_distance?: number | null | undefined;
}

/** Metadata of a page. */
export interface PageMeta {
  limit: number;
  has_more: boolean;
  next_cursor: string | null;
}

/** The fee of a parcel that fits into this box and its weight limit. */
export interface ParcelFee {
  size: string;
  length: number;
  width: number;
  height: number;
  /** Defaults to `"cm"`. */
  dimensions_unit?: LengthUnit;
  weight?: number | null;
  /** Defaults to `"kg"`. */
  weight_unit?: WeightUnit;
  fee: number;
}

/** A piece of background work that failed, and when it is retried. */
export interface ParkedOut {
  /** The step that failed. */
  step: string;
  /** Public id of the order or event that it is about. */
  subject: string;
  /** Error of the latest attempt. */
  error: string;
  /** Attempts so far. */
  attempts: number;
  /** Time of the next automatic retry; null if there is none. */
  retry_at: string | null;
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
}

/** What a contact or vendor owes in a currency. */
export interface PartnerBalanceOut {
  /** ISO 4217. */
  currency: string;
  /** In whole minor units. Below zero, it is a credit. */
  amount: number;
}

/** PartnerType. */
export type PartnerType = "contact" | "vendor";

/** The seller or the buyer. */
export interface Party {
  name: string;
  /** Defaults to `[]`. */
  address_lines?: Array<string>;
  postal_code?: string | null;
  city?: string | null;
  country?: string | null;
  tax_number?: string | null;
  email?: string | null;
  phone?: string | null;
}

/** The seller or the buyer of an invoice. */
export interface PartyOut {
  name: string;
  address_lines: Array<string>;
  postal_code: string | null;
  city: string | null;
  /** ISO 3166. */
  country: string | null;
  tax_number: string | null;
  email: string | null;
}

/** The current password. */
export interface PasswordIn {
  password: string;
}

/** An identity and its password. */
export interface PasswordLoginIn {
  /** A phone number or an email address. */
  identity: string;
  password: string;
}

/** A country whose new numbers get no codes at present. */
export interface PausedOut {
  country: string;
  /** Codes sent within the hour. */
  sent: number;
  /** Number of confirmed codes. */
  verified: number;
  /** Earliest time at which sending can resume. */
  until: string;
}

/** The cash of one merchant in one currency that can be remitted. */
export interface PayableOut {
  customer: string;
  customer_type: PartnerType;
  name: string;
  /** ISO 4217, three letters. */
  currency: string;
  /** In whole minor units of the currency. */
  amount: number;
  collections: number;
}

/** Changes to a payload. Omitted fields stay; null clears a field. */
export interface PayloadChange {
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  type?: string | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  pickup?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  dropoff?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  return?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | null | undefined;
  /** Stops, in the order in which they are visited. */
  waypoints?: ReadonlyArray<string | WaypointIn> | undefined;
  entities?: ReadonlyArray<EntityIn> | undefined;
  payment_method?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** A new payload: a pickup and a drop-off, or waypoints. */
export interface PayloadIn {
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  type?: string | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  pickup?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  dropoff?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  return?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | null | undefined;
  /** Stops, in the order in which they are visited. */
  waypoints?: ReadonlyArray<string | WaypointIn> | undefined;
  entities?: ReadonlyArray<EntityIn> | undefined;
  payment_method?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** A payload, with its stops and items. */
export interface PayloadOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  order: string | null;
  /** Whether the order has not begun, is in progress or has ended. */
  state: "begun" | "closed" | "open";
  type: string | null;
  pickup: PlaceOut | null;
  dropoff: PlaceOut | null;
  return: PlaceOut | null;
  waypoints: Array<WaypointOut>;
  entities: Array<EntityOut>;
  current_waypoint: string | null;
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount: number | null;
  /** ISO 4217, three letters. */
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  /** The cash of the whole order, with that of its stops and items. */
  cash_to_collect: CashToCollectOut | null;
  payment_method: string | null;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
}

/** Money that was received outside a gateway. */
export interface PaymentIn {
  /** In whole minor units. Defaults to the remaining amount. */
  amount?: number | undefined;
  /** How the money was received. */
  method: "account" | "cash" | "check" | "other" | "transfer";
  /** The number of a receipt, transfer or check. */
  reference?: string | undefined;
  /** Defaults to now. */
  received_at?: string | Date | undefined;
}

/** How to pay an invoice. */
export interface PaymentInstructions {
  iban?: string | null;
  bic?: string | null;
  text?: string | null;
}

/** The amount that a customer owes for an order, and its checkout page. */
export interface PaymentOut {
  transaction: string;
  /** Minor units. */
  amount: number;
  /** ISO 4217 code. */
  currency: string;
  status: string;
  /** Minor units. */
  amount_paid: number;
  /** Minor units. */
  amount_refunded: number;
  /** The lines of the amount. Empty if the rate is not `public`. */
  items: Array<ItemOut>;
  /** The amount still owed by this transaction. */
  balance: number;
  /** What canceling the order costs now. Null if the customer can no longer cancel it. */
  cancellation_fee: number | null;
  /** The page to pay on. Null if there is nothing to pay or no page is open. */
  checkout_url: string | null;
  checkout_status: CheckoutStatus | null;
}

/**
 * Hours of the rate's local time that cost more. `days` are the days on which they begin. The start
 * is inclusive, the end exclusive. An end that is not after the start is on the next day. No `days`
 * means every day. A window without a fee uses the rate's.
 */
export interface PeakWindow {
  days?: Array<Weekday>;
  start: string;
  end: string;
  method?: RateCalculation | null;
  flat_fee?: number | null;
  percent?: number | null;
}

/** Statistics of a webhook's attempts in the last day, for at most 1,000 deliveries. */
export interface PerformanceOut {
  since: string;
  /** Deliveries that the statistics cover. */
  deliveries: number;
  /** Whether all of the day's deliveries are covered, or only the latest 1,000. */
  complete: boolean;
  attempts: number;
  /** Successful attempts. */
  succeeded: number;
  /** Milliseconds. */
  median_ms: number | null;
  /** 95th percentile of the response time, in milliseconds. */
  slow_ms: number | null;
}

/** The new number, which receives the code. */
export interface PhoneIn {
  /** With country code. */
  phone: string;
}

/** One or more photos. */
export interface PhotoIn {
  remarks?: string | undefined;
  /** Your own data, up to 16 KiB. */
  data?: JsonObject | undefined;
  /** Place of capture. It may contain `accuracy` in metres. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Time of capture, by the device's clock. Defaults to now. */
  captured_at?: string | Date | undefined;
  /** The device, such as its id and platform. */
  device?: JsonObject | undefined;
  /** The code of the activity that the proof is for. */
  activity?: string | undefined;
  /** Created by the device, so that a repeated request stores the proof only once. */
  proof_uuid?: string | undefined;
  /** An image in base64, bare or as a data URI; in a form, a file. */
  photo?: string | Uint8Array | undefined;
  photos?: ReadonlyArray<string | Uint8Array> | undefined;
}

/** A new message with photos. Forms use the same fields. */
export interface PhotoMessageIn {
  text?: string | undefined;
  /** The recipient. Defaults to the order's driver. Not for drivers. */
  driver?: string | undefined;
  /** The order that it is about. */
  order?: string | undefined;
  /**
   * Chosen by the sender. A repeated request gets the same answer; another text, recipient or photo
   * is a conflict.
   */
  message_uuid?: string | undefined;
  /** Time of the event, by the device's clock. A future or missing time means now. */
  sent_at?: string | Date | undefined;
  /** An image in base64, bare or as a data URI; in a form, a file. */
  photo?: string | Uint8Array | undefined;
  photos?: ReadonlyArray<string | Uint8Array> | undefined;
}

/** The result of a ping. */
export interface PingOut {
  delivery: string;
  /** Whether the receiver accepted the current signature format. */
  ok: boolean;
  /** HTTP status of the first attempt. */
  status: number | null;
  /** Error message. */
  error: string | null;
  /** Milliseconds. */
  duration_ms: number | null;
  response_body: string | null;
  /** Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits. */
  signature_format: SignatureFormat;
  /** The other signature format, if the receiver responded with 401 and then accepted it. */
  expects: SignatureFormat | null;
  /** Suggested fix. */
  advice: string | null;
  attempts: Array<AttemptOut>;
}

/** A new or changed place. In a change, omitted fields stay and null clears a field. */
export interface PlaceIn {
  name?: string | null | undefined;
  street1?: string | null | undefined;
  street2?: string | null | undefined;
  city?: string | null | undefined;
  province?: string | null | undefined;
  postal_code?: string | null | undefined;
  neighborhood?: string | null | undefined;
  district?: string | null | undefined;
  building?: string | null | undefined;
  /** Access code of the building. */
  security_access_code?: string | null | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  /** With country code. */
  phone?: string | null | undefined;
  type?: string | null | undefined;
  /**
   * `company`: a saved place, kept when a customer is erased. `customer`: erased with its `owner`.
   * `order`: created for one order, erased with the order's customer.
   */
  owner_type?: PlaceOwnerType | undefined;
  /**
   * The contact of a `customer`, or the order of an `order`; null for a company. A change accepts a
   * contact or a customer.
   */
  owner?: string | null | undefined;
  /** A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** Instead of `location`. */
  latitude?: number | string | null | undefined;
  /** Instead of `location`. */
  longitude?: number | string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** A place. */
export interface PlaceOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string | null;
  /** The address, on one line. */
  address: string;
  street1: string | null;
  street2: string | null;
  city: string | null;
  province: string | null;
  postal_code: string | null;
  neighborhood: string | null;
  district: string | null;
  building: string | null;
  /** Access code of the building. */
  security_access_code: string | null;
  /** ISO 3166, two letters. */
  country: string | null;
  /** With country code. */
  phone: string | null;
  type: string | null;
  /**
   * `company`: a saved place, kept when a customer is erased. `customer`: erased with its `owner`.
   * `order`: created for one order, erased with the order's customer.
   */
  owner_type: PlaceOwnerType;
  /**
   * The contact of a `customer`, or the order of an `order`; null for a company. A change accepts a
   * contact or a customer.
   */
  owner: string | null;
  /** A GeoJSON point. */
  location: GeoJsonPoint | null;
  geocoding: GeocodingOut | null;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
}

/** PlaceOwnerType. */
export type PlaceOwnerType = "company" | "customer" | "order";

/** A stop as an order has it. Only its place counts. */
export interface PlacedStop {
  /** A place's identifier, an address as text or as an object, or a point. */
  place: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number>;
}

/** PlanAim. */
export type PlanAim = "balance" | "cost" | "time" | "vehicles";

/** A break of a route. */
export interface PlanBreakOut {
  /** Index of the stop that follows. */
  before: number;
  starts_at: string;
  /** Deprecated: use `starts_at`. */
  begins_at: string;
  ends_at: string;
}

/** A plan with its routes. The lists are empty until the plan is done. */
export interface PlanDetailOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** `queued` and `running` plans are being made; `done` ones can be edited and accepted. */
  state: PlanState;
  day: string;
  /**
   * The quantity to minimise, once as many orders as possible are assigned: the working `time`, the
   * `cost`, the number of `vehicles`, or the difference between drivers (`balance`).
   */
  aim: PlanAim;
  /** Seconds of search. */
  max_seconds: number;
  /** Per cent. */
  progress: number;
  based_on: string | null;
  /** Orders that a later plan keeps. */
  locked: Array<string>;
  /** Null until the plan is done. */
  summary: PlanFiguresOut | null;
  /** The assignment when the plan was made. */
  present: PlanFiguresOut | null;
  failure: PlanFailureOut | null;
  started_at: string | null;
  finished_at: string | null;
  accepted_at: string | null;
  reverted_at: string | null;
  routes: Array<PlanRouteOut>;
  /** Shifts without work. */
  idle: Array<IdleDriverOut>;
  unassigned: Array<UnassignedOut>;
  /** Orders that get another driver on acceptance. */
  moves: Array<PlanMoveOut>;
  /** The timetable of the assignment when the plan was made. */
  present_routes: Array<PlanRouteOut>;
  /** `great_circle` if no routing engine was available. */
  roads: DistanceSource | null;
  /** The request. */
  request: JsonObject;
}

/** A driver of a plan. */
export interface PlanDriverOut {
  id: string;
  name: string;
}

/** Edits of a finished plan. */
export interface PlanEditIn {
  /** Applied one after the other. */
  moves?: ReadonlyArray<OrderMoveIn> | undefined;
  /** Orders that stay with their drivers in a plan based on this one. Replaces the list. */
  locked?: ReadonlyArray<string> | undefined;
}

/** The reason why a plan could not be made. */
export interface PlanFailureOut {
  code: "interrupted" | "no_shifts" | "planner_failed" | "too_many_orders" | "too_many_places";
  message: string;
}

/** The figures of a plan. */
export interface PlanFiguresOut {
  /** Assigned orders. */
  orders: number;
  /** Orders without a driver. */
  unassigned: number;
  /** Drivers with work. */
  drivers: number;
  /** Metres. */
  distance: number;
  /** Seconds on the road. */
  drive_time: number;
  /** Seconds from start to end. */
  time: number;
  /** Minor units of `currency`. */
  cost: number;
  currency: string | null;
  /** Stops after their time windows. */
  late_stops: number;
  /** Seconds after time windows. */
  lateness: number;
}

/** A request for a plan. By default, it has all open orders of today and all working drivers. */
export interface PlanIn {
  /** A day in the company's time zone. Defaults to today. */
  day?: string | undefined;
  /** The orders. Without it, `filter` selects them. */
  orders?: ReadonlyArray<string> | undefined;
  filter?: OrderSelectionIn | undefined;
  /** The drivers. Defaults to all who work on the day, if `fleets` is empty. */
  drivers?: ReadonlyArray<string> | undefined;
  /** Fleets whose drivers take part. */
  fleets?: ReadonlyArray<string> | undefined;
  /**
   * The quantity to minimise, once as many orders as possible are assigned: the working `time`, the
   * `cost`, the number of `vehicles`, or the difference between drivers (`balance`). Defaults to
   * `"time"`.
   */
  aim?: PlanAim | undefined;
  /**
   * `now`: routes begin at the drivers' live positions and not before now. `start`: they begin with
   * the shifts. Defaults to `now` today, if a shift or an order has started, otherwise to `start`.
   */
  from?: "now" | "start" | undefined;
  /** Seconds of search. Defaults to 5 to 60, by the number of orders. */
  max_seconds?: number | undefined;
  /** Seconds at a drop-off that has no `service_time`. Defaults to `180`. */
  service_time?: number | undefined;
  /** Seconds at a pickup that has no `service_time`. Defaults to `30`. */
  pickup_time?: number | undefined;
  /** Seconds to park and walk, once for consecutive stops at one place. Defaults to `0`. */
  setup_time?: number | undefined;
  /** Working hours of drivers without shifts. */
  default_hours?: HoursIn | undefined;
  /** The start place of drivers without a `start_place`. */
  start_place?: string | undefined;
  /** The end place of drivers without an `end_place`. */
  end_place?: string | undefined;
  /** Whether assigned orders stay with their drivers. Defaults to `false`. */
  keep_assigned?: boolean | undefined;
  /** Orders that go to certain drivers. */
  fixed?: ReadonlyArray<FixedOrderIn> | undefined;
  /** An earlier plan. Its locked orders stay with their drivers. */
  based_on?: string | undefined;
}

/** The line of a route. */
export interface PlanLineOut {
  driver: string;
  /** Null for a single point. */
  line: RouteLineOut | null;
}

/** Goods on board. */
export interface PlanLoadOut {
  /** Kilograms. */
  weight: number;
  /** Cubic metres. */
  volume: number;
  items: number;
}

/** An order that gets another driver when the plan is accepted. */
export interface PlanMoveOut {
  order: string;
  internal_id: string | null;
  /** The order's number: `internal_id`, or else its tracking number. */
  number: string;
  /** Null if it has no driver yet. */
  from: PlanDriverOut | null;
  to: PlanDriverOut;
}

/** A plan without its routes. */
export interface PlanOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** `queued` and `running` plans are being made; `done` ones can be edited and accepted. */
  state: PlanState;
  day: string;
  /**
   * The quantity to minimise, once as many orders as possible are assigned: the working `time`, the
   * `cost`, the number of `vehicles`, or the difference between drivers (`balance`).
   */
  aim: PlanAim;
  /** Seconds of search. */
  max_seconds: number;
  /** Per cent. */
  progress: number;
  based_on: string | null;
  /** Orders that a later plan keeps. */
  locked: Array<string>;
  /** Null until the plan is done. */
  summary: PlanFiguresOut | null;
  /** The assignment when the plan was made. */
  present: PlanFiguresOut | null;
  failure: PlanFailureOut | null;
  started_at: string | null;
  finished_at: string | null;
  accepted_at: string | null;
  reverted_at: string | null;
}

/** A place of a plan. */
export interface PlanPlaceOut {
  id: string;
  name: string | null;
  address: string;
  location: PointOut | null;
}

/** A plan before and after an edit. */
export interface PlanPreviewOut {
  before: PlanFiguresOut;
  after: PlanFiguresOut;
  /** The routes that change. */
  routes: Array<RoutePreviewOut>;
  unassigned: Array<UnassignedOut>;
}

/** The work of a driver's shift. */
export interface PlanRouteOut {
  driver: PlanDriverOut;
  vehicle: PlanVehicleOut | null;
  shift_start: string;
  shift_end: string;
  starts_at: string;
  ends_at: string;
  /** Where the route begins. Null: at the first stop. */
  start: PointOut | null;
  /** Where the route ends. Null: at the last stop. */
  end: PointOut | null;
  /** Whether `start` is a live position. */
  from_position: boolean;
  /** Metres. */
  distance: number;
  /** Seconds on the road. */
  drive_time: number;
  /** Seconds from start to end. */
  time: number;
  /** Minor units of `currency`. */
  cost: number;
  late_stops: number;
  /** Seconds after time windows. */
  lateness: number;
  /** Seconds after the shift. */
  overtime: number;
  /** Whether the load exceeds the vehicle's capacity. */
  overloaded: boolean;
  stops: Array<PlanStopOut>;
  breaks: Array<PlanBreakOut>;
}

/** PlanState. */
export type PlanState = "accepted" | "canceled" | "done" | "failed" | "queued" | "running";

/** A stop of a route. */
export interface PlanStopOut {
  order: string;
  /** The order's. */
  internal_id: string | null;
  /** The order's number: `internal_id`, or else its tracking number. */
  number: string;
  /** Null if the order has no stops. */
  waypoint: string | null;
  type: StopType;
  place: PlanPlaceOut;
  arrives_at: string;
  /** After waiting for the time window. */
  starts_at: string;
  /** Deprecated: use `starts_at`. */
  begins_at: string;
  leaves_at: string;
  time_window_start: string | null;
  time_window_end: string | null;
  /** Seconds after the time window. */
  late: number;
  /** Seconds from the previous stop. */
  drive_time: number;
  /** Metres from the previous stop. */
  distance: number;
  /** On board on departure. */
  load: PlanLoadOut;
  /** Whether the order must stay with this driver. */
  fixed: boolean;
  /** Whether the order has started. */
  started: boolean;
}

/** A vehicle of a plan. */
export interface PlanVehicleOut {
  id: string;
  plate_number: string | null;
}

/** A point on the earth as GeoJSON, longitude first. */
export interface PointOut {
  /** GeoJSON type. */
  type: "Point";
  /** Longitude, then latitude, in degrees. */
  coordinates: Array<number>;
}

/** Positions of a driver in any order, also old ones. The body may be compressed (gzip). */
export interface PositionBatchIn {
  positions: ReadonlyArray<FixIn>;
}

/** A position of a driver or a vehicle. It has no public id, as nothing refers to it. */
export interface PositionOut {
  uuid: string;
  location: PointOut;
  /** Degrees clockwise from north. */
  heading: number | null;
  /** Metres. */
  altitude: number | null;
  /** Metres per second. */
  speed: number | null;
  /** Metres. */
  accuracy: number | null;
  /** Time of the position. */
  recorded_at: string;
  /** Time of the report. */
  created_at: string;
}

/** The outcome of a batch; accepted positions are stored. */
export interface PositionsOut {
  accepted: number;
  /** Number of positions that were stored before. */
  duplicates: number;
  rejected: Array<RejectedPosition>;
}

/** A shipment to price by one rate, saved or not, or by all. */
export interface PreviewIn {
  /** A place's identifier, a point, or an address with a point. */
  pickup?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place's identifier, a point, or an address with a point. */
  dropoff?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** Stops in order, between `pickup` and `dropoff` if these are sent. */
  waypoints?: ReadonlyArray<string | PlaceIn | PlacedStop | GeoJsonPoint | ReadonlyArray<number>> | undefined;
  /** Items to deliver. */
  entities?: ReadonlyArray<ItemIn> | undefined;
  /** The scheduled time. Defaults to now. */
  scheduled_at?: string | Date | undefined;
  /** Cash to collect, in minor units, or `true`: only rates that accept cash. */
  cod?: string | number | boolean | undefined;
  /** Only rates in this currency. */
  currency?: string | undefined;
  /** Only rates of this type. */
  service_type?: string | undefined;
  /** Replaces all locations and items. */
  payload?: string | undefined;
  /** A vendor or a contact. */
  facilitator?: string | undefined;
  /** Also use the rates of this customer, contact or vendor. */
  customer?: string | undefined;
  /** An order configuration, or its key. */
  order_config?: string | undefined;
  /** Metres of the route, instead of measuring it. */
  distance?: number | undefined;
  /** Seconds of the route, instead of measuring it. */
  time?: number | undefined;
  /** A rate, by its identifier. */
  service_rate?: string | undefined;
  rate?: ServiceRateIn | undefined;
}

/** A shipment, and the result of each rate. */
export interface PreviewOut {
  stops: number;
  /** Metres. */
  distance: number;
  /** Seconds. */
  time: number;
  /** How the route was measured. */
  source: DistanceSource;
  /**
   * `false` if the distance is an estimate, because the routing engine was unavailable. Accepting
   * the quote measures it again, and responds with 409 `quote_replaced` if the amount differs.
   */
  firm: boolean;
  items: number;
  rates: Array<PreviewedOut>;
}

/** The result of one rate: a price with its lines, or the reasons why there is none. */
export interface PreviewedOut {
  service_rate_uuid: string;
  service_rate: string;
  service_rate_version: number;
  service_rate_name: string;
  service_name: string;
  service_type: string;
  matches: boolean;
  /** Minor units. */
  amount: number | null;
  /** ISO 4217 code. */
  currency: string;
  /** Tax in per cent. */
  tax_rate: number | null;
  /** The tax in `amount`, in minor units. */
  tax_amount: number | null;
  /** `amount` without tax, in minor units. */
  net_amount: number | null;
  items: Array<LineOut>;
  reasons: Array<ReasonOut>;
}

/** PriceStatus. */
export type PriceStatus = "accepted" | "priced" | "unpriced";

/** A code was sent. The code itself is never returned. */
export interface ProofCodeSent {
  status: string;
  /** The phone number, mostly hidden. */
  sent_to: string;
  /** Seconds. */
  expires_in: number;
  /** Seconds. */
  resend_after: number;
  expires_at: string;
}

/** A proof of delivery to the person. `picture` is its file name in the archive. */
export interface ProofExport {
  id: string;
  subject_id: string;
  method: string;
  raw_data: string | null;
  remarks: string | null;
  data: JsonObject;
  picture: string | null;
  created_at: string;
  received_at: string;
}

/** ProofMethod. */
export type ProofMethod = "photo" | "scan" | "signature" | "sms";

/** A proof of delivery. */
export interface ProofOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  order: string;
  /** Deprecated: use `order`. */
  order_id: string;
  subject_uuid: string;
  subject_type: ProofSubjectType;
  subject_id: string;
  method: RecordedProofMethod;
  status: "valid";
  file_uuid: string | null;
  /** Valid for 15 minutes. */
  url: string | null;
  /** Valid for 15 minutes. */
  thumbnail_url: string | null;
  /** The scanned content. */
  raw_data: string | null;
  /** Deprecated: use `raw_data`. */
  raw: string | null;
  /** Details of the capture: signer, location, device, image or scan, and the caller's own data. */
  data: JsonObject;
  /** Whether the code was scanned or typed. */
  scan_entry: ScanEntry | null;
  /** Whether the code is one of the subject's codes. */
  scan_match: boolean | null;
  remarks: string | null;
  activity: string | null;
  /** The actor that sent the proof. */
  actor: ActorOut;
  /** Whether an activity has used the proof. */
  used: boolean;
  integrity: Integrity;
  /** Time of capture. */
  created_at: string;
  /** Time of arrival at the server. */
  received_at: string;
  updated_at: string;
}

/** ProofSubjectType. */
export type ProofSubjectType = "entity" | "order" | "waypoint";

/** Settings of provider A. An omitted private key stays; null deletes it. */
export interface ProviderAIn {
  /** Accepted bundle and service ids of tokens. */
  audiences: ReadonlyArray<string>;
  team_id?: string | undefined;
  key_id?: string | undefined;
  /** The provider's P-256 key in PEM. Stored encrypted, never returned. */
  private_key?: string | null | undefined;
}

/** A sign-in with provider A. */
export interface ProviderALogin {
  identityToken: string;
  authorizationCode?: string | undefined;
  /** Used on the first sign-in only. */
  name?: string | undefined;
  /** The nonce that the app gave the provider, if any. */
  nonce?: string | undefined;
  /** The provider's id of the user. */
  providerAUserId: string;
}

/** Settings of provider A. */
export interface ProviderAOut {
  /** Accepted bundle and service ids of tokens. */
  audiences: Array<string>;
  team_id: string | null;
  key_id: string | null;
  has_private_key: boolean;
}

/** Settings of provider B. */
export interface ProviderBIn {
  /** Client ids of the store's apps and pages. */
  client_ids: ReadonlyArray<string>;
}

/** A sign-in with provider B. */
export interface ProviderBLogin {
  idToken: string;
  clientId: string;
  /** The nonce that the app gave the provider, if any. */
  nonce?: string | undefined;
}

/** Settings of provider B. */
export interface ProviderBOut {
  /** Client ids of the store's apps and pages. */
  client_ids: Array<string>;
}

/** Settings of provider C. An omitted secret stays; null deletes it. */
export interface ProviderCIn {
  app_id: string;
  /** Stored encrypted, never returned. */
  app_secret?: string | null | undefined;
  /** How a live store treats a sign-in without proof. Defaults to `"step_up"`. */
  mode?: "require_proof" | "step_up" | "trust_client" | undefined;
}

/** A sign-in with provider C. */
export interface ProviderCLogin {
  email?: string | undefined;
  name?: string | undefined;
  /** The provider's access token: a proof. */
  accessToken?: string | undefined;
  /** The provider's OIDC token: a proof. */
  authenticationToken?: string | undefined;
  /** The nonce that the app gave the provider, if any. */
  nonce?: string | undefined;
  /** The provider's id of the user. */
  providerCUserId: string;
}

/** Settings of provider C. */
export interface ProviderCOut {
  app_id: string;
  has_app_secret: boolean;
  mode: "require_proof" | "step_up" | "trust_client";
}

/** Changes of the providers: an omitted one stays, null disables it. */
export interface ProvidersChange {
  a?: ProviderAIn | null | undefined;
  b?: ProviderBIn | null | undefined;
  c?: ProviderCIn | null | undefined;
}

/** The sign-in providers of the store; null if a provider is not enabled. */
export interface ProvidersOut {
  a: ProviderAOut | null;
  b: ProviderBOut | null;
  c: ProviderCOut | null;
}

/** A push message. */
export interface PushIn {
  title: string;
  text: string;
}

/** The push message was queued. */
export interface PushQueued {
  status: string;
  /** The number of devices it is sent to. */
  devices: number;
}

/** A quote. It can be accepted by its id until it expires. */
export interface QuoteOut {
  service_rate_uuid: string;
  service_rate: string;
  service_rate_version: number;
  service_rate_name: string;
  service_name: string;
  service_type: string;
  /** The complete signed quote. */
  id: string;
  /** Minor units. */
  amount: number;
  /** ISO 4217 code. */
  currency: string;
  /** In major units. */
  amount_decimal: string;
  /** Tax in per cent. */
  tax_rate: number | null;
  /** The tax in `amount`, in minor units. */
  tax_amount: number;
  /** `amount` without tax, in minor units. */
  net_amount: number;
  expired_at: string;
  /** The same as `expired_at`. */
  expires_at: string;
  created_at: string;
  items: Array<LineOut>;
  /** Metres. */
  distance: number;
  /** Seconds. */
  time: number;
  /** How the route was measured. */
  source: DistanceSource;
  /**
   * `false` if the distance is an estimate, because the routing engine was unavailable. Accepting
   * the quote measures it again, and responds with 409 `quote_replaced` if the amount differs.
   */
  firm: boolean;
  duration_terms: string | null;
  estimated_days: number | null;
  request_id: string;
}

/** QuoteState. */
export type QuoteState = "accepted" | "open" | "replaced";

/** RateCalculation. */
export type RateCalculation = "flat" | "percentage";

/** Which alerts to mark as read. */
export interface ReadIn {
  /** Only alerts raised up to then, such as those that you have seen. */
  until?: string | Date | undefined;
}

/** A reason why a rate has no price. */
export interface ReasonOut {
  code: string;
  detail: string;
}

/** The person at a stop, and their phone number. */
export interface RecipientOut {
  name: string;
  phone: string | null;
}

/** What recipients may do on the tracking page, as configured. */
export interface RecipientSettings {
  /**
   * Until when recipients can give delivery instructions: `never`, until the order is `dispatched`
   * or `started`, or until the driver is `near`.
   */
  instructions_until?: "dispatched" | "near" | "never" | "started" | null | undefined;
  /** The driver is near from this many minutes before the ETA. */
  near_minutes?: number | null | undefined;
  /** Days ahead to which recipients can move a delivery. 0: not at all. */
  reschedule_days?: number | null | undefined;
  /** Hours between the recipient's choice and the start of the time window. */
  reschedule_notice_hours?: number | null | undefined;
  /** Days of the week that recipients can choose. */
  weekdays?: ReadonlyArray<Weekday> | null | undefined;
  /** Time windows that recipients can choose, in the local time of the delivery. */
  windows?: ReadonlyArray<string> | null | undefined;
  /** A phone number with its country code, on which recipients reach the sender. */
  contact_phone?: string | null | undefined;
  /** An email address at which recipients reach the sender. */
  contact_email?: string | null | undefined;
  /** Whether recipients can rate their deliveries. */
  ratings?: boolean | null | undefined;
}

/** What recipients may do on the tracking page. */
export interface Recipients {
  /**
   * Until when recipients can give delivery instructions: `never`, until the order is `dispatched`
   * or `started`, or until the driver is `near`.
   */
  instructions_until: "dispatched" | "near" | "never" | "started";
  /** The driver is near from this many minutes before the ETA. */
  near_minutes: number;
  /** Days ahead to which recipients can move a delivery. 0: not at all. */
  reschedule_days: number;
  /** Hours between the recipient's choice and the start of the time window. */
  reschedule_notice_hours: number;
  /** Days of the week that recipients can choose. */
  weekdays?: Array<Weekday>;
  /** Time windows that recipients can choose, in the local time of the delivery. */
  windows?: Array<string>;
  /** A phone number with its country code, on which recipients reach the sender. */
  contact_phone: string | null;
  /** An email address at which recipients reach the sender. */
  contact_email: string | null;
  /** Whether recipients can rate their deliveries. */
  ratings: boolean;
}

/** A deleted record. */
export interface RecordDeleted {
  /** Public id of the deleted record. */
  id: string;
  /** Kind of record. */
  object: string;
  time: string;
  deleted: boolean;
}

/** A record as a response shows it. Only its `id` is read. */
export interface RecordObject {
  /** The record's public id or UUID. */
  id: string;
}

/** RecordStatus. */
export type RecordStatus = "active" | "inactive";

/** A payment that a person recorded. */
export interface RecordedPaymentOut {
  id: string;
  /** In whole minor units of the currency. */
  amount: number;
  /** How the money was received. */
  method: "account" | "cash" | "check" | "other" | "transfer";
  /** The number of a receipt, transfer or check. */
  reference: string | null;
  received_at: string;
  recorded_by: ActorOut;
  created_at: string;
}

/** RecordedProofMethod. */
export type RecordedProofMethod = "override" | "photo" | "scan" | "signature" | "sms";

/** A day of a recurring order. */
export interface RecurringDayIn {
  /** A day between the years 1970 and 2100. */
  day: string;
}

/** What happened to one day of a recurring order. */
export interface RecurringDayOut {
  /** A day between the years 1970 and 2100. */
  day: string;
  /**
   * `refused`: its order could not be created; `missed`: the day was over before the worker could
   * create it.
   */
  state: "created" | "missed" | "refused" | "skipped";
  order: string | null;
  /** Why the order was refused. */
  reason: string | null;
  created_at: string;
}

/** Changes to a recurring order. Omitted fields stay. Created orders are not changed. */
export interface RecurringOrderChange {
  name?: string | undefined;
  /** The template of the orders. */
  template?: string | undefined;
  /**
   * The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
   * `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`.
   */
  rule?: string | undefined;
  /** The first day that the rule may match, and where intervals begin. */
  starts_on?: string | undefined;
  /** How many days before its day an order is created, at midnight in the company's time zone. */
  lead_days?: number | undefined;
}

/** A new recurring order, from a template or from an order that is saved as one. */
export interface RecurringOrderIn {
  name: string;
  /** The template of the orders. */
  template?: string | undefined;
  /** The order to copy. Its driver, number and price are not copied. */
  order?: string | undefined;
  /**
   * The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
   * `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`.
   */
  rule: string;
  /** Defaults to today. */
  starts_on?: string | undefined;
  /**
   * How many days before its day an order is created, at midnight in the company's time zone.
   * Defaults to `1`.
   */
  lead_days?: number | undefined;
}

/** A recurring order. */
export interface RecurringOrderOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string;
  /** The template of the orders. */
  template: string | null;
  /**
   * The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
   * `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`.
   */
  rule: string;
  /** The rule in words. */
  description: string;
  /** The first day that the rule may match, and where intervals begin. */
  starts_on: string;
  /** How many days before its day an order is created, at midnight in the company's time zone. */
  lead_days: number;
  /** `finished`: the rule has no more days; `ended`: by a person. */
  status: "active" | "ended" | "finished" | "paused";
  paused_at: string | null;
  ended_at: string | null;
  /** The next day without an order. */
  next_day: string | null;
  /** When the order of that day is created. */
  next_creation_at: string | null;
}

/** A request for a refund. */
export interface RefundIn {
  /** In whole minor units. Defaults to the remaining amount. */
  amount?: number | undefined;
  reason?: string | undefined;
}

/** A refund. */
export interface RefundOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** In whole minor units of the currency. */
  amount: number;
  /** `pending` until the gateway reports the result. */
  status: "failed" | "pending" | "succeeded";
  reason: string | null;
  /** Error code, if it failed. */
  error: string | null;
}

/** A rate without a price. */
export interface RefusalOut {
  service_rate_uuid: string;
  service_rate: string;
  service_rate_version: number;
  service_rate_name: string;
  service_name: string;
  service_type: string;
  reasons: Array<ReasonOut>;
}

/** An event that was not stored, and why. */
export interface RejectOut {
  id: string;
  /** The device, as the sender named it. */
  device: string | null;
  code: string;
  reason: string;
  /** The rejected event, truncated if it is long. */
  body: string;
  received_at: string;
}

/** An event that was not stored; it is listed among the company's rejects. */
export interface RejectedOut {
  /** Index in the request. */
  index: number;
  /** Error code. */
  code: string;
}

/** A position that was not stored, and why. */
export interface RejectedPosition {
  /** Index in the request. */
  index: number;
  code: string;
  message: string;
}

/** Cash to pass on to a merchant: all that was handed in and not remitted yet. */
export interface RemittanceIn {
  /** The merchant: a customer, contact or vendor. */
  customer: string;
  /** ISO 4217, three letters. */
  currency: string;
  /** The amount that you have seen. If more was handed in since, nothing is remitted. */
  expected_amount?: number | undefined;
  reference?: string | undefined;
}

/** Collected cash that was passed on to a merchant. */
export interface RemittanceOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  customer: string;
  customer_type: PartnerType;
  /** ISO 4217, three letters. */
  currency: string;
  /** Number of collections. */
  collections: number;
  /** In whole minor units of the currency. */
  amount: number;
  reference: string | null;
  /** The actor that remitted the cash. */
  actor: ActorOut;
}

/** Filters of the deliveries to replay. At least one is required. */
export interface ReplayFilter {
  /** Filter by webhook. */
  webhook?: string | undefined;
  /** Filter by event name. */
  event?: ReadonlyArray<string> | undefined;
  /** Filter by state. Defaults to `failed`. `canceled` is the same as `cancelled`. */
  state?: ReadonlyArray<DeliveryState> | undefined;
  /** Created at or after this time. */
  since?: string | Date | undefined;
  /** Created before this time. */
  until?: string | Date | undefined;
  /** UUID or public id of the record that the event is about. */
  subject?: string | undefined;
}

/** A replay of many deliveries, or a count of them. */
export interface ReplayIn {
  filter: ReplayFilter;
  /** Count without replaying. Defaults to `false`. */
  dry_run?: boolean | undefined;
  /** Maximum deliveries to replay, oldest first. Defaults to `10000`. */
  limit?: number | undefined;
  /** Continue after this delivery: `last` of the previous response. */
  after?: string | undefined;
}

/** The result of a replay of many deliveries. */
export interface ReplayOut {
  dry_run: boolean;
  /** Deliveries that match the filter. */
  matched: number;
  replayed: number;
  /** Matching deliveries after this batch. */
  remaining: number;
  /** The last delivery of this batch. */
  last: string | null;
}

/** A driver of a report, who may be deleted. */
export interface ReportDriver {
  id: string;
  name: string;
}

/** A column of a report. */
export interface ReportFigureOut {
  name: string;
  label: string;
  /**
   * `money` is in whole minor units of the row's currency. The CSV has major units, kilometres,
   * hours, and seconds for `milliseconds`.
   */
  unit: "count" | "metres" | "milliseconds" | "money" | "percent" | "seconds";
  /** Whether it is a main figure of the report. */
  main: boolean;
}

/** A new issue with photos. */
export interface ReportIn {
  report: string;
  driver?: string | null | undefined;
  vehicle?: string | null | undefined;
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order?: string | null | undefined;
  title?: string | null | undefined;
  /** Defaults to `"medium"`. */
  priority?: IssuePriority | undefined;
  type?: string | null | undefined;
  category?: string | null | undefined;
  tags?: ReadonlyArray<string> | null | undefined;
  /** Defaults to `"open"`. */
  status?: IssueStatus | undefined;
  /** GeoJSON, `{latitude, longitude}` or `latitude,longitude`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
  /** An image in base64, bare or as a data URI; in a form, a file. */
  photo?: string | Uint8Array | undefined;
  photos?: ReadonlyArray<string | Uint8Array> | undefined;
}

/** A report. */
export interface ReportInfo {
  name:
    | "devices"
    | "drivers"
    | "first-attempt"
    | "idle"
    | "kilometres"
    | "margin"
    | "on-time"
    | "proofs"
    | "revenue"
    | "volume"
    | "webhooks";
  title: string;
  description: string;
}

/** A report by the company's days. Today's figures are those of this moment. */
export interface ReportOut {
  name:
    | "devices"
    | "drivers"
    | "first-attempt"
    | "idle"
    | "kilometres"
    | "margin"
    | "on-time"
    | "proofs"
    | "revenue"
    | "volume"
    | "webhooks";
  title: string;
  description: string;
  /** The first day. */
  from: string;
  /** The last day. */
  to: string;
  time_zone: string;
  /**
   * False while some earlier days are computed for the first time, or again after a change. Retry
   * after a minute.
   */
  complete: boolean;
  figures: Array<ReportFigureOut>;
  totals: Array<ReportTotal>;
  /**
   * Earliest first. Days without amounts in a currency are left out. In `drivers`, the 100 drivers
   * with the most completed orders.
   */
  rows: Array<ReportRow>;
}

/** ReportPeriod. */
export type ReportPeriod = "day" | "month" | "week";

/** The figures of a day, or of several days. */
export interface ReportRow {
  /** Null in reports without amounts. */
  currency: string | null;
  /** The figures by name. A share is null where its whole is zero. */
  figures: { [name: string]: number | null };
  /** The first of its days. */
  day: string;
  /** The last of its days. */
  until: string;
  /** In `drivers`, whose figures they are. */
  driver: ReportDriver | null;
}

/** The figures of all days. With amounts, there is one for each currency. */
export interface ReportTotal {
  /** Null in reports without amounts. */
  currency: string | null;
  /** The figures by name. A share is null where its whole is zero. */
  figures: { [name: string]: number | null };
}

/** An issue with its photos. */
export interface ReportedOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  driver: string | null;
  vehicle: string | null;
  order: string | null;
  title: string | null;
  report: string;
  priority: IssuePriority;
  type: string | null;
  category: string | null;
  tags: Array<string>;
  status: IssueStatus;
  location: PointOut | null;
  resolution: string | null;
  resolved_at: string | null;
  /** Custom data of the company. */
  meta: JsonObject;
  photos: Array<IssuePhotoOut>;
}

/** A new password, with the code that was sent. */
export interface ResetIn {
  /** A phone number or an email address. */
  identity: string;
  code: string;
  password: string;
}

/** The resolution of an issue. */
export interface ResolveIn {
  resolution?: string | undefined;
}

/** Effective days of retention. */
export interface Retention {
  /** Days to keep the data. */
  events: number;
  /** Days to keep the data. */
  messages: number;
  /** Days to keep the data. */
  webhook_log: number;
  /** Days to keep the data. */
  audit: number;
  /**
   * Days to keep the billing identity of erased customers: in debt, and on invoices after their
   * issue.
   */
  billing: number;
  /** Days to keep the data. */
  positions: number;
  /** Days to keep the data. */
  telemetry: number;
  /** Days to keep the data. */
  alerts: number;
  /** Days to keep the data. */
  heartbeats: number;
  /** Days to keep the data. */
  other_readings: number;
  /** Days to keep tokens after they expire or are revoked. */
  tokens: number;
}

/** Configured days of retention, never more than the installation allows. */
export interface RetentionSettings {
  /** Days to keep the data. */
  events?: number | null | undefined;
  /** Days to keep the data. */
  messages?: number | null | undefined;
  /** Days to keep the data. */
  webhook_log?: number | null | undefined;
  /** Days to keep the data. */
  audit?: number | null | undefined;
  /** Days to keep the data. */
  billing?: number | null | undefined;
  /** Days to keep the data. */
  positions?: number | null | undefined;
  /** Days to keep the data. */
  telemetry?: number | null | undefined;
  /** Days to keep the data. */
  alerts?: number | null | undefined;
  /** Days to keep the data. */
  heartbeats?: number | null | undefined;
  /** Days to keep the data. */
  other_readings?: number | null | undefined;
  /** Days to keep the data. */
  tokens?: number | null | undefined;
}

/** What goes back, and when. */
export interface ReturnIn {
  /** Defaults to everything that can still be returned. */
  items?: ReadonlyArray<ReturnItemIn> | undefined;
  /** Becomes the `notes` of the return. */
  reason?: string | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_at?: string | Date | undefined;
  driver?: string | undefined;
}

/** An item of the delivered order, and how many of its pieces go back. */
export interface ReturnItemIn {
  entity: string;
  /** The number of pieces. Defaults to all that can still be returned. */
  quantity?: number | undefined;
}

/** An item of a delivered order, and how many of its pieces can still be returned. */
export interface ReturnableItem {
  /** Null for the whole of an order that has no items. */
  entity: string | null;
  name: string | null;
  /** The number of pieces. */
  delivered: number;
  /** The pieces in returns of the order that are not canceled. */
  returned: number;
  /** The pieces that are left. */
  returnable: number;
}

/** Options for reverting an accepted plan. */
export interface RevertIn {
  /** Skip orders that have changed since the plan was accepted. Defaults to `false`. */
  skip_changed?: boolean | undefined;
}

/** Options for the rotation of a secret. */
export interface RotateIn {
  /**
   * Seconds for which deliveries are also signed with the older secrets; 0 expires them at once.
   * Defaults to `86400`.
   */
  grace_seconds?: number | undefined;
  /**
   * When the new secret starts to sign `X-Service-Signature`, which contains one signature: now, or
   * when the grace period ends. Defaults to `"now"`.
   */
  switch?: "at_end" | "now" | undefined;
}

/** Options for a new token. */
export interface RotateTokenIn {
  /** Seconds for which the old token stays valid; 0 ends it at once. Defaults to `86400`. */
  grace_seconds?: number | undefined;
}

/** The differences of a route. Negative numbers are savings. */
export interface RouteChangeOut {
  /** Metres. */
  distance: number;
  /** Seconds. */
  drive_time: number;
  /** Seconds. */
  time: number;
  /** Minor units of the currency. */
  cost: number;
  late_stops: number;
  /** Seconds. */
  lateness: number;
}

/** The line of a route in GeoJSON. */
export interface RouteLineOut {
  type: "LineString";
  /** Longitudes and latitudes, in degrees. */
  coordinates: Array<Array<number>>;
  /** `great_circle` if the line goes straight from stop to stop. */
  source: DistanceSource;
}

/** The distance and time of a route. Null if a place has no coordinates. */
export interface RouteOut {
  /** Metres. */
  distance: number | null;
  /** Seconds. */
  time: number | null;
  /** Source of the distance: a routing engine, or the great circle with a detour factor. */
  source: DistanceSource | null;
}

/** A route before and after a change. Null is a shift without work. */
export interface RoutePreviewOut {
  driver: PlanDriverOut;
  before: PlanRouteOut | null;
  after: PlanRouteOut | null;
  change: RouteChangeOut;
}

/** A error of a row. */
export interface RowErrorOut {
  /** The column's header. */
  column: string | null;
  message: string;
}

/** A rule and its next days. */
export interface RuleDatesOut {
  /**
   * The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
   * `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`.
   */
  rule: string;
  /** The rule in words. */
  description: string;
  /** The next days, at most ten. */
  days: Array<string>;
}

/** A rule to try. */
export interface RulePreviewIn {
  /**
   * The days, as an RRULE of RFC 5545 with `FREQ` (`DAILY`, `WEEKLY`, `MONTHLY`), `INTERVAL`,
   * `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL`.
   */
  rule: string;
  /** Defaults to today. */
  starts_on?: string | undefined;
}

/** The sample data of the company. */
export interface SampleDataOut {
  records: Array<SampleRecordOut>;
  /** The number of records removed now. */
  removed: number;
}

/** A record of the sample data. */
export interface SampleRecordOut {
  /** Its public id. */
  record: string;
  resource: ImportResource;
  /** Why it was not removed; null before that. */
  reason: string | null;
}

/** Changes to a view. Omitted fields stay. */
export interface SavedViewChange {
  name?: string | undefined;
  /** The query of the list's page: its filters, `sort` and `layout`. */
  query?: string | undefined;
  /** Whether other operators of the company see it. */
  shared?: boolean | undefined;
  /** Whether the list opens with it. An operator has one for each list. */
  is_default?: boolean | undefined;
}

/** A new view. */
export interface SavedViewIn {
  /** Defaults to `"orders"`. */
  list_name?: "orders" | undefined;
  name: string;
  /** The query of the list's page: its filters, `sort` and `layout`. */
  query?: string | undefined;
  /** Whether other operators of the company see it. Defaults to `false`. */
  shared?: boolean | undefined;
  /** Whether the list opens with it. An operator has one for each list. Defaults to `false`. */
  is_default?: boolean | undefined;
}

/** A view of a list. */
export interface SavedViewOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  list_name: "orders";
  name: string;
  /** The query of the list's page: its filters, `sort` and `layout`. */
  query: string;
  /** Whether other operators of the company see it. */
  shared: boolean;
  /** Whether the list opens with it. An operator has one for each list. */
  is_default: boolean;
  /** Whether it belongs to the caller. */
  own: boolean;
}

/** ScanEntry. */
export type ScanEntry = "scanned" | "typed";

/** A scanned text, an image of the code, or both. */
export interface ScanIn {
  remarks?: string | undefined;
  /** Your own data, up to 16 KiB. */
  data?: JsonObject | undefined;
  /** Place of capture. It may contain `accuracy` in metres. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Time of capture, by the device's clock. Defaults to now. */
  captured_at?: string | Date | undefined;
  /** The device, such as its id and platform. */
  device?: JsonObject | undefined;
  /** The code of the activity that the proof is for. */
  activity?: string | undefined;
  /** Created by the device, so that a repeated request stores the proof only once. */
  proof_uuid?: string | undefined;
  code?: string | undefined;
  raw_data?: string | undefined;
  symbology?: string | undefined;
  /** Whether the code was scanned or typed. */
  entry?: ScanEntry | undefined;
  /** An image in base64, bare or as a data URI; in a form, a file. */
  photo?: string | Uint8Array | undefined;
  /**
   * Why a code that does not match is used anyway, where the activity's `scan_mismatch` is
   * `explain`. `photo` then shows the item, and no code is read from it.
   */
  mismatch_reason?: string | undefined;
}

/** ScanMismatch. */
export type ScanMismatch = "explain" | "refuse";

/** The text of a scanned label. */
export interface ScannedIn {
  code: string;
}

/**
 * The auto-dispatch time: a moment, or a date and time in a time zone. The time zone defaults to
 * the company's.
 */
export interface ScheduleIn {
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_at?: string | Date | null | undefined;
  /** A day between the years 1970 and 2100. */
  date?: string | undefined;
  time?: string | undefined;
  time_zone?: string | undefined;
  /** Deprecated: use `time_zone`. */
  timezone?: string | null | undefined;
}

/** A signing secret, without its text. */
export interface SecretOut {
  id: string;
  created_at: string;
  /** Time from which it signs `X-Service-Signature`. */
  leads_at: string;
  /** Time at which it expires, if it was replaced. */
  expires_at: string | null;
}

/** The channel for the link. */
export interface SendAppLinkIn {
  channel: CodeChannel;
}

/** Configured senders of messages. */
export interface SenderSettings {
  /** A number, or up to eleven letters, digits and spaces. */
  sms?: string | null;
  /** The sender's name in emails. */
  email?: string | null;
}

/** Effective senders of messages; the brand by default. */
export interface Senders {
  /** A number, or up to eleven letters, digits and spaces. */
  sms: string | null;
  /** The sender's name in emails. */
  email: string | null;
}

/** Changes of a rate. Omitted fields stay as they are; null clears a field. */
export interface ServiceRateChange {
  service_name?: string | undefined;
  service_type?: string | undefined;
  status?: RecordStatus | undefined;
  /** Whether storefronts show the rate. */
  public?: boolean | undefined;
  /** ISO 4217 code. */
  currency?: string | undefined;
  /** A service area, by its identifier. */
  service_area?: string | null | undefined;
  /** A zone. */
  zone?: string | null | undefined;
  zone_applies_to?: ZoneApplication | undefined;
  /** An order configuration, or its key. */
  order_config?: string | null | undefined;
  /** A vendor or a contact. */
  facilitator?: string | null | undefined;
  /** Contacts or vendors. The rate is only for them and for `price_groups`. */
  customers?: ReadonlyArray<string> | undefined;
  /** The rate is only for customers of these groups, and for `customers`. */
  price_groups?: ReadonlyArray<string> | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  valid_from?: string | Date | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  valid_until?: string | Date | null | undefined;
  /** Kilograms of all items. */
  min_weight?: number | null | undefined;
  /** Kilograms of all items. */
  max_weight?: number | null | undefined;
  /** Cubic metres of all items. */
  min_volume?: number | null | undefined;
  /** Cubic metres of all items. */
  max_volume?: number | null | undefined;
  /** Metres. */
  min_distance?: number | null | undefined;
  max_distance?: number | null | undefined;
  max_distance_unit?: DistanceUnit | undefined;
  min_stops?: number | null | undefined;
  max_stops?: number | null | undefined;
  /** In minor units of the currency. */
  min_cod?: number | null | undefined;
  /** In minor units of the currency. */
  max_cod?: number | null | undefined;
  /** The pricing method. `fixed_meter` is `fixed_rate`, `algo` is `algorithm`. */
  rate_calculation_method?:
    | "algo"
    | "algorithm"
    | "fixed_meter"
    | "fixed_rate"
    | "multi_zone_distance"
    | "parcel"
    | "per_drop"
    | "per_meter"
    | "volume"
    | "weight"
    | undefined;
  /** In minor units of the currency. */
  base_fee?: number | undefined;
  per_meter_flat_rate_fee?: number | null | undefined;
  per_meter_unit?: DistanceUnit | undefined;
  distance_rounding?: DistanceRounding | undefined;
  meter_fees?: ReadonlyArray<MeterFee> | undefined;
  open_ended?: boolean | undefined;
  drop_fees?: ReadonlyArray<Band> | undefined;
  weight_fees?: ReadonlyArray<Band> | undefined;
  volumetric_divisor?: number | null | undefined;
  volume_fees?: ReadonlyArray<Band> | undefined;
  parcel_fees?: ReadonlyArray<ParcelFee> | undefined;
  zone_fees?: ReadonlyArray<ZoneFeeIn> | undefined;
  /**
   * A price in minor units, from `distance_km`, `time_min`, `stops`, `weight_kg`, `volume_m3`,
   * `items` and `base_fee`, with `+ - * /`, comparisons, `min max ceil floor round if`.
   */
  algorithm?: string | null | undefined;
  /** In minor units of the currency. */
  minimum_fee?: number | null | undefined;
  /** In minor units of the currency. */
  maximum_fee?: number | null | undefined;
  /**
   * Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
   * service area's.
   */
  tax_rate?: number | null | undefined;
  has_cod_fee?: boolean | undefined;
  cod_calculation_method?: RateCalculation | null | undefined;
  /** In minor units of the currency. */
  cod_flat_fee?: number | null | undefined;
  /** Per cent. */
  cod_percent?: number | null | undefined;
  has_peak_hours_fee?: boolean | undefined;
  peak_hours_calculation_method?: RateCalculation | null | undefined;
  /** In minor units of the currency. */
  peak_hours_flat_fee?: number | null | undefined;
  /** Per cent. */
  peak_hours_percent?: number | null | undefined;
  /** Local time, `HH:MM`. */
  peak_hours_start?: string | null | undefined;
  /** Local time, `HH:MM`. */
  peak_hours_end?: string | null | undefined;
  peak_windows?: ReadonlyArray<PeakWindow> | undefined;
  surcharges?: ReadonlyArray<SurchargeRuleIn> | undefined;
  /** IANA name. Defaults to the company's. */
  time_zone?: string | null | undefined;
  /** Deprecated: use `time_zone`. */
  timezone?: string | null | undefined;
  /** Seconds. Defaults to the company's. */
  quote_life?: number | null | undefined;
  duration_terms?: string | null | undefined;
  estimated_days?: number | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** A new rate. */
export interface ServiceRateIn {
  service_name: string;
  service_type: string;
  status?: RecordStatus | undefined;
  /** Whether storefronts show the rate. */
  public?: boolean | undefined;
  /** ISO 4217 code. */
  currency: string;
  /** A service area, by its identifier. */
  service_area?: string | null | undefined;
  /** A zone. */
  zone?: string | null | undefined;
  zone_applies_to?: ZoneApplication | undefined;
  /** An order configuration, or its key. */
  order_config?: string | null | undefined;
  /** A vendor or a contact. */
  facilitator?: string | null | undefined;
  /** Contacts or vendors. The rate is only for them and for `price_groups`. */
  customers?: ReadonlyArray<string> | undefined;
  /** The rate is only for customers of these groups, and for `customers`. */
  price_groups?: ReadonlyArray<string> | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  valid_from?: string | Date | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  valid_until?: string | Date | null | undefined;
  /** Kilograms of all items. */
  min_weight?: number | null | undefined;
  /** Kilograms of all items. */
  max_weight?: number | null | undefined;
  /** Cubic metres of all items. */
  min_volume?: number | null | undefined;
  /** Cubic metres of all items. */
  max_volume?: number | null | undefined;
  /** Metres. */
  min_distance?: number | null | undefined;
  max_distance?: number | null | undefined;
  max_distance_unit?: DistanceUnit | undefined;
  min_stops?: number | null | undefined;
  max_stops?: number | null | undefined;
  /** In minor units of the currency. */
  min_cod?: number | null | undefined;
  /** In minor units of the currency. */
  max_cod?: number | null | undefined;
  /** The pricing method. `fixed_meter` is `fixed_rate`, `algo` is `algorithm`. */
  rate_calculation_method:
    | "algo"
    | "algorithm"
    | "fixed_meter"
    | "fixed_rate"
    | "multi_zone_distance"
    | "parcel"
    | "per_drop"
    | "per_meter"
    | "volume"
    | "weight";
  /** In minor units of the currency. */
  base_fee?: number | undefined;
  per_meter_flat_rate_fee?: number | null | undefined;
  per_meter_unit?: DistanceUnit | undefined;
  distance_rounding?: DistanceRounding | undefined;
  meter_fees?: ReadonlyArray<MeterFee> | undefined;
  open_ended?: boolean | undefined;
  drop_fees?: ReadonlyArray<Band> | undefined;
  weight_fees?: ReadonlyArray<Band> | undefined;
  volumetric_divisor?: number | null | undefined;
  volume_fees?: ReadonlyArray<Band> | undefined;
  parcel_fees?: ReadonlyArray<ParcelFee> | undefined;
  zone_fees?: ReadonlyArray<ZoneFeeIn> | undefined;
  /**
   * A price in minor units, from `distance_km`, `time_min`, `stops`, `weight_kg`, `volume_m3`,
   * `items` and `base_fee`, with `+ - * /`, comparisons, `min max ceil floor round if`.
   */
  algorithm?: string | null | undefined;
  /** In minor units of the currency. */
  minimum_fee?: number | null | undefined;
  /** In minor units of the currency. */
  maximum_fee?: number | null | undefined;
  /**
   * Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
   * service area's.
   */
  tax_rate?: number | null | undefined;
  has_cod_fee?: boolean | undefined;
  cod_calculation_method?: RateCalculation | null | undefined;
  /** In minor units of the currency. */
  cod_flat_fee?: number | null | undefined;
  /** Per cent. */
  cod_percent?: number | null | undefined;
  has_peak_hours_fee?: boolean | undefined;
  peak_hours_calculation_method?: RateCalculation | null | undefined;
  /** In minor units of the currency. */
  peak_hours_flat_fee?: number | null | undefined;
  /** Per cent. */
  peak_hours_percent?: number | null | undefined;
  /** Local time, `HH:MM`. */
  peak_hours_start?: string | null | undefined;
  /** Local time, `HH:MM`. */
  peak_hours_end?: string | null | undefined;
  peak_windows?: ReadonlyArray<PeakWindow> | undefined;
  surcharges?: ReadonlyArray<SurchargeRuleIn> | undefined;
  /** IANA name. Defaults to the company's. */
  time_zone?: string | null | undefined;
  /** Deprecated: use `time_zone`. */
  timezone?: string | null | undefined;
  /** Seconds. Defaults to the company's. */
  quote_life?: number | null | undefined;
  duration_terms?: string | null | undefined;
  estimated_days?: number | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** A rate. */
export interface ServiceRateOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  service_name: string;
  service_type: string;
  status: RecordStatus;
  public: boolean;
  /** ISO 4217 code. */
  currency: string;
  /** A service area, by its identifier. */
  service_area: string | null;
  /** A zone. */
  zone: string | null;
  zone_applies_to: ZoneApplication;
  /** An order configuration, or its key. */
  order_config: string | null;
  /** A vendor or a contact. */
  facilitator: string | null;
  customers: Array<string>;
  price_groups: Array<string>;
  valid_from: string | null;
  valid_until: string | null;
  /** Kilograms of all items. */
  min_weight: number | null;
  /** Kilograms of all items. */
  max_weight: number | null;
  /** Cubic metres of all items. */
  min_volume: number | null;
  /** Cubic metres of all items. */
  max_volume: number | null;
  /** Metres. */
  min_distance: number | null;
  max_distance: number | null;
  max_distance_unit: DistanceUnit;
  min_stops: number | null;
  max_stops: number | null;
  /** In minor units of the currency. */
  min_cod: number | null;
  /** In minor units of the currency. */
  max_cod: number | null;
  rate_calculation_method:
    | "algorithm"
    | "fixed_rate"
    | "multi_zone_distance"
    | "parcel"
    | "per_drop"
    | "per_meter"
    | "volume"
    | "weight";
  /** In minor units of the currency. */
  base_fee: number;
  per_meter_flat_rate_fee: number | null;
  per_meter_unit: DistanceUnit;
  distance_rounding: DistanceRounding;
  meter_fees: Array<MeterFee>;
  open_ended: boolean;
  drop_fees: Array<Band>;
  weight_fees: Array<Band>;
  volumetric_divisor: number | null;
  volume_fees: Array<Band>;
  parcel_fees: Array<ParcelFee>;
  zone_fees: Array<ZoneFeeOut>;
  /**
   * A price in minor units, from `distance_km`, `time_min`, `stops`, `weight_kg`, `volume_m3`,
   * `items` and `base_fee`, with `+ - * /`, comparisons, `min max ceil floor round if`.
   */
  algorithm: string | null;
  /** In minor units of the currency. */
  minimum_fee: number | null;
  /** In minor units of the currency. */
  maximum_fee: number | null;
  /**
   * Tax in per cent, with at most four decimals. Defaults to the company's, and a rate's to its
   * service area's.
   */
  tax_rate: number | null;
  has_cod_fee: boolean;
  cod_calculation_method: RateCalculation | null;
  /** In minor units of the currency. */
  cod_flat_fee: number | null;
  /** Per cent. */
  cod_percent: number | null;
  has_peak_hours_fee: boolean;
  peak_hours_calculation_method: RateCalculation | null;
  /** In minor units of the currency. */
  peak_hours_flat_fee: number | null;
  /** Per cent. */
  peak_hours_percent: number | null;
  /** Local time, `HH:MM`. */
  peak_hours_start: string | null;
  /** Local time, `HH:MM`. */
  peak_hours_end: string | null;
  peak_windows: Array<PeakWindow>;
  surcharges: Array<SurchargeRuleOut>;
  /** IANA name. Defaults to the company's. */
  time_zone: string | null;
  /** Deprecated: use `time_zone`. */
  timezone: string | null;
  quote_life: number | null;
  duration_terms: string | null;
  estimated_days: number | null;
  meta: JsonObject;
}

/** The session has ended. */
export interface SessionEnded {
  status: string;
}

/** A session, active or ended. */
export interface SessionExport {
  method: string;
  user_agent: string;
  address: string;
  created_at: string;
  last_used_at: string;
  revoked_at: string | null;
}

/** One session. */
export interface SessionOut {
  id: string;
  /** How the person signed in. */
  method: string;
  user_agent: string;
  /** The network it came from. */
  address: string;
  /** Whether this request uses the session. */
  current: boolean;
  created_at: string;
  /** Accurate to a minute; for devices, to 15 minutes. */
  last_used_at: string;
  /** Time of expiry, even if the session is in use. */
  expires_at: string | null;
  revoked_at: string | null;
  /** The actor that ended the session. */
  revoked_by: string | null;
}

/** Changes: an omitted setting stays, null restores the default. */
export interface SettingsChange {
  name?: string | undefined;
  /** Used for phone numbers without a country code (ISO 3166). */
  country?: string | null | undefined;
  /** IANA time zone. It decides when a day begins. */
  time_zone?: string | null | undefined;
  /** A BCP 47 tag. */
  locale?: string | null | undefined;
  /** ISO 4217 code. */
  currency?: string | null | undefined;
  /** The default order configuration; `transport` if not set. */
  order_config?: string | null | undefined;
  codes?: CodeSettings | null | undefined;
  /** Quote validity in seconds, unless the quote's rate has its own. */
  quote_life?: number | null | undefined;
  /**
   * What an order needs before dispatch: `nothing`, an accepted `price`, or its `payment` in full.
   */
  dispatch_requires?: DispatchRequirement | null | undefined;
  /**
   * The charge for an order that could not be delivered: `keep` the price, `void` it, or charge the
   * `return_fee`. Any excess payment is refunded.
   */
  undelivered_charge?: "keep" | "return_fee" | "void" | null | undefined;
  return_fee?: number | string | null | undefined;
  /**
   * When a change of an order moves its accepted price: `adjust` the price, `refuse` the change, or
   * `keep` the price.
   */
  price_changes?: "adjust" | "keep" | "refuse" | null | undefined;
  cancellation_fees?: CancellationFeeSettings | null | undefined;
  /**
   * Whether a paid order that is canceled is refunded: `automatic`, less the cancellation fee, or
   * `manual`, by a person. A customer's own cancellation is always refunded.
   */
  cancellation_refund?: CancellationRefund | null | undefined;
  /** Whether rates and charges include tax. */
  prices_include_tax?: boolean | null | undefined;
  /** Tax in per cent, with at most four decimals. */
  tax_rate?: number | null | undefined;
  /** Whether tax is rounded per `line` or per `document`. */
  tax_rounding?: "document" | "line" | null | undefined;
  /** The company's tax number, for invoices. */
  tax_number?: string | null | undefined;
  /** The seller's name on invoices. Defaults to the company's name. */
  legal_name?: string | null | undefined;
  billing_address?: BillingAddressSettings | null | undefined;
  /** The account for transfers. Spaces are removed. */
  iban?: string | null | undefined;
  /** The bank of the account. */
  bic?: string | null | undefined;
  payment_instructions?: string | null | undefined;
  /** Days until an invoice is due, unless the customer has other terms. */
  payment_terms_days?: number | null | undefined;
  /** Before the year and the number, as in `INV-2026-00042`. */
  invoice_prefix?: string | null | undefined;
  /** Before the year and the number, as in `INV-2026-00042`. */
  credit_note_prefix?: string | null | undefined;
  invoice_footer?: string | null | undefined;
  /** Whether issued invoices are emailed to their customers. */
  email_invoices?: boolean | null | undefined;
  /**
   * Devices raise a speed alert above this speed in km/h, unless a zone or the vehicle has its own
   * limit. No alerts if not set.
   */
  speed_limit_kmh?: number | null | undefined;
  /** The phone number on which drivers call or message dispatch, with country code. */
  dispatch_phone?: string | null | undefined;
  /** Whether an order is refused if another order has its `internal_id`. */
  unique_internal_ids?: boolean | null | undefined;
  locations?: LocationSettings | null | undefined;
  routing?: PaceSettings | null | undefined;
  retention?: RetentionSettings | null | undefined;
  branding?: BrandSettings | null | undefined;
  senders?: SenderSettings | null | undefined;
  news?: NewsSettings | null | undefined;
  recipients?: RecipientSettings | null | undefined;
}

/** Effective settings. `given` lists the configured ones, and the rest are defaults. */
export interface SettingsOut {
  name: string;
  /** Used for phone numbers without a country code (ISO 3166). */
  country: string | null;
  /** IANA time zone. It decides when a day begins. */
  time_zone: string;
  /** A BCP 47 tag. */
  locale: string;
  /** ISO 4217 code. */
  currency: string | null;
  /** The default order configuration; `transport` if not set. */
  order_config: string | null;
  codes: Codes;
  /** Quote validity in seconds, unless the quote's rate has its own. */
  quote_life: number;
  /**
   * What an order needs before dispatch: `nothing`, an accepted `price`, or its `payment` in full.
   */
  dispatch_requires: DispatchRequirement;
  /**
   * The charge for an order that could not be delivered: `keep` the price, `void` it, or charge the
   * `return_fee`. Any excess payment is refunded.
   */
  undelivered_charge: "keep" | "return_fee" | "void";
  return_fee: number | string | null;
  /**
   * When a change of an order moves its accepted price: `adjust` the price, `refuse` the change, or
   * `keep` the price.
   */
  price_changes: "adjust" | "keep" | "refuse";
  cancellation_fees: CancellationFees;
  /**
   * Whether a paid order that is canceled is refunded: `automatic`, less the cancellation fee, or
   * `manual`, by a person. A customer's own cancellation is always refunded.
   */
  cancellation_refund: CancellationRefund;
  /** Whether rates and charges include tax. */
  prices_include_tax: boolean;
  /** Tax in per cent, with at most four decimals. */
  tax_rate: number | null;
  /** Whether tax is rounded per `line` or per `document`. */
  tax_rounding: "document" | "line";
  /** The company's tax number, for invoices. */
  tax_number: string | null;
  /** The seller's name on invoices. Defaults to the company's name. */
  legal_name: string;
  billing_address: BillingAddress;
  /** The account for transfers. Spaces are removed. */
  iban: string | null;
  /** The bank of the account. */
  bic: string | null;
  payment_instructions: string | null;
  /** Days until an invoice is due, unless the customer has other terms. */
  payment_terms_days: number;
  /** Before the year and the number, as in `INV-2026-00042`. */
  invoice_prefix: string;
  /** Before the year and the number, as in `INV-2026-00042`. */
  credit_note_prefix: string;
  invoice_footer: string | null;
  /** Whether issued invoices are emailed to their customers. */
  email_invoices: boolean;
  /**
   * Devices raise a speed alert above this speed in km/h, unless a zone or the vehicle has its own
   * limit. No alerts if not set.
   */
  speed_limit_kmh: number | null;
  /** The phone number on which drivers call or message dispatch, with country code. */
  dispatch_phone: string | null;
  /** Whether an order is refused if another order has its `internal_id`. */
  unique_internal_ids: boolean;
  locations: Locations;
  routing: Pace;
  retention: Retention;
  branding: Branding;
  senders: Senders;
  news: News;
  recipients: Recipients;
  given: Array<string>;
  updated_at: string;
  /** Increases with each change. */
  version: number;
}

/** An intent to save a card. */
export interface SetupIntentOut {
  setupIntentId: string;
  /** The client secret of the setup intent. */
  setupIntent: string;
  /** The customer at the gateway. */
  customerId: string;
  publishableKey: string;
}

/** Severity. */
export type Severity = "critical" | "high" | "info" | "low" | "medium" | "warning";

/** Days off, or days with other shifts than the weekly ones. */
export interface ShiftExceptionFields {
  /** A day between the years 1970 and 2100. */
  date: string;
  /** The last day. Defaults to `date`. */
  until?: string | null;
  /** The shifts of each day; none on a day off. */
  shifts?: Array<ShiftHoursFields>;
}

/** A shift that begins on some days of every week. */
export interface ShiftFields {
  /** Time of day, `HH:MM`. */
  start: string;
  /** Time of day, `HH:MM`. */
  end: string;
  /** Breaks within the shift. */
  breaks?: Array<BreakFields>;
  /** The days on which it begins. */
  days: Array<Weekday>;
}

/** A shift. If its end is not after its start, it ends on the next day. */
export interface ShiftHoursFields {
  /** Time of day, `HH:MM`. */
  start: string;
  /** Time of day, `HH:MM`. */
  end: string;
  /** Breaks within the shift. */
  breaks?: Array<BreakFields>;
}

/** SignatureFormat. */
export type SignatureFormat = "bare" | "prefixed";

/** A signature. */
export interface SignatureIn {
  remarks?: string | undefined;
  /** Your own data, up to 16 KiB. */
  data?: JsonObject | undefined;
  /** Place of capture. It may contain `accuracy` in metres. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Time of capture, by the device's clock. Defaults to now. */
  captured_at?: string | Date | undefined;
  /** The device, such as its id and platform. */
  device?: JsonObject | undefined;
  /** The code of the activity that the proof is for. */
  activity?: string | undefined;
  /** Created by the device, so that a repeated request stores the proof only once. */
  proof_uuid?: string | undefined;
  /** An image in base64, bare or as a data URI; in a form, a file. */
  signature?: string | Uint8Array | undefined;
  signer_name?: string | undefined;
  signer_relationship?: string | undefined;
}

/** A simulation of a driver. */
export interface SimulateIn {
  /** How much faster than a real driver, from 1 to 1000, or `instant`. Defaults to `60`. */
  speed?: number | "instant" | undefined;
  /** `delivered`, or `failed` for a failed attempt at the last stop. Defaults to `"delivered"`. */
  outcome?: "delivered" | "failed" | undefined;
  /** With `outcome: failed`, a reason of the order configuration. Defaults to its first. */
  reason?: string | undefined;
}

/** A simulation, with its plan. */
export interface SimulationOut {
  order: string;
  /** The robot that works on the order. */
  driver: string;
  /**
   * `stopped`: the order was canceled, changed or assigned to another driver, or the simulation was
   * stopped. `failed`: a step was refused; see `reason`.
   */
  state: "done" | "failed" | "running" | "stopped";
  /** Why it ended early. */
  reason: string | null;
  /** How much faster than a real driver, from 1 to 1000, or `instant`. */
  speed: number | "instant";
  /** `delivered`, or `failed` for a failed attempt at the last stop. */
  outcome: "delivered" | "failed";
  created_at: string;
  finished_at: string | null;
  steps: Array<SimulationStepOut>;
}

/** A step of a simulation. */
export interface SimulationStepOut {
  activity: string;
  /** The stop, if there are several. */
  waypoint: string | null;
  /** The proof that the robot captures. */
  method: ProofMethod | null;
  /** The reason of a failed attempt, which replaces the activity. */
  reason: string | null;
  /** The planned time. A step may be a little later. */
  at: string;
  done: boolean;
}

/** The SMS code that the recipient gave to the driver. */
export interface SmsIn {
  remarks?: string | undefined;
  /** Your own data, up to 16 KiB. */
  data?: JsonObject | undefined;
  /** Place of capture. It may contain `accuracy` in metres. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Time of capture, by the device's clock. Defaults to now. */
  captured_at?: string | Date | undefined;
  /** The device, such as its id and platform. */
  device?: JsonObject | undefined;
  /** The code of the activity that the proof is for. */
  activity?: string | undefined;
  /** Created by the device, so that a repeated request stores the proof only once. */
  proof_uuid?: string | undefined;
  code: string;
}

/** The length of a text as an SMS. */
export interface SmsLength {
  /**
   * One character outside the GSM alphabet makes it `unicode`, with less than half the length per
   * segment.
   */
  alphabet: "gsm" | "unicode";
  characters: number;
  /** Number of SMS billed. */
  segments: number;
  /** Characters outside the GSM alphabet. */
  others: string;
}

/** A request for a code by SMS. */
export interface SmsLoginIn {
  /** With country code. */
  phone: string;
}

/** SMS codes of one store, of all drivers, or of all deliveries. */
export interface SmsOut {
  audience: "deliveries" | "drivers" | "store";
  store: string | null;
  /** Codes sent within 24 hours. */
  sent: number;
  /**
   * Codes by SMS in 24 hours, counted separately for each store, for drivers and for deliveries. A
   * fifth is reserved for people who have an account.
   */
  sms_per_day: number;
  paused: Array<PausedOut>;
}

/** SMS codes by audience. */
export interface SmsOverview {
  audiences: Array<SmsOut>;
}

/** A call for help. */
export interface SosIn {
  /** Time of the event, by the device's clock. A future or missing time means now. */
  occurred_at?: string | Date | undefined;
}

/** A call for help that has reached dispatch. */
export interface SosOut {
  driver: string;
  received_at: string;
}

/** News sent by SMS within 24 hours. The company's count excludes its stores' customers. */
export interface SpentOut {
  sent: number;
  sms_per_day: number;
}

/** Start of an order. */
export interface StartIn {
  /** Dispatch the order first, if necessary. Defaults to `false`. */
  skip_dispatch?: boolean | undefined;
  /** The driver to assign first. */
  assign?: string | undefined;
  /** Time of the event, by the device's clock. A future or missing time means now. */
  occurred_at?: string | Date | undefined;
}

/** Changes to a manual status. Omitted fields stay; null clears a field. */
export interface StatusChange {
  code?: string | undefined;
  status?: string | undefined;
  details?: string | undefined;
  /** GeoJSON, `{latitude, longitude}` or `latitude,longitude`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** An event of the order, or at the person's stop. */
export interface StatusExport {
  code: string;
  status: string;
  details: string;
  location: PointOut | null;
  meta: JsonObject;
  occurred_at: string;
  created_at: string;
}

/** A manual status of an order, or of the stop or item with a tracking number. */
export interface StatusIn {
  code: string;
  status: string;
  details?: string | undefined;
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order?: string | undefined;
  /** A tracking number, or its identifier. */
  tracking?: string | undefined;
  /** Deprecated: use `tracking`. */
  tracking_number?: string | null | undefined;
  place?: string | undefined;
  /** GeoJSON, `{latitude, longitude}` or `latitude,longitude`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
  /** Defaults to `false`. */
  complete?: boolean | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
}

/** An entry in the history of an order or of one of its stops. */
export interface StatusOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  tracking: string;
  /** Deprecated: use `tracking`. */
  tracking_number: string;
  order: string;
  code: string;
  status: string;
  details: string;
  complete: boolean;
  place: string | null;
  address: string | null;
  city: string | null;
  province: string | null;
  postal_code: string | null;
  country: string | null;
  location: PointOut | null;
  /** Whether the status was added manually. */
  manual: boolean;
  /** The actor. */
  actor: ActorOut;
  /** Time of the event; `created_at` is the time of recording. */
  occurred_at: string;
  /** Seconds by which the device's clock was outside the possible range. */
  clock_skew: number | null;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
}

/** A stop with its progress and all of its activities. */
export interface StopAhead {
  id: string;
  type: StopType;
  /** The latest activity at the stop. */
  activity: string | null;
  done: boolean;
  /** Number of failed attempts. */
  attempts: number;
  /** Result of failed attempts: `hold` waits for a decision, `return` goes back. */
  undelivered: Undelivered | null;
  /** Activities that are possible once the driver is at the stop. */
  next: Array<string>;
  /** Activities that may happen first at the stop. */
  begin: Array<string>;
  activities: Array<ActivityAhead>;
}

/** The contact at a stop: an existing one by `id`, or one described by its fields. */
export interface StopContact {
  id?: string | undefined;
  name?: string | undefined;
  /** With country code. */
  phone?: string | undefined;
  email?: string | undefined;
}

/** A stop of a vehicle between two trips. */
export interface StopOut {
  arrived_at: string;
  left_at: string;
  /** Seconds. */
  seconds: number;
  location: PointOut;
}

/** StopType. */
export type StopType = "dropoff" | "pickup";

/** Settings in which a store differs from its company. */
export interface StoreSettings {
  /** A BCP 47 tag. */
  locale?: string | null;
  codes?: CodeSettings | null;
  branding?: BrandSettings | null;
  senders?: SenderSettings | null;
  news?: NewsSettings | null;
  /** Origins that the store's customers may return to after payment. None if not set. */
  return_origins?: Array<string> | null;
  /** Whether the store's customers may place orders from quotes. */
  orders?: boolean | null;
  /**
   * What an order needs before dispatch: `nothing`, an accepted `price`, or its `payment` in full.
   */
  dispatch_requires?: DispatchRequirement | null;
  /** Minutes until an unpaid order that a customer placed is canceled. Never if not set. */
  unpaid_order_minutes?: number | null;
}

/** Changes of a storefront. */
export interface StorefrontChange {
  name?: string | undefined;
  providers?: ProvidersChange | undefined;
  /** Changes of the store's own settings: an omitted setting stays, null restores the company's. */
  settings?: StoreSettings | null | undefined;
}

/** A storefront. */
export interface StorefrontOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  name: string;
  providers: ProvidersOut;
  /** Settings in which the store differs from its company. */
  settings: StoreSettings;
  created_at: string;
  updated_at: string | null;
  /** Increases with each change. */
  version: number;
}

/** The request succeeded. */
export interface Success {
  status: string;
}

/** A suggested address. */
export interface SuggestionOut {
  /** The company's own place. */
  place: string | null;
  name: string | null;
  /** The address, on one line. */
  address: string;
  street1: string | null;
  city: string | null;
  province: string | null;
  postal_code: string | null;
  /** ISO 3166, two letters. */
  country: string | null;
  /** A GeoJSON point. */
  location: GeoJsonPoint | null;
  /** Precision of the point. */
  quality: AddressQuality | null;
}

/** A surcharge on top of the price, if all its conditions are met. */
export interface SurchargeRuleIn {
  kind: "fuel" | "holiday" | "insured_value" | "other" | "oversize" | "remote_area";
  name: string;
  /**
   * Per cent of the price without surcharges and tax. For `insured_value`, of the declared value of
   * the items.
   */
  percent?: number | undefined;
  /** Instead of `percent`. For items, the fee of each of them. */
  flat_fee?: number | undefined;
  /** Days on which it applies, in the rate's time zone. */
  dates?: ReadonlyArray<string> | undefined;
  /** Any stop is in this zone. */
  zone?: string | undefined;
  /** Any stop is in this area. */
  service_area?: string | undefined;
  /** For items with a side above this many centimetres. */
  over_length?: number | undefined;
  /** For items above this many kilograms. */
  over_weight?: number | undefined;
}

/** A surcharge on top of the price, if all its conditions are met. */
export interface SurchargeRuleOut {
  kind: "fuel" | "holiday" | "insured_value" | "other" | "oversize" | "remote_area";
  name: string;
  /** Per cent. */
  percent: number | null;
  /** In minor units of the currency. */
  flat_fee: number | null;
  dates: Array<string>;
  /** A zone. */
  zone: string | null;
  /** A service area, by its identifier. */
  service_area: string | null;
  over_length: number | null;
  over_weight: number | null;
}

/** The sum of the lines with one tax rate. Without a rate, no tax was charged. */
export interface TaxTotal {
  rate?: number | null;
  net_amount: number;
  tax_amount: number;
}

/** The sums of the lines with one tax rate. */
export interface TaxTotalOut {
  /** Per cent. */
  tax_rate: number | null;
  /** Without tax, in whole minor units of the currency. */
  net_amount: number;
  /** The part of the amount that is tax, in minor units. */
  tax_amount: number;
  /** With tax, in whole minor units of the currency. */
  amount: number;
}

/** A test message to send. */
export interface TestMessageIn {
  channel: CodeChannel;
  /** The recipient's phone number or email address. */
  to: string;
}

/** Presence. Without a value it is toggled. */
export interface ToggleIn {
  online?: boolean | undefined;
  /** Time of the event, by the device's clock. A future or missing time means now. */
  occurred_at?: string | Date | undefined;
}

/** A simplified line in GeoJSON for a map. */
export interface Track {
  /** GeoJSON type. */
  type: "LineString";
  /** Longitudes and latitudes, in degrees. */
  coordinates: Array<Array<number>>;
  /** Source of the line. */
  source: "positions" | "roads";
}

/** The position of a driver or a vehicle. */
export interface TrackIn {
  latitude?: number | undefined;
  longitude?: number | undefined;
  /** Instead of `latitude` and `longitude`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Degrees clockwise from north. */
  heading?: number | undefined;
  /** Metres. */
  altitude?: number | undefined;
  /** Metres per second. */
  speed?: number | undefined;
  /** Metres. */
  accuracy?: number | undefined;
  /** Time of the position. Defaults to now. Late reports do not replace newer positions. */
  recorded_at?: string | Date | undefined;
}

/** The position, progress and ETA of an order. */
export interface Tracked {
  order: string;
  status: string;
  driver: string | null;
  /** The driver's latest position. */
  position: PointOut | null;
  /** Degrees from north. */
  heading: number | null;
  /** Metres per second. */
  speed: number | null;
  located_at: string | null;
  /** Per cent. */
  progress: number;
  current_waypoint: string | null;
  stops: Array<TrackedStop>;
  completed_stops: number;
  total_stops: number;
  /** Metres. */
  distance_remaining: number | null;
  /** Seconds. */
  time_remaining: number | null;
  /**
   * ETA at the last stop, after the driver's stops for other orders. Null while the driver's
   * position is older than ten minutes.
   */
  eta: string | null;
  /** Null without an ETA or a time window. */
  forecast: Forecast | null;
  /** Source of the remaining distance. */
  route_source: DistanceSource | null;
  /** The recipient's tracking page. Give the link only to the recipient. */
  tracking_url: string | null;
}

/** A stop with its ETA. */
export interface TrackedStop {
  waypoint: string | null;
  type: string;
  address: string;
  location: PointOut | null;
  complete: boolean;
  /** Number of failed attempts. */
  attempts: number;
  /** Result of failed attempts: `hold` waits for a decision, `return` goes back. */
  undelivered: Undelivered | null;
  eta: string | null;
  /**
   * `late` if the ETA is after the time window, `at_risk` if it is less than ten minutes before its
   * end.
   */
  forecast: ForecastState | null;
  /** Seconds from the end of the time window to the ETA. */
  late_seconds: number | null;
}

/** A payment that the person owes or has made, in minor currency units. */
export interface TransactionExport {
  id: string;
  amount: number;
  currency: string;
  status: string;
  amount_paid: number;
  amount_refunded: number;
  void_reason: string | null;
  created_at: string;
}

/** A transaction: the amount owed for an order, and its payments. */
export interface TransactionOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  order: string | null;
  service_quote: string | null;
  /** A customer, contact or vendor. */
  customer: string | null;
  customer_type: PartnerType | null;
  /** In whole minor units of the currency. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  /** Derived from the known payments and refunds. */
  status: TransactionStatus;
  /** Total amount paid, without lost disputes. */
  amount_paid: number;
  /** Total amount refunded. */
  amount_refunded: number;
  /** Total amount of lost disputes. */
  amount_disputed: number;
  /**
   * The amount still owed. Below zero, it is a credit. A refund does not make its amount owed
   * again.
   */
  balance: number;
  /** Their sum is the amount. */
  items: Array<ItemOut>;
  /** Money that people recorded, outside a gateway. */
  payments: Array<RecordedPaymentOut>;
  refunds: Array<RefundOut>;
  disputes: Array<DisputeOut>;
  /** Payments in another currency. They settle nothing; refund them there. */
  unmatched_payments: Array<UnmatchedPaymentOut>;
  /** Null if no gateway takes the payment. */
  gateway: string | null;
  /** The page to pay on. Null if there is nothing to pay or no page is open. */
  checkout_url: string | null;
  /** Status of the page of the payment, or else of the last page. */
  checkout_status: CheckoutStatus | null;
  /** Error code of the page, if it could not be opened. */
  checkout_error: string | null;
  paid_at: string | null;
  voided_at: string | null;
  void_reason: string | null;
}

/** TransactionStatus. */
export type TransactionStatus = "paid" | "partially_paid" | "partially_refunded" | "refunded" | "unpaid" | "voided";

/** A trip of a vehicle, from departure to rest. */
export interface TripOut {
  /** The trip's id. */
  id: string;
  /** The device that recorded the trip. */
  device: string;
  /** Deprecated: use `device`. */
  device_id: string;
  started_at: string;
  /** Null while the trip continues. */
  ended_at: string | null;
  start: PointOut;
  /** Where the trip ended, or the latest position. */
  end: PointOut;
  /** Metres. */
  distance: number;
  /** Seconds. */
  moving_seconds: number;
  /** Seconds of standing during the trip. */
  idle_seconds: number;
  /** The longest stop during the trip. */
  longest_stop_seconds: number;
  /** Kilometres per hour. */
  max_speed: number | null;
  /** The trip's line. Null for periods of over two days. */
  track: Track | null;
}

/**
 * A vehicle's trips in a period, the stops between them, and totals. A trip counts for the period
 * in which it starts. Late positions may change it afterwards.
 */
export interface TripsOut {
  vehicle: string;
  /** Deprecated: use `vehicle`. */
  vehicle_id: string;
  /** Start of the period. */
  from: string;
  /** End of the period. */
  to: string;
  trips: Array<TripOut>;
  stops: Array<StopOut>;
  /** Metres. */
  distance: number;
  /** Seconds. */
  moving_seconds: number;
  /** Seconds. */
  idle_seconds: number;
  /** Kilometres per hour. */
  max_speed: number | null;
}

/** An order without a driver, and the reason. */
export interface UnassignedOut {
  order: string;
  internal_id: string | null;
  /** The order's number: `internal_id`, or else its tracking number. */
  number: string;
  reason:
    | "capacity"
    | "no_road"
    | "outside_shifts"
    | "removed"
    | "skill"
    | "too_large"
    | "window"
    | "fixed_driver"
    | "no_location"
    | "nothing_left"
    | "on_hold"
    | "other_driver";
  message: string;
}

/** Undelivered. */
export type Undelivered = "hold" | "return";

/** UndeliveredDecision. */
export type UndeliveredDecision = "hold" | "retry" | "return";

/** A vehicle with its driver, or a driver without one. */
export interface UnitOut {
  id: string;
  kind: "driver" | "vehicle";
  /** The vehicle's plate or model, or the driver's name. */
  name: string;
  plate_number: string | null;
  status: string;
  /** Whether the vehicle or its driver is online. */
  online: boolean;
  driver: string | null;
  driver_name: string | null;
  /**
   * `stale` after 10 minutes without a report, `offline` after 30; otherwise whether the unit
   * moves.
   */
  state: "moving" | "never_seen" | "offline" | "stale" | "standing";
  location: PointOut | null;
  /** Degrees clockwise from north. */
  heading: number | null;
  /** Metres per second. */
  speed: number | null;
  located_at: string | null;
}

/** A payment in another currency than the transaction's. It settles nothing. */
export interface UnmatchedPaymentOut {
  /** The gateway's id. */
  reference: string | null;
  /** In whole minor units of the currency. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  received_at: string;
}

/** The number of unread alerts in the operator's list. */
export interface UnreadOut {
  /** At most 99. */
  count: number;
  /** Whether there are more than `count`. */
  more: boolean;
  /** Whether your rules announce any kind on the desktop or by a sound. */
  announced: boolean;
}

/** A device that no longer receives push messages. */
export interface UnregisterDeviceIn {
  token: string;
  platform?: AppPlatform | undefined;
}

/** Changes to a vehicle. Omitted fields stay, and null clears a field. */
export interface VehicleChange {
  /** The company's own reference. */
  internal_id?: string | null | undefined;
  online?: boolean | undefined;
  /** Position of a new record. A change cannot set another position: report it to `track`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** Instead of `location`. */
  latitude?: number | string | null | undefined;
  /** Instead of `location`. */
  longitude?: number | string | null | undefined;
  /** Degrees clockwise from north. */
  heading?: number | null | undefined;
  altitude?: number | null | undefined;
  speed?: number | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  located_at?: string | Date | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
  vin?: string | null | undefined;
  plate_number?: string | null | undefined;
  make?: string | null | undefined;
  model?: string | null | undefined;
  trim?: string | null | undefined;
  year?: number | null | undefined;
  color?: string | null | undefined;
  type?: string | null | undefined;
  fuel_type?: string | null | undefined;
  /** The same as `capacity.weight`. */
  payload_capacity?: number | null | undefined;
  capacity?: CapacityFields | null | undefined;
  /** The roads it can use, for routes and times. */
  profile?: VehicleProfile | undefined;
  /** In minor units of `currency`. Plans compare routes by it. */
  cost_per_km?: number | null | undefined;
  /** The cost's currency, ISO 4217. Defaults to the company's. */
  currency?: string | null | undefined;
  /**
   * Devices on the vehicle raise a speed alert above it. A zone's limit overrides it, and it
   * overrides the company's.
   */
  speed_limit_kmh?: number | null | undefined;
  /** °C. A lower reading raises an alert. Limits of a device override those of its vehicle. */
  min_temperature?: number | null | undefined;
  /** °C. A higher reading raises an alert. */
  max_temperature?: number | null | undefined;
  status?: VehicleStatus | undefined;
}

/** A new vehicle. */
export interface VehicleIn {
  /** The company's own reference. */
  internal_id?: string | null | undefined;
  /** Defaults to `false`. */
  online?: boolean | undefined;
  /** Position of a new record. A change cannot set another position: report it to `track`. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  /** Instead of `location`. */
  latitude?: number | string | null | undefined;
  /** Instead of `location`. */
  longitude?: number | string | null | undefined;
  /** Degrees clockwise from north. */
  heading?: number | null | undefined;
  altitude?: number | null | undefined;
  speed?: number | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  located_at?: string | Date | null | undefined;
  /** Custom data of the company. */
  meta?: JsonObject | null | undefined;
  vin?: string | null | undefined;
  plate_number?: string | null | undefined;
  make?: string | null | undefined;
  model?: string | null | undefined;
  trim?: string | null | undefined;
  year?: number | null | undefined;
  color?: string | null | undefined;
  type?: string | null | undefined;
  fuel_type?: string | null | undefined;
  /** The same as `capacity.weight`. */
  payload_capacity?: number | null | undefined;
  capacity?: CapacityFields | null | undefined;
  /** The roads it can use, for routes and times. */
  profile?: VehicleProfile | undefined;
  /** In minor units of `currency`. Plans compare routes by it. */
  cost_per_km?: number | null | undefined;
  /** The cost's currency, ISO 4217. Defaults to the company's. */
  currency?: string | null | undefined;
  /**
   * Devices on the vehicle raise a speed alert above it. A zone's limit overrides it, and it
   * overrides the company's.
   */
  speed_limit_kmh?: number | null | undefined;
  /** °C. A lower reading raises an alert. Limits of a device override those of its vehicle. */
  min_temperature?: number | null | undefined;
  /** °C. A higher reading raises an alert. */
  max_temperature?: number | null | undefined;
  /** Defaults to `"available"`. */
  status?: VehicleStatus | undefined;
}

/** A vehicle. Positions do not change `version`. */
export interface VehicleOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The company's own reference. */
  internal_id: string | null;
  online: boolean;
  fleets: Array<string>;
  location: PointOut | null;
  /** Degrees from north. */
  heading: number | null;
  /** Metres. */
  altitude: number | null;
  /** Metres per second. */
  speed: number | null;
  located_at: string | null;
  /** Custom data of the company. */
  meta: JsonObject;
  vin: string | null;
  plate_number: string | null;
  make: string | null;
  model: string | null;
  trim: string | null;
  year: number | null;
  color: string | null;
  type: string | null;
  fuel_type: string | null;
  /** The same as `capacity.weight`. */
  payload_capacity: number | null;
  capacity: CapacityOut;
  /** The roads it can use, for routes and times. */
  profile: VehicleProfile;
  /** In minor units of `currency`. Plans compare routes by it. */
  cost_per_km: number | null;
  /** The cost's currency, ISO 4217. Defaults to the company's. */
  currency: string | null;
  /**
   * Devices on the vehicle raise a speed alert above it. A zone's limit overrides it, and it
   * overrides the company's.
   */
  speed_limit_kmh: number | null;
  /** °C. A lower reading raises an alert. Limits of a device override those of its vehicle. */
  min_temperature: number | null;
  /** °C. A higher reading raises an alert. */
  max_temperature: number | null;
  status: VehicleStatus;
  driver: string | null;
}

/** VehicleProfile. */
export type VehicleProfile = "bicycle" | "car" | "van";

/** VehicleStatus. */
export type VehicleStatus = "accident" | "active" | "available" | "awaiting_parts" | "cleaning" | "compliance_hold" | "decommissioned" | "idle" | "in_use" | "inspection_due" | "inspection_failed" | "maintenance" | "on_route" | "operational" | "out_of_service" | "reserved" | "retired" | "staging" | "stolen";

/** Changes to a vendor. Omitted fields stay; null clears a field. */
export interface VendorChange {
  /** The company's own number. */
  internal_id?: string | null | undefined;
  name?: string | undefined;
  title?: string | null | undefined;
  email?: string | null | undefined;
  /** With country code. */
  phone?: string | null | undefined;
  /** The language of notifications, as a BCP 47 tag. */
  locale?: string | null | undefined;
  type?: string | undefined;
  /** A place, by its identifier. */
  place?: string | null | undefined;
  /** Rates with this price group apply. */
  price_group?: string | null | undefined;
  /** The service rate to prefer when an order is dispatched. */
  default_service?: string | null | undefined;
  /** Days until an invoice is due. */
  payment_terms_days?: number | null | undefined;
  /** The tax number. */
  tax_number?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  /** The business registration number. */
  business_id?: string | null | undefined;
  website_url?: string | null | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  status?: RecordStatus | undefined;
}

/** A new vendor. */
export interface VendorIn {
  /** The company's own number. */
  internal_id?: string | null | undefined;
  name: string;
  title?: string | null | undefined;
  email?: string | null | undefined;
  /** With country code. */
  phone?: string | null | undefined;
  /** The language of notifications, as a BCP 47 tag. */
  locale?: string | null | undefined;
  type?: string | undefined;
  /** A place, by its identifier. */
  place?: string | null | undefined;
  /** Rates with this price group apply. */
  price_group?: string | null | undefined;
  /** The service rate to prefer when an order is dispatched. */
  default_service?: string | null | undefined;
  /** Days until an invoice is due. */
  payment_terms_days?: number | null | undefined;
  /** The tax number. */
  tax_number?: string | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  /** The business registration number. */
  business_id?: string | null | undefined;
  website_url?: string | null | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  status?: RecordStatus | undefined;
}

/** A vendor. */
export interface VendorOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** The company's own number. */
  internal_id: string | null;
  name: string;
  title: string | null;
  email: string | null;
  /** With country code. */
  phone: string | null;
  /** The language of notifications, as a BCP 47 tag. */
  locale: string | null;
  type: string;
  /** A place, by its identifier. */
  place: string | null;
  /** Rates with this price group apply. */
  price_group: string | null;
  /** The service rate to prefer when an order is dispatched. */
  default_service: string | null;
  /** Days until an invoice is due. */
  payment_terms_days: number | null;
  /** The tax number. */
  tax_number: string | null;
  /**
   * `unpaid` if anything is owed, `overpaid` if there is only a credit, `none` without a
   * transaction.
   */
  payment_status: CustomerPaymentStatus;
  /** Open balances by currency: charges minus payments. */
  balances: Array<PartnerBalanceOut>;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
  /** The business registration number. */
  business_id: string | null;
  website_url: string | null;
  /** ISO 3166, two letters. */
  country: string | null;
  status: RecordStatus;
}

/** The result of a proof's verification. */
export interface VerdictOut {
  valid: boolean;
  erased: boolean;
  facts_valid: boolean;
  hash_valid: boolean;
  chain_valid: boolean;
  head_valid: boolean;
  signature_valid: boolean;
  file_valid: boolean;
  /** One message per fault. */
  faults: Array<string>;
  proof: string;
  /** The signer's Ed25519 key in hex, or null if it is not trusted. */
  public_key: string | null;
  /** The signed facts, as JSON text. */
  facts: string;
}

/** A code, and the identity that received it. */
export interface VerifyCodeIn {
  /** A phone number or an email address. */
  identity: string;
  code: string;
}

/** The reason to void a transaction. */
export interface VoidIn {
  reason?: string | undefined;
}

/**
 * Changes to a stop. Omitted fields stay; null clears a field. Only `place` changes its place. The
 * place's own fields are accepted if they match the stored place.
 */
export interface WaypointChange {
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_start?: string | Date | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_end?: string | Date | null | undefined;
  notes?: string | null | undefined;
  pod_required?: boolean | undefined;
  pod_method?: ProofMethod | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  place?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  type?: StopType | undefined;
  contact?: string | StopContact | null | undefined;
  /** A stop flow of the order configuration. */
  subflow?: string | null | undefined;
  /** Duration of the stop in seconds. */
  service_time?: number | null | undefined;
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  name?: string | null | undefined;
  /** A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
}

/**
 * A stop: its `place`, or the fields of a new place next to the stop's own. In a change, a stop
 * sent with its `id` is kept. Only `place` changes its place.
 */
export interface WaypointIn {
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_start?: string | Date | null | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  time_window_end?: string | Date | null | undefined;
  notes?: string | null | undefined;
  pod_required?: boolean | undefined;
  pod_method?: ProofMethod | null | undefined;
  /** A place's identifier, an address as text or as an object, or a point. */
  place?: string | PlaceIn | GeoJsonPoint | ReadonlyArray<number> | undefined;
  type?: StopType | undefined;
  contact?: string | StopContact | null | undefined;
  /** A stop flow of the order configuration. */
  subflow?: string | null | undefined;
  /** Duration of the stop in seconds. */
  service_time?: number | null | undefined;
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount?: number | null | undefined;
  /** ISO 4217, three letters. */
  cod_currency?: string | null | undefined;
  cod_payment_method?: CodMethod | null | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  name?: string | null | undefined;
  /** A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | null | undefined;
  id?: string | undefined;
  street1?: string | null | undefined;
  street2?: string | null | undefined;
  city?: string | null | undefined;
  province?: string | null | undefined;
  postal_code?: string | null | undefined;
  neighborhood?: string | null | undefined;
  district?: string | null | undefined;
  building?: string | null | undefined;
  /** Access code of the building. */
  security_access_code?: string | null | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  /** With country code. */
  phone?: string | null | undefined;
  /**
   * `company`: a saved place, kept when a customer is erased. `customer`: erased with its `owner`.
   * `order`: created for one order, erased with the order's customer.
   */
  owner_type?: PlaceOwnerType | null | undefined;
  /**
   * The contact of a `customer`, or the order of an `order`; null for a company. A change accepts a
   * contact or a customer.
   */
  owner?: string | null | undefined;
  /** Instead of `location`. */
  latitude?: number | string | null | undefined;
  /** Instead of `location`. */
  longitude?: number | string | null | undefined;
}

/** A stop with its place. The place's name, address and location are repeated on the stop. */
export interface WaypointOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  time_window_start: string | null;
  time_window_end: string | null;
  notes: string | null;
  pod_required: boolean;
  pod_method: ProofMethod | null;
  /** Number of failed attempts. */
  attempts: number;
  /** Result of failed attempts: `hold` waits for a decision, `return` goes back. */
  undelivered: Undelivered | null;
  /** The recipient's instructions. Null if the recipient gave none. */
  delivery_instructions: DeliveryInstructions | null;
  /** The recipient's rating. Null without one, and for drivers. */
  rating: DeliveryRating | null;
  payload: string;
  /** Position in the route, from 0. */
  order: number;
  type: StopType;
  place: PlaceOut;
  name: string | null;
  address: string;
  /** A GeoJSON point. */
  location: GeoJsonPoint | null;
  contact: string | null;
  /** The contact's name and phone number. */
  recipient: RecipientOut | null;
  /** A stop flow of the order configuration. */
  subflow: string | null;
  /** Duration of the stop in seconds. */
  service_time: number | null;
  /** Code of the latest activity at the stop. */
  status_code: string | null;
  complete: boolean;
  completed_at: string | null;
  tracking: string | null;
  /** Deprecated: use `tracking`. */
  tracking_number: string | null;
  /** Cash on delivery, in minor units of `cod_currency`. */
  cod_amount: number | null;
  /** ISO 4217, three letters. */
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  /**
   * The cash to collect at this stop: its own, that of its items and, at the last drop-off, that of
   * the whole order.
   */
  cash_to_collect: CashToCollectOut | null;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
}

/** A change of a webhook. Fields left out stay unchanged; null clears a field. */
export interface WebhookChange {
  /** URL of the receiver: HTTPS, and reachable from the internet. */
  url?: string | undefined;
  /** Events by name, groups such as `order.*`, or `*` for all. */
  events?: ReadonlyArray<string> | undefined;
  description?: string | null | undefined;
  /**
   * Your own headers. Send `***` to keep a value. If the URL changes to another host, send every
   * value again.
   */
  headers?: { [name: string]: string } | null | undefined;
  /** Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits. */
  signature_format?: SignatureFormat | undefined;
  /**
   * `first_attempt`: first attempts for events of the same order are made in sequence. `strict`: an
   * event waits until the earlier one has succeeded or permanently failed.
   */
  ordering?: WebhookOrdering | undefined;
  /** Timeout for the response, in seconds. */
  timeout?: number | undefined;
  /** Maximum deliveries per second. */
  rate_limit?: number | null | undefined;
  /** Maximum concurrent deliveries. */
  max_in_flight?: number | undefined;
  /** Events for a webhook that is paused or disabled are held. */
  state?: WebhookState | undefined;
}

/** The latest successes and failures of a webhook. */
export interface WebhookHealthOut {
  /** Time of the first failure since the latest success. */
  failing_since: string | null;
  /** Failed attempts since the latest success. */
  failures: number;
  last_success_at: string | null;
  last_failure_at: string | null;
}

/** A new webhook. */
export interface WebhookIn {
  /** URL of the receiver: HTTPS, and reachable from the internet. */
  url: string;
  /** Events by name, groups such as `order.*`, or `*` for all. */
  events?: ReadonlyArray<string> | undefined;
  description?: string | undefined;
  /**
   * Your own headers. Send `***` to keep a value. If the URL changes to another host, send every
   * value again.
   */
  headers?: { [name: string]: string } | undefined;
  /**
   * Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits. Defaults to
   * `"prefixed"`.
   */
  signature_format?: SignatureFormat | undefined;
  /**
   * `first_attempt`: first attempts for events of the same order are made in sequence. `strict`: an
   * event waits until the earlier one has succeeded or permanently failed. Defaults to
   * `"first_attempt"`.
   */
  ordering?: WebhookOrdering | undefined;
  /** Timeout for the response, in seconds. Defaults to `10`. */
  timeout?: number | undefined;
  /** Maximum deliveries per second. */
  rate_limit?: number | undefined;
  /** Maximum concurrent deliveries. Defaults to `16`. */
  max_in_flight?: number | undefined;
  /** Events for a webhook that is paused or disabled are held. Defaults to `"enabled"`. */
  state?: WebhookState | undefined;
}

/** WebhookOrdering. */
export type WebhookOrdering = "first_attempt" | "strict";

/** An endpoint that events are sent to. */
export interface WebhookOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  /** URL of the receiver: HTTPS, and reachable from the internet. */
  url: string;
  description: string | null;
  /** Events by name, groups such as `order.*`, or `*` for all. */
  events: Array<string>;
  /** Values are not shown. */
  headers: { [name: string]: string };
  /** Format of `X-Service-Signature`: `sha256=<hex>`, or only the hex digits. */
  signature_format: SignatureFormat;
  /**
   * `first_attempt`: first attempts for events of the same order are made in sequence. `strict`: an
   * event waits until the earlier one has succeeded or permanently failed.
   */
  ordering: WebhookOrdering;
  /** Timeout for the response, in seconds. */
  timeout: number;
  /** Maximum deliveries per second. */
  rate_limit: number | null;
  /** Maximum concurrent deliveries. */
  max_in_flight: number;
  /** Events for a webhook that is paused or disabled are held. */
  state: WebhookState;
  /**
   * Why the webhook is not enabled: `operator`; `gone` if the receiver responded with 410;
   * `failing` if nothing has succeeded for days.
   */
  state_reason: string | null;
  state_changed_at: string;
  secrets: Array<SecretOut>;
  health: WebhookHealthOut;
}

/** WebhookState. */
export type WebhookState = "disabled" | "enabled" | "paused";

/** Weekday. */
export type Weekday = "fri" | "mon" | "sat" | "sun" | "thu" | "tue" | "wed";

/** Whether to receive the weekly report. */
export interface WeeklyReportIn {
  enabled: boolean;
}

/** Whether the signed-in operator receives the weekly report. */
export interface WeeklyReportOut {
  /** Sent on Mondays, by email. */
  enabled: boolean;
}

/** WeightUnit. */
export type WeightUnit = "g" | "kg" | "lb" | "oz";

/** Counts of all matching units. */
export interface WhereaboutsMeta {
  counts: Counts;
  /** False if there were too many units to count all. */
  complete: boolean;
}

/** Positions of the fleet: moving units first, then by name. */
export interface WhereaboutsOut {
  data: Array<UnitOut>;
  meta: WhereaboutsMeta;
}

/** Texts in one language, by kind of notification. */
export interface WordsOfNews {
  on_its_way?: NewsText | null;
  next_stop?: NewsText | null;
  delivered?: NewsText | null;
  could_not_be_delivered?: NewsText | null;
  cancelled?: NewsText | null;
}

/** The texts of a kind of news in one language. */
export interface WordsOut {
  /** A BCP 47 tag. */
  language: string;
  /** Kind of news. */
  kind: "cancelled" | "could_not_be_delivered" | "delivered" | "next_stop" | "on_its_way";
  /** Subject of an email, title of a push message. */
  subject: string;
  /** Text of an SMS or push message. */
  text: string;
  /** Text of an email. */
  email: string;
  /** Names of the texts that you have set; the others are defaults. */
  own: Array<string>;
}

/** ZoneApplication. */
export type ZoneApplication = "both" | "destination" | "origin";

/** Changes to a zone. Omitted fields stay; null clears a field. */
export interface ZoneChange {
  name?: string | undefined;
  type?: string | null | undefined;
  /** A GeoJSON Polygon. */
  border?: GeoJsonPolygon | undefined;
  /** A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Metres around `location`, instead of a border. */
  radius?: number | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  /** Hexadecimal, or a color name. */
  color?: string | null | undefined;
  /** Hexadecimal, or a color name. */
  stroke_color?: string | null | undefined;
  status?: RecordStatus | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  /** A service area, by its identifier. */
  service_area?: string | undefined;
  description?: string | null | undefined;
  /** Speed alerts start above it. It overrides the vehicle's limit. */
  speed_limit_kmh?: number | null | undefined;
  trigger_on_entry?: boolean | undefined;
  trigger_on_exit?: boolean | undefined;
  dwell_threshold_minutes?: number | null | undefined;
}

/** The price per distance unit in a zone or an area, or anywhere else. */
export interface ZoneFeeIn {
  label?: string | undefined;
  /** A zone. */
  zone?: string | undefined;
  /** A service area, by its identifier. */
  service_area?: string | undefined;
  /** Defaults to `0`. */
  priority?: number | undefined;
  fee: number;
}

/** The price per distance unit in a zone or an area, or anywhere else. */
export interface ZoneFeeOut {
  label: string | null;
  /** A zone. */
  zone: string | null;
  /** A service area, by its identifier. */
  service_area: string | null;
  priority: number;
  fee: number;
}

/** A new zone, with a border, or with a point and a radius. */
export interface ZoneIn {
  name: string;
  type?: string | null | undefined;
  /** A GeoJSON Polygon. */
  border?: GeoJsonPolygon | undefined;
  /** A GeoJSON point, `{latitude, longitude}`, or `latitude,longitude` as text. */
  location?: GeoJsonPoint | LatitudeLongitude | ReadonlyArray<number> | string | undefined;
  /** Metres around `location`, instead of a border. */
  radius?: number | undefined;
  /** ISO 3166, two letters. */
  country?: string | null | undefined;
  /** Hexadecimal, or a color name. */
  color?: string | null | undefined;
  /** Hexadecimal, or a color name. */
  stroke_color?: string | null | undefined;
  status?: RecordStatus | undefined;
  /** The company's own data, up to 16 KiB. */
  meta?: JsonObject | undefined;
  /** A service area, by its identifier. */
  service_area: string;
  description?: string | null | undefined;
  /** Speed alerts start above it. It overrides the vehicle's limit. */
  speed_limit_kmh?: number | null | undefined;
  trigger_on_entry?: boolean | undefined;
  trigger_on_exit?: boolean | undefined;
  dwell_threshold_minutes?: number | null | undefined;
}

/** A zone. */
export interface ZoneOut {
  id: string;
  uuid: string;
  /** Deprecated: use `id`. */
  public_id: string;
  created_at: string;
  updated_at: string;
  /** Increases with each change. */
  version: number;
  name: string;
  type: string | null;
  /** A GeoJSON point. */
  center: GeoJsonPoint;
  /** ISO 3166, two letters. */
  country: string | null;
  /** Hexadecimal, or a color name. */
  color: string | null;
  /** Hexadecimal, or a color name. */
  stroke_color: string | null;
  status: RecordStatus;
  /** The company's own data, up to 16 KiB. */
  meta: JsonObject;
  /** A service area, by its identifier. */
  service_area: string;
  description: string | null;
  /** A GeoJSON Polygon. */
  border: GeoJsonPolygon;
  /** Speed alerts start above it. It overrides the vehicle's limit. */
  speed_limit_kmh: number | null;
  trigger_on_entry: boolean;
  trigger_on_exit: boolean;
  dwell_threshold_minutes: number | null;
}
