// Captures a signature on the screen.
import SignaturePad from "../../vendor/signature_pad.min.js";
import { get2dContext, h, icon, openDialog } from "../dom.js";
import { deleteDraft, draftId, loadDraft, saveDraft } from "../drafts.js";
import { t } from "../i18n.js";
import { buildCapture, confirmDiscard, describeDemand, describeSubject, locate, renderDialog } from "./common.js";

// A shorter signature is an accidental touch. Total length of all strokes, in screen pixels.
const MIN_LENGTH_PX = 60;
const MARGIN_PX = 16;
const RELATIONS = ["", "recipient", "family", "colleague", "neighbour", "concierge"];

/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
export async function captureSignature(demand, order) {
  const draft = await loadDraft(draftId(order, demand));
  return openDialog((/** @type {Close<Capture>} */ close, dialog) => {
    const place = locate();
    const canvas = h("canvas", { class: "pad", "aria-label": t("capture.signature.pad"), role: "img" });
    const suggestions = h("datalist", { id: "signers" }, listKnownSigners(demand, order).map((value) => h("option", { value })));
    const name = h("input", { name: "signer", list: "signers", autocomplete: "off", autocapitalize: "words", maxlength: "200", enterkeyhint: "done" });
    const relation = h("select", { name: "relation" }, RELATIONS.map((value) => h("option", { value }, t(`relation.${value || "none"}`))));
    const error = h("p", { class: "capture-told red", role: "alert", hidden: true });
    const pad = new SignaturePad(canvas, { penColor: "#0b1017", backgroundColor: "#fff", minWidth: 1, maxWidth: 3.2 });
    if (draft.strokes?.length) {
      Object.assign(canvas.dataset, draft.size);
      pad.fromData(draft.strokes);
    }
    const saveStrokes = () => saveDraft(draft, { strokes: pad.toData(), size: { ...canvas.dataset } });
    pad.addEventListener("endStroke", saveStrokes);
    const observer = new ResizeObserver(() => fitCanvas(canvas, pad));
    observer.observe(canvas);
    dialog.addEventListener("close", () => observer.disconnect());
    // Wait for the stroke's end: hiding the message resizes the pad, and a redraw loses the current stroke.
    pad.addEventListener("endStroke", () => { error.hidden = true; });

    async function leave() {
      if (!pad.isEmpty() && !(await confirmDiscard(t("capture.signature.throw-away")))) return;
      await deleteDraft(draft);
      close();
    }
    /** @type {(why: string) => void} */
    function showError(why) {
      error.replaceChildren(icon("triangle-alert"), why);
      error.hidden = false;
    }
    async function use() {
      if (strokeLength(pad.toData()) < MIN_LENGTH_PX) return showError(t("capture.signature.blank"));
      const blob = await cropSignature(canvas, pad.toData());
      if (!blob) return showError(t("went-wrong"));
      const signer = name.value.trim();
      /** @type {EntryBody} */
      const evidence = {};
      if (signer) evidence.signer_name = signer;
      if (relation.value) evidence.signer_relationship = relation.value;
      const summary = signer ? t("capture.signature.summary", { signer, subject: describeSubject(demand, order) }) : t("capture.signature.summary-nameless", { subject: describeSubject(demand, order) });
      close(await buildCapture({ demand, order, action: "capture-signature", place, evidence, pictures: [{ field: "signature", name: "signature.png", blob }], summary, drafts: [draft.id] }));
    }
    const clear = () => {
      pad.clear();
      saveStrokes();
      error.hidden = true;
    };
    dialog.classList.add("signing");
    return renderDialog(dialog, { title: t("capture.signature.title"), about: describeDemand(demand, order), leave, draft },
      h("div", { class: "paper" }, canvas, h("button", { class: "paper-clear", onclick: clear }, icon("rotate-ccw"), t("capture.signature.clear"))),
      error,
      h("div", { class: "capture-fields" },
        h("label", {}, t("capture.signature.name"), name), suggestions,
        h("label", {}, t("capture.signature.relation"), relation)),
      h("footer", { class: "capture-foot" }, h("button", { class: "primary", onclick: use }, icon("check"), t("capture.signature.use"))));
  });
}
// Suggest known names, but never fill one in: somebody else may sign.
/** @type {(demand: Demand, order: CaptureOrder) => string[]} */
function listKnownSigners({ subject_id: id }, { payload, customer }) {
  const stops = payload?.waypoints.filter((stop) => stop.id === id || payload.entities.some((item) => item.id === id && item.destination === stop.id)) ?? [];
  const names = [...stops.map((stop) => stop.recipient?.name), customer?.name];
  return [...new Set(/** @type {string[]} */ (names.filter(Boolean)))];
}

// Resize the canvas with the screen, and scale the signature down if it no longer fits.
/** @type {(canvas: HTMLCanvasElement, pad: SignaturePad) => void} */
function fitCanvas(canvas, pad) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width || !height) return;
  const sharp = Math.min(Math.max(devicePixelRatio, 1), 2), strokes = pad.toData();
  const before = { width: Number(canvas.dataset.width ?? width), height: Number(canvas.dataset.height ?? height) };
  const scale = Math.min(1, width / before.width, height / before.height);
  Object.assign(canvas.dataset, { width, height });
  Object.assign(canvas, { width: width * sharp, height: height * sharp });
  get2dContext(canvas).scale(sharp, sharp);
  pad.clear();
  if (!strokes.length) return;
  pad.fromData(strokes.map((stroke) => ({ ...stroke, points: stroke.points.map((point) => ({ ...point, x: point.x * scale, y: point.y * scale })) })));
}
/** @type {(strokes: Stroke[]) => number} */
const strokeLength = (strokes) =>
  strokes.reduce((whole, { points }) => whole + points.slice(1).reduce((far, point, number) => far + Math.hypot(point.x - points[number].x, point.y - points[number].y), 0), 0);

/** @type {(canvas: HTMLCanvasElement, strokes: Stroke[]) => Promise<Blob | null>} */
function cropSignature(canvas, strokes) {
  const points = strokes.flatMap((stroke) => stroke.points), sharp = canvas.width / canvas.clientWidth;
  /** @type {(pick: typeof Math.min, axis: "x" | "y", limit: number) => number} */
  const edge = (pick, axis, limit) => Math.max(0, Math.min(limit, Math.round((pick(...points.map((point) => point[axis])) + (pick === Math.min ? -MARGIN_PX : MARGIN_PX)) * sharp)));
  const left = edge(Math.min, "x", canvas.width), right = edge(Math.max, "x", canvas.width);
  const top = edge(Math.min, "y", canvas.height), bottom = edge(Math.max, "y", canvas.height);
  const cut = h("canvas", { width: Math.max(1, right - left), height: Math.max(1, bottom - top) });
  get2dContext(cut).drawImage(canvas, left, top, cut.width, cut.height, 0, 0, cut.width, cut.height);
  return new Promise((resolve) => { cut.toBlob(resolve, "image/png"); });
}
