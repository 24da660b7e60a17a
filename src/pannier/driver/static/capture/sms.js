// The recipient gets a code by SMS and tells it to the driver.
import { call } from "../api.js";
import { ask, h, icon } from "../dom.js";
import { drafted, drop, named } from "../drafts.js";
import { t } from "../words.js";
import { about, captured, frame, subject, whereabouts } from "./frame.js";

// Nobody waits at the door for longer than this: the code is then kept, and judged when it has arrived.
const PATIENCE = 10_000;

/** @type {(demand: Demand, order: CaptureOrder) => Promise<Capture | null>} */
export async function capture(demand, order) {
  const draft = await drafted(named(order, demand));
  return ask((/** @type {Close<Capture>} */ close, dialog) => new Asking(demand, order, draft, close, dialog).draw());
}

class Asking {
  /** @param {Demand} demand @param {CaptureOrder} order @param {Draft} draft @param {Close<Capture>} close @param {HTMLDialogElement} dialog */
  constructor(demand, order, draft, close, dialog) {
    this.demand = demand;
    this.order = order;
    this.draft = draft;
    this.close = close;
    this.dialog = dialog;
    this.place = whereabouts();
    this.until = 0;
    this.busy = false;
    this.told = h("div", { class: "capture-told muted", role: "status" });
    this.sending = h("button", { type: "button", onclick: () => this.send() });
    this.code = h("input", { name: "code", class: "digits", inputmode: "numeric", autocomplete: "off", maxlength: "12", enterkeyhint: "done" });
    this.using = h("button", { class: "primary" });
    const ticking = setInterval(() => this.tick(), 500);
    dialog.addEventListener("close", () => clearInterval(ticking));
  }
  draw() {
    this.say("muted", "message-square", t("capture.sms.hint"));
    this.tick();
    this.using.replaceChildren(icon("check"), t("capture.sms.use"));
    return frame(this.dialog, { title: t("capture.sms.title"), about: about(this.demand, this.order), leave: () => this.leave(), draft: this.draft },
      h("form", { class: "capture-code", onsubmit: (event) => this.use(event) },
        this.told,
        this.sending,
        h("div", { class: "capture-fields" }, h("label", {}, t("capture.sms.code"), this.code)),
        h("footer", { class: "capture-foot" }, this.using)));
  }
  async leave() {
    await drop(this.draft);
    this.close();
  }
  // The button to send a code counts down until the next one may be sent.
  tick() {
    const left = Math.ceil((this.until - performance.now()) / 1000);
    const words = left > 0 ? t("capture.sms.again-in", { seconds: left }) : this.until ? t("capture.sms.again") : t("capture.sms.send");
    if (this.sending.textContent !== words) this.sending.replaceChildren(icon("send"), words);
    this.sending.disabled = left > 0 || this.busy;
  }
  /** @type {(seconds: number) => void} */
  wait(seconds) {
    this.until = performance.now() + seconds * 1000;
    this.tick();
  }
  /** @type {(colour: string, picture: string, words: string) => void} */
  say(colour, picture, words) {
    this.told.className = `capture-told ${colour}`;
    this.told.replaceChildren(icon(picture), h("div", {}, words));
  }

  async send() {
    this.busy = true;
    this.tick();
    /** @type {Answer<ProofCodeSent>} */
    const answer = await call("POST", `/v1/orders/${this.order.id}/send-sms-code/${this.demand.subject_id}`);
    this.busy = false;
    if (!answer.reached) this.say("amber", "wifi-off", t("capture.sms.no-reception"));
    else if (answer.body) {
      this.wait(answer.body.resend_after);
      this.say("green", "circle-check", t("capture.sms.sent", { to: answer.body.sent_to }));
      this.code.focus();
    } else {
      if (answer.retryAfter) this.wait(answer.retryAfter);
      this.say("red", "triangle-alert", refusal(answer));
    }
    this.tick();
  }

  // With reception the code is judged while the recipient is there; without, it is kept to be judged later.
  /** @type {(event: SubmitEvent) => Promise<void>} */
  async use(event) {
    event.preventDefault();
    const code = this.code.value.replace(/\s/g, "");
    if (!/^\d{4,8}$/.test(code)) return this.say("red", "triangle-alert", t("capture.sms.type-first"));
    this.using.disabled = true;
    this.say("muted", "hourglass", t("capture.sms.checking"));
    const { demand, order, place, draft } = this;
    const made = await captured({ demand, order, place, door: "capture-sms", evidence: { code }, summary: t("capture.sms.summary", { subject: subject(demand, order) }), drafts: [draft.id] });
    /** @type {Promise<Answer>} */
    const late = new Promise((resolve) => { setTimeout(resolve, PATIENCE, { reached: false, ours: false, status: 0, retryAfter: 0 }); });
    const answer = await Promise.race([call("POST", made.path, { body: made.body, key: made.id }), late]);
    this.using.disabled = false;
    if (answer.body) return this.close({ ...made, sent: true });
    if (!judged(answer)) return this.close(made);
    this.code.select();
    this.say("red", "circle-x", refusal(answer));
  }
}
// Whether the server had its say: not when nobody answered, it was too busy, or the driver must sign in again.
/** @type {(answer: Answer) => boolean} */
const judged = ({ ours, status }) => ours && status < 500 && ![401, 408, 425, 429].includes(status);

/** @type {(answer: Answer) => string} */
function refusal({ ours, problem }) {
  if (!ours) return t("foreign");
  if (problem?.code === "pod_code_incorrect") return t("capture.sms.wrong", { left: problem.attempts_left });
  if (problem?.code === "pod_code_locked") return t("capture.sms.locked");
  if (problem?.code === "pod_recipient_phone_missing") return t("capture.sms.no-phone");
  return problem?.detail ?? problem?.title ?? t("went-wrong");
}
