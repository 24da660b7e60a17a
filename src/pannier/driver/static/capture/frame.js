// What the ways to capture share: the frame of their dialogs, and what each capture says beside its evidence.
import { now } from "../api.js";
import { ask, h, icon } from "../dom.js";
import { follow } from "../drafts.js";
import { last } from "../places.js";
import { note, recall } from "../store.js";
import { uuid } from "../uuid.js";
import { t, time } from "../words.js";

const SOON = 1500;

// The parts of a dialog; `leave` is called by the arrow, by Escape and by the phone's own way back.
// Of a `draft` it shows what was captured or written before, and keeps what is written from then on.
/** @type {(dialog: HTMLDialogElement, given: { title: string; about?: string; leave: () => unknown; draft?: Draft }, ...inside: Child[]) => Child[]} */
export function frame(dialog, { title, about, leave, draft }, ...inside) {
  dialog.classList.add("capture");
  dialog.setAttribute("aria-label", title);
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    leave();
  });
  const back = h("button", { class: "square", "aria-label": t("back"), onclick: () => leave() }, icon("arrow-left"));
  if (draft) Promise.resolve().then(() => follow(draft, dialog));
  const again = draft?.again && h("p", { class: "capture-told amber", role: "status" }, icon("rotate-ccw"), t("capture.found", { time: time(draft.at ?? 0) }));
  return [h("header", { class: "capture-head" }, back, h("div", {}, h("h1", {}, title), about ? h("p", { class: "muted" }, about) : null)), again, ...inside].filter(Boolean);
}

// Asks before something that was captured is thrown away.
/** @type {(question: string) => Promise<boolean | null>} */
export const sure = (question) =>
  ask((/** @type {Close<boolean>} */ close, dialog) => frame(dialog, { title: question, leave: () => close(false) },
    h("footer", { class: "capture-foot" },
      h("button", { class: "red", onclick: () => close(true) }, t("capture.throw-away")),
      h("button", { class: "primary", onclick: () => close(false) }, t("capture.keep")))));

// Where the phone is, asked for while something is being captured; nobody is asked for leave here. A browser that
// cannot say whether it was given tells where the phone was last.
/** @typedef {{ latitude: number; longitude: number; accuracy: number }} Spotted */
/** @type {() => Promise<Spotted | null>} */
export async function whereabouts() {
  try {
    const { state } = (await navigator.permissions?.query({ name: "geolocation" })) ?? {};
    if (state !== "granted") return state ? null : spot(last());
    const { coords } = await new Promise((/** @type {PositionCallback} */ resolve, reject) => {
      navigator.geolocation.getCurrentPosition(resolve, reject, { enableHighAccuracy: true, maximumAge: 15_000, timeout: 20_000 });
    });
    return spot(coords);
  } catch {
    return null;
  }
}
/** @type {(at: Spotted | null) => Spotted | null} */
const spot = (at) => at && { latitude: at.latitude, longitude: at.longitude, accuracy: Math.round(at.accuracy) };
/** @type {<T>(milliseconds: number, promise: Promise<T>) => Promise<T | null>} */
const within = (milliseconds, promise) => Promise.race([promise, new Promise((resolve) => { setTimeout(resolve, milliseconds, null); })]);

// A capture as the outbox takes it. `place` is a promise of where, which nobody waits long for.
/** @typedef {{ demand: Demand; order: CaptureOrder; door: string; place: Promise<Spotted | null>; evidence?: EntryBody; pictures?: Picture[]; summary: Summary; drafts?: string[] }} Made */
/** @type {(made: Made) => Promise<Capture>} */
export async function captured({ demand, order, door, place, evidence = {}, pictures = [], summary, drafts = [] }) {
  const at = now().toISOString(), id = uuid();
  const location = await within(SOON, place);
  // In the order in which the outbox has them: the server tells the same request by its letters.
  /** @type {EntryBody} */
  const body = { captured_at: at, proof_uuid: id, device: await device(), ...evidence };
  if (location) body.location = location;
  if (demand.activity) body.activity = demand.activity;
  return { id, path: `/v1/orders/${order.id}/${door}/${demand.subject_id}`, body, pictures, summary, drafts, sent: false };
}
async function device() {
  const known = await recall("device").catch(() => undefined), id = known ?? uuid();
  if (!known) await note("device", id).catch(() => null);
  const [, release] = /\/assets\/([^/]+)\//.exec(import.meta.url) ?? [];
  return { id, platform: navigator.userAgentData?.platform ?? navigator.platform, app_version: release };
}
// What a demand is about, in words.
/** @type {(demand: Demand, order: CaptureOrder) => string} */
export function subject({ subject_type: type, subject_id: id }, { payload, ...order }) {
  if (type === "entity") {
    const item = payload?.entities?.find((one) => one.id === id);
    return item?.name ?? item?.tracking_number ?? id;
  }
  const stop = type === "waypoint" ? payload?.waypoints?.find((one) => one.id === id) : null;
  const place = stop?.place ?? payload?.dropoff;
  return stop?.name ?? place?.name ?? stop?.address ?? place?.address ?? place?.street1 ?? order.id;
}
/** @type {(demand: Demand, order: CaptureOrder) => string} */
export const about = (demand, order) => [demand.turn, subject(demand, order)].filter(Boolean).join(" · ");
