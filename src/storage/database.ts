// The interface of every engine for the stores. Placeholders are $1, $2, …; integers are returned as bigint.

export type SqlValue = string | number | bigint | Buffer | null;
export type Row = Record<string, SqlValue>;

/** Runs for one caller, or for all that wait at the same time. */
export interface BatchStatement {
  readonly name: string;
  readonly isWrite: boolean;
  /** Runs it for one caller. */
  one(queries: Queries, values: SqlValue[]): Promise<Row | undefined>;
  /** SQL whose only parameter is the JSON of `toJson`. Returns at most one row per caller, with the caller's number as `n`. */
  readonly many: string;
  toJson(callers: SqlValue[][]): string;
}

/** Runs for many rows. */
export interface RowsStatement {
  /** SQL for one row, whose values are $1, $2, … */
  readonly one: string;
  /** SQL for all rows, with an array of each column: $1, $2, … For `addRows`, it returns the ids. */
  readonly many: string;
  /** The type of each column. */
  readonly types: ReadonlyArray<"bigint" | "text">;
}

export interface Queries {
  readonly engine: "sqlite" | "postgres";
  all(sql: string, values?: SqlValue[]): Promise<Row[]>;
  first(sql: string, values?: SqlValue[]): Promise<Row | undefined>;
  /** Like `first`; callers of the same moment may share one statement. */
  batched(statement: BatchStatement, values: SqlValue[]): Promise<Row | undefined>;
}

/** All statements but `batched` and `finish` may be sent together, with `settleAll`: they run in this order. */
export interface Transaction extends Queries {
  /** Like `first`, and locks the row until this transaction ends. For a SELECT from one table. */
  lock(sql: string, values?: SqlValue[]): Promise<Row | undefined>;
  /** Resolves to the number of changed rows. */
  run(sql: string, values?: SqlValue[]): Promise<number>;
  /** Runs the statement for all rows, in their order. */
  runRows(statement: RowsStatement, rows: SqlValue[][]): Promise<void>;
  /** The same for a statement that adds rows, whose ids the engine assigns. Resolves to the ids, in the order of the rows. */
  addRows(statement: RowsStatement, rows: SqlValue[][]): Promise<bigint[]>;
  /**
   * Like `batched`, for the last statement: the engine may commit in the same round trip, so that an error after it does
   * not undo the transaction.
   */
  finish(statement: BatchStatement, values: SqlValue[]): Promise<Row | undefined>;
}

export interface TransactionOptions {
  /**
   * Such transactions run one after another, across all nodes: the ids that they assign become visible in ascending
   * order, so that a client that pages by id misses none.
   */
  inOrder?: boolean;
  /** A transaction is refused with `idempotency_in_progress` while another with the same claim runs. Implies `inOrder`. */
  claim?: bigint;
  /** For work that may take long, such as a migration. Not for transactions in order: others wait for them. */
  deadlineMs?: number;
}

/** An engine that is down, full or too slow rejects with the service error `unavailable`. */
export interface Database extends Queries {
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
