// Starts the app: keeps the company's key from the link, registers the service worker, shows a screen.
import { reception } from "./api.js";
import { prepare } from "./capture/index.js";
import { dress, mount } from "./dom.js";
import { sweep } from "./drafts.js";
import { list, pull } from "./orders.js";
import { send, standing } from "./outbox.js";
import { resume } from "./places.js";
import { refresh } from "./screens/frame.js";
import * as issue from "./screens/issue.js";
import * as me from "./screens/me.js";
import * as nearby from "./screens/nearby.js";
import { measure } from "./screens/parts.js";
import * as signIn from "./screens/sign-in.js";
import * as stop from "./screens/stop.js";
import * as stops from "./screens/stops.js";
import * as waiting from "./screens/waiting.js";
import { note } from "./store.js";
import { watch } from "./watching.js";
import { t } from "./words.js";

/** @typedef {{ draw: (...parts: string[]) => Child | Promise<Child>; still?: boolean }} Screen */
/** @type {Record<string, Screen>} */
const SCREENS = { stops, stop, nearby, waiting, issue, me };
const PULLED_EVERY = 60_000;
let turn = 0;

// Each screen is `draw(...parts of the address)`; one that is `still` is not drawn anew while it is used.
/** @type {(moved?: boolean) => Promise<void>} */
async function show(moved = false) {
  moving ||= moved;
  const [name, ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  /** @type {Screen} */
  const screen = (await standing()).signIn ? signIn : SCREENS[name] ?? stops;
  if (!moved && screen.still && ((!moving && screen === shown) || screen === drawing)) return refresh();
  const mine = ++turn;
  drawing = screen;
  const drawn = await screen.draw(...parts);
  if (mine !== turn) return;
  if (held()) {
    drawing = null;
    return soon();
  }
  const focused = document.activeElement?.id, same = !moving && shown === screen;
  const open = same ? [...document.querySelectorAll("details[open] > summary")].map(({ id }) => id) : [];
  mount(drawn);
  const heading = document.querySelector("h1"), app = t("app.name"), words = heading?.textContent;
  document.title = words === app ? app : `${words} · ${app}`;
  for (const id of open) document.getElementById(id)?.parentElement?.setAttribute("open", "");
  if (!same) {
    scrollTo(0, 0);
    heading?.focus({ preventScroll: true });
  } else if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  shown = screen;
  drawing = null;
  moving = false;
  refresh();
}
/** @type {Screen | null} */
let shown = null;
/** @type {Screen | null} */
let drawing = null;
/** @type {number | null} */
let asked = null;
let moving = false, heard = "true true";
// Nothing is drawn anew under a finger, or what it touches would be gone before it is lifted; nor right after one, or
// the second of two quick taps on a button would meet what came in its place. A link leads on at once, and a
// dialog comes at once: what comes then does not hear the second of two.
let touched = 0;
/** @type {unknown[]} */
let tapped = [];
const TOUCH = 2000, LIFTED = 300, held = () => Date.now() - touched < TOUCH;
function soon() {
  asked ??= setTimeout(function turn() {
    asked = held() ? setTimeout(turn, 50) : null;
    if (!asked) show();
  }, 50);
}
async function news() {
  if (document.hidden || (await standing()).signIn) return;
  await pull();
  prepare(await list());
}
// A link that a dispatcher gave: its key is kept, and then does not stay in the address.
async function linked() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return;
  await note("key", key);
  history.replaceState(null, "", location.pathname);
}
async function start() {
  dress(localStorage.getItem("theme"));
  await linked();
  navigator.serviceWorker?.register("/driver/sw.js", { type: "module", scope: "/driver" }).catch(console.warn);
  for (const name of ["outbox", "spoken"]) addEventListener(name, soon);
  addEventListener("place", measure);
  addEventListener("pointerdown", () => { touched = Date.now(); }, true);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => { touched = Date.now() - TOUCH + LIFTED; }, true);
  addEventListener("click", (event) => {
    const at = [document.querySelector("dialog[open]"), location.hash];
    if (event.detail < 2) tapped = at;
    else if (at.some((one, place) => one !== tapped[place])) {
      event.preventDefault();
      return event.stopPropagation();
    }
    if (/** @type {Element} */ (event.target).closest("a")) touched = 0;
  }, true);
  addEventListener("reception", () => {
    const now = `${reception.reached} ${reception.ours}`;
    if (now !== heard) soon();
    heard = now;
  });
  addEventListener("hashchange", () => linked().then(() => show(true)));
  addEventListener("signed", () => {
    send();
    return show(true).then(resume).then(news);
  });
  for (const name of ["online", "visibilitychange"]) addEventListener(name, news);
  setInterval(news, PULLED_EVERY);
  await show(true);
  watch();
  sweep();
  resume();
  news();
}
start();
