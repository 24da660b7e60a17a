// What the app says, in the driver's language. Every text is a key here and in each of words/*.js.
import de from "./words/de.js";
import en from "./words/en.js";

export const LANGUAGES = { en, de };
let chosen = localStorage.getItem("language");

export const language = () => chosen ?? navigator.languages.map((one) => one.slice(0, 2)).find((one) => one in LANGUAGES) ?? "en";
export function speak(name) {
  chosen = name;
  localStorage.setItem("language", name);
  document.documentElement.lang = language();
}
export function t(key, values = {}) {
  const text = LANGUAGES[language()][key] ?? en[key];
  if (text === undefined) throw new Error(`Nothing is said for ${key}.`);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
export const time = (moment) => new Intl.DateTimeFormat(language(), { hour: "2-digit", minute: "2-digit" }).format(new Date(moment));
document.documentElement.lang = language();
