// The small interface that every engine offers to the stores. Placeholders are $1, $2, …; integers come back as bigint.

export type SqlValue = string | number | bigint | Buffer | null;
export type Row = Record<string, SqlValue>;

export interface Queries {
  all(sql: string, values?: SqlValue[]): Promise<Row[]>;
  first(sql: string, values?: SqlValue[]): Promise<Row | undefined>;
}

export interface Transaction extends Queries {
  /** Like `first`, and nobody else changes the row before this transaction ends. For a SELECT from one table. */
  lock(sql: string, values?: SqlValue[]): Promise<Row | undefined>;
  /** Resolves to the number of changed rows. */
  run(sql: string, values?: SqlValue[]): Promise<number>;
}

export interface TransactionOptions {
  /**
   * Such transactions are done one after another, across all nodes: ids that they assign become visible in rising
   * order, so that a reader who pages by id misses none.
   */
  inOrder?: boolean;
  /** Of transactions with the same claim one runs at a time: the next is refused with `idempotency_in_progress`. */
  claim?: bigint;
  /** For work that may take long, such as a migration. */
  deadlineMs?: number;
}

/** An engine that is down, full or too slow rejects with the service error `unavailable`. */
export interface Database extends Queries {
  readonly engine: "sqlite" | "postgres";
  /**
   * Resolves after the work is durable; a rejected `work` leaves no trace. `work` may only await queries of
   * its transaction: others wait behind it.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Reads that all see the same moment, however long they take; writes go on meanwhile. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Rejects when the engine does not answer, or takes no writes at all. */
  ping(): Promise<void>;
  /** False since a commit has failed, true again with the next that succeeds. */
  canWrite(): boolean;
  /** Writes something that changes nothing. Needs this release's schema; rejects when a write of the service would fail. */
  testWrite(): Promise<void>;
  /** Rises when another process has written. Absent where nobody but the engine's server could tell. */
  foreignChanges?(): number;
  /** Waits for running transactions. */
  close(): Promise<void>;
}
