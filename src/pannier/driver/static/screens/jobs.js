// Orders as a driver works them: stop by stop, in the order in which they are due.
import { activityOf, returning as goingBack } from "../projection.js";

const HEAD = ["created", "dispatched", "started"], RETURNED = "returned";
const byCode = (activities, codes) => codes.map((code) => activities.find((one) => one.code === code)).filter(Boolean);

// Of what orders.js keeps: `order` as /v1 tells it, `flow` as it stands with what waits to be sent.
export function jobsOf({ order, flow, gone, refused, waiting }) {
  const { payload } = order, kept = { order, flow, gone, refused, waiting };
  if (!payload.waypoints.length) return [whole(kept)];
  const present = flow.waypoints.find(({ id }) => id === flow.current_waypoint);
  const stops = payload.waypoints.map((waypoint) => {
    const ahead = flow.waypoints.find(({ id }) => id === waypoint.id);
    const current = present?.id === waypoint.id;
    const free = current || !present || present.activity === null || present.done;
    return {
      ...kept, waypoint, current,
      id: waypoint.id, kind: waypoint.type, place: waypoint.place, done: ahead?.done ?? waypoint.complete, undelivered: ahead?.undelivered ?? null,
      begun: Boolean(ahead?.activity),
      start: waypoint.time_window_start, end: waypoint.time_window_end,
      activity: ahead?.activities.find(({ code }) => code === ahead.activity) ?? null,
      next: begun(flow) ? (free && ahead && !ahead.done ? byCode(ahead.activities, ahead.next) : []) : head(flow),
      first: begun(flow) && !free ? present.id : null,
      notes: [waypoint.notes, order.notes].filter(Boolean),
      items: handled(payload, waypoint),
      phone: phoneOf(order, waypoint), person: personOf(order, waypoint),
    };
  });
  return goingBack(flow) ? [...stops, returning(kept)] : stops;
}
// What is handed over at a stop; where all is collected, that is everything.
function handled({ waypoints, entities }, { id, type }) {
  const own = entities.filter(({ destination }) => destination === id);
  const only = type === "pickup" && waypoints.filter((one) => one.type === "pickup").length === 1;
  return own.length || !only ? own : entities;
}
// An order without stops of its own: collected until it is started, delivered from then on.
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
    notes: [order.notes].filter(Boolean), items: payload.entities,
    phone: collected ? phoneOf(order, null) ?? place?.phone : place?.phone ?? null, person: collected ? personOf(order, null) : null,
  };
}
// What could not be delivered is taken back, at the end.
function returning(kept) {
  const { order, flow } = kept, { payload } = order;
  const place = payload.return ?? payload.pickup ?? payload.waypoints.find(({ type }) => type === "pickup")?.place ?? null;
  const back = flow.waypoints.filter(({ undelivered }) => undelivered === "return").map(({ id }) => id);
  return {
    ...kept, waypoint: null, current: true, id: RETURNED, kind: "return", place, begun: false, done: false, undelivered: null, start: null, end: null,
    activity: null, next: [activityOf(flow, RETURNED)], first: null, notes: [], phone: place?.phone ?? null, person: null,
    items: payload.entities.filter(({ destination }) => !back.length || back.includes(destination)),
  };
}
const begun = (flow) => !HEAD.slice(0, 2).includes(flow.activity);
const head = (flow) => byCode(flow.activities, flow.next.filter((code) => code !== "dispatched"));
// Whom to ask for at a stop: its own recipient, or else whom the order is for, who is not where it is collected.
const whom = (order, waypoint) => waypoint?.recipient ?? (waypoint?.type === "pickup" ? null : order.customer);
const personOf = (order, waypoint) => whom(order, waypoint)?.name ?? null;
const phoneOf = (order, waypoint) => whom(order, waypoint)?.phone ?? waypoint?.place.phone ?? null;

// When a stop is due, as a number; what has no time comes where its order does.
const due = (job) => (job.kind === "return" ? Infinity : Date.parse(job.end ?? job.start ?? job.order.scheduled_at ?? job.order.created_at));

// Within an order: where the driver is, then its own turn, then what waits for a decision.
const rank = ({ current, undelivered }) => (undelivered ? 2 : current ? 0 : 1);

// One list of all stops to do: what has begun first, each order's own turn kept.
export function inTurn(orders) {
  const queues = orders.map((jobs) => {
    const open = jobs.filter(({ done }) => !done);
    return open.sort((one, other) => rank(one) - rank(other));
  }).filter((jobs) => jobs.length);
  const turn = [];
  while (queues.length) {
    queues.sort(([one], [other]) => Number(other.begun) - Number(one.begun) || (due(one) > due(other) ? 1 : -1));
    turn.push(queues[0].shift());
    if (!queues[0].length) queues.shift();
  }
  return turn;
}

export const title = ({ place, order }) => place?.name || place?.street1 || place?.address || number({ order });
export const drawn = ({ kind }) => ({ pickup: "package", dropoff: "map-pin", return: "undo-2" })[kind];
export function address({ place }) {
  const whole = place?.address ?? "";
  return place?.name ? whole : whole.startsWith(place?.street1) ? whole.slice(place.street1.length).replace(/^, /, "") : "";
}
export const number = ({ order }) => order.internal_id ?? order.tracking_number?.tracking_number ?? order.id;

// Where the phone's own maps show the way.
export function navigation({ place }) {
  const at = place?.location?.coordinates, label = encodeURIComponent(place?.address ?? "");
  if (/iPhone|iPad|Macintosh/.test(navigator.userAgent)) return `https://maps.apple.com/?daddr=${at ? `${at[1]},${at[0]}` : label}`;
  return at ? `geo:${at[1]},${at[0]}?q=${at[1]},${at[0]}(${label})` : `geo:0,0?q=${label}`;
}
