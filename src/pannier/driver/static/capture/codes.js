// Expected codes and code matching, and typed entry for when the scanner cannot be loaded.
import { h, icon, openDialog } from "../dom.js";
import { t } from "../i18n.js";
import { draftId, loadDraft } from "../drafts.js";
import { buildCapture, describeDemand, describeSubject, locate, renderDialog } from "./common.js";
import { takePictures } from "./photo.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @type {(demand: Demand, order: CaptureOrder) => string[]} */
const expectedCodes = ({ subject_id: id }, { flow }) => flow?.expected?.[id] ?? [];
// Return every code of a subject, or undefined if the phone does not know them.
/** @type {(demand: Demand, order: CaptureOrder) => string[] | undefined} */
export const knownCodes = (demand, order) => order.flow?.known?.[demand.subject_id] ?? (expectedCodes(demand, order).length ? expectedCodes(demand, order) : undefined);
// Whether a known mismatch is refused. An activity may accept it with a reason and a photo instead.
/** @type {(demand: Demand, order: CaptureOrder) => boolean} */
export function isStrict(demand, order) {
  const activities = [order.flow, ...(order.flow?.waypoints ?? [])].flatMap((part) => part?.activities ?? []);
  const policies = activities.filter(({ code }) => code === demand.activity).map(({ scan_mismatch: policy }) => policy);
  return knownCodes(demand, order) !== undefined && (!policies.includes("explain") || policies.includes("refuse"));
}
const TRACKING_PAGE = /\/t\/([^/?#\s]+)/;
// Some hand scanners prefix the text with an AIM symbology identifier.
const AIM_PREFIX = /^\][A-Za-z][0-9A-Za-z]/;
// Scanners add line ends and GS1 separators around a code.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separator is one.
const SURROUNDING = /^[\s\u001d]+|[\s\u001d]+$/g;
// Return the code as it is written in `expected`, or undefined if it is not among them.
// The server uses the same rules (orders/captures/scans.py).
/** @type {(code: Code, expected: string[]) => string | undefined} */
export function matchCode({ text, symbology, typed }, expected) {
  const read = text.replace(SURROUNDING, ""), bare = read.replace(AIM_PREFIX, ""), number = TRACKING_PAGE.exec(read)?.[1];
  if (expected.includes(read) || (number && expected.includes(number))) return read;
  if (expected.includes(bare)) return bare;
  if (typed) return expected.find((one) => normalizeCode(one) === normalizeCode(read));
  // Readers disagree on whether a UPC-A code has a leading zero.
  return ["EAN13", "UPCA"].includes(normalizeSymbology(symbology)) ? expected.find((one) => /^\d{12,13}$/.test(one) && one.padStart(13, "0") === read.padStart(13, "0")) : undefined;
}
/** @type {(text: string) => string} */
const normalizeCode = (text) => text.toUpperCase().replace(/[\s-]/g, "");
/** @type {(symbology?: string) => string} */
const normalizeSymbology = (symbology) => (symbology ?? "").toUpperCase().replace(/[^A-Z0-9]/g, "");
/** @type {(code: Code, demand: Demand, order: CaptureOrder) => HTMLElement[]} */
export function renderMismatch({ text }, demand, order) {
  const codes = listReadableCodes(demand, order).join(", ");
  return [h("strong", {}, t("capture.scan.wrong", { code: text })), h("span", {}, t("capture.scan.expected", { subject: describeSubject(demand, order), codes }))];
}
/** @type {(demand: Demand, order: CaptureOrder) => string[]} */
export const listReadableCodes = (demand, order) => (knownCodes(demand, order) ?? []).filter((one) => !UUID.test(one) && one !== demand.subject_id).slice(0, 3);

/** @typedef {ReturnType<typeof locate>} Whereabouts */
/** @type {(demand: Demand, order: CaptureOrder, place: Whereabouts, code: Code) => Promise<Capture>} */
export function captureCode(demand, order, place, code) {
  const text = matchCode(code, knownCodes(demand, order) ?? []) ?? code.text;
  /** @type {EntryBody} */
  const evidence = { code: text, entry: code.typed ? "typed" : "scanned" };
  if (code.symbology) evidence.symbology = code.symbology;
  if (code.reason) evidence.mismatch_reason = code.reason;
  const pictures = code.photo ? [{ field: "photo", name: "item.jpg", blob: code.photo }] : [];
  const words = { code: text, subject: describeSubject(demand, order) };
  const summary = code.typed ? t("capture.scan.summary-typed", words) : t("capture.scan.summary", words);
  return buildCapture({ demand, order, action: "capture-qr", place, evidence, pictures, summary, drafts: code.drafts });
}
// Ask why an unexpected code is used anyway, and for a photo of the item.
/** @type {(code: Code, demand: Demand, order: CaptureOrder, use: (doubted: Code) => unknown) => HTMLElement[]} */
export function renderReasonForm(code, demand, order, use) {
  const reason = h("input", { name: "reason", autocomplete: "off", maxlength: "500", required: true });
  /** @type {(event: SubmitEvent) => Promise<void>} */
  const submit = async (event) => {
    event.preventDefault();
    const why = reason.value.trim();
    if (!why) return reason.focus();
    const draft = await loadDraft(`${draftId(order, demand)} mismatch`);
    const taken = await takePictures({ title: t("capture.scan.photo"), about: describeDemand(demand, order), draft, limit: 1, withRemarks: false });
    if (taken) use({ ...code, reason: why, photo: taken.blobs[0], drafts: [draft.id] });
  };
  return [...renderMismatch(code, demand, order),
    h("form", { class: "capture-typed", onsubmit: submit }, h("label", {}, t("capture.scan.reason"), reason), h("button", {}, icon("camera"), t("capture.scan.use-anyway")))];
}
export const renderCodeField = () => h("input", { name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", enterkeyhint: "done", maxlength: "200" });
/** @type {(typed: HTMLInputElement, onsubmit: (event: SubmitEvent) => unknown) => HTMLFormElement} */
export const renderCodeForm = (typed, onsubmit) => h("form", { class: "capture-typed", onsubmit }, h("label", {}, t("capture.scan.typed"), typed), h("button", {}, t("capture.scan.use")));

// The same as `captureAll` in scan.js, without a camera.
/** @type {(demands: Demand[], order: CaptureOrder, keep: Keep) => Promise<boolean | null>} */
export async function captureAll(demands, order, keep) {
  for (const demand of demands) {
    const capture = await captureTyped(demand, order);
    if (!capture || (await keep(capture, demand)) === false) return false;
  }
  return true;
}
/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
function captureTyped(demand, order) {
  return openDialog((/** @type {Close<Capture>} */ close, dialog) => {
    const typed = renderCodeField(), place = locate(), known = knownCodes(demand, order), strict = isStrict(demand, order);
    const status = h("div", { class: "capture-told amber", role: "status" }, icon("wifi-off"), h("div", {}, t("capture.scan.no-reader")));
    /** @type {(event: SubmitEvent) => Promise<void>} */
    async function use(event) {
      event.preventDefault();
      const code = { text: typed.value.trim(), typed: true };
      // A code typed while this one is being saved belongs to the next item, and would be lost.
      typed.readOnly ||= code.text !== "" && (!known || matchCode(code, known) !== undefined);
      if (typed.readOnly) return close(await captureCode(demand, order, place, code));
      const unmatched = code.text !== "" && !strict;
      status.className = `capture-told ${unmatched ? "amber" : "red"}`;
      const take = async (/** @type {Code} */ doubted) => close(await captureCode(demand, order, place, doubted));
      status.replaceChildren(icon(unmatched ? "triangle-alert" : "circle-x"), h("div", {}, unmatched ? renderReasonForm(code, demand, order, take) : code.text ? renderMismatch(code, demand, order) : t("capture.scan.type-first")));
    }
    return renderDialog(dialog, { title: t("capture.scan.title"), about: describeDemand(demand, order), leave: () => close() }, status, renderCodeForm(typed, use));
  });
}
