// Calls to the interface with the driver's token. Whether there is reception is what the last call found.
import { note, recall } from "./store.js";

export const reception = { reached: true, at: Date.now() };

// The moment by the server's clock, as far as it is known: a phone's own may be minutes off.
let skew = 0;
recall("skew").then((value) => (skew = value ?? 0));
export const now = () => new Date(Date.now() + skew);
function compare(told) {
  const difference = told ? Date.parse(told) - Date.now() : 0, found = Math.abs(difference) > 30_000 ? difference : 0;
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
    answer = await fetch(path, { method, headers, body: sent, cache: "no-store", signal: AbortSignal.timeout(60_000) });
    const text = await answer.text();
    const read = text && answer.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : null;
    tell(true);
    compare(answer.headers.get("Date"));
    const told = { reached: true, status: answer.status, retryAfter: Number(answer.headers.get("Retry-After")) || 0 };
    told.next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link"))?.[1] ?? null;
    return answer.ok ? { ...told, body: read } : { ...told, problem: read ?? { title: answer.statusText } };
  } catch {
    tell(false);
    return { reached: false, status: 0, retryAfter: 0 };
  }
}
function tell(reached) {
  Object.assign(reception, { reached, at: Date.now() });
  globalThis.dispatchEvent?.(new Event("reception"));
}
