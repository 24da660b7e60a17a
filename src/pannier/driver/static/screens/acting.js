// Pressing the big button: captures what is missing, then queues what happened.
import { walk } from "../capture/index.js";
import { add } from "../outbox.js";
import { last } from "../places.js";
import { t } from "../words.js";
import { sheet, toast } from "./frame.js";
import { h } from "../dom.js";
import { title } from "./jobs.js";

// So that a finger that touches twice does not do the next thing as well.
const PAUSE = 700;
/** @type {Set<string>} */
const busy = new Set();
/** @type {(order: string) => boolean} */
export const pressed = (order) => busy.has(order);

/** @type {(job: Job, activity: ActivityAhead) => Promise<void>} */
export async function press(job, activity) {
  const { order, flow } = job;
  if (busy.has(order.id)) return;
  busy.add(order.id);
  dispatchEvent(new Event("outbox"));
  try {
    if (activity.demands.some(({ met }) => !met)) {
      const whole = await walk(activity, { ...order, flow }, (captured) => keepProof(order, captured));
      if (!whole) return;
    }
    if ((await happened(job, activity)) && activity.complete) {
      toast(t("acting.done", { stop: title(job) }));
      location.hash = "#/stops";
    }
  } finally {
    rest(order.id);
  }
}
// What lies under the finger does nothing for a moment.
/** @type {(id: string) => void} */
export function rest(id) {
  busy.add(id);
  setTimeout(() => {
    busy.delete(id);
    dispatchEvent(new Event("outbox"));
  }, PAUSE);
}
/** @type {(order: { id: string }, made: Capture & { draft?: Draft }) => Promise<string>} */
export const keepProof = (order, { id: _, ...made }) => add({ ...made, kind: "proof", order: order.id });

/** @type {(job: Job, activity: ActivityAhead) => Promise<string | null>} */
function happened({ order, waypoint }, { code, status }) {
  const start = code === "started", at = last();
  const body = start ? {} : { activity: code, ...(waypoint ? { waypoint: waypoint.id } : {}), ...(at ? { location: { latitude: at.latitude, longitude: at.longitude } } : {}) };
  return queued({ kind: "activity", order: order.id, path: `/v1/orders/${order.id}/${start ? "start" : "update-activity"}`, body, summary: status || code });
}
// Keeps something to send, or says why the phone could not.
/** @type {(entry: NewEntry) => Promise<string | null>} */
export async function queued(entry) {
  try {
    return await add(entry);
  } catch (wrong) {
    console.warn(wrong);
    await sheet(t("full.title"), () => h("p", {}, t("full.hint")), (/** @type {Close<boolean>} */ close) => h("button", { class: "primary big", onclick: () => close(true) }, t("understood")));
    return null;
  }
}
