// Starts the app: saves the key from the link, registers the service worker and shows a screen.
import { reception } from "./api.js";
import { preloadScanner } from "./capture/index.js";
import { applyTheme, mount } from "./dom.js";
import { deleteOldDrafts } from "./drafts.js";
import { listOrders, pullOrders } from "./orders.js";
import { loadStatus, send } from "./outbox.js";
import { resumeTracking } from "./tracking.js";
import { preloadCashSheet } from "./screens/cash.js";
import { refreshStatus } from "./screens/layout.js";
import * as issue from "./screens/issue.js";
import * as chat from "./screens/chat.js";
import * as dayHistory from "./screens/history.js";
import * as me from "./screens/me.js";
import * as nearby from "./screens/nearby.js";
import { updateDistances } from "./screens/formatting.js";
import * as signIn from "./screens/sign-in.js";
import * as stop from "./screens/stop.js";
import * as stops from "./screens/stops.js";
import * as waiting from "./screens/waiting.js";
import { saveValue } from "./store.js";
import { startRetrying } from "./retry.js";
import { t } from "./i18n.js";

/** @typedef {{ draw: (...parts: string[]) => Child | Promise<Child>; drawOnce?: boolean }} Screen */
/** @type {Record<string, Screen>} */
const SCREENS = { stops, stop, nearby, waiting, issue, me, chat, history: dayHistory };
const PULL_INTERVAL_MS = 60_000;
let drawCount = 0;

// A screen with `drawOnce` is not redrawn while it is in use.
/** @type {(moved?: boolean) => Promise<void>} */
async function showScreen(moved = false) {
  navigating ||= moved;
  const [name, ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  /** @type {Screen} */
  const screen = (await loadStatus()).signIn ? signIn : SCREENS[name] ?? stops;
  if (!moved && screen.drawOnce && ((!navigating && screen === currentScreen) || screen === pendingScreen)) return refreshStatus();
  const number = ++drawCount;
  pendingScreen = screen;
  const content = await screen.draw(...parts);
  if (number !== drawCount) return;
  if (isTouching()) {
    pendingScreen = null;
    return scheduleRedraw();
  }
  const focused = document.activeElement?.id, same = !navigating && currentScreen === screen;
  const open = same ? [...document.querySelectorAll("details[open] > summary")].map(({ id }) => id) : [];
  mount(content);
  const heading = document.querySelector("h1"), app = t("app.name"), words = heading?.textContent;
  document.title = words === app ? app : `${words} · ${app}`;
  for (const id of open) document.getElementById(id)?.parentElement?.setAttribute("open", "");
  if (!same) {
    scrollTo(0, 0);
    heading?.focus({ preventScroll: true });
  } else if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  currentScreen = screen;
  pendingScreen = null;
  navigating = false;
  refreshStatus();
}
/** @type {Screen | null} */
let currentScreen = null;
/** @type {Screen | null} */
let pendingScreen = null;
/** @type {number | null} */
let redrawTimer = null;
let navigating = false, lastReception = "true true";
// Do not redraw while a finger touches the screen, or its target would disappear. Wait a moment after it is lifted,
// or the second of two quick taps would hit a new element. Links and dialogs open at once, and the click listener
// below drops a second tap on what they show.
let touchedAt = 0;
/** @type {unknown[]} */
let lastTap = [];
const TOUCH_MS = 2000, LIFTED_MS = 300, isTouching = () => Date.now() - touchedAt < TOUCH_MS;
function scheduleRedraw() {
  redrawTimer ??= setTimeout(function redraw() {
    redrawTimer = isTouching() ? setTimeout(redraw, 50) : null;
    if (!redrawTimer) showScreen();
  }, 50);
}
async function refreshOrders() {
  if (document.hidden || (await loadStatus()).signIn) return;
  await pullOrders();
  const orders = await listOrders();
  preloadScanner(orders);
  preloadCashSheet(orders);
  // Only a service worker serves the map offline.
  if (navigator.serviceWorker?.controller) (await import("./today-map.js")).storeToday(orders).catch(console.warn);
}
// Save the key of a dispatcher's link, and remove it from the address.
async function saveLinkKey() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return;
  await saveValue("key", key);
  history.replaceState(null, "", location.pathname);
}
async function start() {
  applyTheme(localStorage.getItem("theme"));
  await saveLinkKey();
  navigator.serviceWorker?.register("/driver/sw.js", { type: "module", scope: "/driver" }).catch(console.warn);
  for (const name of ["outbox", "spoken"]) addEventListener(name, scheduleRedraw);
  addEventListener("place", updateDistances);
  addEventListener("pointerdown", () => { touchedAt = Date.now(); }, true);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => { touchedAt = Date.now() - TOUCH_MS + LIFTED_MS; }, true);
  addEventListener("click", (event) => {
    const at = [document.querySelector("dialog[open]"), location.hash];
    if (event.detail < 2) lastTap = at;
    else if (at.some((one, place) => one !== lastTap[place])) {
      event.preventDefault();
      return event.stopPropagation();
    }
    if (/** @type {Element} */ (event.target).closest("a")) touchedAt = 0;
  }, true);
  addEventListener("reception", () => {
    const now = `${reception.reached} ${reception.fromApi}`;
    if (now !== lastReception) scheduleRedraw();
    lastReception = now;
  });
  addEventListener("hashchange", () => saveLinkKey().then(() => showScreen(true)));
  addEventListener("signed", () => {
    send();
    return showScreen(true).then(resumeTracking).then(refreshOrders);
  });
  for (const name of ["online", "visibilitychange"]) addEventListener(name, refreshOrders);
  setInterval(refreshOrders, PULL_INTERVAL_MS);
  await showScreen(true);
  startRetrying();
  deleteOldDrafts();
  resumeTracking();
  refreshOrders();
}
start();
