// What the driver did today on this phone, the latest first.
import { h, icon } from "../dom.js";
import { listOrders } from "../orders.js";
import { listEntries } from "../outbox.js";
import { isToday } from "./formatting.js";
import { loadValue } from "../store.js";
import { formatTime, t, toText } from "../i18n.js";
import { renderEmpty, renderScreen } from "./layout.js";
import { orderNumber } from "./jobs.js";
import { KIND_ICONS } from "./waiting.js";

export async function draw() {
  const driver = (await loadValue("driver"))?.id ?? null;
  const numbers = new Map((await listOrders()).map((stored) => [stored.id, orderNumber(stored)]));
  const waiting = (await listEntries()).map((entry) => ({ ...entry, waits: true, number: numbers.get(entry.order ?? "") ?? "" }));
  const sent = ((await loadValue("history")) ?? []).map((done) => ({ ...done, waits: false }));
  const all = [...sent, ...waiting].filter(({ by, at, kind }) => by === driver && isToday(at) && !["proof", "sms"].includes(kind)).sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return renderScreen({ title: t("history.title"), back: "#/me", tab: "me", body: [
    all.length ? h("ol", { class: "card items" }, all.map(({ kind, summary, at, number, waits }) => h("li", {}, icon(KIND_ICONS[kind] ?? "send"),
      h("span", {}, toText(summary) || t(`entry.${kind}`), h("span", { class: "small muted" }, [formatTime(at), number].filter(Boolean).join(" · "))),
      waits ? h("span", { class: "pill amber" }, t("waiting.waiting")) : null))) : renderEmpty("clock", t("history.none"), t("history.none-hint")),
  ] });
}
