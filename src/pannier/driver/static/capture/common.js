// Shared parts of the capture dialogs, and the fields that every capture has.
import { serverNow } from "../api.js";
import { h, icon, openDialog } from "../dom.js";
import { bindForm } from "../drafts.js";
import { lastPosition } from "../tracking.js";
import { loadValue, saveValue } from "../store.js";
import { uuid } from "../uuid.js";
import { formatTime, t } from "../i18n.js";

const LOCATION_TIMEOUT_MS = 1500;

// `leave` runs for the back arrow, Escape and the phone's own Back.
// A `draft` restores the dialog's fields and saves changes to them.
/** @type {(dialog: HTMLDialogElement, given: { title: string; about?: string; leave: () => unknown; draft?: Draft }, ...inside: Child[]) => Child[]} */
export function renderDialog(dialog, { title, about, leave, draft }, ...inside) {
  dialog.classList.add("capture");
  dialog.setAttribute("aria-label", title);
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    leave();
  });
  const back = h("button", { class: "square", "aria-label": t("back"), onclick: () => leave() }, icon("arrow-left"));
  if (draft) Promise.resolve().then(() => bindForm(draft, dialog));
  const again = draft?.again && h("p", { class: "capture-told amber", role: "status" }, icon("rotate-ccw"), t("capture.found", { time: formatTime(draft.at ?? 0) }));
  return [h("header", { class: "capture-head" }, back, h("div", {}, h("h1", {}, title), about ? h("p", { class: "muted" }, about) : null)), again, ...inside].filter(Boolean);
}

/** @type {(question: string) => Promise<boolean | null>} */
export const confirmDiscard = (question) =>
  openDialog((/** @type {Close<boolean>} */ close, dialog) => renderDialog(dialog, { title: question, leave: () => close(false) },
    h("footer", { class: "capture-foot" },
      h("button", { class: "red", onclick: () => close(true) }, t("capture.throw-away")),
      h("button", { class: "primary", onclick: () => close(false) }, t("capture.keep")))));

// Return the phone's location, without asking for permission. Browsers that cannot report the permission
// get the last known position.
/** @typedef {{ latitude: number; longitude: number; accuracy: number }} Coordinates */
/** @type {() => Promise<Coordinates | null>} */
export async function locate() {
  try {
    const { state } = (await navigator.permissions?.query({ name: "geolocation" })) ?? {};
    if (state !== "granted") return state ? null : toCoordinates(lastPosition());
    const { coords } = await new Promise((/** @type {PositionCallback} */ resolve, reject) => {
      navigator.geolocation.getCurrentPosition(resolve, reject, { enableHighAccuracy: true, maximumAge: 15_000, timeout: 20_000 });
    });
    return toCoordinates(coords);
  } catch {
    return null;
  }
}
/** @type {(at: Coordinates | null) => Coordinates | null} */
const toCoordinates = (at) => at && { latitude: at.latitude, longitude: at.longitude, accuracy: Math.round(at.accuracy) };
/** @type {<T>(milliseconds: number, promise: Promise<T>) => Promise<T | null>} */
const withTimeout = (milliseconds, promise) => Promise.race([promise, new Promise((resolve) => { setTimeout(resolve, milliseconds, null); })]);

// `place` is a promise of the location. It is awaited only briefly.
/** @typedef {{ demand: Demand; order: CaptureOrder; action: string; place: Promise<Coordinates | null>; evidence?: EntryBody; pictures?: Picture[]; summary: Summary; drafts?: string[] }} CaptureInput */
/** @type {(made: CaptureInput) => Promise<Capture>} */
export async function buildCapture({ demand, order, action, place, evidence = {}, pictures = [], summary, drafts = [] }) {
  const at = serverNow().toISOString(), id = uuid();
  const location = await withTimeout(LOCATION_TIMEOUT_MS, place);
  // Keep this order of fields: the server compares a repeated request byte by byte.
  /** @type {EntryBody} */
  const body = { captured_at: at, proof_uuid: id, device: await loadDevice(), ...evidence };
  if (location) body.location = location;
  if (demand.activity) body.activity = demand.activity;
  return { id, path: `/v1/orders/${order.id}/${action}/${demand.subject_id}`, body, pictures, summary, drafts, sent: false };
}
async function loadDevice() {
  const stored = await loadValue("device").catch(() => undefined), id = stored ?? uuid();
  if (!stored) await saveValue("device", id).catch(() => null);
  const [, release] = /\/assets\/([^/]+)\//.exec(import.meta.url) ?? [];
  return { id, platform: navigator.userAgentData?.platform ?? navigator.platform, app_version: release };
}
/** @type {(demand: Demand, order: CaptureOrder) => string} */
export function describeSubject({ subject_type: type, subject_id: id }, { payload, ...order }) {
  if (type === "entity") {
    const item = payload?.entities?.find((one) => one.id === id);
    return item?.name ?? item?.tracking_number ?? id;
  }
  const stop = type === "waypoint" ? payload?.waypoints?.find((one) => one.id === id) : null;
  const place = stop?.place ?? payload?.dropoff;
  return stop?.name ?? place?.name ?? stop?.address ?? place?.address ?? place?.street1 ?? order.id;
}
/** @type {(demand: Demand, order: CaptureOrder) => string} */
export const describeDemand = (demand, order) => [demand.turn, describeSubject(demand, order)].filter(Boolean).join(" · ");
