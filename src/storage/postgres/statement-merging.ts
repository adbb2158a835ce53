// Merges the statements of transactions: each works until it needs the database, then equal statements are sent as one.

import type { Row, SqlValue, Statement, Transaction, Work } from "../database.ts";

/** A statement that a run waits for. */
interface Asked {
  run: Run;
  statement: Statement;
  values: SqlValue[];
  /** Whether the transaction ends with it. */
  isLast: boolean;
  resolve(row: Row | undefined): void;
}

export type Outcome = { value: unknown } | { error: unknown };

/** One transaction. It may wait for one statement at a time. */
export interface Run {
  /** Present when its next statement cannot be shared, so that it waits for the connection. */
  runAlone: ((tx: Transaction) => void) | undefined;
  /** Present at its end. */
  outcome: Outcome | undefined;
  /** Whether a shared statement has changed data for it, which cannot be undone for this run alone. */
  hasWritten: boolean;
}

export interface MergedRuns {
  readonly runs: readonly Run[];
  /** Resolves when every run waits or has ended. */
  allWaiting(): Promise<void>;
  /** The statements that runs wait for: the reads first, then the writes. The caller must answer them. */
  takeStep(): Asked[];
}

/** Lets a run wait until the function that `offer` gets is called. */
type Pause = <T>(offer: (resume: (value: T) => void) => void) => Promise<T>;

/** Without `isShared`, every run waits with its first statement until it runs alone. */
export function startMergedRuns(works: ReadonlyArray<Work<unknown>>, isShared: boolean): MergedRuns {
  let working = works.length;
  let asked: Asked[] = [];
  let onAllWaiting = () => {};

  function stopOne(): void {
    working -= 1;
    if (working === 0) onAllWaiting();
  }

  const pause: Pause = (offer) =>
    new Promise((resolve) => {
      offer((value) => {
        working += 1;
        resolve(value);
      });
      stopOne();
    });
  const share = (one: Asked) => void asked.push(one);

  const runs = works.map((work) => {
    const run: Run = { runAlone: undefined, outcome: undefined, hasWritten: false };
    const end = (outcome: Outcome) => {
      run.outcome = outcome;
      stopOne();
    };
    work(transactionOf(run, pause, isShared ? share : undefined)).then(
      (value) => end({ value }),
      (error) => end({ error }),
    );
    return run;
  });

  return {
    runs,
    allWaiting: () =>
      new Promise((resolve) => {
        onAllWaiting = resolve;
        if (working === 0) resolve();
      }),
    takeStep() {
      const { reads = [], writes = [] } = Object.groupBy(asked, ({ statement }) =>
        statement.isWrite ? "writes" : "reads",
      );
      asked = reads.length > 0 ? writes : [];
      return reads.length > 0 ? reads : writes;
    },
  };
}

/** The transaction of one run: it shares statements, or waits until it has the connection for itself. */
function transactionOf(run: Run, pause: Pause, share: ((asked: Asked) => void) | undefined): Transaction {
  /** The connection without other runs, for the rest of this one. */
  let turn: Promise<Transaction> | undefined;
  let hasFinished = false;

  async function alone(): Promise<Transaction> {
    if (run.hasWritten) throw new Error("After a shared change, a transaction may only share statements");
    turn ??= pause((resume) => {
      run.runAlone = (tx) => {
        run.runAlone = undefined;
        resume(tx);
      };
    });
    return turn;
  }

  async function ask(statement: Statement, values: SqlValue[], isLast: boolean): Promise<Row | undefined> {
    if (share === undefined || turn !== undefined)
      return (await alone())[isLast ? "finish" : "batched"](statement, values);
    if (hasFinished) throw new Error("A transaction has sent a statement after its last one");
    hasFinished = isLast;
    return pause((resolve) => share({ run, statement, values, isLast, resolve }));
  }

  return {
    engine: "postgres",
    all: async (sql, values) => (await alone()).all(sql, values),
    first: async (sql, values) => (await alone()).first(sql, values),
    lock: async (sql, values) => (await alone()).lock(sql, values),
    run: async (sql, values) => (await alone()).run(sql, values),
    runRows: async (statement, rows) => (await alone()).runRows(statement, rows),
    addRows: async (statement, rows) => (await alone()).addRows(statement, rows),
    batched: (statement, values) => ask(statement, values, false),
    finish: (statement, values) => ask(statement, values, true),
  };
}
