// `keys usage`: the responses of a key by day, operation and status.

import { systemClock } from "../../domain/basics/clock.ts";
import { describeUsage } from "../../domain/keys/limits.ts";
import { type OperationAnswers, PERIODS, type Period, readDailyUse } from "../../domain/usage/periods.ts";
import { readCount, SWITCH, TEXT } from "../command.ts";
import { print, printJson, printTable } from "../output.ts";
import { readIdAndFlags } from "./flags.ts";
import { withStores } from "./subcommands.ts";

const HEAD = ["DAY", "OPERATION", "STATUS", "RESPONSES"];
const { usual, most } = PERIODS.day;

export async function showUsage(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags(args, { days: TEXT, json: SWITCH });
  const days = flags.days === undefined ? usual : readCount("--days", flags.days, { min: 1, max: most });
  await withStores(async ({ keyRing, peek, usageCounts }) => {
    const key = await keyRing.get(id);
    // A command has no counts of its own.
    const stored = { readDays: async (range: Range) => (await usageCounts.readDays(range, "")).counts };
    const lastDays = await readDailyUse(stored, { keyId: id, days }, systemClock.nowMs());
    if (flags.json) printJson({ ...describeUsage(await peek(key)), lastDays });
    else printDays(lastDays);
  });
}

type Range = Parameters<Parameters<typeof readDailyUse>[0]["readDays"]>[0];

function printDays(days: Period<OperationAnswers>[]): void {
  const rows = days.flatMap(({ at, answers }) =>
    answers.map(({ operation, status, count }) => [
      at.toISOString().slice(0, 10),
      operation,
      String(status),
      String(count),
    ]),
  );
  if (rows.length > 0) printTable(HEAD, rows);
  else print("The key has no responses in these days. Nodes store their counts once a minute.");
}
