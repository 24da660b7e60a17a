// What the driver did today, the latest first: activities from the server, so that they are complete on a new phone, and
// the rest from this phone.
import { h, icon } from "../dom.js";
import { listOrders } from "../orders.js";
import { listEntries } from "../outbox.js";
import { isToday } from "./formatting.js";
import { loadValue } from "../store.js";
import { activityText, formatTime, reasonText, t, toText } from "../i18n.js";
import { renderEmpty, renderScreen } from "./layout.js";
import { orderNumber } from "./jobs.js";
import { KIND_ICONS } from "./waiting.js";

// The server lists these.
const RECORDED_KINDS = ["activity", "attempt"];

export async function draw() {
  const driver = (await loadValue("driver"))?.id ?? null;
  const numbers = new Map((await listOrders()).map((stored) => [stored.id, orderNumber(stored)]));
  const waiting = (await listEntries()).map((entry) => ({ ...entry, waits: true, number: numbers.get(entry.order ?? "") ?? "" }));
  const recorded = await loadValue("recorded");
  const sent = ((await loadValue("history")) ?? []).filter((done) => !recorded || !RECORDED_KINDS.includes(done.kind) || (done.sent ?? 0) >= recorded.at).map((done) => ({ ...done, waits: false }));
  const activities = (recorded?.activities ?? []).map((activity) => toDone(activity, driver));
  // The server may have an activity already whose request has not been answered yet.
  const known = new Set(activities.map(toKey));
  const all = [...activities, ...[...sent, ...waiting].filter((own) => !known.has(toKey(own)))].filter(({ by, at, kind }) => by === driver && isToday(at) && !["proof", "sms"].includes(kind)).sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return renderScreen({ title: t("history.title"), back: "#/me", tab: "me", body: [
    all.length ? h("ol", { class: "card items" }, all.map(({ kind, summary, at, number, waits }) => h("li", {}, icon(KIND_ICONS[kind] ?? "send"),
      h("span", {}, toText(summary) || t(`entry.${kind}`), h("span", { class: "small muted" }, [formatTime(at), number].filter(Boolean).join(" · "))),
      waits ? h("span", { class: "pill amber" }, t("waiting.waiting")) : null))) : renderEmpty("clock", t("history.none"), t("history.none-hint")),
  ] });
}
/** @type {(done: Pick<Done, "kind" | "summary" | "at" | "number">) => string} */
const toKey = ({ kind, summary, at, number }) => [kind, Date.parse(at), number, toText(summary)].join(" ");
/** @type {(activity: DriverActivityOut, driver: string | null) => Done & { waits: boolean }} */
function toDone({ code, status, occurred_at: at, internal_id, tracking }, driver) {
  const isFailure = code === "failed";
  const summary = isFailure ? t("fail.summary", { reason: reasonText(status) }) : activityText({ code, status });
  return { id: "", by: driver, kind: isFailure ? "attempt" : "activity", summary, at, number: internal_id ?? tracking, waits: false };
}
