// Where an order will stand once what waits has arrived: the rules of the server's flow, on the phone.
// `flow` is the answer of GET /v1/orders/{id}/flow; nothing here changes it, a new one is answered.
const HEAD = ["created", "dispatched", "started"];

export const present = (flow) => flow.waypoints.find((stop) => stop.id === flow.current_waypoint) ?? null;
export const activityOf = (flow, code) =>
  (HEAD.includes(code) ? flow : (present(flow) ?? flow)).activities.find((one) => one.code === code) ?? null;

// What may happen at a stop now, and what on the order as a whole.
const nextAt = (stop) => (stop.activity === null ? stop.begin : (stop.activities.find((one) => one.code === stop.activity)?.next ?? []));
function following(flow) {
  if (!flow.open) return [];
  const stop = present(flow);
  if (!stop || ["created", "dispatched"].includes(flow.activity))
    return flow.activities.find((one) => one.code === flow.activity)?.next ?? [];
  return stop.done ? [] : nextAt(stop);
}
// Go to another stop, which is possible until something has happened at the present one.
function headed(flow, waypoint) {
  const there = present(flow), chosen = flow.waypoints.find((stop) => stop.id === waypoint && !stop.done);
  if (!chosen || (there?.activity && !there.done)) return flow;
  return settled({ ...flow, current_waypoint: chosen.id });
}
const settled = (flow) => ({ ...flow, next: following(flow) });

function fired(flow, code, waypoint) {
  const heading = waypoint && waypoint !== flow.current_waypoint ? headed(flow, waypoint) : flow;
  const activity = activityOf(heading, code);
  // What the server has done already is not done twice.
  if (!activity || !heading.next.includes(code)) return flow;
  const stop = present(heading);
  if (!stop || HEAD.includes(code)) {
    const over = activity.complete && !stop;
    return settled({ ...heading, activity: code, status: over ? "completed" : code, open: heading.open && !over });
  }
  const moved = { ...stop, activity: code, done: activity.complete };
  moved.next = moved.done ? [] : nextAt(moved);
  const waypoints = heading.waypoints.map((one) => (one === stop ? moved : one));
  const left = waypoints.find((one) => !one.done);
  if (!left) return settled({ ...heading, waypoints, activity: code, status: "completed", open: false });
  if (!moved.done) return settled({ ...heading, waypoints, activity: code, status: code });
  return settled({ ...heading, waypoints, activity: "started", status: "started", current_waypoint: left.id });
}
// A proof meets what is demanded of its subject: all of it with an activity named, or what is next.
function proved(flow, { path, body }) {
  const [, action, subject = flow.order] = /\/capture-(\w+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const method = action === "qr" ? "scan" : action;
  const meets = (activity, next) => (demand) =>
    demand.subject_id === subject && demand.method === method && (body?.activity ? body.activity === activity.code : next.includes(activity.code))
      ? { ...demand, met: true } : demand;
  const within = (activities, next) => activities.map((one) => ({ ...one, demands: one.demands.map(meets(one, next)) }));
  return {
    ...flow,
    activities: within(flow.activities, flow.next),
    waypoints: flow.waypoints.map((stop) => ({ ...stop, activities: within(stop.activities, stop.next) })),
  };
}
// A stop that failed begins anew, or is over; what follows is for the server to say.
function failed(flow, { body }) {
  const then = flow.failure_reasons?.find((one) => one.code === body?.reason)?.then ?? "retry";
  const stop = flow.waypoints.find((one) => one.id === (body?.waypoint ?? flow.current_waypoint));
  if (then === "hold") return { ...flow, held: true, next: [] };
  if (!stop) return then === "return" ? { ...flow, open: false, next: [] } : settled({ ...flow, activity: "started", status: "started" });
  const over = then === "return";
  const moved = { ...stop, activity: null, done: over, failed: over, next: over ? [] : stop.begin };
  const waypoints = flow.waypoints.map((one) => (one === stop ? moved : one));
  const left = waypoints.find((one) => !one.done && one !== moved) ?? (over ? null : moved);
  if (!left) return { ...flow, waypoints, open: false, next: [] };
  return settled({ ...flow, waypoints, activity: "started", status: "started", current_waypoint: left.id });
}

// The flow after an entry of the outbox has happened.
export function after(flow, entry) {
  if (!flow || (!flow.open && entry.kind !== "proof")) return flow;
  const { path, body } = entry;
  if (path.includes("/capture-")) return proved(flow, entry);
  if (path.endsWith("/fail-attempt")) return failed(flow, entry);
  if (path.endsWith("/start")) {
    const through = body?.skip_dispatch && flow.activity === "created" ? { ...flow, activity: "dispatched", next: ["started"] } : flow;
    return fired(through, "started");
  }
  const chosen = /\/set-destination\/([^/]+)$/.exec(path);
  if (chosen) return headed(flow, chosen[1]);
  if (path.endsWith("/complete")) return fired(flow, flow.next.find((code) => activityOf(flow, code)?.complete));
  if (path.endsWith("/update-activity")) return fired(flow, body.activity, body.waypoint);
  return flow;
}
