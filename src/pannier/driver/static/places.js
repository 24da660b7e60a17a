// Where the driver is, while on duty: kept on the phone, sent in batches, also long afterwards.
//
//   await duty(true)   goes on duty (queued like everything else) and begins to look
//   await onDuty()     whether the driver is, as far as the phone knows
//   await resume()     begins to look again after a start of the app, when on duty
//   last()             → { latitude, longitude, accuracy, at } | null
import { add, send } from "./outbox.js";
import { keep } from "./positions.js";
import { note, recall } from "./store.js";

const SOON = 10_000, FAR = 25, BATCH = 30_000;
/** @type {number | null} */
let watching = null;
/** @type {Fix | null} */
let latest = null;
let sent = 0;

export const onDuty = async () => Boolean(await recall("duty"));
export const last = () => latest;

/** @type {(online: boolean, summary?: Summary) => Promise<string>} */
export async function duty(online, summary = { key: online ? "waiting.on-duty" : "waiting.off-duty" }) {
  await note("duty", online);
  setWatching(online);
  return add({ kind: "duty", path: "/v1/drivers/me/toggle-online", body: { online }, summary });
}
export async function resume() {
  setWatching(await onDuty());
}
/** @type {(online: boolean) => void} */
function setWatching(online) {
  if (online) look();
  else stop();
}
export function look() {
  if (watching !== null || !navigator.geolocation) return;
  const told = { enableHighAccuracy: true, maximumAge: 5_000 };
  watching = navigator.geolocation.watchPosition(found, lost, told);
}
export function stop() {
  if (watching !== null) navigator.geolocation.clearWatch(watching);
  watching = null;
}
/** @type {(position: GeolocationPosition) => Fix} */
const read = ({ coords: { latitude, longitude, accuracy, heading, speed }, timestamp: at }) => ({ latitude, longitude, accuracy, heading, speed, at });
/** @type {(error: GeolocationPositionError) => void} */
function lost(error) {
  globalThis.dispatchEvent(Object.assign(new Event("place-lost"), { denied: error.code === 1 }));
}
/** @type {(position: GeolocationPosition) => Promise<void>} */
async function found(position) {
  // Off duty may have been pressed in another window, or somebody else have signed in.
  if (!(await onDuty())) return stop();
  const fix = read(position);
  if (latest && fix.at - latest.at < SOON && metres(latest, fix) < FAR) return;
  latest = fix;
  await keep(fix);
  globalThis.dispatchEvent(new Event("place"));
  if (Date.now() - sent < BATCH) return;
  sent = Date.now();
  send();
}
/** @typedef {{ latitude: number; longitude: number }} Place */
/** @type {(one: Place, other: Place) => number} */
export function metres(one, other) {
  const rad = Math.PI / 180, width = (other.longitude - one.longitude) * rad * Math.cos(((one.latitude + other.latitude) / 2) * rad);
  return Math.hypot(width, (other.latitude - one.latitude) * rad) * 6_371_000;
}
