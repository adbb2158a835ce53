// `keys` beside a running service: every change is in force with the next request.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { hammerUntilBanned } from "../harness/ban.ts";
import { startService } from "../harness/service.ts";

test("keys", async (t) => {
  const { call, command, createKey } = await startService(t);
  const status = async (key: string) => (await call("GET", "/pets", { key })).status;

  await t.test("create --json prints one object with id and key, and the key works", async () => {
    const result = await command(
      ...[
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
      ],
      ...["--access", "browse", "--expires-at", "2099-01-01T00:00:00Z", "--json"],
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

  await t.test("create prints the key for people, and access is manage by default", async () => {
    const { stdout } = await command("keys", "create", "--name", "x", "--plan", "free");
    assert.match(
      stdout,
      /^ask_live_\w{36}\n\nThis is the key\. Keep it now: it cannot be shown again\.\n\nid +3\nname +x\n/,
    );
    assert.match(stdout, /^access +manage$/m);
    assert.match(stdout, /^plan +free \(60 a minute, 1000 a day\)$/m);
  });

  await t.test("list shows a table, and --json all keys without secrets", async () => {
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

  await t.test("list shows more keys than a page holds", async () => {
    for (let i = 0; i < 120; i++) await call("POST", "/keys", { body: { name: `key ${i}`, plan: "free" } });
    assert.equal(JSON.parse((await command("keys", "list", "--json")).stdout).length, 123);
  });

  await t.test("list --json prints names as they are, with line separators in them too", async () => {
    const name = "one\u2028two\u2029three";
    await command("keys", "create", "--name", name, "--plan", "free");
    const listed = JSON.parse((await command("keys", "list", "--json")).stdout);
    assert.equal(listed.at(-1).name, name);
    await command("keys", "revoke", String(listed.at(-1).id));
  });

  await t.test("update is in force with the next request", async () => {
    const { id, key } = await createKey("--plan", "free", "--access", "browse");
    const changes = ["--name", "Renamed", "--plan", "enterprise", "--per-minute", "9", "--access", "manage"];
    const updated = JSON.parse((await command("keys", "update", String(id), ...changes, "--json")).stdout);
    assert.deepEqual([updated.name, updated.plan, updated.perMinute], ["Renamed", "enterprise", 9]);
    const answer = await call("POST", "/pets", { key, body: { name: "Rex", categoryId: 1 } });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers["x-ratelimit-limit"], "9");
    await command("keys", "update", String(id), "--per-minute", "none");
    assert.equal((await call("GET", "/pets", { key })).headers["x-ratelimit-limit"], "10000");
    // Long enough for the command to start on a busy machine; its end is waited for.
    const soon = new Date(Date.now() + 3_000).toISOString();
    assert.equal((await command("keys", "update", String(id), "--expires-at", soon)).code, 0);
    while ((await status(key)) === 200) await pause(25);
    assert.equal(await status(key), 401);
    await command("keys", "update", String(id), "--expires-at", "never");
    assert.equal(await status(key), 200);
  });

  await t.test("rotate gives a new secret at once and honours --grace", async () => {
    const { id, key } = await createKey("--plan", "free");
    const second = JSON.parse((await command("keys", "rotate", String(id), "--json")).stdout);
    assert.equal(second.id, id);
    assert.deepEqual([await status(key), await status(second.key)], [200, 200]);
    const third = JSON.parse((await command("keys", "rotate", String(id), "--grace", "0", "--json")).stdout);
    assert.deepEqual([await status(key), await status(second.key), await status(third.key)], [401, 401, 200]);
  });

  await t.test("revoke is in force with the next request", async () => {
    const { id, key } = await createKey("--plan", "free");
    assert.equal(await status(key), 200);
    const result = await command("keys", "revoke", String(id));
    assert.match(result.stdout, /^state +revoked$/m);
    assert.equal(await status(key), 401);
    const again = await command("keys", "revoke", String(id));
    assert.deepEqual(
      [again.code, again.stderr],
      [1, "animal-store: No API key has this identifier, or it was revoked.\n"],
    );
  });

  await t.test("show tells of a ban, and unban lifts it in the running service", async () => {
    const { id, key } = await createKey("--plan", "enterprise", "--per-minute", "60", "--per-day", "1000");
    await hammerUntilBanned(call, key);
    assert.equal((await call("GET", "/pets", { key })).json.code, "key_banned");
    // The service stores its counts every few seconds.
    let shown = JSON.parse((await command("keys", "show", String(id), "--json")).stdout);
    while (shown.usage.ban === undefined) {
      shown = JSON.parse((await command("keys", "show", String(id), "--json")).stdout);
    }
    assert.equal(shown.usage.minute.remaining, 0);
    assert.match((await command("keys", "show", String(id))).stdout, /^banned +until \d{4}-/m);
    assert.equal((await command("keys", "unban", String(id))).code, 0);
    assert.equal((await call("GET", "/pets", { key })).json.code, "rate_limit_exceeded");
    assert.match((await command("keys", "show", String(id))).stdout, /^banned +no$/m);
  });

  const wrong: Record<string, { args: string[]; says: RegExp }> = {
    "no subcommand": { args: [], says: /A subcommand is missing\. See: .* keys --help/ },
    "an unknown subcommand": { args: ["make"], says: /There is no subcommand "make"/ },
    "no name": { args: ["create", "--plan", "free"], says: /--name is missing/ },
    "no plan": { args: ["create", "--name", "x"], says: /--plan is missing/ },
    "an unknown plan": {
      args: ["create", "--name", "x", "--plan", "gold"],
      says: /--plan must be one of free, pro/,
    },
    "an unknown flag": { args: ["list", "--colour"], says: /Unknown option '--colour'/ },
    "an unknown access": {
      args: ["create", "--name", "x", "--plan", "free", "--access", "all"],
      says: /--access must be one of/,
    },
    "a limit that is none": {
      args: ["update", "1", "--per-day", "many"],
      says: /--per-day must be a whole number from 1 to/,
    },
    "a time that is none": {
      args: ["update", "1", "--expires-at", "soon"],
      says: /--expires-at must be an RFC 3339 time/,
    },
    "a new key that would have ended": {
      args: ["create", "--name", "x", "--plan", "free", "--expires-at", "2020-01-01T00:00:00Z"],
      says: /--expires-at must be in the future/,
    },
    "an end in the past": {
      args: ["update", "1", "--expires-at", "2020-01-01T00:00:00Z"],
      says: /--expires-at must be in the future/,
    },
    "no id": { args: ["show"], says: /ID is missing/ },
    "an id that is none": { args: ["show", "one"], says: /"one" is not a key id/ },
    "too many ids": { args: ["revoke", "1", "2"], says: /"2" is one argument too many/ },
    "nothing to change": { args: ["update", "1"], says: /There is nothing to change/ },
  };
  for (const [what, { args, says }] of Object.entries(wrong)) {
    await t.test(`refuses ${what} with exit code 2 and says what to do`, async () => {
      const result = await command("keys", ...args);
      assert.equal(result.code, 2);
      assert.match(result.stderr, says);
      assert.equal(result.stdout, "");
    });
  }

  await t.test("refuses own limits on another plan and a blank name with exit code 1", async () => {
    const limits = await command("keys", "create", "--name", "x", "--plan", "pro", "--per-minute", "5");
    assert.deepEqual(
      [limits.code, limits.stderr],
      [1, "animal-store: perMinute is for the enterprise plan only\n"],
    );
    const name = await command("keys", "create", "--name", "  ", "--plan", "pro");
    assert.equal(name.code, 1);
    assert.match(name.stderr, /name must be 1 to 100 characters/);
  });
});
