// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `getNews`. */
export interface InternalSettingsGetNewsQuery {
  /** The store. Without one, the company's texts are used. */
  store?: string | undefined;
  /** Deprecated: use `store`. */
  storefront?: string | undefined;
}

export class InternalSettings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve the company's effective settings, including defaults. */
  get(options?: Options): Promise<types.SettingsOut> {
    return this.#transport.call("GET", "/int/v1/settings", { options });
  }

  /** Retrieve the notification texts in every language, and the daily SMS limit. */
  getNews(query: InternalSettingsGetNewsQuery = {}, options?: Options): Promise<types.NewsOut> {
    return this.#transport.call("GET", "/int/v1/settings/news", { query, options });
  }

  /** Preview a text with example values and its SMS length. */
  previewNews(body: types.NewsPreviewIn, options?: Options): Promise<types.NewsPreviewOut> {
    return this.#transport.call("POST", "/int/v1/settings/news/preview", { body, options });
  }

  /** Update settings. */
  update(body: types.SettingsChange = {}, options?: Options): Promise<types.SettingsOut> {
    return this.#transport.call("PATCH", "/int/v1/settings", { body, options });
  }
}
