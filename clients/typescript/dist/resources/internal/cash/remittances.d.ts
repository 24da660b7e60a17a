import type { Pages } from "../../../pages.js";
import { type Options } from "../../../requests.js";
import type { Transport } from "../../../transport.js";
import type * as types from "../../../types.js";
/** Parameters of `list`. */
export interface InternalCashRemittancesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** A contact or vendor, by its identifier. */
    customer?: string | undefined;
    /** ISO 4217, three letters. */
    currency?: string | undefined;
}
export declare class InternalCashRemittances {
    #private;
    constructor(transport: Transport);
    /** Remit a merchant's cash that drivers have handed in since the last remittance. */
    create(body: types.RemittanceIn, options?: Options): Promise<types.RemittanceOut>;
    /** Retrieve a cash remittance. */
    get(cashRemittanceId: string, options?: Options): Promise<types.RemittanceOut>;
    /** List cash/remittances. */
    list(query?: InternalCashRemittancesListQuery, options?: Options): Pages<types.RemittanceOut>;
}
