// Orders that nobody has yet, near the driver: the first who takes one has it.
import { call } from "../api.js";
import { h, icon } from "../dom.js";
import { pull } from "../orders.js";
import { uuid } from "../outbox.js";
import { onDuty } from "../places.js";
import { t } from "../words.js";
import { dutySwitch } from "./duty.js";
import { banner, empty, frame, sentence, toast } from "./frame.js";
import { distance, windowText } from "./parts.js";

export const still = true;
const again = () => dispatchEvent(new HashChangeEvent("hashchange"));

export async function draw() {
  const on = await onDuty();
  const answer = on ? await call("GET", "/v1/orders/nearby") : null;
  const refresh = h("button", { id: "look", onclick: again }, icon("refresh-cw"), t("nearby.look"));
  const code = answer?.problem?.code;
  const shown = code === "driver_unlocated" ? [empty("locate-fixed", t("nearby.unlocated"), t("nearby.unlocated-hint")), refresh]
    : !on || code === "driver_offline" ? [empty("moon", t("nearby.off"), t("nearby.off-hint")), on ? refresh : h("div", { onclick: again }, await dutySwitch())]
    : !answer.body ? [empty(answer.reached ? "triangle-alert" : "wifi-off", sentence(answer), answer.reached ? "" : t("nearby.offline")), refresh]
    : answer.body.length ? [h("ul", { class: "stack" }, answer.body.map(card)), refresh]
    : [empty("search", t("nearby.none"), t("nearby.none-hint")), refresh];
  return frame({ title: t("nearby.title"), tab: "nearby", body: shown });
}
function card(offer) {
  const due = windowText({ start: offer.time_window_start, end: offer.time_window_end, order: offer });
  const told = h("div", { "aria-live": "assertive" });
  const take = h("button", { class: "primary", onclick: () => taken(offer, take, told) }, icon("check"), t("nearby.take"));
  return h("li", { class: "card stack" },
    h("p", { class: "facts" }, h("span", { class: "when" }, icon("navigation"), t("nearby.away", { distance: distance(offer.away) })), due ? h("span", { class: "when" }, icon("clock"), due) : null),
    h("dl", { class: "way" }, [["pickup", offer.pickup], ["dropoff", offer.dropoff]].filter(([, place]) => place).map(([kind, place]) =>
      h("div", {}, icon(kind === "pickup" ? "package" : "map-pin"), h("dt", {}, t(`kind.${kind}`)), h("dd", {}, area(place))))),
    h("p", { class: "muted small" }, [offer.items && t(offer.items === 1 ? "item" : "items", { count: offer.items }), offer.distance && t("nearby.long", { distance: distance(offer.distance) })].filter(Boolean).join(" · ")),
    told, take);
}
const area = ({ neighborhood, district, city }) => [...new Set([neighborhood, district, city])].filter(Boolean).join(", ") || t("nearby.somewhere");

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
