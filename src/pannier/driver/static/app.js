// Starts the app: keeps the company's key from the link, registers the service worker, shows a screen.
import { reception } from "./api.js";
import { prepare } from "./capture/index.js";
import { dress, mount } from "./dom.js";
import { list, pull } from "./orders.js";
import { standing, watch } from "./outbox.js";
import { resume } from "./places.js";
import { refresh } from "./screens/frame.js";
import * as issue from "./screens/issue.js";
import * as me from "./screens/me.js";
import * as nearby from "./screens/nearby.js";
import * as signIn from "./screens/sign-in.js";
import * as stop from "./screens/stop.js";
import * as stops from "./screens/stops.js";
import * as waiting from "./screens/waiting.js";
import { note } from "./store.js";
import { t } from "./words.js";

const SCREENS = { stops, stop, nearby, waiting, issue, me };
const PULLED_EVERY = 60_000;
let turn = 0;

// Each screen is `draw(...parts of the address)`; one that is `still` is not drawn anew while it is used.
async function show(moved = false) {
  moving ||= moved;
  const [name, ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const screen = (await standing()).signIn ? signIn : SCREENS[name] ?? stops;
  if (!moved && screen.still && [shown, drawing].includes(screen)) return refresh();
  const mine = ++turn;
  drawing = screen;
  const drawn = await screen.draw(...parts);
  if (mine !== turn) return;
  const focused = document.activeElement?.id;
  mount(...[drawn].flat());
  const heading = document.querySelector("h1");
  document.title = heading.textContent === t("app.name") ? t("app.name") : `${heading.textContent} · ${t("app.name")}`;
  if (moving || shown !== screen) scrollTo(0, 0), heading.focus({ preventScroll: true });
  else if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  shown = screen;
  drawing = undefined;
  moving = false;
  refresh();
}
let shown, drawing, asked, moving = false, heard = true;
function soon() {
  asked ??= setTimeout(() => ((asked = undefined), show()), 50);
}
async function news() {
  if (document.visibilityState === "hidden" || (await standing()).signIn) return;
  await pull();
  prepare(await list());
}
// A link that a dispatcher gave: its key is kept, and does not stay in the address.
async function linked() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return;
  history.replaceState(null, "", location.pathname);
  await note("key", key);
}
async function start() {
  dress(localStorage.getItem("theme"));
  await linked();
  navigator.serviceWorker?.register("/driver/sw.js", { type: "module", scope: "/driver" }).catch(console.warn);
  for (const name of ["outbox", "place", "spoken"]) addEventListener(name, soon);
  addEventListener("reception", () => reception.reached === heard || ((heard = reception.reached), soon()));
  addEventListener("hashchange", () => linked().then(() => show(true)));
  addEventListener("signed", () => show(true).then(resume).then(news));
  for (const name of ["online", "visibilitychange"]) addEventListener(name, news);
  setInterval(news, PULLED_EVERY);
  await show(true);
  watch();
  resume();
  news();
}
start();
