// Shows stops on a full-screen map. The map library is large, so it is loaded on first use.
import { h, icon } from "../dom.js";
import { lastPosition } from "../tracking.js";
import { t } from "../i18n.js";
import { openSheet, renderBanner } from "./layout.js";
import { jobTitle, navigationLink, toPoint } from "./jobs.js";

const importMap = () => import(new URL("../../map.js", import.meta.url).href);
/** @type {(id: string, label: string, geometry: PointOut | null, color: string) => object} */
const toFeature = (id, label, geometry, color) => ({ type: "Feature", properties: { kind: "point", id, label, color }, geometry });

/** @type {(heading: string, jobs: Job[], chosen?: Job) => Promise<void>} */
export async function openMap(heading, jobs, chosen) {
  const me = lastPosition();
  const features = jobs.filter(({ place }) => toPoint(place)).map((job) => toFeature(`${job.order.id}-${job.id}`, jobTitle(job), toPoint(job.place), job.done ? "green" : job === chosen ? "blue" : "gray"));
  if (me) features.push(toFeature("me", t("map.me"), { type: "Point", coordinates: [me.longitude, me.latitude] }, "amber"));
  const data = h("script", { type: "application/json", id: "geo" }, JSON.stringify({ features }));
  const container = h("div", { class: "map" }, h("p", { role: "status" }, t("map.loading")));
  importMap().then(
    () => container.replaceChildren(h("x-map", { "data-from": "geo", "data-ground": "/t/-/basemap", "aria-label": heading })),
    () => container.replaceChildren(renderBanner("amber", "wifi-off", t("map.none"))));
  await openSheet(heading, () => [data, container], (/** @type {Close<null>} */ close) => [
    chosen ? h("a", { class: "button primary big", href: navigationLink(chosen) }, icon("navigation"), t("stop.navigate")) : null,
    h("button", { onclick: () => close(null) }, t("map.close")),
  ].filter(Boolean));
}
