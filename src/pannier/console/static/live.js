// What happens is told to the page, and regions that show it are fetched again.
import { on } from "./console.js";
const due = new Set(), at = {};
let live = false, heard = Date.now(), paused = false, send;
const regions = () => document.querySelectorAll("[data-live-on], [data-live-every]");

function told({ news, missed, ended, ...state }) {
  if (ended) return location.reload();
  if (state.heard) ({ live, heard } = state);
  if (news) document.dispatchEvent(new CustomEvent("pannier:event", { detail: news }));
  for (const { id, dataset } of regions())
    if (missed || news && dataset.liveOn?.split(" ").some((prefix) => news.event.startsWith(prefix))) due.add(id);
  show();
}
// Nothing changes under somebody's hands: what is open, written, ticked or marked stays.
const busy = (region) => region.querySelector("dialog[open], .menu[open], :popover-open, .dragging")
  || [...region.querySelectorAll("input, select, textarea")].some((field) => field === document.activeElement || field.checked !== field.defaultChecked)
  || !getSelection().isCollapsed && region.contains(getSelection().anchorNode);

// All regions that are due are swapped from one answer, so that none contradicts another.
async function refresh(together) {
  const [target, ...rest] = together;
  for (const { id } of together) at[id] = Infinity, due.delete(id);
  const selectOOB = rest.map(({ id }) => `#${id}:outerMorph`).join(",");
  const how = { target, select: `#${target.id}`, selectOOB, swap: "outerMorph", asked: location.href, together };
  await htmx.ajax("GET", location.pathname + location.search, how).catch(() => 0);
  for (const { id } of together) at[id] = Date.now();
}
function show() {
  const now = Date.now();
  const words = paused ? "Paused" : live ? "Live" : `Reconnecting, data is ${Math.round((now - heard) / 1000)} s old`;
  for (const button of document.querySelectorAll("[data-live-pause]")) button.ariaPressed = paused;
  for (const sign of document.querySelectorAll(".live")) {
    sign.dataset.state = paused ? "paused" : live ? "live" : "stale";
    if (sign.textContent !== words) sign.textContent = words;
  }
  if (paused || !live || document.hidden) return;
  const wanted = [...regions()].filter(({ id, dataset }) => {
    const since = now - (at[id] ??= performance.timeOrigin);
    return since >= 1000 && (due.has(id) || since >= 1000 * dataset.liveEvery);
  });
  if (wanted.length && !wanted.some(busy)) refresh(wanted);
}
async function listen(began) {
  if (send) return send(began);
  const { live: worker } = document.body.dataset;
  if (!window.SharedWorker) return (await import(worker)).follow(began, told);
  const { port } = new SharedWorker(worker, { type: "module" });
  port.onmessage = ({ data }) => told(data);
  send = (began) => port.postMessage({ began });
  send(began);
}
// Also not when somebody began, paused or went elsewhere while the page was asked for.
on("htmx:before:swap", (event) => {
  const { ctx } = event.detail, { target, asked, together } = ctx;
  if (!asked) return;
  const row = target.querySelector("tr[aria-selected=true]");
  ctx.said = target.querySelector("[data-said]");
  ctx.marked = row && `#${target.id} tr${row.id ? `#${row.id}` : `[data-href="${row.dataset.href}"]`}`;
  if (!paused && asked === location.href && !together.some(busy)) return;
  for (const { id } of together) due.add(id);
  event.preventDefault();
});
// What was refused stays to be read until one does something else; it is read out once.
on("htmx:after:swap", ({ detail: { ctx: { target, marked, said } } }) => {
  const region = document.getElementById(target?.id), row = marked && document.querySelector(marked);
  if (row) for (const one of region.querySelectorAll("tr[aria-selected=true]")) one.removeAttribute("aria-selected");
  row?.setAttribute("aria-selected", "true");
  if (!said || !region || region.querySelector("[data-said]")) return;
  said.removeAttribute("role");
  region.prepend(said);
});
addEventListener("pagehide", () => send?.(-1));
addEventListener("pageshow", ({ persisted }) => persisted && listen(0));
on("visibilitychange", show);
on("click", ({ target }) => {
  const button = target.closest("[data-live-pause]");
  if (button) paused = !paused;
  show();
});
setInterval(show, 1000);
listen(performance.timeOrigin);
