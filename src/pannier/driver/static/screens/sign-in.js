// Sign-in: the company's key from the link, the phone number, and the code sent to it.
import { callApi } from "../api.js";
import { captureProof } from "../capture/index.js";
import { h, icon } from "../dom.js";
import { clearOrders } from "../orders.js";
import { listEntries } from "../outbox.js";
import { loadValue, saveValue, saveValues } from "../store.js";
import { t } from "../i18n.js";
import { describeProblem, renderBanner } from "./layout.js";

export const drawOnce = true;
// A placeholder order for scanning the link.
/** @type {() => CaptureOrder} */
const emptyOrder = () => ({ id: "link", payload: { waypoints: [], entities: [], dropoff: { name: t("app.name") } }, flow: { waypoints: [], expected: {} } });
// Set once a code was sent; `again` is when the next one may be requested.
/** @type {{ phone: string; again: number } | null} */
let codeSent = null;

export async function draw() {
  const key = await loadValue("key");
  const waiting = (await listEntries()).length, again = await loadValue("token");
  const form = !key ? renderLinkForm() : codeSent ? renderCodeForm(codeSent) : renderPhoneForm((await loadValue("driver"))?.phone);
  return h("main", {}, h("div", { class: "welcome" },
    h("img", { class: "logo", src: new URL("../icon.svg", import.meta.url).href, alt: "", width: "72", height: "72" }),
    h("h1", { tabindex: "-1" }, t("app.name")),
    again ? renderBanner("amber", "lock", t("sign-in.ended")) : null,
    waiting ? renderBanner("", "hourglass", t("sign-in.waiting", { count: waiting })) : null,
    form));
}
const redraw = () => dispatchEvent(new Event("signed"));

// A form that shows its error above the button.
/** @type {(act: (filled: FormData) => Promise<string | null | undefined>, ...parts: Child[]) => HTMLFormElement} */
function renderForm(act, ...parts) {
  const trouble = h("div", { "aria-live": "assertive" });
  /** @type {HTMLFormElement} */
  const element = h("form", {
    async onsubmit(event) {
      event.preventDefault();
      const button = findSubmitButton(element);
      button.disabled = true;
      const refused = await act(new FormData(element));
      // After a success, keep the button disabled: the next screen may only appear after another tap.
      button.disabled = !refused;
      trouble.replaceChildren(...(refused ? [renderBanner("red", "triangle-alert", refused)] : []));
    },
  }, parts.slice(0, -1), trouble, parts[parts.length - 1]);
  return element;
}
/** @type {(text: string) => HTMLButtonElement} */
const renderButton = (text) => h("button", { class: "primary big" }, text);
/** @type {(made: HTMLFormElement) => HTMLButtonElement} */
const findSubmitButton = (form) => /** @type {HTMLButtonElement} */ (form.querySelector(".primary"));
/** @type {(label: string, given: Attributes) => HTMLElement} */
const renderField = (label, given) => h("label", { class: "field" }, h("span", {}, label), h("input", { required: true, ...given }));

/** @type {(filled: FormData, name: string) => string} */
const readField = (filled, name) => String(filled.get(name) ?? "");

function renderLinkForm() {
  const link = renderField(t("sign-in.link"), { name: "link", autocomplete: "off" });
  const form = renderForm(async (filled) => {
    const key = /app_[\w-]+/.exec(readField(filled, "link"))?.[0];
    if (!key) return t("sign-in.no-link");
    await saveValue("key", key);
    redraw();
    return null;
  }, h("p", {}, t("sign-in.no-key")), link, renderButton(t("go-on")));
  // An app installed on an iPhone does not share storage with the browser, so it does not have the key.
  const scan = h("button", { async onclick() {
    const captured = await captureProof({ method: "scan", subject_type: "order", subject_id: "link" }, emptyOrder());
    const input = link.querySelector("input");
    if (!captured || !input) return;
    input.value = captured.body.code ?? "";
    findSubmitButton(form).click();
  } }, icon("scan-line"), t("sign-in.scan"));
  return [form, scan];
}
function renderPhoneForm(known = "") {
  return [
    renderForm(async (filled) => sendCode(readField(filled, "phone")),
      renderField(t("sign-in.phone"), { name: "phone", type: "tel", autocomplete: "tel", inputmode: "tel", placeholder: "+65 9123 4567", value: known }),
      h("p", { class: "muted" }, t("sign-in.phone-hint")), renderButton(t("sign-in.send"))),
    h("button", { class: "plain", onclick: () => saveValue("key", undefined).then(redraw) }, t("sign-in.other-link")),
  ];
}
/** @type {(phone: string) => Promise<string | null>} */
async function sendCode(phone) {
  /** @type {Answer<DriverCodeSent>} */
  const answer = await callApi("POST", "/v1/drivers/login-with-sms", { token: await loadValue("key"), body: { phone } });
  if (answer.fromApi && [401, 403].includes(answer.status)) return t("sign-in.bad-key");
  if (!answer.body) return describeProblem(answer);
  codeSent = { phone, again: Date.now() + 1000 * answer.body.resend_after };
  redraw();
  return null;
}
/** @type {(sent: { phone: string; again: number }) => Child} */
function renderCodeForm({ phone, again: next }) {
  const trouble = h("div", { "aria-live": "assertive" });
  const resend = h("button", { async onclick() {
    resend.disabled = true;
    const refused = await sendCode(phone);
    resend.disabled = !refused;
    trouble.replaceChildren(...(refused ? [renderBanner("red", "triangle-alert", refused)] : []));
  } });
  const updateResend = () => {
    const left = Math.ceil((next - Date.now()) / 1000);
    resend.disabled = left > 0;
    resend.textContent = left > 0 ? t("resend-in", { seconds: left }) : t("resend");
    if (left > 0) setTimeout(() => resend.isConnected && updateResend(), 1000);
  };
  updateResend();
  return [
    renderForm(async (filled) => verifyCode(phone, readField(filled, "code").replace(/\s/g, "")),
      h("p", {}, t("sign-in.sent", { phone })),
      renderField(t("code"), { name: "code", class: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: "12" }),
      renderButton(t("sign-in.enter"))),
    h("div", { class: "pair" },
      h("button", { onclick: forgetPhone }, t("sign-in.other-phone")), resend),
    trouble,
  ];
}
function forgetPhone() {
  codeSent = null;
  redraw();
}
/** @type {(phone: string, code: string) => Promise<string | null>} */
async function verifyCode(phone, code) {
  /** @type {Answer<DriverSignedIn>} */
  const answer = await callApi("POST", "/v1/drivers/verify-code", { token: await loadValue("key"), body: { phone, code } });
  if (!answer.body) return describeProblem(answer);
  const { token, driver } = answer.body;
  if ((await loadValue("driver"))?.id !== driver.id) await clearOrders();
  const pressed = (await listEntries()).reverse().find((one) => one.by === driver.id && one.kind === "duty" && one.state === "waiting");
  await saveValues({ driver, token, duty: pressed?.body.online ?? driver.online });
  forgetPhone();
  return null;
}
