// Counts of responses in memory, until they are stored. Their number is bounded.

import { DAY_MS, MINUTE_MS } from "../../domain/basics/durations.ts";
import {
  ALL_KEYS,
  ALL_OPERATIONS,
  type DayCount,
  type MinuteCount,
  OTHER_KEYS,
  OTHER_OPERATIONS,
  type UsagePart,
} from "../../domain/usage/usage-store.ts";

const MINUTES_PER_DAY = DAY_MS / MINUTE_MS;
/** Combinations of key, operation and status in a minute. */
const COMBINATIONS_MAX = 10_000;
/** About 10 MB. The counts of all keys and of other keys are allowed beyond it. */
const ROWS_MAX = 50_000;

interface Response {
  minute: number;
  keyId: bigint;
  operation: string;
  status: number;
}

interface UnsentCounts {
  count(response: Response): void;
  /** Removes up to `rowsMax` rows; undefined if there are none. */
  take(rowsMax: number): UsagePart | undefined;
  read(): UsagePart;
  forgetMinutesBefore(minute: number): void;
  /** Responses since the last call whose key or operation was not counted, because there were too many. */
  takeOverflow(): number;
}

/**
 * A response costs one increment, by key, operation and status. When the minute ends, or when rows are read or taken, the
 * increments become rows.
 */
export function createUnsentCounts(
  limits = { combinationsMax: COMBINATIONS_MAX, rowsMax: ROWS_MAX },
): UnsentCounts {
  const counters = createCounters(limits.combinationsMax);
  const rows = createRows(limits.rowsMax);
  let currentMinute = 0;
  let overflow = 0;

  function closeMinute(): void {
    for (const { responses, ...combination } of counters.take()) {
      const isCounted = rows.add({ minute: currentMinute, ...combination }, responses);
      if (!isCounted) overflow += responses;
    }
  }

  return {
    count({ minute, keyId, operation, status }) {
      if (minute !== currentMinute) {
        closeMinute();
        currentMinute = minute;
      }
      const own = counters.find(keyId, operation, status);
      if (own === undefined) overflow += 1;
      const counter = own ?? counters.findOthers(status);
      counter.responses += 1;
    },
    take(most) {
      closeMinute();
      return rows.take(most);
    },
    read() {
      closeMinute();
      return rows.read();
    },
    forgetMinutesBefore: rows.forgetMinutesBefore,
    takeOverflow() {
      const taken = overflow;
      overflow = 0;
      return taken;
    },
  };
}

interface Counter extends Omit<Response, "minute"> {
  responses: number;
}

/** Counters of one minute, at most `max` besides those for others. */
function createCounters(max: number) {
  const current = new Map<bigint, Map<string, Map<number, Counter>>>();
  let all: Counter[] = [];

  function add(keyId: bigint, operation: string, status: number): Counter {
    const operations = getOrAdd(current, keyId, () => new Map());
    const statuses = getOrAdd(operations, operation, () => new Map());
    return getOrAdd(statuses, status, () => {
      const counter = { keyId, operation, status, responses: 0 };
      all.push(counter);
      return counter;
    });
  }

  return {
    /** Undefined if there is no room for another one. */
    find(keyId: bigint, operation: string, status: number): Counter | undefined {
      const known = current.get(keyId)?.get(operation)?.get(status);
      return known ?? (all.length < max ? add(keyId, operation, status) : undefined);
    },
    findOthers: (status: number) => add(OTHER_KEYS, OTHER_OPERATIONS, status),
    /** Removes all of them. */
    take(): Counter[] {
      const taken = all;
      all = [];
      current.clear();
      return taken;
    },
  };
}

/** At most `max` rows, besides the rows for all keys and for other keys. */
function createRows(max: number) {
  const minutes = new Map<string, MinuteCount>();
  const days = new Map<string, DayCount>();

  /** False if there is no room for another row. */
  function addTo<T extends MinuteCount | DayCount>(rows: Map<string, T>, name: string, row: T): boolean {
    const known = rows.get(name);
    const isFull = minutes.size + days.size >= max && row.keyId !== ALL_KEYS && row.keyId !== OTHER_KEYS;
    if (known !== undefined) known.responses += row.responses;
    else if (isFull) return false;
    else rows.set(name, row);
    return true;
  }
  const addMinute = (row: MinuteCount) => addTo(minutes, `${row.minute} ${row.keyId} ${row.status}`, row);
  const addDay = (row: DayCount) =>
    addTo(days, `${row.day} ${row.keyId} ${row.operation} ${row.status}`, row);

  return {
    /** False if the responses were counted for other keys. */
    add({ minute, keyId, operation, status }: Response, responses: number): boolean {
      const day = Math.floor(minute / MINUTES_PER_DAY);
      addMinute({ minute, keyId: ALL_KEYS, status, responses });
      addDay({ day, keyId: ALL_KEYS, operation: ALL_OPERATIONS, status, responses });
      const hasMinute = addMinute({ minute, keyId, status, responses });
      const hasDay = addDay({ day, keyId, operation, status, responses });
      if (!hasMinute) addMinute({ minute, keyId: OTHER_KEYS, status, responses });
      if (!hasDay) addDay({ day, keyId: OTHER_KEYS, operation: OTHER_OPERATIONS, status, responses });
      return hasMinute && hasDay;
    },
    take(most: number): UsagePart | undefined {
      if (minutes.size + days.size === 0) return undefined;
      const takenMinutes = takeSome(minutes, most);
      return { minutes: takenMinutes, days: takeSome(days, most - takenMinutes.length) };
    },
    read: (): UsagePart => ({ minutes: [...minutes.values()], days: [...days.values()] }),
    forgetMinutesBefore(minute: number): void {
      for (const [name, row] of minutes) if (row.minute < minute) minutes.delete(name);
    },
  };
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const fresh = create();
  map.set(key, fresh);
  return fresh;
}

function takeSome<T>(rows: Map<string, T>, most: number): T[] {
  const names = [...rows.keys().take(most)];
  const taken = names.map((name) => rows.get(name) as T);
  for (const name of names) rows.delete(name);
  return taken;
}
