// The sheet in which the driver says how much cash on delivery was collected.
import { digitsOf } from "../currencies.js";
import { h, icon } from "../dom.js";
import { bindForm, deleteDraft, loadDraft } from "../drafts.js";
import { locale, t } from "../i18n.js";
import { queueEntry } from "./activities.js";
import { formatMoney } from "./formatting.js";
import { openSheet, showToast } from "./layout.js";

/** @type {NonNullable<CashToCollectOut["method"]>[]} */
const METHODS = ["cash", "card", "check", "bank_transfer"];

// The amount as a driver types it, without a currency or separators.
/** @type {(amount: number, currency: string) => string} */
function toMajorUnits(amount, currency) {
  const separator = new Intl.NumberFormat(locale()).formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".";
  return (amount / 10 ** digitsOf(currency)).toFixed(digitsOf(currency)).replace(".", separator);
}
// A typed amount in minor units, or null. Both a comma and a point are decimal separators.
/** @type {(text: string, currency: string) => number | null} */
function parseMoney(text, currency) {
  const digits = digitsOf(currency), parts = /^(\d{1,12})(?:[.,](\d*))?$/.exec(text.trim());
  if (!parts || (parts[2] ?? "").length > digits) return null;
  return Number(parts[1] + (parts[2] ?? "").padEnd(digits, "0"));
}
// Ask for the amount, and queue the collection. `optional` offers to go on without it, before the stop is completed.
// Resolves to whether the caller may go on.
/** @type {(job: Job, optional?: boolean) => Promise<boolean>} */
export async function collectCash({ cash, order, waypoint }, optional = false) {
  if (!cash) return true;
  const { currency } = cash, due = formatMoney(cash.amount, currency);
  const draft = await loadDraft([order.id, waypoint?.id, "cash"].join(" "));
  const amount = h("input", { name: "amount", id: "cash-amount", inputmode: "decimal", autocomplete: "off", value: toMajorUnits(cash.amount, currency) });
  const reason = h("textarea", { name: "reason", id: "cash-reason", maxlength: "500" });
  const why = h("label", { class: "field", hidden: true }, h("span", {}, t("cash.reason")), reason);
  const go = h("button", { class: "primary big", id: "cash-go" }, icon("check"), t("cash.save"));
  // A different amount needs a reason.
  const update = () => {
    const parsed = parseMoney(amount.value, currency);
    why.hidden = parsed === null || parsed === cash.amount;
    go.disabled = parsed === null || (!why.hidden && !reason.value.trim());
  };
  const chosen = await openSheet(t("cash.title", { amount: due }), () => [
    h("label", { class: "field" }, h("span", {}, t("cash.amount", { currency })), amount),
    why,
    h("fieldset", {}, h("legend", {}, t("cash.method")), h("div", { class: "choices" }, METHODS.map((method) =>
      h("label", { class: "choice" }, h("input", { type: "radio", name: "method", value: method, checked: method === (cash.method ?? "cash") }), t(`cash.by.${method}`))))),
  ], (/** @type {Close<"collected" | "later">} */ close, dialog) => {
    bindForm(draft, dialog);
    dialog.addEventListener("input", update);
    update();
    go.addEventListener("click", () => close("collected"));
    return [go, optional ? h("button", { id: "cash-later", onclick: () => close("later") }, t("cash.later")) : null];
  });
  if (chosen !== "collected") {
    await deleteDraft(draft);
    return chosen === "later";
  }
  const collected = parseMoney(amount.value, currency) ?? 0;
  const method = METHODS.find((one) => draft.fields.method === one) ?? cash.method ?? "cash";
  const id = await queueEntry({
    kind: "cash", order: order.id, drafts: [draft.id], path: `/v1/orders/${order.id}/collect-cash`,
    summary: { key: "cash.summary", values: { amount: formatMoney(collected, currency) } },
    body: { amount: collected, amount_due: cash.amount, currency, method, ...(waypoint ? { stop: waypoint.id } : {}), ...(collected === cash.amount ? {} : { reason: reason.value.trim() }) },
  });
  if (id) showToast(t("cash.collected", { amount: formatMoney(collected, currency) }));
  return id !== null;
}
