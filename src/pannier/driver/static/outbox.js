// What was pressed or captured and has not reached the server yet: kept, in order, exactly once.
//
//   id = await add({ kind, order, path, body, pictures, summary })
//   await outcome(id)   → { sent: answer } | { refused: problem } | { waiting: entry }
//   await entries()     → every entry, the oldest first
//   await standing()    → { waiting, refused, signIn, until, trouble }
//   await send()        → how many still wait and may be sent later
//   await again(id, changes), await mend(id, captured), await discard(id, { rest })
//
// The page and the service worker share this file; nothing in it needs a document.
import { callApi, clockSkew, serverNow } from "./api.js";
import { sendPositions } from "./positions.js";
import { applyEntry } from "./projection.js";
import { getAllRecords, getRecord, loadValue, loadValues, runTransaction, saveValue } from "./store.js";
import { uuid } from "./uuid.js";

const RETRY_STATUSES = [408, 425, 429, 500, 502, 503, 504];
/** @type {Record<string, string>} */
const PICTURE_FIELDS = { "capture-photo": "photos", "capture-signature": "signature", "capture-qr": "photo", "with-photos": "photos" };
const MAX_PAUSE_MS = 10 * 60_000;
// So often something on the way may turn an entry down, while it lets others through.
const MAX_BLOCKED = 4;
// What was refused without the server.
const LOCAL_REFUSALS = ["turned_down", "picture_lost"];
/** @type {Map<string, unknown>} */
const answers = new Map();

// Not kept: the phone's memory is full. Nothing was queued, so the caller must say so.
export class StorageFull extends Error {
  name = "StorageFull";
}

// Keep something to send: resolves to its id once it is written down for good, and begins to send.
//   kind      activity | proof | attempt | issue | duty | sms
//   order     the order's id, or nothing; entries of one order go strictly one after another
//   path      "/v1/orders/…", with `method` POST unless told otherwise
//   body      an object; the time and the name of a proof are added here
//   pictures  Blobs, or { field, blob, name } where the field is another than the path's usual
//   summary   { key, values } for t(), or a text: what the list of what waits shows
//   drafts    names of drafts that it was made of: they go in the same moment
//   draft     one that goes on, kept as it now is in the same moment
//   before    the entry of the same order that it goes ahead of
//   id        made here, unless the caller has made one; what is added twice is kept once
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
// How an entry lists its pictures, and what is stored of them.
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
  return ["activity", "attempt", "duty"].includes(kind) && !path.includes("/set-destination/") ? { occurred_at: at, ...body } : { ...body };
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

// Everything that waits or was refused, the oldest first; `behind` is the entry that one waits for.
/** @type {() => Promise<QueuedEntry[]>} */
export async function listEntries() {
  const all = (await getAllRecords("outbox")).sort((one, other) => one.sequence - other.sequence);
  /** @type {Map<string, Entry>} */
  const lanes = new Map();
  return all.map((entry) => {
    const first = lanes.get(laneOf(entry));
    if (!first && !(entry.kind === "duty" && entry.state === "refused")) lanes.set(laneOf(entry), entry);
    return { ...entry, behind: first && !canOvertake(entry, first) ? first.id : null };
  });
}
// A proof goes ahead of a step that was refused for the want of one.
/** @type {(entry: Entry, first: Entry) => boolean} */
const canOvertake = (entry, { state, problem }) => entry.kind === "proof" && state === "refused" && problem?.code === "pod_required";
// What must go one after another: all of an order, and going on and off duty. An issue waits for nothing.
/** @type {(entry: Entry) => string} */
const laneOf = ({ id, by, kind, order }) => `${by} ${kind === "issue" ? id : kind === "duty" ? kind : (order ?? id)}`;

// How it stands: what waits, what was refused, and what keeps it from being sent.
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
// What became of an entry, once sending it has been tried; without reception that may take too long.
/** @type {(id: string, patience?: number) => Promise<{ sent?: unknown; refused?: Problem | null; waiting?: Entry }>} */
export async function awaitOutcome(id, patience = 8_000) {
  await Promise.race([running ?? send(), new Promise((resolve) => setTimeout(resolve, patience))]);
  const entry = await getRecord("outbox", id);
  if (!entry) return { sent: answers.get(id) ?? null };
  return entry.state === "refused" ? { refused: entry.problem } : { waiting: entry };
}

// A refused entry is sent once more, perhaps changed. Its refusal was an answer, so it gets a new key; what only
// waits, or was refused without the server, keeps its key, because nobody knows whether it has arrived.
/** @type {(id: string, changes?: EntryBody) => Promise<number>} */
export async function retryEntry(id, changes = {}) {
  await updateEntry(id, (entry) =>
    entry.state === "refused" ? { ...entry, key: LOCAL_REFUSALS.includes(entry.problem?.code ?? "") ? entry.key : uuid(), body: { ...entry.body, ...changes }, state: "waiting", turns: 0, problem: null } : entry,
  );
  notifyTabs();
  return send();
}
// What was captured again takes the place of what was refused, in the same turn.
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
// Give an entry up, knowingly; with `rest`, all that wait behind it too.
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

// Only one sender at a time, whatever tabs there are; whoever asks meanwhile has it look once more.
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
// Send what can be sent, one after another, until nothing is left or nothing works any more.
/** @type {() => Promise<number>} */
async function drain() {
  /** @type {Set<string>} */
  const blocked = new Set();
  for (;;) {
    const left = await withLock(() => sendNext(blocked));
    if (left !== null) return left;
  }
}
// → null when there may be more to send, or else how many must wait.
/** @type {(held: Set<string>) => Promise<number | null>} */
async function sendNext(blocked) {
  // What is one driver's is sent with their token, whoever signs in while it is on its way.
  const values = await loadValues(), driver = values.driver?.id ?? null;
  const own = (await listEntries()).filter((entry) => entry.by === driver);
  const left = own.filter((entry) => entry.state === "waiting").length;
  if (isSignedOut(values) || (await loadPauseEnd())) return left;
  const next = own.find((entry) => entry.state === "waiting" && !entry.behind && !blocked.has(laneOf(entry)));
  if (!next) return left + (await sendPositions(driver, values.token));
  const verdict = await sendEntry(next, values.token);
  if (verdict === "later") blocked.add(laneOf(next));
  return verdict === "stop" ? left : null;
}
// → "on": it is settled, or refused; "later": this order waits; "stop": everything does.
/** @typedef {"on" | "later" | "stop"} Verdict */
/** @type {(entry: Entry, token?: string) => Promise<Verdict>} */
async function sendEntry(entry, token) {
  const body = await buildBody(entry).catch(() => null);
  if (!body) return recordProblem(entry, { status: 0, code: "picture_lost" });
  const answer = await callApi(entry.method, entry.path, { key: entry.key, body, token });
  const { reached, fromApi: ours, status, problem, retryAfter } = answer;
  if (!reached) return "stop";
  if (!ours) return handleIntermediary(entry, answer, token);
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
// Somebody on the way answered. Where they let nothing else through either, all waits: for another network, or
// for the driver to log in to this one. Else it is this entry they mind: others go on, and in the end it is refused.
/** @type {(entry: Entry, answer: Answer, token?: string) => Promise<Verdict>} */
async function handleIntermediary(entry, { status, retryAfter, problem }, token) {
  if (retryAfter) await saveValue("pause", Date.now() + Math.min(retryAfter * 1000, MAX_PAUSE_MS));
  // They may let through whatever only reads: this would write, if there were anything in it.
  const through = (await callApi("POST", "/v1/drivers/me/positions", { token, body: {} })).fromApi, turns = (entry.turns ?? 0) + (through && status < 500 ? 1 : 0);
  const isRefused = turns >= MAX_BLOCKED;
  await recordProblem({ ...entry, turns }, isRefused ? { status, code: "turned_down" } : { ...problem, status }, !isRefused);
  return through ? (isRefused ? "on" : "later") : "stop";
}
// A capture may be dated by a clock that turned out wrong since: once the difference is known, it is put right.
/** @type {(entry: Entry) => Promise<boolean>} */
async function correctDate({ id, skew, body: { captured_at: moment } }) {
  const off = clockSkew() - skew;
  if (!moment || Math.abs(off) < 30_000) return false;
  const captured_at = new Date(Date.parse(moment) + off).toISOString();
  await updateEntry(id, (entry) => ({ ...entry, key: uuid(), skew: clockSkew(), body: { ...entry.body, captured_at } }));
  return true;
}
// Keep what the server said beside the entry; only what will be the same the next time is a refusal.
/** @type {(entry: Entry, problem: Problem, later?: boolean) => Promise<"on">} */
async function recordProblem({ id, turns = 0 }, problem, later = false) {
  /** @type {Entry["state"]} */
  const state = later ? "waiting" : "refused";
  const refused_at = later ? null : serverNow().toISOString();
  await updateEntry(id, (entry) => ({ ...entry, tries: entry.tries + 1, turns, problem, state, refused_at }));
  notifyTabs();
  return "on";
}
// A body with pictures is a form; the same fields in the same order each time it is sent.
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
// It has arrived: forgotten here, and what it does is done to the order that is kept.
/** @type {(entry: Entry, answer: { completed_at?: string | null; canceled_at?: string | null } | null | undefined) => Promise<void>} */
async function settleEntry(entry, answer) {
  const ended = answer?.completed_at ?? answer?.canceled_at;
  await runTransaction(["outbox", "pictures", "orders"], (outbox, pictures, orders) => {
    deleteEntry(entry, outbox, pictures);
    if (!entry.order) return;
    const request = orders.get(entry.order);
    request.onsuccess = () => {
      if (request.result) orders.put({ ...request.result, flow: applyEntry(request.result.flow, entry), ended: ended ?? request.result.ended, settled: (request.result.settled ?? 0) + 1 });
    };
  });
  answers.set(entry.id, answer);
  notifyTabs();
  if (entry.order) notifyTabs("arrived", entry.order);
}

// All tabs hear of it as an event on their window: `outbox` when what waits changes, `arrived` with the
// order's id as its detail when something of an order has arrived.
const channel = new BroadcastChannel("outbox");
/** @type {(said: { name: string; detail: string | null }) => void} */
const dispatch = ({ name, detail }) => globalThis.dispatchEvent(new CustomEvent(name, { detail }));
channel.onmessage = ({ data }) => dispatch(data);
/** @type {(name?: string, detail?: string | null) => void} */
export function notifyTabs(name = "outbox", detail = null) {
  dispatch({ name, detail });
  channel.postMessage({ name, detail });
}
// The browser sends what waits even when the app is closed, where it can do that.
async function registerSync() {
  const registration = await globalThis.navigator.serviceWorker?.getRegistration?.("/driver").catch(() => null);
  await registration?.sync?.register("outbox").catch(() => null);
}
