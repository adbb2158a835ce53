// Times and dates: RFC 3339 to milliseconds, days of the calendar, and durations in words.

import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

export const TIME_RULE = "an RFC 3339 time, such as 2030-01-31T12:00:00Z";

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
export const DAY_RULE = "a date, such as 2030-01-31";

const UNITS = [
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", SECOND_MS],
] as const;

/** "24 hours", "1 minute": a whole number of the largest unit that divides it. */
export function formatDuration(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? ["second", SECOND_MS];
  const count = ms / unitMs;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Undefined for invalid times, including 30 February. */
export function parseTime(text: string): number | undefined {
  const [, year, month, day] = RFC3339.exec(text) ?? [];
  if (day === undefined) return undefined;
  // Date would read 30 February as 2 March.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  const ms = Date.parse(text);
  return isDay && !Number.isNaN(ms) ? ms : undefined;
}

/** Whether the text is a day of the calendar, such as 2030-01-31. Without Date, which takes most of the time of a check. */
export function isDay(text: string): boolean {
  const [, year = "", month = "", day = ""] = DAY.exec(text) ?? [];
  const isLeapDay = month === "02" && day === "29" && isLeapYear(Number(year));
  return isLeapDay || (day > "00" && Number(day) <= (DAYS_OF_MONTHS[Number(month) - 1] ?? 0));
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The UTC day, such as 2030-01-31. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The same day some months earlier, or the last day of that month if it is shorter. */
export function monthsBefore(day: string, months: number): string {
  const [year, month, dayOfMonth] = day.split("-").map(Number) as [number, number, number];
  const lastOfMonth = new Date(Date.UTC(year, month - months, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 - months, Math.min(dayOfMonth, lastOfMonth)));
}
