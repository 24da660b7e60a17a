// One stop: address, times, contact, items, and the next activity as one big button.
import { h, icon } from "../dom.js";
import { findOrder, markRead } from "../orders.js";
import { notifyTabs } from "../outbox.js";
import { activityText, formatTime, t } from "../i18n.js";
import { isBusy, performActivity } from "./activities.js";
import { collectCash, isCashDue, renderCash } from "./cash.js";
import { renderSos } from "./sos.js";
import { renderDispatch } from "./dispatch.js";
import { reportFailure } from "./failed-attempt.js";
import { renderBanner, renderEmpty, renderScreen } from "./layout.js";
import { addressLine, formatAddress, jobTitle, kindIcon, navigationLink, orderNumber, toJobs, toPoint } from "./jobs.js";
import { formatDay, formatItemCount, formatWindow, renderDistance, renderDueMark, renderEta } from "./formatting.js";

const METHODS = { scan: "scan-line", signature: "signature", photo: "camera", sms: "message-square" };

/** @type {(order: string, id: string) => Promise<Child>} */
export async function draw(order, id) {
  const stored = await findOrder(order), jobs = stored ? toJobs(stored) : [];
  const job = jobs.find((each) => each.id === id);
  if (!job) return renderScreen({ title: t("stop.gone"), back: "#/stops", tab: "stops", body: [renderEmpty("package-x", t("stop.gone"), t("stop.gone-hint"))] });
  return renderScreen({ title: jobTitle(job), back: "#/stops", tab: "stops", body: [
    h("div", { class: "row" },
      h("span", { class: "pill plain" }, icon(kindIcon(job)), t(`kind.${job.kind}`)),
      job.done && job.undelivered ? h("span", { class: "pill red" }, icon("package-x"), t("stop.failed")) : job.done ? h("span", { class: "pill green" }, icon("check"), t("stop.done")) : job.begun && job.activity ? h("span", { class: "pill" }, activityText(job.activity)) : null,
      renderDueMark(job)),
    renderNotices(job, jobs), renderInstructions(job), renderPlace(job, jobs), renderNeeds(job), renderNotes(job), renderCash(job), renderItems(job), renderFacts(job), renderRoute(job, jobs),
    h("div", { class: "stack" },
      canFail(job) ? h("button", { id: "fail", class: "danger", onclick: () => reportFailure(job) }, icon("package-x"), t(job.kind === "pickup" ? "fail.open-pickup" : "fail.open")) : null,
      await renderDispatch(job),
      renderSos(),
      h("a", { class: "button", id: "to-issue", href: `#/issue/${job.order.id}/${job.id}` }, icon("triangle-alert"), t("issue.report"))),
  ], actions: [renderCollect(job), ...(job.done || job.gone ? [] : renderActions(job))] });
}
/** @type {(job: Job) => Child[]} */
function renderActions(job) {
  const busy = isBusy(job.order.id);
  return job.next.map((activity, at) => h("button", { id: `do-${activity.code}`, class: at ? "" : "primary big", disabled: busy, onclick: () => act(job, activity) },
    icon(activity.complete ? "check" : at ? "chevron-right" : "navigation"), activityText(activity)));
}
// Before a stop is completed, its cash is collected.
/** @type {(job: Job, activity: ActivityAhead) => Promise<void>} */
async function act(job, activity) {
  if (activity.complete && isCashDue(job) && !(await collectCash(job, true))) return;
  await performActivity(job, activity);
}
// The cash can be collected once the order is dispatched, even after the stop was completed.
/** @type {(job: Job) => Child} */
function renderCollect(job) {
  if (!isCashDue(job) || job.flow.activity === "created") return null;
  return h("button", { id: "collect", onclick: () => collectCash(job) }, icon("banknote"), t("cash.open"));
}
/** @type {(job: Job) => boolean} */
const canFail = ({ flow, kind, done, gone, current, next }) =>
  !done && !gone && current && next.length > 0 && kind !== "return" && flow.failure_reasons.length > 0 && !["created", "dispatched"].includes(flow.activity);

/** @type {(job: Job, jobs: Job[]) => Child} */
function renderNotices(job, jobs) {
  const other = job.first && jobs.find(({ id }) => id === job.first);
  return [
    job.gone ? renderBanner("red", "circle-x", t("stop.not-yours")) : null,
    job.refused ? h("a", { class: "banner red", href: "#/waiting" }, icon("triangle-alert"), h("span", {}, t("stop.refused"))) : null,
    !job.done && job.undelivered === "hold" ? renderBanner("amber", "hourglass", t("stop.held")) : null,
    job.flow.activity === "created" ? renderBanner("", "hourglass", t("stop.not-dispatched")) : null,
    other ? h("a", { class: "banner", href: `#/stop/${job.order.id}/${other.id}` }, icon("info"), h("span", {}, t("stop.first", { stop: jobTitle(other) }))) : null,
  ];
}
// New instructions stay marked until the driver confirms them.
/** @type {(job: Job) => Child} */
function renderInstructions(job) {
  const given = job.instructions;
  if (!given) return null;
  const isNew = job.unread && !job.done;
  return h("section", { class: `card stack${isNew ? " fresh" : ""}`, "aria-label": t("instructions.title") },
    h("div", { class: "split" }, h("h2", {}, t("instructions.title")), isNew ? h("span", { class: "pill amber" }, icon("bell"), t("instructions.new")) : null),
    h("p", {}, h("strong", {}, t(`instructions.${given.handover}`)), given.location ? `: ${given.location}` : null),
    given.access_code ? h("p", { class: "facts" }, h("span", {}, icon("lock"), t("stop.access", { code: given.access_code }))) : null,
    given.note ? h("p", { class: "note" }, given.note) : null,
    h("p", { class: "small muted" }, t("instructions.from", { time: `${formatDay(given.requested_at)}, ${formatTime(given.requested_at)}` })),
    isNew ? h("button", { id: "read", onclick: () => confirmRead(job) }, icon("check"), t("understood")) : null);
}
/** @type {(job: Job) => Promise<void>} */
async function confirmRead(job) {
  if (job.instructions) await markRead(job.order.id, job.waypoint?.id ?? job.order.id, job.instructions.requested_at);
  notifyTabs();
}
/** @type {(job: Job, jobs: Job[]) => Child} */
function renderPlace(job, jobs) {
  const far = renderDistance(toPoint(job.place)), due = formatWindow(job);
  return h("section", { class: "card stack", "aria-label": t("stop.where") },
    h("div", { class: "split" },
      h("p", { class: "address" }, addressLine(job) || jobTitle(job)),
      job.place?.location ? h("button", { id: "map", class: "square", "aria-label": t("map.open"), onclick: async () => (await import("./map-sheet.js")).openMap(jobTitle(job), jobs, job) }, icon("map")) : null),
    job.place?.street2 || job.place?.building ? h("p", {}, [job.place.building, job.place.street2].filter(Boolean).join(", ")) : null,
    job.person ? h("p", { class: "facts" }, h("span", {}, icon("user"), job.person)) : null,
    job.eta && job.computed && !job.done ? h("p", { class: "facts" }, renderEta(job), h("span", { class: "small muted" }, t("stops.as-of", { time: formatTime(job.computed) }))) : null,
    due || far ? h("p", { class: "facts" }, due ? h("span", { class: "when" }, icon("clock"), due) : null, far) : null,
    job.place?.security_access_code ? h("p", { class: "facts" }, h("span", {}, icon("lock"), t("stop.access", { code: job.place.security_access_code }))) : null,
    h("div", { class: "pair" },
      h("a", { class: "button", id: "navigate", href: navigationLink(job) }, icon("navigation"), t("stop.navigate")),
      job.phone ? h("a", { class: "button", id: "call", href: `tel:${job.phone}` }, icon("phone"), t("stop.call")) : null));
}
// List the proofs that the next activity needs, and which of them are captured.
/** @type {(job: Job) => Child} */
function renderNeeds(job) {
  const [activity] = job.next;
  if (!activity?.demands.length || job.done) return null;
  const met = activity.demands.filter((demand) => demand.met).length;
  return h("section", { class: "card stack" }, h("h2", {}, t("stop.needs", { activity: activityText(activity) })),
    activity.demands.length > 4 ? h("p", { class: "facts" }, h("span", {}, icon(METHODS[activity.demands[0].method]), t("stop.needs-many", { method: t(`method.${activity.demands[0].method}`), met, count: activity.demands.length })))
      : h("ul", { class: "items" }, activity.demands.map((demand) => h("li", {},
        icon(METHODS[demand.method]), h("span", {}, t(`method.${demand.method}`), renderItemName(job, demand)), renderMark(demand.met)))));
}
/** @type {(job: Job, demand: Demand) => Child} */
const renderItemName = ({ order }, { subject_id: id }) => {
  const item = order.payload.entities.find((each) => each.id === id);
  return item ? h("span", { class: "small muted" }, item.name) : null;
};
/** @type {(met?: boolean) => HTMLElement} */
const renderMark = (met) => (met ? h("span", { class: "pill green" }, icon("check"), t("met")) : h("span", { class: "pill amber" }, t("missing")));

/** @type {(job: Job) => Child} */
const renderNotes = ({ notes }) => (notes.length ? h("section", { class: "card stack" }, h("h2", {}, t("stop.notes")), notes.map((note) => h("p", { class: "note" }, note))) : null);
/** @type {(job: Job) => Child} */
function renderItems(job) {
  if (!job.items.length) return null;
  const proofs = job.next.flatMap(({ demands }) => demands);
  return h("section", { class: "card stack" }, h("h2", {}, formatItemCount(job.items)),
    h("ul", { class: "items" }, job.items.map((item) => {
      const own = proofs.filter(({ subject_id: id }) => id === item.id);
      return h("li", {}, icon(own.length && own.every(({ met }) => met) ? "package-check" : "package"),
        h("span", {}, item.quantity > 1 ? `${item.quantity} × ${item.name}` : item.name, h("span", { class: "small muted" }, [item.sku, item.weight && `${item.weight} ${item.weight_unit}`, item.description].filter(Boolean).join(" · "))),
        own.length ? renderMark(own.every(({ met }) => met)) : null);
    })));
}
/** @type {(job: Job) => Child} */
function renderFacts(job) {
  const { order } = job;
  return h("dl", { class: "facts-list small" },
    h("dt", {}, t("stop.number")), h("dd", {}, orderNumber(job)),
    order.customer && job.kind === "pickup" ? [h("dt", {}, t("stop.customer")), h("dd", {}, order.customer.name)] : null);
}
// List the other stops, or the pickup and drop-off of an order without stops.
/** @type {(job: Job, jobs: Job[]) => Child} */
function renderRoute(job, jobs) {
  const { payload } = job.order;
  /** @type {(kind: "pickup" | "dropoff") => { kind: string; text: string; each: Job | null }[]} */
  const end = (kind) => (payload[kind] ? [{ kind, text: formatAddress(payload[kind], job.order), each: null }] : []);
  const steps = jobs.length > 1 ? jobs.map((each) => ({ kind: each.kind, text: jobTitle(each), each })) : [...end("pickup"), ...end("dropoff")];
  if (steps.length < 2) return null;
  return h("details", {}, h("summary", { id: "way" }, icon("chevron-right"), t("stop.way", { count: steps.length })),
    h("dl", { class: "card way" }, steps.map(({ kind, text, each }) => h("div", {}, icon(each?.done ? "circle-check" : "map-pin"),
      h("dt", {}, t(`kind.${kind}`)), h("dd", {}, each && each !== job ? h("a", { href: `#/stop/${each.order.id}/${each.id}` }, text) : text)))));
}
