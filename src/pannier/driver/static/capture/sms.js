// Captures the code that the recipient got by SMS.
import { callApi } from "../api.js";
import { h, icon, openDialog } from "../dom.js";
import { deleteDraft, draftId, loadDraft } from "../drafts.js";
import { t } from "../i18n.js";
import { explainProblem } from "../refusals.js";
import { buildCapture, describeDemand, describeSubject, locate, renderDialog } from "./common.js";

// Do not let the recipient wait longer than this. The code is then stored, and verified later.
const VERIFY_TIMEOUT_MS = 10_000;

/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
export async function captureSmsCode(demand, order) {
  const draft = await loadDraft(draftId(order, demand));
  return openDialog((/** @type {Close<Capture>} */ close, dialog) => new SmsCodeDialog(demand, order, draft, close, dialog).draw());
}

class SmsCodeDialog {
  /** @param {Demand} demand @param {CaptureOrder} order @param {Draft} draft @param {Close<Capture>} close @param {HTMLDialogElement} dialog */
  constructor(demand, order, draft, close, dialog) {
    this.demand = demand;
    this.order = order;
    this.draft = draft;
    this.close = close;
    this.dialog = dialog;
    this.place = locate();
    this.resendAt = 0;
    this.busy = false;
    this.status = h("div", { class: "capture-told muted", role: "status" });
    this.sendButton = h("button", { type: "button", onclick: () => this.sendCode() });
    this.codeField = h("input", { name: "code", class: "digits", inputmode: "numeric", autocomplete: "off", maxlength: "12", enterkeyhint: "done" });
    this.useButton = h("button", { class: "primary" });
    const timer = setInterval(() => this.updateSendButton(), 500);
    dialog.addEventListener("close", () => clearInterval(timer));
  }
  draw() {
    this.showMessage("muted", "message-square", t("capture.sms.hint"));
    this.updateSendButton();
    this.useButton.replaceChildren(icon("check"), t("capture.sms.use"));
    return renderDialog(this.dialog, { title: t("capture.sms.title"), about: describeDemand(this.demand, this.order), leave: () => this.leave(), draft: this.draft },
      h("form", { class: "capture-code", onsubmit: (event) => this.submitCode(event) },
        this.status,
        this.sendButton,
        h("div", { class: "capture-fields" }, h("label", {}, t("capture.sms.code"), this.codeField)),
        h("footer", { class: "capture-foot" }, this.useButton)));
  }
  async leave() {
    await deleteDraft(this.draft);
    this.close();
  }
  updateSendButton() {
    const left = Math.ceil((this.resendAt - performance.now()) / 1000);
    const words = left > 0 ? t("capture.sms.again-in", { seconds: left }) : this.resendAt ? t("capture.sms.again") : t("capture.sms.send");
    if (this.sendButton.textContent !== words) this.sendButton.replaceChildren(icon("send"), words);
    this.sendButton.disabled = left > 0 || this.busy;
  }
  /** @type {(seconds: number) => void} */
  startCountdown(seconds) {
    this.resendAt = performance.now() + seconds * 1000;
    this.updateSendButton();
  }
  /** @type {(colour: string, picture: string, words: string) => void} */
  showMessage(colour, picture, words) {
    this.status.className = `capture-told ${colour}`;
    this.status.replaceChildren(icon(picture), h("div", {}, words));
  }

  async sendCode() {
    this.busy = true;
    this.updateSendButton();
    /** @type {Answer<ProofCodeSent>} */
    const answer = await callApi("POST", `/v1/orders/${this.order.id}/send-sms-code/${this.demand.subject_id}`);
    this.busy = false;
    if (!answer.reached) this.showMessage("amber", "wifi-off", t("capture.sms.no-reception"));
    else if (answer.body) {
      this.startCountdown(answer.body.resend_after);
      this.showMessage("green", "circle-check", t("capture.sms.sent", { to: answer.body.sent_to }));
      this.codeField.focus();
    } else {
      if (answer.retryAfter) this.startCountdown(answer.retryAfter);
      this.showMessage("red", "triangle-alert", describeRefusal(answer));
    }
    this.updateSendButton();
  }

  // Online, verify the code while the recipient is there. Offline, store it to be verified later.
  /** @type {(event: SubmitEvent) => Promise<void>} */
  async submitCode(event) {
    event.preventDefault();
    const code = this.codeField.value.replace(/\s/g, "");
    if (!/^\d{4,8}$/.test(code)) return this.showMessage("red", "triangle-alert", t("capture.sms.type-first"));
    this.useButton.disabled = true;
    this.showMessage("muted", "hourglass", t("capture.sms.checking"));
    const { demand, order, place, draft } = this;
    const capture = await buildCapture({ demand, order, place, action: "capture-sms", evidence: { code }, summary: t("capture.sms.summary", { subject: describeSubject(demand, order) }), drafts: [draft.id] });
    /** @type {Promise<Answer>} */
    const late = new Promise((resolve) => { setTimeout(resolve, VERIFY_TIMEOUT_MS, { reached: false, fromApi: false, status: 0, retryAfter: 0 }); });
    const answer = await Promise.race([callApi("POST", capture.path, { body: capture.body, key: capture.id }), late]);
    this.useButton.disabled = false;
    if (answer.body) return this.close({ ...capture, sent: true });
    if (!isFinal(answer)) return this.close(capture);
    this.codeField.select();
    this.showMessage("red", "circle-x", describeRefusal(answer));
  }
}
// Whether the server decided: not on network failures, server errors, rate limits or expired sessions.
/** @type {(answer: Answer) => boolean} */
const isFinal = ({ fromApi, status }) => fromApi && status < 500 && ![401, 408, 425, 429].includes(status);

/** @type {(answer: Answer) => string} */
function describeRefusal({ fromApi, problem }) {
  if (!fromApi) return t("foreign");
  if (problem?.code === "pod_code_incorrect") return t("capture.sms.wrong", { left: problem.attempts_left });
  if (problem?.code === "pod_code_locked") return t("capture.sms.locked");
  return explainProblem(problem);
}
