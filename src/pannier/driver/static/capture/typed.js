// Codes and what is expected of them; typed one after another where what scans could not be fetched.
import { ask, h, icon } from "../dom.js";
import { t } from "../words.js";
import { about, captured, frame, subject, whereabouts } from "./frame.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @type {(demand: Demand, order: CaptureOrder) => string[]} */
export const expectedOf = ({ subject_id: id }, { flow }) => flow?.expected?.[id] ?? [];
// Every code of a subject; undefined when the phone does not know them and cannot compare.
/** @type {(demand: Demand, order: CaptureOrder) => string[] | undefined} */
export const knownOf = (demand, order) => order.flow?.known?.[demand.subject_id] ?? (expectedOf(demand, order).length ? expectedOf(demand, order) : undefined);
const PAGE = /\/t\/([^/?#\s]+)/;
// Some hand scanners send the kind of the symbol before its text.
const AIM = /^\][A-Za-z][0-9A-Za-z]/;
// Scanners leave line ends and GS1 separators around a code.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separator is one.
const AROUND = /^[\s\u001d]+|[\s\u001d]+$/g;
// How a code that was read or typed is spelled among those given; undefined when it is none of them.
// The server compares by the same rules (orders/captures/scans.py).
/** @type {(code: Code, expected: string[]) => string | undefined} */
export function spelled({ text, symbology, typed }, expected) {
  const read = text.replace(AROUND, ""), bare = read.replace(AIM, ""), number = PAGE.exec(read)?.[1];
  if (expected.includes(read) || (number && expected.includes(number))) return read;
  if (expected.includes(bare)) return bare;
  if (typed) return expected.find((one) => plain(one) === plain(read));
  // Readers disagree on whether an American code has a zero before it.
  return ["EAN13", "UPCA"].includes(kind(symbology)) ? expected.find((one) => /^\d{12,13}$/.test(one) && one.padStart(13, "0") === read.padStart(13, "0")) : undefined;
}
/** @type {(text: string) => string} */
const plain = (text) => text.toUpperCase().replace(/[\s-]/g, "");
/** @type {(symbology?: string) => string} */
const kind = (symbology) => (symbology ?? "").toUpperCase().replace(/[^A-Z0-9]/g, "");
// Why a code is not taken: what it was, and what is expected instead.
/** @type {(code: Code, demand: Demand, order: CaptureOrder) => HTMLElement[]} */
export function mismatch({ text }, demand, order) {
  const codes = readable(demand, order).join(", ");
  return [h("strong", {}, t("capture.scan.wrong", { code: text })), h("span", {}, t("capture.scan.expected", { subject: subject(demand, order), codes }))];
}
/** @type {(demand: Demand, order: CaptureOrder) => string[]} */
export const readable = (demand, order) => (knownOf(demand, order) ?? []).filter((one) => !UUID.test(one) && one !== demand.subject_id).slice(0, 3);

/** @typedef {ReturnType<typeof whereabouts>} Whereabouts */
/** @type {(demand: Demand, order: CaptureOrder, place: Whereabouts, code: Code) => Promise<Capture>} */
export function coded(demand, order, place, code) {
  const text = spelled(code, knownOf(demand, order) ?? []) ?? code.text;
  /** @type {EntryBody} */
  const evidence = { code: text, entry: code.typed ? "typed" : "scanned" };
  if (code.symbology) evidence.symbology = code.symbology;
  if (code.reason) evidence.remarks = code.reason;
  const words = { code: text, subject: subject(demand, order) };
  const summary = code.typed ? t("capture.scan.summary-typed", words) : t("capture.scan.summary", words);
  return captured({ demand, order, door: "capture-qr", place, evidence, summary });
}
// Asks why a code that is none of the subject's is used all the same.
/** @type {(code: Code, demand: Demand, order: CaptureOrder, use: (doubted: Code) => unknown) => HTMLElement[]} */
export function doubt(code, demand, order, use) {
  const reason = h("input", { name: "reason", autocomplete: "off", maxlength: "500", required: true });
  /** @type {(event: SubmitEvent) => void} */
  const submit = (event) => {
    event.preventDefault();
    const why = reason.value.trim();
    if (why) use({ ...code, reason: why });
    else reason.focus();
  };
  return [...mismatch(code, demand, order),
    h("form", { class: "capture-typed", onsubmit: submit }, h("label", {}, t("capture.scan.reason"), reason), h("button", {}, t("capture.scan.use-anyway")))];
}
// The field in which a code is typed.
export const field = () => h("input", { name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", enterkeyhint: "done", maxlength: "200" });
/** @type {(typed: HTMLInputElement, onsubmit: (event: SubmitEvent) => unknown) => HTMLFormElement} */
export const form = (typed, onsubmit) => h("form", { class: "capture-typed", onsubmit }, h("label", {}, t("capture.scan.typed"), typed), h("button", {}, t("capture.scan.use")));

// As `captureAll` of scan.js, without a camera.
/** @type {(demands: Demand[], order: CaptureOrder, keep: Keep) => Promise<boolean | null>} */
export async function captureAll(demands, order, keep) {
  for (const demand of demands) {
    const made = await typing(demand, order);
    if (!made || (await keep(made, demand)) === false) return false;
  }
  return true;
}
/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
function typing(demand, order) {
  return ask((/** @type {Close<Capture>} */ close, dialog) => {
    const typed = field(), place = whereabouts(), known = knownOf(demand, order), strict = expectedOf(demand, order).length > 0;
    const told = h("div", { class: "capture-told amber", role: "status" }, icon("wifi-off"), h("div", {}, t("capture.scan.no-reader")));
    /** @type {(event: SubmitEvent) => Promise<void>} */
    async function use(event) {
      event.preventDefault();
      const code = { text: typed.value.trim(), typed: true };
      // The next item's code, typed while this one is being taken, would be judged as this one's and lost.
      typed.readOnly ||= code.text !== "" && (!known || spelled(code, known) !== undefined);
      if (typed.readOnly) return close(await coded(demand, order, place, code));
      const unmatched = code.text !== "" && !strict;
      told.className = `capture-told ${unmatched ? "amber" : "red"}`;
      const take = async (/** @type {Code} */ doubted) => close(await coded(demand, order, place, doubted));
      told.replaceChildren(icon(unmatched ? "triangle-alert" : "circle-x"), h("div", {}, unmatched ? doubt(code, demand, order, take) : code.text ? mismatch(code, demand, order) : t("capture.scan.type-first")));
    }
    return frame(dialog, { title: t("capture.scan.title"), about: about(demand, order), leave: () => close() }, told, form(typed, use));
  });
}
