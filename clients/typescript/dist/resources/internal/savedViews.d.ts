import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalSavedViewsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
    sort?: string | undefined;
    /** Filter by list name. */
    list_name?: "orders" | undefined;
}
export declare class InternalSavedViews {
    #private;
    constructor(transport: Transport);
    /** Save the filters, sorting and layout of a list under a name. */
    create(body: types.SavedViewIn, options?: Options): Promise<types.SavedViewOut>;
    /** Delete one of your views. */
    delete(savedViewId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a view. */
    get(savedViewId: string, options?: Options): Promise<types.SavedViewOut>;
    /** List your own views and those that others share. */
    list(query?: InternalSavedViewsListQuery, options?: Options): Pages<types.SavedViewOut>;
    /** Change one of your views. */
    update(savedViewId: string, body?: types.SavedViewChange, options?: Options): Promise<types.SavedViewOut>;
}
