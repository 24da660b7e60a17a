// The driver's profile: duty, language, theme and sign-out.
import { applyTheme, h, icon } from "../dom.js";
import { loadValue } from "../store.js";
import { currentLanguage, LANGUAGES, setLanguage, t } from "../i18n.js";
import { renderBalance } from "./cash.js";
import { renderDispatch } from "./dispatch.js";
import { renderDutySwitch } from "./duty-switch.js";
import { renderScreen } from "./layout.js";
import { renderSos } from "./sos.js";
import { signOut } from "./sign-out.js";

const THEMES = { "": "settings", light: "sun", dark: "moon" };

export async function draw() {
  const driver = await loadValue("driver");
  return renderScreen({ title: t("tab.me"), tab: "me", body: [
    h("section", { class: "card stack" },
      h("h2", {}, driver?.name), h("p", { class: "muted" }, driver?.phone)),
    await renderDutySwitch(),
    await renderBalance(),
    await renderDispatch(),
    renderSos(),
    h("a", { class: "button", id: "to-history", href: "#/history" }, icon("clock"), t("history.title")),
    h("a", { class: "button", href: "#/issue" }, icon("triangle-alert"), t("issue.report")),
    renderChoice(t("me.language"), "language", LANGUAGES.map((code) => [code, t(`language.${code}`), null]), currentLanguage(), setLanguage),
    renderChoice(t("me.look"), "look", Object.entries(THEMES).map(([name, iconName]) => [name, t(`look.${name || "phone"}`), iconName]), localStorage.getItem("theme") ?? "", chooseTheme),
    h("button", { id: "leave", class: "danger", onclick: signOut }, icon("log-out"), t("me.leave")),
  ] });
}
/** @type {(label: string, name: string, options: [string, string, string | null][], chosen: string, act: (value: string) => unknown) => HTMLElement} */
function renderChoice(label, name, options, chosen, act) {
  return h("fieldset", {}, h("legend", {}, label), h("div", { class: options.length > 3 ? "pair rows" : "pair" }, options.map(([value, text, iconName]) =>
    h("label", { class: "choice" },
      h("input", { type: "radio", id: `${name}-${value}`, name, value, checked: value === chosen, onchange: () => applyChoice(act, value) }),
      iconName && icon(iconName), text))));
}
/** @type {(act: (value: string) => unknown, value: string) => Promise<void>} */
async function applyChoice(act, value) {
  await act(value);
  dispatchEvent(new Event("spoken"));
}
/** @type {(theme: string) => void} */
function chooseTheme(theme) {
  localStorage.setItem("theme", theme);
  applyTheme(theme);
}
