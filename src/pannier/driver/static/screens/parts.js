// Small pieces that several screens show.
import { h, icon } from "../dom.js";
import { last, metres } from "../places.js";
import { locale, t, time } from "../words.js";

const SOON = 30 * 60_000;
const day = (moment) => new Date(moment).toDateString();

export const weekday = (moment) => new Intl.DateTimeFormat(locale(), { weekday: "short", day: "numeric", month: "short" }).format(new Date(moment));
export const isLater = (moment, now = Date.now()) => Boolean(moment) && new Date(moment) > new Date(now) && day(moment) !== day(now);
export function distance(metres) {
  const far = metres >= 995;
  return new Intl.NumberFormat(locale(), { style: "unit", unit: far ? "kilometer" : "meter", maximumFractionDigits: metres < 9950 && far ? 1 : 0 })
    .format(far ? metres / 1000 : Math.max(10, Math.round(metres / 10) * 10));
}
// How far away it is, which is measured anew as the driver moves.
export function away(location) {
  if (!location) return null;
  const shown = h("span", { class: "far", "data-at": location.coordinates.join() }, icon("navigation"), h("span", {}));
  measured(shown);
  return shown;
}
function measured(shown) {
  const [longitude, latitude] = shown.dataset.at.split(",").map(Number), here = last();
  shown.hidden = !here;
  if (here) shown.lastChild.textContent = distance(metres(here, { latitude, longitude }));
}
export const measure = () => document.querySelectorAll(".far").forEach(measured);
export function money(amount, currency) {
  const format = new Intl.NumberFormat(locale(), { style: "currency", currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
}
// "10:00–12:00", with its day when that is not today.
export function windowText({ start, end, order }, dated = true) {
  const from = start ?? (end ? null : order.scheduled_at);
  if (!from && !end) return null;
  const hours = from && end ? `${time(from)}–${time(end)}` : from ? t("window.from", { time: time(from) }) : t("window.by", { time: time(end) });
  return !dated || day(from ?? end) === day(Date.now()) ? hours : `${weekday(from ?? end)}, ${hours}`;
}
// A mark for what is late or soon will be; the word says it, not the colour alone.
export function dueMark({ end, done }) {
  if (!end || done) return null;
  const left = Date.parse(end) - Date.now();
  if (left < 0) return h("span", { class: "pill red" }, icon("triangle-alert"), t("window.late", { time: span(-left) }));
  if (left < SOON) return h("span", { class: "pill amber" }, icon("clock"), t("window.left", { time: span(left) }));
  return null;
}
function span(milliseconds) {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  const [value, unit] = minutes < 90 ? [minutes, "minute"] : minutes < 2160 ? [Math.round(minutes / 60), "hour"] : [Math.round(minutes / 1440), "day"];
  return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: unit === "day" ? "long" : "short" }).format(value);
}
