// `keys list`: all keys, as a table or as JSON.

import { systemClock } from "../../domain/clock.ts";
import { describeKey } from "../../domain/keys/api-key.ts";
import { readFlags } from "../command.ts";
import { createJsonList, createTable, print, untilRead } from "../output.ts";
import { JSON_FLAG } from "./flags.ts";
import { withStores } from "./with-stores.ts";

/** Keys are printed page by page: a store may hold more than fit into memory. */
const PAGE_SIZE = 1_000;
const HEAD = ["ID", "NAME", "KEY", "PLAN", "ACCESS", "PER MINUTE", "PER DAY", "STATE", "LAST USED"];

export async function listKeys(args: string[]): Promise<void> {
  const { flags } = readFlags(args, JSON_FLAG);
  await withStores(async ({ keyRing }) => {
    const json = createJsonList();
    const printRows = createTable(HEAD);
    let after: bigint | undefined;
    for (;;) {
      const page = await keyRing.list({ limit: PAGE_SIZE, after });
      const described = page.map((key) => describeKey(key, systemClock.nowMs()));
      if (flags.json) json.add(described);
      else if (page.length > 0) printRows(described.map(toRow));
      else if (after === undefined)
        print("There are no keys yet. Create one: keys create --name N --plan free");
      after = page.at(-1)?.id;
      if (page.length < PAGE_SIZE) break;
      await untilRead();
    }
    if (flags.json) json.end();
  });
}

function toRow(described: ReturnType<typeof describeKey>): string[] {
  const { id, name, hint, plan, access, perMinute, perDay, state, lastUsedAt } = described;
  return [
    ...[String(id), name, `${hint}…`, plan, access],
    ...[String(perMinute), String(perDay), state, lastUsedAt?.toISOString() ?? "never"],
  ];
}
