// Shows stops and the routes to them on a full-screen map. The map library is large, so it is loaded on first use.
import { callApi } from "../api.js";
import { h, icon } from "../dom.js";
import { lastPosition } from "../tracking.js";
import { t } from "../i18n.js";
import { openSheet, renderBanner } from "./layout.js";
import { jobTitle, navigationLink, toPoint } from "./jobs.js";

const MAX_ROUTES = 6;
const importMap = () => import(new URL("../../map.js", import.meta.url).href);
/** @type {(kind: string, id: string, label: string, geometry: object | null, color: string) => object} */
const toFeature = (kind, id, label, geometry, color) => ({ type: "Feature", properties: { kind, id, label, color }, geometry });

/** @type {(heading: string, jobs: Job[], chosen?: Job) => Promise<void>} */
export async function openMap(heading, jobs, chosen) {
  const me = lastPosition();
  const features = jobs.filter(({ place }) => toPoint(place)).map((job) => toFeature("point", `${job.order.id}-${job.id}`, jobTitle(job), toPoint(job.place), job.done ? "green" : job === chosen ? "blue" : "gray"));
  if (me) features.push(toFeature("point", "me", t("map.me"), { type: "Point", coordinates: [me.longitude, me.latitude] }, "amber"));
  const data = h("script", { type: "application/json", id: "geo" }, JSON.stringify({ features }));
  const container = h("div", { class: "map" }, h("p", { role: "status" }, t("map.loading")));
  importMap().then(
    () => container.replaceChildren(h("x-map", { "data-from": "geo", "data-ground": "/t/-/basemap", "aria-label": heading })),
    () => container.replaceChildren(renderBanner("amber", "wifi-off", t("map.none"))));
  loadRoutes(jobs).then((routes) => {
    data.textContent = JSON.stringify({ features: [...routes, ...features] });
    document.dispatchEvent(new CustomEvent("pannier:geo"));
  });
  await openSheet(heading, () => [data, container], (/** @type {Close<null>} */ close) => [
    chosen ? h("a", { class: "button primary big", href: navigationLink(chosen) }, icon("navigation"), t("stop.navigate")) : null,
    h("button", { onclick: () => close(null) }, t("map.close")),
  ].filter(Boolean));
}

// Load the routes of unfinished orders. Without a connection, the map shows only the stops.
/** @type {(jobs: Job[]) => Promise<object[]>} */
async function loadRoutes(jobs) {
  const orders = [...new Set(jobs.filter(({ done }) => !done).map(({ order }) => order.id))].slice(0, MAX_ROUTES);
  const answers = await Promise.all(orders.map((id) => callApi("GET", `/v1/orders/${id}/route`)));
  return answers.flatMap(({ body }, index) => {
    const line = body?.remaining ?? body?.planned;
    return line ? [toFeature("line", `${orders[index]}-route`, "", { type: line.type, coordinates: line.coordinates }, "blue")] : [];
  });
}
