// Calls to the interface with the driver's token. Whether there is reception is what the last call found.
import { note, recall } from "./store.js";

export const reception = { reached: true, at: Date.now() };

// The moment by the server's clock, as far as it is known: a phone's own may be minutes off.
let skew = 0;
recall("skew").then((value) => (skew = value ?? 0));
export const now = () => new Date(Date.now() + skew);
export const ahead = () => skew;
function compare(told, heard) {
  const difference = told ? Date.parse(told) - heard : 0, found = Math.abs(difference) > 30_000 ? difference : 0;
  if (Math.abs(found - skew) < 5_000) return;
  skew = found;
  note("skew", found);
}

// → { reached, status, body, problem, retryAfter, next }; `reached` is false when nobody answered.
export async function call(method, path, { body, key, token } = {}) {
  const headers = { Authorization: `Bearer ${token ?? (await recall("token"))}` };
  if (key) headers["Idempotency-Key"] = key;
  if (body !== undefined && !(body instanceof FormData)) headers["Content-Type"] = "application/json";
  const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: sent, cache: "no-store", signal: AbortSignal.timeout(patience(body)) });
    const heard = Date.now(), text = await answer.text();
    const read = text && answer.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : null;
    tell(true);
    compare(answer.headers.get("Date"), heard);
    const told = { reached: true, status: answer.status, retryAfter: Number(answer.headers.get("Retry-After")) || 0 };
    told.next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link"))?.[1] ?? null;
    // Whoever answers without a request's id is not the interface: a log-in page, a gateway.
    return answer.ok ? { ...told, body: answer.headers.has("X-Request-Id") ? read : null } : { ...told, problem: read ?? { title: answer.statusText } };
  } catch {
    tell(false);
    return { reached: false, status: 0, retryAfter: 0 };
  }
}
// A minute, and longer for pictures: a poor line carries a few kilobytes a second.
const patience = (body) => 60_000 + (body instanceof FormData ? [...body.values()].reduce((sum, { size = 0 }) => sum + size, 0) / 4 : 0);

function tell(reached) {
  Object.assign(reception, { reached, at: Date.now() });
  globalThis.dispatchEvent?.(new Event("reception"));
}
