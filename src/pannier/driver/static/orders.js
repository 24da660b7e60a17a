// The driver's open orders and their flows, stored on the phone.
//
//   await pullOrders()             fetches all of them → { reached, status, problem }
//   await listOrders()             → [{ id, order, flow, waiting, gone, at }], with waiting entries applied to `flow`
//   await findOrder(id)            → one of these, or null
//   projectOrder(stored, entries)  → the same, from a stored order and the outbox's entries
//
// `stops` are the order's stops in the sequence of the day, with the last ETAs from the server.
import { callApi } from "./api.js";
import { pullMessages } from "./messages.js";
import { listEntries, notifyTabs } from "./outbox.js";
import { applyCash, applyEntry } from "./projection.js";
import { getAllRecords, getRecord, loadValue, runTransaction, saveValue } from "./store.js";

const MAX_FLOW_AGE_MS = 10 * 60_000;
const OWN_ORDERS = "/v1/orders?today=true&limit=100", OWN_STOPS = "/v1/drivers/me/stops", OWN_HISTORY = "/v1/drivers/me/history";
// Older ETAs are of another day.
const MAX_ETA_AGE_MS = 6 * 3600_000;

/** @type {(kept: StoredOrder, waiting: Entry[], stops?: DayStop[]) => ProjectedOrder} */
export function projectOrder(stored, waiting, stops = []) {
  const own = waiting.filter((entry) => entry.order === stored.id && entry.state === "waiting");
  return { ...stored, stops: stops.filter(({ order }) => order === stored.id), order: own.reduce(applyCash, stored.order), flow: own.reduce(applyEntry, stored.flow), waiting: own.length, refused: waiting.filter((entry) => entry.order === stored.id && entry.state === "refused").length };
}
/** @type {() => Promise<ProjectedOrder[]>} */
export async function listOrders() {
  const [stored, waiting, stops] = await Promise.all([getAllRecords("orders"), listEntries(), listDayStops()]);
  return stored.sort((first, second) => first.place - second.place).map((one) => projectOrder(one, waiting, stops));
}
/** @type {(id: string) => Promise<ProjectedOrder | null>} */
export async function findOrder(id) {
  const [stored, waiting, stops] = await Promise.all([getRecord("orders", id), listEntries(), listDayStops()]);
  return stored ? projectOrder(stored, waiting, stops) : null;
}
// The stops of the day as the server last sent them. Offline, the ETAs stay as they were.
/** @type {() => Promise<DayStop[]>} */
async function listDayStops() {
  const day = await loadValue("day");
  if (!day) return [];
  const isOld = !day.computed_at || Date.now() - Date.parse(day.computed_at) > MAX_ETA_AGE_MS;
  return day.stops.map((stop, turn) => ({ ...stop, turn, eta: isOld ? null : stop.eta, computed: day.computed_at }));
}

// `fresh` reloads every flow, or only that of the given order id. Otherwise only changed orders reload theirs.
/** @type {Promise<Partial<Answer>> | undefined} */
let pulling;
/** @type {(fresh?: boolean | string) => Promise<Partial<Answer>>} */
export function pullOrders(fresh) {
  if (fresh && pulling) return pulling.then(() => pullOrders(fresh));
  pulling ??= fetchOrders(fresh).finally(() => (pulling = undefined));
  return pulling;
}
/** @type {(fresh?: boolean | string) => Promise<Partial<Answer>>} */
async function fetchOrders(fresh) {
  await deleteEnded();
  const before = new Map((await getAllRecords("orders")).map((stored) => [stored.id, stored]));
  const token = await loadValue("token");
  /** @type {OrderOut[]} */
  const orders = [];
  /** @type {string | null | undefined} */
  let page = OWN_ORDERS;
  while (page) {
    /** @type {Answer<OrderOut[]>} */
    const answer = await callApi("GET", page, { token });
    if (!Array.isArray(answer.body)) {
      if (answer.status === 401 && answer.fromApi) {
        await saveValue("token-refused", token);
        notifyTabs();
      }
      return answer;
    }
    orders.push(...answer.body);
    page = answer.next;
  }
  for (const [place, order] of orders.entries()) {
    // Another driver may have signed in since.
    if ((await loadValue("token")) !== token) return { reached: true, status: 0 };
    const stored = before.get(order.id);
    if (fresh !== true && fresh !== order.id && stored && isUnchanged(stored, order)) {
      if (stored.place !== place) await savePlace(order.id, place);
      continue;
    }
    const answer = await callApi("GET", `/v1/orders/${order.id}/flow`, { token });
    if (answer.body) await saveOrder(order, answer.body, place, stored?.settled ?? 0);
    else if (answer.status !== 404) return answer;
  }
  await deleteUnlisted(orders.map((order) => order.id));
  // Without them, the orders are still complete.
  const { body: day } = await callApi("GET", OWN_STOPS, { token });
  if (day && (await loadValue("token")) === token) await saveValue("day", day);
  await pullHistory(token);
  await pullMessages();
  await saveValue("pulled", Date.now());
  notifyTabs();
  return { reached: true, status: 200 };
}
// Between two requests, the phone's own history adds what it has sent since.
/** @type {(token: string | undefined) => Promise<void>} */
async function pullHistory(token) {
  const asked = Date.now();
  if (asked - ((await loadValue("recorded"))?.at ?? 0) < MAX_FLOW_AGE_MS) return;
  /** @type {Answer<DriverActivityOut[]>} */
  const { body: activities } = await callApi("GET", OWN_HISTORY, { token });
  if (activities && (await loadValue("token")) === token) await saveValue("recorded", { at: asked, activities });
}
/** @type {(id: string, place: number) => Promise<unknown>} */
const savePlace = (id, place) =>
  runTransaction("orders", (orders) => {
    const request = orders.get(id);
    request.onsuccess = () => {
      if (request.result) orders.put({ ...request.result, place });
    };
  });
// A flow changes with its order. Reload it now and then anyway, as a company may change its proof rules.
/** @type {(known: StoredOrder, order: OrderOut) => boolean} */
const isUnchanged = (stored, order) =>
  !stored.gone && stored.settled === stored.seen && Date.now() - stored.at < MAX_FLOW_AGE_MS && JSON.stringify(stored.order) === JSON.stringify(order);
// The recipients' instructions by stop, or by the order's id, with the time of each. In an order that is new to the
// phone, none is marked as new.
/** @type {(order: OrderOut) => Record<string, string>} */
const listInstructions = (order) =>
  Object.fromEntries([order, ...order.payload.waypoints].flatMap(({ id, delivery_instructions: given }) => (given ? [[id, given.requested_at]] : [])));
/** @type {(id: string, target: string, time: string) => Promise<unknown>} */
export const markRead = (id, target, time) =>
  runTransaction("orders", (orders) => {
    const request = orders.get(id);
    request.onsuccess = () => {
      if (request.result) orders.put({ ...request.result, read: { ...request.result.read, [target]: time } });
    };
  });
// If entries were delivered during the request, this flow may be outdated. The next pull replaces it.
/** @type {(order: OrderOut, flow: FlowOut, place: number, settled: number) => Promise<unknown>} */
const saveOrder = (order, flow, place, settled) =>
  runTransaction("orders", (orders) => {
    const request = orders.get(order.id);
    request.onsuccess = () => {
      const read = request.result ? request.result.read ?? {} : listInstructions(order);
      if ((request.result?.settled ?? 0) === settled || !request.result) orders.put({ id: order.id, order, flow, place, settled, seen: settled, gone: false, at: Date.now(), read });
    };
  });
// Delete orders that are no longer the driver's. Mark those with waiting entries instead.
/** @type {(known: string[]) => Promise<void>} */
async function deleteUnlisted(ids) {
  const waiting = new Set((await listEntries()).map((entry) => entry.order));
  await runTransaction("orders", (orders) => {
    forEachOrder(orders, (stored) => {
      if (ids.includes(stored.id)) return;
      if (waiting.has(stored.id)) orders.put({ ...stored, gone: true });
      else orders.delete(stored.id);
    });
  });
}
// Delete contact details a day after an order has ended, also offline.
const DAY_MS = 86400000;
/** @type {(kept: StoredOrder) => boolean} */
const hasExpired = ({ ended }) => ended !== undefined && Date.now() - Date.parse(ended) > DAY_MS;
async function deleteEnded() {
  const waiting = new Set((await listEntries()).map((entry) => entry.order));
  await runTransaction("orders", (orders) => {
    forEachOrder(orders, (stored) => {
      if (hasExpired(stored) && !waiting.has(stored.id)) orders.delete(stored.id);
    });
  });
}
/** @type {(orders: IDBObjectStore, act: (kept: StoredOrder) => void) => void} */
function forEachOrder(orders, act) {
  const request = orders.getAll();
  request.onsuccess = () => {
    for (const stored of request.result) act(stored);
  };
}
// On sign-out, delete orders, the day, drafts and the map around the stops. The outbox stays until its driver is back.
export async function clearOrders() {
  await runTransaction(["orders", "drafts"], (...stores) => {
    for (const store of stores) store.clear();
  });
  await saveValue("day", undefined);
  await saveValue("cash", undefined);
  await saveValue("history", undefined);
  await saveValue("recorded", undefined);
  await saveValue("messages", undefined);
  await globalThis.caches?.delete("map");
}
