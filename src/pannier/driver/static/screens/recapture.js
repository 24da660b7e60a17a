// Captures refused proofs again. The dialog starts with the previous values, and the result replaces the entry.
import { captureProof, captureProofs, keepOrRetry, takePictures } from "../capture/index.js";
import { draftId, loadDraft, saveDraft } from "../drafts.js";
import { findOrder, pullOrders } from "../orders.js";
import { addEntry, replaceEntry, retryEntry } from "../outbox.js";
import { findActivity } from "../projection.js";
import { explainRefusal } from "../refusals.js";
import { getRecord } from "../store.js";
import { toText } from "../i18n.js";

// Do not wait longer than this for the order's current demands.
const PULL_TIMEOUT_MS = 4_000;

/** @type {(entry: Entry) => boolean} */
export const canRecapture = (entry) => lacksProof(entry) || (explainRefusal(entry).fix === "change" && (entry.kind === "proof" || entry.pictures.length > 0));
/** @type {(entry: Entry) => boolean} */
const lacksProof = ({ problem }) => problem?.code === "pod_required";

// The dialog may take a while to open. A second tap must not open another one.
let busy = false;
/** @type {(entry: Entry) => void} */
export function recapture(entry) {
  if (busy) return;
  busy = true;
  recaptureEntry(entry).finally(() => { busy = false; });
}
/** @type {(entry: Entry) => Promise<void>} */
async function recaptureEntry(entry) {
  const late = new Promise((resolve) => { setTimeout(resolve, PULL_TIMEOUT_MS); });
  if (entry.order) await Promise.race([pullOrders(entry.order), late]);
  const stored = entry.order ? await findOrder(entry.order) : null;
  /** @type {RefusedOrder} */
  const order = { id: entry.order ?? "", ...stored?.order, flow: stored?.flow };
  if (lacksProof(entry)) return captureMissingProofs(entry, order);
  return entry.kind === "proof" ? recaptureProof(entry, order) : retakePictures(entry);
}
/** @typedef {CaptureOrder & { flow?: FlowOut }} RefusedOrder */
// Capture the missing proofs, and send them before the activity.
/** @type {(entry: Entry, order: RefusedOrder) => Promise<void>} */
async function captureMissingProofs(entry, order) {
  const { waypoint, activity } = entry.body;
  const subject = waypoint ? { subject_type: "waypoint", subject_id: waypoint } : { subject_type: "order", subject_id: order.id };
  /** @type {{ code?: string; demands: Demand[] } | null | undefined} */
  const step = entry.kind === "attempt" ? { demands: [{ ...subject, method: "photo" }] } : order.flow && findActivity({ ...order.flow, current_waypoint: waypoint ?? order.flow.current_waypoint }, activity ?? "started");
  const complete = await captureProofs(step ?? { demands: [] }, order, (made) => addEntry({ ...made, kind: "proof", order: order.id, before: entry }));
  if (complete) await retryEntry(entry.id);
}
/** @type {(entry: Entry, order: RefusedOrder) => Promise<void>} */
async function recaptureProof(entry, order) {
  const { path, body } = entry, [, door, subject = order.id] = /\/capture-(\w+)(?:\/([^/]+))?$/.exec(path) ?? [];
  /** @type {Demand} */
  const demand = { method: door === "qr" ? "scan" : /** @type {Method} */ (door), subject_type: subject.split("_")[0], subject_id: subject, activity: body.activity };
  const draft = await loadDraft(draftId(order, demand));
  const fields = { remarks: body.remarks ?? "", signer: body.signer_name ?? "", relation: body.signer_relationship ?? "" };
  if (!draft.again && door !== "qr") await saveDraft(draft, { fields, taken: door === "photo" ? await loadPictures(entry) : [] });
  const captured = await captureProof(demand, order);
  if (captured) await keepOrRetry((all) => replaceEntry(entry.id, all), captured);
}
/** @type {(entry: Entry) => Promise<void>} */
async function retakePictures(entry) {
  const draft = await loadDraft(`again ${entry.id}`);
  if (!draft.again) await saveDraft(draft, { taken: await loadPictures(entry) });
  const result = await takePictures({ title: toText(entry.summary), draft, withRemarks: false });
  if (!result) return;
  const files = result.blobs.map((blob, number) => ({ name: `photo-${number + 1}.jpg`, blob }));
  await keepOrRetry((all) => replaceEntry(entry.id, all), { path: entry.path, body: entry.body, pictures: files, summary: entry.summary, drafts: [draft.id] });
}
/** @type {(entry: Entry) => Promise<{ blob: Blob; source: string }[]>} */
async function loadPictures({ pictures: listed, body }) {
  const pictures = await Promise.all(listed.map(({ id }) => getRecord("pictures", id)));
  return pictures.flatMap((one) => (one ? [one.blob] : [])).map((blob, number) => ({ blob, source: body.data?.sources?.[number] ?? "camera" }));
}
