// `keys usage`: the responses of a key by day, operation and status.

import { withStores } from "../../command-stores.ts";
import { readConfig } from "../../config/config.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import { describeUsage } from "../../domain/keys/limits.ts";
import { type OperationAnswers, PERIODS, type Period, readDailyUse } from "../../domain/usage/periods.ts";
import { readCount, readIdAndFlags, SWITCH, TEXT } from "../command.ts";
import { print, printJson, printTable } from "../output.ts";

const { usual, most } = PERIODS.day;

export async function showUsage(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("keys", args, { days: TEXT, json: SWITCH });
  const days = flags.days === undefined ? usual : readCount("--days", flags.days, { min: 1, max: most });
  await withStores(readConfig(), async ({ stores: { keyRing, usageCounts }, peek }) => {
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
    answers.map(({ operation, status, count }) => ({
      DAY: at.toISOString().slice(0, 10),
      OPERATION: operation,
      STATUS: String(status),
      RESPONSES: String(count),
    })),
  );
  if (rows.length > 0) printTable(rows);
  else print("The key has no responses in these days. Nodes store their counts once a minute.");
}
