// `keys`: every change takes effect with the next request to the running service.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { UsageError } from "../../src/cli/command.ts";
import { command as keys } from "../../src/cli/keys/keys.ts";
import { withStores } from "../../src/command-stores.ts";
import { readConfig } from "../../src/config/config.ts";
import { hammerUntilBanned } from "../harness/clients/ban.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { startNode } from "../harness/servers/node.ts";
import { startService } from "../harness/servers/service.ts";
import { makeStore, testOnStores } from "./stores.ts";

const CREATE = ["keys", "create", "--name", "x", "--plan", "free"];

test("keys create prints a key that works, with its settings", async (t) => {
  const { call, environment } = await startNode(t);
  const { readJson, readOutput } = commandsIn(environment);
  const line =
    "keys create --name Website --plan enterprise --per-minute 5 --per-day 50 --access browse --expires-at 2099-01-01T00:00:00Z";
  const { id, key, createdAt, ...rest } = await readJson(...line.split(" "));
  assert.equal((await call("GET", "/pets", { key })).status, 200);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(rest, {
    kind: "secret",
    name: "Website",
    plan: "enterprise",
    access: "browse",
    perMinute: 5,
    perDay: 50,
    hint: key.slice(0, 13),
    state: "active",
    expiresAt: "2099-01-01T00:00:00.000Z",
  });
  const output = await readOutput(...CREATE);
  const start =
    /^ask_live_\w{36}\n\nThis is the key\. Keep it now: it cannot be shown again\.\n\nid +\d+\nname +x\n/;
  assert.match(output, start);
  assert.match(output, /^access +manage$/m, "the default access");
  assert.match(output, /^plan +free \(60 a minute, 1000 a day\)$/m);
});

test("keys create --publishable prints a key for pages, which keys show and keys list show again", async (t) => {
  const { call, environment } = await startNode(t);
  const { readJson, readOutput } = commandsIn(environment);
  const line = "keys create --name Website --plan free --publishable --origin https://a.example";
  const { id, key, kind, allowedOrigins } = await readJson(
    ...line.split(" "),
    "--origin",
    "http://localhost",
  );
  assert.deepEqual([kind, allowedOrigins], ["publishable", ["https://a.example", "http://localhost"]]);
  const headers = { origin: "https://a.example" };
  assert.equal((await call("GET", `/listings?key=${key}`, { key: undefined, headers })).status, 200);
  assert.match(await readOutput(...line.split(" ")), /^ask_pub_\w{36}\n\nThis is the key\. It is no secret/);

  await readOutput("keys", "update", String(id), "--origin", "https://b.example");
  const shown = await readOutput("keys", "show", String(id));
  assert.match(shown, new RegExp(`^key +${key}$`, "m"));
  assert.match(shown, /^plan +free \(60 a minute\)\naccess +publishable\norigins +https:\/\/b\.example$/m);
  assert.doesNotMatch(shown, /left this day/);
  assert.match(
    await readOutput("keys", "list"),
    /^\d+ +Website +ask_pub_\w{4}… +free +publishable +60 +active/m,
  );
});

test("keys list prints a table or JSON, without secrets", async (t) => {
  const { readOutput, readJson } = await makeStore(t);
  const separated = "one\u2028two\u2029three";
  await readOutput(..."keys create --name Website --plan pro --access browse".split(" "));
  await readOutput("keys", "create", "--name", separated, "--plan", "free");
  const [head = "", ...rows] = (await readOutput("keys", "list")).trimEnd().split("\n");
  assert.match(head, /^ID +NAME +KEY +PLAN +ACCESS +PER MINUTE +PER DAY +STATE +LAST USED$/);
  assert.equal(rows.length, 2);
  assert.match(rows[0] ?? "", /^1 +Website +ask_live_\w{4}… +pro +browse +\d+ +\d+ +active +never$/);
  const listed = await readJson("keys", "list");
  assert.deepEqual(
    listed.map(({ id, name, key }: Record<string, unknown>) => [id, name, key]),
    [
      [1, "Website", undefined],
      [2, separated, undefined],
    ],
  );
});

test("keys update, rotate and revoke take effect with the next request", async (t) => {
  const { call, createKey, environment } = await startService(t);
  const { readJson, readOutput, assertRefused } = commandsIn(environment);
  const status = async (key: string) => (await call("GET", "/pets", { key })).status;
  /** A key that the service has cached. */
  const useKey = async (settings?: object) => {
    const { id, key } = await createKey(settings);
    assert.equal(await status(key), 200);
    return { id: String(id), key };
  };

  await t.test("keys update changes name, plan, limits and access", async () => {
    const { id, key } = await useKey({ access: "browse" });
    const changes = ["--name", "Renamed", "--plan", "enterprise", "--per-minute", "9", "--access", "manage"];
    const updated = await readJson("keys", "update", id, ...changes);
    assert.deepEqual([updated.name, updated.plan, updated.perMinute], ["Renamed", "enterprise", 9]);
    const answer = await call("POST", "/pets", { key, body: { name: "Rex", categoryId: 1 } });
    assert.deepEqual([answer.status, answer.headers["x-ratelimit-limit"]], [201, "9"]);
    await readOutput("keys", "update", id, "--per-minute", "none");
    assert.equal((await call("GET", "/pets", { key })).headers["x-ratelimit-limit"], "10000");
  });

  await t.test("keys update sets and removes the expiry", async () => {
    const { id, key } = await useKey({ plan: "enterprise" });
    // Long enough for the command to start on a busy machine.
    const soon = new Date(Date.now() + 3_000).toISOString();
    await readOutput("keys", "update", id, "--expires-at", soon);
    while ((await status(key)) === 200) await pause(25);
    assert.equal(await status(key), 401);
    await readOutput("keys", "update", id, "--expires-at", "never");
    assert.equal(await status(key), 200);
  });

  await t.test("keys rotate creates a new secret; the old one works for --grace seconds", async () => {
    const { id, key } = await useKey();
    const second = await readJson("keys", "rotate", id);
    assert.equal(String(second.id), id);
    assert.deepEqual([await status(key), await status(second.key)], [200, 200]);
    const third = await readJson("keys", "rotate", id, "--grace", "0");
    assert.deepEqual([await status(key), await status(second.key), await status(third.key)], [401, 401, 200]);
  });

  await t.test("keys revoke ends a key, once", async () => {
    const { id, key } = await useKey();
    assert.match(await readOutput("keys", "revoke", id), /^state +revoked$/m);
    assert.equal(await status(key), 401);
    const says = /^animal-store: No API key .*\. List the keys: .* keys list\n$/;
    await assertRefused(["keys", "revoke", id], says);
  });
});

test("keys usage prints the stored responses of the last days by operation and status", async (t) => {
  const { environment, readOutput, readJson, assertRefused } = await makeStore(t);
  await readOutput(...CREATE);
  assert.match(await readOutput("keys", "usage", "1"), /^The key has no responses in these days\./);
  const today = Math.floor(Date.now() / 86_400_000);
  // Tomorrow too, because midnight may pass before the command runs.
  const days = [-40, 0, 1].map((after) => ({
    keyId: 1n,
    operation: "listPets",
    status: 200,
    responses: 5,
    day: today + after,
  }));
  await withStores(readConfig(environment), ({ stores }) =>
    stores.usageCounts.add({ minutes: [], days }, { writer: "test", number: 1 }, Date.now()),
  );
  const [head = "", row = ""] = (await readOutput("keys", "usage", "1")).split("\n");
  assert.match(head, /^DAY +OPERATION +STATUS +RESPONSES$/);
  assert.match(row, /^\d{4}-\d\d-\d\d +listPets +200 +5$/);
  const { lastDays, minute } = await readJson("keys", "usage", "1", "--days", "90");
  assert.equal(minute.limit, 60);
  const answers = lastDays.flatMap((day: { answers: unknown[] }) => day.answers);
  assert.ok(lastDays.length === 90 && answers.length >= 2);
  assert.deepEqual(answers[0], { operation: "listPets", status: 200, count: 5 });
  await assertRefused(
    ["keys", "usage", "1", "--days", "91"],
    /--days must be a whole number from 1 to 90\./,
    2,
  );
});

test("keys show reports a ban, and unban lifts it in the running service", async (t) => {
  const { call, createKey, environment } = await startService(t);
  const { readJson, readOutput } = commandsIn(environment);
  const { id, key } = await createKey({ plan: "enterprise", perMinute: 60, perDay: 1000 });
  await hammerUntilBanned(call, key);
  assert.equal((await call("GET", "/pets", { key })).json.code, "key_banned");
  // The service stores its counts every 2 s.
  await withStores(readConfig(environment), async ({ stores, peek }) => {
    const stored = await stores.keyRing.get(BigInt(id));
    while ((await peek(stored)).bannedUntilMs === undefined) await pause(25);
  });
  const { usage } = await readJson("keys", "show", String(id));
  assert.equal(usage.minute.remaining, 0);
  assert.ok(usage.ban !== undefined);
  assert.match(await readOutput("keys", "show", String(id)), /^banned +until \d{4}-/m);
  await readOutput("keys", "unban", String(id));
  assert.equal((await call("GET", "/pets", { key })).json.code, "rate_limit_exceeded");
  assert.match(await readOutput("keys", "show", String(id)), /^banned +no$/m);
});

const PAST = "2020-01-01T00:00:00Z";
const WRONG: Record<string, RegExp> = {
  "": /A subcommand is missing\./,
  make: /There is no subcommand "make"/,
  create: /--name and --plan are missing/,
  "create --plan free": /--name is missing/,
  "create --name x": /--plan is missing/,
  "create --name x --plan gold": /--plan must be one of free, pro/,
  "create --name x --plan free --access all": /--access must be one of/,
  [`create --name x --plan free --expires-at ${PAST}`]: /--expires-at must be in the future/,
  "list --colour": /There is no option --colour\./,
  "update 1": /There is nothing to change/,
  "update 1 --per-day many": /--per-day must be a whole number from 1 to/,
  "update 1 --expires-at soon": /--expires-at must be an RFC 3339 time/,
  [`update 1 --expires-at ${PAST}`]: /--expires-at must be in the future/,
  show: /ID is missing/,
  "show one": /"one" is not a key id/,
  "revoke 1 2": /"2" is one argument too many/,
};
for (const [line, says] of Object.entries(WRONG)) {
  test(`"keys ${line}" is refused before the store is opened, with how to correct it`, async () => {
    const isUsageError = (error: unknown) => error instanceof UsageError && says.test(error.message);
    await assert.rejects(keys.run(line === "" ? [] : line.split(" ")), isUsageError);
  });
}

const WRONG_SETTINGS: Record<string, RegExp> = {
  "--publishable": /--origin is required for a publishable key/,
  "--publishable --origin x": /--origin: "x" is not an origin/,
  "--publishable --origin https://a --access browse": /--access is not for publishable/,
  "--origin https://a": /--origin is for publishable keys only/,
};
for (const [options, says] of Object.entries(WRONG_SETTINGS)) {
  test(`keys create refuses ${options} before the store is opened`, async () => {
    await assert.rejects(keys.run([...CREATE.slice(1), ...options.split(" ")]), { message: says });
  });
}

test("a wrong command line exits with 2 and refers to the help, a wrong setting exits with 1", async (t) => {
  const { assertRefused, readOutput } = await makeStore(t);
  const { stdout } = await assertRefused(
    ["keys"],
    /^animal-store: A subcommand is missing\. See: .* keys --help\n$/,
    2,
  );
  assert.equal(stdout, "");
  const enterprise = "is for the enterprise plan only";
  await assertRefused([...CREATE, "--per-minute", "5"], `--per-minute ${enterprise}.`);
  await assertRefused([...CREATE, "--name", "  "], /^animal-store: --name must be 1 to 100 characters/);
  await readOutput(...CREATE);
  const update = ["keys", "update", "1", "--per-minute", "5", "--per-day", "5"];
  await assertRefused(update, `--per-minute ${enterprise}; --per-day ${enterprise}.`);
});

testOnStores("keys revoke and update warn if no admin key is left", async (_t, store) => {
  const { command, readOutput, environment } = store;
  const warningOf = async (...args: string[]) => (await command("keys", ...args)).stderr;
  for (let i = 0; i < 2; i++) await readOutput(...CREATE, "--access", "admin");
  assert.equal(await warningOf("revoke", "2"), "");
  const last = await command("keys", "revoke", "1", "--json");
  assert.deepEqual([last.code, JSON.parse(last.stdout).state], [0, "revoked"]);
  const warning = /^animal-store: This was the last admin key\. Create another: .* -- (keys .*)\n$/;
  const [, create = ""] = warning.exec(last.stderr) ?? [];
  assert.match(await readOutput(...create.split(" ")), /^access +admin$/m);
  assert.equal(await warningOf("update", "3", "--name", "y"), "");
  assert.match(await warningOf("update", "3", "--access", "browse"), warning);
  assert.equal(await warningOf("update", "3", "--access", "admin"), "");
  const configured = commandsIn({ ...environment, ADMIN_API_KEY: "an-admin-key-of-the-environment" });
  assert.equal((await configured.command("keys", "revoke", "3")).stderr, "");
});
