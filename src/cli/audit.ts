// `audit`: prints who changed the service itself.

import { withStores } from "../command-stores.ts";
import { readConfig } from "../config/config.ts";
import { type AuditState, describeAuditRecord } from "../domain/keys/audit.ts";
import type { PersonName } from "../domain/keys/person-name.ts";
import { COMMAND } from "../tools/program.ts";
import { escapeUnsafe } from "../tools/shown-text.ts";
import { defineCommand, SWITCH, wholeNumber } from "./command.ts";
import { type Columns, printList, showTime } from "./output.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000_000_000;

const COLUMNS: Columns<ReturnType<typeof describeAuditRecord>> = {
  NUMBER: ({ number }) => String(number),
  TIME: ({ timestamp }) => showTime(timestamp),
  ACTION: ({ action }) => action,
  BY: ({ actor }) => showParty(actor),
  TARGET: ({ target = {} }) => showParty(target),
  CHANGE: ({ from = {}, to = {} }) => escapeUnsafe(showChange(from, to)),
};

export const command = defineCommand({
  help: `Usage: ${COMMAND} audit [--limit N] [--json]

Prints the audit log, newest first: changes of keys, people, webhooks and shelters, bans, imports, restored and copied
stores, each with its time and with the key or the command that made it. Key 0 is ADMIN_API_KEY. It contains no secrets.

  --limit N   print at most N records (default ${LIMIT_DEFAULT})
  --json      print JSON, as GET /v1/audit returns it`,
  options: { limit: wholeNumber(1, LIMIT_MAX), json: SWITCH },
  async run({ limit = LIMIT_DEFAULT, json }) {
    await withStores(readConfig(), ({ stores }) => {
      const log = {
        columns: COLUMNS,
        empty: "The audit log is empty.",
        limit,
        readPage: async (limit: number, last?: { number: bigint }) =>
          (await stores.audit.list({ limit, after: last?.number })).map(describeAuditRecord),
      };
      return printList(log, json);
    });
  },
});

interface Party {
  keyId?: bigint;
  person?: PersonName | undefined;
  webhookId?: bigint;
  shelterId?: bigint;
  personId?: bigint;
  invitationId?: bigint;
  command?: string;
  file?: string;
}

/** Examples: `key 2`, `Maria (key 3)`, `webhook 3`, `animals.csv` or `keys revoke`. */
function showParty(party: Party): string {
  const { keyId, person, webhookId, shelterId, personId, invitationId, command, file } = party;
  if (person !== undefined) return escapeUnsafe(`${person.name} (key ${keyId})`);
  if (keyId !== undefined) return `key ${keyId}`;
  if (webhookId !== undefined) return `webhook ${webhookId}`;
  if (shelterId !== undefined) return `shelter ${shelterId}`;
  if (personId !== undefined) return `person ${personId}`;
  if (invitationId !== undefined) return `invitation ${invitationId}`;
  return escapeUnsafe(command ?? file ?? "");
}

/** Examples: `plan free → pro, access manage` and `address none → (Uferweg 12, Berlin)`. */
function showChange(from: AuditState, to: AuditState): string {
  const names = Object.keys({ ...from, ...to }) as Array<keyof AuditState>;
  return names
    .map((name) => {
      const values = [from[name], to[name]].filter((value) => value !== undefined);
      return `${name} ${values.map(showValue).join(" → ")}`;
    })
    .join(", ");
}

function showValue(value: AuditState[keyof AuditState]): string {
  const isGroup = typeof value === "object" && value !== null && !Array.isArray(value);
  return isGroup ? `(${Object.values(value).join(", ")})` : String(value ?? "none");
}
