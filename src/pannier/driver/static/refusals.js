// Explains problems in the driver's language by their stable codes, and suggests what to do about refused entries.
// The server's own texts are in English, so a code without a text of its own gets a general one.
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
  payment_required: ["refused.unpaid", "again"],
  price_required: ["refused.unpriced", "again"],
  validation_failed: ["refused.invalid", "again"],
  body_unreadable: ["refused.outdated", "again"],
  request_malformed: ["refused.outdated", "again"],
  method_not_allowed: ["refused.outdated", "again"],
  unsupported_media_type: ["refused.outdated", "again"],
};
// Problems that pass, and those of calls that are not queued.
/** @type {Record<string, string>} */
const PROBLEMS = {
  internal: "problem.unavailable",
  unavailable: "problem.unavailable",
  storage_unavailable: "problem.unavailable",
  outcome_unknown: "problem.unavailable",
  idempotency_in_progress: "problem.unavailable",
  too_many_requests: "problem.busy",
  unauthenticated: "sign-in.ended",
  foreign: "foreign",
  code_expired: "problem.code-expired",
  invalid_code: "problem.code-wrong",
  country_not_allowed: "problem.number",
  number_not_allowed: "problem.number",
  pod_recipient_phone_missing: "capture.sms.no-phone",
  sms_cap_reached: "problem.no-sms",
  sms_paused: "problem.no-sms",
  driver_offline: "nearby.off",
  driver_unlocated: "nearby.unlocated",
};

/** @type {(problem: Problem | null | undefined, fallback?: string) => string} */
export function explainProblem(problem, fallback = "went-wrong") {
  const code = problem?.code ?? "";
  return t(REFUSALS[code]?.[0] ?? PROBLEMS[code] ?? fallback);
}
// Explain why an entry was refused. `code` is for dispatch, if the driver gets only a general text.
/** @type {(entry: { problem: Problem | null }) => { title: string; code: string; fix: "again" | "change" | "discard" }} */
export function explainRefusal({ problem }) {
  const code = problem?.code ?? "";
  return { title: explainProblem(problem, "refused.other"), code: REFUSALS[code] || PROBLEMS[code] ? "" : code, fix: REFUSALS[code]?.[1] ?? "again" };
}
