// The service worker: serves the app offline, and sends waiting entries in the background.
const CACHE = `driver-${RELEASE}`;
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => worker.skipWaiting()));
});
worker.addEventListener("activate", (event) => {
  /** @type {(name: string) => boolean} */
  const isOld = (name) => name.startsWith("driver-") && name !== CACHE;
  // Keep the previous release for pages that are still open.
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(isOld).slice(0, -1).map((name) => caches.delete(name)))).then(() => worker.clients.claim()));
});
worker.addEventListener("fetch", (event) => {
  const { request } = event, { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname === "/driver") event.respondWith(fetchPage(request));
  else if (pathname.startsWith("/t/-/")) event.respondWith(serveMap(request));
  else if (pathname.startsWith("/assets/") || pathname === "/driver/manifest.webmanifest" || /^\/driver\/(scanner|map-worker)\.js$/.test(pathname)) event.respondWith(serveCached(request));
});
worker.addEventListener("sync", (event) => {
  const sync = /** @type {SyncEvent} */ (event);
  if (sync.tag === "outbox") sync.waitUntil(sendOutbox());
});

// Store the map for a page, and answer whether all of it is there.
worker.addEventListener("message", (event) => {
  const files = Promise.all(MAP_FILES.map((file) => serveCached(new Request(file))));
  event.waitUntil(files.then(() => storeMap(event.data.map)).catch(() => false).then((whole) => event.ports[0].postMessage(whole)));
});

// If this fails, the browser retries later.
async function sendOutbox() {
  const left = await send();
  if (left) throw new Error(`${left} of what was captured or pressed still waits.`);
}
// Serve the server's page only if it belongs to this worker's release, whose files are cached.
// Otherwise serve the cached page.
/** @type {(request: Request) => Promise<Response>} */
async function fetchPage(request) {
  try {
    const { signal, cancel } = startTimeout(3000), answer = await fetch(request, { signal }), text = await answer.text();
    cancel();
    if (answer.ok && text.includes(`/assets/${RELEASE}/`)) return new Response(text, answer);
  } catch {}
  return (await (await caches.open(CACHE)).match("/driver")) ?? fetch(request);
}
// A file's address contains its release, so a cached file never becomes outdated.
/** @type {(request: Request) => Promise<Response>} */
async function serveCached(request) {
  const cache = await caches.open(CACHE);
  const cached = (await cache.match(request)) ?? (await caches.match(request));
  if (cached) return cached;
  const answer = await fetch(request);
  if (answer.ok && !answer.headers.get("Cache-Control")?.includes("no-cache")) await cache.put(request, answer.clone());
  return answer;
}
