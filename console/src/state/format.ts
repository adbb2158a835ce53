// Numbers and times as people read them, in the language of the console.

import { computed } from "@preact/signals";
import { language, t } from "../texts/language.ts";

const LOCALES = { en: "en-GB", de: "de-DE" };

/** Created once per language: it takes long. */
const formats = computed(() => {
  const locale = LOCALES[language.value];
  return {
    count: new Intl.NumberFormat(locale),
    compact: new Intl.NumberFormat(locale, { notation: "compact" }),
    moment: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }),
    day: new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }),
    shortDay: new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" }),
    clock: new Intl.DateTimeFormat(locale, { timeStyle: "short" }),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: "auto" }),
    year: countOf(locale, "year"),
    month: countOf(locale, "month"),
    week: countOf(locale, "week"),
    hour: countOf(locale, "hour"),
  };
});

function countOf(locale: string, unit: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" });
}

const STEPS: Array<[Intl.RelativeTimeFormatUnit, number]> = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

export function formatCount(count: number | bigint): string {
  return formats.value.count.format(count);
}

/** "10K" instead of "10,000", for the axes of a chart. */
export function formatCompact(count: number): string {
  return formats.value.compact.format(count);
}

export function formatMoment(time: Date): string {
  return formats.value.moment.format(time);
}

/** "72 hours". */
export function formatHours(hours: number): string {
  return formats.value.hour.format(hours);
}

/** "5 December 2030" for `2030-12-05`. */
export function formatDay(day: string): string {
  return formats.value.day.format(new Date(day));
}

/** "5 Dec", of a day in UTC. */
export function formatShortDay(day: Date): string {
  return formats.value.shortDay.format(day);
}

export function formatClock(time: Date): string {
  return formats.value.clock.format(time);
}

/** "3 hours ago", "in 2 days". */
export function formatDistance(time: Date, nowMs: number): string {
  const ms = time.getTime() - nowMs;
  for (const [unit, unitMs] of STEPS) {
    if (Math.abs(ms) >= unitMs) return formats.value.relative.format(Math.round(ms / unitMs), unit);
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
  const { year, month, week } = formats.value;
  if (days >= 730) return year.format(Math.floor(days / 365.25));
  return days >= 60 ? month.format(Math.floor(days / 30.44)) : week.format(Math.floor(days / 7));
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
