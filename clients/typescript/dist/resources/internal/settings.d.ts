import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `getNews`. */
export interface InternalSettingsGetNewsQuery {
    /** The store. Without one, the company's texts are used. */
    storefront?: string | undefined;
}
export declare class InternalSettings {
    #private;
    constructor(transport: Transport);
    /** Retrieve the company's effective settings, including defaults. */
    get(options?: Options): Promise<types.SettingsOut>;
    /** Retrieve the notification texts in every language, and the daily SMS limit. */
    getNews(query?: InternalSettingsGetNewsQuery, options?: Options): Promise<types.NewsOut>;
    /** Preview a text with example values and its SMS length. */
    previewNews(body: types.NewsPreviewIn, options?: Options): Promise<types.NewsPreviewOut>;
    /** Update settings. */
    update(body?: types.SettingsChange, options?: Options): Promise<types.SettingsOut>;
}
