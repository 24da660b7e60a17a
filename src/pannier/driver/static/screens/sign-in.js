// Signing in: the company's key from the link, the phone number, and the code that was sent to it.
import { call } from "../api.js";
import { capture } from "../capture/index.js";
import { h, icon } from "../dom.js";
import { clear } from "../orders.js";
import { entries } from "../outbox.js";
import { note, notes, recall } from "../store.js";
import { t } from "../words.js";
import { banner, sentence } from "./frame.js";

export const still = true;
// What scanning a code is about before there are orders.
/** @type {() => CaptureOrder} */
const nothing = () => ({ id: "link", payload: { waypoints: [], entities: [], dropoff: { name: t("app.name") } }, flow: { waypoints: [], expected: {} } });
// { phone, again } once a code is under way.
/** @type {{ phone: string; again: number } | null} */
let asked = null;

export async function draw() {
  const key = await recall("key");
  const waiting = (await entries()).length, again = await recall("token");
  const shown = !key ? linkForm() : asked ? codeForm(asked) : phoneForm((await recall("driver"))?.phone);
  return h("main", {}, h("div", { class: "welcome" },
    h("img", { class: "logo", src: new URL("../icon.svg", import.meta.url).href, alt: "", width: "72", height: "72" }),
    h("h1", { tabindex: "-1" }, t("app.name")),
    again ? banner("amber", "lock", t("sign-in.ended")) : null,
    waiting ? banner("", "hourglass", t("sign-in.waiting", { count: waiting })) : null,
    shown));
}
const again = () => dispatchEvent(new Event("signed"));

// A form that says what is wrong above its button.
/** @type {(act: (filled: FormData) => Promise<string | null | undefined>, ...parts: Child[]) => HTMLFormElement} */
function form(act, ...parts) {
  const trouble = h("div", { "aria-live": "assertive" });
  /** @type {HTMLFormElement} */
  const made = h("form", {
    async onsubmit(event) {
      event.preventDefault();
      const button = submitButton(made);
      button.disabled = true;
      const refused = await act(new FormData(made));
      // What was right is followed by another screen, perhaps after the next tap.
      button.disabled = !refused;
      trouble.replaceChildren(...(refused ? [banner("red", "triangle-alert", refused)] : []));
    },
  }, parts.slice(0, -1), trouble, parts[parts.length - 1]);
  return made;
}
/** @type {(text: string) => HTMLButtonElement} */
const button = (text) => h("button", { class: "primary big" }, text);
/** @type {(made: HTMLFormElement) => HTMLButtonElement} */
const submitButton = (made) => /** @type {HTMLButtonElement} */ (made.querySelector(".primary"));
/** @type {(label: string, given: Attributes) => HTMLElement} */
const field = (label, given) => h("label", { class: "field" }, h("span", {}, label), h("input", { required: true, ...given }));

/** @type {(filled: FormData, name: string) => string} */
const readField = (filled, name) => String(filled.get(name) ?? "");

function linkForm() {
  const link = field(t("sign-in.link"), { name: "link", autocomplete: "off" });
  const made = form(async (filled) => {
    const key = /app_[\w-]+/.exec(readField(filled, "link"))?.[0];
    if (!key) return t("sign-in.no-link");
    await note("key", key);
    again();
    return null;
  }, h("p", {}, t("sign-in.no-key")), link, button(t("go-on")));
  // An app that was installed on an iPhone does not know what its browser does.
  const scan = h("button", { async onclick() {
    const found = await capture({ method: "scan", subject_type: "order", subject_id: "link" }, nothing());
    const written = link.querySelector("input");
    if (!found || !written) return;
    written.value = found.body.code ?? "";
    submitButton(made).click();
  } }, icon("scan-line"), t("sign-in.scan"));
  return [made, scan];
}
function phoneForm(known = "") {
  return [
    form(async (filled) => send(readField(filled, "phone")),
      field(t("sign-in.phone"), { name: "phone", type: "tel", autocomplete: "tel", inputmode: "tel", placeholder: "+65 9123 4567", value: known }),
      h("p", { class: "muted" }, t("sign-in.phone-hint")), button(t("sign-in.send"))),
    h("button", { class: "plain", onclick: () => note("key", undefined).then(again) }, t("sign-in.other-link")),
  ];
}
/** @type {(phone: string) => Promise<string | null>} */
async function send(phone) {
  /** @type {Answer<DriverCodeSent>} */
  const answer = await call("POST", "/v1/drivers/login-with-sms", { token: await recall("key"), body: { phone } });
  if (answer.ours && [401, 403].includes(answer.status)) return t("sign-in.bad-key");
  if (!answer.body) return sentence(answer);
  asked = { phone, again: Date.now() + 1000 * answer.body.resend_after };
  again();
  return null;
}
/** @type {(sent: { phone: string; again: number }) => Child} */
function codeForm({ phone, again: next }) {
  const trouble = h("div", { "aria-live": "assertive" });
  const resend = h("button", { async onclick() {
    resend.disabled = true;
    const refused = await send(phone);
    resend.disabled = !refused;
    trouble.replaceChildren(...(refused ? [banner("red", "triangle-alert", refused)] : []));
  } });
  const tick = () => {
    const left = Math.ceil((next - Date.now()) / 1000);
    resend.disabled = left > 0;
    resend.textContent = left > 0 ? t("resend-in", { seconds: left }) : t("resend");
    if (left > 0) setTimeout(() => resend.isConnected && tick(), 1000);
  };
  tick();
  return [
    form(async (filled) => verify(phone, readField(filled, "code").replace(/\s/g, "")),
      h("p", {}, t("sign-in.sent", { phone })),
      field(t("code"), { name: "code", class: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: "12" }),
      button(t("sign-in.enter"))),
    h("div", { class: "pair" },
      h("button", { onclick: forget }, t("sign-in.other-phone")), resend),
    trouble,
  ];
}
function forget() {
  asked = null;
  again();
}
/** @type {(phone: string, code: string) => Promise<string | null>} */
async function verify(phone, code) {
  /** @type {Answer<DriverSignedIn>} */
  const answer = await call("POST", "/v1/drivers/verify-code", { token: await recall("key"), body: { phone, code } });
  if (!answer.body) return sentence(answer);
  const { token, driver } = answer.body;
  if ((await recall("driver"))?.id !== driver.id) await clear();
  const pressed = (await entries()).reverse().find((one) => one.by === driver.id && one.kind === "duty" && one.state === "waiting");
  await notes({ driver, token, duty: pressed?.body.online ?? driver.online });
  forget();
  return null;
}
