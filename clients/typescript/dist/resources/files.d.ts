import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface FilesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /**
     * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`, `size`.
     */
    sort?: string | undefined;
    /** Part of the name, in any case. */
    name?: string | undefined;
    /** Filter by content type. */
    content_type?: string | undefined;
}
export declare class Files {
    #private;
    constructor(transport: Transport);
    /** Upload a file, as a form or as JSON. */
    create(body: types.FileIn, options?: Options): Promise<types.FileOut>;
    /** Delete a file; its links stop working immediately. */
    delete(fileId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a file's metadata, with a new link to its content. */
    get(fileId: string, options?: Options): Promise<types.FileOut>;
    /** List the company's files. */
    list(query?: FilesListQuery, options?: Options): Pages<types.FileOut>;
}
