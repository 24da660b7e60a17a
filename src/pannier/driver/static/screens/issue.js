// Something is wrong: with the van, the road, the goods. Told in words, with a photo if there is one.
import { pictures } from "../capture/index.js";
import { h, icon } from "../dom.js";
import { drafted, follow } from "../drafts.js";
import { one } from "../orders.js";
import { last } from "../places.js";
import { t } from "../words.js";
import { queued } from "./acting.js";
import { frame, toast } from "./frame.js";
import { number } from "./jobs.js";
import { pictures as counted } from "./waiting.js";

export const still = true;
const TYPES = ["vehicle", "road", "goods", "address", "other"];

// `at` is the stop of an order where one comes from.
/** @type {(id?: string, at?: string) => Promise<Child>} */
export async function draw(id, at) {
  const kept = id ? await one(id) : null;
  const draft = await drafted(`issue ${id ?? ""}`), pictured = await drafted(`${draft.id} photo`);
  let taken = pictured.taken ?? [];
  const back = at ? `#/stop/${id}/${at}` : kept ? "#/stops" : "#/me";
  const strip = h("p", { class: "small muted", role: "status" });
  const report = h("textarea", { name: "report", required: true, maxlength: "10000" });
  const photo = h("button", { type: "button", async onclick() {
    const begun = await drafted(pictured.id);
    await pictures({ title: t("issue.photo"), draft: begun, most: 10, remarked: false });
    taken = begun.over ? [] : begun.taken ?? [];
    count();
  } }, icon("camera"), t("issue.photo"));
  const count = () => { strip.textContent = counted(taken.length); };
  count();
  const form = h("form", { id: "issue", async onsubmit(event) {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (event.submitter);
    button.disabled = true;
    const entry = await tell(new FormData(form), kept, taken, [draft.id, pictured.id]);
    button.disabled = Boolean(entry);
    if (!entry) return;
    toast(t("issue.told"));
    // Nobody knows what was there before, and what was sent is not there to be sent again.
    location.replace(back);
  } },
    kept ? h("p", { class: "muted" }, t("issue.about", { number: number(kept) })) : null,
    h("fieldset", {}, h("legend", {}, t("issue.kind")), h("div", { class: "choices" }, TYPES.map((type, at) =>
      h("label", { class: "choice" }, h("input", { type: "radio", name: "type", value: type, checked: at === (kept ? 2 : 0) }), t(`issue.${type}`))))),
    h("label", { class: "field" }, h("span", {}, t("issue.report-label")), report),
    h("label", { class: "choice" }, h("input", { type: "checkbox", name: "urgent" }), t("issue.urgent")),
    photo, strip);
  follow(draft, form);
  return frame({ title: t("issue.title"), back, tab: "me", body: [form],
    actions: [h("button", { class: "primary big", form: "issue" }, icon("send"), t("issue.send"))] });
}
/** @type {(filled: FormData, kept: ShownOrder | null, taken: { blob: Blob }[], drafts: string[]) => Promise<string | null>} */
function tell(filled, kept, taken, drafts) {
  const at = last(), report = String(filled.get("report")).trim(), type = filled.get("type");
  return queued({
    kind: "issue", order: null, drafts, path: taken.length ? "/v1/issues/with-photos" : "/v1/issues", summary: t("issue.summary", { type: t(`issue.${type}`) }), pictures: taken.map(({ blob }, index) => ({ field: "photos", name: `photo-${index + 1}.jpg`, blob })),
    body: {
      report, type, title: t(`issue.${type}`), priority: filled.has("urgent") ? "high" : "medium",
      ...(kept ? { order: kept.id } : {}), ...(at ? { location: { latitude: at.latitude, longitude: at.longitude } } : {}),
    },
  });
}
