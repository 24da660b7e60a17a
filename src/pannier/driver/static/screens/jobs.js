// Splits orders into jobs, one per stop, and sorts them by due time.
import { findActivity, isReturning } from "../projection.js";

const HEAD = ["created", "dispatched", "started"], RETURNED = "returned";
const NO_INSTRUCTIONS = { instructions: null, unread: false };
/** @type {(activities: ActivityAhead[], codes: string[]) => ActivityAhead[]} */
const findByCode = (activities, codes) => codes.map((code) => activities.find((one) => one.code === code)).filter(isPresent);
/** @template T @param {T | null | undefined} one @returns {one is T} */
const isPresent = (one) => Boolean(one);

// From orders.js: `order` as in /v1, and `flow` with waiting entries applied.
/** @typedef {Pick<Job, "order" | "flow" | "gone" | "refused" | "waiting"> & { stops?: DayStop[]; read?: Record<string, string> }} OrderState */
/** @type {(kept: OrderState) => Job[]} */
export function toJobs({ order, flow, gone, refused, waiting, stops, read }) {
  const { payload } = order, state = { order, flow, gone, refused, waiting, stops, read };
  if (!payload.waypoints.length) return toEndJobs(state);
  const present = flow.waypoints.find(({ id }) => id === flow.current_waypoint);
  /** @type {Job[]} */
  const jobs = payload.waypoints.map((waypoint) => {
    const ahead = flow.waypoints.find(({ id }) => id === waypoint.id);
    const current = present?.id === waypoint.id;
    const elsewhere = current || !present || present.activity === null || present.done ? null : present;
    return {
      ...state, ...findTurn(stops, waypoint.id, waypoint.type), waypoint, current,
      id: waypoint.id, kind: waypoint.type, place: waypoint.place, done: ahead?.done ?? waypoint.complete, undelivered: ahead?.undelivered ?? null,
      begun: Boolean(ahead?.activity),
      start: waypoint.time_window_start, end: waypoint.time_window_end,
      activity: ahead?.activities.find(({ code }) => code === ahead.activity) ?? null,
      next: isStarted(flow) ? (!elsewhere && ahead && !ahead.done ? stepsFirst(findByCode(ahead.activities, ahead.next)) : []) : headActivities(flow),
      first: isStarted(flow) && elsewhere ? elsewhere.id : null,
      notes: [waypoint.notes, order.notes].filter(isPresent),
      items: itemsAtStop(payload, waypoint),
      phone: contactPhone(order, waypoint), person: contactName(order, waypoint),
      cash: waypoint.cash_to_collect, ...findInstructions(waypoint, read),
    };
  });
  return isReturning(flow) ? [...jobs, toReturnJob(state)] : jobs;
}
// The place of a stop in the server's sequence of the day, and its ETA.
/** @type {(stops: DayStop[] | undefined, waypoint: string | null, kind: string) => Pick<Job, "turn" | "eta" | "computed" | "closes">} */
function findTurn(stops = [], waypoint, kind) {
  const found = stops.find((stop) => stop.waypoint === waypoint && stop.type === kind);
  return found ? { turn: found.turn, eta: found.eta, computed: found.computed, closes: found.time_window_end } : { turn: null, eta: null, computed: null, closes: null };
}
// What the recipient of a stop or an order asked for, and whether the driver has not confirmed it yet.
/** @type {(target: WaypointOut | OrderOut, read?: Record<string, string>) => Pick<Job, "instructions" | "unread">} */
function findInstructions({ id, delivery_instructions: given }, read) {
  return { instructions: given ?? null, unread: Boolean(given && read?.[id] !== given.requested_at) };
}
// At the only pickup, everything is handed over; elsewhere, the items with that destination.
/** @type {(payload: PayloadOut, waypoint: WaypointOut) => EntityOut[]} */
function itemsAtStop({ waypoints, entities }, { id, type }) {
  const own = entities.filter(({ destination }) => destination === id);
  const only = type === "pickup" && waypoints.filter((one) => one.type === "pickup").length === 1;
  return own.length || !only ? own : entities;
}
// An order without stops has a pickup, a drop-off or both. Without steps at the pickup, it is collected once started.
/** @type {(kept: OrderState) => Job[]} */
function toEndJobs(state) {
  const { order: { payload }, flow } = state, collected = isStarted(flow) && !flow.collecting;
  if (isReturning(flow)) return [toReturnJob(state)];
  const dropoff = toEndJob(state, "dropoff", collected || !payload.pickup);
  const pickup = payload.pickup && { ...toEndJob(state, "pickup", !collected), done: collected || !flow.open };
  if (!pickup || !payload.dropoff) return [pickup && !collected ? { ...pickup, id: "dropoff" } : dropoff];
  return [pickup, collected ? dropoff : { ...dropoff, next: [], first: pickup.id, undelivered: null }];
}
/** @type {(kept: OrderState, kind: "pickup" | "dropoff", current: boolean) => Job} */
function toEndJob(state, kind, current) {
  const { order, flow } = state, { payload } = order, delivers = kind === "dropoff";
  const place = payload[kind] ?? payload.pickup, code = flow.activities.find(({ code }) => code === flow.activity);
  return {
    ...state, ...findTurn(state.stops, null, kind), waypoint: null, current: current && isStarted(flow), id: kind, kind, place,
    begun: current && isStarted(flow) && flow.activity !== "started",
    done: !flow.open, undelivered: current ? flow.undelivered ?? null : null, start: delivers ? order.time_window_start : null, end: delivers ? order.time_window_end : null,
    activity: current ? code ?? null : null,
    next: current ? stepsFirst(findByCode(flow.activities, flow.next.filter((code) => code !== "dispatched"))) : [], first: null,
    notes: [order.notes].filter(isPresent), items: payload.entities,
    cash: delivers ? order.cash_to_collect : null, ...(delivers ? findInstructions(order, state.read) : NO_INSTRUCTIONS),
    phone: (delivers ? contactPhone(order, null) : null) ?? place?.phone ?? null, person: delivers ? contactName(order, null) : null,
  };
}
// The steps at the pickup come first.
/** @type {(activities: ActivityAhead[]) => ActivityAhead[]} */
const stepsFirst = (activities) => [...activities].sort((one, other) => Number(Boolean(other.at)) - Number(Boolean(one.at)));
// The last job: return what could not be delivered.
/** @type {(kept: OrderState) => Job} */
function toReturnJob(state) {
  const { order, flow } = state, { payload } = order;
  const place = payload.return ?? payload.pickup ?? payload.waypoints.find(({ type }) => type === "pickup")?.place ?? null;
  const back = flow.waypoints.filter(({ undelivered }) => undelivered === "return").map(({ id }) => id);
  return {
    ...state, ...findTurn([], null, "return"), waypoint: null, current: true, id: RETURNED, kind: "return", place, begun: false, done: false, undelivered: null, start: null, end: null,
    activity: null, next: [findActivity(flow, RETURNED)].filter(isPresent), first: null, notes: [], phone: place?.phone ?? null, person: null, cash: null, ...NO_INSTRUCTIONS,
    items: payload.entities.filter(({ destination }) => !back.length || (destination && back.includes(destination))),
  };
}
/** @type {(flow: FlowOut) => boolean} */
const isStarted = (flow) => !HEAD.slice(0, 2).includes(flow.activity);
/** @type {(flow: FlowOut) => ActivityAhead[]} */
const headActivities = (flow) => findByCode(flow.activities, flow.next.filter((code) => code !== "dispatched"));
// The contact at a stop: its recipient, otherwise the customer, except at a pickup.
/** @type {(order: OrderOut, waypoint: WaypointOut | null) => { name: string; phone: string | null } | null} */
const findContact = (order, waypoint) => waypoint?.recipient ?? (waypoint?.type === "pickup" ? null : order.customer);
/** @type {(order: OrderOut, waypoint: WaypointOut | null) => string | null} */
const contactName = (order, waypoint) => findContact(order, waypoint)?.name ?? null;
/** @type {(order: OrderOut, waypoint: WaypointOut | null) => string | null} */
const contactPhone = (order, waypoint) => findContact(order, waypoint)?.phone ?? waypoint?.place.phone ?? null;

// A stop without a time window is due when its order is. A pickup is due before its order's drop-off.
/** @type {(job: Job) => number} */
const dueTime = (job) => (job.kind === "return" ? Infinity : Date.parse(job.end ?? job.start ?? orderWindow(job).end ?? job.order.scheduled_at ?? job.order.created_at));
/** @type {(job: Job) => { start: string | null; end: string | null }} */
const orderWindow = ({ id, order }) => (id === "pickup" ? { start: order.time_window_start, end: order.time_window_end ?? order.time_window_start } : { start: null, end: null });
/** @type {(job: Job) => string | null} */
export const startTime = (job) => job.start ?? orderWindow(job).start ?? job.order.scheduled_at;

// Within an order: the current stop first, stops that wait for a decision last.
/** @type {(job: Job) => number} */
const rank = ({ current, undelivered }) => (undelivered ? 2 : current ? 0 : 1);
/** @type {(job: Job) => number} */
const turnOf = ({ turn }) => turn ?? Number.MAX_SAFE_INTEGER;

// Merge all open jobs into one list, with begun jobs first. The server's sequence of the day is kept. Orders that it
// does not have yet are merged by due time. Each order's own sequence is kept too, because the phone knows best what
// has happened.
/** @type {(orders: Job[][]) => Job[]} */
export function sortJobs(orders) {
  const open = orders.map((jobs) => jobs.filter(({ done }) => !done).sort((one, other) => rank(one) - rank(other) || turnOf(one) - turnOf(other)));
  /** @type {(jobs: Job[]) => boolean} */
  const hasTurn = (jobs) => jobs.some(({ turn }) => turn !== null);
  const queues = [followTurns(open.filter(hasTurn)), ...open.filter((jobs) => !hasTurn(jobs))].filter((jobs) => jobs.length);
  /** @type {Job[]} */
  const turn = [];
  while (queues.length) {
    queues.sort(([one], [other]) => Number(other.begun) - Number(one.begun) || (dueTime(one) > dueTime(other) ? 1 : -1));
    turn.push(...queues[0].splice(0, 1));
    if (!queues[0].length) queues.shift();
  }
  return turn;
}
// Merge orders by the server's sequence: the jobs of an order take the places that the server gave them, in turn.
/** @type {(orders: Job[][]) => Job[]} */
function followTurns(orders) {
  const places = orders.flatMap((jobs) => {
    const turns = jobs.flatMap(({ turn }) => turn ?? []).sort((one, other) => one - other);
    return jobs.map((job, at) => ({ turn: turns[Math.min(at, turns.length - 1)], job }));
  });
  const sequence = places.sort((one, other) => one.turn - other.turn).map(({ job }) => job);
  return [...sequence.filter(({ begun }) => begun), ...sequence.filter(({ begun }) => !begun)];
}

/** @type {(job: Pick<Job, "place" | "order">) => string} */
export const jobTitle = ({ place, order }) => place?.name || place?.street1 || place?.address || orderNumber({ order });
/** @type {(job: Pick<Job, "kind">) => string} */
export const kindIcon = ({ kind }) => ({ pickup: "package", dropoff: "map-pin", return: "undo-2" })[kind];
// The server formats addresses. The country is omitted unless the order leads to another one.
/** @type {(place: PlaceOut, order: OrderOut) => string} */
export function formatAddress({ address, country }, { payload }) {
  const places = [payload.pickup, payload.dropoff, ...payload.waypoints.map((stop) => stop.place)];
  const isAbroad = places.some((place) => place?.country && place.country !== country);
  return isAbroad || !address.endsWith(`, ${country}`) ? address : address.slice(0, -`, ${country}`.length);
}
// The address without the title of the job.
/** @type {(job: Pick<Job, "place" | "order">) => string} */
export function addressLine({ place, order }) {
  if (!place) return "";
  const whole = formatAddress(place, order), title = jobTitle({ place, order });
  return place.name ? whole : whole.startsWith(title) ? whole.slice(title.length).replace(/^, /, "") : "";
}
/** @type {(kept: { order: Pick<OrderOut, "id" | "internal_id" | "tracking_number"> }) => string} */
export const orderNumber = ({ order }) => order.internal_id || order.tracking_number?.tracking_number || order.id;

// The OpenAPI document declares GeoJSON only as an object.
/** @type {(place: PlaceOut | null) => PointOut | null} */
export const toPoint = (place) => /** @type {PointOut | null} */ (/** @type {unknown} */ (place?.location ?? null));

// Link to the phone's own maps app.
/** @type {(job: Pick<Job, "place">) => string} */
export function navigationLink({ place }) {
  const at = toPoint(place)?.coordinates, label = encodeURIComponent(place?.address ?? "");
  if (/iPhone|iPad|Macintosh/.test(navigator.userAgent)) return `https://maps.apple.com/?daddr=${at ? `${at[1]},${at[0]}` : label}`;
  return at ? `geo:${at[1]},${at[0]}?q=${at[1]},${at[0]}(${label})` : `geo:0,0?q=${label}`;
}
