// Stops on a map, over the whole screen. What draws maps is large: it is fetched when somebody first asks.
import { h, icon } from "../dom.js";
import { last } from "../places.js";
import { t } from "../words.js";
import { banner, sheet } from "./frame.js";
import { navigation, spotOf, title } from "./jobs.js";

const drawing = () => import(new URL("../../map.js", import.meta.url).href);
/** @type {(id: string, label: string, geometry: Spot | null, color: string) => object} */
const point = (id, label, geometry, color) => ({ type: "Feature", properties: { kind: "point", id, label, color }, geometry });

/** @type {(heading: string, jobs: Job[], chosen?: Job) => Promise<void>} */
export async function map(heading, jobs, chosen) {
  const me = last();
  const features = jobs.filter(({ place }) => spotOf(place)).map((job) => point(`${job.order.id}-${job.id}`, title(job), spotOf(job.place), job.done ? "green" : job === chosen ? "blue" : "gray"));
  if (me) features.push(point("me", t("map.me"), { type: "Point", coordinates: [me.longitude, me.latitude] }, "amber"));
  const told = h("script", { type: "application/json", id: "geo" }, JSON.stringify({ features }));
  const shown = h("div", { class: "map" }, h("p", { role: "status" }, t("map.loading")));
  drawing().then(
    () => shown.replaceChildren(h("x-map", { "data-from": "geo", "data-ground": "/t/-/basemap", "aria-label": heading })),
    () => shown.replaceChildren(banner("amber", "wifi-off", t("map.none"))));
  await sheet(heading, () => [told, shown], (/** @type {Close<null>} */ close) => [
    chosen ? h("a", { class: "button primary big", href: navigation(chosen) }, icon("navigation"), t("stop.navigate")) : null,
    h("button", { onclick: () => close(null) }, t("map.close")),
  ].filter(Boolean));
}
