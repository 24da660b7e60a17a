// Performs activities: captures missing proofs, then queues the activity.
import { captureProofs } from "../capture/index.js";
import { addEntry } from "../outbox.js";
import { lastPosition } from "../tracking.js";
import { activityText, t } from "../i18n.js";
import { openSheet, showToast } from "./layout.js";
import { h } from "../dom.js";
import { jobTitle, toJobs } from "./jobs.js";
import { findOrder } from "../orders.js";

// A double tap must not also start the next activity.
const LOCK_MS = 700;
/** @type {Set<string>} */
const busy = new Set();
/** @type {(order: string) => boolean} */
export const isBusy = (order) => busy.has(order);

/** @type {(job: Job, activity: ActivityAhead) => Promise<void>} */
export async function performActivity(job, activity) {
  const { order, flow } = job;
  if (busy.has(order.id)) return;
  busy.add(order.id);
  dispatchEvent(new Event("outbox"));
  try {
    if (activity.demands.some(({ met }) => !met)) {
      const whole = await captureProofs(activity, { ...order, flow }, (captured) => queueProof(order, captured));
      if (!whole) return;
    }
    if (!(await queueActivity(job, activity))) return;
    const stored = await findOrder(order.id), jobs = stored ? toJobs(stored) : [], isDone = jobs.find(({ id }) => id === job.id)?.done;
    if (activity.complete || (isDone && activity.at)) {
      showToast(t("acting.done", { stop: jobTitle(job) }));
      location.hash = "#/stops";
    } else if (isDone) location.hash = `#/stop/${order.id}/${jobs.find(({ current }) => current)?.id ?? ""}`;
  } finally {
    lockBriefly(order.id);
  }
}
// Disable the order's buttons briefly.
/** @type {(id: string) => void} */
export function lockBriefly(id) {
  busy.add(id);
  setTimeout(() => {
    busy.delete(id);
    dispatchEvent(new Event("outbox"));
  }, LOCK_MS);
}
/** @type {(order: { id: string }, made: Capture & { draft?: Draft }) => Promise<string>} */
export const queueProof = (order, { id: _, ...made }) => addEntry({ ...made, kind: "proof", order: order.id });

/** @type {(job: Job, activity: ActivityAhead) => Promise<string | null>} */
function queueActivity({ order, waypoint }, { code, status }) {
  const start = code === "started", at = lastPosition();
  const body = start ? {} : { activity: code, ...(waypoint ? { waypoint: waypoint.id } : {}), ...(at ? { location: { latitude: at.latitude, longitude: at.longitude } } : {}) };
  return queueEntry({ kind: "activity", order: order.id, path: `/v1/orders/${order.id}/${start ? "start" : "update-activity"}`, body, summary: activityText({ code, status }) });
}
// Queue an entry, or explain that the phone is full.
/** @type {(entry: NewEntry) => Promise<string | null>} */
export async function queueEntry(entry) {
  try {
    return await addEntry(entry);
  } catch (wrong) {
    console.warn(wrong);
    await openSheet(t("full.title"), () => h("p", {}, t("full.hint")), (/** @type {Close<boolean>} */ close) => h("button", { class: "primary big", onclick: () => close(true) }, t("understood")));
    return null;
  }
}
