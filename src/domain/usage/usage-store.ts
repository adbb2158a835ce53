// Counts of responses by minute and by day, and the interface of their store.

/** Owners of counts that are not keys. Keys have ids from 0 on. */
export const ALL_KEYS = -1n;
export const NO_KEY = -2n;
export const OTHER_KEYS = -3n;
/** The counts of ALL_KEYS by day are not divided by operation. */
export const ALL_OPERATIONS = "";
export const OTHER_OPERATIONS = "other";

/** `minute` counts from 1970, as `day` does. */
export interface MinuteCount {
  minute: number;
  keyId: bigint;
  status: number;
  responses: number;
}

/** Days of UTC. */
export interface DayCount {
  day: number;
  keyId: bigint;
  operation: string;
  status: number;
  responses: number;
}

export interface UsagePart {
  minutes: MinuteCount[];
  days: DayCount[];
}

/** A process that adds counts gives each of its parts the next number. */
interface PartName {
  writer: string;
  number: number;
}

/** From the first to the last minute or day. */
export interface UsageRange {
  keyId: bigint;
  first: number;
  last: number;
}

export interface StoredUsage<T> {
  counts: T[];
  /** The newest part of the writer that `counts` contain; 0 if none. */
  number: number;
}

export interface UsageStore {
  /**
   * Adds the counts of a part to the counts of all nodes. A part with the same name is added once, so that it can be repeated
   * when it is unknown whether the first attempt was committed.
   */
  add(part: UsagePart, name: PartName, nowMs: number): Promise<void>;
  readMinutes(range: UsageRange, writer: string): Promise<StoredUsage<MinuteCount>>;
  readDays(range: UsageRange, writer: string): Promise<StoredUsage<DayCount>>;
  /** Deletes some counts that are too old. Resolves to their number. */
  forget(nowMs: number): Promise<number>;
}

/** Counts the responses of this node, and reads the counts of all. */
export interface Usage {
  /** Counts one response; `keyId` is undefined for a caller without a valid key. */
  count(keyId: bigint | undefined, operation: string, status: number): void;
  /** The counts of all nodes, and of this node also the counts that are not stored yet. Several may belong together. */
  readMinutes(range: UsageRange): Promise<MinuteCount[]>;
  readDays(range: UsageRange): Promise<DayCount[]>;
  /** Stores the counts now. */
  flush(): Promise<void>;
  /** Stores the counts for the last time. */
  close(): Promise<void>;
}
