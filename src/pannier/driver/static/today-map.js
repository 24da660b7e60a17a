// Stores what the map of today's stops needs offline: routes, street tiles and the map's scripts.
import { callApi } from "./api.js";
import { getAllRecords, runTransaction } from "./store.js";
import { isAfterToday } from "./screens/formatting.js";
import { sortJobs, startTime, toJobs, toPoint } from "./screens/jobs.js";

export const GROUND = "/t/-/basemap";
const STYLES = ["light", "dark"].map((theme) => `${GROUND}/${theme}`);
const MIN_ZOOM = 8, MAX_ROUTES = 6, RETRY_MS = 10 * 60_000;
/** @typedef {{ tiles: string[]; minzoom: number; maxzoom: number; bounds?: number[] }} StreetSource */
/** @typedef {Pick<Job, "order" | "done" | "gone">} RoutedJob */

// Signing out deletes the stored map.
let asked = "", askedAt = 0;
addEventListener("signed", () => { asked = ""; });
/** @type {(orders: ProjectedOrder[]) => Promise<void>} */
export async function storeToday(orders) {
  const jobs = sortJobs(orders.map(toJobs)).filter((job) => !isAfterToday(startTime(job)));
  await fetchRoutes(jobs, await listRoutes(jobs));
  const worker = navigator.serviceWorker?.controller;
  const positions = jobs.flatMap(({ place }) => toPoint(place)?.coordinates.slice(0, 2) ?? []).join();
  if (!worker || !positions || navigator.connection?.saveData || (asked === positions && Date.now() - askedAt < RETRY_MS)) return;
  const streets = await fetchStreets();
  if (!streets) return;
  [asked, askedAt] = [positions, Date.now()];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => { askedAt = data ? Infinity : 0; };
  worker.postMessage({ map: [...STYLES, ...listTiles(streets, jobs.flatMap(({ place }) => toPoint(place) ?? []).map(({ coordinates }) => coordinates))] }, [port2]);
}
// A map of another origin has no streets of ours, and is not stored.
/** @type {() => Promise<StreetSource | null>} */
async function fetchStreets() {
  const answer = await fetch(STYLES[0]);
  return answer.ok ? (await answer.json()).style.sources?.streets ?? null : null;
}

// List the four tiles nearest to each position at each zoom.
/** @type {(streets: StreetSource, positions: number[][]) => string[]} */
export function listTiles({ tiles: [template], minzoom, maxzoom, bounds = [-180, -90, 180, 90] }, positions) {
  /** @type {Set<string>} */
  const addresses = new Set();
  for (const position of positions)
    for (let zoom = maxzoom; zoom >= Math.max(minzoom, MIN_ZOOM); zoom--) {
      const [x, y] = toTile(position, zoom).map((part) => Math.floor(part - 0.5));
      const [west, north] = toTile([bounds[0], bounds[3]], zoom).map(Math.floor), [east, south] = toTile([bounds[2], bounds[1]], zoom).map(Math.floor);
      for (const [column, row] of [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]])
        if (column >= west && column <= east && row >= north && row <= south)
          addresses.add(template.replace("{z}", String(zoom)).replace("{x}", String(column)).replace("{y}", String(row)));
    }
  return [...addresses];
}
// Web Mercator, in tiles from the north-west.
/** @type {(position: number[], zoom: number) => number[]} */
function toTile([longitude, latitude], zoom) {
  const sine = Math.sin((Math.max(-85, Math.min(85, latitude)) * Math.PI) / 180), count = 2 ** zoom;
  return [((longitude + 180) / 360) * count, (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * count];
}

/** @type {(jobs: RoutedJob[]) => string[]} */
const listOpen = (jobs) => [...new Set(jobs.filter(({ done, gone }) => !done && !gone).map(({ order }) => order.id))].slice(0, MAX_ROUTES);

// The stored routes of the next orders. A changed order has none until it is fetched again.
/** @type {(jobs: RoutedJob[]) => Promise<Map<string, RouteLine | null>>} */
export async function listRoutes(jobs) {
  const open = listOpen(jobs), stored = await getAllRecords("orders");
  return new Map(stored.flatMap(({ id, route }) => (open.includes(id) && route !== undefined ? [[id, route]] : [])));
}
// Fetch the routes that are not known, and store them.
/** @type {(jobs: RoutedJob[], known: Map<string, RouteLine | null>) => Promise<Map<string, RouteLine | null>>} */
export async function fetchRoutes(jobs, known) {
  /** @type {typeof known} */
  const routes = new Map();
  await Promise.all(listOpen(jobs).filter((id) => !known.has(id)).map(async (id) => {
    const { body } = await callApi("GET", `/v1/orders/${id}/route`);
    if (body) routes.set(id, body.remaining ?? body.planned);
  }));
  await runTransaction("orders", (orders) => {
    for (const [id, route] of routes) {
      const request = orders.get(id);
      request.onsuccess = () => {
        if (request.result) orders.put({ ...request.result, route });
      };
    }
  });
  return routes;
}
