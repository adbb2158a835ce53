// `audit`: prints who changed the service itself.

import { withStores } from "../command-stores.ts";
import { readConfig } from "../config/config.ts";
import { type AuditState, type AuditStore, describeAuditRecord } from "../domain/keys/audit.ts";
import { COMMAND } from "../tools/program.ts";
import { escapeUnsafe } from "../tools/shown-text.ts";
import { type Command, readCount, readFlags, SWITCH, TEXT } from "./command.ts";
import { printPages, type TableRow } from "./output.ts";

const LIMIT_DEFAULT = "20";
const LIMIT_MAX = 1_000_000_000;
/** Read page by page: a log may hold more than fits into memory. */
const PAGE_SIZE = 1_000;

export const command: Command = {
  help: `Usage: ${COMMAND} audit [--limit N] [--json]

Prints the audit log, newest first: changes of keys and webhooks, bans, imports, restored and copied stores, each with
its time and with the key or the command that made it. Key 0 is ADMIN_API_KEY. It contains no secrets.

  --limit N   print at most N records (default ${LIMIT_DEFAULT})
  --json      print JSON, as GET /v1/audit returns it`,
  async run(args) {
    const { flags } = readFlags(args, { limit: TEXT, json: SWITCH });
    const limit = readCount("--limit", flags.limit ?? LIMIT_DEFAULT, { min: 1, max: LIMIT_MAX });
    await withStores(readConfig(), ({ stores }) =>
      printPages(readRecords(stores.audit, limit), {
        asJson: flags.json,
        empty: "The audit log is empty.",
        toRow,
      }),
    );
  },
};

type Described = ReturnType<typeof describeAuditRecord>;

async function* readRecords(audit: AuditStore, limit: number): AsyncGenerator<Described[]> {
  let after: bigint | undefined;
  for (let left = limit; left > 0; left -= PAGE_SIZE) {
    const page = await audit.list({ limit: Math.min(left, PAGE_SIZE), after });
    yield page.map(describeAuditRecord);
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.number;
  }
}

function toRow(record: Described): TableRow {
  const { number, timestamp, action, actor, target = {}, from = {}, to = {} } = record;
  return {
    NUMBER: String(number),
    TIME: timestamp.toISOString(),
    ACTION: action,
    BY: escapeUnsafe(showParty(actor)),
    TARGET: escapeUnsafe(showParty(target)),
    CHANGE: escapeUnsafe(showChange(from, to)),
  };
}

/** Such as `key 2`, `webhook 3`, `animals.csv` or `keys revoke`. */
function showParty(party: { keyId?: bigint; webhookId?: bigint; command?: string; file?: string }): string {
  const { keyId, webhookId, command, file } = party;
  if (keyId !== undefined) return `key ${keyId}`;
  if (webhookId !== undefined) return `webhook ${webhookId}`;
  return command ?? file ?? "";
}

/** Such as `plan free → pro, access manage`. */
function showChange(from: AuditState, to: AuditState): string {
  const names = Object.keys({ ...from, ...to }) as Array<keyof AuditState>;
  return names
    .map((name) => {
      const values = [from[name], to[name]].filter((value) => value !== undefined);
      return `${name} ${values.map((value) => value ?? "none").join(" → ")}`;
    })
    .join(", ");
}
