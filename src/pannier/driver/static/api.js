// Calls to the interface with the driver's token. Whether there is reception is what the last call found.
import { recall } from "./store.js";

export const reception = { reached: true, at: Date.now() };

// → { reached, status, body, problem, retryAfter }; `reached` is false when nobody answered.
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
    const told = { reached: true, status: answer.status, retryAfter: Number(answer.headers.get("Retry-After")) || 0 };
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
