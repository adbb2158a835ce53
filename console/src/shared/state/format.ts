// Numbers and times as people read them, in the language of the console.

import { computed, type ReadonlySignal } from "@preact/signals";
import { language, t } from "../texts/language.ts";

const LOCALES = { en: "en-GB", de: "de-DE" };

/** Created once per language, when it is first needed: the first rows need few of them. */
function forLanguage<T>(create: (locale: string) => T): ReadonlySignal<T> {
  return computed(() => create(LOCALES[language.value]));
}

function countOf(unit: string): ReadonlySignal<Intl.NumberFormat> {
  return forLanguage((locale) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }));
}

function dateOf(options: Intl.DateTimeFormatOptions): ReadonlySignal<Intl.DateTimeFormat> {
  return forLanguage((locale) => new Intl.DateTimeFormat(locale, options));
}

const formats = {
  count: forLanguage((locale) => new Intl.NumberFormat(locale)),
  compact: forLanguage((locale) => new Intl.NumberFormat(locale, { notation: "compact" })),
  moment: dateOf({ dateStyle: "medium", timeStyle: "short" }),
  day: dateOf({ dateStyle: "long", timeZone: "UTC" }),
  shortDay: dateOf({ day: "numeric", month: "short", timeZone: "UTC" }),
  clock: dateOf({ timeStyle: "short" }),
  relative: forLanguage((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" })),
  year: countOf("year"),
  month: countOf("month"),
  week: countOf("week"),
  hour: countOf("hour"),
};

const STEPS: Array<[Intl.RelativeTimeFormatUnit, number]> = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

export function formatCount(count: number | bigint): string {
  return formats.count.value.format(count);
}

/** "10K" instead of "10,000", for the axes of a chart. */
export function formatCompact(count: number): string {
  return formats.compact.value.format(count);
}

export function formatMoment(time: Date): string {
  return formats.moment.value.format(time);
}

/** "72 hours". */
export function formatHours(hours: number): string {
  return formats.hour.value.format(hours);
}

/** "5 December 2030" for `2030-12-05`. */
export function formatDay(day: string): string {
  return formats.day.value.format(new Date(day));
}

/** "5 Dec", of a day in UTC. */
export function formatShortDay(day: Date): string {
  return formats.shortDay.value.format(day);
}

export function formatClock(time: Date): string {
  return formats.clock.value.format(time);
}

/** "3 hours ago", "in 2 days". */
export function formatDistance(time: Date, nowMs: number): string {
  const ms = time.getTime() - nowMs;
  for (const [unit, unitMs] of STEPS) {
    if (Math.abs(ms) >= unitMs) return formats.relative.value.format(Math.round(ms / unitMs), unit);
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
  const days = Math.max(0, Math.floor((nowMs - Date.parse(bornOn)) / 86_400_000));
  if (days >= 730) return formats.year.value.format(Math.floor(days / 365.25));
  if (days >= 60) return formats.month.value.format(Math.floor(days / 30.44));
  return formats.week.value.format(Math.floor(days / 7));
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
