// The on-duty switch. It changes at once, and the server is informed later.
import { h } from "../dom.js";
import { isOnDuty, setDuty } from "../tracking.js";
import { t } from "../i18n.js";

export async function renderDutySwitch() {
  const on = await isOnDuty();
  return h("button", { id: "duty", class: "switch", role: "switch", "aria-checked": String(on), onclick: () => setDuty(!on) },
    h("span", {}, h("span", {}, t(on ? "duty.on" : "duty.off")), h("span", { class: "small muted" }, t(on ? "duty.on-hint" : "duty.off-hint"))),
    h("span", { class: "knob" }));
}
