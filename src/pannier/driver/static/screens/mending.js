// What was refused is captured again: the right dialog opens with what there was, and what comes of it takes its place.
import { capture, kept, pictures, walk } from "../capture/index.js";
import { drafted, keep, named } from "../drafts.js";
import { one, pull } from "../orders.js";
import { add, again, mend } from "../outbox.js";
import { activityOf } from "../projection.js";
import { why } from "../refusals.js";
import { get } from "../store.js";
import { toText } from "../words.js";

// How long one waits to hear what the order asks for by now.
const PATIENCE = 4_000;

/** @type {(entry: Entry) => boolean} */
export const mendable = (entry) => unproved(entry) || (why(entry).fix === "change" && (entry.kind === "proof" || entry.pictures.length > 0));
/** @type {(entry: Entry) => boolean} */
const unproved = ({ problem }) => problem?.code === "pod_required";

// The dialog may take a while to open: whoever presses again meanwhile opens no second one.
let busy = false;
/** @type {(entry: Entry) => void} */
export function captureAgain(entry) {
  if (busy) return;
  busy = true;
  opened(entry).finally(() => { busy = false; });
}
/** @type {(entry: Entry) => Promise<void>} */
async function opened(entry) {
  const late = new Promise((resolve) => { setTimeout(resolve, PATIENCE); });
  if (entry.order) await Promise.race([pull(entry.order), late]);
  const known = entry.order ? await one(entry.order) : null;
  /** @type {MendedOrder} */
  const order = { id: entry.order ?? "", ...known?.order, flow: known?.flow };
  if (unproved(entry)) return proved(entry, order);
  return entry.kind === "proof" ? replaced(entry, order) : pictured(entry);
}
/** @typedef {CaptureOrder & { flow?: FlowOut }} MendedOrder */
// The proofs that a step lacks, sent before it.
/** @type {(entry: Entry, order: MendedOrder) => Promise<void>} */
async function proved(entry, order) {
  const { waypoint, activity } = entry.body;
  const subject = waypoint ? { subject_type: "waypoint", subject_id: waypoint } : { subject_type: "order", subject_id: order.id };
  /** @type {{ code?: string; demands: Demand[] } | null | undefined} */
  const wanted = entry.kind === "attempt" ? { demands: [{ ...subject, method: "photo" }] } : order.flow && activityOf({ ...order.flow, current_waypoint: waypoint ?? order.flow.current_waypoint }, activity ?? "started");
  const all = await walk(wanted ?? { demands: [] }, order, (made) => add({ ...made, kind: "proof", order: order.id, before: entry }));
  if (all) await again(entry.id);
}
/** @type {(entry: Entry, order: MendedOrder) => Promise<void>} */
async function replaced(entry, order) {
  const { path, body } = entry, [, door, subject = order.id] = /\/capture-(\w+)(?:\/([^/]+))?$/.exec(path) ?? [];
  /** @type {Demand} */
  const demand = { method: door === "qr" ? "scan" : /** @type {Method} */ (door), subject_type: subject.split("_")[0], subject_id: subject, activity: body.activity };
  const draft = await drafted(named(order, demand));
  const fields = { remarks: body.remarks ?? "", signer: body.signer_name ?? "", relation: body.signer_relationship ?? "" };
  if (!draft.again && door !== "qr") await keep(draft, { fields, taken: door === "photo" ? await taken(entry) : [] });
  const made = await capture(demand, order);
  if (made) await kept((all) => mend(entry.id, all), made);
}
/** @type {(entry: Entry) => Promise<void>} */
async function pictured(entry) {
  const draft = await drafted(`again ${entry.id}`);
  if (!draft.again) await keep(draft, { taken: await taken(entry) });
  const found = await pictures({ title: toText(entry.summary), draft, remarked: false });
  if (!found) return;
  const files = found.blobs.map((blob, number) => ({ name: `photo-${number + 1}.jpg`, blob }));
  await kept((all) => mend(entry.id, all), { path: entry.path, body: entry.body, pictures: files, summary: entry.summary, drafts: [draft.id] });
}
/** @type {(entry: Entry) => Promise<{ blob: Blob; source: string }[]>} */
async function taken({ pictures: listed, body }) {
  const found = await Promise.all(listed.map(({ id }) => get("pictures", id)));
  return found.flatMap((one) => (one ? [one.blob] : [])).map((blob, number) => ({ blob, source: body.data?.sources?.[number] ?? "camera" }));
}
