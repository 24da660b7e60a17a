// The layout of every screen: header, status and tabs. Also dialogs, banners and toasts.
import { reception } from "../api.js";
import { h, icon, openDialog } from "../dom.js";
import { countUnread } from "../messages.js";
import { loadStatus } from "../outbox.js";
import { explainProblem } from "../refusals.js";
import { t } from "../i18n.js";

const TABS = [["stops", "list"], ["nearby", "search"], ["waiting", "hourglass"], ["me", "user"]];

// `actions` replace the tabs at the bottom.
/** @type {(given: { title: string; tab?: string; back?: string; body: Child; actions?: Child[] }) => Child[]} */
export function renderScreen({ title, tab, back, body, actions }) {
  return [
    h("header", { class: "head" },
      back && h("a", { class: "back", href: back, "aria-label": t("back") }, icon("arrow-left")),
      h("h1", { tabindex: "-1" }, title),
      h("div", { id: "state", role: "status" })),
    h("main", {}, body),
    actions?.flat().some(Boolean) ? h("div", { class: "foot actions" }, actions) : tab && renderTabs(tab),
  ].filter(Boolean);
}
/** @type {(current: string) => HTMLElement} */
const renderTabs = (current) => h("nav", { class: "foot", "aria-label": t("tabs") }, h("ul", {}, TABS.map(([name, iconName]) =>
  h("li", {}, h("a", { href: `#/${name}`, id: `tab-${name}`, "aria-current": name === current ? "page" : null }, icon(iconName), t(`tab.${name}`))))));

// Update the reception status and the number of waiting entries without a redraw.
export async function refreshStatus() {
  const { waiting, refused } = await loadStatus(), count = waiting + refused;
  const state = document.getElementById("state");
  const status = refused ? ["red", "triangle-alert", t("state.refused", { count: refused })]
    : !reception.reached ? ["amber", "wifi-off", waiting ? t("state.offline-waiting", { count: waiting }) : t("state.offline")]
    : !reception.fromApi ? ["amber", "lock", t("state.foreign")]
    : waiting ? ["", "hourglass", t("state.waiting", { count: waiting })] : null;
  const text = status?.[2] ?? "";
  if (state && state.dataset.told !== text) {
    state.dataset.told = text;
    state.replaceChildren(...(status ? [h("a", { class: `pill ${status[0]}`, href: "#/waiting" }, icon(status[1]), text)] : []));
  }
  const tab = document.getElementById("tab-waiting");
  tab?.querySelector(".count")?.remove();
  if (count) tab?.append(h("span", { class: `count ${refused ? "red" : ""}` }, String(count)));
  const unread = await countUnread(), account = document.getElementById("tab-me");
  account?.querySelector(".count")?.remove();
  if (unread) account?.append(h("span", { class: "count" }, String(unread), h("span", { class: "unseen" }, t("chat.unread"))));
}

// A dialog with a heading, a body and buttons. Escape and the arrow resolve to null.
/** @type {<T>(title: string, body: (close: Close<T>) => Child, actions: (close: Close<T>, read: HTMLElement) => Child) => Promise<T | null>} */
export const openSheet = (title, body, actions) => openDialog((/** @type {Parameters<typeof body>[0]} */ close, dialog) => {
  const read = h("div", { class: "body" }, body(close));
  dialog.setAttribute("aria-label", title);
  return [
    h("header", { class: "head" },
      h("button", { class: "back plain", "aria-label": t("back"), onclick: () => close(null) }, icon("arrow-left")), h("h2", {}, title)),
    read,
    h("div", { class: "foot actions" }, actions(close, read)),
  ];
});
/** @type {(kind: string, drawn: string, ...text: Child[]) => HTMLElement} */
export const renderBanner = (kind, iconName, ...text) => h("p", { class: `banner ${kind}`, role: kind === "red" ? "alert" : null }, icon(iconName), h("span", {}, ...text));
/** @type {(drawn: string, title: string, ...text: (string | Node)[]) => HTMLElement} */
export const renderEmpty = (iconName, title, ...text) => h("div", { class: "empty" }, icon(iconName), h("strong", {}, title), ...text.map((one) => (typeof one === "string" ? h("p", {}, one) : one)));

// Show a message that disappears after five seconds.
/** @type {(text: string) => void} */
export function showToast(text) {
  document.querySelector(".toast")?.remove();
  const element = h("p", { class: "toast", role: "status" }, icon("circle-check"), text);
  document.body.append(element);
  setTimeout(() => element.remove(), 5000);
}
// Describe a failed call, or that nobody answered.
/** @type {(answer: Answer) => string} */
export function describeProblem(answer) {
  if (!answer.fromApi) return t(answer.reached ? "foreign" : "no-reception");
  return explainProblem(answer.problem);
}
