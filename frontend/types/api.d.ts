// Written by scripts/docs.py from the code: change that, then run `make docs`.

interface ActivityAhead {
  code: string;
  status: string;
  details: string;
  sequence: number;
  next: Array<string>;
  complete: boolean;
  pod_method: ProofMethod | null;
  require_pod: boolean;
  pod_scope: ProofSubjectType;
  scan_mismatch: ScanMismatch | null;
  at: "pickup" | null;
  color: string | null;
  demands: Array<DemandAhead>;
}

interface ActorOut {
  kind: "command" | "customer" | "device" | "driver" | "key" | "operator" | "stranger" | "worker";
  id: string;
  name: string;
}

type AddressQuality = "house" | "locality" | "region" | "street";

interface BreakFields {
  earliest: string;
  latest: string;
  duration: number;
}

interface CashBalanceOut {
  currency: string;
  balance: number;
  collections: Array<CashCollectionOut>;
}

interface CashCollectionOut {
  id: string;
  uuid: string;
  public_id: string;
  created_at: string;
  updated_at: string;
  version: number;
  order: string;
  waypoint: string | null;
  driver: string;
  customer: string | null;
  customer_type: PartnerType | null;
  amount_due: number;
  amount: number;
  currency: string;
  method: CodMethod;
  reason: string | null;
  collected_at: string;
  clock_skew: number | null;
  hand_in: string | null;
  remittance: string | null;
  actor: ActorOut;
}

interface CashToCollectOut {
  amount: number;
  currency: string;
  method: CodMethod | null;
  collected: boolean;
}

type CodMethod = "bank_transfer" | "card" | "cash" | "check";

interface DeliveryInstructions {
  handover: "neighbor" | "recipient" | "safe_place";
  location?: string | null;
  access_code?: string | null;
  note?: string | null;
  requested_at: string;
}

interface DeliveryRating {
  score: number;
  comment?: string | null;
  rated_at: string;
}

interface DemandAhead {
  subject_type: ProofSubjectType;
  subject_id: string;
  method: ProofMethod;
  met: boolean;
}

type DistanceSource = "given" | "great_circle" | "osrm" | "valhalla";

interface DriverActivityOut {
  order: string;
  internal_id: string | null;
  tracking: string;
  code: string;
  status: string;
  occurred_at: string;
}

interface DriverCashOut {
  driver: string;
  balances: Array<CashBalanceOut>;
}

interface DriverCodeSent {
  status: string;
  method: string;
  expires_in: number;
  resend_after: number;
}

interface DriverMessageOut {
  id: string;
  uuid: string;
  driver: string;
  order: string | null;
  sender: "dispatch" | "driver";
  actor: ActorOut;
  text: string;
  photos: Array<MessagePhotoOut>;
  sent_at: string;
  created_at: string;
  read_at: string | null;
}

interface DriverOut {
  id: string;
  uuid: string;
  public_id: string;
  created_at: string;
  updated_at: string;
  version: number;
  internal_id: string | null;
  online: boolean;
  fleets: Array<string>;
  location: PointOut | null;
  heading: number | null;
  altitude: number | null;
  speed: number | null;
  located_at: string | null;
  meta: JsonObject;
  name: string;
  email: string | null;
  phone: string;
  drivers_license_number: string | null;
  license_expiry: string | null;
  status: DriverStatus;
  vehicle: string | null;
  country: string | null;
  city: string | null;
  skills: Array<string>;
  shifts: Array<ShiftFields> | null;
  shift_exceptions: Array<ShiftExceptionFields>;
  start_place: string | null;
  end_place: string | null;
  cost_per_hour: number | null;
  currency: string | null;
  distance?: number;
}

interface DriverSignedIn {
  id: string;
  uuid: string;
  public_id: string;
  created_at: string;
  updated_at: string;
  version: number;
  internal_id: string | null;
  online: boolean;
  fleets: Array<string>;
  location: PointOut | null;
  heading: number | null;
  altitude: number | null;
  speed: number | null;
  located_at: string | null;
  meta: JsonObject;
  name: string;
  email: string | null;
  phone: string;
  drivers_license_number: string | null;
  license_expiry: string | null;
  status: DriverStatus;
  vehicle: string | null;
  country: string | null;
  city: string | null;
  skills: Array<string>;
  shifts: Array<ShiftFields> | null;
  shift_exceptions: Array<ShiftExceptionFields>;
  start_place: string | null;
  end_place: string | null;
  cost_per_hour: number | null;
  currency: string | null;
  distance?: number;
  token: string;
  driver: DriverOut;
  device_proof: string;
}

type DriverStatus = "accident_hold" | "active" | "available" | "delayed" | "inactive" | "no_show" | "off_duty" | "on_break" | "on_duty" | "on_leave" | "on_route" | "onboarding" | "pending_verification" | "pre_shift" | "suspended" | "terminated" | "training";

interface DriverStopOut {
  order: string;
  waypoint: string | null;
  type: StopType;
  dispatched: boolean;
  time_window_start: string | null;
  time_window_end: string | null;
  planned_at: string | null;
  eta: string | null;
  forecast: ForecastState | null;
  late_seconds: number | null;
}

interface DriverStopsOut {
  driver: string;
  located_at: string | null;
  computed_at: string | null;
  dispatch_phone: string | null;
  stops: Array<DriverStopOut>;
}

interface EntityOut {
  id: string;
  uuid: string;
  public_id: string;
  created_at: string;
  updated_at: string;
  version: number;
  payload: string | null;
  destination: string | null;
  internal_id: string | null;
  name: string;
  type: string;
  description: string | null;
  sku: string | null;
  quantity: number;
  expected_codes: Array<string>;
  length: number | null;
  width: number | null;
  height: number | null;
  dimensions_unit: LengthUnit;
  weight: number | null;
  weight_unit: WeightUnit;
  declared_value: number | null;
  price: number | null;
  sale_price: number | null;
  currency: string | null;
  customer: string | null;
  supplier: string | null;
  tracking: string | null;
  tracking_number: string | null;
  cod_amount: number | null;
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  meta: JsonObject;
}

interface FailureReason {
  code: string;
  label: string;
  photo?: boolean;
  then?: UndeliveredDecision;
}

interface FlowOut {
  order: string;
  status: string;
  activity: string;
  open: boolean;
  current_waypoint: string | null;
  next: Array<string>;
  collecting: boolean;
  activities: Array<ActivityAhead>;
  waypoints: Array<StopAhead>;
  undelivered: Undelivered | null;
  held: boolean;
  failure_reasons: Array<FailureReason>;
  expected: Record<string, Array<string>>;
  known: Record<string, Array<string>>;
}

type ForecastState = "at_risk" | "late" | "on_time";

interface GeoJsonPoint {
  type: "Point";
  coordinates: Array<number>;
}

interface GeocodingOut {
  status: "failed" | "found" | "not_found" | "off" | "waiting";
  source: "embedded" | "nominatim" | "photon" | null;
  quality: AddressQuality | null;
  located_at: string | null;
}

type JsonObject = Record<string, unknown>;

type LengthUnit = "cm" | "ft" | "in" | "m" | "mm" | "yd";

interface MessagePhotoOut {
  url: string;
  thumbnail_url: string;
}

interface OfferArea {
  city: string | null;
  district: string | null;
  neighborhood: string | null;
  postal_area: string | null;
  country: string | null;
  location: PointOut | null;
}

interface OfferOut {
  id: string;
  type: string;
  away: number;
  pickup: OfferArea | null;
  dropoff: OfferArea | null;
  stops: number;
  items: number;
  distance: number | null;
  time: number | null;
  time_window_start: string | null;
  time_window_end: string | null;
  dispatched_at: string;
}

interface OrderDriverOut {
  id: string;
  uuid: string;
  name: string;
  phone: string;
  online: boolean;
}

interface OrderNumberOut {
  id: string;
  uuid: string;
  tracking: string;
  tracking_number: string;
}

interface OrderOut {
  id: string;
  uuid: string;
  public_id: string;
  created_at: string;
  updated_at: string;
  version: number;
  time_window_start: string | null;
  time_window_end: string | null;
  notes: string | null;
  pod_required: boolean;
  pod_method: ProofMethod | null;
  attempts: number;
  undelivered: Undelivered | null;
  delivery_instructions: DeliveryInstructions | null;
  rating: DeliveryRating | null;
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
  driver_assigned: OrderDriverOut | null;
  vehicle: OrderVehicleOut | null;
  vehicle_assigned: OrderVehicleOut | null;
  tracking: string;
  tracking_number: OrderNumberOut;
  tracking_url: string | null;
  cod_amount: number | null;
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  cash_to_collect: CashToCollectOut | null;
  dispatched: boolean;
  started: boolean;
  required_skills: Array<string>;
  adhoc: boolean;
  adhoc_distance: number | null;
  distance: number | null;
  time: number | null;
  route_source: DistanceSource | null;
  service_quote: string | null;
  transaction: string | null;
  price_status: PriceStatus;
  payment_status: OrderPaymentStatus;
  balance: number | null;
  currency: string | null;
  return_of: string | null;
  returns: Array<string>;
  scheduled_at: string | null;
  dispatched_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  canceled_at: string | null;
  cancel_reason: string | null;
  meta: JsonObject;
}

interface OrderPartnerOut {
  id: string;
  uuid: string;
  name: string;
  email: string | null;
  phone: string | null;
  type: PartnerType;
}

type OrderPaymentStatus = "none" | "overpaid" | "paid" | "partially_paid" | "refunded" | "unpaid";

interface OrderVehicleOut {
  id: string;
  uuid: string;
  plate_number: string | null;
  make: string | null;
  model: string | null;
}

type PartnerType = "contact" | "vendor";

interface PayloadOut {
  id: string;
  uuid: string;
  public_id: string;
  created_at: string;
  updated_at: string;
  version: number;
  order: string | null;
  state: "begun" | "closed" | "open";
  type: string | null;
  pickup: PlaceOut | null;
  dropoff: PlaceOut | null;
  return: PlaceOut | null;
  waypoints: Array<WaypointOut>;
  entities: Array<EntityOut>;
  current_waypoint: string | null;
  cod_amount: number | null;
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  cash_to_collect: CashToCollectOut | null;
  payment_method: string | null;
  meta: JsonObject;
}

interface PlaceOut {
  id: string;
  uuid: string;
  public_id: string;
  created_at: string;
  updated_at: string;
  version: number;
  name: string | null;
  address: string;
  street1: string | null;
  street2: string | null;
  city: string | null;
  province: string | null;
  postal_code: string | null;
  neighborhood: string | null;
  district: string | null;
  building: string | null;
  security_access_code: string | null;
  country: string | null;
  phone: string | null;
  type: string | null;
  owner_type: PlaceOwnerType;
  owner: string | null;
  location: GeoJsonPoint | null;
  geocoding: GeocodingOut | null;
  meta: JsonObject;
}

type PlaceOwnerType = "company" | "customer" | "order";

interface PointOut {
  type: "Point";
  coordinates: Array<number>;
}

type PriceStatus = "accepted" | "priced" | "unpriced";

interface ProofCodeSent {
  status: string;
  sent_to: string;
  expires_in: number;
  resend_after: number;
  expires_at: string;
}

type ProofMethod = "photo" | "scan" | "signature" | "sms";

type ProofSubjectType = "entity" | "order" | "waypoint";

interface RecipientOut {
  name: string;
  phone: string | null;
}

type ScanMismatch = "explain" | "refuse";

interface ShiftExceptionFields {
  date: string;
  until?: string | null;
  shifts?: Array<ShiftHoursFields>;
}

interface ShiftFields {
  start: string;
  end: string;
  breaks?: Array<BreakFields>;
  days: Array<Weekday>;
}

interface ShiftHoursFields {
  start: string;
  end: string;
  breaks?: Array<BreakFields>;
}

interface StopAhead {
  id: string;
  type: StopType;
  activity: string | null;
  done: boolean;
  attempts: number;
  undelivered: Undelivered | null;
  next: Array<string>;
  begin: Array<string>;
  activities: Array<ActivityAhead>;
}

type StopType = "dropoff" | "pickup";

type Undelivered = "hold" | "return";

type UndeliveredDecision = "hold" | "retry" | "return";

interface WaypointOut {
  id: string;
  uuid: string;
  public_id: string;
  created_at: string;
  updated_at: string;
  version: number;
  time_window_start: string | null;
  time_window_end: string | null;
  notes: string | null;
  pod_required: boolean;
  pod_method: ProofMethod | null;
  attempts: number;
  undelivered: Undelivered | null;
  delivery_instructions: DeliveryInstructions | null;
  rating: DeliveryRating | null;
  payload: string;
  order: number;
  type: StopType;
  place: PlaceOut;
  name: string | null;
  address: string;
  location: GeoJsonPoint | null;
  contact: string | null;
  recipient: RecipientOut | null;
  subflow: string | null;
  service_time: number | null;
  status_code: string | null;
  complete: boolean;
  completed_at: string | null;
  tracking: string | null;
  tracking_number: string | null;
  cod_amount: number | null;
  cod_currency: string | null;
  cod_payment_method: CodMethod | null;
  cash_to_collect: CashToCollectOut | null;
  meta: JsonObject;
}

type Weekday = "fri" | "mon" | "sat" | "sun" | "thu" | "tue" | "wed";

type WeightUnit = "g" | "kg" | "lb" | "oz";
