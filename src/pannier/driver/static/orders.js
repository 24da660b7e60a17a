// The driver's own open orders and their flows, kept on the phone, as they will be when all has arrived.
//
//   await pull()         asks the server for all of them → { reached, status, problem }
//   await list()         → [{ id, order, flow, waiting, gone, at }], flow with what waits applied
//   await one(id)        → the same of one order, or null
//   projected(kept, entries) → the same, from what is kept and the outbox's entries
import { call } from "./api.js";
import { entries, tell } from "./outbox.js";
import { after, present } from "./projection.js";
import { all, get, note, recall, within } from "./store.js";

export { present };
const READ_AGAIN = 10 * 60_000;
const OWN = "/v1/orders?today=true&limit=100";

export function projected(kept, waiting) {
  const own = waiting.filter((entry) => entry.order === kept.id && entry.state === "waiting");
  return { ...kept, flow: own.reduce(after, kept.flow), waiting: own.length, refused: waiting.filter((entry) => entry.order === kept.id && entry.state === "refused").length };
}
export async function list() {
  const [kept, waiting] = await Promise.all([all("orders"), entries()]);
  return kept.sort((first, second) => first.place - second.place).map((one) => projected(one, waiting));
}
export async function one(id) {
  const [kept, waiting] = await Promise.all([get("orders", id), entries()]);
  return kept ? projected(kept, waiting) : null;
}

// `fresh` reads every flow, or that of the order whose id it is, else only those of orders that are not as they were.
let coming;
export function pull(fresh) {
  if (fresh && coming) return coming.then(() => pull(fresh));
  coming ??= pulled(fresh).finally(() => (coming = undefined));
  return coming;
}
async function pulled(fresh) {
  await forgetEnded();
  const before = new Map((await all("orders")).map((kept) => [kept.id, kept]));
  const token = await recall("token"), found = [];
  for (let page = OWN; page; ) {
    const answer = await call("GET", page, { token });
    if (!Array.isArray(answer.body)) {
      if (answer.status === 401 && answer.ours) await note("token-refused", token), tell();
      return answer;
    }
    found.push(...answer.body);
    page = answer.next;
  }
  for (const [place, order] of found.entries()) {
    // Somebody else may have signed in meanwhile.
    if ((await recall("token")) !== token) return { reached: true, status: 0 };
    const known = before.get(order.id);
    if (![true, order.id].includes(fresh) && known && unchanged(known, order)) {
      if (known.place !== place) await moved(order.id, place);
      continue;
    }
    const answer = await call("GET", `/v1/orders/${order.id}/flow`, { token });
    if (answer.body) await keep(order, answer.body, place, known?.settled ?? 0);
    else if (answer.status !== 404) return answer;
  }
  await forget(found.map((order) => order.id));
  await note("pulled", Date.now());
  tell();
  return { reached: true, status: 200 };
}
const moved = (id, place) =>
  within("orders", (orders) => {
    const asked = orders.get(id);
    asked.onsuccess = () => asked.result && orders.put({ ...asked.result, place });
  });
// A flow follows its order; now and then it is read all the same, as a company may ask for other proofs.
const unchanged = (known, order) =>
  !known.gone && known.settled === known.seen && Date.now() - known.at < READ_AGAIN && JSON.stringify(known.order) === JSON.stringify(order);
// What arrived at the server meanwhile may be newer than what was read: then the next time tells.
const keep = (order, flow, place, settled) =>
  within("orders", (orders) => {
    const asked = orders.get(order.id);
    asked.onsuccess = () => {
      if ((asked.result?.settled ?? 0) === settled || !asked.result) orders.put({ id: order.id, order, flow, place, settled, seen: settled, gone: false, at: Date.now() });
    };
  });
// An order that is no longer one's own goes, unless something of it still waits: then it is marked.
async function forget(known) {
  const waiting = new Set((await entries()).map((entry) => entry.order));
  await within("orders", (orders) => {
    orders.getAll().onsuccess = ({ target }) => {
      for (const kept of target.result.filter((one) => !known.includes(one.id)))
        waiting.has(kept.id) ? orders.put({ ...kept, gone: true }) : orders.delete(kept.id);
    };
  });
}
// Contact details leave the phone a day after the server said that their order has ended, also without reception.
const DAY = 86400000;
const isOver = ({ ended }) => Boolean(ended) && Date.now() - Date.parse(ended) > DAY;
async function forgetEnded() {
  const waiting = new Set((await entries()).map((entry) => entry.order));
  await within("orders", (orders) => {
    orders.getAll().onsuccess = ({ target }) => {
      for (const kept of target.result) if (isOver(kept) && !waiting.has(kept.id)) orders.delete(kept.id);
    };
  });
}
// Signing out: what the phone knows of orders goes, and what was begun; what waits stays until its driver is back.
export const clear = () => within(["orders", "drafts"], (...stores) => stores.forEach((store) => store.clear()));
