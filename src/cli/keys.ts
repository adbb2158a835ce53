// `keys`: the commands on API keys.

import { type CommandStores, openStores } from "../command-stores.ts";
import { readConfig } from "../config.ts";
import { systemClock } from "../domain/clock.ts";
import { parseInt64 } from "../domain/int64.ts";
import { ACCESS_LEVELS } from "../domain/keys/access.ts";
import {
  type ApiKey,
  applyChanges,
  describeKey,
  type KeyChanges,
  ROTATION_GRACE_SECONDS,
  ROTATION_GRACE_SECONDS_MAX,
} from "../domain/keys/api-key.ts";
import type { IssuedKey } from "../domain/keys/key-ring.ts";
import { describeUsage } from "../domain/keys/limits.ts";
import { OWN_LIMIT_MAX, PLAN_NAMES } from "../domain/keys/plan.ts";
import { parseTime, TIME_RULE } from "../domain/time.ts";
import { type Command, readChoice, readCount, readFlags, UsageError } from "./command.ts";
import {
  createJsonList,
  createTable,
  print,
  printJson,
  printNote,
  printProperties,
  untilRead,
} from "./output.ts";

const HELP = `Usage: npm run -s animal-store -- keys SUBCOMMAND [OPTIONS]

  create --name N --plan P   issue a key; it is printed this once
         [--access A] [--per-minute N] [--per-day N] [--expires-at T] [--create-store]
  list                       all keys, revoked and expired ones too
  show ID                    one key, with what is left of its limits
  update ID                  change settings, in force with the next request
         [--name N] [--plan P] [--access A] [--per-minute N|none] [--per-day N|none] [--expires-at T|never]
  rotate ID [--grace S]      a new secret at once; the old one works S seconds more (default ${ROTATION_GRACE_SECONDS})
  revoke ID                  end a key for good
  unban ID                   lift the ban of a key

  --plan        ${PLAN_NAMES.join(", ")}
  --access      ${ACCESS_LEVELS.join(", ")} (default manage); each includes those before it
  --per-minute, --per-day    own limits, for the enterprise plan
  --expires-at  ${TIME_RULE}
  --create-store             makes the SQLite store where there is none, before the first start of the service
  --json        prints JSON, on every subcommand

The commands work while the service runs and are in force with its next request.`;

const SETTING_FLAGS = {
  name: { type: "string" },
  plan: { type: "string" },
  access: { type: "string" },
  "per-minute": { type: "string" },
  "per-day": { type: "string" },
  "expires-at": { type: "string" },
} as const;
/** Printed page by page: there may be more keys than should be held in memory. */
const LIST_PAGE = 1_000;
const LIST_HEAD = ["ID", "NAME", "KEY", "PLAN", "ACCESS", "PER MINUTE", "PER DAY", "STATE", "LAST USED"];

const JSON_FLAG = { json: { type: "boolean" } } as const;

type SettingFlags = { [Name in keyof typeof SETTING_FLAGS]?: string | undefined };
type Subcommand = (args: string[]) => Promise<void>;

const SUBCOMMANDS: Record<string, Subcommand> = {
  async create(args) {
    const { flags } = readFlags(args, {
      ...SETTING_FLAGS,
      ...JSON_FLAG,
      "create-store": { type: "boolean", default: false },
    });
    const { name, plan, access = "manage", ...more } = readSettings(flags);
    if (name === undefined) throw new UsageError("--name is missing.");
    if (plan === undefined) throw new UsageError("--plan is missing.");
    const settings = applyChanges({ name, plan, access }, more, systemClock.nowMs());
    const issue = async ({ keyRing }: CommandStores) =>
      showIssued(await keyRing.create(settings), flags.json);
    await withStores(issue, flags["create-store"]);
  },

  async list(args) {
    const { flags } = readFlags(args, JSON_FLAG);
    await withStores(async ({ keyRing }) => {
      const json = createJsonList();
      const printRows = createTable(LIST_HEAD);
      let after: bigint | undefined;
      for (;;) {
        const page = await keyRing.list({ limit: LIST_PAGE, after });
        const described = page.map((key) => describeKey(key, systemClock.nowMs()));
        if (flags.json) json.add(described);
        else if (page.length > 0) printRows(described.map(toRow));
        else if (after === undefined)
          print("There are no keys yet. Make one: keys create --name N --plan free");
        after = page.at(-1)?.id;
        if (page.length < LIST_PAGE) break;
        await untilRead();
      }
      if (flags.json) json.end();
    });
  },

  async show(args) {
    const { flags, id } = readIdAndFlags(args, JSON_FLAG);
    await withStores(async (stores) => {
      const key = await stores.keyRing.get(id);
      const admission = await stores.peek(key);
      const described = describeKey(key, systemClock.nowMs());
      if (flags.json) return printJson({ ...described, usage: describeUsage(admission) });
      const left = admission.windows.map(({ name, limit, remaining }) => [
        `left this ${name}`,
        `${remaining} of ${limit}`,
      ]);
      const { bannedUntilMs } = admission;
      const banned = bannedUntilMs === undefined ? "no" : `until ${new Date(bannedUntilMs).toISOString()}`;
      printKey(described, { ...Object.fromEntries(left), banned });
    });
  },

  async update(args) {
    const { flags, id } = readIdAndFlags(args, { ...SETTING_FLAGS, ...JSON_FLAG });
    const changes = readSettings(flags);
    if (Object.keys(changes).length === 0)
      throw new UsageError("There is nothing to change: give at least one setting.");
    await withStores(async ({ keyRing }) => showKey(await keyRing.update(id, changes), flags.json));
  },

  async rotate(args) {
    const { flags, id } = readIdAndFlags(args, { grace: { type: "string" }, ...JSON_FLAG });
    const range = { min: 0, max: ROTATION_GRACE_SECONDS_MAX };
    const grace = flags.grace === undefined ? undefined : readCount("--grace", flags.grace, range);
    await withStores(async ({ keyRing }) => showIssued(await keyRing.rotate(id, grace), flags.json));
  },

  async revoke(args) {
    const { flags, id } = readIdAndFlags(args, JSON_FLAG);
    await withStores(async ({ keyRing }) => showKey(await keyRing.revoke(id), flags.json));
  },

  async unban(args) {
    const { flags, id } = readIdAndFlags(args, JSON_FLAG);
    noteMissingRedis();
    await withStores(async ({ keyRing, peek }) => {
      const { nowMs } = await peek(await keyRing.get(id));
      showKey(await keyRing.unban(id, nowMs), flags.json);
    });
  },
};

export const keys: Command = {
  name: "keys",
  summary: "Create, list, show, update, rotate, revoke and unban API keys.",
  help: HELP,
  async run([name = "", ...args]) {
    const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
    if (name === "--help" || args.includes("--help")) return print(HELP);
    if (subcommand === undefined) {
      throw new UsageError(name === "" ? "A subcommand is missing." : `There is no subcommand "${name}".`);
    }
    await subcommand(args);
  },
};

async function withStores(work: (stores: CommandStores) => Promise<void>, create = false): Promise<void> {
  const stores = await openStores(readConfig(), { create });
  try {
    await work(stores);
  } finally {
    await stores.close();
  }
}

/** Bans in Redis are set by its clock: where this one is behind, they would outlast the pardon. */
function noteMissingRedis(): void {
  const { database, redisUrl } = readConfig();
  if (database.engine === "postgres" && redisUrl === undefined)
    printNote(
      "If the service has a REDIS_URL, set it here too and repeat: bans are lifted by the clock of Redis.",
    );
}

function readIdAndFlags<const T extends Parameters<typeof readFlags>[1]>(args: string[], options: T) {
  const { flags, values } = readFlags(args, options, ["ID"]);
  const id = parseInt64(values[0] ?? "");
  if (id === undefined) throw new UsageError(`"${values[0]}" is no key id; "keys list" shows them.`);
  return { flags, id };
}

/** Only what was given; null where a setting is taken away. */
function readSettings(flags: SettingFlags): KeyChanges {
  const range = { min: 1, max: OWN_LIMIT_MAX };
  return given({
    name: flags.name,
    plan: flags.plan === undefined ? undefined : readChoice("--plan", flags.plan, PLAN_NAMES),
    access: flags.access === undefined ? undefined : readChoice("--access", flags.access, ACCESS_LEVELS),
    perMinute: readOptional(flags["per-minute"], "none", (text) => readCount("--per-minute", text, range)),
    perDay: readOptional(flags["per-day"], "none", (text) => readCount("--per-day", text, range)),
    expiresAtMs: readOptional(flags["expires-at"], "never", (text) => {
      const ms = parseTime(text);
      if (ms === undefined) throw new UsageError(`--expires-at must be ${TIME_RULE}.`);
      if (ms <= systemClock.nowMs())
        throw new UsageError("--expires-at must be in the future; revoke ends a key at once.");
      return ms;
    }),
  });
}

function readOptional<T>(
  text: string | undefined,
  nothing: string,
  read: (text: string) => T,
): T | null | undefined {
  if (text === undefined) return undefined;
  return text === nothing ? null : read(text);
}

function given<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

function showIssued({ key, secret, oldEndsAtMs }: IssuedKey, asJson: boolean | undefined): void {
  const described = describeKey(key, systemClock.nowMs());
  const oldEndsAt = oldEndsAtMs === undefined ? undefined : new Date(oldEndsAtMs);
  if (asJson) {
    printJson({ ...described, key: secret, oldEndsAt });
    return;
  }
  print(`${secret}\n\nThis is the key; it is shown this once.`);
  if (oldEndsAt !== undefined) print(`The old one works until ${oldEndsAt.toISOString()}.`);
  print("");
  printKey(described);
}

function showKey(key: ApiKey, asJson: boolean | undefined): void {
  const described = describeKey(key, systemClock.nowMs());
  if (asJson) printJson(described);
  else printKey(described);
}

function toRow(described: ReturnType<typeof describeKey>): string[] {
  const { id, name, hint, plan, access, perMinute, perDay, state, lastUsedAt } = described;
  return [
    ...[String(id), name, `${hint}…`, plan, access],
    ...[String(perMinute), String(perDay), state, lastUsedAt?.toISOString() ?? "never"],
  ];
}

function printKey(described: ReturnType<typeof describeKey>, more: Record<string, string> = {}): void {
  const {
    id,
    name,
    hint,
    plan,
    access,
    perMinute,
    perDay,
    state,
    createdAt,
    expiresAt,
    lastUsedAt,
    deprecatedUsedAt,
  } = described;
  printProperties({
    id: String(id),
    name,
    key: `${hint}…`,
    plan: `${plan} (${perMinute} a minute, ${perDay} a day)`,
    access,
    state,
    created: createdAt.toISOString(),
    expires: expiresAt?.toISOString() ?? "never",
    "last used": lastUsedAt?.toISOString() ?? "never",
    ...(deprecatedUsedAt && { "last getPet": deprecatedUsedAt.toISOString() }),
    ...more,
  });
}
