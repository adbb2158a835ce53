// The interface of every engine for the stores. Placeholders are $1, $2, …; integers are returned as bigint.

export type SqlValue = string | number | bigint | Buffer | null;
export type Row = Record<string, SqlValue>;

export interface Queries {
  all(sql: string, values?: SqlValue[]): Promise<Row[]>;
  first(sql: string, values?: SqlValue[]): Promise<Row | undefined>;
}

export interface Transaction extends Queries {
  /** Like `first`, and locks the row until this transaction ends. For a SELECT from one table. */
  lock(sql: string, values?: SqlValue[]): Promise<Row | undefined>;
  /** Resolves to the number of changed rows. */
  run(sql: string, values?: SqlValue[]): Promise<number>;
}

export interface TransactionOptions {
  /**
   * Such transactions run one after another, across all nodes: the ids that they assign become visible in ascending
   * order, so that a client that pages by id misses none.
   */
  inOrder?: boolean;
  /** A transaction is refused with `idempotency_in_progress` while another with the same claim runs. */
  claim?: bigint;
  /** For work that may take long, such as a migration. */
  deadlineMs?: number;
}

/** An engine that is down, full or too slow rejects with the service error `unavailable`. */
export interface Database extends Queries {
  readonly engine: "sqlite" | "postgres";
  /**
   * Resolves when the work is durable; a rejected `work` is rolled back. `work` may only await queries of its own
   * transaction, because other transactions wait for it.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** All reads see the same moment, however long they take. Writes are not blocked. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Rejects when the engine does not respond or is read-only. */
  ping(): Promise<void>;
  /** Whether the last commit succeeded. */
  canWrite(): boolean;
  /** Writes without changing any data. Needs this release's schema; rejects if a write of the service would fail. */
  testWrite(): Promise<void>;
  /** Increases when another process has written. Absent on engines where only the server knows. */
  foreignChanges?(): number;
  /** Waits for running transactions. */
  close(): Promise<void>;
}
