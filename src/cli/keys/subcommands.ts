// The subcommands of `keys`.

import { type OpenedForCommand, withStores } from "../../command-stores.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import {
  type ApiKey,
  completeSettings,
  type NewKey,
  ROTATION_GRACE_SECONDS_MAX,
} from "../../domain/keys/api-key.ts";
import type { KeyRing } from "../../domain/keys/key-ring.ts";
import { describeUsage } from "../../domain/keys/shown-limits.ts";
import { PERIODS, readDailyUse } from "../../domain/usage/periods.ts";
import { COMMAND } from "../../tools/program.ts";
import { defineOn, missingOptions, readFlags, SWITCH, UsageError, wholeNumber } from "../command.ts";
import { print, printJson, printList, printNote, printTable } from "../output.ts";
import { invite } from "./invite.ts";
import {
  describe,
  KEY_COLUMNS,
  PERSON_COLUMN,
  printIssuedKey,
  printKey,
  SHELTER_COLUMN,
} from "./printing.ts";
import { SETTINGS, toChanges } from "./settings.ts";

const JSON_FLAG = { json: SWITCH };
/** The next start creates an admin key, too, but a running service has none until then. */
const LAST_ADMIN_KEY = `This was the last admin key. Create another: ${COMMAND} keys create --name admin --plan enterprise --access admin`;

interface Opened extends Pick<OpenedForCommand, "peek" | "stores"> {
  keyRing: KeyRing;
  config: Config;
}

const onKey = defineOn<Opened>("key", withKeys);

export const SUBCOMMANDS = {
  invite,

  async create(args: string[]): Promise<void> {
    const { flags } = readFlags(args, {
      ...SETTINGS,
      publishable: SWITCH,
      "create-store": SWITCH,
      ...JSON_FLAG,
    });
    const { name, plan, ...given } = toChanges(flags);
    if (name === undefined || plan === undefined) throw missingOptions({ name, plan });
    const more = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    const key: NewKey = { name, plan, kind: flags.publishable ? "publishable" : "secret", ...more };
    // Before the store is opened, which --create-store may create.
    completeSettings(key, systemClock.nowMs());
    await withKeys(
      async ({ keyRing }) =>
        printIssuedKey(await keyRing.create(key, { command: "keys create" }), flags.json),
      { create: flags["create-store"] },
    );
  },

  async list(args: string[]): Promise<void> {
    const { flags } = readFlags(args, JSON_FLAG);
    await withKeys(async ({ keyRing, stores }) => {
      const [, another] = await stores.shelters.list({}, { limit: 2 });
      const [person] = await stores.people.list({ limit: 1 });
      const columns = {
        ...KEY_COLUMNS,
        ...(another && SHELTER_COLUMN),
        ...(person && PERSON_COLUMN),
      };
      const readPage = async (limit: number, last?: { id: bigint }) =>
        (await keyRing.list({ limit, after: last?.id })).map(describe);
      const empty = "There are no keys yet. Create one: keys create --name N --plan free";
      return printList({ columns, empty, readPage }, flags.json);
    });
  },

  show: onKey(JSON_FLAG, async (id, { json }, { keyRing, peek }) => {
    const key = await keyRing.get(id);
    const admission = await peek(key);
    const { windows, bannedUntilMs } = admission;
    const left = windows.map(({ name, limit, remaining }) => [
      `left this ${name}`,
      `${remaining} of ${limit}`,
    ]);
    const banned = bannedUntilMs === undefined ? "no" : `until ${new Date(bannedUntilMs).toISOString()}`;
    const text = { ...Object.fromEntries(left), banned };
    printKey(key, json, { json: { usage: describeUsage(admission) }, text });
  }),

  usage: onKey(
    { days: wholeNumber(1, PERIODS.day.most), ...JSON_FLAG },
    async (id, { days = PERIODS.day.usual, json }, { keyRing, peek, stores }) => {
      const key = await keyRing.get(id);
      // A command has no counts of its own.
      const stored = {
        readDays: async (range: Range) => (await stores.usageCounts.readDays(range, "")).counts,
      };
      const lastDays = await readDailyUse(stored, { keyId: id, days }, systemClock.nowMs());
      if (json) return printJson({ ...describeUsage(await peek(key)), lastDays });
      const rows = lastDays.flatMap(({ at, answers }) => {
        const day = at.toISOString().slice(0, 10);
        return answers.map(({ operation, status, count }) => [day, operation, String(status), String(count)]);
      });
      if (rows.length > 0) printTable(["DAY", "OPERATION", "STATUS", "RESPONSES"], rows);
      else print("The key has no responses in these days. Nodes store their counts once a minute.");
    },
  ),

  update: onKey(
    { ...SETTINGS, ...JSON_FLAG },
    async (id, flags, { keyRing }) => {
      const before = await keyRing.get(id);
      printKey(await keyRing.update(id, toChanges(flags), { command: "keys update" }), flags.json);
      await warnOfLastAdmin(keyRing, before);
    },
    (flags) => {
      if (Object.keys(toChanges(flags)).length === 0)
        throw new UsageError("There is nothing to change: give at least one setting.");
    },
  ),

  rotate: onKey(
    { grace: wholeNumber(0, ROTATION_GRACE_SECONDS_MAX), ...JSON_FLAG },
    async (id, { grace, json }, { keyRing }) =>
      printIssuedKey(await keyRing.rotate(id, { command: "keys rotate" }, grace), json),
  ),

  revoke: onKey(JSON_FLAG, async (id, { json }, { keyRing }) => {
    const revoked = await keyRing.revoke(id, { command: "keys revoke" });
    printKey(revoked, json);
    await warnOfLastAdmin(keyRing, revoked);
  }),

  unban: onKey(JSON_FLAG, async (id, { json }, { keyRing, peek, config: { database, redisUrl } }) => {
    // Redis times a ban with its own clock. With the clock of this machine, if it is slow, the ban would stay.
    if (database.engine === "postgres" && redisUrl === undefined)
      printNote(
        "If the service uses REDIS_URL, set it here too and repeat: bans are timed by the clock of Redis.",
      );
    const { nowMs } = await peek(await keyRing.get(id));
    printKey(await keyRing.unban(id, nowMs, { command: "keys unban" }), json);
  }),
};

type Range = Parameters<Parameters<typeof readDailyUse>[0]["readDays"]>[0];

async function withKeys(work: (opened: Opened) => Promise<void>, { create = false } = {}): Promise<void> {
  const config = readConfig();
  await withStores(config, ({ stores, peek }) => work({ stores, keyRing: stores.keyRing, peek, config }), {
    create,
  });
}

async function warnOfLastAdmin(keyRing: KeyRing, { access }: ApiKey): Promise<void> {
  if (access === "admin" && !(await keyRing.hasAdmin())) printNote(LAST_ADMIN_KEY);
}
