// The subcommands of `keys`: create, list, show, update, rotate, revoke, unban.

import { type OpenedForCommand, withStores } from "../../command-stores.ts";
import { readConfig } from "../../config/config.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import {
  type ApiKey,
  applyChanges,
  describeKey,
  ROTATION_GRACE_SECONDS_MAX,
} from "../../domain/keys/api-key.ts";
import type { IssuedKey, KeyRing } from "../../domain/keys/key-ring.ts";
import { describeUsage } from "../../domain/keys/limits.ts";
import { COMMAND } from "../../tools/program.ts";
import {
  missingOptions,
  readCount,
  readFlags,
  readIdAndFlags,
  SWITCH,
  TEXT,
  UsageError,
} from "../command.ts";
import { print, printJson, printNote, printPages, printProperties, type TableRow } from "../output.ts";
import { namingOptions, readSettings, SETTING_FLAGS } from "./flags.ts";

const PAGE_SIZE = 1_000;

/** The next start creates an admin key, too, but a running service has none until then. */
const LAST_ADMIN_KEY = `This was the last admin key. Create another: ${COMMAND} keys create --name admin --plan enterprise --access admin`;

export async function createKey(args: string[]): Promise<void> {
  const { flags } = readFlags(args, { ...SETTING_FLAGS, "create-store": SWITCH, json: SWITCH });
  const { name, plan, access = "manage", ...more } = readSettings(flags);
  if (name === undefined || plan === undefined) throw missingOptions({ name, plan });
  await namingOptions(async () => {
    const settings = applyChanges({ name, plan, access }, more, systemClock.nowMs());
    const issue = async ({ stores }: OpenedForCommand) =>
      printIssuedKey(await stores.keyRing.create(settings, { command: "keys create" }), flags.json);
    await withStores(readConfig(), issue, { create: flags["create-store"] });
  });
}

export async function listKeys(args: string[]): Promise<void> {
  const { flags } = readFlags(args, { json: SWITCH });
  await withStores(readConfig(), ({ stores }) =>
    printPages(readKeys(stores.keyRing), {
      asJson: flags.json,
      empty: "There are no keys yet. Create one: keys create --name N --plan free",
      toRow,
    }),
  );
}

async function* readKeys(keyRing: KeyRing): AsyncGenerator<DescribedKey[]> {
  let after: bigint | undefined;
  for (;;) {
    const page = await keyRing.list({ limit: PAGE_SIZE, after });
    yield page.map((key) => describeKey(key, systemClock.nowMs()));
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)?.id;
  }
}

export async function showKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("keys", args, { json: SWITCH });
  await withStores(readConfig(), async ({ stores: { keyRing }, peek }) => {
    const key = await keyRing.get(id);
    const admission = await peek(key);
    const { windows, bannedUntilMs } = admission;
    const left = windows.map(({ name, limit, remaining }) => [
      `left this ${name}`,
      `${remaining} of ${limit}`,
    ]);
    const banned = bannedUntilMs === undefined ? "no" : `until ${new Date(bannedUntilMs).toISOString()}`;
    const text = { ...Object.fromEntries(left), banned };
    printKey(key, flags.json, { json: { usage: describeUsage(admission) }, text });
  });
}

export async function updateKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("keys", args, { ...SETTING_FLAGS, json: SWITCH });
  const changes = readSettings(flags);
  if (Object.keys(changes).length === 0)
    throw new UsageError("There is nothing to change: give at least one setting.");
  await namingOptions(() =>
    withStores(readConfig(), async ({ stores: { keyRing } }) => {
      const before = await keyRing.get(id);
      printKey(await keyRing.update(id, changes, { command: "keys update" }), flags.json);
      await warnOfLastAdmin(keyRing, before);
    }),
  );
}

export async function rotateKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("keys", args, { grace: TEXT, json: SWITCH });
  const range = { min: 0, max: ROTATION_GRACE_SECONDS_MAX };
  const grace = flags.grace === undefined ? undefined : readCount("--grace", flags.grace, range);
  await withStores(readConfig(), async ({ stores: { keyRing } }) =>
    printIssuedKey(await keyRing.rotate(id, { command: "keys rotate" }, grace), flags.json),
  );
}

export async function revokeKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("keys", args, { json: SWITCH });
  await withStores(readConfig(), async ({ stores: { keyRing } }) => {
    const revoked = await keyRing.revoke(id, { command: "keys revoke" });
    printKey(revoked, flags.json);
    await warnOfLastAdmin(keyRing, revoked);
  });
}

async function warnOfLastAdmin(keyRing: KeyRing, { access }: ApiKey): Promise<void> {
  if (access === "admin" && !(await keyRing.hasAdmin())) printNote(LAST_ADMIN_KEY);
}

export async function unbanKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags("keys", args, { json: SWITCH });
  const config = readConfig();
  await withStores(config, async ({ stores: { keyRing }, peek }) => {
    // Redis stamps a ban with its own clock. With the clock of this machine, if it is behind, the ban would stay.
    if (config.database.engine === "postgres" && config.redisUrl === undefined)
      printNote(
        "If the service uses REDIS_URL, set it here too and repeat: bans are timed by the clock of Redis.",
      );
    const { nowMs } = await peek(await keyRing.get(id));
    printKey(await keyRing.unban(id, nowMs, { command: "keys unban" }), flags.json);
  });
}

function printIssuedKey({ key, secret, oldEndsAtMs }: IssuedKey, asJson: boolean): void {
  const oldEndsAt = oldEndsAtMs === undefined ? undefined : new Date(oldEndsAtMs);
  if (!asJson) {
    print(`${secret}\n\nThis is the key. Keep it now: it cannot be shown again.`);
    if (oldEndsAt !== undefined) print(`The old one works until ${oldEndsAt.toISOString()}.`);
    print("");
  }
  printKey(key, asJson, { json: { key: secret, oldEndsAt } });
}

/** `more` is added to the properties of the key, in either form. */
function printKey(key: ApiKey, asJson: boolean, more: { json?: object; text?: object } = {}): void {
  const described = describeKey(key, systemClock.nowMs());
  if (asJson) {
    printJson({ ...described, ...more.json });
    return;
  }
  const { id, name, hint, plan, access, perMinute, perDay, state } = described;
  const { createdAt, expiresAt, lastUsedAt, deprecatedUsedAt } = described;
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
    ...more.text,
  });
}

type DescribedKey = ReturnType<typeof describeKey>;

function toRow(key: DescribedKey): TableRow {
  return {
    ID: String(key.id),
    NAME: key.name,
    KEY: `${key.hint}…`,
    PLAN: key.plan,
    ACCESS: key.access,
    "PER MINUTE": String(key.perMinute),
    "PER DAY": String(key.perDay),
    STATE: key.state,
    "LAST USED": key.lastUsedAt?.toISOString() ?? "never",
  };
}
