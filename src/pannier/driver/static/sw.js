// Looks after the app without reception: the shell comes from here, what waits is sent when it can be.
const CACHE = `driver-${RELEASE}`;
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => worker.skipWaiting()));
});
worker.addEventListener("activate", (event) => {
  /** @type {(name: string) => boolean} */
  const isOld = (name) => name.startsWith("driver-") && name !== CACHE;
  // The release before this one stays for pages that are still open.
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(isOld).slice(0, -1).map((name) => caches.delete(name)))).then(() => worker.clients.claim()));
});
worker.addEventListener("fetch", (event) => {
  const { request } = event, { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname === "/driver") event.respondWith(fetchPage(request));
  else if (pathname.startsWith("/assets/") || pathname === "/driver/manifest.webmanifest" || pathname === "/driver/scanner.js") event.respondWith(serveCached(request));
});
worker.addEventListener("sync", (event) => {
  const sync = /** @type {SyncEvent} */ (event);
  if (sync.tag === "outbox") sync.waitUntil(sendOutbox());
});

// The browser asks again later when this fails.
async function sendOutbox() {
  const left = await send();
  if (left) throw new Error(`${left} of what was captured or pressed still waits.`);
}
// The page as the server has it now, if all that it is made of is here; else the kept one, until it is.
/** @type {(request: Request) => Promise<Response>} */
async function fetchPage(request) {
  try {
    const { signal, cancel: over } = startTimeout(3000), answer = await fetch(request, { signal }), text = await answer.text();
    over();
    if (answer.ok && text.includes(`/assets/${RELEASE}/`)) return new Response(text, answer);
  } catch {}
  return (await (await caches.open(CACHE)).match("/driver")) ?? fetch(request);
}
// Files have their release in their address: what is kept is right for good.
/** @type {(request: Request) => Promise<Response>} */
async function serveCached(request) {
  const cache = await caches.open(CACHE);
  const cached = (await cache.match(request)) ?? (await caches.match(request));
  if (cached) return cached;
  const answer = await fetch(request);
  if (answer.ok && !answer.headers.get("Cache-Control")?.includes("no-cache")) await cache.put(request, answer.clone());
  return answer;
}
