// Calls to the API with the driver's token. `reception` holds the result of the last call.
import { loadValue, saveValue } from "./store.js";

export const reception = { reached: true, fromApi: true, at: Date.now() };

// Estimate the server's time: a phone's own clock may be minutes off.
let skew = 0;
loadValue("skew").then((value) => (skew = value ?? 0));
export const serverNow = () => new Date(Date.now() + skew);
export const clockSkew = () => skew;
/** @type {(told: string | null, heard: number) => void} */
function updateSkew(date, receivedAt) {
  const difference = date ? Date.parse(date) - receivedAt : 0, rounded = Math.abs(difference) > 30_000 ? difference : 0;
  if (Math.abs(rounded - skew) < 5_000) return;
  skew = rounded;
  saveValue("skew", rounded);
}

// Aborts a request after a time. Many phones lack the built-in signal for this.
/** @type {(milliseconds: number) => { signal: AbortSignal; cancel: () => void }} */
export function startTimeout(milliseconds) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return { signal: controller.signal, cancel: () => clearTimeout(timer) };
}

// `reached` is false if nobody answered. `fromApi` is false if something else did, such as a network's
// log-in page or a gateway.
/** @type {(method: string, path: string, given?: { body?: object; key?: string; token?: string }) => Promise<Answer<any>>} the caller knows the type of the body */
export async function callApi(method, path, { body, key, token } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Authorization: `Bearer ${token ?? (await loadValue("token"))}` };
  if (key) headers["Idempotency-Key"] = key;
  if (body !== undefined && !(body instanceof FormData)) headers["Content-Type"] = "application/json";
  const payload = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  const { signal, cancel } = startTimeout(timeoutFor(body));
  try {
    // The API never redirects. A network's log-in page does, and must not be followed.
    const answer = await fetch(path, { method, headers, body: payload, cache: "no-store", redirect: "manual", signal });
    const receivedAt = Date.now(), read = parseJson(await answer.text());
    const fromApi = answer.ok ? answer.headers.has("X-Request-Id") : Boolean(read?.code && answer.headers.get("Content-Type")?.includes("problem+json"));
    updateReception(true, fromApi);
    /** @type {Answer} */
    const result = { reached: true, fromApi, status: answer.status, retryAfter: Number(answer.headers.get("Retry-After")) || 0 };
    if (!fromApi) return { ...result, body: null, problem: { code: "foreign" } };
    updateSkew(answer.headers.get("Date"), receivedAt);
    result.next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1] ?? null;
    return answer.ok ? { ...result, body: read } : { ...result, problem: read };
  } catch {
    updateReception(false);
    return { reached: false, fromApi: false, status: 0, retryAfter: 0 };
  } finally {
    cancel();
  }
}
/** @type {(text: string) => any} the JSON of a response, of any shape */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
// A minute, plus time for pictures: a slow connection carries a few kilobytes a second.
/** @type {(body?: object) => number} */
const timeoutFor = (body) => 60_000 + (body instanceof FormData ? [...body.values()].reduce((sum, value) => sum + (value instanceof Blob ? value.size : 0), 0) / 4 : 0);

/** @type {(reached: boolean, fromApi?: boolean) => void} */
function updateReception(reached, fromApi = true) {
  Object.assign(reception, { reached, fromApi, at: Date.now() });
  globalThis.dispatchEvent?.(new Event("reception"));
}
