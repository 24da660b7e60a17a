// "Could not deliver": why, what was seen, and a photo where the reason wants one.
import { walk } from "../capture/index.js";
import { h, icon } from "../dom.js";
import { drafted, drop, follow } from "../drafts.js";
import { last } from "../places.js";
import { reasonText, t } from "../words.js";
import { keepProof, queued, rest } from "./acting.js";
import { sheet, toast } from "./frame.js";

/** @type {(job: Job) => Promise<unknown>} */
export async function fail(job) {
  const { order, flow, waypoint } = job, reasons = flow.failure_reasons;
  const remarks = h("textarea", { maxlength: "1000", name: "remarks", id: "fail-remarks" });
  const draft = await drafted([order.id, waypoint?.id, "fail"].join(" "));
  const go = h("button", { class: "primary big", disabled: true });
  // A photo that was kept when the app was killed is not asked for twice.
  /** @type {(reason: FailureReason) => boolean} */
  const wanted = ({ photo }) => Boolean(photo) && !draft.pictured;
  /** @type {FailureReason | null} */
  let chosen = null;
  /** @type {(reason: FailureReason) => void} */
  const choose = (reason) => {
    chosen = reason;
    go.disabled = false;
    go.replaceChildren(icon(wanted(reason) ? "camera" : "check"), t(wanted(reason) ? "fail.with-photo" : "fail.send"));
  };
  go.append(t("fail.send"));
  const told = await sheet(t(job.kind === "pickup" ? "fail.open-pickup" : "fail.open"), () => [
    h("fieldset", {}, h("legend", {}, t("fail.why")), h("div", { class: "choices" }, reasons.map((reason) =>
      h("label", { class: "choice" }, h("input", { type: "radio", name: "reason", value: reason.code, onchange: () => choose(reason) }),
        h("span", {}, reasonText(reason.label), h("span", { class: "small muted" }, [t(`then.${reason.then}`), reason.photo ? t("fail.photo") : ""].filter(Boolean).join(" · "))))))),
    h("label", { class: "field" }, h("span", {}, t("fail.remarks")), remarks),
  ], (/** @type {Close<FailureReason>} */ close, dialog) => {
    follow(draft, dialog);
    const before = reasons.find(({ code }) => code === draft.fields.reason);
    if (before) choose(before);
    go.addEventListener("click", () => close(chosen));
    return [go];
  });
  if (!told) return drop(draft);
  rest(order.id);
  if (wanted(told)) {
    const subject = waypoint ? { subject_type: "waypoint", subject_id: waypoint.id } : { subject_type: "order", subject_id: order.id };
    /** @type {{ demands: Demand[] }} */
    const photo = { demands: [{ ...subject, method: "photo" }] };
    if (!(await walk(photo, { ...order, flow }, (made) => keepProof(order, { ...made, draft: { ...draft, pictured: true } })))) return;
  }
  const at = last();
  const kept = await queued({
    kind: "attempt", order: order.id, drafts: [draft.id], path: `/v1/orders/${order.id}/fail-attempt`, summary: t("fail.summary", { reason: reasonText(told.label) }),
    body: {
      reason: told.code, ...(remarks.value.trim() ? { remarks: remarks.value.trim() } : {}), ...(waypoint ? { waypoint: waypoint.id } : {}),
      ...(at ? { location: { latitude: at.latitude, longitude: at.longitude } } : {}),
    },
  });
  if (!kept) return;
  toast(t(`then.${told.then}`));
  location.hash = "#/stops";
}
