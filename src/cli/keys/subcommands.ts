// The subcommands of `keys` that work on one key: create, show, update, rotate, revoke, unban.

import { systemClock } from "../../domain/clock.ts";
import { applyChanges, describeKey, ROTATION_GRACE_SECONDS_MAX } from "../../domain/keys/api-key.ts";
import { describeUsage } from "../../domain/keys/limits.ts";
import { readCount, readFlags, UsageError } from "../command.ts";
import { printJson, printNote } from "../output.ts";
import { JSON_FLAG, readIdAndFlags, readSettings, SETTING_FLAGS } from "./flags.ts";
import { printIssuedKey, printKey, printKeyProperties } from "./print-key.ts";
import { withStores } from "./with-stores.ts";

export async function createKey(args: string[]): Promise<void> {
  const { flags } = readFlags(args, {
    ...SETTING_FLAGS,
    ...JSON_FLAG,
    "create-store": { type: "boolean", default: false },
  });
  const { name, plan, access = "manage", ...more } = readSettings(flags);
  if (name === undefined) throw new UsageError("--name is missing.");
  if (plan === undefined) throw new UsageError("--plan is missing.");
  const settings = applyChanges({ name, plan, access }, more, systemClock.nowMs());
  const options = { create: flags["create-store"] };
  await withStores(
    async ({ keyRing }) => printIssuedKey(await keyRing.create(settings), flags.json),
    options,
  );
}

export async function showKey(args: string[]): Promise<void> {
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
    printKeyProperties(described, { ...Object.fromEntries(left), banned });
  });
}

export async function updateKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags(args, { ...SETTING_FLAGS, ...JSON_FLAG });
  const changes = readSettings(flags);
  if (Object.keys(changes).length === 0)
    throw new UsageError("There is nothing to change: give at least one setting.");
  await withStores(async ({ keyRing }) => printKey(await keyRing.update(id, changes), flags.json));
}

export async function rotateKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags(args, { grace: { type: "string" }, ...JSON_FLAG });
  const range = { min: 0, max: ROTATION_GRACE_SECONDS_MAX };
  const grace = flags.grace === undefined ? undefined : readCount("--grace", flags.grace, range);
  await withStores(async ({ keyRing }) => printIssuedKey(await keyRing.rotate(id, grace), flags.json));
}

export async function revokeKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags(args, JSON_FLAG);
  await withStores(async ({ keyRing }) => printKey(await keyRing.revoke(id), flags.json));
}

export async function unbanKey(args: string[]): Promise<void> {
  const { flags, id } = readIdAndFlags(args, JSON_FLAG);
  await withStores(async ({ keyRing, peek }, { database, redisUrl }) => {
    // Redis stamps a ban with its own clock. With the clock of this machine, if it is behind, the ban would stay.
    if (database.engine === "postgres" && redisUrl === undefined)
      printNote(
        "If the service uses REDIS_URL, set it here too and repeat: bans are timed by the clock of Redis.",
      );
    const { nowMs } = await peek(await keyRing.get(id));
    printKey(await keyRing.unban(id, nowMs), flags.json);
  });
}
