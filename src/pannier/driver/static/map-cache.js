// Stores the map of today's stops on the phone, so that it works offline. Part of the service worker.
import { startTimeout } from "./api.js";

const CACHE = "map", MAX_FILES = 300, MAX_BYTES = 25_000_000, MAX_AGE_MS = 12 * 3_600_000;
// Many phones share a depot's address, and with it the address's rate limit.
const PAUSE_MS = 100;

// Store styles and tiles, the most important first, and delete all others. Resolves to whether none is missing.
/** @type {Promise<boolean>} */
let storing = Promise.resolve(true);
/** @type {(addresses: string[]) => Promise<boolean>} */
export function storeMap(addresses) {
  storing = storing.then(() => storeFiles(addresses.slice(0, MAX_FILES))).catch(() => false);
  return storing;
}
/** @type {(addresses: string[]) => Promise<boolean>} */
async function storeFiles(addresses) {
  const cache = await caches.open(CACHE), kept = new Set();
  let bytes = 0, whole = true;
  for (const address of addresses) {
    const stored = await cache.match(address);
    const file = stored && isFresh(stored) ? stored : (await download(cache, address)) ?? stored;
    if (!file) {
      whole = false;
      break;
    }
    bytes += Number(file.headers.get("Content-Length"));
    if (bytes > MAX_BYTES) break;
    kept.add(new URL(address, location.href).href);
  }
  const requests = await cache.keys();
  // While files are missing, those of an earlier day stay.
  if (whole || requests.length > 2 * MAX_FILES)
    for (const request of requests) if (!kept.has(request.url)) await cache.delete(request);
  return whole;
}
/** @type {(file: Response) => boolean} */
const isFresh = (file) => Date.now() - Date.parse(file.headers.get("Date") ?? "") < MAX_AGE_MS;

// Resolves to null without a connection, and if something else than Pannier answers.
/** @type {(cache: Cache, address: string) => Promise<Response | null>} */
async function download(cache, address) {
  await new Promise((done) => setTimeout(done, PAUSE_MS));
  const { signal, cancel } = startTimeout(60_000);
  try {
    const answer = await fetch(address, { redirect: "error", signal });
    if (!answer.ok || !answer.headers.has("X-Request-Id")) return null;
    const body = await answer.blob();
    const headers = { "Content-Type": body.type, "Content-Length": String(body.size), Date: new Date().toUTCString() };
    const file = new Response(body.size ? body : null, { status: answer.status, headers });
    await cache.put(address, file.clone());
    return file;
  } catch {
    return null;
  } finally {
    cancel();
  }
}

// Serve a stored tile. A stored style serves only if the server does not answer soon, because it names the tiles.
/** @type {(request: Request) => Promise<Response>} */
export async function serveMap(request) {
  const stored = await caches.match(request.url, { cacheName: CACHE });
  if (stored && request.url.endsWith(".mvt")) return stored;
  const { signal, cancel } = startTimeout(stored ? 3000 : 60_000);
  try {
    return await fetch(request, { signal });
  } catch (failure) {
    if (stored) return stored;
    throw failure;
  } finally {
    cancel();
  }
}
