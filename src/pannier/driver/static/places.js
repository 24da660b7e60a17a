// Where the driver is, while on duty: kept on the phone, sent in batches, also long afterwards.
//
//   await duty(true)   goes on duty (queued like everything else) and begins to look
//   await onDuty()     whether the driver is, as far as the phone knows
//   await resume()     begins to look again after a start of the app, when on duty
//   last()             → { latitude, longitude, accuracy, at } | null
import { call, now } from "./api.js";
import { add, send, uuid } from "./outbox.js";
import { all, note, recall, within } from "./store.js";

const SOON = 10_000, FAR = 25, MOST = 200, KEPT = 20_000, BATCH = 30_000;
let watching = null, latest = null, sent = 0;

export const onDuty = async () => Boolean(await recall("duty"));
export const last = () => latest;

export async function duty(online, summary = { key: online ? "waiting.on-duty" : "waiting.off-duty" }) {
  await note("duty", online);
  online ? look() : stop();
  return add({ kind: "duty", path: "/v1/drivers/me/toggle-online", body: { online }, summary });
}
export async function resume() {
  (await onDuty()) ? look() : stop();
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
const read = ({ coords: { latitude, longitude, accuracy, heading, speed }, timestamp: at }) => ({ latitude, longitude, accuracy, heading, speed, at });
function lost(error) {
  globalThis.dispatchEvent(Object.assign(new Event("place-lost"), { denied: error.code === 1 }));
}
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
export function metres(one, other) {
  const rad = Math.PI / 180, width = (other.longitude - one.longitude) * rad * Math.cos(((one.latitude + other.latitude) / 2) * rad);
  return Math.hypot(width, (other.latitude - one.latitude) * rad) * 6_371_000;
}
// Named by the phone, so that the server knows one again; the oldest go when there are far too many.
async function keep({ at, ...fix }) {
  const by = (await recall("driver"))?.id ?? null, recorded_at = new Date(at + (now() - Date.now())).toISOString();
  const measured = Object.fromEntries(Object.entries(fix).filter(([, value]) => Number.isFinite(value)));
  const id = `${recorded_at} ${uuid()}`;
  try {
    await within("places", (places) => {
      places.put({ id, by, fix: { ...measured, recorded_at, event_id: id.slice(25) } });
      const counted = places.count();
      counted.onsuccess = () => {
        if (counted.result > KEPT) places.openCursor().onsuccess = ({ target }) => target.result?.delete();
      };
    });
  } catch (error) {
    console.warn(error);
  }
}
// Send what a driver has gathered, called by whoever sends; resolves to how many batches could not be sent.
export async function flush(by, token) {
  const own = (await all("places")).filter((one) => one.by === by);
  while (own.length) {
    const batch = own.splice(0, MOST);
    const answer = await call("POST", "/v1/drivers/me/positions", { token, body: { positions: batch.map((one) => one.fix) } });
    const refused = answer.ours && [400, 413, 422].includes(answer.status);
    if (!answer.body && !refused) return 1;
    await within("places", (places) => batch.forEach((one) => places.delete(one.id)));
  }
  return 0;
}
