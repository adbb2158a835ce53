// The interface of every engine for the stores. Placeholders are $1, $2, …; integers are returned as bigint.

import type { StoredVersions } from "../domain/basics/versions.ts";
import type { DatabaseServer } from "./database-servers.ts";

export type SqlValue = string | number | bigint | Buffer | null;
export type Row = Record<string, SqlValue>;

/** Runs for one row of values, or for many at once. */
export interface Statement {
  /** Unique among all statements. */
  readonly name: string;
  readonly isWrite: boolean;
  /** SQL for one row, whose values are $1, $2, …; or a function, where an engine needs several statements. */
  readonly one: string | ((tx: Transaction, values: SqlValue[]) => Promise<Row | undefined>);
  /** SQL whose only parameter is the JSON of `toJson`. For callers, it returns at most one row each, with its number as `n`. */
  readonly many: string;
  toJson(rows: SqlValue[][]): string;
}

/** A statement that writes many rows. */
export type RowsStatement = Statement & { readonly one: string };

export interface Queries {
  readonly engine: "sqlite" | "postgres";
  all(sql: string, values?: SqlValue[]): Promise<Row[]>;
  first(sql: string, values?: SqlValue[]): Promise<Row | undefined>;
  /** Like `first`; callers of the same moment may share one statement. */
  batched(statement: Statement, values: SqlValue[]): Promise<Row | undefined>;
}

/** All statements but `batched` and `finish` may be sent together, with `awaitAll`: they run in this order. */
export interface Transaction extends Queries {
  /** Like `first`, and locks the row until this transaction ends. For a SELECT from one table. */
  lock(sql: string, values?: SqlValue[]): Promise<Row | undefined>;
  /** Resolves to the number of changed rows. */
  run(sql: string, values?: SqlValue[]): Promise<number>;
  /** Runs the statement for all rows, in their order. */
  runRows(statement: RowsStatement, rows: SqlValue[][]): Promise<void>;
  /** The same for a statement that adds rows and returns their new ids. Resolves to the ids, in the order of the rows. */
  addRows(statement: RowsStatement, rows: SqlValue[][]): Promise<bigint[]>;
  /**
   * Like `batched`, for the last statement: the engine may commit in the same round trip, so that an error after it does
   * not undo the transaction.
   */
  finish(statement: Statement, values: SqlValue[]): Promise<Row | undefined>;
  /** Calls `work` once before the commit. SQLite only. */
  atCommit?(work: CommitWork, ids: bigint[]): void;
}

/** May only await queries of its own transaction, because other transactions wait for it. */
export type Work<T> = (tx: Transaction) => Promise<T>;

/** Gets the ids of all transactions that commit together. */
export type CommitWork = (tx: Transaction, ids: bigint[]) => Promise<void>;

interface TransactionOptions {
  /**
   * Such transactions run one after another, across all nodes: the ids that they assign become visible in ascending
   * order, so that a client that pages by id misses none.
   */
  inOrder?: boolean;
  /** A transaction is refused with `idempotency_in_progress` while another with the same claim runs. Implies `inOrder`. */
  claim?: bigint;
  /** Longer than usual, such as for a migration. Not allowed for transactions in order: others wait for them. */
  deadlineMs?: number;
}

/** Numbers that no server has any more, although they were recorded. */
export interface LostChanges {
  /** Numbers of the history. */
  pets: { from: number; to: number } | undefined;
  /** Versions of keys. */
  keys: { from: number; to: number } | undefined;
}

export interface LineageListener {
  /** The newest number of the history that any node has published; undefined if it is unknown. */
  readPublished(): Promise<number | undefined>;
  /** Called before the server is used: numbers of the earlier epoch now mean other changes, or nothing. */
  onRenewed(versions: StoredVersions): void;
  onLost(lost: LostChanges): void;
}

/** Makes sure that a number of the history never gets a second meaning, although a promoted standby may lack some. */
export interface Lineage {
  /** Records versions that this process has written or read. */
  note(versions: { pets?: number; keys?: number }): void;
  /** From now on, every newly found server is compared with the recorded versions before it is used. */
  guard(listener: LineageListener): Promise<void>;
}

/** An engine that is down, full or too slow rejects with the service error `unavailable`. */
export interface Database extends Queries {
  /** Resolves when the work is durable; a rejected `work` is rolled back. */
  transaction<T>(work: Work<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Like `first`, for a SELECT of one row whose SQL depends on what is asked for. It should have few forms, and no value may
   * be null.
   */
  named(sql: string, values: SqlValue[]): Promise<Row | undefined>;
  /** All reads see the same moment, however long they take. Writes are not blocked. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Rejects when the engine does not respond or is read-only. */
  ping(): Promise<void>;
  /** Whether the last commit succeeded. */
  canWrite(): boolean;
  /** Writes without changing any data. Needs this release's schema; rejects if a write of the service would fail. */
  testWrite(): Promise<void>;
  /** Absent on engines without servers. */
  lineage?: Lineage;
  /** Empty for a single server. Absent on engines without servers. */
  servers?(): DatabaseServer[];
  /** Increases when another process has written. Absent on engines where only the server knows. */
  foreignChanges?(): number;
  /** Waits for running transactions. */
  close(): Promise<void>;
}

/** For the log and for operators. */
export function describeLost({ pets, keys }: LostChanges): string {
  const parts = [
    ...(pets === undefined ? [] : [`changes ${pets.from} to ${pets.to} of the history`]),
    ...(keys === undefined ? [] : [`changes ${keys.from} to ${keys.to} of keys`]),
  ];
  return `The database has lost ${parts.join(", and ")}: the server that takes the writes now had not received them. Ids may be assigned again, and clients of events have to begin again`;
}
