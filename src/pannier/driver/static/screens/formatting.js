// Formats distances, amounts and times for several screens.
import { digitsOf } from "../currencies.js";
import { h, icon } from "../dom.js";
import { lastPosition, metresBetween } from "../tracking.js";
import { formatTime, locale, t } from "../i18n.js";

const SOON_MS = 30 * 60_000;
// As the server's forecast `at_risk`.
const TIGHT_MS = 10 * 60_000;
/** @type {(moment: string | number) => string} */
const toDay = (moment) => new Date(moment).toDateString();

/** @type {(moment: string | number) => string} */
export const formatDay = (moment) => new Intl.DateTimeFormat(locale(), { weekday: "short", day: "numeric", month: "short" }).format(new Date(moment));
/** @type {(moment: string | null, now?: number) => boolean} */
export const isAfterToday = (moment, now = Date.now()) => moment !== null && new Date(moment) > new Date(now) && toDay(moment) !== toDay(now);
/** @type {(moment: string) => boolean} */
export const isToday = (moment) => toDay(moment) === toDay(Date.now());
/** @type {(metres: number) => string} */
export function formatDistance(metres) {
  const far = metres >= 995;
  return new Intl.NumberFormat(locale(), { style: "unit", unit: far ? "kilometer" : "meter", maximumFractionDigits: metres < 9950 && far ? 1 : 0 })
    .format(far ? metres / 1000 : Math.max(10, Math.round(metres / 10) * 10));
}
// Show the distance to a place. `updateDistances` updates it as the driver moves.
/** @type {(point: PointOut | null) => HTMLElement | null} */
export function renderDistance(point) {
  if (!point) return null;
  const element = h("span", { class: "far", "data-at": point.coordinates.join() }, icon("navigation"), h("span", {}));
  updateDistance(element);
  return element;
}
/** @type {(shown: HTMLElement) => void} */
function updateDistance(element) {
  const [longitude, latitude] = (element.dataset.at ?? "").split(",").map(Number), here = lastPosition();
  element.hidden = !here;
  const text = element.lastElementChild;
  if (here && text) text.textContent = formatDistance(metresBetween(here, { latitude, longitude }));
}
export function updateDistances() {
  /** @type {NodeListOf<HTMLElement>} */
  const elements = document.querySelectorAll(".far");
  elements.forEach(updateDistance);
}
/** @type {(amount: number, currency: string) => string} */
export function formatMoney(amount, currency) {
  const digits = digitsOf(currency);
  return new Intl.NumberFormat(locale(), { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount / 10 ** digits);
}
// The number of pieces. Orders that were stored before items had a quantity have one piece per item.
/** @type {(items: readonly { quantity?: number }[]) => string} */
export function formatItemCount(items) {
  const count = items.reduce((sum, { quantity = 1 }) => sum + quantity, 0);
  return t(count === 1 ? "item" : "items", { count });
}
// "10:00–12:00", with the day unless it is today.
/** @typedef {{ start: string | null; end: string | null; order?: { scheduled_at: string | null } }} Due */
/** @type {(job: Due, dated?: boolean) => string | null} */
export function formatWindow({ start, end, order }, dated = true) {
  const from = start ?? (end ? null : order?.scheduled_at), moment = from ?? end;
  if (!moment) return null;
  const hours = from && end ? `${formatTime(from)}–${formatTime(end)}` : t(from ? "window.from" : "window.by", { time: formatTime(moment) });
  return !dated || toDay(moment) === toDay(Date.now()) ? hours : `${formatDay(moment)}, ${hours}`;
}
/** @type {(job: Pick<Job, "eta" | "done">) => HTMLElement | null} */
export const renderEta = ({ eta, done }) => (eta && !done ? h("span", { class: "when eta" }, icon("clock"), t("stops.eta", { time: formatTime(eta) })) : null);
// The time to the end of a stop's window, from its ETA or from now. The server knows the window that applies.
/** @type {(job: DueJob) => { left: number; spare: number | null } | null} */
function measureDue({ end, closes, done, eta }) {
  const deadline = Date.parse(end ?? closes ?? "");
  return done || Number.isNaN(deadline) ? null : { left: deadline - Date.now(), spare: eta ? deadline - Date.parse(eta) : null };
}
/** @typedef {Pick<Job, "end" | "done"> & { eta?: string | null; closes?: string | null }} DueJob */
// Whether a stop is on time by the clock, but late by its ETA.
/** @type {(job: DueJob) => boolean} */
export function willBeLate(job) {
  const due = measureDue(job);
  return due !== null && due.left > 0 && due.spare !== null && due.spare < 0;
}
// A mark for stops that are or will be late, and for those due soon. It has text, so that it does not rely on color.
/** @type {(job: DueJob) => HTMLElement | null} */
export function renderDueMark(job) {
  const due = measureDue(job);
  if (!due) return null;
  const { left, spare } = due;
  if (left < 0) return h("span", { class: "pill red" }, icon("triangle-alert"), t("window.late", { time: formatDuration(-left) }));
  if (spare !== null && spare < 0) return h("span", { class: "pill red" }, icon("triangle-alert"), t("window.will-be-late", { time: formatDuration(-spare) }));
  if (spare !== null && spare < TIGHT_MS) return h("span", { class: "pill amber" }, icon("clock"), t("window.tight", { time: formatDuration(spare) }));
  if (left < SOON_MS) return h("span", { class: "pill amber" }, icon("clock"), t("window.left", { time: formatDuration(left) }));
  return null;
}
/** @type {(milliseconds: number) => string} */
function formatDuration(milliseconds) {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  const unit = minutes < 90 ? "minute" : minutes < 2160 ? "hour" : "day";
  const value = Math.round(minutes / { minute: 1, hour: 60, day: 1440 }[unit]);
  return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: unit === "day" ? "long" : "short" }).format(value);
}
