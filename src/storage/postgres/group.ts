// Commits one group of writes: one transaction, with as few round trips as possible under the lock of order.

import { performance } from "node:perf_hooks";
import { ServiceError } from "../../domain/basics/errors.ts";
import { awaitAll } from "../../tools/await-all.ts";
import type { QueuedWrite } from "../group-queue.ts";
import type { Connection } from "./connection.ts";
import { isLate, isRepeatable, isUnavailable, unavailable } from "./faults.ts";
import { CLOCK, type Result, serverMsOf } from "./pool.ts";
import { type MergedRuns, type Outcome, type Run, startMergedRuns } from "./statement-merging.ts";
import {
  askBatch,
  LOCK_ORDER,
  READ_COMMITTED,
  requireCommitted,
  rollBack,
  timeoutsOf,
  transactionOn,
} from "./transactions.ts";

type GroupedWrite = Pick<QueuedWrite, "work" | "claim">;

interface GroupWaits {
  /** When the callers get an error. */
  endMs: number;
  /** A process that freezes or loses its connection holds the lock of order no longer than this. */
  idleMs: number;
}

/**
 * Resolves to the outcome of each write when all are durable. A write that fails does so alone. Rejects if the whole group
 * is lost, or if the outcome of COMMIT is unknown.
 */
export async function commitGroup(
  connection: Connection,
  writes: GroupedWrite[],
  waits: GroupWaits,
): Promise<Outcome[]> {
  try {
    return await attempt(connection, writes, { ...waits, isShared: true });
  } catch (error) {
    if (isUnavailable(error) && !isRepeatable(error)) throw error;
    // The server has rolled back because of one of the writes: on its own, only that one fails.
    return attempt(connection, writes, { ...waits, isShared: false }).catch((again) => {
      throw isLate(again) ? unavailable(again) : again;
    });
  }
}

/** With `isShared`, equal statements of all writes become one; without, each write runs by itself. */
async function attempt(
  connection: Connection,
  writes: GroupedWrite[],
  { isShared, ...waits }: GroupWaits & { isShared: boolean },
): Promise<Outcome[]> {
  if (performance.now() >= waits.endMs) throw unavailable();
  const group = openGroup(connection, waits);
  try {
    // The first attempt may have failed because this clock was wrong.
    if (!isShared) await group.readClock();
    const claimed = await claimWrites(group, writes);
    const works = claimed.map(({ work }) => work);
    const merged = startMergedRuns(works, isShared);
    if (!(await runSteps(group, merged))) {
      await runAlone(group, merged);
      await group.commit();
    }
    const outcomes = new Map(claimed.map((write, index) => [write, merged.runs[index]?.outcome]));
    return writes.map(
      (write) => outcomes.get(write) ?? { error: new ServiceError("idempotency_in_progress") },
    );
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

type Group = ReturnType<typeof openGroup>;

/** BEGIN and the lock of order are sent along with the first statement that needs them. */
function openGroup(connection: Connection, { endMs, idleMs }: GroupWaits) {
  const leftMs = Math.ceil(endMs - performance.now());
  let unsent = [READ_COMMITTED, ...timeoutsOf(leftMs, idleMs)];
  let isOrdered = false;
  const { clock } = connection;
  /** Sent along with the next statement. */
  const add = (sql: string) => void unsent.push(sql);

  /** Sends what was added, and then `sql`. Resolves to the result of each statement. */
  async function send(sql?: string): Promise<Result[]> {
    if (sql !== undefined) add(sql);
    if (unsent.length === 0) return [];
    const text = unsent.join("; ");
    unsent = [];
    return [await connection.ask(text)].flat();
  }

  return {
    connection,
    add,
    send,
    lockOrder(): void {
      if (!isOrdered) add(LOCK_ORDER);
      isOrdered = true;
    },
    async readClock(): Promise<void> {
      const result = (await send(`SELECT ${CLOCK}`)).at(-1);
      clock.correct(serverMsOf(result), performance.now());
    },
    /** Rejects if the callers have an error by now: it is rolled back then. */
    async commit(): Promise<void> {
      if (performance.now() >= endMs) throw unavailable();
      // By the clock of the server, which may receive or execute it late. The division by zero prevents the COMMIT.
      const isInTime = `clock_timestamp() < to_timestamp(${(clock.at(endMs) ?? 0) / 1000})`;
      add(`SELECT ${CLOCK}, 1 / (${isInTime})::int`);
      const [clockResult, committed] = (await send("COMMIT")).slice(-2);
      clock.note(serverMsOf(clockResult), performance.now());
      requireCommitted(committed);
    },
  };
}

/** Resolves to the writes without a claim and those whose claim is free. Does not wait for the lock of order. */
async function claimWrites(group: Group, writes: GroupedWrite[]): Promise<GroupedWrite[]> {
  const claims = writes.flatMap(({ claim }) => claim ?? []);
  if (claims.length === 0) return writes;
  const each = `unnest('{${claims.join(",")}}'::bigint[]) AS claim`;
  const results = await group.send(`SELECT claim FROM ${each} WHERE pg_try_advisory_xact_lock(claim)`);
  const free = new Set(results.at(-1)?.rows.map(({ claim }) => claim));
  return writes.filter(({ claim }) => claim === undefined || free.has(claim));
}

/** Runs the statements that writes share. Resolves to true if COMMIT was sent along with the last ones. */
async function runSteps(group: Group, merged: MergedRuns): Promise<boolean> {
  for (let isEnd = false; ; ) {
    await merged.allWaiting();
    if (isEnd) return true;
    // Its change is part of a shared statement: the group is rolled back, and its writes run one by one.
    if (merged.runs.some((run) => run.hasWritten && errorOf(run)))
      throw new Error("A write failed half-done");
    const asked = merged.takeStep();
    if (asked.length === 0) return false;
    const isWrite = asked.some(({ statement }) => statement.isWrite);
    for (const { run } of asked) run.hasWritten ||= isWrite;
    const waiting = merged.runs.filter(({ outcome }) => outcome === undefined);
    isEnd = waiting.length === asked.length && asked.every(({ isLast }) => isLast);

    if (isWrite) group.lockOrder();
    const begun = group.send();
    const answers = [...Map.groupBy(asked, ({ statement }) => statement)].map(
      async ([statement, callers]) => {
        const values = callers.map((caller) => caller.values);
        return { callers, rows: await askBatch(group.connection, statement, values) };
      },
    );
    const committed = isEnd ? group.commit() : undefined;
    // The connection must be free, also to roll back.
    await awaitAll([begun, ...answers, committed]);
    for (const { callers, rows } of await Promise.all(answers))
      for (const [index, { resolve }] of callers.entries()) resolve(rows[index]);
  }
}

/** Runs the writes that need the connection for themselves, one after another, each after a savepoint. */
async function runAlone(group: Group, merged: MergedRuns): Promise<void> {
  for (const run of merged.runs) {
    if (run.runAlone === undefined) continue;
    group.lockOrder();
    const begun = group.send("SAVEPOINT write");
    run.runAlone(transactionOn(group.connection));
    await awaitAll([begun, merged.allWaiting()]);
    const error = errorOf(run);
    if (isUnavailable(error)) throw error;
    if (error !== undefined) group.add("ROLLBACK TO SAVEPOINT write");
    group.add("RELEASE SAVEPOINT write");
  }
}

function errorOf({ outcome }: Run): unknown {
  return outcome !== undefined && "error" in outcome ? outcome.error : undefined;
}
