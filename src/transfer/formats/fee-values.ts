// Fees as people write them: an amount with or without its currency.

import { CellFault } from "./cell-values.ts";

const CODES = new Set(Intl.supportedValuesOf("currency"));
const DOLLAR = "$";
/** A dollar sign alone does not say which dollar. */
const SIGNS: Record<string, string> = { "€": "EUR", EURO: "EUR", "£": "GBP", US$: "USD" };
const FEE = /^([a-z]{3,4}|[€£$]|us\$)?(\d[\d.,]*)(?:-{1,2}|–)?([a-z]{3,4}|[€£$]|us\$)?$/i;
const FEE_RULE = "fee must be a decimal, such as 150 or 150.00, with or without its currency";
const AMBIGUOUS =
  "the three digits after the fee's only separator may be thousands or decimals. Write 1250 or 1250.00";

export type Fee = { amount: number; currency: string };

/** The currency of a fee: from its own column, and the setting for fees without one. */
interface FeeCurrency {
  column: string | undefined;
  setting: string | undefined;
}

export function readFee(text: string, given: FeeCurrency): Fee | CellFault {
  const [, before, number = "", after] = FEE.exec(text.replaceAll(/[\s'’]/g, "")) ?? [];
  const signs = [before, after].flatMap((sign) => sign?.toUpperCase() ?? []);
  const written = signs.filter((sign) => sign !== DOLLAR).map((sign) => SIGNS[sign] ?? sign);
  if (number === "" || !written.every((code) => CODES.has(code))) return new CellFault(FEE_RULE);
  const other = given.column ?? (written.length === 0 ? given.setting : undefined);
  const currencies = [...written, other].filter((code) => code !== undefined);
  const [currency] = currencies;
  const isDollar = currency === undefined || formatOf(currency).symbol === DOLLAR;
  if (currencies.some((code) => code !== currency) || (signs.includes(DOLLAR) && !isDollar)) {
    const named = [...new Set([...signs, other])].filter((sign) => sign !== undefined);
    return new CellFault(`the fee has currencies that differ: ${named.join(", ")}`);
  }
  const amount = toMinorUnits(number, formatOf(currency ?? "EUR").digits);
  return typeof amount === "number" ? toFee(amount, currency) : amount;
}

export function toFee(amount: number, currency: string | undefined): Fee | CellFault {
  if (currency !== undefined) return { amount, currency };
  return new CellFault("the fee has no currency. Set currency (--currency), such as EUR");
}

/** A decimal without its currency, such as 150.00. */
export function writeFee({ amount, currency }: Fee): string {
  const { digits } = formatOf(currency);
  return (amount / 10 ** digits).toFixed(digits);
}

interface CurrencyFormat {
  /** All dollars have the same. */
  symbol: string | undefined;
  /** The number of decimals. */
  digits: number;
}
/** Creating a formatter takes longer than reading a row. */
const formats = new Map<string, CurrencyFormat>();

function formatOf(currency: string): CurrencyFormat {
  const known = formats.get(currency);
  if (known !== undefined) return known;
  const options = { style: "currency", currency, currencyDisplay: "narrowSymbol" } as const;
  const format = new Intl.NumberFormat("en", options);
  const symbol = format.formatToParts(0).find(({ type }) => type === "currency")?.value;
  const found = { symbol, digits: format.resolvedOptions().maximumFractionDigits ?? 2 };
  formats.set(currency, found);
  return found;
}

/** "1.500,00" and "1,500.00" alike. One or two digits after the only separator are decimals. */
function toMinorUnits(number: string, digits: number): number | CellFault {
  const bare = number.replace(/[.,]$/, "");
  const groups = bare.split(/[.,]/);
  const separators = bare.replaceAll(/\d/g, "");
  const [first = "", ...others] = separators.slice(0, -1);
  const last = groups.at(-1) ?? "";
  if (groups.length === 2 && last.length === 3) return new CellFault(AMBIGUOUS);
  const isDecimal = groups.length === 2 || (groups.length > 2 && !separators.endsWith(first));
  const whole = isDecimal ? groups.slice(0, -1) : groups;
  const fraction = isDecimal ? last : "";
  const isGrouped =
    whole.slice(1).every((group) => group.length === 3) && others.every((separator) => separator === first);
  if (!isGrouped || fraction.length > digits) return new CellFault(FEE_RULE);
  return Number(whole.join("") + fraction.padEnd(digits, "0"));
}
