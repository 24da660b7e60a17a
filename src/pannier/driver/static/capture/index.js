// Captures the proofs that an activity needs, one after another.
//
// A demand comes from `order.flow` ({ subject_type, subject_id, method, met }), plus the `activity` that needs it.
// An order is a record of `/v1/orders`, with the response of `/v1/orders/{id}/flow` as `flow`.
// A capture's `id` is the proof's id, also in `body.proof_uuid`. `sent` is true if the server already has it;
// sending it again does no harm. `drafts` are deleted once the capture is stored.
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
// After this time, codes are typed instead of scanned.
const SCANNER_TIMEOUT_MS = 4_000;

// The scanner is loaded for the first order that needs it. Browsers may cache a failed import, so retry another URL.
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

// Resolves to null if the driver goes back.
/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
export const captureProof = (demand, order) => METHODS[demand.method](demand, order);

// Capture every proof that an activity still needs. `keep(capture, demand)` runs after each one, so none is
// lost if the driver goes back halfway. Resolves to whether all were captured.
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

// Load the scanner in advance, so that it works offline.
/** @type {(orders: { flow?: FlowOut }[]) => Promise<void>} */
export async function preloadScanner(orders) {
  const parts = orders.flatMap(({ flow }) => (flow ? [flow, ...flow.waypoints] : []));
  const demands = parts.flatMap(({ activities }) => activities.flatMap((activity) => activity.demands));
  if (demands.some(({ method }) => method === "scan")) await (await importScanner())?.preloadReader();
}

// Store a capture. If the phone is full, the driver can free space and retry. Resolves to whether it was stored.
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
