// One connection a browser, however many pages are open; a page without shared workers imports it.
const readers = new Set(), kept = [];
let source, heard, last = "", since = Infinity, live = false;
const tell = (said) => readers.forEach((reader) => reader(said));

// What came since a page was asked for is told again, or was missed.
export function follow(began, reader) {
  readers.add(reader);
  if (!source) connect();
  reader({ live, heard });
  if (began >= since) kept.filter(({ at }) => at >= began).forEach(reader);
  else if (since < Infinity) reader({ missed: true });
  return () => readers.delete(reader);
}
function connect() {
  source = new EventSource(`/console/live${last && `?after=${last}`}`);
  const hear = (event) => {
    [heard, last] = [Date.now(), event.lastEventId];
    if (!live) tell({ live: (live = true), heard });
  };
  source.onmessage = (event) => {
    hear(event);
    const said = { at: heard, news: JSON.parse(event.data) };
    if (kept.push(said) > 200) since = kept.shift().at + 1;
    tell(said);
  };
  source.addEventListener("beat", (event) => {
    hear(event);
    if (since === Infinity) tell({ missed: (since = heard) });
  });
  source.addEventListener("ended", () => source.close() ?? tell({ ended: true }));
  source.onerror = lost;
}
async function lost() {
  tell({ live: (live = false), heard });
  if (source.readyState < 2) return;
  const answer = await fetch("/console/live", { method: "HEAD", redirect: "manual" }).catch(() => 0);
  if (answer.type === "opaqueredirect") tell({ ended: true });
  else setTimeout(connect, 2000 + 3000 * Math.random());
}
// Signs of life come every 15 seconds; a connection may break without a word.
setInterval(() => live && Date.now() - heard > 40_000 && (source.close() ?? lost()), 5000);

self.onconnect = ({ ports: [port] }) => {
  let leave;
  port.onmessage = ({ data: { began } }) => {
    leave?.();
    leave = began >= 0 && follow(began, (said) => port.postMessage(said));
  };
};
