export class InternalSettings {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve the company's effective settings, including defaults. */
    get(options) {
        return this.#transport.call("GET", "/int/v1/settings", { options });
    }
    /** Retrieve the notification texts in every language, and the daily SMS limit. */
    getNews(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/settings/news", { query, options });
    }
    /** Preview a text with example values and its SMS length. */
    previewNews(body, options) {
        return this.#transport.call("POST", "/int/v1/settings/news/preview", { body, options });
    }
    /** Update settings. */
    update(body = {}, options) {
        return this.#transport.call("PATCH", "/int/v1/settings", { body, options });
    }
}
