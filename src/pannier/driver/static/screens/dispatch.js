// The thread with dispatch, and buttons that call and text dispatch. The number comes with the stops of the day.
import { h, icon } from "../dom.js";
import { loadValue } from "../store.js";
import { countUnread } from "../messages.js";
import { t } from "../i18n.js";
import { orderNumber } from "./jobs.js";

/** @type {(job?: Job) => Promise<Child>} */
export async function renderDispatch(job) {
  const unread = await countUnread(job?.order.id);
  return [
    h("a", { class: "button", id: "to-chat", href: job ? `#/chat/${job.order.id}/${job.id}` : "#/chat" }, icon("message-square"), t("chat.title"), unread ? h("span", { class: "count" }, t("chat.new", { count: unread })) : null),
    await renderPhone(job ? orderNumber(job) : ""),
  ];
}
// A text message begins with the order's number.
/** @type {(number: string) => Promise<Child>} */
async function renderPhone(number) {
  const phone = (await loadValue("day"))?.dispatch_phone;
  if (!phone) return null;
  return h("div", { class: "pair" },
    h("a", { class: "button", id: "call-dispatch", href: `tel:${phone}` }, icon("phone"), t("dispatch.call")),
    h("a", { class: "button", id: "message-dispatch", href: `sms:${phone}${number && `?&body=${encodeURIComponent(`${number}: `)}`}` }, icon("message-square"), t("dispatch.message")));
}
