// The messages with dispatch: of all orders, or of one. They are sent by the outbox, also without reception.
import { h, icon } from "../dom.js";
import { bindForm, loadDraft } from "../drafts.js";
import { listMessages, markRead, pullMessages } from "../messages.js";
import { findOrder, listOrders } from "../orders.js";
import { formatTime, t } from "../i18n.js";
import { queueEntry } from "./activities.js";
import { formatDay, isToday } from "./formatting.js";
import { renderEmpty, renderScreen } from "./layout.js";
import { orderNumber } from "./jobs.js";

export const drawOnce = true;
const PULL_INTERVAL_MS = 15_000;
const QUICK_REPLIES = ["ok", "late", "waiting", "call"];

/** @type {(order?: string, stop?: string) => Promise<Child>} */
export async function draw(order, stop) {
  const stored = order ? await findOrder(order) : null, draft = await loadDraft(`message ${order ?? ""}`);
  const thread = h("div", { id: "thread", role: "log", "aria-label": t("chat.title") });
  const text = h("textarea", { name: "text", required: true, maxlength: "2000", rows: "2", "aria-label": t("chat.text") });
  const form = h("form", { id: "chat", class: "chat-form", "aria-label": t("chat.text"), async onsubmit(event) {
    event.preventDefault();
    if (await sendMessage(text.value, order, [draft.id])) form.reset();
  } }, text, h("button", { class: "primary square", "aria-label": t("chat.send") }, icon("send")));
  bindForm(draft, form);
  await showThread(thread, order);
  keepCurrent(thread, order);
  return renderScreen({ title: stored ? t("chat.about", { number: orderNumber(stored) }) : t("chat.title"), back: stop ? `#/stop/${order}/${stop}` : "#/me", tab: "me", body: [thread],
    actions: [h("div", { class: "row" }, QUICK_REPLIES.map((key) => h("button", { id: `quick-${key}`, type: "button", onclick: () => sendMessage(t(`chat.quick.${key}`), order) }, t(`chat.quick.${key}`)))), form] });
}
/** @type {(text: string, order?: string, drafts?: string[]) => Promise<string | null>} */
const sendMessage = async (text, order, drafts = []) =>
  text.trim() ? queueEntry({ kind: "message", order: null, path: "/v1/driver-messages", summary: text.trim(), drafts, body: { text: text.trim(), ...(order ? { order } : {}) } }) : null;

// While the thread is shown, fetch new messages, show changes, and mark what is read.
/** @type {(thread: HTMLElement, order?: string) => void} */
function keepCurrent(thread, order) {
  const pull = () => pullMessages().then(() => (thread.isConnected && !document.hidden ? markRead(order) : undefined));
  const refresh = () => (thread.isConnected ? showThread(thread, order) : stop());
  const timer = setInterval(() => (thread.isConnected ? pull() : stop()), PULL_INTERVAL_MS);
  function stop() {
    clearInterval(timer);
    removeEventListener("outbox", refresh);
  }
  // The screen is shown a moment after it is drawn.
  setTimeout(() => {
    addEventListener("outbox", refresh);
    pull();
  });
}
/** @type {(thread: HTMLElement, order?: string) => Promise<void>} */
async function showThread(thread, order) {
  const messages = await listMessages(order);
  const numbers = new Map(order ? [] : (await listOrders()).map((stored) => [stored.id, orderNumber(stored)]));
  thread.replaceChildren(...(messages.length ? messages.map((one) => renderMessage(one, numbers)) : [renderEmpty("message-square", t("chat.none"), t("chat.none-hint"))]));
  thread.lastElementChild?.scrollIntoView?.({ block: "end" });
}
/** @type {(one: import("../messages.js").ShownMessage, numbers: Map<string, string>) => HTMLElement} */
function renderMessage({ text, at, own, order, state }, numbers) {
  const when = isToday(at) ? formatTime(at) : `${formatDay(at)}, ${formatTime(at)}`;
  return h("div", { class: own ? "card bubble own" : "card bubble" }, h("p", { class: "note" }, text),
    h("p", { class: "small muted" }, [t(own ? "chat.you" : "chat.dispatch"), when, numbers.get(order ?? "")].filter(Boolean).join(" · ")),
    state === "sent" ? null : h("p", { class: `small ${state === "refused" ? "red" : "amber"}` }, t(state === "refused" ? "chat.refused" : "waiting.waiting")));
}
