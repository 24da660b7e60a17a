// Explains refusals in the driver's language and suggests what to do.
// `detail` is the server's own text.
import { t } from "./i18n.js";

/** @type {Record<string, [string, "again" | "change" | "discard"]>} */
const REFUSALS = {
  not_found: ["refused.not-yours", "discard"],
  order_closed: ["refused.order-closed", "discard"],
  illegal_move: ["refused.moved-on", "discard"],
  already_taken: ["refused.already-taken", "discard"],
  precondition_failed: ["refused.moved-on", "again"],
  driver_inactive: ["refused.inactive", "again"],
  driver_required: ["refused.not-yours", "discard"],
  pod_required: ["refused.proof-missing", "change"],
  code_mismatch: ["refused.other-code", "change"],
  mismatch_unexplained: ["refused.other-code", "change"],
  code_unreadable: ["refused.picture", "change"],
  image_unreadable: ["refused.picture", "change"],
  image_unsupported: ["refused.picture", "change"],
  image_too_large: ["refused.picture", "change"],
  image_too_slow: ["refused.picture", "change"],
  body_too_large: ["refused.picture", "change"],
  picture_lost: ["refused.picture-lost", "change"],
  signature_blank: ["refused.blank", "change"],
  pod_code_incorrect: ["refused.wrong-code", "change"],
  pod_code_locked: ["refused.code-locked", "again"],
  too_many_proofs: ["refused.enough", "discard"],
  proof_conflict: ["refused.sent-before", "discard"],
  idempotency_key_reused: ["refused.sent-before", "discard"],
  key_replaced: ["refused.later", "again"],
  cash_already_collected: ["refused.cash-collected", "discard"],
  collection_conflict: ["refused.sent-before", "discard"],
  no_cash_due: ["refused.moved-on", "discard"],
  forbidden: ["refused.not-allowed", "discard"],
  turned_down: ["refused.turned-down", "change"],
};

/** @type {(entry: { problem: Problem | null }) => { title: string; detail: string; fix: "again" | "change" | "discard" }} */
export function explainRefusal({ problem }) {
  const [key, fix] = REFUSALS[problem?.code ?? ""] ?? ["refused.other", "again"];
  return { title: t(key), detail: problem?.detail || problem?.title || "", fix };
}
