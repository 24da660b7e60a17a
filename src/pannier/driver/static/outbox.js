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
import { ahead, call, now } from "./api.js";
import { flush } from "./positions.js";
import { after } from "./projection.js";
import { all, facts, get, note, recall, within } from "./store.js";
import { uuid } from "./uuid.js";

const ATTEMPTS_LATER = [408, 425, 429, 500, 502, 503, 504];
/** @type {Record<string, string>} */
const FIELDS = { "capture-photo": "photos", "capture-signature": "signature", "capture-qr": "photo", "with-photos": "photos" };
const LONGEST_PAUSE = 10 * 60_000;
// So often something on the way may turn an entry down, while it lets others through.
const MOST_TURNS = 4;
// What was refused without the server.
const UNANSWERED = ["turned_down", "picture_lost"];
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
export async function add({ kind, order = null, method = "POST", path, body = {}, pictures = [], summary = "", drafts = [], draft, before, id = uuid() }) {
  const by = (await recall("driver"))?.id ?? null, at = now().toISOString();
  const { listed, blobs } = attached(path, id, pictures);
  /** @type {Entry} */
  const entry = { id, key: id, kind, order, by, method, path, summary, at, skew: ahead(), sequence: 0, state: "waiting", tries: 0, problem: null, body: stamped({ id, kind, path, at }, body), pictures: listed };
  await keeping(() =>
    within(["state", "outbox", "pictures", "drafts"], (state, outbox, kept, drawn) => {
      for (const blob of blobs) kept.put(blob);
      for (const name of drafts) drawn.delete(name);
      if (draft) drawn.put(draft);
      const counted = state.get("sequence");
      counted.onsuccess = () => {
        const value = (counted.result?.value ?? 0) + 1;
        entry.sequence = before ? before.sequence - 0.5 : value;
        state.put({ name: "sequence", value });
        outbox.add(entry);
      };
    }),
  );
  tell();
  send();
  syncLater();
  return id;
}
// How an entry lists its pictures, and what is stored of them.
/** @type {(path: string, name: string, pictures: (Picture | Blob)[]) => { listed: Entry["pictures"]; blobs: Stores["pictures"][] }} */
function attached(path, name, pictures) {
  const given = pictures.map((one) => (one instanceof Blob ? { blob: one } : one));
  return {
    listed: given.map((one, index) => pictured(one, `${name}-${index}`, path)),
    blobs: given.map(({ blob }, index) => ({ id: `${name}-${index}`, blob })),
  };
}
/** @type {(entry: Pick<Entry, "id" | "kind" | "path" | "at">, body: EntryBody) => EntryBody} */
function stamped({ id, kind, path, at }, body) {
  if (path.includes("/capture-")) return { captured_at: at, proof_uuid: id, ...body };
  return ["activity", "attempt", "duty"].includes(kind) && !path.includes("/set-destination/") ? { occurred_at: at, ...body } : { ...body };
}
/** @type {(one: Picture, id: string, path: string) => Entry["pictures"][number]} */
function pictured({ blob, field, name }, id, path) {
  const action = Object.keys(FIELDS).find((each) => path.includes(`/${each}`));
  return { id, field: field ?? FIELDS[action ?? ""] ?? "file", name: name ?? `picture.${blob.type === "image/png" ? "png" : "jpg"}` };
}
/** @type {(act: () => Promise<unknown>) => Promise<void>} */
async function keeping(act) {
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
export async function entries() {
  const found = (await all("outbox")).sort((one, other) => one.sequence - other.sequence);
  /** @type {Map<string, Entry>} */
  const lanes = new Map();
  return found.map((entry) => {
    const first = lanes.get(lane(entry));
    if (!first && !(entry.kind === "duty" && entry.state === "refused")) lanes.set(lane(entry), entry);
    return { ...entry, behind: first && !wanted(entry, first) ? first.id : null };
  });
}
// A proof goes ahead of a step that was refused for the want of one.
/** @type {(entry: Entry, first: Entry) => boolean} */
const wanted = (entry, { state, problem }) => entry.kind === "proof" && state === "refused" && problem?.code === "pod_required";
// What must go one after another: all of an order, and going on and off duty. An issue waits for nothing.
/** @type {(entry: Entry) => string} */
const lane = ({ id, by, kind, order }) => `${by} ${kind === "issue" ? id : kind === "duty" ? kind : (order ?? id)}`;

// How it stands: what waits, what was refused, and what keeps it from being sent.
export async function standing() {
  const found = await entries(), driver = (await recall("driver"))?.id ?? null;
  const own = found.filter((entry) => entry.by === driver);
  return {
    waiting: own.filter((entry) => entry.state === "waiting").length,
    refused: own.filter((entry) => entry.state === "refused").length,
    others: found.length - own.length,
    signIn: signedOut(await facts()),
    until: await paused(),
    trouble: own.find((entry) => entry.state === "waiting" && entry.problem)?.problem ?? null,
  };
}
// What became of an entry, once sending it has been tried; without reception that may take too long.
/** @type {(id: string, patience?: number) => Promise<{ sent?: unknown; refused?: Problem | null; waiting?: Entry }>} */
export async function outcome(id, patience = 8_000) {
  await Promise.race([running ?? send(), new Promise((resolve) => setTimeout(resolve, patience))]);
  const entry = await get("outbox", id);
  if (!entry) return { sent: answers.get(id) ?? null };
  return entry.state === "refused" ? { refused: entry.problem } : { waiting: entry };
}

// A refused entry is sent once more, perhaps changed. Its refusal was an answer, so it gets a new key; what only
// waits, or was refused without the server, keeps its key, because nobody knows whether it has arrived.
/** @type {(id: string, changes?: EntryBody) => Promise<number>} */
export async function again(id, changes = {}) {
  await changed(id, (entry) =>
    entry.state === "refused" ? { ...entry, key: UNANSWERED.includes(entry.problem?.code ?? "") ? entry.key : uuid(), body: { ...entry.body, ...changes }, state: "waiting", turns: 0, problem: null } : entry,
  );
  tell();
  return send();
}
// What was captured again takes the place of what was refused, in the same turn.
/** @type {(id: string, made: Pick<Capture, "path" | "body" | "pictures" | "summary" | "drafts">) => Promise<number>} */
export async function mend(id, { path, body, pictures, summary, drafts }) {
  const key = uuid(), { listed, blobs } = attached(path, key, pictures);
  /** @type {Partial<Entry>} */
  const changes = { key, path, body, summary, skew: ahead(), state: "waiting", turns: 0, problem: null, pictures: listed };
  await keeping(() =>
    within(["outbox", "pictures", "drafts"], (outbox, kept, drawn) => {
      const asked = outbox.get(id);
      asked.onsuccess = () => {
        if (asked.result?.state !== "refused") return;
        removed(asked.result, outbox, kept);
        for (const blob of blobs) kept.put(blob);
        for (const name of drafts) drawn.delete(name);
        outbox.put({ ...asked.result, ...changes });
      };
    }),
  );
  tell();
  return send();
}
// Give an entry up, knowingly; with `rest`, all that wait behind it too.
/** @type {(id: string, given?: { rest?: boolean }) => Promise<number>} */
export async function discard(id, { rest = false } = {}) {
  await alone(async () => {
    const found = await entries(), chosen = found.find((entry) => entry.id === id);
    if (!chosen) return;
    const gone = found.filter((entry) => entry === chosen || (rest && entry.behind === id));
    await within(["outbox", "pictures"], (outbox, pictures) => {
      for (const entry of gone) removed(entry, outbox, pictures);
    });
  });
  tell();
  return send();
}
/** @type {(entry: Entry, outbox: IDBObjectStore, pictures: IDBObjectStore) => void} */
function removed(entry, outbox, pictures) {
  outbox.delete(entry.id);
  for (const { id } of entry.pictures) pictures.delete(id);
}
/** @type {(id: string, change: (entry: Entry) => Entry) => Promise<unknown>} */
const changed = (id, change) =>
  within("outbox", (outbox) => {
    const asked = outbox.get(id);
    asked.onsuccess = () => {
      if (asked.result) outbox.put(change(asked.result));
    };
  });

// Only one sender at a time, whatever tabs there are; whoever asks meanwhile has it look once more.
/** @type {<T>(act: () => Promise<T>) => Promise<T>} */
const alone = (act) => /** @type {ReturnType<typeof act>} */ (navigator.locks.request("outbox", act));
/** @type {Promise<number> | undefined} */
let running;
let asked = false;
/** @type {() => Promise<number>} */
export function send() {
  asked = true;
  running ??= run();
  return running;
}
async function run() {
  let left = 0;
  while (asked) {
    asked = false;
    left = await drain().catch((error) => {
      console.warn(error);
      return 1;
    });
  }
  running = undefined;
  return left;
}
/** @type {(known: Facts) => boolean} */
const signedOut = ({ token, "token-refused": refused }) => !token || token === refused;
/** @type {() => Promise<number>} */
export async function paused() {
  const until = (await recall("pause")) ?? 0, left = until - Date.now();
  return left > 0 && left <= LONGEST_PAUSE ? until : 0;
}
// Send what can be sent, one after another, until nothing is left or nothing works any more.
/** @type {() => Promise<number>} */
async function drain() {
  /** @type {Set<string>} */
  const held = new Set();
  for (;;) {
    const left = await alone(() => step(held));
    if (left !== null) return left;
  }
}
// → null when there may be more to send, or else how many must wait.
/** @type {(held: Set<string>) => Promise<number | null>} */
async function step(held) {
  // What is one driver's is sent with their token, whoever signs in while it is on its way.
  const known = await facts(), driver = known.driver?.id ?? null;
  const own = (await entries()).filter((entry) => entry.by === driver);
  const left = own.filter((entry) => entry.state === "waiting").length;
  if (signedOut(known) || (await paused())) return left;
  const next = own.find((entry) => entry.state === "waiting" && !entry.behind && !held.has(lane(entry)));
  if (!next) return left + (await flush(driver, known.token));
  const verdict = await attempt(next, known.token);
  if (verdict === "later") held.add(lane(next));
  return verdict === "stop" ? left : null;
}
// → "on": it is settled, or refused; "later": this order waits; "stop": everything does.
/** @typedef {"on" | "later" | "stop"} Verdict */
/** @type {(entry: Entry, token?: string) => Promise<Verdict>} */
async function attempt(entry, token) {
  const body = await content(entry).catch(() => null);
  if (!body) return refuse(entry, { status: 0, code: "picture_lost" });
  const answer = await call(entry.method, entry.path, { key: entry.key, body, token });
  const { reached, ours, status, problem, retryAfter } = answer;
  if (!reached) return "stop";
  if (!ours) return turned(entry, answer, token);
  if (!problem) {
    await settle(entry, answer.body);
    return "on";
  }
  if (status === 401) {
    await note("token-refused", token);
    tell();
    return "stop";
  }
  const later = ATTEMPTS_LATER.includes(status) || problem.code === "idempotency_in_progress";
  if (problem.fields?.some(({ path }) => path === "captured_at") && (await dated(entry))) return "on";
  await refuse(entry, { ...problem, status }, later);
  if (later && retryAfter) await note("pause", Date.now() + Math.min(retryAfter * 1000, LONGEST_PAUSE));
  if (!later) return "on";
  return status === 429 || status === 503 ? "stop" : "later";
}
// Somebody on the way answered. Where they let nothing else through either, all waits: for another network, or
// for the driver to log in to this one. Else it is this entry they mind: others go on, and in the end it is refused.
/** @type {(entry: Entry, answer: Answer, token?: string) => Promise<Verdict>} */
async function turned(entry, { status, retryAfter, problem }, token) {
  if (retryAfter) await note("pause", Date.now() + Math.min(retryAfter * 1000, LONGEST_PAUSE));
  // They may let through whatever only reads: this would write, if there were anything in it.
  const through = (await call("POST", "/v1/drivers/me/positions", { token, body: {} })).ours, turns = (entry.turns ?? 0) + (through && status < 500 ? 1 : 0);
  const minded = turns >= MOST_TURNS;
  await refuse({ ...entry, turns }, minded ? { status, code: "turned_down" } : { ...problem, status }, !minded);
  return through ? (minded ? "on" : "later") : "stop";
}
// A capture may be dated by a clock that turned out wrong since: once the difference is known, it is put right.
/** @type {(entry: Entry) => Promise<boolean>} */
async function dated({ id, skew, body: { captured_at: moment } }) {
  const off = ahead() - skew;
  if (!moment || Math.abs(off) < 30_000) return false;
  const captured_at = new Date(Date.parse(moment) + off).toISOString();
  await changed(id, (entry) => ({ ...entry, key: uuid(), skew: ahead(), body: { ...entry.body, captured_at } }));
  return true;
}
// Keep what the server said beside the entry; only what will be the same the next time is a refusal.
/** @type {(entry: Entry, problem: Problem, later?: boolean) => Promise<"on">} */
async function refuse({ id, turns = 0 }, problem, later = false) {
  /** @type {Entry["state"]} */
  const state = later ? "waiting" : "refused";
  const refused_at = later ? null : now().toISOString();
  await changed(id, (entry) => ({ ...entry, tries: entry.tries + 1, turns, problem, state, refused_at }));
  tell();
  return "on";
}
// A body with pictures is a form; the same fields in the same order each time it is sent.
/** @type {(entry: Entry) => Promise<EntryBody | FormData>} */
async function content(entry) {
  if (!entry.pictures.length) return entry.body;
  const form = new FormData();
  for (const [name, value] of Object.entries(entry.body))
    if (value !== null && value !== undefined) form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  for (const { id, field, name } of entry.pictures) {
    const kept = await get("pictures", id);
    if (!kept) throw new Error(`The picture ${id} is lost.`);
    const { blob } = kept;
    form.append(field, new Blob([await blob.arrayBuffer()], { type: blob.type }), name);
  }
  return form;
}
// It has arrived: forgotten here, and what it does is done to the order that is kept.
/** @type {(entry: Entry, answer: { completed_at?: string | null; canceled_at?: string | null } | null | undefined) => Promise<void>} */
async function settle(entry, answer) {
  const ended = answer?.completed_at ?? answer?.canceled_at;
  await within(["outbox", "pictures", "orders"], (outbox, pictures, orders) => {
    removed(entry, outbox, pictures);
    if (!entry.order) return;
    const asked = orders.get(entry.order);
    asked.onsuccess = () => {
      if (asked.result) orders.put({ ...asked.result, flow: after(asked.result.flow, entry), ended: ended ?? asked.result.ended, settled: (asked.result.settled ?? 0) + 1 });
    };
  });
  answers.set(entry.id, answer);
  tell();
  if (entry.order) tell("arrived", entry.order);
}

// All tabs hear of it as an event on their window: `outbox` when what waits changes, `arrived` with the
// order's id as its detail when something of an order has arrived.
const channel = new BroadcastChannel("outbox");
/** @type {(said: { name: string; detail: string | null }) => void} */
const hear = ({ name, detail }) => globalThis.dispatchEvent(new CustomEvent(name, { detail }));
channel.onmessage = ({ data }) => hear(data);
/** @type {(name?: string, detail?: string | null) => void} */
export function tell(name = "outbox", detail = null) {
  hear({ name, detail });
  channel.postMessage({ name, detail });
}
// The browser sends what waits even when the app is closed, where it can do that.
async function syncLater() {
  const registration = await globalThis.navigator.serviceWorker?.getRegistration?.("/driver").catch(() => null);
  await registration?.sync?.register("outbox").catch(() => null);
}
