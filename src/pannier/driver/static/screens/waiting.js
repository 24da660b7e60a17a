// What was pressed or captured and is not with the server yet, in words; and what it refused, and why.
import { reception } from "../api.js";
import { h, icon } from "../dom.js";
import { list } from "../orders.js";
import { again, discard, entries, send, standing } from "../outbox.js";
import { why } from "../refusals.js";
import { recall } from "../store.js";
import { toText, t, time } from "../words.js";
import { banner, empty, frame, sheet } from "./frame.js";
import { number } from "./jobs.js";
import { captureAgain, mendable } from "./mending.js";

/** @type {Record<EntryKind, string>} */
const KINDS = { activity: "flag", proof: "signature", attempt: "package-x", issue: "triangle-alert", duty: "truck", sms: "message-square" };

export async function draw() {
  const driver = (await recall("driver"))?.id, all = await entries();
  const own = all.filter(({ by }) => by === driver), { until, others } = await standing();
  const orders = new Map((await list()).map((kept) => [kept.id, number(kept)]));
  const refused = own.filter(({ state }) => state === "refused"), waiting = own.filter(({ state }) => state === "waiting");
  return frame({ title: t("waiting.title"), tab: "waiting", body: [
    !own.length ? empty("circle-check", t("waiting.none"), t("waiting.none-hint")) : null,
    refused.length ? [h("h2", {}, t("waiting.refused")), h("ul", { class: "stack" }, refused.map((entry) => card(entry, orders, own)))] : null,
    waiting.length ? [
      h("h2", {}, t("waiting.waiting")),
      until ? banner("amber", "clock", t("waiting.paused", { time: time(until) })) : !reception.reached ? banner("amber", "wifi-off", t("waiting.offline")) : !reception.ours ? banner("amber", "lock", t("foreign")) : null,
      h("ul", { class: "stack" }, waiting.map((entry) => card(entry, orders, own))),
      h("button", { id: "send", class: "primary", onclick: send }, icon("send"), t("waiting.send")),
    ] : null,
    others ? banner("", "user", t("waiting.others", { count: others })) : null,
  ] });
}
/** @type {(count: number) => string} */
export const pictures = (count) => (count ? t(count === 1 ? "waiting.picture" : "waiting.pictures", { count }) : "");

/** @type {(entry: QueuedEntry, orders: Map<string, string>, own: QueuedEntry[]) => HTMLElement} */
function card(entry, orders, own) {
  const refused = entry.state === "refused", before = own.find(({ id }) => id === entry.behind);
  const gone = h("button", { id: `discard-${entry.id}`, class: "danger", onclick: () => drop(entry, own) }, icon("trash-2"), t("waiting.discard"));
  return h("li", { class: "card stack" },
    h("p", { class: "facts" }, h("span", {}, icon(KINDS[entry.kind] ?? "send"), h("strong", {}, toText(entry.summary) || t(`entry.${entry.kind}`)))),
    h("p", { class: "small muted" }, [time(entry.at), entry.order && (orders.get(entry.order) ?? entry.order), pictures(entry.pictures.length)].filter(Boolean).join(" · ")),
    refused ? told(entry) : null,
    !refused && before?.state === "refused" ? h("p", { class: "small amber" }, t("waiting.behind", { before: toText(before.summary) })) : null,
    !refused && !entry.behind && entry.problem ? h("p", { class: "small amber" }, t("waiting.tried", { why: entry.problem.detail || entry.problem.title || t("foreign") })) : null,
    refused && mendable(entry) ? h("button", { id: `mend-${entry.id}`, class: "primary", onclick: () => captureAgain(entry) }, icon("rotate-ccw"), t("waiting.mend")) : null,
    refused ? h("div", { class: "pair" }, gone, h("button", { id: `again-${entry.id}`, onclick: () => again(entry.id) }, icon("refresh-cw"), t("waiting.again"))) : null);
}
/** @type {(entry: Entry) => Child} */
function told(entry) {
  const { title, detail } = why(entry);
  return [banner("red", "circle-x", title), detail ? h("p", { class: "small muted" }, detail) : null];
}
// What is given up is named first; what came after it on the same order can go or stay.
/** @type {(entry: Entry, own: QueuedEntry[]) => Promise<void>} */
async function drop(entry, own) {
  const rest = own.filter(({ behind }) => behind === entry.id);
  const chosen = await sheet(t("waiting.discard-sure"), () => [
    h("p", {}, t("waiting.discard-hint", { what: toText(entry.summary) })),
    rest.length ? [h("p", {}, t("waiting.discard-rest")), h("ul", { class: "card items" }, rest.map(({ summary }) => h("li", {}, h("span", {}, toText(summary)))))] : null,
  ], (/** @type {Close<{ rest: boolean }>} */ close) => [
    h("button", { class: "primary big", onclick: () => close(null) }, t("keep")),
    h("button", { class: "danger", onclick: () => close({ rest: false }) }, icon("trash-2"), t("waiting.discard-one")),
    rest.length ? h("button", { class: "danger", onclick: () => close({ rest: true }) }, icon("trash-2"), t("waiting.discard-all", { count: rest.length + 1 })) : null,
  ]);
  if (chosen) await discard(entry.id, chosen);
}
