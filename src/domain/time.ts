// Times: RFC 3339 to milliseconds, and durations in words.

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

export const TIME_RULE = "an RFC 3339 time, such as 2030-01-31T12:00:00Z";

const UNITS = [
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** "24 hours", "1 minute": a whole number of the largest unit that divides it. */
export function formatDuration(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? ["second", 1_000];
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
