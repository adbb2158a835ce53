// `webhooks` and `events`: every subcommand, for people and for programs, and what `doctor` says about webhooks.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { type Environment, runInHost } from "../harness/clients/commands.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../harness/servers/receiver.ts";
import { startCommand, untilPrinted } from "../harness/servers/service.ts";
import { takePostgresStore } from "../harness/servers/stores.ts";
import { makeStore, testOnStores } from "./stores.ts";

const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;

testOnStores("webhooks", async (t, { environment, db }) => {
  const receiver = await startReceiver(t);
  const run = (...args: string[]) => runInHost(args, { ...environment, ...RECEIVER_SETTINGS });
  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("webhooks", ...args, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  await t.test("list says that there are none", async () => {
    assert.match((await run("webhooks", "list")).stdout, /^There are no webhooks\./);
    assert.deepEqual(await ask("list"), []);
  });

  await t.test("create prints the secret once; show and list do not", async () => {
    const issued = await ask(
      "create",
      "--url",
      receiver.url,
      "--types",
      "pet.*,pet.*",
      "--description",
      "Mine",
    );
    assert.match(issued.secret, /^whsec_/);
    assert.deepEqual([issued.id, issued.keyId, issued.types, issued.status], [1, 0, ["pet.*"], "enabled"]);
    const { secret, ...webhook } = issued;
    assert.deepEqual(await ask("list"), [webhook]);
    assert.deepEqual(await ask("show", "1"), { ...webhook, deliveries: [] });
    const { stdout } = await run("webhooks", "list");
    assert.match(stdout, /^ID +KEY +URL +TYPES +STATUS +PENDING +LAST SUCCESS +FAILING SINCE\n1 +0 +http/);
    assert.match((await run("webhooks", "show", "1")).stdout, /^id +1\nkey +0 \(operator\)\n/);
  });

  await t.test("test sends an event and prints the result", async () => {
    const result = await ask("test", "1");
    assert.deepEqual([result.status, result.response], [204, ""]);
    assert.equal(receiver.received[0]?.event.type, "webhook.test");
    assert.match((await run("webhooks", "test", "1")).stdout, /^Response 204 after \d+ ms\n$/);
  });

  await t.test("test exits with 1 if the receiver does not accept the event", async () => {
    receiver.react(500);
    const refused = await run("webhooks", "test", "1", "--json");
    assert.deepEqual([refused.code, JSON.parse(refused.stdout).status], [1, 500]);
    assert.match(refused.stderr, /The test failed: the receiver must answer with a status from 200 to 299\./);
    receiver.react((response) => response.destroy());
    const unanswered = await run("webhooks", "test", "1");
    assert.equal(unanswered.code, 1);
    assert.match(unanswered.stdout, /^No response after \d+ ms: /);
    receiver.react(204);
  });

  await t.test("rotate, disable, enable and replay change it", async () => {
    const first = await ask("rotate", "1");
    assert.match(first.secret, /^whsec_/);
    assert.equal((await ask("disable", "1")).disabledReason, "requested");
    await createPetStore(db).create(REX, { atMs: 1 });
    assert.equal((await ask("show", "1")).pending, 1);
    assert.equal((await ask("enable", "1")).status, "enabled");
    assert.equal((await ask("show", "1")).pending, 1);
    assert.equal((await ask("enable", "1", "--from-now")).pending, 0);
    const { stdout } = await run("events", "--json");
    const [, epoch = ""] = JSON.parse(stdout).id.split("_");
    assert.equal((await ask("replay", "1", "--after", `${epoch}-0`)).pending, 1);
    const missing = await run("webhooks", "replay", "1", "--delivery", "99");
    assert.deepEqual([missing.code, /No delivery/.test(missing.stderr)], [1, true]);
  });

  await t.test("are recorded with the name of the command", async () => {
    assert.equal((await ask("delete", "1")).id, 1);
    const { stdout } = await run("audit", "--json");
    assert.deepEqual(
      JSON.parse(stdout).map(({ action, actor }: Record<string, { command: string }>) => [
        action,
        actor?.command,
      ]),
      [
        ["webhook.deleted", "webhooks delete"],
        ["webhook.updated", "webhooks enable"],
        ["webhook.disabled", "webhooks disable"],
        ["webhook.rotated", "webhooks rotate"],
        ["webhook.created", "webhooks create"],
      ],
    );
  });

  for (const args of [
    ["create", "--name", "Old", "--plan", "free"],
    ["revoke", "1"],
  ])
    assert.equal((await run("keys", ...args)).code, 0);
  const wrong: Array<[args: string[], code: number, message: RegExp]> = [
    [["show", "1"], 1, /No webhook has this identifier\. List them: .* webhooks list/],
    [["show", "x"], 2, /"x" is not a webhook id/],
    [["create"], 2, /--url is missing/],
    [["create", "--url", "https://10.0.0.1/"], 1, /a private address/],
    [["create", "--url", "https://hooks.example.net/", "--types", "pet.sold"], 2, /--types must be one of/],
    [["create", "--url", "https://hooks.example.net/", "--key", "77"], 1, /No API key has this identifier/],
    [
      ["create", "--url", `https://hooks.example.net/${"x".repeat(2_000)}`],
      2,
      /--url must be text of at most 2000/,
    ],
    [[...CREATE.slice(1), "--description", "x".repeat(256)], 2, /--description must be text of at most 255/],
    [[...CREATE.slice(1), "--key", "1"], 1, /The key 1 is revoked\. Give the id of an active one/],
    [[...CREATE.slice(1), "--after", "x"], 2, /--after must be a cursor of GET \/v1\/events\./],
    [["replay", "1", "--after", "x"], 2, /--after must be a cursor of GET \/v1\/events\./],
    [["replay", "1"], 2, /Give either --delivery or --after/],
    [["sell"], 2, /There is no subcommand "sell"/],
    [[], 2, /A subcommand is missing/],
  ];
  for (const [args, code, message] of wrong) {
    await t.test(`rejects "${args.join(" ").slice(0, 80)}" with ${code}`, async () => {
      const result = await run("webhooks", ...args);
      assert.equal(result.code, code, result.stdout);
      assert.match(result.stderr, message);
    });
  }
});

/** An address, because a name would have to resolve. */
const CREATE = ["webhooks", "create", "--url", "https://93.184.215.14/"];

/** What `doctor` says about webhooks. */
async function examine(environment: Environment) {
  const { stdout } = await runInHost(["doctor", "--json"], { ...environment, PORT: "0" });
  return JSON.parse(stdout).find(({ check }: { check: string }) => check === "webhooks");
}

test("webhooks on PostgreSQL without a key say what to set; doctor reports the fault", async (t) => {
  const { environment } = await makeStore(t, await takePostgresStore(t));
  const refused = await runInHost(CREATE, environment);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /An operator must set WEBHOOK_SECRET_KEY/);
  const { WEBHOOK_SECRET_KEY } = RECEIVER_SETTINGS;
  assert.equal((await runInHost(CREATE, { ...environment, WEBHOOK_SECRET_KEY })).code, 0);
  const missing = await examine(environment);
  assert.equal(missing.result, "fault");
  assert.match(missing.detail, /1 webhook, but WEBHOOK_SECRET_KEY is not set/);
  const fine = await examine({ ...environment, WEBHOOK_SECRET_KEY });
  assert.deepEqual([fine.result, fine.detail], ["ok", "1 webhook"]);
});

test("doctor warns of a webhook that is gone or was given up, not of one that somebody ended", async (t) => {
  const { environment, db } = await makeStore(t);
  assert.equal((await runInHost(CREATE, environment)).code, 0);
  const results = { requested: "ok", key_ended: "ok", gone: "warning", failing: "warning" };
  for (const [reason, result] of Object.entries(results)) {
    await db.transaction((tx) => tx.run("UPDATE webhooks SET disabled_reason = $1", [reason]));
    const found = await examine(environment);
    assert.equal(found.result, result, reason);
    if (result === "warning")
      assert.match(found.detail, /^1 webhook: 0 with only failures .*, 1 disabled because of failures$/);
  }
});

test("doctor warns of webhooks that fail", async (t) => {
  const { environment, db } = await makeStore(t);
  for (let i = 0; i < 2; i++) assert.equal((await runInHost(CREATE, environment)).code, 0);
  const sinceMs = Date.now() - 2 * 86_400_000;
  await db.transaction(async (tx) => {
    await tx.run("UPDATE webhooks SET failing_since_ms = $1 WHERE id = 1", [sinceMs]);
    await tx.run("UPDATE webhooks SET disabled_reason = 'gone' WHERE id = 2");
  });
  const found = await examine(environment);
  assert.equal(found.result, "warning");
  assert.match(found.detail, /2 webhooks: 1 with only failures for more than a day, 1 disabled/);
});

test("doctor and test notice that the secrets are of another key; rotate makes new ones", async (t) => {
  const { environment } = await makeStore(t);
  const keyed = (WEBHOOK_SECRET_KEY: string) => ({ ...environment, WEBHOOK_SECRET_KEY });
  const [right, wrong] = [keyed("the-right-key-with-more-than-32-characters"), keyed("x".repeat(32))];
  for (let i = 0; i < 2; i++) assert.equal((await runInHost(CREATE, right)).code, 0);
  assert.equal((await examine(right)).result, "ok");
  for (const other of [wrong, environment]) {
    const found = await examine(other);
    assert.equal(found.result, "fault");
    assert.match(found.detail, /^2 webhooks, of which 2 have secrets of another key/);
  }
  const refused = await runInHost(["webhooks", "test", "1"], wrong);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /secret of another WEBHOOK_SECRET_KEY or key file/);
  assert.equal((await runInHost(["webhooks", "rotate", "1"], wrong)).code, 0);
  assert.match((await examine(wrong)).detail, /of which 1 have/);
});

test("doctor names a key file that cannot be used", async (t) => {
  const { environment } = await makeStore(t);
  assert.equal((await runInHost(CREATE, environment)).code, 0);
  assert.equal((await examine(environment)).result, "ok");
  writeFileSync(`${environment.DATABASE_URL?.slice("sqlite:".length)}-webhook-key`, "x");
  const found = await examine(environment);
  assert.equal(found.result, "fault");
  assert.match(found.detail, /is not a key of webhooks/);
});

testOnStores("events", async (t, { environment, db, command }) => {
  const pets = createPetStore(db);
  for (let i = 0; i < 25; i++) await pets.create({ ...REX, name: `Rex ${i}` }, { atMs: 1 });

  await t.test("prints the last 20, oldest first, as a table or as one JSON object per line", async () => {
    const [head, first] = (await command("events")).stdout.split("\n");
    assert.match(head ?? "", /^NUMBER +TIME +TYPE +CHANGE$/);
    assert.match(first ?? "", /^6 +1970-\S+Z +pet\.created +\{"pet":/);
    const lines = (await command("events", "--json")).stdout.trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).number),
      Array.from({ length: 20 }, (_, index) => index + 6),
    );
  });

  await t.test("filters by type, and starts after a cursor", async () => {
    assert.equal((await command("events", "--json", "--types", "order.*")).stdout, "");
    const { stdout } = await command("events", "--json");
    const [, epoch = ""] = JSON.parse(stdout.split("\n")[0] ?? "").id.split("_");
    const after = (await command("events", "--json", "--after", `${epoch}-23`)).stdout;
    assert.equal(after.trimEnd().split("\n").length, 2);
    assert.equal((await command("events", "--after", `${epoch}-99`)).code, 1);
    assert.equal((await command("events", "--types", "pet.sold")).code, 2);
    const unknown = await command("events", "--after", "foo");
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /--after must be a cursor of GET \/v1\/events\. See: .* events --help/);
  });

  await t.test("prints all that are kept if these are fewer than 20", async () => {
    await db.transaction((tx) => tx.run("DELETE FROM history WHERE number <= 15"));
    const { code, stdout, stderr } = await command("events", "--json");
    assert.equal(code, 0, stderr);
    const numbers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).number);
    assert.deepEqual(
      numbers,
      Array.from({ length: 10 }, (_, index) => index + 16),
    );
  });

  await t.test("--follow prints each further change", async (t) => {
    const { child, ended } = startCommand(["events", "--follow", "--json"], environment);
    t.after(() => child.kill("SIGKILL"));
    const output = { stdout: "", stderr: "" };
    child.stdout?.on("data", (text) => (output.stdout += text));
    await untilPrinted(child, output, /"number":25,/);
    await pets.create({ ...REX, name: "Late" }, { atMs: 1 });
    await untilPrinted(child, output, /"number":26,.*"name":"Late"/);
    child.kill("SIGINT");
    assert.equal((await ended).code, 130);
  });
});
