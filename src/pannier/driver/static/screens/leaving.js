// Signing out, which warns of what has not been sent.
import { call } from "../api.js";
import { h, icon } from "../dom.js";
import { clear } from "../orders.js";
import { entries, outcome } from "../outbox.js";
import { duty, onDuty } from "../places.js";
import { all, notes } from "../store.js";
import { t } from "../words.js";
import { sheet } from "./frame.js";

export async function leave() {
  const kept = await entries(), begun = await all("drafts");
  const sure = await sheet(t("leave.sure"), () => [
    h("p", {}, kept.length ? t("leave.waiting", { count: kept.length }) : t("leave.nothing")),
    begun.length ? h("p", { class: "amber" }, t("leave.begun")) : null,
  ], (/** @type {Close<boolean>} */ close) => [
    h("button", { class: "primary big", onclick: () => close(false) }, t("leave.stay")),
    h("button", { class: "danger", onclick: () => close(true) }, icon("log-out"), t("me.leave")),
  ]);
  if (!sure) return;
  if (await onDuty()) await outcome(await duty(false));
  await call("POST", "/v1/drivers/logout");
  await notes({ duty: undefined, token: undefined });
  await clear();
  dispatchEvent(new Event("signed"));
}
