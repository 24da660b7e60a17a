// Orders as a driver works them: stop by stop, in the order in which they are due.
import { activityOf, returning as goingBack } from "../projection.js";

const HEAD = ["created", "dispatched", "started"], RETURNED = "returned";
/** @type {(activities: ActivityAhead[], codes: string[]) => ActivityAhead[]} */
const byCode = (activities, codes) => codes.map((code) => activities.find((one) => one.code === code)).filter(isPresent);
/** @template T @param {T | null | undefined} one @returns {one is T} */
const isPresent = (one) => Boolean(one);

// Of what orders.js keeps: `order` as /v1 tells it, `flow` as it stands with what waits to be sent.
/** @typedef {Pick<Job, "order" | "flow" | "gone" | "refused" | "waiting">} Kept */
/** @type {(kept: Kept) => Job[]} */
export function jobsOf({ order, flow, gone, refused, waiting }) {
  const { payload } = order, kept = { order, flow, gone, refused, waiting };
  if (!payload.waypoints.length) return [whole(kept)];
  const present = flow.waypoints.find(({ id }) => id === flow.current_waypoint);
  /** @type {Job[]} */
  const stops = payload.waypoints.map((waypoint) => {
    const ahead = flow.waypoints.find(({ id }) => id === waypoint.id);
    const current = present?.id === waypoint.id;
    const elsewhere = current || !present || present.activity === null || present.done ? null : present;
    return {
      ...kept, waypoint, current,
      id: waypoint.id, kind: waypoint.type, place: waypoint.place, done: ahead?.done ?? waypoint.complete, undelivered: ahead?.undelivered ?? null,
      begun: Boolean(ahead?.activity),
      start: waypoint.time_window_start, end: waypoint.time_window_end,
      activity: ahead?.activities.find(({ code }) => code === ahead.activity) ?? null,
      next: begun(flow) ? (!elsewhere && ahead && !ahead.done ? byCode(ahead.activities, ahead.next) : []) : head(flow),
      first: begun(flow) && elsewhere ? elsewhere.id : null,
      notes: [waypoint.notes, order.notes].filter(isPresent),
      items: handled(payload, waypoint),
      phone: phoneOf(order, waypoint), person: personOf(order, waypoint),
    };
  });
  return goingBack(flow) ? [...stops, returning(kept)] : stops;
}
// What is handed over at a stop; where all is collected, that is everything.
/** @type {(payload: PayloadOut, waypoint: WaypointOut) => EntityOut[]} */
function handled({ waypoints, entities }, { id, type }) {
  const own = entities.filter(({ destination }) => destination === id);
  const only = type === "pickup" && waypoints.filter((one) => one.type === "pickup").length === 1;
  return own.length || !only ? own : entities;
}
// An order without stops of its own: collected until it is started, delivered from then on.
/** @type {(kept: Kept) => Job} */
function whole(kept) {
  const { order, flow } = kept, { payload } = order;
  if (goingBack(flow)) return returning(kept);
  const collected = begun(flow) || !payload.pickup;
  const place = (collected ? payload.dropoff : payload.pickup) ?? payload.pickup;
  return {
    ...kept, waypoint: null, current: begun(flow), id: "order", kind: collected ? "dropoff" : "pickup", place,
    begun: begun(flow) && flow.activity !== "started",
    done: !flow.open, undelivered: flow.undelivered ?? null, start: order.time_window_start, end: order.time_window_end,
    activity: flow.activities.find(({ code }) => code === flow.activity) ?? null,
    next: byCode(flow.activities, flow.next.filter((code) => code !== "dispatched")), first: null,
    notes: [order.notes].filter(isPresent), items: payload.entities,
    phone: (collected ? phoneOf(order, null) : null) ?? place?.phone ?? null, person: collected ? personOf(order, null) : null,
  };
}
// What could not be delivered is taken back, at the end.
/** @type {(kept: Kept) => Job} */
function returning(kept) {
  const { order, flow } = kept, { payload } = order;
  const place = payload.return ?? payload.pickup ?? payload.waypoints.find(({ type }) => type === "pickup")?.place ?? null;
  const back = flow.waypoints.filter(({ undelivered }) => undelivered === "return").map(({ id }) => id);
  return {
    ...kept, waypoint: null, current: true, id: RETURNED, kind: "return", place, begun: false, done: false, undelivered: null, start: null, end: null,
    activity: null, next: [activityOf(flow, RETURNED)].filter(isPresent), first: null, notes: [], phone: place?.phone ?? null, person: null,
    items: payload.entities.filter(({ destination }) => !back.length || (destination && back.includes(destination))),
  };
}
/** @type {(flow: FlowOut) => boolean} */
const begun = (flow) => !HEAD.slice(0, 2).includes(flow.activity);
/** @type {(flow: FlowOut) => ActivityAhead[]} */
const head = (flow) => byCode(flow.activities, flow.next.filter((code) => code !== "dispatched"));
// Whom to ask for at a stop: its own recipient, or else whom the order is for, who is not where it is collected.
/** @type {(order: OrderOut, waypoint: WaypointOut | null) => { name: string; phone: string | null } | null} */
const whom = (order, waypoint) => waypoint?.recipient ?? (waypoint?.type === "pickup" ? null : order.customer);
/** @type {(order: OrderOut, waypoint: WaypointOut | null) => string | null} */
const personOf = (order, waypoint) => whom(order, waypoint)?.name ?? null;
/** @type {(order: OrderOut, waypoint: WaypointOut | null) => string | null} */
const phoneOf = (order, waypoint) => whom(order, waypoint)?.phone ?? waypoint?.place.phone ?? null;

// When a stop is due, as a number; what has no time comes where its order does.
/** @type {(job: Job) => number} */
const due = (job) => (job.kind === "return" ? Infinity : Date.parse(job.end ?? job.start ?? job.order.scheduled_at ?? job.order.created_at));

// Within an order: where the driver is, then its own turn, then what waits for a decision.
/** @type {(job: Job) => number} */
const rank = ({ current, undelivered }) => (undelivered ? 2 : current ? 0 : 1);

// One list of all stops to do: what has begun first, each order's own turn kept.
/** @type {(orders: Job[][]) => Job[]} */
export function inTurn(orders) {
  const queues = orders.map((jobs) => {
    const open = jobs.filter(({ done }) => !done);
    return open.sort((one, other) => rank(one) - rank(other));
  }).filter((jobs) => jobs.length);
  /** @type {Job[]} */
  const turn = [];
  while (queues.length) {
    queues.sort(([one], [other]) => Number(other.begun) - Number(one.begun) || (due(one) > due(other) ? 1 : -1));
    turn.push(...queues[0].splice(0, 1));
    if (!queues[0].length) queues.shift();
  }
  return turn;
}

/** @type {(job: Pick<Job, "place" | "order">) => string} */
export const title = ({ place, order }) => place?.name || place?.street1 || place?.address || number({ order });
/** @type {(job: Pick<Job, "kind">) => string} */
export const drawn = ({ kind }) => ({ pickup: "package", dropoff: "map-pin", return: "undo-2" })[kind];
/** @type {(job: Pick<Job, "place">) => string} */
export function address({ place }) {
  const whole = place?.address ?? "", street = place?.street1;
  return place?.name ? whole : street && whole.startsWith(street) ? whole.slice(street.length).replace(/^, /, "") : "";
}
/** @type {(kept: { order: Pick<OrderOut, "id" | "internal_id" | "tracking_number"> }) => string} */
export const number = ({ order }) => order.internal_id ?? order.tracking_number?.tracking_number ?? order.id;

// The position of a place: the interface's document types GeoJSON only as an object.
/** @type {(place: PlaceOut | null) => Spot | null} */
export const spotOf = (place) => /** @type {Spot | null} */ (/** @type {unknown} */ (place?.location ?? null));

// Where the phone's own maps show the way.
/** @type {(job: Pick<Job, "place">) => string} */
export function navigation({ place }) {
  const at = spotOf(place)?.coordinates, label = encodeURIComponent(place?.address ?? "");
  if (/iPhone|iPad|Macintosh/.test(navigator.userAgent)) return `https://maps.apple.com/?daddr=${at ? `${at[1]},${at[0]}` : label}`;
  return at ? `geo:${at[1]},${at[0]}?q=${at[1]},${at[0]}(${label})` : `geo:0,0?q=${label}`;
}
