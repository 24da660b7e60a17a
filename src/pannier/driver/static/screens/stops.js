// Today's stops in sequence, with due times and distances.
import { h, icon } from "../dom.js";
import { listOrders } from "../orders.js";
import { loadValue } from "../store.js";
import { activityText, formatTime, t } from "../i18n.js";
import { renderDutySwitch } from "./duty-switch.js";
import { renderBanner, renderEmpty, renderScreen } from "./layout.js";
import { renderSos } from "./sos.js";
import { addressLine, jobTitle, kindIcon, orderNumber, sortJobs, startTime, toJobs, toPoint } from "./jobs.js";
import { formatDay, formatItemCount, formatWindow, isAfterToday, renderDistance, renderDueMark, renderEta, willBeLate } from "./formatting.js";

export async function draw() {
  const jobs = (await listOrders()).map(toJobs);
  const pulled = await loadValue("pulled");
  const open = sortJobs(jobs), done = jobs.flat().filter((job) => job.done);
  const today = open.filter((job) => !isAfterToday(startTime(job)));
  const later = open.filter((job) => !today.includes(job));
  return renderScreen({ title: t("stops.title"), tab: "stops", body: [
    await renderDutySwitch(),
    renderAge(pulled),
    renderChanges(open),
    renderLateness(today),
    renderEtaAge(today),
    today.length ? h("ol", { class: "stack" }, today.map(renderJob)) : renderNone(pulled, later.length),
    today.length > 1 ? h("button", { id: "map", onclick: async () => (await import("./map-sheet.js")).openMap(t("stops.title"), today) }, icon("map"), t("map.open")) : null,
    groupByDay(later).map(([day, jobs]) => [h("h2", {}, day), h("ol", { class: "stack" }, jobs.map((job) => renderJob(job, null)))]),
    done.length ? h("details", {}, h("summary", { id: "done" }, icon("chevron-right"), t("stops.done", { count: done.length })),
      h("ol", { class: "stack" }, done.map((job) => renderJob(job, null)))) : null,
    renderSos(),
  ] });
}
/** @type {(at: number | undefined, later: number) => HTMLElement} */
const renderNone = (at, later) => (at ? renderEmpty("circle-check", t(later ? "stops.none-today" : "stops.none"), t("stops.none-hint")) : renderEmpty("hourglass", t("stops.loading"), ""));

/** @type {(job: Job, at: number | null) => HTMLElement} */
function renderJob(job, at) {
  const due = formatWindow(job, at !== null || job.done);
  const kind = job.done ? "done" : at === 0 ? "next" : "";
  return h("li", {}, h("a", { class: `card stop ${kind}`, id: `to-${job.order.id}-${job.id}`, href: `#/stop/${job.order.id}/${job.id}` },
    h("span", { class: "mark" }, job.done ? icon("check") : at === null ? icon(kindIcon(job)) : String(at + 1)),
    h("span", { class: "what" },
      kind === "next" ? h("span", { class: "small muted" }, t("stops.next")) : null,
      h("strong", {}, jobTitle(job)),
      addressLine(job) && h("span", { class: "muted" }, addressLine(job)),
      (due || job.eta) && h("span", { class: "row" }, renderEta(job), due && h("span", { class: "when" }, due), renderDueMark(job)),
      h("span", { class: "facts small muted" },
        h("span", {}, icon(kindIcon(job)), t(`kind.${job.kind}`)),
        job.done ? null : renderDistance(toPoint(job.place)),
        job.items.length ? h("span", {}, formatItemCount(job.items)) : null,
        h("span", {}, orderNumber(job)),
        renderMarks(job))),
    icon("chevron-right")));
}
/** @type {(job: Job) => Child} */
function renderMarks(job) {
  if (job.unread && !job.done) return h("span", { class: "pill amber" }, icon("bell"), t("instructions.new"));
  if (job.undelivered) return h("span", { class: `pill ${job.done ? "red" : "amber"}` }, t(job.done ? "stop.failed" : "stop.on-hold"));
  return job.begun && job.activity && !job.done ? h("span", { class: "pill" }, activityText(job.activity)) : null;
}
/** @type {(jobs: Job[]) => [string, Job[]][]} */
function groupByDay(jobs) {
  /** @type {Map<string, Job[]>} */
  const byDay = new Map();
  for (const job of jobs) {
    const day = formatDay(startTime(job) ?? "");
    byDay.set(day, [...(byDay.get(day) ?? []), job]);
  }
  return [...byDay];
}
// Show the data's age once it is older than ten minutes.
/** @type {(at?: number) => Child} */
function renderAge(at) {
  return at && Date.now() - at > 10 * 60_000 ? renderBanner("amber", "clock", t("stops.old", { time: formatTime(at) })) : null;
}
// Point to stops whose recipient has changed something since the driver last looked.
/** @type {(jobs: Job[]) => Child} */
const renderChanges = (jobs) =>
  jobs.filter(({ unread }) => unread).map((job) => h("a", { class: "banner amber", id: `new-${job.id}`, href: `#/stop/${job.order.id}/${job.id}` }, icon("bell"), h("span", {}, t("instructions.banner", { stop: jobTitle(job) }))));
// Warn before a stop is late.
/** @type {(jobs: Job[]) => Child} */
function renderLateness(jobs) {
  const late = jobs.filter(willBeLate);
  return late.length ? renderBanner("amber", "triangle-alert", t(late.length === 1 ? "stops.late-one" : "stops.late-many", { count: late.length, stop: jobTitle(late[0]) })) : null;
}
// Say when the ETAs were computed: without reception, they stay as they were.
/** @type {(jobs: Job[]) => Child} */
function renderEtaAge(jobs) {
  const computed = jobs.find(({ eta }) => eta)?.computed;
  return computed ? h("p", { class: "small muted" }, t("stops.as-of", { time: formatTime(computed) })) : null;
}
