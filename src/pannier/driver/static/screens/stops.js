// Today's stops in their turn: where next, by when, how far.
import { h, icon } from "../dom.js";
import { list } from "../orders.js";
import { recall } from "../store.js";
import { t, time } from "../words.js";
import { dutySwitch } from "./duty.js";
import { banner, empty, frame } from "./frame.js";
import { address, drawn, inTurn, jobsOf, number, spotOf, title } from "./jobs.js";
import { map } from "./mapped.js";
import { away, dueMark, isLater, weekday, windowText } from "./parts.js";

export async function draw() {
  const known = (await list()).map(jobsOf);
  const pulled = await recall("pulled");
  const turn = inTurn(known), done = known.flat().filter((job) => job.done);
  const today = turn.filter((job) => !isLater(job.start ?? job.order.scheduled_at));
  const later = turn.filter((job) => !today.includes(job));
  return frame({ title: t("stops.title"), tab: "stops", body: [
    await dutySwitch(),
    freshness(pulled),
    today.length ? h("ol", { class: "stack" }, today.map(card)) : nothing(pulled, later.length),
    today.length > 1 ? h("button", { id: "map", onclick: () => map(t("stops.title"), today) }, icon("map"), t("map.open")) : null,
    days(later).map(([day, jobs]) => [h("h2", {}, day), h("ol", { class: "stack" }, jobs.map((job) => card(job, null)))]),
    done.length ? h("details", {}, h("summary", { id: "done" }, icon("chevron-right"), t("stops.done", { count: done.length })),
      h("ol", { class: "stack" }, done.map((job) => card(job, null)))) : null,
  ] });
}
/** @type {(at: number | undefined, later: number) => HTMLElement} */
const nothing = (at, later) => (at ? empty("circle-check", t(later ? "stops.none-today" : "stops.none"), t("stops.none-hint")) : empty("hourglass", t("stops.loading"), ""));

/** @type {(job: Job, at: number | null) => HTMLElement} */
function card(job, at) {
  const due = windowText(job, at !== null || job.done);
  const kind = job.done ? "done" : at === 0 ? "next" : "";
  return h("li", {}, h("a", { class: `card stop ${kind}`, id: `to-${job.order.id}-${job.id}`, href: `#/stop/${job.order.id}/${job.id}` },
    h("span", { class: "mark" }, job.done ? icon("check") : at === null ? icon(drawn(job)) : String(at + 1)),
    h("span", { class: "what" },
      h("strong", {}, title(job)),
      address(job) && h("span", { class: "muted" }, address(job)),
      (due || dueMark(job)) && h("span", { class: "row" }, due && h("span", { class: "when" }, due), dueMark(job)),
      h("span", { class: "facts small muted" },
        h("span", {}, icon(drawn(job)), t(`kind.${job.kind}`)),
        job.done ? null : away(spotOf(job.place)),
        job.items.length ? h("span", {}, t(job.items.length === 1 ? "item" : "items", { count: job.items.length })) : null,
        h("span", {}, number(job)),
        marks(job))),
    icon("chevron-right")));
}
/** @type {(job: Job) => Child} */
function marks(job) {
  if (job.undelivered) return h("span", { class: `pill ${job.done ? "red" : "amber"}` }, t(job.done ? "stop.failed" : "stop.on-hold"));
  return job.begun && job.activity && !job.done ? h("span", { class: "pill" }, job.activity.status) : null;
}
/** @type {(jobs: Job[]) => [string, Job[]][]} */
function days(jobs) {
  /** @type {Map<string, Job[]>} */
  const found = new Map();
  for (const job of jobs) {
    const day = weekday(job.start ?? job.order.scheduled_at ?? "");
    found.set(day, [...(found.get(day) ?? []), job]);
  }
  return [...found];
}
// How old what is shown is, once that matters.
/** @type {(at?: number) => Child} */
function freshness(at) {
  return at && Date.now() - at > 10 * 60_000 ? banner("amber", "clock", t("stops.old", { time: time(at) })) : null;
}
