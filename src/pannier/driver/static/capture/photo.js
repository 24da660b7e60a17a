// Photos from the camera or from files, scaled down before they are stored.
import { get2dContext, h, icon, openDialog } from "../dom.js";
import { t } from "../i18n.js";
import { createViewfinder } from "./camera.js";
import { deleteDraft, draftId, loadDraft, saveDraft } from "../drafts.js";
import { buildCapture, confirmDiscard, describeDemand, describeSubject, locate, renderDialog } from "./common.js";

const MAX_PHOTOS = 10;
const MAX_EDGE_PX = 1600;
const JPEG_QUALITY = 0.82;

/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
export async function capturePhoto(demand, order) {
  const place = locate(), draft = await loadDraft(draftId(order, demand));
  const result = await takePictures({ title: t("capture.photo.title"), about: describeDemand(demand, order), draft });
  if (!result) return null;
  const { blobs, remarks, sources } = result;
  /** @type {EntryBody} */
  const evidence = { data: { sources } };
  if (remarks) evidence.remarks = remarks;
  const words = { number: blobs.length, subject: describeSubject(demand, order) };
  const summary = blobs.length === 1 ? t("capture.photo.summary-one", words) : t("capture.photo.summary", words);
  const files = blobs.map((blob, number) => ({ field: "photos", name: `photo-${number + 1}.jpg`, blob }));
  return buildCapture({ demand, order, action: "capture-photo", place, evidence, pictures: files, summary, drafts: [draft.id] });
}

// Let the driver take photos, for proofs and for issues. Resolves to null if the driver leaves.
/** @typedef {{ blobs: Blob[]; sources: string[]; remarks: string }} Taken */
/** @type {(given: { title: string; about?: string; draft: Draft; limit?: number; withRemarks?: boolean }) => Promise<Taken | null>} */
export function takePictures({ title, about: description, draft, limit = MAX_PHOTOS, withRemarks = true }) {
  return openDialog((/** @type {Close<Taken>} */ close, dialog) => {
    /** @type {{ blob: Blob; source: string; url: string }[]} */
    const taken = (draft.taken ?? []).map((one) => ({ ...one, url: URL.createObjectURL(one.blob) }));
    const finder = createViewfinder(dialog, t("capture.photo.finder"));
    const status = h("p", { class: "capture-told", role: "status", hidden: true });
    const strip = h("ul", { class: "strip", "aria-label": t("capture.photo.taken"), hidden: true });
    const file = h("input", { type: "file", accept: "image/*", multiple: limit > 1, class: "unseen", tabindex: "-1", "aria-label": t("capture.photo.from-phone"), onchange: addFiles });
    const shutter = h("button", { class: "shutter", "aria-label": t("capture.photo.take"), onclick: takePhoto }, icon("camera"));
    const use = h("button", { class: "primary", hidden: true, onclick: finish });
    const choosing = h("button", { "aria-label": t("capture.photo.from-phone"), onclick: () => file.click() });
    const remarks = h("textarea", { name: "remarks", rows: "2", maxlength: "500" });

    async function takePhoto() {
      if (!finder.isLive()) return showMessage(t("capture.photo.no-picture"), true);
      await addPhoto(finder.video, finder.video.videoWidth, finder.video.videoHeight, "camera");
    }
    /** @type {() => Promise<void>} */
    async function addFiles() {
      showMessage(t("capture.photo.reading"));
      for (const one of [...(file.files ?? [])]) {
        const picture = await openPicture(one);
        if (!picture) return showMessage(t("capture.photo.unreadable", { name: one.name }), true);
        if ("close" in picture) {
          await addPhoto(picture, picture.width, picture.height, "file");
          picture.close();
        } else await addPhoto(picture, picture.naturalWidth, picture.naturalHeight, "file");
      }
      file.value = "";
    }
    /** @type {(picture: CanvasImageSource, width: number, height: number, source: string) => Promise<void>} */
    async function addPhoto(picture, width, height, source) {
      if (taken.length >= limit) return showMessage(t("capture.photo.enough", { most: limit }), true);
      const blob = await toSmallJpeg(picture, width, height);
      if (!blob) return showMessage(t("capture.photo.no-picture"), true);
      taken.push({ blob, source, url: URL.createObjectURL(blob) });
      showMessage();
      saveAndRender();
    }
    function saveAndRender() {
      saveDraft(draft, { taken: taken.map(({ blob, source }) => ({ blob, source })) });
      renderStrip();
    }
    /** @type {(words?: string, wrong?: boolean) => void} */
    function showMessage(words, wrong = false) {
      status.replaceChildren(...(words ? [wrong ? icon("triangle-alert") : "", words] : []));
      status.classList.toggle("red", wrong);
      status.hidden = !words;
    }
    function renderStrip() {
      strip.replaceChildren(...taken.map((one, number) => h("li", {}, h("button", { "aria-label": t("capture.photo.look", { number: number + 1 }), onclick: () => previewPhoto(one) }, h("img", { src: one.url, alt: "" })))));
      strip.hidden = !taken.length;
      use.hidden = !taken.length;
      choosing.classList.toggle("square", taken.length > 0);
      choosing.replaceChildren(icon("image"), taken.length ? "" : t("capture.photo.from-phone"));
      use.replaceChildren(icon("check"), taken.length > 1 ? t("capture.photo.use", { number: taken.length }) : t("capture.photo.use-one"));
    }
    /** @type {(one: typeof taken[number]) => Promise<void>} */
    async function previewPhoto(one) {
      const removed = await openDialog((/** @type {Close<boolean>} */ shut, over) => renderDialog(over, { title: t("capture.photo.preview"), leave: () => shut(false) },
        h("img", { class: "large", src: one.url, alt: t("capture.photo.preview") }),
        h("footer", { class: "capture-foot" },
          h("button", { class: "red", onclick: () => shut(true) }, icon("trash-2"), t("capture.photo.remove")),
          h("button", { class: "primary", onclick: () => shut(false) }, t("capture.keep")))));
      if (!removed) return;
      taken.splice(taken.indexOf(one), 1);
      URL.revokeObjectURL(one.url);
      saveAndRender();
    }
    async function leave() {
      if (taken.length && !(await confirmDiscard(t("capture.photo.throw-away")))) return;
      await deleteDraft(draft);
      close();
    }
    function finish() {
      close({ blobs: taken.map(({ blob }) => blob), sources: taken.map(({ source }) => source), remarks: remarks.value.trim() });
    }
    dialog.addEventListener("close", () => {
      for (const { url } of taken) URL.revokeObjectURL(url);
    });
    renderStrip();
    return renderDialog(dialog, { title, about: description, leave, draft },
      finder.element,
      strip,
      status,
      withRemarks ? h("div", { class: "capture-fields" }, h("label", {}, t("capture.photo.remarks"), remarks)) : null,
      h("footer", { class: "capture-foot" },
        choosing, file,
        shutter,
        use));
  });
}

// Open a picture file upright. Resolves to null if the phone cannot read it.
/** @type {(file: File) => Promise<ImageBitmap | HTMLImageElement | null>} */
async function openPicture(file) {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return loadImage(file);
  }
}
/** @type {(file: File) => Promise<HTMLImageElement | null>} */
async function loadImage(file) {
  const url = URL.createObjectURL(file), picture = new Image();
  picture.src = url;
  try {
    await picture.decode();
    return picture;
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(url);
  }
}
/** @type {(picture: CanvasImageSource, width: number, height: number) => Promise<Blob | null>} */
function toSmallJpeg(picture, width, height) {
  const scale = Math.min(1, MAX_EDGE_PX / Math.max(width, height));
  const canvas = h("canvas", { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) });
  const pen = get2dContext(canvas);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/jpeg", JPEG_QUALITY); });
}
