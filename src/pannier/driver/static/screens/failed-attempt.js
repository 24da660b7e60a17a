// "Could not deliver": the reason, remarks, and a photo if the reason requires one.
import { captureProofs } from "../capture/index.js";
import { h, icon } from "../dom.js";
import { bindForm, deleteDraft, loadDraft } from "../drafts.js";
import { lastPosition } from "../tracking.js";
import { reasonText, t } from "../i18n.js";
import { lockBriefly, queueEntry, queueProof } from "./activities.js";
import { openSheet, showToast } from "./layout.js";

/** @type {(job: Job) => Promise<unknown>} */
export async function reportFailure(job) {
  const { order, flow, waypoint } = job, reasons = flow.failure_reasons;
  const remarks = h("textarea", { maxlength: "1000", name: "remarks", id: "fail-remarks" });
  const draft = await loadDraft([order.id, waypoint?.id, "fail"].join(" "));
  const go = h("button", { class: "primary big", disabled: true });
  // Do not ask twice for a photo that was stored before the app was closed.
  /** @type {(reason: FailureReason) => boolean} */
  const needsPhoto = ({ photo }) => Boolean(photo) && !draft.pictured;
  /** @type {FailureReason | null} */
  let chosen = null;
  /** @type {(reason: FailureReason) => void} */
  const chooseReason = (reason) => {
    chosen = reason;
    go.disabled = false;
    go.replaceChildren(icon(needsPhoto(reason) ? "camera" : "check"), t(needsPhoto(reason) ? "fail.with-photo" : "fail.send"));
  };
  go.append(t("fail.send"));
  const reason = await openSheet(t(job.kind === "pickup" ? "fail.open-pickup" : "fail.open"), () => [
    h("fieldset", {}, h("legend", {}, t("fail.why")), h("div", { class: "choices" }, reasons.map((reason) =>
      h("label", { class: "choice" }, h("input", { type: "radio", name: "reason", value: reason.code, onchange: () => chooseReason(reason) }),
        h("span", {}, reasonText(reason.label), h("span", { class: "small muted" }, [t(`then.${reason.then}`), reason.photo ? t("fail.photo") : ""].filter(Boolean).join(" · "))))))),
    h("label", { class: "field" }, h("span", {}, t("fail.remarks")), remarks),
  ], (/** @type {Close<FailureReason>} */ close, dialog) => {
    bindForm(draft, dialog);
    const before = reasons.find(({ code }) => code === draft.fields.reason);
    if (before) chooseReason(before);
    go.addEventListener("click", () => close(chosen));
    return [go];
  });
  if (!reason) return deleteDraft(draft);
  lockBriefly(order.id);
  if (needsPhoto(reason)) {
    const subject = waypoint ? { subject_type: "waypoint", subject_id: waypoint.id } : { subject_type: "order", subject_id: order.id };
    /** @type {{ demands: Demand[] }} */
    const photo = { demands: [{ ...subject, method: "photo" }] };
    if (!(await captureProofs(photo, { ...order, flow }, (made) => queueProof(order, { ...made, draft: { ...draft, pictured: true } })))) return;
  }
  const at = lastPosition();
  const entry = await queueEntry({
    kind: "attempt", order: order.id, drafts: [draft.id], path: `/v1/orders/${order.id}/fail-attempt`, summary: t("fail.summary", { reason: reasonText(reason.label) }),
    body: {
      reason: reason.code, ...(remarks.value.trim() ? { remarks: remarks.value.trim() } : {}), ...(waypoint ? { waypoint: waypoint.id } : {}),
      ...(at ? { location: { latitude: at.latitude, longitude: at.longitude } } : {}),
    },
  });
  if (!entry) return;
  showToast(t(`then.${reason.then}`));
  location.hash = "#/stops";
}
