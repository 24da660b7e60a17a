// The messages with dispatch: of all orders, or of one. They are sent by the outbox, also without reception.
import { takePictures } from "../capture/index.js";
import { h, icon } from "../dom.js";
import { bindForm, loadDraft } from "../drafts.js";
import { listMessages, markRead, pullMessages } from "../messages.js";
import { findOrder, listOrders } from "../orders.js";
import { formatTime, t } from "../i18n.js";
import { queueEntry } from "./activities.js";
import { formatDay, isToday } from "./formatting.js";
import { renderEmpty, renderScreen } from "./layout.js";
import { orderNumber } from "./jobs.js";
import { getRecord } from "../store.js";
import { formatPictureCount } from "./waiting.js";

export const drawOnce = true;
const PULL_INTERVAL_MS = 15_000;
const QUICK_REPLIES = ["ok", "late", "waiting", "call"];

/** @type {(order?: string, stop?: string) => Promise<Child>} */
export async function draw(order, stop) {
  const stored = order ? await findOrder(order) : null, draft = await loadDraft(`message ${order ?? ""}`);
  const thread = h("div", { id: "thread", role: "log", "aria-label": t("chat.title") });
  const text = h("textarea", { name: "text", required: true, maxlength: "2000", rows: "2", "aria-label": t("chat.text") });
  const photoDraft = await loadDraft(`${draft.id} photo`), strip = h("p", { class: "small muted", role: "status" }, formatPictureCount(photoDraft.taken?.length ?? 0));
  text.required = !photoDraft.taken?.length;
  async function choosePhotos() {
    await takePictures({ title: t("chat.photo"), draft: await loadDraft(photoDraft.id), limit: 10, withRemarks: false });
    const count = (await loadPhotos(photoDraft.id)).length;
    strip.textContent = formatPictureCount(count);
    text.required = !count;
  }
  const form = h("form", { id: "chat", class: "chat-form", "aria-label": t("chat.text"), async onsubmit(event) {
    event.preventDefault();
    if (!(await sendMessage(text.value, order, [draft.id, photoDraft.id], await loadPhotos(photoDraft.id)))) return;
    form.reset();
    strip.textContent = "";
    text.required = true;
  } }, h("button", { type: "button", class: "square", "aria-label": t("chat.photo"), onclick: choosePhotos }, icon("camera")), text, h("button", { class: "primary square", "aria-label": t("chat.send") }, icon("send")));
  bindForm(draft, form);
  await showThread(thread, order);
  keepCurrent(thread, order);
  return renderScreen({ title: stored ? t("chat.about", { number: orderNumber(stored) }) : t("chat.title"), back: stop ? `#/stop/${order}/${stop}` : "#/me", tab: "me", body: [thread],
    actions: [h("div", { class: "row" }, QUICK_REPLIES.map((key) => h("button", { id: `quick-${key}`, type: "button", onclick: () => sendMessage(t(`chat.quick.${key}`), order) }, t(`chat.quick.${key}`)))), strip, form] });
}
/** @type {(id: string) => Promise<{ blob: Blob }[]>} */
async function loadPhotos(id) {
  const draft = await loadDraft(id);
  return draft.over ? [] : draft.taken ?? [];
}
/** @type {(text: string, order?: string, drafts?: string[], photos?: { blob: Blob }[]) => Promise<string | null>} */
async function sendMessage(text, order, drafts = [], photos = []) {
  if (!text.trim() && !photos.length) return null;
  const path = photos.length ? "/v1/driver-messages/with-photos" : "/v1/driver-messages", summary = text.trim() || t("chat.photo");
  return queueEntry({ kind: "message", order: null, path, summary, drafts, body: { text: text.trim(), ...(order ? { order } : {}) }, pictures: photos.map(({ blob }, index) => ({ field: "photos", name: `photo-${index + 1}.jpg`, blob })) });
}

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
  const waiting = await loadWaitingPhotos(messages);
  thread.replaceChildren(...(messages.length ? messages.map((one) => renderMessage(one, numbers, waiting)) : [renderEmpty("message-square", t("chat.none"), t("chat.none-hint"))]));
  thread.lastElementChild?.scrollIntoView?.({ block: "end" });
}
// Photos that wait on the phone are shown from there, and others by their links, which need reception.
/** @type {(messages: import("../messages.js").ShownMessage[]) => Promise<Map<string, string>>} */
async function loadWaitingPhotos(messages) {
  const ids = messages.flatMap(({ waiting }) => waiting);
  const pictures = await Promise.all(ids.map((id) => getRecord("pictures", id)));
  return new Map(pictures.flatMap((picture) => (picture ? [[picture.id, URL.createObjectURL(picture.blob)]] : [])));
}
/** @type {(one: import("../messages.js").ShownMessage, waiting: Map<string, string>) => HTMLElement[]} */
const renderPhotos = ({ photos, waiting: ids }, waiting) => [
  ...photos.map(({ thumbnail, url }) => h("a", { href: url, target: "_blank", rel: "noopener" }, h("img", { src: thumbnail, alt: t("chat.photo"), width: 96, height: 96, onerror: hideBroken }))),
  ...ids.filter((id) => waiting.has(id)).map((id) => h("img", { src: waiting.get(id), alt: t("chat.photo"), width: 96, height: 96, onload: release, onerror: hideBroken })),
];
/** @type {(event: Event) => void} */
const release = ({ target }) => URL.revokeObjectURL(/** @type {HTMLImageElement} */ (target).src);
/** @type {(event: Event) => void} */
const hideBroken = ({ target }) => /** @type {HTMLImageElement} */ (target).replaceWith(h("span", { class: "small muted" }, icon("camera"), t("chat.photo-missing")));
/** @type {(one: import("../messages.js").ShownMessage, numbers: Map<string, string>, waiting: Map<string, string>) => HTMLElement} */
function renderMessage(message, numbers, waiting) {
  const { text, at, own, order, state } = message;
  const when = isToday(at) ? formatTime(at) : `${formatDay(at)}, ${formatTime(at)}`;
  return h("div", { class: own ? "card bubble own" : "card bubble" }, text ? h("p", { class: "note" }, text) : null, renderPhotos(message, waiting),
    h("p", { class: "small muted" }, [t(own ? "chat.you" : "chat.dispatch"), when, numbers.get(order ?? "")].filter(Boolean).join(" · ")),
    state === "sent" ? null : h("p", { class: `small ${state === "refused" ? "red" : "amber"}` }, t(state === "refused" ? "chat.refused" : "waiting.waiting")));
}
