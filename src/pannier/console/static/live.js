// Passes live events to the page and reloads the regions that they affect.
import { $, $$, emit, on } from "./console.js";
const due = /** @type {Set<string>} */ (new Set()), at = /** @type {Record<string, number>} */ ({});
let live = false, heard = Date.now(), paused = false, send = /** @type {((began: number) => void) | null} */ (null);
const regions = () => $$("[data-live-on], [data-live-every]");

/** @type {(said: LiveNews) => void} */
function receive({ news, missed, ended, ...state }) {
  if (ended) return location.reload();
  if (state.heard) ({ live = false, heard } = state);
  if (news) emit("pannier:event", news);
  for (const { id, dataset } of regions())
    if (missed || news && dataset.liveOn?.split(" ").some((prefix) => news.event.startsWith(prefix))) due.add(id);
  update();
}
// Never replace a region while somebody uses it: an open menu, a focused field or selected text.
/** @type {(region: HTMLElement) => unknown} */
const isBusy = (region) => $("dialog[open], .menu[open], .dragging", region)
  || /** @type {HTMLInputElement[]} */ ($$("input, select, textarea", region)).some((field) => field === document.activeElement || field.checked !== field.defaultChecked)
  || !getSelection()?.isCollapsed && region.contains(getSelection()?.anchorNode ?? null);

// Swap all outdated regions from one response, so that they agree with each other.
/** @type {(together: HTMLElement[]) => Promise<void>} */
async function refresh(together) {
  // A region inside another one comes with it. Selected as well, it would be missing there.
  const [target, ...rest] = together.filter((region) => !together.some((other) => other !== region && other.contains(region)));
  for (const { id } of together) {
    at[id] = Infinity;
    due.delete(id);
  }
  const selectOOB = rest.map(({ id }) => `#${id}:outerMorph`).join(",");
  // Some regions push the address of links clicked in them. A refresh must not.
  const options = { target, select: `#${target.id}`, selectOOB, swap: "outerMorph", push: "false", asked: location.href, together };
  await htmx.ajax("GET", location.pathname + location.search, options).catch(() => 0);
  for (const { id } of together) at[id] = Date.now();
}
function update() {
  const now = Date.now();
  const words = paused ? "Paused" : live ? "Live" : `Reconnecting, data is ${Math.round((now - heard) / 1000)} s old`;
  for (const button of $$("[data-live-pause]")) button.ariaPressed = `${paused}`;
  for (const sign of $$(".live")) {
    sign.dataset.state = paused ? "paused" : live ? "live" : "stale";
    if (sign.textContent !== words) sign.textContent = words;
  }
  if (paused || !live || document.hidden) return;
  const outdated = regions().filter(({ id, dataset }) => {
    at[id] ??= performance.timeOrigin;
    const since = now - at[id];
    return since >= 1000 && (due.has(id) || since >= 1000 * Number(dataset.liveEvery));
  });
  if (outdated.length && !outdated.some(isBusy)) refresh(outdated);
}
/** @type {(began: number) => Promise<void>} */
async function listen(began) {
  if (send) return send(began);
  const worker = /** @type {string} */ (document.body.dataset.live);
  if (!window.SharedWorker) return (await import(worker)).follow(began, receive);
  const { port } = new SharedWorker(worker, { type: "module" });
  port.onmessage = ({ data }) => receive(data);
  send = (began) => port.postMessage({ began });
  send(began);
}
// Discard the response if the user paused, navigated or started editing in the meantime.
on("htmx:before:swap", (event) => {
  const { ctx } = event.detail, { asked, together } = ctx;
  if (!asked) return;
  for (const region of together) {
    const row = $("tr[aria-selected=true]", region), said = $("[data-said]", region);
    if (row) ctx.marked = `#${region.id} tr${row.id ? `#${row.id}` : `[data-href="${row.dataset.href}"]`}`;
    if (said) Object.assign(ctx, { said, saidIn: region.id });
  }
  if (!paused && asked === location.href && !together.some(isBusy)) return;
  for (const { id } of together) due.add(id);
  event.preventDefault();
});
// Keep an error message until the user's next action. It is announced only once.
on("htmx:after:swap", ({ detail: { ctx: { marked, said, saidIn } } }) => {
  const region = saidIn && document.getElementById(saidIn), row = marked && $(marked);
  if (row) {
    for (const one of $$("tr[aria-selected=true]")) one.removeAttribute("aria-selected");
    row.setAttribute("aria-selected", "true");
  }
  if (!said || !region || $("[data-said]", region)) return;
  said.removeAttribute("role");
  region.prepend(said);
});
addEventListener("pagehide", () => send?.(-1));
addEventListener("pageshow", ({ persisted }) => persisted && listen(0));
on("visibilitychange", update);
on("click", ({ target }) => {
  const button = target.closest("[data-live-pause]");
  if (button) paused = !paused;
  update();
});
setInterval(update, 1000);
listen(performance.timeOrigin);
