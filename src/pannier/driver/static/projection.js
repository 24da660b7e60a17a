// Where an order will stand once what waits has arrived: the rules of the server's flow, on the phone.
// `flow` is the answer of GET /v1/orders/{id}/flow; nothing here changes it, a new one is answered.
const HEAD = ["created", "dispatched", "started"], BEFORE = ["created", "dispatched"];
/** @type {ActivityAhead} */
const RETURNED = {
  code: "returned", status: "Returned", details: "The goods are back.", sequence: 0, next: [], complete: true,
  pod_method: null, require_pod: false, pod_scope: "order", color: null, demands: [],
};

/** @type {(flow: FlowOut) => StopAhead | null} */
export const present = (flow) => flow.waypoints.find((stop) => stop.id === flow.current_waypoint) ?? null;
// Once all that is left goes back, `returned` is ours; before, it is a company's own, from when it was not reserved.
/** @type {(flow: FlowOut, code?: string) => ActivityAhead | null} */
export const activityOf = (flow, code) =>
  returning(flow) ? (code === RETURNED.code ? RETURNED : null)
    : (HEAD.includes(code ?? "") ? flow : (present(flow) ?? flow)).activities.find((one) => one.code === code) ?? null;

/** @type {(stop: StopAhead) => boolean} */
const completed = (stop) => stop.done && stop.undelivered !== "return";
/** @type {(stop: StopAhead) => boolean} */
const left = (stop) => !stop.done && !stop.undelivered;
/** @type {(flow: FlowOut) => FlowOut["undelivered"][]} */
const failures = (flow) => (flow.waypoints.length ? flow.waypoints.map((stop) => stop.undelivered) : [flow.undelivered]);
/** @type {(flow: FlowOut) => boolean} */
const goesBack = (flow) => failures(flow).includes("return");
/** @type {(flow: FlowOut) => boolean} */
export const returning = (flow) => flow.open && goesBack(flow) && flow.waypoints.every((stop) => stop.done);

// What may happen at a stop now, and what on the order as a whole.
/** @type {(stop: StopAhead) => string[]} */
function nextAt(stop) {
  if (stop.undelivered) return [];
  return stop.activity === null ? stop.begin : (stop.activities.find((one) => one.code === stop.activity)?.next ?? []);
}
/** @type {(flow: FlowOut) => string[]} */
function following(flow) {
  if (!flow.open) return [];
  if (returning(flow)) return [RETURNED.code];
  const stop = present(flow);
  if (!stop && flow.undelivered) return [];
  if (!stop || BEFORE.includes(flow.activity)) return flow.activities.find((one) => one.code === flow.activity)?.next ?? [];
  return nextAt(stop);
}
// Put right what follows from the rest.
/** @type {(flow: FlowOut) => FlowOut} */
function settled(flow) {
  const open = flow.open && !(flow.waypoints.length && flow.waypoints.every(completed));
  const stands = { ...flow, open, waypoints: flow.waypoints.map((stop) => ({ ...stop, next: open ? nextAt(stop) : [] })) };
  const found = failures(stands);
  stands.undelivered = found.includes("hold") ? "hold" : found.includes("return") ? "return" : null;
  stands.status = open ? stands.activity : stands.status === "canceled" ? "canceled" : "completed";
  return { ...stands, next: following(stands) };
}
/** @type {(flow: FlowOut, stop: StopAhead, changes: Partial<StopAhead>) => StopAhead[]} */
const replaced = (flow, stop, changes) => flow.waypoints.map((one) => (one === stop ? { ...one, ...changes } : one));

// From a stop one goes on to the first that is left, or to the next one after it; or else one stays.
/** @type {(waypoints: StopAhead[], current: string, beyond?: boolean) => string} */
function onward(waypoints, current, beyond = false) {
  const at = waypoints.findIndex((stop) => stop.id === current);
  const others = waypoints.filter((stop) => left(stop) && stop.id !== current);
  const found = (beyond && others.find((stop) => waypoints.indexOf(stop) > at)) || others[0];
  return found?.id ?? current;
}
// Go to another stop, which is possible until something has happened at the present one.
/** @type {(flow: FlowOut, waypoint: string) => FlowOut} */
function headed(flow, waypoint) {
  const there = present(flow), chosen = flow.waypoints.find((stop) => stop.id === waypoint && left(stop));
  if (!chosen || !flow.open || (there?.activity && !there.done)) return flow;
  return settled({ ...flow, current_waypoint: chosen.id });
}
// Something happens at the stop that is named; where one cannot be there, it happened before, and no other stop is meant.
/** @type {(flow: FlowOut, waypoint: string | undefined, act: (there: FlowOut) => FlowOut) => FlowOut} */
function being(flow, waypoint, act) {
  const there = waypoint && waypoint !== flow.current_waypoint ? headed(flow, waypoint) : flow;
  return waypoint && waypoint !== there.current_waypoint ? flow : act(there);
}

/** @type {(flow: FlowOut, code?: string) => FlowOut} */
function fired(flow, code) {
  const activity = activityOf(flow, code), stop = present(flow);
  // What the server has done already is not done twice.
  if (!code || !activity || !flow.next.includes(code)) return flow;
  if (returning(flow)) {
    const delivered = flow.waypoints.some((one) => one.type === "dropoff" && completed(one));
    return settled({ ...flow, activity: delivered ? code : flow.activity, open: false, status: delivered ? "completed" : "canceled" });
  }
  if (!stop || HEAD.includes(code)) return settled({ ...flow, activity: code, open: stop !== null || !activity.complete });
  const waypoints = replaced(flow, stop, { activity: code, done: activity.complete });
  const moved = settled({ ...flow, waypoints, activity: code });
  if (!activity.complete || !moved.open) return moved;
  return settled({ ...moved, activity: "started", current_waypoint: onward(waypoints, stop.id) });
}
// An attempt that failed: the stop begins anew after the others, waits for a decision, or its goods go back.
/** @type {(flow: FlowOut, body?: EntryBody) => FlowOut} */
function failed(flow, body) {
  if (!flow.next.length || returning(flow) || BEFORE.includes(flow.activity)) return flow;
  const then = body?.then ?? flow.failure_reasons?.find((one) => one.code === body?.reason)?.then ?? "hold";
  const undelivered = then === "retry" ? null : then, stop = present(flow);
  const activities = then === "return" && !goesBack(flow) ? [...flow.activities, RETURNED] : flow.activities;
  if (!stop) return settled({ ...flow, activities, activity: "started", undelivered });
  const waypoints = replaced(flow, stop, { activity: null, undelivered, done: then === "return", attempts: (stop.attempts ?? 0) + 1 });
  return settled({ ...flow, activities, waypoints, activity: "started", current_waypoint: onward(waypoints, stop.id, true) });
}
// A proof meets what is demanded of its subject: by the activity that it names, or by what is next.
/** @type {(flow: FlowOut, entry: Pick<Entry, "path" | "body">) => FlowOut} */
function proved(flow, { path, body }) {
  const [, action, subject = flow.order] = /\/capture-(\w+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const method = action === "qr" ? "scan" : action;
  /** @type {(activity: ActivityAhead, next: string[]) => (demand: DemandAhead) => DemandAhead} */
  const meets = (activity, next) => (demand) =>
    demand.subject_id === subject && demand.method === method && (body?.activity ? body.activity === activity.code : next.includes(activity.code))
      ? { ...demand, met: true } : demand;
  /** @type {(activities: ActivityAhead[], next: string[]) => ActivityAhead[]} */
  const within = (activities, next) => activities.map((one) => ({ ...one, demands: one.demands.map(meets(one, next)) }));
  return {
    ...flow,
    activities: within(flow.activities, flow.next),
    waypoints: flow.waypoints.map((stop) => ({ ...stop, activities: within(stop.activities, stop.next) })),
  };
}

// The flow after an entry of the outbox has happened.
/** @type {(flow: FlowOut, entry: Pick<Entry, "path" | "body" | "kind">) => FlowOut} */
export function after(flow, { path, body, ...entry }) {
  if (!flow || (!flow.open && entry.kind !== "proof")) return flow;
  if (path.includes("/capture-")) return proved(flow, { path, body });
  if (path.endsWith("/fail-attempt")) return being(flow, body?.waypoint, (at) => failed(at, body));
  if (path.endsWith("/start")) {
    const through = body?.skip_dispatch && flow.activity === "created" ? settled({ ...flow, activity: "dispatched" }) : flow;
    return fired(through, "started");
  }
  const chosen = /\/set-destination\/([^/]+)$/.exec(path);
  if (chosen) return headed(flow, chosen[1]);
  if (path.endsWith("/complete")) return fired(flow, flow.next.find((code) => activityOf(flow, code)?.complete));
  if (path.endsWith("/update-activity")) return being(flow, body.waypoint, (at) => fired(at, body.activity));
  return flow;
}
