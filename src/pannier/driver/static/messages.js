// The driver's messages with dispatch, stored on the phone: the latest from the server, and those not sent yet.
//
//   await pullMessages()        fetches the latest
//   await listMessages(order)   → the oldest first, of all orders or of one
//   await countUnread(order)    → how many from dispatch are unread
//   await markRead(order)       marks them as read, on the phone and on the server
import { callApi } from "./api.js";
import { listEntries, notifyTabs } from "./outbox.js";
import { loadValue, loadValues, saveValue } from "./store.js";

const PATH = "/v1/driver-messages", LIMIT = 100;
/** @typedef {{ id: string; text: string; at: string; order: string | null; own: boolean; state: "sent" | "waiting" | "refused"; read: boolean; photos: { thumbnail: string; url: string }[]; waiting: string[] }} ShownMessage */

// The app only loads pictures from its own address, which may differ from the configured one.
/** @type {(link: string) => string} */
function toOwnLink(link) {
  const { pathname, search } = new URL(link);
  return pathname + search;
}
export async function pullMessages() {
  const token = await loadValue("token");
  if (!token) return;
  /** @type {Answer<DriverMessageOut[]>} */
  const { body } = await callApi("GET", `${PATH}?limit=${LIMIT}`, { token });
  // Another driver may have signed in since.
  if (!Array.isArray(body) || (await loadValue("token")) !== token) return;
  const before = JSON.stringify(await loadValue("messages"));
  await saveValue("messages", body);
  if (JSON.stringify(body) !== before) notifyTabs();
}
/** @type {(order?: string) => Promise<ShownMessage[]>} */
export async function listMessages(order) {
  const { messages = [], driver } = await loadValues(), entries = await listEntries();
  /** @type {ShownMessage[]} */
  const arrived = messages.map((one) => ({ id: one.id, text: one.text, at: one.sent_at, order: one.order, own: one.sender === "driver", state: "sent", read: Boolean(one.read_at), photos: (one.photos ?? []).map((photo) => ({ url: toOwnLink(photo.url), thumbnail: toOwnLink(photo.thumbnail_url) })), waiting: [] }));
  /** @type {ShownMessage[]} */
  const queued = entries.filter(({ kind, by }) => kind === "message" && by === driver?.id)
    .map(({ id, at, state, body, pictures }) => ({ id, text: String(body.text ?? ""), at, order: body.order ? String(body.order) : null, own: true, state, read: false, photos: [], waiting: pictures.map((one) => one.id) }));
  return [...arrived.reverse(), ...queued].filter((one) => !order || one.order === order);
}
/** @type {(order?: string) => Promise<number>} */
export const countUnread = async (order) => (await listMessages(order)).filter(({ own, read }) => !own && !read).length;

/** @type {(order?: string) => Promise<void>} */
export async function markRead(order) {
  const messages = (await loadValue("messages")) ?? [];
  const latest = messages.find(({ sender, read_at: read, order: about }) => sender === "dispatch" && !read && (!order || about === order));
  if (!latest) return;
  const { body } = await callApi("POST", `${PATH}/${latest.id}/read`, { body: { thread: order ? "order" : "driver" } });
  if (body) await pullMessages();
}
