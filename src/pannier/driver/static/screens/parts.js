// Small pieces that several screens show.
import { h, icon } from "../dom.js";
import { last, metres } from "../places.js";
import { locale, t, time } from "../words.js";

const SOON = 30 * 60_000;
/** @type {(moment: string | number) => string} */
const day = (moment) => new Date(moment).toDateString();

/** @type {(moment: string | number) => string} */
export const weekday = (moment) => new Intl.DateTimeFormat(locale(), { weekday: "short", day: "numeric", month: "short" }).format(new Date(moment));
/** @type {(moment: string | null, now?: number) => boolean} */
export const isLater = (moment, now = Date.now()) => moment !== null && new Date(moment) > new Date(now) && day(moment) !== day(now);
/** @type {(metres: number) => string} */
export function distance(metres) {
  const far = metres >= 995;
  return new Intl.NumberFormat(locale(), { style: "unit", unit: far ? "kilometer" : "meter", maximumFractionDigits: metres < 9950 && far ? 1 : 0 })
    .format(far ? metres / 1000 : Math.max(10, Math.round(metres / 10) * 10));
}
// How far away it is, which is measured anew as the driver moves.
/** @type {(spot: Spot | null) => HTMLElement | null} */
export function away(spot) {
  if (!spot) return null;
  const shown = h("span", { class: "far", "data-at": spot.coordinates.join() }, icon("navigation"), h("span", {}));
  measured(shown);
  return shown;
}
/** @type {(shown: HTMLElement) => void} */
function measured(shown) {
  const [longitude, latitude] = (shown.dataset.at ?? "").split(",").map(Number), here = last();
  shown.hidden = !here;
  const text = shown.lastElementChild;
  if (here && text) text.textContent = distance(metres(here, { latitude, longitude }));
}
export function measure() {
  /** @type {NodeListOf<HTMLElement>} */
  const shown = document.querySelectorAll(".far");
  shown.forEach(measured);
}
/** @type {(amount: number, currency: string) => string} */
export function money(amount, currency) {
  const format = new Intl.NumberFormat(locale(), { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
// "10:00–12:00", with its day when that is not today.
/** @typedef {{ start: string | null; end: string | null; order?: { scheduled_at: string | null } }} Due */
/** @type {(job: Due, dated?: boolean) => string | null} */
export function windowText({ start, end, order }, dated = true) {
  const from = start ?? (end ? null : order?.scheduled_at), moment = from ?? end;
  if (!moment) return null;
  const hours = from && end ? `${time(from)}–${time(end)}` : t(from ? "window.from" : "window.by", { time: time(moment) });
  return !dated || day(moment) === day(Date.now()) ? hours : `${weekday(moment)}, ${hours}`;
}
// A mark for what is late or soon will be; the word says it, not the colour alone.
/** @type {(job: Pick<Job, "end" | "done">) => HTMLElement | null} */
export function dueMark({ end, done }) {
  if (!end || done) return null;
  const left = Date.parse(end) - Date.now();
  if (left < 0) return h("span", { class: "pill red" }, icon("triangle-alert"), t("window.late", { time: span(-left) }));
  if (left < SOON) return h("span", { class: "pill amber" }, icon("clock"), t("window.left", { time: span(left) }));
  return null;
}
/** @type {(milliseconds: number) => string} */
function span(milliseconds) {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  const unit = minutes < 90 ? "minute" : minutes < 2160 ? "hour" : "day";
  const value = Math.round(minutes / { minute: 1, hour: 60, day: 1440 }[unit]);
  return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: unit === "day" ? "long" : "short" }).format(value);
}
