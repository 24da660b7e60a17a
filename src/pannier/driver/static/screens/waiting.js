// Entries that are not delivered yet, and those that the server refused, with the reason.
import { reception } from "../api.js";
import { h, icon } from "../dom.js";
import { listOrders } from "../orders.js";
import { discardEntry, listEntries, loadStatus, retryEntry, send } from "../outbox.js";
import { explainProblem, explainRefusal } from "../refusals.js";
import { loadValue } from "../store.js";
import { formatTime, t, toText } from "../i18n.js";
import { openSheet, renderBanner, renderEmpty, renderScreen } from "./layout.js";
import { orderNumber } from "./jobs.js";
import { canRecapture, recapture } from "./recapture.js";

/** @type {Record<EntryKind, string>} */
export const KIND_ICONS = { activity: "flag", proof: "signature", attempt: "package-x", issue: "triangle-alert", duty: "truck", sms: "message-square", cash: "banknote", message: "message-square", sos: "siren" };

export async function draw() {
  const driver = (await loadValue("driver"))?.id, all = await listEntries();
  const own = all.filter(({ by }) => by === driver), { until, others } = await loadStatus();
  const orders = new Map((await listOrders()).map((stored) => [stored.id, orderNumber(stored)]));
  const refused = own.filter(({ state }) => state === "refused"), waiting = own.filter(({ state }) => state === "waiting");
  return renderScreen({ title: t("waiting.title"), tab: "waiting", body: [
    !own.length ? renderEmpty("circle-check", t("waiting.none"), t("waiting.none-hint")) : null,
    refused.length ? [h("h2", {}, t("waiting.refused")), h("ul", { class: "stack" }, refused.map((entry) => renderEntry(entry, orders, own)))] : null,
    waiting.length ? [
      h("h2", {}, t("waiting.waiting")),
      until ? renderBanner("amber", "clock", t("waiting.paused", { time: formatTime(until) })) : !reception.reached ? renderBanner("amber", "wifi-off", t("waiting.offline")) : !reception.fromApi ? renderBanner("amber", "lock", t("foreign")) : null,
      h("ul", { class: "stack" }, waiting.map((entry) => renderEntry(entry, orders, own))),
      h("button", { id: "send", class: "primary", onclick: send }, icon("send"), t("waiting.send")),
    ] : null,
    others ? renderBanner("", "user", t("waiting.others", { count: others })) : null,
  ] });
}
/** @type {(count: number) => string} */
export const formatPictureCount = (count) => (count ? t(count === 1 ? "waiting.picture" : "waiting.pictures", { count }) : "");

/** @type {(entry: QueuedEntry, orders: Map<string, string>, own: QueuedEntry[]) => HTMLElement} */
function renderEntry(entry, orders, own) {
  const refused = entry.state === "refused", before = own.find(({ id }) => id === entry.behind);
  const discardButton = h("button", { id: `discard-${entry.id}`, class: "danger", onclick: () => confirmDiscard(entry, own) }, icon("trash-2"), t("waiting.discard"));
  return h("li", { class: "card stack" },
    h("p", { class: "facts" }, h("span", {}, icon(KIND_ICONS[entry.kind] ?? "send"), h("strong", {}, toText(entry.summary) || t(`entry.${entry.kind}`)))),
    h("p", { class: "small muted" }, [formatTime(entry.at), entry.order && (orders.get(entry.order) ?? entry.order), formatPictureCount(entry.pictures.length)].filter(Boolean).join(" · ")),
    refused ? renderRefusal(entry) : null,
    !refused && before?.state === "refused" ? h("p", { class: "small amber" }, t("waiting.behind", { before: toText(before.summary) })) : null,
    !refused && !entry.behind && entry.problem ? h("p", { class: "small amber" }, t("waiting.tried", { why: explainProblem(entry.problem, "problem.unavailable") })) : null,
    refused && canRecapture(entry) ? h("button", { id: `mend-${entry.id}`, class: "primary", onclick: () => recapture(entry) }, icon("rotate-ccw"), t("waiting.mend")) : null,
    refused ? h("div", { class: "pair" }, discardButton, h("button", { id: `again-${entry.id}`, onclick: () => retryEntry(entry.id) }, icon("refresh-cw"), t("waiting.again"))) : null);
}
/** @type {(entry: Entry) => Child} */
function renderRefusal(entry) {
  const { title, code } = explainRefusal(entry);
  return [renderBanner("red", "circle-x", title), code ? h("p", { class: "small muted" }, t("refused.code", { code })) : null];
}
// Confirm which entry is discarded. Entries behind it can be discarded too.
/** @type {(entry: Entry, own: QueuedEntry[]) => Promise<void>} */
async function confirmDiscard(entry, own) {
  const rest = own.filter(({ behind }) => behind === entry.id);
  const chosen = await openSheet(t("waiting.discard-sure"), () => [
    h("p", {}, t("waiting.discard-hint", { what: toText(entry.summary) })),
    rest.length ? [h("p", {}, t("waiting.discard-rest")), h("ul", { class: "card items" }, rest.map(({ summary }) => h("li", {}, h("span", {}, toText(summary)))))] : null,
  ], (/** @type {Close<{ rest: boolean }>} */ close) => [
    h("button", { class: "primary big", onclick: () => close(null) }, t("keep")),
    h("button", { class: "danger", onclick: () => close({ rest: false }) }, icon("trash-2"), t("waiting.discard-one")),
    rest.length ? h("button", { class: "danger", onclick: () => close({ rest: true }) }, icon("trash-2"), t("waiting.discard-all", { count: rest.length + 1 })) : null,
  ]);
  if (chosen) await discardEntry(entry.id, chosen);
}
