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

/** The part of the merging that a run uses. */
interface Merging {
  isShared: boolean;
  /** A run waits now. */
  pauseOne(): void;
  /** A run works again. */
  resumeOne(): void;
  ask(asked: Asked): void;
}

/** Without `isShared`, every run waits with its first statement until it runs alone. */
export function startMergedRuns(works: ReadonlyArray<Work<unknown>>, isShared: boolean): MergedRuns {
  let working = works.length;
  let asked: Asked[] = [];
  let onAllWaiting = () => {};

  function pauseOne(): void {
    working -= 1;
    if (working === 0) onAllWaiting();
  }

  const merging: Merging = {
    isShared,
    pauseOne,
    resumeOne() {
      working += 1;
    },
    ask: (one) => void asked.push(one),
  };

  function start(work: Work<unknown>): Run {
    const run: Run = { runAlone: undefined, outcome: undefined, hasWritten: false };
    const end = (outcome: Outcome) => {
      run.outcome = outcome;
      pauseOne();
    };
    work(transactionOf(run, merging)).then(
      (value) => end({ value }),
      (error) => end({ error }),
    );
    return run;
  }

  const runs = works.map(start);
  return {
    runs,
    allWaiting: () =>
      new Promise((resolve) => {
        onAllWaiting = resolve;
        if (working === 0) resolve();
      }),
    takeStep() {
      const writes = asked.filter(({ statement }) => statement.isWrite);
      const reads = asked.filter(({ statement }) => !statement.isWrite);
      const [taken, left] = reads.length > 0 ? [reads, writes] : [writes, []];
      asked = left;
      working += taken.length;
      return taken;
    },
  };
}

/** The transaction of one run: it shares statements, or waits until it has the connection for itself. */
function transactionOf(run: Run, { isShared, pauseOne, resumeOne, ask: askShared }: Merging): Transaction {
  /** The connection without other runs, for the rest of this one. */
  let turn: Promise<Transaction> | undefined;
  let hasFinished = false;
  const canShare = () => isShared && turn === undefined;

  function waitToRunAlone(): Promise<Transaction> {
    if (run.hasWritten) throw new Error("After a shared change, a transaction may only share statements");
    turn ??= new Promise((resolve) => {
      run.runAlone = (tx) => {
        run.runAlone = undefined;
        resumeOne();
        resolve(tx);
      };
      pauseOne();
    });
    return turn;
  }

  function ask(statement: Statement, values: SqlValue[], isLast: boolean) {
    if (hasFinished) throw new Error("A transaction has sent a statement after its last one");
    hasFinished = isLast;
    return new Promise<Row | undefined>((resolve) => {
      askShared({ run, statement, values, isLast, resolve });
      pauseOne();
    });
  }

  return {
    engine: "postgres",
    all: async (sql, values) => (await waitToRunAlone()).all(sql, values),
    first: async (sql, values) => (await waitToRunAlone()).first(sql, values),
    lock: async (sql, values) => (await waitToRunAlone()).lock(sql, values),
    run: async (sql, values) => (await waitToRunAlone()).run(sql, values),
    runRows: async (statement, rows) => (await waitToRunAlone()).runRows(statement, rows),
    addRows: async (statement, rows) => (await waitToRunAlone()).addRows(statement, rows),
    batched: async (statement, values) =>
      canShare() ? ask(statement, values, false) : (await waitToRunAlone()).batched(statement, values),
    finish: async (statement, values) =>
      canShare() ? ask(statement, values, true) : (await waitToRunAlone()).finish(statement, values),
  };
}
