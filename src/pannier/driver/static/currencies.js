// The decimal digits of currencies, as in ISO 4217 and the API. Browsers would use those of CLDR: several that have two have none there.
const UNUSUAL = Object.entries({
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
});
/** @type {(currency: string) => number} */
export const digitsOf = (currency) => Number(UNUSUAL.find(([, codes]) => codes.includes(currency))?.[0] ?? 2);
