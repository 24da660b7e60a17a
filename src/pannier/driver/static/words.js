// What the app says, in the driver's language. Every text is a key here and in each of words/*.js.
export const LANGUAGES = ["en", "de"];
let chosen = localStorage.getItem("language");

export const language = () => chosen ?? navigator.languages.map((one) => one.slice(0, 2)).find((one) => LANGUAGES.includes(one)) ?? "en";
const learnt = async () => (await import(`./words/${language()}.js`)).default;
let words = await learnt();
export async function speak(name) {
  chosen = name;
  words = await learnt();
  localStorage.setItem("language", name);
  document.documentElement.lang = language();
}
// English as it is spoken in Singapore, if the phone speaks that: dates and numbers differ.
export const locale = () => navigator.languages.find((one) => one.startsWith(language())) ?? language();
export function t(key, values = {}) {
  const text = words[key];
  if (text === undefined) throw new Error(`Nothing is said for ${key}.`);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
export const time = (moment) => new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" }).format(new Date(moment));
document.documentElement.lang = language();
