// What the driver's app keeps and passes around. What the server answers is in api.d.ts.

type Method = DemandAhead["method"];

// A proof that is still needed; `activity` is what needs it, `turn` its place among several.
interface Demand {
  subject_type: string;
  subject_id: string;
  method: Method;
  met?: boolean;
  activity?: string;
  turn?: string;
}

// An order as far as capturing needs it; signing in scans a code before there is any.
interface CaptureOrder {
  id: string;
  customer?: { name: string } | null;
  flow?: Partial<FlowOut>;
  payload?: { waypoints: WaypointOut[]; entities: EntityOut[]; dropoff: Partial<PlaceOut> | null };
}

// `field` is the form field it is sent in, unless the path says that.
interface Picture {
  field?: string;
  name?: string;
  blob: Blob;
}

type Summary = string | { key: string; values?: Values };
type Values = Record<string, string | number | undefined>;

interface Capture {
  id: string;
  path: string;
  body: EntryBody;
  pictures: Picture[];
  summary: Summary;
  drafts: string[];
  sent: boolean;
}

// Stores a capture; false means that it was not stored.
type Keep = (made: Capture, demand: Demand) => unknown;
type Close<T> = (value?: T | null) => void;

interface EntryBody {
  activity?: string;
  waypoint?: string;
  reason?: string;
  then?: FailureReason["then"];
  skip_dispatch?: boolean;
  online?: boolean;
  captured_at?: string;
  code?: string;
  remarks?: string;
  signer_name?: string;
  signer_relationship?: string;
  data?: { sources?: string[] };
  [name: string]: unknown;
}

interface Problem {
  code?: string;
  title?: string;
  detail?: string;
  status?: number;
  fields?: { path: string; message: string }[];
  attempts_left?: number;
}

interface Answer<Body = unknown> {
  reached: boolean;
  fromApi: boolean;
  status: number;
  retryAfter: number;
  body?: Body | null;
  problem?: Problem | null;
  next?: string | null;
}

type EntryKind = "activity" | "proof" | "attempt" | "issue" | "duty" | "sms";

interface Entry {
  id: string;
  key: string;
  kind: EntryKind;
  order: string | null;
  by: string | null;
  method: string;
  path: string;
  body: EntryBody;
  pictures: { id: string; field: string; name: string }[];
  summary: Summary;
  at: string;
  skew: number;
  sequence: number;
  state: "waiting" | "refused";
  tries: number;
  turns?: number;
  problem: Problem | null;
  refused_at?: string | null;
}
// `behind` is the entry that must arrive first.
type QueuedEntry = Entry & { behind: string | null };

// What the outbox is given; the rest of an entry it makes itself.
interface NewEntry {
  kind: EntryKind;
  order?: string | null;
  method?: string;
  path: string;
  body?: EntryBody;
  pictures?: (Picture | Blob)[];
  summary?: Summary;
  drafts?: string[];
  draft?: Draft;
  before?: { sequence: number };
  id?: string;
}

interface Fix {
  latitude: number;
  longitude: number;
  accuracy: number;
  heading: number | null;
  speed: number | null;
  at: number;
}

interface Stroke {
  points: { x: number; y: number; time: number; pressure: number }[];
}

interface Draft {
  id: string;
  by?: string | null;
  at?: number;
  fields: Record<string, string>;
  taken?: { blob: Blob; source: string }[];
  strokes?: Stroke[];
  size?: Record<string, string | undefined>;
  pictured?: boolean;
  again?: boolean;
  over?: boolean;
}

// `settled` counts what arrived at the server, `seen` what of that the flow includes.
interface StoredOrder {
  id: string;
  order: OrderOut;
  flow: FlowOut;
  place: number;
  settled: number;
  seen: number;
  gone: boolean;
  at: number;
  ended?: string;
}
type ProjectedOrder = StoredOrder & { waiting: number; refused: number };

// The stores of the phone's database, and the small facts in one of them.
interface Stores {
  state: { name: string; value: unknown };
  orders: StoredOrder;
  outbox: Entry;
  pictures: { id: string; blob: Blob };
  places: { id: string; by: string | null; fix: Record<string, unknown> };
  drafts: Draft;
}
interface StateValues {
  key?: string;
  token?: string;
  "token-refused"?: string;
  driver?: DriverOut;
  duty?: boolean;
  device?: string;
  skew?: number;
  pause?: number;
  pulled?: number;
}

// A stop of an order, or an order without stops, as a driver works it.
interface Job {
  order: OrderOut;
  flow: FlowOut;
  gone: boolean;
  refused: number;
  waiting: number;
  waypoint: WaypointOut | null;
  current: boolean;
  id: string;
  kind: "pickup" | "dropoff" | "return";
  place: PlaceOut | null;
  done: boolean;
  undelivered: "hold" | "return" | null;
  begun: boolean;
  start: string | null;
  end: string | null;
  activity: ActivityAhead | null;
  next: ActivityAhead[];
  first: string | null;
  notes: string[];
  items: EntityOut[];
  phone: string | null;
  person: string | null;
}

interface Code {
  text: string;
  symbology?: string;
  typed?: boolean;
  reason?: string;
}

// What some browsers have, and TypeScript does not declare.
interface ServiceWorkerRegistration {
  sync?: { register(tag: string): Promise<void> };
}
