// Scans codes by camera, from a picture or typed, and compares them with each item's expected codes.
import { h, icon, openDialog } from "../dom.js";
import { t } from "../i18n.js";
import { createViewfinder } from "./camera.js";
import { describeDemand, describeSubject, locate, renderDialog } from "./common.js";
import { captureCode, isStrict, knownCodes, listReadableCodes, matchCode, renderCodeField, renderCodeForm, renderMismatch, renderReasonForm } from "./codes.js";

// Loaded on first use. Browsers may cache a failed import, so retry another URL.
let failures = 0;
/** @type {() => Promise<typeof import("./reader.js")>} */
function importReader() {
  return import(failures ? `./reader.js?${failures}` : "./reader.js").catch((wrong) => {
    failures += 1;
    throw wrong;
  });
}
const createReader = async () => (await importReader()).createReader();
// After this time, suggest typing the code.
const READER_TIMEOUT_MS = 3000;
// A code is judged again only after it was out of sight this long.
const OUT_OF_SIGHT_MS = 1500;
const MIN_FRAME_MS = 60;

// Scan all demands in one dialog. `keep(capture, demand)` returns whether it was stored. Resolves to whether all were.
/** @type {(demands: Demand[], order: CaptureOrder, keep: Keep) => Promise<boolean | null>} */
export function captureAll(demands, order, keep) {
  return openDialog((/** @type {Close<boolean>} */ close, dialog) => new ScanDialog(demands, order, keep, close, dialog).draw());
}

// Load the reader in advance for offline use, unless the browser has its own.
/** @type {Promise<void> | undefined} */
let preloading;
export function preloadReader() {
  preloading ??= fetchReader().catch(() => { preloading = undefined; });
  return preloading;
}
async function fetchReader() {
  if (await (await importReader()).createNativeReader()) return;
  await awaitServiceWorker();
  (await createReader()).close();
}
// Only requests that the service worker handles are cached. Wait for it briefly, as there may be none.
function awaitServiceWorker() {
  const workers = navigator.serviceWorker;
  if (!workers || workers.controller) return null;
  return new Promise((resolve) => {
    workers.addEventListener("controllerchange", resolve, { once: true });
    setTimeout(resolve, 10_000);
  });
}

/** @typedef {{ demand: Demand; name: string; strict: boolean; known?: string[]; code: string | null }} Row */
class ScanDialog {
  /** @type {Promise<unknown> | null} */
  busy = null;
  /** @type {Promise<CodeReader> | null} */
  reading = null;
  closed = false;
  /** @type {Map<string, { at: number; count: number; judged: boolean }>} */
  seen = new Map();
  place = locate();

  /** @param {Demand[]} demands @param {CaptureOrder} order @param {Keep} keep @param {Close<boolean>} close @param {HTMLDialogElement} dialog */
  constructor(demands, order, keep, close, dialog) {
    this.order = order;
    this.keep = keep;
    this.close = close;
    this.dialog = dialog;
    /** @type {Row[]} */
    this.rows = demands.map((demand) => ({ demand, name: describeSubject(demand, order), strict: isStrict(demand, order), known: knownCodes(demand, order), code: null }));
    this.chosen = this.rows[0];
    this.finder = createViewfinder(dialog, t("capture.photo.finder"));
    this.status = h("div", { class: "capture-told", role: "status" });
    this.list = h("ul", { class: "ticks", hidden: this.rows.length < 2 });
    this.typed = renderCodeField();
    this.file = h("input", { type: "file", accept: "image/*", capture: "environment", class: "unseen", tabindex: "-1", "aria-label": t("capture.scan.picture"), onchange: () => this.readPicture() });
    this.retry = () => this.startReading();
    globalThis.addEventListener("reception", this.retry);
    dialog.addEventListener("close", () => this.stopReading());
    this.showHint();
    this.startReading();
  }

  draw() {
    this.renderRows();
    const typing = renderCodeForm(this.typed, (event) => this.submitTyped(event));
    this.dialog.classList.toggle("scanning-many", this.rows.length > 1);
    const title = this.rows.length > 1 ? t("capture.scan.title-many") : t("capture.scan.title");
    return renderDialog(this.dialog, { title, about: this.rows.length > 1 ? "" : describeDemand(this.rows[0].demand, this.order), leave: () => this.close(false) },
      this.finder.element, this.status, this.list, typing,
      h("footer", { class: "capture-foot" }, h("button", { onclick: () => this.file.click() }, icon("image"), t("capture.scan.picture")), this.file));
  }

  async startReading() {
    if (this.reading || this.closed) return;
    this.reading = createReader();
    const showNoReader = () => {
      if (!this.closed && !this.isAskingReason) this.showMessage("amber", "wifi-off", t("capture.scan.no-reader"));
    };
    const late = setTimeout(showNoReader, READER_TIMEOUT_MS);
    try {
      const read = await this.reading;
      clearTimeout(late);
      if (this.status.matches(".amber") && !this.isAskingReason) this.showHint();
      while (!this.closed) {
        const began = performance.now();
        if (this.finder.isLive() && !this.busy) for (const code of await read.read(this.finder.video)) await this.handleSighting(code);
        await new Promise((resolve) => { setTimeout(resolve, Math.max(MIN_FRAME_MS, performance.now() - began)); });
      }
    } catch (wrong) {
      clearTimeout(late);
      this.reading = null;
      console.warn(wrong);
      showNoReader();
    }
  }
  stopReading() {
    this.closed = true;
    globalThis.removeEventListener("reception", this.retry);
    this.reading?.then((read) => read.close(), () => {});
  }

  // Accept an expected code at first sight. Others must be read twice, because readers make mistakes.
  /** @type {(code: Code) => Promise<void>} */
  async handleSighting(code) {
    if (this.busy || this.closed) return;
    const now = performance.now(), known = this.seen.get(code.text);
    const seen = known && now - known.at < OUT_OF_SIGHT_MS ? known : { at: now, count: 0, judged: false };
    this.seen.set(code.text, Object.assign(seen, { at: now, count: seen.count + 1 }));
    const wanted = this.rows.some((row) => !row.code && matchCode(code, row.known ?? []));
    if (seen.judged || (!wanted && seen.count < 2)) return;
    // A wrong code in sight must not replace the form in which the driver types a reason.
    if (!wanted && this.isAskingReason) return;
    seen.judged = true;
    await this.assignCode(code);
  }
  /** @type {(event: SubmitEvent) => Promise<void>} */
  async submitTyped(event) {
    event.preventDefault();
    const text = this.typed.value.trim();
    if (!text && !this.busy) this.showMessage("red", "triangle-alert", t("capture.scan.type-first"));
    if (!text) return;
    // Clear the field first, so that the next code can be typed while this one is saved.
    this.typed.value = "";
    if (!(await this.assignCode({ text, typed: true }))) this.typed.value ||= text;
  }
  async readPicture() {
    const [file] = this.file.files ?? [];
    this.file.value = "";
    if (!file) return;
    this.showMessage("muted", "scan-line", t("capture.scan.looking"));
    try {
      const picture = await createImageBitmap(file), apart = await createReader(), codes = await apart.read(picture);
      apart.close();
      if (!codes.length) return this.showMessage("red", "triangle-alert", t("capture.scan.nothing"));
      for (const code of codes) await this.assignCode(code);
    } catch {
      this.showMessage("red", "triangle-alert", t("capture.scan.nothing"));
    }
  }

  /** @type {(code: Code) => Promise<boolean | void>} */
  async assignCode(code) {
    while (this.busy) await this.busy;
    const open = this.rows.filter((row) => !row.code);
    if (this.closed || !open.length) return true;
    const wanted = open.find((row) => matchCode(code, row.known ?? []));
    if (wanted) return this.acceptCode(wanted, code);
    const done = this.rows.find((row) => row.code && (row.code === code.text || matchCode(code, row.known ?? [])));
    const any = [this.chosen, ...open].find((row) => !row.code && !row.strict);
    if (done && any) return this.offerAnotherRow(done, any, code);
    if (done) return this.showMessage("amber", "info", t("capture.scan.already", { code: code.text, subject: done.name }));
    if (any) return this.askReason(any, code);
    navigator.vibrate?.([60, 60, 60]);
    const row = open.includes(this.chosen) ? this.chosen : open[0];
    this.showMessage("red", "circle-x", ...renderMismatch(code, row.demand, this.order));
    return false;
  }
  /** @type {(done: Row, row: Row, code: Code) => boolean} */
  offerAnotherRow(done, row, code) {
    this.showMessage("amber", "info", t("capture.scan.already", { code: code.text, subject: done.name }),
      h("button", { onclick: () => this.askReason(row, code) }, t("capture.scan.also", { subject: row.name })));
    return false;
  }
  get isAskingReason() {
    return this.status.querySelector("form") !== null;
  }
  // Accept a code that cannot be compared. A known mismatch needs a reason.
  /** @type {(row: Row, code: Code) => false | Promise<boolean | void>} */
  askReason(row, code) {
    if (!row.known) return this.acceptCode(row, code);
    navigator.vibrate?.([60, 60, 60]);
    this.showMessage("amber", "triangle-alert", ...renderReasonForm(code, row.demand, this.order, async (doubted) => {
      this.finder.restart();
      if (await this.acceptCode(row, doubted)) this.typed.value = "";
    }));
    return false;
  }
  /** @type {(row: Row, code: Code) => Promise<boolean | void>} */
  async acceptCode(row, code) {
    if (this.busy) return false;
    this.busy = this.saveCode(row, code).finally(() => { this.busy = null; });
    if ((await this.busy) === false) return false;
    navigator.vibrate?.(80);
    row.code = code.text;
    const open = this.rows.filter((one) => !one.code);
    if (!open.length) return this.close(true);
    if (this.chosen.code) [this.chosen] = open;
    this.renderRows();
    this.showMessage("green", "circle-check", t("capture.scan.right", { subject: row.name }));
    return true;
  }
  /** @type {(row: Row, code: Code) => Promise<unknown>} */
  async saveCode({ demand }, code) {
    return this.keep(await captureCode(demand, this.order, this.place, code), demand);
  }

  renderRows() {
    this.list.replaceChildren(...this.rows.map((row) => {
      const now = row === this.chosen && !row.code;
      const mark = icon(row.code ? "circle-check" : now ? "scan-line" : "package");
      const words = [h("span", {}, row.name), h("small", { class: "muted" }, row.code ?? listReadableCodes(row.demand, this.order).join(", "))];
      return h("li", { class: row.code ? "done" : now ? "now" : "" },
        h("button", { disabled: Boolean(row.code), "aria-pressed": String(now), onclick: () => this.chooseRow(row) }, mark, h("span", { class: "ticks-words" }, words)));
    }));
  }
  /** @type {(row: Row) => void} */
  chooseRow(row) {
    this.chosen = row;
    this.renderRows();
    this.showHint();
  }
  showHint() {
    this.showMessage("muted", "scan-line", this.rows.length > 1 ? t("capture.scan.hint-many", { left: this.rows.filter((row) => !row.code).length }) : t("capture.scan.hint"));
  }
  /** @type {(colour: string, picture: string, ...words: Child[]) => void} */
  showMessage(colour, picture, ...words) {
    this.status.className = `capture-told ${colour}`;
    this.status.replaceChildren(icon(picture), h("div", {}, words));
  }
}
