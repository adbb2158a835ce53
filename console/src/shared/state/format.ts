// Numbers and times as people read them, in the language of the console.

import { computed, type ReadonlySignal } from "@preact/signals";
import { describeAge } from "../../../../src/domain/animals/words.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/domain/basics/durations.ts";
import { language, t } from "../texts/language.ts";

const LOCALES = { en: "en-GB", de: "de-DE" };

/** Created once per language, when it is first needed: the first rows need few of them. */
function forLanguage<T>(create: (locale: string) => T): ReadonlySignal<T> {
  return computed(() => create(LOCALES[language.value]));
}

function formatNumbers(options: Intl.NumberFormatOptions) {
  const format = forLanguage((locale) => new Intl.NumberFormat(locale, options));
  return (count: number | bigint) => format.value.format(count);
}

function formatTimes(options: Intl.DateTimeFormatOptions) {
  const format = forLanguage((locale) => new Intl.DateTimeFormat(locale, options));
  return (time: Date | string) => format.value.format(new Date(time));
}

const formatUnits = (unit: string) => formatNumbers({ style: "unit", unit, unitDisplay: "long" });

export const formatCount = formatNumbers({});
/** "1 animal", "1,000 animals". */
export const formatAnimals = (count: number) => t().animals.total(count, formatCount(count));
/** "10K" instead of "10,000", for the axes of a chart. */
export const formatCompact = formatNumbers({ notation: "compact" });
/** "72 hours". */
export const formatHours = formatUnits("hour");

/** "5 Dec 2030". */
export const formatDate = formatTimes({ dateStyle: "medium" });
export const formatMoment = formatTimes({ dateStyle: "medium", timeStyle: "short" });
export const formatClock = formatTimes({ timeStyle: "short" });
/** "5 December 2030" for `2030-12-05`. */
export const formatDay = formatTimes({ dateStyle: "long", timeZone: "UTC" });
/** "5 Dec", of a day in UTC. */
export const formatShortDay = formatTimes({ day: "numeric", month: "short", timeZone: "UTC" });

const relative = forLanguage((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));
const STEPS: Array<[Intl.RelativeTimeFormatUnit, number]> = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
];

/** "3 hours ago", "in 2 days". */
export function formatDistance(time: Date, nowMs: number): string {
  const ms = time.getTime() - nowMs;
  for (const [unit, unitMs] of STEPS) {
    if (Math.abs(ms) >= unitMs) return relative.value.format(Math.round(ms / unitMs), unit);
  }
  return ms > 0 ? t().time.withinAMinute : t().time.justNow;
}

/** "42 s", "3 min 5 s", "2 h 10 min". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

export function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** "3 years", "5 months", "2 weeks": the age on the day `nowMs`. */
export function formatAge(bornOn: string, nowMs: number): string {
  return describeAge(bornOn, nowMs, t().profileWords);
}

/** "EUR – Euro", by the code. */
export function listCurrencies(): Array<[code: string, text: string]> {
  const names = new Intl.DisplayNames(LOCALES[language.value], { type: "currency" });
  return Intl.supportedValuesOf("currency").map((code) => [code, `${code} – ${names.of(code)}`]);
}

/** `amount` is in minor units. A currency that does not exist is shown as it is. */
export function formatMoney({ amount, currency }: { amount: number; currency: string }): string {
  try {
    const format = new Intl.NumberFormat(LOCALES[language.value], { style: "currency", currency });
    return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    return `${amount} ${currency}`;
  }
}
