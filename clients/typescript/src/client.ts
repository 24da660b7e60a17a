/** The client. Its resources are generated from the OpenAPI document. */
import { Resources } from "./resources/index.js";
import { DEFAULT_RETRY, type RetryPolicy } from "./retries.js";
import { Transport } from "./transport.js";

const DEFAULT_TIMEOUT_MS = 30_000;

export interface ClientOptions {
  /** An API key, a storefront key, or the token of a driver or an operator. */
  key?: string;
  /** The token of a store's signed-in customer. */
  customerToken?: string;
  /** Milliseconds that one attempt may take. */
  timeoutMs?: number;
  retry?: Partial<RetryPolicy>;
  /** Sends the requests, in place of the global `fetch`. */
  fetch?: typeof fetch;
}

/** Calls an installation of Pannier. */
export class Client extends Resources {
  constructor(url: string, options: ClientOptions = {}) {
    const headers: Record<string, string> = {};
    if (options.key !== undefined) headers.Authorization = `Bearer ${options.key}`;
    if (options.customerToken !== undefined) headers["Customer-Token"] = options.customerToken;
    super(
      new Transport({
        url: new URL(url).href.replace(/\/+$/, ""),
        headers,
        timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        retry: { ...DEFAULT_RETRY, ...options.retry },
        // Browsers call it only as a function of the page.
        fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
      }),
    );
  }
}
