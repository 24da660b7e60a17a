// The app's texts in the driver's language. The server writes words/*.js from its catalogue in pannier/locales.
export const LANGUAGES = ["en", "de", "fr", "es"];
let chosenLanguage = localStorage.getItem("language");

/** @type {() => string} */
export const currentLanguage = () => chosenLanguage ?? navigator.languages.map((one) => one.slice(0, 2)).find((one) => LANGUAGES.includes(one)) ?? "en";
/** @type {() => Promise<Record<string, string>>} */
const loadTexts = async () => (await import(`./words/${currentLanguage()}.js`)).default;
let texts = await loadTexts();
/** @type {(name: string) => Promise<void>} */
export async function setLanguage(name) {
  chosenLanguage = name;
  texts = await loadTexts();
  localStorage.setItem("language", name);
  document.documentElement.lang = currentLanguage();
}
// Prefer a regional variant of the language, such as en-SG: its dates and numbers differ.
export const locale = () => navigator.languages.find((one) => one.startsWith(currentLanguage())) ?? currentLanguage();
/** @type {(key: string, values?: Values) => string} */
export function t(key, values = {}) {
  const text = texts[key];
  if (text === undefined) throw new Error(`There is no text for ${key}.`);
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
// Translate a default failure reason. A company's own reasons stay as they are.
/** @type {(label: string) => string} */
export const reasonText = (label) => texts[`reason.${label}`] ?? label;
// Translate the label of a default activity. A company's own labels stay as they are.
/** @type {(activity: Pick<ActivityAhead, "code" | "status">) => string} */
export const activityText = ({ code, status }) => (code === "started" ? t("stop.start") : texts[`activity.${status}`] ?? (status || code));
// The outbox stores summaries as keys, because the language may change before they are sent.
/** @type {(summary: Summary) => string} */
export const toText = (summary) => (typeof summary === "string" ? summary : t(summary.key, summary.values));
/** @type {(moment: string | number) => string} */
export const formatTime = (moment) => new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(moment));
document.documentElement.lang = currentLanguage();
