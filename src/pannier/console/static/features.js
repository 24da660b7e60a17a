// Elements and GeoJSON features for map.js and draw.js.
/** @typedef {import("maplibre-gl").Feature} Feature */
/** @typedef {import("maplibre-gl").Geometry} Geometry */

/** @type {<K extends keyof HTMLElementTagNameMap>(name: K, given?: Partial<HTMLElementTagNameMap[K]>) => HTMLElementTagNameMap[K]} */
export const create = (name, given) => Object.assign(document.createElement(name), given);
/** @type {(features: Feature[]) => import("maplibre-gl").FeatureCollection} */
export const toCollection = (features) => ({ type: "FeatureCollection", features });
/** @type {(geometry: Geometry, properties?: Feature["properties"]) => Feature} */
export const toFeature = (geometry, properties = {}) => ({ type: "Feature", properties, geometry });
