// Usage as the API and the commands show it: a list of periods without gaps, oldest first.

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../basics/durations.ts";
import { DAYS_KEPT, MINUTES_KEPT } from "./usage-limits.ts";
import { ALL_KEYS, type Usage } from "./usage-store.ts";

/** The lengths of periods; how many of them are shown if the caller does not say, and at most. */
export const PERIODS = {
  minute: { ms: MINUTE_MS, usual: 60, most: MINUTES_KEPT },
  hour: { ms: HOUR_MS, usual: 24, most: (MINUTES_KEPT * MINUTE_MS) / HOUR_MS },
  day: { ms: DAY_MS, usual: 30, most: DAYS_KEPT },
} as const;
export type PeriodName = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as PeriodName[];

interface Answers {
  status: number;
  count: number;
}

export interface Period<T = Answers> {
  at: Date;
  answers: T[];
}

export type OperationAnswers = Answers & { operation: string };

/** By status, of one key or of all callers. The last period is the current one. */
export async function readTraffic(
  usage: Pick<Usage, "readMinutes" | "readDays">,
  { per, periods, keyId = ALL_KEYS }: { per: PeriodName; periods: number; keyId?: bigint | undefined },
  nowMs: number,
): Promise<Period[]> {
  const { ms } = PERIODS[per];
  const startMs = startOf(nowMs, ms, periods);
  const counts =
    per === "day"
      ? (await usage.readDays({ keyId, ...rangeOf(startMs, nowMs, DAY_MS) })).map(({ day, ...count }) => ({
          ...count,
          atMs: day * DAY_MS,
        }))
      : (await usage.readMinutes({ keyId, ...rangeOf(startMs, nowMs, MINUTE_MS) })).map(
          ({ minute, ...count }) => ({ ...count, atMs: minute * MINUTE_MS }),
        );
  const sums = createSums<Answers>({ startMs, ms, periods });
  for (const { atMs, status, responses } of counts) sums.add(atMs, String(status), { status }, responses);
  return sums.read((a, b) => a.status - b.status);
}

/** The days of a key, by operation and status. */
export async function readDailyUse(
  usage: Pick<Usage, "readDays">,
  { keyId, days }: { keyId: bigint; days: number },
  nowMs: number,
): Promise<Period<OperationAnswers>[]> {
  const startMs = startOf(nowMs, DAY_MS, days);
  const sums = createSums<OperationAnswers>({ startMs, ms: DAY_MS, periods: days });
  for (const { day, operation, status, responses } of await usage.readDays({
    keyId,
    ...rangeOf(startMs, nowMs, DAY_MS),
  }))
    sums.add(day * DAY_MS, `${operation} ${status}`, { operation, status }, responses);
  return sums.read((a, b) => compareTexts(a.operation, b.operation) || a.status - b.status);
}

function startOf(nowMs: number, ms: number, periods: number): number {
  return (Math.floor(nowMs / ms) - periods + 1) * ms;
}

function rangeOf(startMs: number, nowMs: number, ms: number): { first: number; last: number } {
  return { first: startMs / ms, last: Math.floor(nowMs / ms) };
}

/** Adds up the counts of each period that have the same name. */
function createSums<T extends Answers>({
  startMs,
  ms,
  periods,
}: {
  startMs: number;
  ms: number;
  periods: number;
}) {
  const sums = Array.from({ length: periods }, () => new Map<string, T>());
  return {
    add(atMs: number, name: string, what: Omit<T, "count">, responses: number): void {
      const ofPeriod = sums[Math.floor((atMs - startMs) / ms)];
      const known = ofPeriod?.get(name);
      if (known !== undefined) known.count += responses;
      else ofPeriod?.set(name, { ...what, count: responses } as T);
    },
    read: (compare: (a: T, b: T) => number): Period<T>[] =>
      sums.map((ofPeriod, index) => ({
        at: new Date(startMs + index * ms),
        answers: [...ofPeriod.values()].sort(compare),
      })),
  };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
