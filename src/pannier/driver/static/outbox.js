// Actions and captures that have not reached the server yet. They are delivered in order, exactly once.
//
//   id = await addEntry({ kind, order, path, body, pictures, summary })
//   await awaitOutcome(id)  → { sent: answer } | { refused: problem } | { waiting: entry }
//   await listEntries()     → every entry, the oldest first
//   await loadStatus()      → { waiting, refused, signIn, until, trouble }
//   await send()            → the number of entries that still wait
//   await retryEntry(id, changes), await replaceEntry(id, capture), await discardEntry(id, { rest })
//
// The page and the service worker share this file, so it must not use a document.
import { callApi, clockSkew, serverNow } from "./api.js";
import { sendPositions } from "./positions.js";
import { applyCash, applyEntry } from "./projection.js";
import { getAllRecords, getRecord, loadValue, loadValues, runTransaction, saveValue } from "./store.js";
import { uuid } from "./uuid.js";

const RETRY_STATUSES = [408, 425, 429, 500, 502, 503, 504];
/** @type {Record<string, string>} */
const PICTURE_FIELDS = { "capture-photo": "photos", "capture-signature": "signature", "capture-qr": "photo", "with-photos": "photos" };
const HISTORY_MS = 24 * 3600_000, MAX_HISTORY = 500;
const MAX_PAUSE_MS = 10 * 60_000;
// Refuse an entry after an intermediary has blocked it this often while letting other requests through.
const MAX_BLOCKED = 4;
// Refusals that did not come from the server.
const LOCAL_REFUSALS = ["turned_down", "picture_lost"];
/** @type {Map<string, unknown>} */
const answers = new Map();

// The phone's storage is full. Nothing was queued, so the caller must tell the driver.
export class StorageFull extends Error {
  name = "StorageFull";
}

// Queue a request. Resolves to its id once it is stored, and starts to send.
//   kind      activity | proof | attempt | issue | duty | sms | cash | message | sos
//   order     the order's id, if any; entries of one order are sent one after another
//   path      "/v1/orders/…"; `method` defaults to POST
//   body      an object; times and proof ids are added here
//   pictures  Blobs, or { field, blob, name } if the field is not the path's default
//   summary   { key, values } for t(), or a text; shown in the list of waiting entries
//   drafts    ids of the drafts it was made of; deleted in the same transaction
//   draft     a draft to save in the same transaction
//   before    an entry of the same order that must be sent after this one
//   id        created here by default; an id that already exists is not added again
/** @type {(given: NewEntry) => Promise<string>} */
export async function addEntry({ kind, order = null, method = "POST", path, body = {}, pictures = [], summary = "", drafts = [], draft, before, id = uuid() }) {
  const by = (await loadValue("driver"))?.id ?? null, at = serverNow().toISOString();
  const { listed, blobs } = describePictures(path, id, pictures);
  /** @type {Entry} */
  const entry = { id, key: id, kind, order, by, method, path, summary, at, skew: clockSkew(), sequence: 0, state: "waiting", tries: 0, problem: null, body: addTimes({ id, kind, path, at }, body), pictures: listed };
  await storeOrThrow(() =>
    runTransaction(["state", "outbox", "pictures", "drafts"], (state, outbox, pictureStore, draftStore) => {
      for (const blob of blobs) pictureStore.put(blob);
      for (const name of drafts) draftStore.delete(name);
      if (draft) draftStore.put(draft);
      const counter = state.get("sequence");
      counter.onsuccess = () => {
        const value = (counter.result?.value ?? 0) + 1;
        entry.sequence = before ? before.sequence - 0.5 : value;
        state.put({ name: "sequence", value });
        outbox.add(entry);
      };
    }),
  );
  notifyTabs();
  send();
  registerSync();
  return id;
}
// Return the pictures as the entry lists them, and the records to store.
/** @type {(path: string, name: string, pictures: (Picture | Blob)[]) => { listed: Entry["pictures"]; blobs: Stores["pictures"][] }} */
function describePictures(path, name, pictures) {
  const given = pictures.map((one) => (one instanceof Blob ? { blob: one } : one));
  return {
    listed: given.map((one, index) => describePicture(one, `${name}-${index}`, path)),
    blobs: given.map(({ blob }, index) => ({ id: `${name}-${index}`, blob })),
  };
}
/** @type {(entry: Pick<Entry, "id" | "kind" | "path" | "at">, body: EntryBody) => EntryBody} */
function addTimes({ id, kind, path, at }, body) {
  if (path.includes("/capture-")) return { captured_at: at, proof_uuid: id, ...body };
  if (path.endsWith("/collect-cash")) return { collected_at: at, collection_uuid: id, ...body };
  if (kind === "message") return { sent_at: at, message_uuid: id, ...body };
  return ["activity", "attempt", "duty", "sos"].includes(kind) && !path.includes("/set-destination/") ? { occurred_at: at, ...body } : { ...body };
}
/** @type {(one: Picture, id: string, path: string) => Entry["pictures"][number]} */
function describePicture({ blob, field, name }, id, path) {
  const action = Object.keys(PICTURE_FIELDS).find((each) => path.includes(`/${each}`));
  return { id, field: field ?? PICTURE_FIELDS[action ?? ""] ?? "file", name: name ?? `picture.${blob.type === "image/png" ? "png" : "jpg"}` };
}
/** @type {(act: () => Promise<unknown>) => Promise<void>} */
async function storeOrThrow(act) {
  try {
    await act();
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    if (name === "ConstraintError") return;
    if (name === "QuotaExceededError") throw new StorageFull(message);
    throw error;
  }
}

// List all entries, the oldest first. `behind` is the id of the entry that one waits for.
/** @type {() => Promise<QueuedEntry[]>} */
export async function listEntries() {
  const all = (await getAllRecords("outbox")).sort((one, other) => one.sequence - other.sequence);
  /** @type {Map<string, Entry>} */
  const lanes = new Map();
  return all.map((entry) => {
    const first = lanes.get(laneOf(entry));
    if (!first && !(["duty", "message"].includes(entry.kind) && entry.state === "refused")) lanes.set(laneOf(entry), entry);
    return { ...entry, behind: first && !canOvertake(entry, first) ? first.id : null };
  });
}
// A proof is sent before a refused activity that lacks it.
/** @type {(entry: Entry, first: Entry) => boolean} */
const canOvertake = (entry, { state, problem }) => entry.kind === "proof" && state === "refused" && problem?.code === "pod_required";
// Entries with the same key are sent one after another: those of an order, duty changes, and messages. Issues and calls for help never wait.
/** @type {(entry: Entry) => string} */
const laneOf = ({ id, by, kind, order }) => `${by} ${["issue", "sos"].includes(kind) ? id : ["duty", "message"].includes(kind) ? kind : (order ?? id)}`;

export async function loadStatus() {
  const all = await listEntries(), driver = (await loadValue("driver"))?.id ?? null;
  const own = all.filter((entry) => entry.by === driver);
  return {
    waiting: own.filter((entry) => entry.state === "waiting").length,
    refused: own.filter((entry) => entry.state === "refused").length,
    others: all.length - own.length,
    signIn: isSignedOut(await loadValues()),
    until: await loadPauseEnd(),
    trouble: own.find((entry) => entry.state === "waiting" && entry.problem)?.problem ?? null,
  };
}
// Resolve to an entry's result. Give up after `patience` milliseconds, as sending may take long offline.
/** @type {(id: string, patience?: number) => Promise<{ sent?: unknown; refused?: Problem | null; waiting?: Entry }>} */
export async function awaitOutcome(id, patience = 8_000) {
  await Promise.race([running ?? send(), new Promise((resolve) => setTimeout(resolve, patience))]);
  const entry = await getRecord("outbox", id);
  if (!entry) return { sent: answers.get(id) ?? null };
  return entry.state === "refused" ? { refused: entry.problem } : { waiting: entry };
}

// Send a refused entry again, perhaps with changes. After a refusal by the server it needs a new idempotency key.
// Otherwise it keeps its key, because it may have arrived.
/** @type {(id: string, changes?: EntryBody) => Promise<number>} */
export async function retryEntry(id, changes = {}) {
  await updateEntry(id, (entry) =>
    entry.state === "refused" ? { ...entry, key: LOCAL_REFUSALS.includes(entry.problem?.code ?? "") ? entry.key : uuid(), body: { ...entry.body, ...changes }, state: "waiting", turns: 0, problem: null } : entry,
  );
  notifyTabs();
  return send();
}
// Replace a refused entry by a new capture, at the same position.
/** @type {(id: string, made: Pick<Capture, "path" | "body" | "pictures" | "summary" | "drafts">) => Promise<number>} */
export async function replaceEntry(id, { path, body, pictures, summary, drafts }) {
  const key = uuid(), { listed, blobs } = describePictures(path, key, pictures);
  /** @type {Partial<Entry>} */
  const changes = { key, path, body, summary, skew: clockSkew(), state: "waiting", turns: 0, problem: null, pictures: listed };
  await storeOrThrow(() =>
    runTransaction(["outbox", "pictures", "drafts"], (outbox, pictureStore, draftStore) => {
      const request = outbox.get(id);
      request.onsuccess = () => {
        if (request.result?.state !== "refused") return;
        deleteEntry(request.result, outbox, pictureStore);
        for (const blob of blobs) pictureStore.put(blob);
        for (const name of drafts) draftStore.delete(name);
        outbox.put({ ...request.result, ...changes });
      };
    }),
  );
  notifyTabs();
  return send();
}
// Discard an entry. With `rest`, discard all entries behind it too.
/** @type {(id: string, given?: { rest?: boolean }) => Promise<number>} */
export async function discardEntry(id, { rest = false } = {}) {
  await withLock(async () => {
    const found = await listEntries(), chosen = found.find((entry) => entry.id === id);
    if (!chosen) return;
    const discarded = found.filter((entry) => entry === chosen || (rest && entry.behind === id));
    await runTransaction(["outbox", "pictures"], (outbox, pictures) => {
      for (const entry of discarded) deleteEntry(entry, outbox, pictures);
    });
  });
  notifyTabs();
  return send();
}
/** @type {(entry: Entry, outbox: IDBObjectStore, pictures: IDBObjectStore) => void} */
function deleteEntry(entry, outbox, pictures) {
  outbox.delete(entry.id);
  for (const { id } of entry.pictures) pictures.delete(id);
}
/** @type {(id: string, change: (entry: Entry) => Entry) => Promise<unknown>} */
const updateEntry = (id, change) =>
  runTransaction("outbox", (outbox) => {
    const request = outbox.get(id);
    request.onsuccess = () => {
      if (request.result) outbox.put(change(request.result));
    };
  });

// Across all tabs, only one sender runs at a time. A call during a run makes it check again.
/** @type {<T>(act: () => Promise<T>) => Promise<T>} */
const withLock = (act) => /** @type {ReturnType<typeof act>} */ (navigator.locks.request("outbox", act));
/** @type {Promise<number> | undefined} */
let running;
let requested = false;
/** @type {() => Promise<number>} */
export function send() {
  requested = true;
  running ??= sendUntilDone();
  return running;
}
async function sendUntilDone() {
  let left = 0;
  while (requested) {
    requested = false;
    left = await drain().catch((error) => {
      console.warn(error);
      return 1;
    });
  }
  running = undefined;
  return left;
}
/** @type {(known: StateValues) => boolean} */
const isSignedOut = ({ token, "token-refused": refused }) => !token || token === refused;
/** @type {() => Promise<number>} */
export async function loadPauseEnd() {
  const until = (await loadValue("pause")) ?? 0, left = until - Date.now();
  return left > 0 && left <= MAX_PAUSE_MS ? until : 0;
}
// Send entries one after another until none is left or none can be sent.
/** @type {() => Promise<number>} */
async function drain() {
  /** @type {Set<string>} */
  const blocked = new Set();
  for (;;) {
    const left = await withLock(() => sendNext(blocked));
    if (left !== null) return left;
  }
}
// Resolves to null if there may be more to send, otherwise to the number of waiting entries.
/** @type {(held: Set<string>) => Promise<number | null>} */
async function sendNext(blocked) {
  // Use the token of the entries' driver, even if another driver signs in meanwhile.
  const values = await loadValues(), driver = values.driver?.id ?? null;
  const own = (await listEntries()).filter((entry) => entry.by === driver);
  const left = own.filter((entry) => entry.state === "waiting").length;
  if (isSignedOut(values) || (await loadPauseEnd())) return left;
  const ready = own.filter((entry) => entry.state === "waiting" && !entry.behind && !blocked.has(laneOf(entry)));
  const next = ready.find(({ kind }) => kind === "sos") ?? ready[0];
  if (!next) return left + (await sendPositions(driver, values.token));
  const verdict = await sendEntry(next, values.token);
  if (verdict === "later") blocked.add(laneOf(next));
  return verdict === "stop" ? left : null;
}
// "on": delivered or refused. "later": this order waits. "stop": everything waits.
/** @typedef {"on" | "later" | "stop"} Verdict */
/** @type {(entry: Entry, token?: string) => Promise<Verdict>} */
async function sendEntry(entry, token) {
  const body = await buildBody(entry).catch(() => null);
  if (!body) return recordProblem(entry, { status: 0, code: "picture_lost" });
  const answer = await callApi(entry.method, entry.path, { key: entry.key, body, token });
  const { reached, fromApi, status, problem, retryAfter } = answer;
  if (!reached) return "stop";
  if (!fromApi) return handleIntermediary(entry, answer, token);
  if (!problem) {
    await settleEntry(entry, answer.body);
    return "on";
  }
  if (status === 401) {
    await saveValue("token-refused", token);
    notifyTabs();
    return "stop";
  }
  const later = RETRY_STATUSES.includes(status) || problem.code === "idempotency_in_progress";
  if (problem.fields?.some(({ path }) => path === "captured_at") && (await correctDate(entry))) return "on";
  await recordProblem(entry, { ...problem, status }, later);
  if (later && retryAfter) await saveValue("pause", Date.now() + Math.min(retryAfter * 1000, MAX_PAUSE_MS));
  if (!later) return "on";
  return status === 429 || status === 503 ? "stop" : "later";
}
// Something between the phone and the API answered. If it blocks everything, all entries wait for another network or
// for a log-in. If it blocks only this entry, others are sent, and this one is refused in the end.
/** @type {(entry: Entry, answer: Answer, token?: string) => Promise<Verdict>} */
async function handleIntermediary(entry, { status, retryAfter, problem }, token) {
  if (retryAfter) await saveValue("pause", Date.now() + Math.min(retryAfter * 1000, MAX_PAUSE_MS));
  // It may allow requests that only read, so test with a POST. Without positions, it writes nothing.
  const through = (await callApi("POST", "/v1/drivers/me/positions", { token, body: {} })).fromApi, turns = (entry.turns ?? 0) + (through && status < 500 ? 1 : 0);
  const isRefused = turns >= MAX_BLOCKED;
  await recordProblem({ ...entry, turns }, isRefused ? { status, code: "turned_down" } : { ...problem, status }, !isRefused);
  return through ? (isRefused ? "on" : "later") : "stop";
}
// Once the clock's error is known, correct the dates of captures made before.
/** @type {(entry: Entry) => Promise<boolean>} */
async function correctDate({ id, skew, body: { captured_at: moment } }) {
  const off = clockSkew() - skew;
  if (!moment || Math.abs(off) < 30_000) return false;
  const captured_at = new Date(Date.parse(moment) + off).toISOString();
  await updateEntry(id, (entry) => ({ ...entry, key: uuid(), skew: clockSkew(), body: { ...entry.body, captured_at } }));
  return true;
}
// Save the server's problem with the entry. Only a permanent problem is a refusal.
/** @type {(entry: Entry, problem: Problem, later?: boolean) => Promise<"on">} */
async function recordProblem({ id, turns = 0 }, problem, later = false) {
  /** @type {Entry["state"]} */
  const state = later ? "waiting" : "refused";
  const refused_at = later ? null : serverNow().toISOString();
  await updateEntry(id, (entry) => ({ ...entry, tries: entry.tries + 1, turns, problem, state, refused_at }));
  notifyTabs();
  return "on";
}
// A body with pictures is a form. The order of its fields must stay the same for the idempotency key.
/** @type {(entry: Entry) => Promise<EntryBody | FormData>} */
async function buildBody(entry) {
  if (!entry.pictures.length) return entry.body;
  const form = new FormData();
  for (const [name, value] of Object.entries(entry.body))
    if (value !== null && value !== undefined) form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  for (const { id, field, name } of entry.pictures) {
    const picture = await getRecord("pictures", id);
    if (!picture) throw new Error(`The picture ${id} is lost.`);
    const { blob } = picture;
    form.append(field, new Blob([await blob.arrayBuffer()], { type: blob.type }), name);
  }
  return form;
}
// Add a delivered entry to the history of the day. Proofs may name recipients, and belong to the activities that follow.
/** @type {(state: IDBObjectStore, entry: Entry, order?: OrderOut) => void} */
function addToHistory(state, { id, by, kind, summary, at }, order) {
  if (["proof", "sms"].includes(kind)) return;
  const request = state.get("history");
  request.onsuccess = () => {
    const recent = (request.result?.value ?? []).filter((/** @type {Done} */ one) => Date.parse(one.at) > Date.now() - HISTORY_MS && one.id !== id);
    const number = order?.internal_id ?? order?.tracking_number?.tracking_number ?? "";
    state.put({ name: "history", value: [...recent, { id, by, kind, summary, at, number, sent: Date.now() }].slice(-MAX_HISTORY) });
  };
}
// Delete a delivered entry, and apply it to the stored order.
/** @type {(entry: Entry, answer: { completed_at?: string | null; canceled_at?: string | null } | null | undefined) => Promise<void>} */
async function settleEntry(entry, answer) {
  const ended = answer?.completed_at ?? answer?.canceled_at;
  await runTransaction(["outbox", "pictures", "orders", "state"], (outbox, pictures, orders, state) => {
    deleteEntry(entry, outbox, pictures);
    if (entry.kind === "message") return addMessage(state, answer);
    if (!entry.order) return addToHistory(state, entry);
    const request = orders.get(entry.order);
    request.onsuccess = () => {
      addToHistory(state, entry, request.result?.order);
      if (request.result) orders.put({ ...request.result, order: applyCash(request.result.order, entry), flow: applyEntry(request.result.flow, entry), ended: ended ?? request.result.ended, settled: (request.result.settled ?? 0) + 1 });
    };
  });
  answers.set(entry.id, answer);
  notifyTabs();
  if (entry.order) notifyTabs("arrived", entry.order);
}

// Show a delivered message until the next pull.
/** @type {(state: IDBObjectStore, message: any) => void} - the API's answer of any kind of action */
function addMessage(state, message) {
  const request = state.get("messages");
  request.onsuccess = () => {
    if (message?.id) state.put({ name: "messages", value: [message, ...(request.result?.value ?? []).filter((/** @type {{ id: string }} */ { id }) => id !== message.id)] });
  };
}

// Notify all tabs with an event on their window: `outbox` when entries change, `arrived` with the order's id as its
// detail when an entry of an order was delivered.
const channel = new BroadcastChannel("outbox");
/** @type {(said: { name: string; detail: string | null }) => void} */
const dispatch = ({ name, detail }) => globalThis.dispatchEvent(new CustomEvent(name, { detail }));
channel.onmessage = ({ data }) => dispatch(data);
/** @type {(name?: string, detail?: string | null) => void} */
export function notifyTabs(name = "outbox", detail = null) {
  dispatch({ name, detail });
  channel.postMessage({ name, detail });
}
// Where supported, the browser sends waiting entries even when the app is closed.
async function registerSync() {
  const registration = await globalThis.navigator.serviceWorker?.getRegistration?.("/driver").catch(() => null);
  await registration?.sync?.register("outbox").catch(() => null);
}
