// Reports an issue with the vehicle, the road or the goods, with photos if there are any.
import { takePictures } from "../capture/index.js";
import { h, icon } from "../dom.js";
import { bindForm, loadDraft } from "../drafts.js";
import { findOrder } from "../orders.js";
import { lastPosition } from "../tracking.js";
import { t } from "../i18n.js";
import { queueEntry } from "./activities.js";
import { renderScreen, showToast } from "./layout.js";
import { orderNumber } from "./jobs.js";
import { formatPictureCount } from "./waiting.js";

export const drawOnce = true;
const TYPES = ["vehicle", "road", "goods", "address", "other"];

// `at` is the id of the order's stop, if the report was opened from one.
/** @type {(id?: string, at?: string) => Promise<Child>} */
export async function draw(id, at) {
  const stored = id ? await findOrder(id) : null;
  const draft = await loadDraft(`issue ${id ?? ""}`), photoDraft = await loadDraft(`${draft.id} photo`);
  let photos = photoDraft.taken ?? [];
  const back = at ? `#/stop/${id}/${at}` : stored ? "#/stops" : "#/me";
  const strip = h("p", { class: "small muted", role: "status" });
  const report = h("textarea", { name: "report", required: true, maxlength: "10000" });
  const photo = h("button", { type: "button", async onclick() {
    const current = await loadDraft(photoDraft.id);
    await takePictures({ title: t("issue.photo"), draft: current, limit: 10, withRemarks: false });
    photos = current.over ? [] : current.taken ?? [];
    showCount();
  } }, icon("camera"), t("issue.photo"));
  const showCount = () => { strip.textContent = formatPictureCount(photos.length); };
  showCount();
  const form = h("form", { id: "issue", async onsubmit(event) {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (event.submitter);
    button.disabled = true;
    const entry = await queueIssue(new FormData(form), stored, photos, [draft.id, photoDraft.id]);
    button.disabled = Boolean(entry);
    if (!entry) return;
    showToast(t("issue.told"));
    // Replace the history entry, so that Back does not show the sent form again.
    location.replace(back);
  } },
    stored ? h("p", { class: "muted" }, t("issue.about", { number: orderNumber(stored) })) : null,
    h("fieldset", {}, h("legend", {}, t("issue.kind")), h("div", { class: "choices" }, TYPES.map((type, at) =>
      h("label", { class: "choice" }, h("input", { type: "radio", name: "type", value: type, checked: at === (stored ? 2 : 0) }), t(`issue.${type}`))))),
    h("label", { class: "field" }, h("span", {}, t("issue.report-label")), report),
    h("label", { class: "choice" }, h("input", { type: "checkbox", name: "urgent" }), t("issue.urgent")),
    photo, strip);
  bindForm(draft, form);
  return renderScreen({ title: t("issue.title"), back, tab: "me", body: [form],
    actions: [h("button", { class: "primary big", form: "issue" }, icon("send"), t("issue.send"))] });
}
/** @type {(filled: FormData, kept: ProjectedOrder | null, taken: { blob: Blob }[], drafts: string[]) => Promise<string | null>} */
function queueIssue(filled, stored, photos, drafts) {
  const at = lastPosition(), report = String(filled.get("report")).trim(), type = filled.get("type");
  return queueEntry({
    kind: "issue", order: null, drafts, path: photos.length ? "/v1/issues/with-photos" : "/v1/issues", summary: t("issue.summary", { type: t(`issue.${type}`) }), pictures: photos.map(({ blob }, index) => ({ field: "photos", name: `photo-${index + 1}.jpg`, blob })),
    body: {
      report, type, title: t(`issue.${type}`), priority: filled.has("urgent") ? "high" : "medium",
      ...(stored ? { order: stored.id } : {}), ...(at ? { location: { latitude: at.latitude, longitude: at.longitude } } : {}),
    },
  });
}
