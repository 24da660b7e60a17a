// Tracks the driver's position while on duty. Positions are stored, and sent in batches.
//
//   await setDuty(true)     goes on duty (queued like every request) and starts tracking
//   await isOnDuty()        whether the driver is on duty, as far as the phone knows
//   await resumeTracking()  starts tracking again after the app starts, if on duty
//   lastPosition()          → { latitude, longitude, accuracy, at } | null
import { addEntry, send } from "./outbox.js";
import { savePosition } from "./positions.js";
import { loadValue, saveValue } from "./store.js";

const MIN_INTERVAL_MS = 10_000, MIN_DISTANCE_M = 25, SEND_INTERVAL_MS = 30_000;
/** @type {number | null} */
let watchId = null;
/** @type {Fix | null} */
let latest = null;
let sentAt = 0;

export const isOnDuty = async () => Boolean(await loadValue("duty"));
export const lastPosition = () => latest;

/** @type {(online: boolean, summary?: Summary) => Promise<string>} */
export async function setDuty(online, summary = { key: online ? "waiting.on-duty" : "waiting.off-duty" }) {
  await saveValue("duty", online);
  setTracking(online);
  return addEntry({ kind: "duty", path: "/v1/drivers/me/toggle-online", body: { online }, summary });
}
export async function resumeTracking() {
  setTracking(await isOnDuty());
}
/** @type {(online: boolean) => void} */
function setTracking(online) {
  if (online) startTracking();
  else stopTracking();
}
export function startTracking() {
  if (watchId !== null || !navigator.geolocation) return;
  const options = { enableHighAccuracy: true, maximumAge: 5_000 };
  watchId = navigator.geolocation.watchPosition(handlePosition, reportLost, options);
}
export function stopTracking() {
  if (watchId !== null) navigator.geolocation.clearWatch(watchId);
  watchId = null;
}
/** @type {(position: GeolocationPosition) => Fix} */
const toFix = ({ coords: { latitude, longitude, accuracy, heading, speed }, timestamp: at }) => ({ latitude, longitude, accuracy, heading, speed, at });
/** @type {(error: GeolocationPositionError) => void} */
function reportLost(error) {
  globalThis.dispatchEvent(Object.assign(new Event("place-lost"), { denied: error.code === 1 }));
}
/** @type {(position: GeolocationPosition) => Promise<void>} */
async function handlePosition(position) {
  // The driver may have gone off duty in another window, or another driver may have signed in.
  if (!(await isOnDuty())) return stopTracking();
  const fix = toFix(position);
  if (latest && fix.at - latest.at < MIN_INTERVAL_MS && metresBetween(latest, fix) < MIN_DISTANCE_M) return;
  latest = fix;
  await savePosition(fix);
  globalThis.dispatchEvent(new Event("place"));
  if (Date.now() - sentAt < SEND_INTERVAL_MS) return;
  sentAt = Date.now();
  send();
}
/** @typedef {{ latitude: number; longitude: number }} Place */
/** @type {(one: Place, other: Place) => number} */
export function metresBetween(one, other) {
  const rad = Math.PI / 180, width = (other.longitude - one.longitude) * rad * Math.cos(((one.latitude + other.latitude) / 2) * rad);
  return Math.hypot(width, (other.latitude - one.latitude) * rad) * 6_371_000;
}
