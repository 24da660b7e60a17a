// One connection per browser for all open pages. Pages without shared workers import this module.
/** @typedef {(said: LiveNews) => void} Reader */
/** @type {Set<Reader>} */
const readers = new Set(), recent = /** @type {{ at: number; news: LiveEvent }[]} */ ([]);
/** @type {EventSource} */
let source;
let heard = 0, last = "", since = Infinity, live = false;
/** @type {Reader} */
function notify(message) {
  for (const reader of readers) reader(message);
}
/** @type {(news: LiveEvent) => void} */
function announce(news) {
  const message = { at: heard, news };
  if (recent.push(message) > 200) for (const { at } of recent.splice(0, 1)) since = at + 1;
  notify(message);
}

// Replay the events since a page was requested, or report that some were missed.
/** @type {(began: number, reader: Reader) => () => void} */
export function follow(began, reader) {
  readers.add(reader);
  if (!source) connect();
  reader({ live, heard });
  if (began >= since) for (const said of recent.filter(({ at }) => at >= began)) reader(said);
  else if (since < Infinity) reader({ missed: true });
  return () => readers.delete(reader);
}
function connect() {
  source = new EventSource(`/console/live${last && `?after=${last}`}`);
  /** @type {(event: MessageEvent) => void} */
  const receive = (event) => {
    [heard, last] = [Date.now(), event.lastEventId];
    if (live) return;
    live = true;
    notify({ live, heard });
  };
  source.onmessage = (event) => {
    receive(event);
    announce(JSON.parse(event.data));
  };
  // Alerts are not events, but regions of pages are refreshed for both.
  source.addEventListener("alerts", (event) => {
    receive(event);
    announce({ event: "alert.changed" });
  });
  // Positions change all the time, so they are not kept for pages that open later.
  source.addEventListener("positions", (event) => {
    receive(event);
    notify({ news: { event: "position.changed" } });
  });
  source.addEventListener("beat", (event) => {
    receive(event);
    if (since < Infinity) return;
    since = heard;
    notify({ missed: true });
  });
  source.addEventListener("ended", () => {
    source.close();
    notify({ ended: true });
  });
  source.onerror = reconnect;
}
async function reconnect() {
  live = false;
  notify({ live, heard });
  if (source.readyState < 2) return;
  const answer = await fetch("/console/live", { method: "HEAD", redirect: "manual" }).catch(() => null);
  if (answer?.type === "opaqueredirect") notify({ ended: true });
  else setTimeout(connect, 2000 + 3000 * Math.random());
}
// The server sends a heartbeat every 15 seconds. A connection can break without an error.
setInterval(() => {
  if (!live || Date.now() - heard <= 40_000) return;
  source.close();
  reconnect();
}, 5000);

/** @type {SharedWorkerGlobalScope} */ (/** @type {unknown} */ (self)).onconnect = ({ ports: [port] }) => {
  /** @type {(() => void) | false} */
  let leave = false;
  port.onmessage = ({ data: { began } }) => {
    if (leave) leave();
    leave = began >= 0 && follow(began, (said) => port.postMessage(said));
  };
};
