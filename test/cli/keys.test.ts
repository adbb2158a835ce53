// `keys` while the service runs: every change takes effect with the next request.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { UsageError } from "../../src/cli/command.ts";
import { command as keys } from "../../src/cli/keys/keys.ts";
import { withStores } from "../../src/command-stores.ts";
import { readConfig } from "../../src/config/config.ts";
import { hammerUntilBanned } from "../harness/clients/ban.ts";
import { runInHost } from "../harness/clients/commands.ts";
import { startService } from "../harness/servers/service.ts";
import { testOnStores } from "./stores.ts";

test("keys", async (t) => {
  const { call, command, environment } = await startService(t);
  const status = async (key: string) => (await call("GET", "/pets", { key })).status;
  const createKey = async (settings: object = {}): Promise<{ id: number; key: string }> =>
    (await call("POST", "/keys", { body: { name: "test", plan: "free", ...settings } })).json;

  await t.test("create --json prints one object with id and key, and the key works", async () => {
    const result = await command(
      "keys",
      "create",
      "--name",
      "Website",
      "--plan",
      "enterprise",
      "--per-minute",
      "5",
      "--per-day",
      "50",
      "--access",
      "browse",
      "--expires-at",
      "2099-01-01T00:00:00Z",
      "--json",
    );
    assert.equal(result.code, 0, result.stderr);
    const { id, key, createdAt, ...rest } = JSON.parse(result.stdout);
    assert.equal(id, 2);
    assert.equal(await status(key), 200);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(rest, {
      name: "Website",
      plan: "enterprise",
      access: "browse",
      perMinute: 5,
      perDay: 50,
      hint: key.slice(0, 13),
      state: "active",
      expiresAt: "2099-01-01T00:00:00.000Z",
    });
  });

  await t.test("create prints the key and its properties; the default access is manage", async () => {
    const { stdout } = await command("keys", "create", "--name", "x", "--plan", "free");
    assert.match(
      stdout,
      /^ask_live_\w{36}\n\nThis is the key\. Keep it now: it cannot be shown again\.\n\nid +3\nname +x\n/,
    );
    assert.match(stdout, /^access +manage$/m);
    assert.match(stdout, /^plan +free \(60 a minute, 1000 a day\)$/m);
  });

  await t.test("list prints a table, and with --json all keys without secrets", async () => {
    const { stdout } = await command("keys", "list");
    const [head = "", ...rows] = stdout.trimEnd().split("\n");
    assert.match(head, /^ID +NAME +KEY +PLAN +ACCESS +PER MINUTE +PER DAY +STATE +LAST USED$/);
    assert.equal(rows.length, 3);
    assert.match(rows[1] ?? "", /^2 +Website +ask_live_\w{4}… +enterprise +browse +5 +50 +active /);
    const listed = JSON.parse((await command("keys", "list", "--json")).stdout);
    assert.deepEqual(
      listed.map(({ id }: { id: number }) => id),
      [1, 2, 3],
    );
    assert.ok(listed.every((key: object) => !("key" in key)));
  });

  await t.test("list --json prints a name with line separators unchanged", async () => {
    const name = "one\u2028two\u2029three";
    await command("keys", "create", "--name", name, "--plan", "free");
    const listed = JSON.parse((await command("keys", "list", "--json")).stdout);
    assert.equal(listed.at(-1).name, name);
    await command("keys", "revoke", String(listed.at(-1).id));
  });

  await t.test("update takes effect with the next request", async () => {
    const { id, key } = await createKey({ access: "browse" });
    assert.equal(await status(key), 200, "the key is cached from here on");
    const changes = ["--name", "Renamed", "--plan", "enterprise", "--per-minute", "9", "--access", "manage"];
    const updated = JSON.parse((await command("keys", "update", String(id), ...changes, "--json")).stdout);
    assert.deepEqual([updated.name, updated.plan, updated.perMinute], ["Renamed", "enterprise", 9]);
    const answer = await call("POST", "/pets", { key, body: { name: "Rex", categoryId: 1 } });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers["x-ratelimit-limit"], "9");
    await command("keys", "update", String(id), "--per-minute", "none");
    assert.equal((await call("GET", "/pets", { key })).headers["x-ratelimit-limit"], "10000");
    // Long enough for the command to start on a busy machine.
    const soon = new Date(Date.now() + 3_000).toISOString();
    assert.equal((await command("keys", "update", String(id), "--expires-at", soon)).code, 0);
    while ((await status(key)) === 200) await pause(25);
    assert.equal(await status(key), 401);
    await command("keys", "update", String(id), "--expires-at", "never");
    assert.equal(await status(key), 200);
  });

  await t.test("usage prints the stored responses of the last days by operation and status", async () => {
    const { id } = await createKey();
    const usage = (...flags: string[]) => command("keys", "usage", String(id), ...flags);
    assert.match((await usage()).stdout, /^The key has no responses in these days\./);
    const today = Math.floor(Date.now() / 86_400_000);
    const count = { keyId: BigInt(id), operation: "listPets", status: 200, responses: 5 };
    // Some more days, because midnight may pass before the command runs.
    const days = [
      { ...count, day: today - 40 },
      ...[0, 1].map((after) => ({ ...count, day: today + after })),
    ];
    await withStores(readConfig(environment), ({ stores }) =>
      stores.usageCounts.add({ minutes: [], days }, { writer: "test", number: 1 }, Date.now()),
    );
    const [head = "", row = ""] = (await usage()).stdout.split("\n");
    assert.match(head, /^DAY +OPERATION +STATUS +RESPONSES$/);
    assert.match(row, /^\d{4}-\d\d-\d\d +listPets +200 +5$/);
    const { lastDays, minute } = JSON.parse((await usage("--days", "90", "--json")).stdout);
    assert.equal(minute.limit, 60);
    const answers = lastDays.flatMap((day: { answers: unknown[] }) => day.answers);
    assert.ok(lastDays.length === 90 && answers.length >= 2);
    assert.deepEqual(answers[0], { operation: "listPets", status: 200, count: 5 });
    assert.match((await usage("--days", "91")).stderr, /--days must be a whole number from 1 to 90\./);
  });

  await t.test("rotate creates a new secret; the old one works for --grace seconds", async () => {
    const { id, key } = await createKey();
    assert.equal(await status(key), 200, "the key is cached from here on");
    const second = JSON.parse((await command("keys", "rotate", String(id), "--json")).stdout);
    assert.equal(second.id, id);
    assert.deepEqual([await status(key), await status(second.key)], [200, 200]);
    const third = JSON.parse((await command("keys", "rotate", String(id), "--grace", "0", "--json")).stdout);
    assert.deepEqual([await status(key), await status(second.key), await status(third.key)], [401, 401, 200]);
  });

  await t.test("revoke takes effect with the next request", async () => {
    const { id, key } = await createKey();
    assert.equal(await status(key), 200);
    const result = await command("keys", "revoke", String(id));
    assert.match(result.stdout, /^state +revoked$/m);
    assert.equal(await status(key), 401);
    const again = await command("keys", "revoke", String(id));
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^animal-store: No API key .*\. List the keys: .* keys list\n$/);
  });

  await t.test("show reports a ban, and unban lifts it in the running service", async () => {
    const { id, key } = await createKey({ plan: "enterprise", perMinute: 60, perDay: 1000 });
    await hammerUntilBanned(call, key);
    assert.equal((await call("GET", "/pets", { key })).json.code, "key_banned");
    // The service stores its counts every 2 s.
    await withStores(readConfig(environment), async ({ stores, peek }) => {
      const stored = await stores.keyRing.get(BigInt(id));
      while ((await peek(stored)).bannedUntilMs === undefined) await pause(25);
    });
    const shown = JSON.parse((await command("keys", "show", String(id), "--json")).stdout);
    assert.equal(shown.usage.minute.remaining, 0);
    assert.ok(shown.usage.ban !== undefined);
    assert.match((await command("keys", "show", String(id))).stdout, /^banned +until \d{4}-/m);
    assert.equal((await command("keys", "unban", String(id))).code, 0);
    assert.equal((await call("GET", "/pets", { key })).json.code, "rate_limit_exceeded");
    assert.match((await command("keys", "show", String(id))).stdout, /^banned +no$/m);
  });

  const wrong: Record<string, { args: string[]; says: RegExp }> = {
    "no subcommand": { args: [], says: /A subcommand is missing\./ },
    "an unknown subcommand": { args: ["make"], says: /There is no subcommand "make"/ },
    "no name": { args: ["create", "--plan", "free"], says: /--name is missing/ },
    "neither name nor plan": { args: ["create"], says: /--name and --plan are missing/ },
    "no plan": { args: ["create", "--name", "x"], says: /--plan is missing/ },
    "an unknown plan": {
      args: ["create", "--name", "x", "--plan", "gold"],
      says: /--plan must be one of free, pro/,
    },
    "an unknown flag": { args: ["list", "--colour"], says: /There is no option --colour\./ },
    "an unknown access": {
      args: ["create", "--name", "x", "--plan", "free", "--access", "all"],
      says: /--access must be one of/,
    },
    "a limit that is not a number": {
      args: ["update", "1", "--per-day", "many"],
      says: /--per-day must be a whole number from 1 to/,
    },
    "an invalid time": {
      args: ["update", "1", "--expires-at", "soon"],
      says: /--expires-at must be an RFC 3339 time/,
    },
    "a new key with an expiry in the past": {
      args: ["create", "--name", "x", "--plan", "free", "--expires-at", "2020-01-01T00:00:00Z"],
      says: /--expires-at must be in the future/,
    },
    "an update to an expiry in the past": {
      args: ["update", "1", "--expires-at", "2020-01-01T00:00:00Z"],
      says: /--expires-at must be in the future/,
    },
    "no id": { args: ["show"], says: /ID is missing/ },
    "an id that is not a number": { args: ["show", "one"], says: /"one" is not a key id/ },
    "too many ids": { args: ["revoke", "1", "2"], says: /"2" is one argument too many/ },
    "nothing to change": { args: ["update", "1"], says: /There is nothing to change/ },
  };
  for (const [what, { args, says }] of Object.entries(wrong)) {
    await t.test(`rejects ${what} and says how to correct it`, async () => {
      await assert.rejects(
        keys.run(args),
        (error) => error instanceof UsageError && says.test(error.message),
      );
    });
  }

  await t.test("a usage error exits with 2 and refers to the help", async () => {
    const result = await command("keys");
    assert.deepEqual([result.code, result.stdout], [2, ""]);
    assert.match(result.stderr, /^animal-store: A subcommand is missing\. See: .* keys --help\n$/);
  });

  await t.test("rejects own limits on another plan and a blank name with exit code 1", async () => {
    const limits = await command("keys", "create", "--name", "x", "--plan", "pro", "--per-minute", "5");
    assert.deepEqual(
      [limits.code, limits.stderr],
      [1, "animal-store: --per-minute is for the enterprise plan only.\n"],
    );
    const { id } = await createKey();
    const update = await command("keys", "update", String(id), "--per-minute", "5", "--per-day", "5");
    assert.equal(
      update.stderr,
      "animal-store: --per-minute is for the enterprise plan only; --per-day is for the enterprise plan only.\n",
    );
    const name = await command("keys", "create", "--name", "  ", "--plan", "pro");
    assert.equal(name.code, 1);
    assert.match(name.stderr, /^animal-store: --name must be 1 to 100 characters/);
  });
});

testOnStores("revoke and update warn if no admin key is left", async (_t, { command, environment }) => {
  const admin = ["keys", "create", "--name", "x", "--plan", "free", "--access", "admin"];
  for (let i = 0; i < 2; i++) assert.equal((await command(...admin)).code, 0);
  const second = await command("keys", "revoke", "2");
  assert.deepEqual([second.code, second.stderr], [0, ""]);
  const last = await command("keys", "revoke", "1", "--json");
  assert.deepEqual([last.code, JSON.parse(last.stdout).state], [0, "revoked"]);
  const warning = /^animal-store: This was the last admin key\. Create another: .* -- (keys .*)\n$/;
  const [, create = ""] = warning.exec(last.stderr) ?? [];
  const created = await command(...create.split(" "), "--json");
  assert.equal(created.code, 0, last.stderr);
  assert.equal(JSON.parse(created.stdout).access, "admin");
  assert.equal((await command("keys", "update", "3", "--name", "y")).stderr, "");
  assert.match((await command("keys", "update", "3", "--access", "browse")).stderr, warning);
  assert.equal((await command("keys", "update", "3", "--access", "admin")).stderr, "");
  const configured = { ...environment, ADMIN_API_KEY: "an-admin-key-of-the-environment" };
  assert.equal((await runInHost(["keys", "revoke", "3"], configured)).stderr, "");
});
