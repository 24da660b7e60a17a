// Calls to the interface with the driver's token. Whether there is reception is what the last call found.
import { note, recall } from "./store.js";

export const reception = { reached: true, ours: true, at: Date.now() };

// The moment by the server's clock, as far as it is known: a phone's own may be minutes off.
let skew = 0;
recall("skew").then((value) => (skew = value ?? 0));
export const now = () => new Date(Date.now() + skew);
export const ahead = () => skew;
/** @type {(told: string | null, heard: number) => void} */
function compare(told, heard) {
  const difference = told ? Date.parse(told) - heard : 0, found = Math.abs(difference) > 30_000 ? difference : 0;
  if (Math.abs(found - skew) < 5_000) return;
  skew = found;
  note("skew", found);
}

// Ends what takes too long: a signal that does so by itself is younger than many a phone.
/** @type {(milliseconds: number) => { signal: AbortSignal; over: () => void }} */
export function ending(milliseconds) {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), milliseconds);
  return { signal: ended.signal, over: () => clearTimeout(timer) };
}

// → { reached, ours, status, body, problem, retryAfter, next }; `reached` is false when nobody answered,
// `ours` when it was somebody else than the interface: a network's log-in page, a gateway.
/** @type {(method: string, path: string, given?: { body?: object; key?: string; token?: string }) => Promise<Answer<any>>} the caller knows the type of the body */
export async function call(method, path, { body, key, token } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Authorization: `Bearer ${token ?? (await recall("token"))}` };
  if (key) headers["Idempotency-Key"] = key;
  if (body !== undefined && !(body instanceof FormData)) headers["Content-Type"] = "application/json";
  const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  const { signal, over } = ending(patience(body));
  try {
    // The interface sends nobody elsewhere; a network's log-in page does, and is not followed.
    const answer = await fetch(path, { method, headers, body: sent, cache: "no-store", redirect: "manual", signal });
    const heard = Date.now(), read = parsed(await answer.text());
    const ours = answer.ok ? answer.headers.has("X-Request-Id") : Boolean(read?.code && answer.headers.get("Content-Type")?.includes("problem+json"));
    tell(true, ours);
    /** @type {Answer} */
    const told = { reached: true, ours, status: answer.status, retryAfter: Number(answer.headers.get("Retry-After")) || 0 };
    if (!ours) return { ...told, body: null, problem: { code: "foreign" } };
    compare(answer.headers.get("Date"), heard);
    told.next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1] ?? null;
    return answer.ok ? { ...told, body: read } : { ...told, problem: read };
  } catch {
    tell(false);
    return { reached: false, ours: false, status: 0, retryAfter: 0 };
  } finally {
    over();
  }
}
/** @type {(text: string) => any} the JSON of a response, of any shape */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
// A minute, and longer for pictures: a poor line carries a few kilobytes a second.
/** @type {(body?: object) => number} */
const patience = (body) => 60_000 + (body instanceof FormData ? [...body.values()].reduce((sum, value) => sum + (value instanceof Blob ? value.size : 0), 0) / 4 : 0);

/** @type {(reached: boolean, ours?: boolean) => void} */
function tell(reached, ours = true) {
  Object.assign(reception, { reached, ours, at: Date.now() });
  globalThis.dispatchEvent?.(new Event("reception"));
}
