// Shows stops and the routes to them on a full-screen map. It is large, so it is loaded on first use.
import { h, icon } from "../dom.js";
import { GROUND, fetchRoutes, listRoutes } from "../today-map.js";
import { lastPosition } from "../tracking.js";
import { t } from "../i18n.js";
import { openSheet, renderBanner } from "./layout.js";
import { jobTitle, navigationLink, toPoint } from "./jobs.js";

const importMap = () => import(new URL("../../map.js", import.meta.url).href);
/** @type {(kind: string, id: string, label: string, geometry: object | null, color: string) => object} */
const toFeature = (kind, id, label, geometry, color) => ({ type: "Feature", properties: { kind, id, label, color }, geometry });

/** @type {(heading: string, jobs: Job[], chosen?: Job) => Promise<void>} */
export async function openMap(heading, jobs, chosen) {
  // A second tap, before the first has loaded this file.
  if (document.querySelector("dialog[open]")) return;
  const me = lastPosition();
  // The list of stops counts them; a stop's own page marks it.
  const features = jobs.flatMap((job, index) => {
    const label = chosen ? jobTitle(job) : `${index + 1}. ${jobTitle(job)}`, color = job.done ? "green" : job === (chosen ?? jobs[0]) ? "blue" : "grey";
    return toPoint(job.place) ? [toFeature("point", `${job.order.id}-${job.id}`, label, toPoint(job.place), color)] : [];
  });
  if (me) features.push(toFeature("point", "me", t("map.me"), { type: "Point", coordinates: [me.longitude, me.latitude] }, "amber"));
  const data = h("script", { type: "application/json", id: "geo" }, JSON.stringify({ features }));
  const container = h("div", { class: "map" }, h("p", { role: "status" }, t("map.loading")));
  const showNone = () => container.replaceChildren(renderBanner("amber", "wifi-off", t("map.none")));
  container.addEventListener("pannier:nomap", showNone);
  importMap().then(() => container.replaceChildren(h("x-map", { "data-from": "geo", "data-ground": GROUND, "data-worker": "/driver/map-worker.js", "aria-label": heading })), showNone);
  // Show stored routes at once, and the present ones if the server answers.
  /** @type {(routes: Map<string, RouteLine | null>) => void} */
  const showRoutes = (routes) => {
    const lines = [...routes].flatMap(([id, line]) => (line ? [toFeature("line", `${id}-route`, "", { type: "LineString", coordinates: line.coordinates }, "blue")] : []));
    data.textContent = JSON.stringify({ features: [...lines, ...features] });
    document.dispatchEvent(new CustomEvent("pannier:geo"));
  };
  listRoutes(jobs).then((stored) => {
    showRoutes(stored);
    return fetchRoutes(jobs, new Map()).then((routes) => showRoutes(new Map([...stored, ...routes])));
  });
  await openSheet(heading, () => [data, container], (/** @type {Close<null>} */ close) => [
    chosen ? h("a", { class: "button primary big", href: navigationLink(chosen) }, icon("navigation"), t("stop.navigate")) : null,
    h("button", { onclick: () => close(null) }, t("map.close")),
  ].filter(Boolean));
}
