// Predicts an order's flow once the waiting entries are delivered, by the server's rules.
// `flow` is the response of GET /v1/orders/{id}/flow. Functions here return a new one.
const HEAD_CODES = ["created", "dispatched", "started"], BEFORE_START = ["created", "dispatched"];
/** @type {ActivityAhead} */
const RETURNED = {
  code: "returned", status: "Returned", details: "The goods are back.", sequence: 0, next: [], complete: true,
  pod_method: null, require_pod: false, pod_scope: "order", scan_mismatch: null, at: null, color: null, demands: [],
};

/** @type {(flow: FlowOut) => StopAhead | null} */
export const currentStop = (flow) => flow.waypoints.find((stop) => stop.id === flow.current_waypoint) ?? null;
// During a return, `returned` is the built-in activity. Otherwise a company may have its own of that name.
/** @type {(flow: FlowOut, code?: string) => ActivityAhead | null} */
export const findActivity = (flow, code) =>
  isReturning(flow) ? (code === RETURNED.code ? RETURNED : null)
    : (HEAD_CODES.includes(code ?? "") ? flow : (currentStop(flow) ?? flow)).activities.find((one) => one.code === code) ?? null;

/** @type {(stop: StopAhead) => boolean} */
const isCompleted = (stop) => stop.done && stop.undelivered !== "return";
/** @type {(stop: StopAhead) => boolean} */
const isRemaining = (stop) => !stop.done && !stop.undelivered;
/** @type {(flow: FlowOut) => FlowOut["undelivered"][]} */
const listUndelivered = (flow) => (flow.waypoints.length ? flow.waypoints.map((stop) => stop.undelivered) : [flow.undelivered]);
/** @type {(flow: FlowOut) => boolean} */
const hasReturns = (flow) => listUndelivered(flow).includes("return");
/** @type {(flow: FlowOut) => boolean} */
export const isReturning = (flow) => flow.open && hasReturns(flow) && flow.waypoints.every((stop) => stop.done);

// The next activities at a stop, and those of the whole order.
/** @type {(stop: StopAhead) => string[]} */
function nextAtStop(stop) {
  if (stop.undelivered) return [];
  return stop.activity === null ? stop.begin : (stop.activities.find((one) => one.code === stop.activity)?.next ?? []);
}
/** @type {(flow: FlowOut, code: string) => boolean} */
const isAtPickup = (flow, code) => Boolean(flow.activities.find((one) => one.code === code)?.at);
// Once the goods are collected, the steps at the pickup are left out.
/** @type {(flow: FlowOut, next: string[]) => string[]} */
function afterPickup(flow, next) {
  const others = next.filter((code) => !isAtPickup(flow, code));
  return others.length ? others : flow.activities.flatMap((one) => (one.at ? one.next : [])).filter((code) => !isAtPickup(flow, code));
}
/** @type {(flow: FlowOut) => string[]} */
function nextActivities(flow) {
  if (!flow.open) return [];
  if (isReturning(flow)) return [RETURNED.code];
  const stop = currentStop(flow);
  if (!stop && flow.undelivered) return [];
  const next = flow.activities.find((one) => one.code === flow.activity)?.next ?? [];
  if (!stop && flow.activity === "started" && !flow.collecting) return afterPickup(flow, next);
  if (!stop || BEFORE_START.includes(flow.activity)) return next;
  return nextAtStop(stop);
}
// Recalculate the fields that depend on others.
/** @type {(flow: FlowOut) => FlowOut} */
function recalculate(flow) {
  const open = flow.open && !(flow.waypoints.length && flow.waypoints.every(isCompleted));
  const updated = { ...flow, open, waypoints: flow.waypoints.map((stop) => ({ ...stop, next: open ? nextAtStop(stop) : [] })) };
  const found = listUndelivered(updated);
  updated.undelivered = found.includes("hold") ? "hold" : found.includes("return") ? "return" : null;
  updated.status = open ? updated.activity : updated.status === "canceled" ? "canceled" : "completed";
  return { ...updated, next: nextActivities(updated) };
}
/** @type {(flow: FlowOut, stop: StopAhead, changes: Partial<StopAhead>) => StopAhead[]} */
const replaceStop = (flow, stop, changes) => flow.waypoints.map((one) => (one === stop ? { ...one, ...changes } : one));

// Go to the first remaining stop, or with `beyond` to the next one after the current. If none is left, stay.
/** @type {(waypoints: StopAhead[], current: string, beyond?: boolean) => string} */
function nextStopId(waypoints, current, beyond = false) {
  const at = waypoints.findIndex((stop) => stop.id === current);
  const others = waypoints.filter((stop) => isRemaining(stop) && stop.id !== current);
  const found = (beyond && others.find((stop) => waypoints.indexOf(stop) > at)) || others[0];
  return found?.id ?? current;
}
// The destination can change until an activity has happened at the current stop.
/** @type {(flow: FlowOut, waypoint: string) => FlowOut} */
function setDestination(flow, waypoint) {
  const there = currentStop(flow), chosen = flow.waypoints.find((stop) => stop.id === waypoint && isRemaining(stop));
  if (!chosen || !flow.open || (there?.activity && !there.done)) return flow;
  return recalculate({ ...flow, current_waypoint: chosen.id });
}
// Apply an activity at the given stop. If that stop cannot be reached, it happened before: change nothing.
/** @type {(flow: FlowOut, waypoint: string | undefined, act: (there: FlowOut) => FlowOut) => FlowOut} */
function applyAtStop(flow, waypoint, act) {
  const there = waypoint && waypoint !== flow.current_waypoint ? setDestination(flow, waypoint) : flow;
  return waypoint && waypoint !== there.current_waypoint ? flow : act(there);
}

/** @type {(flow: FlowOut, code?: string) => FlowOut} */
function fireActivity(flow, code) {
  const activity = findActivity(flow, code), stop = currentStop(flow);
  // The server has already done it.
  if (!code || !activity || !flow.next.includes(code)) return flow;
  if (isReturning(flow)) {
    const delivered = flow.waypoints.some((one) => one.type === "dropoff" && isCompleted(one));
    return recalculate({ ...flow, activity: delivered ? code : flow.activity, open: false, status: delivered ? "completed" : "canceled" });
  }
  const collecting = flow.collecting && (HEAD_CODES.includes(code) || (Boolean(activity.at) && activity.next.some((next) => isAtPickup(flow, next))));
  if (!stop || HEAD_CODES.includes(code)) return recalculate({ ...flow, collecting, activity: code, open: stop !== null || !activity.complete });
  const waypoints = replaceStop(flow, stop, { activity: code, done: activity.complete });
  const advanced = recalculate({ ...flow, waypoints, activity: code });
  if (!activity.complete || !advanced.open) return advanced;
  return recalculate({ ...advanced, activity: "started", current_waypoint: nextStopId(waypoints, stop.id) });
}
// After a failed attempt, a stop is retried after the others, held for a decision, or its goods are returned.
/** @type {(flow: FlowOut, body?: EntryBody) => FlowOut} */
function failAttempt(flow, body) {
  if (!flow.next.length || isReturning(flow) || BEFORE_START.includes(flow.activity)) return flow;
  const then = body?.then ?? flow.failure_reasons?.find((one) => one.code === body?.reason)?.then ?? "hold";
  const undelivered = then === "retry" ? null : then, stop = currentStop(flow);
  const activities = then === "return" && !hasReturns(flow) ? [...flow.activities, RETURNED] : flow.activities;
  if (!stop) return recalculate({ ...flow, activities, activity: "started", undelivered });
  const waypoints = replaceStop(flow, stop, { activity: null, undelivered, done: then === "return", attempts: (stop.attempts ?? 0) + 1 });
  return recalculate({ ...flow, activities, waypoints, activity: "started", current_waypoint: nextStopId(waypoints, stop.id, true) });
}
// Mark the demands that a proof meets: those of the activity it names, or of the next ones.
/** @type {(flow: FlowOut, entry: Pick<Entry, "path" | "body">) => FlowOut} */
function meetDemands(flow, { path, body }) {
  const [, action, subject = flow.order] = /\/capture-(\w+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const method = action === "qr" ? "scan" : action;
  /** @type {(activity: ActivityAhead, next: string[]) => (demand: DemandAhead) => DemandAhead} */
  const markMet = (activity, next) => (demand) =>
    demand.subject_id === subject && demand.method === method && (body?.activity ? body.activity === activity.code : next.includes(activity.code))
      ? { ...demand, met: true } : demand;
  /** @type {(activities: ActivityAhead[], next: string[]) => ActivityAhead[]} */
  const markAll = (activities, next) => activities.map((one) => ({ ...one, demands: one.demands.map(markMet(one, next)) }));
  return {
    ...flow,
    activities: markAll(flow.activities, flow.next),
    waypoints: flow.waypoints.map((stop) => ({ ...stop, activities: markAll(stop.activities, stop.next) })),
  };
}

// Return the order after its cash was collected at a stop, or without stops.
/** @type {(order: OrderOut, entry: Pick<Entry, "path" | "body">) => OrderOut} */
export function applyCash(order, { path, body }) {
  if (!path.endsWith("/collect-cash")) return order;
  /** @type {(cash: CashToCollectOut | null) => CashToCollectOut | null} */
  const collect = (cash) => cash && { ...cash, collected: true };
  if (!body.stop) return { ...order, cash_to_collect: collect(order.cash_to_collect) };
  const waypoints = order.payload.waypoints.map((stop) => (stop.id === body.stop ? { ...stop, cash_to_collect: collect(stop.cash_to_collect) } : stop));
  return { ...order, payload: { ...order.payload, waypoints } };
}

// Return the flow after an outbox entry was delivered.
/** @type {(flow: FlowOut, entry: Pick<Entry, "path" | "body" | "kind">) => FlowOut} */
export function applyEntry(flow, { path, body, ...entry }) {
  if (!flow || (!flow.open && entry.kind !== "proof")) return flow;
  if (path.includes("/capture-")) return meetDemands(flow, { path, body });
  if (path.endsWith("/fail-attempt")) return applyAtStop(flow, body?.waypoint, (at) => failAttempt(at, body));
  if (path.endsWith("/start")) {
    const dispatched = body?.skip_dispatch && flow.activity === "created" ? recalculate({ ...flow, activity: "dispatched" }) : flow;
    return fireActivity(dispatched, "started");
  }
  const chosen = /\/set-destination\/([^/]+)$/.exec(path);
  if (chosen) return setDestination(flow, chosen[1]);
  if (path.endsWith("/complete")) return fireActivity(flow, flow.next.find((code) => findActivity(flow, code)?.complete));
  if (path.endsWith("/update-activity")) return applyAtStop(flow, body.waypoint, (at) => fireActivity(at, body.activity));
  return flow;
}
