// The driver: on or off duty, language, look, and the way out.
import { dress, h, icon } from "../dom.js";
import { recall } from "../store.js";
import { LANGUAGES, language, speak, t } from "../words.js";
import { dutySwitch } from "./duty.js";
import { frame } from "./frame.js";
import { leave } from "./leaving.js";

const LOOKS = { "": "settings", light: "sun", dark: "moon" };

export async function draw() {
  const driver = await recall("driver");
  return frame({ title: t("tab.me"), tab: "me", body: [
    h("section", { class: "card stack" },
      h("h2", {}, driver?.name), h("p", { class: "muted" }, driver?.phone)),
    await dutySwitch(),
    h("a", { class: "button", href: "#/issue" }, icon("triangle-alert"), t("issue.report")),
    choice(t("me.language"), "language", LANGUAGES.map((code) => [code, t(`language.${code}`), null]), language(), speak),
    choice(t("me.look"), "look", Object.entries(LOOKS).map(([name, drawn]) => [name, t(`look.${name || "phone"}`), drawn]), localStorage.getItem("theme") ?? "", choose),
    h("button", { id: "leave", class: "danger", onclick: leave }, icon("log-out"), t("me.leave")),
  ] });
}
/** @type {(label: string, name: string, options: [string, string, string | null][], chosen: string, act: (value: string) => unknown) => HTMLElement} */
function choice(label, name, options, chosen, act) {
  return h("fieldset", {}, h("legend", {}, label), h("div", { class: "pair" }, options.map(([value, text, drawn]) =>
    h("label", { class: "choice" },
      h("input", { type: "radio", id: `${name}-${value}`, name, value, checked: value === chosen, onchange: () => applyChoice(act, value) }),
      drawn && icon(drawn), text))));
}
/** @type {(act: (value: string) => unknown, value: string) => Promise<void>} */
async function applyChoice(act, value) {
  await act(value);
  dispatchEvent(new Event("spoken"));
}
/** @type {(theme: string) => void} */
function choose(theme) {
  localStorage.setItem("theme", theme);
  dress(theme);
}
