// Numbers and times as people read them.

const COUNT = new Intl.NumberFormat("en");
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const STEPS: Array<[Intl.RelativeTimeFormatUnit, number]> = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

export function formatCount(count: number | bigint): string {
  return COUNT.format(count);
}

export function formatMoment(time: Date): string {
  return MOMENT.format(time);
}

/** "5 December 2030" for `2030-12-05`. */
export function formatDay(day: string): string {
  return DAY.format(new Date(day));
}

export function formatClock(time: Date): string {
  return CLOCK.format(time);
}

/** "3 hours ago", "in 2 days". */
export function formatDistance(time: Date, nowMs: number): string {
  const ms = time.getTime() - nowMs;
  for (const [unit, unitMs] of STEPS) {
    if (Math.abs(ms) >= unitMs) return RELATIVE.format(Math.round(ms / unitMs), unit);
  }
  return ms > 0 ? "within a minute" : "just now";
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
