// Unassigned orders near the driver. The first driver to take one gets it.
import { callApi } from "../api.js";
import { h, icon } from "../dom.js";
import { pullOrders } from "../orders.js";
import { isOnDuty } from "../tracking.js";
import { uuid } from "../uuid.js";
import { t } from "../i18n.js";
import { renderDutySwitch } from "./duty-switch.js";
import { describeProblem, renderBanner, renderEmpty, renderScreen, showToast } from "./layout.js";
import { formatDistance, formatWindow } from "./formatting.js";

export const drawOnce = true;
const reload = () => dispatchEvent(new HashChangeEvent("hashchange"));

export async function draw() {
  const on = await isOnDuty();
  /** @type {Answer<OfferOut[]> | null} */
  const answer = on ? await callApi("GET", "/v1/orders/nearby") : null;
  const refresh = h("button", { id: "look", onclick: reload }, icon("refresh-cw"), t("nearby.look"));
  const code = answer?.problem?.code;
  const body = code === "driver_unlocated" ? [renderEmpty("locate-fixed", t("nearby.unlocated"), t("nearby.unlocated-hint")), refresh]
    : !answer || code === "driver_offline" ? [renderEmpty("moon", t("nearby.off"), t("nearby.off-hint")), on ? refresh : h("div", { onclick: reload }, await renderDutySwitch())]
    : !answer.body ? [renderEmpty(answer.reached ? "triangle-alert" : "wifi-off", describeProblem(answer), answer.reached ? "" : t("nearby.offline")), refresh]
    : answer.body.length ? [h("ul", { class: "stack" }, answer.body.map(renderOffer)), refresh]
    : [renderEmpty("search", t("nearby.none"), t("nearby.none-hint")), refresh];
  return renderScreen({ title: t("nearby.title"), tab: "nearby", body: body });
}
/** @type {(offer: OfferOut) => HTMLElement} */
function renderOffer(offer) {
  const due = formatWindow({ start: offer.time_window_start, end: offer.time_window_end });
  const status = h("div", { "aria-live": "assertive" });
  /** @type {HTMLButtonElement} */
  const take = h("button", { class: "primary", onclick: () => takeOrder(offer, take, status) }, icon("check"), t("nearby.take"));
  return h("li", { class: "card stack" },
    h("p", { class: "facts" }, h("span", { class: "when" }, icon("navigation"), t("nearby.away", { distance: formatDistance(offer.away) })), due ? h("span", { class: "when" }, icon("clock"), due) : null),
    h("dl", { class: "way" }, renderEnd("pickup", "package", offer.pickup), renderEnd("dropoff", "map-pin", offer.dropoff)),
    h("p", { class: "muted small" }, [offer.items && t(offer.items === 1 ? "item" : "items", { count: offer.items }), offer.distance && t("nearby.long", { distance: formatDistance(offer.distance) })].filter(Boolean).join(" · ")),
    status, take);
}
/** @type {(kind: string, drawn: string, place: OfferArea | null) => Child} */
const renderEnd = (kind, iconName, place) => place && h("div", {}, icon(iconName), h("dt", {}, t(`kind.${kind}`)), h("dd", {}, describeArea(place)));
/** @type {(place: OfferArea) => string} */
const describeArea = ({ neighborhood, district, postal_area, city }) => [...new Set([neighborhood, district, [postal_area, city].filter(Boolean).join(" ")])].filter(Boolean).join(", ") || t("nearby.somewhere");

/** @type {(offer: OfferOut, button: HTMLButtonElement, told: HTMLElement) => Promise<void>} */
async function takeOrder(offer, button, status) {
  button.disabled = true;
  const answer = await callApi("POST", `/v1/orders/${offer.id}/take`, { key: uuid() });
  if (!answer.body) {
    button.disabled = answer.status === 409;
    return status.replaceChildren(renderBanner("red", "circle-x", answer.problem?.code === "already_taken" ? t("nearby.gone") : describeProblem(answer)));
  }
  showToast(t("nearby.taken"));
  await pullOrders(offer.id);
  location.hash = "#/stops";
}
