// Signs out, after a warning about unsent entries and drafts.
import { callApi } from "../api.js";
import { h, icon } from "../dom.js";
import { clearOrders } from "../orders.js";
import { awaitOutcome, listEntries } from "../outbox.js";
import { isOnDuty, setDuty } from "../tracking.js";
import { getAllRecords, saveValues } from "../store.js";
import { t } from "../i18n.js";
import { openSheet } from "./layout.js";

export async function signOut() {
  const entries = await listEntries(), drafts = await getAllRecords("drafts");
  const sure = await openSheet(t("leave.sure"), () => [
    h("p", {}, entries.length ? t("leave.waiting", { count: entries.length }) : t("leave.nothing")),
    drafts.length ? h("p", { class: "amber" }, t("leave.begun")) : null,
  ], (/** @type {Close<boolean>} */ close) => [
    h("button", { class: "primary big", onclick: () => close(false) }, t("leave.stay")),
    h("button", { class: "danger", onclick: () => close(true) }, icon("log-out"), t("me.leave")),
  ]);
  if (!sure) return;
  if (await isOnDuty()) await awaitOutcome(await setDuty(false));
  await callApi("POST", "/v1/drivers/logout");
  await saveValues({ duty: undefined, token: undefined });
  await clearOrders();
  dispatchEvent(new Event("signed"));
}
