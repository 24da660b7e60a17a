// Buttons that call and message dispatch. The number comes with the stops of the day.
import { h, icon } from "../dom.js";
import { loadValue } from "../store.js";
import { t } from "../i18n.js";

// A message begins with the order's number.
/** @type {(number?: string) => Promise<Child>} */
export async function renderDispatch(number = "") {
  const phone = (await loadValue("day"))?.dispatch_phone;
  if (!phone) return null;
  return h("div", { class: "pair" },
    h("a", { class: "button", id: "call-dispatch", href: `tel:${phone}` }, icon("phone"), t("dispatch.call")),
    h("a", { class: "button", id: "message-dispatch", href: `sms:${phone}${number && `?&body=${encodeURIComponent(`${number}: `)}`}` }, icon("message-square"), t("dispatch.message")));
}
