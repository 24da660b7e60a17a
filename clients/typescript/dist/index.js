/** The TypeScript client of Pannier. */
export { Client } from "./client.js";
export * from "./errors.js";
export { Pages } from "./pages.js";
export { NoResponseError, PannierError, ProblemError } from "./problem.js";
export { InvalidSignature, verify, } from "./webhooks.js";
