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

/** @type {(kept: KeptOrder, waiting: Entry[]) => ShownOrder} */
export function projected(kept, waiting) {
  const own = waiting.filter((entry) => entry.order === kept.id && entry.state === "waiting");
  return { ...kept, flow: own.reduce(after, kept.flow), waiting: own.length, refused: waiting.filter((entry) => entry.order === kept.id && entry.state === "refused").length };
}
/** @type {() => Promise<ShownOrder[]>} */
export async function list() {
  const [kept, waiting] = await Promise.all([all("orders"), entries()]);
  return kept.sort((first, second) => first.place - second.place).map((one) => projected(one, waiting));
}
/** @type {(id: string) => Promise<ShownOrder | null>} */
export async function one(id) {
  const [kept, waiting] = await Promise.all([get("orders", id), entries()]);
  return kept ? projected(kept, waiting) : null;
}

// `fresh` reads every flow, or that of the order whose id it is, else only those of orders that are not as they were.
/** @type {Promise<Partial<Answer>> | undefined} */
let coming;
/** @type {(fresh?: boolean | string) => Promise<Partial<Answer>>} */
export function pull(fresh) {
  if (fresh && coming) return coming.then(() => pull(fresh));
  coming ??= pulled(fresh).finally(() => (coming = undefined));
  return coming;
}
/** @type {(fresh?: boolean | string) => Promise<Partial<Answer>>} */
async function pulled(fresh) {
  await forgetEnded();
  const before = new Map((await all("orders")).map((kept) => [kept.id, kept]));
  const token = await recall("token");
  /** @type {OrderOut[]} */
  const found = [];
  /** @type {string | null | undefined} */
  let page = OWN;
  while (page) {
    /** @type {Answer<OrderOut[]>} */
    const answer = await call("GET", page, { token });
    if (!Array.isArray(answer.body)) {
      if (answer.status === 401 && answer.ours) {
        await note("token-refused", token);
        tell();
      }
      return answer;
    }
    found.push(...answer.body);
    page = answer.next;
  }
  for (const [place, order] of found.entries()) {
    // Somebody else may have signed in meanwhile.
    if ((await recall("token")) !== token) return { reached: true, status: 0 };
    const known = before.get(order.id);
    if (fresh !== true && fresh !== order.id && known && unchanged(known, order)) {
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
/** @type {(id: string, place: number) => Promise<unknown>} */
const moved = (id, place) =>
  within("orders", (orders) => {
    const asked = orders.get(id);
    asked.onsuccess = () => {
      if (asked.result) orders.put({ ...asked.result, place });
    };
  });
// A flow follows its order; now and then it is read all the same, as a company may ask for other proofs.
/** @type {(known: KeptOrder, order: OrderOut) => boolean} */
const unchanged = (known, order) =>
  !known.gone && known.settled === known.seen && Date.now() - known.at < READ_AGAIN && JSON.stringify(known.order) === JSON.stringify(order);
// What arrived at the server meanwhile may be newer than what was read: then the next time tells.
/** @type {(order: OrderOut, flow: FlowOut, place: number, settled: number) => Promise<unknown>} */
const keep = (order, flow, place, settled) =>
  within("orders", (orders) => {
    const asked = orders.get(order.id);
    asked.onsuccess = () => {
      if ((asked.result?.settled ?? 0) === settled || !asked.result) orders.put({ id: order.id, order, flow, place, settled, seen: settled, gone: false, at: Date.now() });
    };
  });
// An order that is no longer one's own goes, unless something of it still waits: then it is marked.
/** @type {(known: string[]) => Promise<void>} */
async function forget(known) {
  const waiting = new Set((await entries()).map((entry) => entry.order));
  await within("orders", (orders) => {
    forEachOrder(orders, (kept) => {
      if (known.includes(kept.id)) return;
      if (waiting.has(kept.id)) orders.put({ ...kept, gone: true });
      else orders.delete(kept.id);
    });
  });
}
// Contact details leave the phone a day after the server said that their order has ended, also without reception.
const DAY = 86400000;
/** @type {(kept: KeptOrder) => boolean} */
const isOver = ({ ended }) => ended !== undefined && Date.now() - Date.parse(ended) > DAY;
async function forgetEnded() {
  const waiting = new Set((await entries()).map((entry) => entry.order));
  await within("orders", (orders) => {
    forEachOrder(orders, (kept) => {
      if (isOver(kept) && !waiting.has(kept.id)) orders.delete(kept.id);
    });
  });
}
/** @type {(orders: IDBObjectStore, act: (kept: KeptOrder) => void) => void} */
function forEachOrder(orders, act) {
  const asked = orders.getAll();
  asked.onsuccess = () => {
    for (const kept of asked.result) act(kept);
  };
}
// Signing out: what the phone knows of orders goes, and what was begun; what waits stays until its driver is back.
export const clear = () => within(["orders", "drafts"], (...stores) => {
  for (const store of stores) store.clear();
});
