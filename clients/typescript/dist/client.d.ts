/** The client. Its resources are generated from the OpenAPI document. */
import { Resources } from "./resources/index.js";
import { type RetryPolicy } from "./retries.js";
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
export declare class Client extends Resources {
    constructor(url: string, options?: ClientOptions);
}
