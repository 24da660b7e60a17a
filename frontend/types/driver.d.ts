// Types that the driver's app stores and passes around. Server responses are in api.d.ts.

type Method = DemandAhead["method"];

// A proof that is still missing. `activity` requires it; `turn` is its position, such as "2 of 3".
interface Demand {
  subject_type: string;
  subject_id: string;
  method: Method;
  met?: boolean;
  activity?: string;
  turn?: string;
}

// The parts of an order that capturing needs. Sign-in scans a code before any order exists.
interface CaptureOrder {
  id: string;
  customer?: { name: string } | null;
  flow?: Partial<FlowOut>;
  payload?: { waypoints: WaypointOut[]; entities: EntityOut[]; dropoff: Partial<PlaceOut> | null };
}

// `field` is the form field that the picture is sent in. By default, the path decides.
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

// Stores a capture. Returns false if it was not stored.
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

type EntryKind = "activity" | "proof" | "attempt" | "issue" | "duty" | "sms" | "cash" | "message" | "sos";

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
// `behind` is the id of the entry that must be delivered first.
type QueuedEntry = Entry & { behind: string | null };

// A delivered entry, in the history of the day.
type Done = Pick<Entry, "id" | "by" | "kind" | "summary" | "at"> & { number: string; sent?: number };

// The input for a new entry. The outbox fills in the rest.
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

// `settled` counts this order's delivered entries, `seen` those that `flow` includes.
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
  // By stop or order: the time of the instructions that the driver has confirmed.
  read?: Record<string, string>;
  // Undefined until it was fetched.
  route?: RouteLine | null;
}
interface RouteLine {
  type: string;
  coordinates: number[][];
}
// A stop in the server's sequence of the day, with its place there and the time of its ETA.
type DayStop = DriverStopOut & { turn: number; computed: string | null };
type ProjectedOrder = StoredOrder & { stops: DayStop[]; waiting: number; refused: number };

// The stores of the IndexedDB database, and the values in its `state` store.
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
  day?: DriverStopsOut;
  history?: Done[];
  recorded?: { at: number; activities: DriverActivityOut[] };
  cash?: DriverCashOut;
  messages?: DriverMessageOut[];
}

// A stop of an order, or a whole order without stops.
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
  turn: number | null;
  eta: string | null;
  computed: string | null;
  closes?: string | null;
  activity: ActivityAhead | null;
  next: ActivityAhead[];
  first: string | null;
  notes: string[];
  items: EntityOut[];
  phone: string | null;
  person: string | null;
  cash: CashToCollectOut | null;
  instructions: DeliveryInstructions | null;
  unread: boolean;
}

interface Code {
  text: string;
  symbology?: string;
  typed?: boolean;
  reason?: string;
  photo?: Blob;
  drafts?: string[];
}

// Supported by some browsers, and not declared by TypeScript.
interface ServiceWorkerRegistration {
  sync?: { register(tag: string): Promise<void> };
}
