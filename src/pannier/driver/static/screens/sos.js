// The SOS button. It must be held, so that a pocket does not press it, and it works without reception.
import { h, icon } from "../dom.js";
import { t } from "../i18n.js";
import { awaitOutcome } from "../outbox.js";
import { queueEntry } from "./activities.js";

const HOLD_MS = 2000;
// Screens are drawn again at any time, even while the button is held: the state is not the button's own.
/** @type {"hint" | "sending" | "sent" | "offline"} */
let state = "hint";
let timer = 0;

export function renderSos() {
  return h("button", { id: "sos", type: "button", class: timer ? "sos danger held" : "sos danger", onpointerdown: begin, onkeydown: handleKey, oncontextmenu: (/** @type {Event} */ event) => event.preventDefault() },
    icon("siren"), h("span", {}, h("b", {}, t("sos.title")), h("span", { class: "small", role: "status" }, t(`sos.${state}`))));
}
function begin() {
  if (timer || state === "sending") return;
  timer = window.setTimeout(call, HOLD_MS);
  document.getElementById("sos")?.classList.add("held");
}
function cancel() {
  clearTimeout(timer);
  timer = 0;
  document.getElementById("sos")?.classList.remove("held");
}
for (const release of ["pointerup", "pointercancel", "keyup", "visibilitychange"]) document.addEventListener(release, cancel);
addEventListener("blur", cancel);
/** @type {(event: KeyboardEvent) => void} */
function handleKey({ key }) {
  if (key === " " || key === "Enter") begin();
}
async function call() {
  cancel();
  navigator.vibrate?.(200);
  show("sending");
  const entry = await queueEntry({ kind: "sos", path: "/v1/drivers/me/sos", body: {}, summary: { key: "sos.summary" } });
  const outcome = entry ? await awaitOutcome(entry) : {};
  show("sent" in outcome ? "sent" : "offline");
}
/** @type {(next: typeof state) => void} */
function show(next) {
  state = next;
  const status = document.querySelector("#sos [role=status]");
  if (status) status.textContent = t(`sos.${state}`);
}
