// On duty or off: pressed at once, told to the server when it can be.
import { h } from "../dom.js";
import { duty, onDuty } from "../places.js";
import { t } from "../words.js";

export async function dutySwitch() {
  const on = await onDuty();
  return h("button", { id: "duty", class: "switch", role: "switch", "aria-checked": String(on), onclick: () => duty(!on) },
    h("span", {}, h("span", {}, t(on ? "duty.on" : "duty.off")), h("span", { class: "small muted" }, t(on ? "duty.on-hint" : "duty.off-hint"))),
    h("span", { class: "knob" }));
}
