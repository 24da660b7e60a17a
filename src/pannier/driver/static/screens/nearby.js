// Orders that nobody has yet, near the driver: the first who takes one has it.
import { call } from "../api.js";
import { h, icon } from "../dom.js";
import { pull } from "../orders.js";
import { onDuty } from "../places.js";
import { uuid } from "../uuid.js";
import { t } from "../words.js";
import { dutySwitch } from "./duty.js";
import { banner, empty, frame, sentence, toast } from "./frame.js";
import { distance, windowText } from "./parts.js";

export const still = true;
const again = () => dispatchEvent(new HashChangeEvent("hashchange"));

export async function draw() {
  const on = await onDuty();
  /** @type {Answer<OfferOut[]> | null} */
  const answer = on ? await call("GET", "/v1/orders/nearby") : null;
  const refresh = h("button", { id: "look", onclick: again }, icon("refresh-cw"), t("nearby.look"));
  const code = answer?.problem?.code;
  const shown = code === "driver_unlocated" ? [empty("locate-fixed", t("nearby.unlocated"), t("nearby.unlocated-hint")), refresh]
    : !answer || code === "driver_offline" ? [empty("moon", t("nearby.off"), t("nearby.off-hint")), on ? refresh : h("div", { onclick: again }, await dutySwitch())]
    : !answer.body ? [empty(answer.reached ? "triangle-alert" : "wifi-off", sentence(answer), answer.reached ? "" : t("nearby.offline")), refresh]
    : answer.body.length ? [h("ul", { class: "stack" }, answer.body.map(card)), refresh]
    : [empty("search", t("nearby.none"), t("nearby.none-hint")), refresh];
  return frame({ title: t("nearby.title"), tab: "nearby", body: shown });
}
/** @type {(offer: OfferOut) => HTMLElement} */
function card(offer) {
  const due = windowText({ start: offer.time_window_start, end: offer.time_window_end });
  const told = h("div", { "aria-live": "assertive" });
  /** @type {HTMLButtonElement} */
  const take = h("button", { class: "primary", onclick: () => taken(offer, take, told) }, icon("check"), t("nearby.take"));
  return h("li", { class: "card stack" },
    h("p", { class: "facts" }, h("span", { class: "when" }, icon("navigation"), t("nearby.away", { distance: distance(offer.away) })), due ? h("span", { class: "when" }, icon("clock"), due) : null),
    h("dl", { class: "way" }, renderEnd("pickup", "package", offer.pickup), renderEnd("dropoff", "map-pin", offer.dropoff)),
    h("p", { class: "muted small" }, [offer.items && t(offer.items === 1 ? "item" : "items", { count: offer.items }), offer.distance && t("nearby.long", { distance: distance(offer.distance) })].filter(Boolean).join(" · ")),
    told, take);
}
/** @type {(kind: string, drawn: string, place: OfferArea | null) => Child} */
const renderEnd = (kind, drawn, place) => place && h("div", {}, icon(drawn), h("dt", {}, t(`kind.${kind}`)), h("dd", {}, area(place)));
/** @type {(place: OfferArea) => string} */
const area = ({ neighborhood, district, city }) => [...new Set([neighborhood, district, city])].filter(Boolean).join(", ") || t("nearby.somewhere");

/** @type {(offer: OfferOut, button: HTMLButtonElement, told: HTMLElement) => Promise<void>} */
async function taken(offer, button, told) {
  button.disabled = true;
  const answer = await call("POST", `/v1/orders/${offer.id}/take`, { key: uuid() });
  if (!answer.body) {
    button.disabled = answer.status === 409;
    return told.replaceChildren(banner("red", "circle-x", answer.problem?.code === "already_taken" ? t("nearby.gone") : sentence(answer)));
  }
  toast(t("nearby.taken"));
  await pull(offer.id);
  location.hash = "#/stops";
}
