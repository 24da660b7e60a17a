import type { Transport } from "../../transport.js";
import { StorefrontAddresses } from "./addresses.js";
import { StorefrontCustomers } from "./customers.js";
import { StorefrontServiceQuotes } from "./serviceQuotes.js";
export declare class Storefront {
    readonly addresses: StorefrontAddresses;
    readonly customers: StorefrontCustomers;
    readonly serviceQuotes: StorefrontServiceQuotes;
    constructor(transport: Transport);
}
