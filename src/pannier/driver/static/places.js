// Where the driver is, while on duty: kept on the phone, sent in batches, also long afterwards.
//
//   await duty(true)   goes on duty (queued like everything else) and begins to look
//   await onDuty()     whether the driver is, as far as the phone knows
//   await resume()     begins to look again after a start of the app, when on duty
//   last()             → { latitude, longitude, accuracy, at } | null
import { call, now } from "./api.js";
import { add, send } from "./outbox.js";
import { note, recall, within } from "./store.js";

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
  if (await onDuty()) look();
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
// One's place once, for something that is captured: what is known, or null within a moment.
export function here(patience = 3_000) {
  if (latest && Date.now() - latest.at < 30_000) return Promise.resolve(latest);
  return new Promise((resolve) => {
    if (!navigator.geolocation) return resolve(latest);
    const done = setTimeout(() => resolve(latest), patience);
    const told = (position) => {
      clearTimeout(done);
      latest = read(position);
      resolve(latest);
    };
    navigator.geolocation.getCurrentPosition(told, () => null, { enableHighAccuracy: true, timeout: patience, maximumAge: 10_000 });
  });
}
const read = ({ coords, timestamp }) => ({
  latitude: coords.latitude,
  longitude: coords.longitude,
  accuracy: coords.accuracy,
  heading: coords.heading,
  speed: coords.speed,
  at: timestamp,
});
function lost(error) {
  globalThis.dispatchEvent(Object.assign(new Event("place-lost"), { denied: error.code === 1 }));
}
async function found(position) {
  const fix = read(position), before = latest?.kept ? latest : null;
  const worth = !before || fix.at - before.at >= SOON || metres(before, fix) >= FAR;
  if (!worth) return;
  latest = { ...fix, kept: true };
  globalThis.dispatchEvent(new Event("place"));
  await keep(fix);
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
  const measured = Object.fromEntries(Object.entries(fix).filter(([name, value]) => name !== "kept" && Number.isFinite(value)));
  const id = `${recorded_at} ${crypto.randomUUID()}`;
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
// Send what has gathered, called by whoever sends; resolves to how many batches could not be sent.
export async function flush() {
  for (;;) {
    const by = (await recall("driver"))?.id ?? null;
    const batch = (await within("places", (places) => places.getAll(null, MOST), "readonly")) ?? [];
    if (!batch.length) return 0;
    const own = batch.filter((one) => one.by === by);
    const answer = own.length
      ? await call("POST", "/v1/drivers/me/positions", { body: { positions: own.map((one) => one.fix) } })
      : { reached: true, status: 200 };
    const refused = answer.problem?.code && [400, 413, 422].includes(answer.status);
    if (!answer.reached || (answer.status >= 300 && !refused)) return 1;
    await within("places", (places) => batch.forEach((one) => places.delete(one.id)));
  }
}
