// Photos by the camera or from the phone, made small before they are kept.
import { ask, h, icon, penOf } from "../dom.js";
import { t } from "../words.js";
import { viewfinder } from "./camera.js";
import { drafted, drop, keep, named } from "../drafts.js";
import { about, captured, frame, subject, sure, whereabouts } from "./frame.js";

const MOST = 10;
const EDGE = 1600;
const QUALITY = 0.82;

/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
export async function capture(demand, order) {
  const place = whereabouts(), draft = await drafted(named(order, demand));
  const taken = await pictures({ title: t("capture.photo.title"), about: about(demand, order), draft });
  if (!taken) return null;
  const { blobs, remarks, sources } = taken;
  /** @type {EntryBody} */
  const evidence = { data: { sources } };
  if (remarks) evidence.remarks = remarks;
  const words = { number: blobs.length, subject: subject(demand, order) };
  const summary = blobs.length === 1 ? t("capture.photo.summary-one", words) : t("capture.photo.summary", words);
  const files = blobs.map((blob, number) => ({ field: "photos", name: `photo-${number + 1}.jpg`, blob }));
  return captured({ demand, order, door: "capture-photo", place, evidence, pictures: files, summary, drafts: [draft.id] });
}

// Lets the driver take photos. → { blobs, remarks, sources } or null; for issues as well as for proofs.
/** @typedef {{ blobs: Blob[]; sources: string[]; remarks: string }} Taken */
/** @type {(given: { title: string; about?: string; draft: Draft; most?: number; remarked?: boolean }) => Promise<Taken | null>} */
export function pictures({ title, about: of, draft, most = MOST, remarked = true }) {
  return ask((/** @type {Close<Taken>} */ close, dialog) => {
    /** @type {{ blob: Blob; source: string; url: string }[]} */
    const taken = (draft.taken ?? []).map((one) => ({ ...one, url: URL.createObjectURL(one.blob) }));
    const finder = viewfinder(dialog, t("capture.photo.finder"));
    const told = h("p", { class: "capture-told", role: "status", hidden: true });
    const strip = h("ul", { class: "strip", "aria-label": t("capture.photo.taken"), hidden: true });
    const file = h("input", { type: "file", accept: "image/*", multiple: most > 1, class: "unseen", tabindex: "-1", "aria-label": t("capture.photo.from-phone"), onchange: choose });
    const shutter = h("button", { class: "shutter", "aria-label": t("capture.photo.take"), onclick: shoot }, icon("camera"));
    const use = h("button", { class: "primary", hidden: true, onclick: finish });
    const choosing = h("button", { "aria-label": t("capture.photo.from-phone"), onclick: () => file.click() });
    const remarks = h("textarea", { name: "remarks", rows: "2", maxlength: "500" });

    async function shoot() {
      if (!finder.live()) return say(t("capture.photo.no-picture"), true);
      await add(finder.video, finder.video.videoWidth, finder.video.videoHeight, "camera");
    }
    /** @type {() => Promise<void>} */
    async function choose() {
      say(t("capture.photo.reading"));
      for (const one of [...(file.files ?? [])]) {
        const picture = await opened(one);
        if (!picture) return say(t("capture.photo.unreadable", { name: one.name }), true);
        if ("close" in picture) {
          await add(picture, picture.width, picture.height, "file");
          picture.close();
        } else await add(picture, picture.naturalWidth, picture.naturalHeight, "file");
      }
      file.value = "";
    }
    /** @type {(picture: CanvasImageSource, width: number, height: number, source: string) => Promise<void>} */
    async function add(picture, width, height, source) {
      if (taken.length >= most) return say(t("capture.photo.enough", { most }), true);
      const blob = await shrunk(picture, width, height);
      if (!blob) return say(t("capture.photo.no-picture"), true);
      taken.push({ blob, source, url: URL.createObjectURL(blob) });
      say();
      changed();
    }
    function changed() {
      keep(draft, { taken: taken.map(({ blob, source }) => ({ blob, source })) });
      draw();
    }
    /** @type {(words?: string, wrong?: boolean) => void} */
    function say(words, wrong = false) {
      told.replaceChildren(...(words ? [wrong ? icon("triangle-alert") : "", words] : []));
      told.classList.toggle("red", wrong);
      told.hidden = !words;
    }
    function draw() {
      strip.replaceChildren(...taken.map((one, number) => h("li", {}, h("button", { "aria-label": t("capture.photo.look", { number: number + 1 }), onclick: () => look(one) }, h("img", { src: one.url, alt: "" })))));
      strip.hidden = !taken.length;
      use.hidden = !taken.length;
      choosing.classList.toggle("square", taken.length > 0);
      choosing.replaceChildren(icon("image"), taken.length ? "" : t("capture.photo.from-phone"));
      use.replaceChildren(icon("check"), taken.length > 1 ? t("capture.photo.use", { number: taken.length }) : t("capture.photo.use-one"));
    }
    /** @type {(one: typeof taken[number]) => Promise<void>} */
    async function look(one) {
      const away = await ask((/** @type {Close<boolean>} */ shut, over) => frame(over, { title: t("capture.photo.preview"), leave: () => shut(false) },
        h("img", { class: "large", src: one.url, alt: t("capture.photo.preview") }),
        h("footer", { class: "capture-foot" },
          h("button", { class: "red", onclick: () => shut(true) }, icon("trash-2"), t("capture.photo.remove")),
          h("button", { class: "primary", onclick: () => shut(false) }, t("capture.keep")))));
      if (!away) return;
      taken.splice(taken.indexOf(one), 1);
      URL.revokeObjectURL(one.url);
      changed();
    }
    async function leave() {
      if (taken.length && !(await sure(t("capture.photo.throw-away")))) return;
      await drop(draft);
      close();
    }
    function finish() {
      close({ blobs: taken.map(({ blob }) => blob), sources: taken.map(({ source }) => source), remarks: remarks.value.trim() });
    }
    dialog.addEventListener("close", () => {
      for (const { url } of taken) URL.revokeObjectURL(url);
    });
    draw();
    return frame(dialog, { title, about: of, leave, draft },
      finder.element,
      strip,
      told,
      remarked ? h("div", { class: "capture-fields" }, h("label", {}, t("capture.photo.remarks"), remarks)) : null,
      h("footer", { class: "capture-foot" },
        choosing, file,
        shutter,
        use));
  });
}

// A picture of a file, upright; null when the phone cannot read it.
/** @type {(file: File) => Promise<ImageBitmap | HTMLImageElement | null>} */
async function opened(file) {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return image(file);
  }
}
/** @type {(file: File) => Promise<HTMLImageElement | null>} */
async function image(file) {
  const url = URL.createObjectURL(file), shown = new Image();
  shown.src = url;
  try {
    await shown.decode();
    return shown;
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(url);
  }
}
// A JPEG of a picture whose longer side has no more than 1600 pixels.
/** @type {(picture: CanvasImageSource, width: number, height: number) => Promise<Blob | null>} */
function shrunk(picture, width, height) {
  const scale = Math.min(1, EDGE / Math.max(width, height));
  const canvas = h("canvas", { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) });
  const pen = penOf(canvas);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/jpeg", QUALITY); });
}
