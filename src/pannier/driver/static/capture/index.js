// Proofs that an activity needs, captured one after another.
//
// A demand is one of `order.flow` ({ subject_type, subject_id, method, met }), with the `activity` it is for;
// an order is what `/v1/orders` tells, with what `/v1/orders/{id}/flow` tells as `flow`.
// A capture is { id, path, body, pictures: [{ field, name, blob }], summary, drafts, sent }: `id` is the proof's own,
// in `body.proof_uuid` as well; `sent` is true when the server has it already (sending it again does no harm);
// `drafts` are the names of what it was made of, which goes when it is kept.
import { h, icon, openDialog } from "../dom.js";
import { deleteDraft } from "../drafts.js";
import { t, toText } from "../i18n.js";
import { renderDialog } from "./common.js";
import { capturePhoto } from "./photo.js";
import { captureSignature } from "./signature.js";
import { captureSmsCode } from "./sms.js";
import * as typedCodes from "./codes.js";

export { takePictures } from "./photo.js";

/** @type {Record<Method, (demand: Demand, order: CaptureOrder) => Promise<Capture | null>>} */
const METHODS = { scan: captureScan, signature: captureSignature, photo: capturePhoto, sms: captureSmsCode };
// Who waits longer than this for what scans types the code.
const SCANNER_TIMEOUT_MS = 4_000;

// What scans is fetched when the first order needs it. A browser may remember that this failed: then by another name.
let failures = 0;
/** @type {() => Promise<typeof import("./scan.js") | null>} */
const importScanner = () => import(failures ? `./scan.js?${failures}` : "./scan.js").catch(() => {
  failures += 1;
  return null;
});
/** @type {typeof typedCodes.captureAll} */
async function scanAll(...given) {
  /** @type {Promise<null>} */
  const late = new Promise((resolve) => { setTimeout(resolve, SCANNER_TIMEOUT_MS, null); });
  return ((await Promise.race([importScanner(), late])) ?? typedCodes).captureAll(...given);
}
/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
async function captureScan(demand, order) {
  /** @type {Capture[]} */
  const captures = [];
  await scanAll([demand], order, (one) => captures.push(one));
  return captures[0] ?? null;
}

// One proof, or null when the driver went back.
/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
export const captureProof = (demand, order) => METHODS[demand.method](demand, order);

// All proofs that an activity still needs. `keep(captured, demand)` is called for each at once, so that none is
// lost when the driver goes back in the middle. → whether all are there.
/** @type {(activity: { code?: string; demands: Demand[] }, order: CaptureOrder, keep: Keep) => Promise<boolean>} */
export async function captureProofs(activity, order, keep) {
  const missing = activity.demands.filter((demand) => !demand.met).map((demand) => ({ ...demand, activity: activity.code }));
  const scans = missing.filter(({ method }) => method === "scan");
  if (scans.length && !(await scanAll(scans, order, (captured, demand) => keepOrRetry((made) => keep(made, demand), captured)))) return false;
  const others = missing.filter(({ method }) => method !== "scan");
  for (const [number, demand] of others.entries()) {
    const turn = others.length > 1 ? t("capture.turn", { number: number + 1, of: others.length }) : "";
    const captured = await captureProof({ ...demand, turn }, order);
    if (!captured || !(await keepOrRetry((made) => keep(made, demand), captured))) return false;
  }
  return true;
}

// Fetches ahead what scanning needs, so that it is there without reception.
/** @type {(orders: { flow?: FlowOut }[]) => Promise<void>} */
export async function preloadScanner(orders) {
  const parts = orders.flatMap(({ flow }) => (flow ? [flow, ...flow.waypoints] : []));
  const demands = parts.flatMap(({ activities }) => activities.flatMap((activity) => activity.demands));
  if (demands.some(({ method }) => method === "scan")) await (await importScanner())?.preloadReader();
}

// Keeps a capture; when the phone cannot, the driver may make room and try again. → whether it is kept.
/** @type {<T extends Pick<Capture, "summary" | "drafts">>(keep: (made: T) => unknown, captured: T) => Promise<boolean>} */
export async function keepOrRetry(keep, captured) {
  for (;;) {
    try {
      await keep(captured);
      return true;
    } catch (wrong) {
      console.warn(wrong);
      if (await openDialog((/** @type {Close<boolean>} */ close, dialog) => renderNotKept(captured, close, dialog))) continue;
      for (const id of captured.drafts) await deleteDraft({ id });
      return false;
    }
  }
}
/** @type {(made: Pick<Capture, "summary">, close: Close<boolean>, dialog: HTMLDialogElement) => Child} */
function renderNotKept({ summary }, close, dialog) {
  return renderDialog(dialog, { title: t("capture.not-kept.title"), about: toText(summary), leave: () => close(false) },
    h("p", { class: "capture-told red", role: "alert" }, icon("triangle-alert"), t("capture.not-kept.why")),
    h("footer", { class: "capture-foot" },
      h("button", { onclick: () => close(false) }, t("capture.throw-away")),
      h("button", { class: "primary", onclick: () => close(true) }, t("capture.try-again"))));
}
