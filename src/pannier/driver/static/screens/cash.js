// Cash on delivery: what a stop collects, and the balance to hand in. `cash-sheet.js` asks for the amount.
import { callApi } from "../api.js";
import { h } from "../dom.js";
import { notifyTabs } from "../outbox.js";
import { loadValue, saveValue } from "../store.js";
import { t } from "../i18n.js";
import { formatMoney } from "./formatting.js";
import { renderBanner } from "./layout.js";

const MAX_BALANCE_AGE_MS = 60_000;

/** @type {(job: Job) => boolean} */
export const isCashDue = ({ cash, gone }) => cash !== null && !cash.collected && !gone;
/** @type {(cash: CashToCollectOut) => string} */
export const cashText = ({ amount, currency, method }) =>
  t(method && method !== "cash" ? "cash.due-by" : "cash.due", { amount: formatMoney(amount, currency), method: method ? t(`cash.by.${method}`) : "" });

/** @type {(job: Job) => Child} */
export function renderCash({ cash }) {
  if (!cash) return null;
  if (cash.collected) return renderBanner("green", "circle-check", t("cash.collected", { amount: formatMoney(cash.amount, cash.currency) }));
  return renderBanner("amber", "banknote", cashText(cash));
}
/** @type {(job: Job, optional?: boolean) => Promise<boolean>} */
export const collectCash = async (job, optional) => (await import("./cash-sheet.js")).collectCash(job, optional);
// Load the sheet in advance, so that it opens without reception.
/** @type {(orders: StoredOrder[]) => Promise<unknown>} */
export const preloadCashSheet = async (orders) => orders.some(({ order }) => order.cash_to_collect) && import("./cash-sheet.js").catch(console.warn);

// The cash to hand in, as the server last said. It is asked again after a minute.
/** @type {() => Promise<Child>} */
export async function renderBalance() {
  refreshBalance();
  const balances = (await loadValue("cash"))?.balances ?? [];
  if (!balances.length) return null;
  return h("section", { class: "card stack", "aria-label": t("cash.balance") }, h("h2", {}, t("cash.balance")), balances.map(({ balance, currency, collections }) =>
    h("p", { class: "split" }, h("strong", {}, formatMoney(balance, currency)), h("span", { class: "muted" }, t(collections.length === 1 ? "cash.collection" : "cash.collections", { count: collections.length })))));
}
let refreshed = 0;
async function refreshBalance() {
  if (Date.now() - refreshed < MAX_BALANCE_AGE_MS) return;
  refreshed = Date.now();
  const token = await loadValue("token"), before = await loadValue("cash");
  /** @type {Answer<DriverCashOut>} */
  const { body } = await callApi("GET", "/v1/drivers/me/cash", { token });
  if (!body || (await loadValue("token")) !== token || JSON.stringify(body) === JSON.stringify(before)) return;
  await saveValue("cash", body);
  notifyTabs();
}
// The balance grows when a collection has arrived.
addEventListener("arrived", () => (refreshed = 0));
