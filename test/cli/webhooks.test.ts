// `webhooks` and `events`: every subcommand, for people and for programs, and the check of webhooks in `doctor`.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { commandsIn, type Environment } from "../harness/clients/commands.ts";
import { assertFinding, findOne } from "../harness/clients/findings.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../harness/servers/receiver.ts";
import { startCommand, untilPrinted } from "../harness/servers/service.ts";
import { takePostgresStore } from "../harness/servers/stores.ts";
import { makeStore, testOnStores } from "./stores.ts";

const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;
/** An address, because a name would have to resolve. */
const URL = "https://93.184.215.14/";
const CREATE = ["webhooks", "create", "--url", URL];

testOnStores("webhooks", async (t, { environment, db }) => {
  const receiver = await startReceiver(t);
  const { command, readOutput, readJson } = commandsIn({ ...environment, ...RECEIVER_SETTINGS });
  const ask = (...args: string[]) => readJson("webhooks", ...args);

  await t.test("webhooks list says that there are none", async () => {
    assert.match(await readOutput("webhooks", "list"), /^There are no webhooks\./);
    assert.deepEqual(await ask("list"), []);
  });

  await t.test("webhooks create prints the secret once; show and list do not", async () => {
    const settings = ["--types", "pet.*,pet.*", "--description", "Mine"];
    const issued = await ask("create", "--url", receiver.url, ...settings);
    assert.match(issued.secret, /^whsec_/);
    assert.deepEqual([issued.id, issued.keyId, issued.types, issued.status], [1, 0, ["pet.*"], "enabled"]);
    const { secret, ...webhook } = issued;
    assert.deepEqual(await ask("list"), [webhook]);
    assert.deepEqual(await ask("show", "1"), { ...webhook, deliveries: [] });
    const table = /^ID +KEY +URL +TYPES +STATUS +PENDING +LAST SUCCESS +FAILING SINCE\n1 +0 +http/;
    assert.match(await readOutput("webhooks", "list"), table);
    assert.match(await readOutput("webhooks", "show", "1"), /^id +1\nkey +0 \(operator\)\n/);
  });

  await t.test("webhooks test sends an event and prints the result", async () => {
    const result = await ask("test", "1");
    assert.deepEqual([result.status, result.response], [204, ""]);
    assert.equal(receiver.received[0]?.event.type, "webhook.test");
    assert.match(await readOutput("webhooks", "test", "1"), /^Response 204 after \d+ ms\n$/);
  });

  await t.test("webhooks test exits with 1 if the receiver does not accept the event", async () => {
    receiver.react(500);
    const refused = await command("webhooks", "test", "1", "--json");
    assert.deepEqual([refused.code, JSON.parse(refused.stdout).status], [1, 500]);
    assert.match(refused.stderr, /The test failed: the receiver must answer with a status from 200 to 299\./);
    receiver.react((response) => response.destroy());
    const unanswered = await command("webhooks", "test", "1");
    assert.equal(unanswered.code, 1);
    assert.match(unanswered.stdout, /^No response after \d+ ms: /);
    receiver.react(204);
  });

  await t.test("webhooks rotate, disable, enable and replay change it", async () => {
    assert.match((await ask("rotate", "1")).secret, /^whsec_/);
    assert.equal((await ask("disable", "1")).disabledReason, "requested");
    await createPetStore(db).create(REX, { atMs: 1 });
    assert.equal((await ask("show", "1")).pending, 1);
    assert.equal((await ask("enable", "1")).status, "enabled");
    assert.equal((await ask("show", "1")).pending, 1);
    assert.equal((await ask("enable", "1", "--from-now")).pending, 0);
    const [, epoch = ""] = (await readJson("events")).id.split("_");
    assert.equal((await ask("replay", "1", "--after", `${epoch}-0`)).pending, 1);
    const missing = await command("webhooks", "replay", "1", "--delivery", "99");
    assert.deepEqual([missing.code, /No delivery/.test(missing.stderr)], [1, true]);
  });

  await t.test("the audit log names the command of each change", async () => {
    assert.equal((await ask("delete", "1")).id, 1);
    const records: Array<{ action: string; actor: { command: string } }> = await readJson("audit");
    assert.deepEqual(
      records.map(({ action, actor }) => [action, actor.command]),
      [
        ["webhook.deleted", "webhooks delete"],
        ["webhook.updated", "webhooks enable"],
        ["webhook.disabled", "webhooks disable"],
        ["webhook.rotated", "webhooks rotate"],
        ["webhook.created", "webhooks create"],
      ],
    );
  });
});

testOnStores("webhooks refuses a wrong command line with how to correct it", async (t, store) => {
  await store.readOutput("keys", "create", "--name", "Old", "--plan", "free");
  await store.readOutput("keys", "revoke", "1");
  const { assertRefused } = commandsIn({ ...store.environment, ...RECEIVER_SETTINGS });
  const noCursor = /--after must be a cursor of GET \/v1\/events\./;
  const wrong: Array<[line: string, code: number, says: RegExp]> = [
    ["show 1", 1, /No webhook has this identifier\. List them: .* webhooks list/],
    ["show x", 2, /"x" is not a webhook id/],
    ["create", 2, /--url is missing/],
    ["create --url https://10.0.0.1/", 1, /a private address/],
    [`create --url ${URL} --types pet.sold`, 2, /--types must be one of/],
    [`create --url ${URL} --key 77`, 1, /No API key has this identifier/],
    [`create --url ${URL} --key 1`, 1, /The key 1 is revoked\. Give the id of an active one/],
    [`create --url ${URL} --after x`, 2, noCursor],
    [`create --url ${URL} --description ${"x".repeat(256)}`, 2, /--description must be text of at most 255/],
    [`create --url ${URL}${"x".repeat(2_000)}`, 2, /--url must be text of at most 2000/],
    ["replay 1 --after x", 2, noCursor],
    ["replay 1 --after now", 2, noCursor],
    ["replay 1", 2, /Give either --delivery or --after/],
    ["sell", 2, /There is no subcommand "sell"/],
  ];
  for (const [line, code, says] of wrong)
    await t.test(`webhooks ${line.slice(0, 80)}`, async () => {
      await assertRefused(["webhooks", ...line.split(" ")], says, code);
    });
  await assertRefused(["webhooks"], /A subcommand is missing/, 2);
});

const examine = (environment: Environment) => findOne(environment, "webhooks");

test("webhooks on PostgreSQL without a key say what to set; doctor reports the fault", async (t) => {
  const { environment, assertRefused } = await makeStore(t, await takePostgresStore(t));
  await assertRefused(CREATE, /An operator must set WEBHOOK_SECRET_KEY/);
  const { WEBHOOK_SECRET_KEY } = RECEIVER_SETTINGS;
  const keyed = { ...environment, WEBHOOK_SECRET_KEY };
  await commandsIn(keyed).readOutput(...CREATE);
  assertFinding(await examine(environment), "fault", /1 webhook, but WEBHOOK_SECRET_KEY is not set/);
  assertFinding(await examine(keyed), "ok", "1 webhook");
});

test("doctor warns of a webhook that is gone or was given up, not of one that somebody ended", async (t) => {
  const { environment, db, readOutput } = await makeStore(t);
  await readOutput(...CREATE);
  const disabled = /^1 webhook: 0 with only failures .*, 1 disabled because of failures$/;
  const results = { requested: "ok", key_ended: "ok", gone: "warning", failing: "warning" } as const;
  for (const [reason, result] of Object.entries(results)) {
    await db.transaction((tx) => tx.run("UPDATE webhooks SET disabled_reason = $1", [reason]));
    assertFinding(await examine(environment), result, result === "ok" ? "1 webhook" : disabled);
  }
});

test("doctor warns of webhooks that fail", async (t) => {
  const { environment, db, readOutput } = await makeStore(t);
  for (let i = 0; i < 2; i++) await readOutput(...CREATE);
  const sinceMs = Date.now() - 2 * 86_400_000;
  await db.transaction(async (tx) => {
    await tx.run("UPDATE webhooks SET failing_since_ms = $1 WHERE id = 1", [sinceMs]);
    await tx.run("UPDATE webhooks SET disabled_reason = 'gone' WHERE id = 2");
  });
  const detail = /2 webhooks: 1 with only failures for more than a day, 1 disabled/;
  assertFinding(await examine(environment), "warning", detail);
});

test("doctor and test notice that the secrets are of another key; rotate makes new ones", async (t) => {
  const { environment } = await makeStore(t);
  const keyed = (WEBHOOK_SECRET_KEY: string) => ({ ...environment, WEBHOOK_SECRET_KEY });
  const [right, wrong] = [keyed("the-right-key-with-more-than-32-characters"), keyed("x".repeat(32))];
  for (let i = 0; i < 2; i++) await commandsIn(right).readOutput(...CREATE);
  assert.equal((await examine(right)).result, "ok");
  for (const other of [wrong, environment])
    assertFinding(await examine(other), "fault", /^2 webhooks, of which 2 have secrets of another key/);
  const { assertRefused, readOutput } = commandsIn(wrong);
  await assertRefused(["webhooks", "test", "1"], /secret of another WEBHOOK_SECRET_KEY or key file/);
  await readOutput("webhooks", "rotate", "1");
  assertFinding(await examine(wrong), "fault", /of which 1 have/);
});

test("doctor names a key file that cannot be used", async (t) => {
  const { environment, readOutput } = await makeStore(t);
  await readOutput(...CREATE);
  assert.equal((await examine(environment)).result, "ok");
  writeFileSync(`${environment.DATABASE_URL.slice("sqlite:".length)}-webhook-key`, "x");
  assertFinding(await examine(environment), "fault", /is not a key of webhooks/);
});

testOnStores("events", async (t, { environment, db, readOutput, assertRefused }) => {
  const pets = createPetStore(db);
  for (let i = 0; i < 25; i++) await pets.create({ ...REX, name: `Rex ${i}` }, { atMs: 1 });
  const readEvents = async (...flags: string[]): Promise<Array<{ id: string; number: number }>> => {
    const lines = (await readOutput("events", "--json", ...flags)).split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  };
  const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
  const readNumbers = async () => (await readEvents()).map(({ number }) => number);

  await t.test("events prints the last 20, oldest first, as a table or as lines of JSON", async () => {
    const [head = "", first = ""] = (await readOutput("events")).split("\n");
    assert.match(head, /^NUMBER +TIME +TYPE +CHANGE$/);
    assert.match(first, /^6 +1970-\S+Z +pet\.created +\{"pet":/);
    assert.deepEqual(await readNumbers(), numbersFrom(6, 20));
  });

  await t.test("events filters by type, and starts after a cursor", async () => {
    assert.deepEqual(await readEvents("--types", "order.*"), []);
    const [first] = await readEvents();
    const [, epoch = ""] = first?.id.split("_") ?? [];
    assert.equal((await readEvents("--after", `${epoch}-23`)).length, 2);
    await assertRefused(["events", "--after", `${epoch}-99`], /./);
    await assertRefused(["events", "--types", "pet.sold"], /--types must be one of/, 2);
    const noCursor = /--after must be a cursor of GET \/v1\/events\. See: .* events --help/;
    await assertRefused(["events", "--after", "foo"], noCursor, 2);
  });

  await t.test("events prints all that are kept if these are fewer than 20", async () => {
    await db.transaction((tx) => tx.run("DELETE FROM history WHERE number <= 15"));
    assert.deepEqual(await readNumbers(), numbersFrom(16, 10));
  });

  await t.test("events --follow prints each further change", async (t) => {
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
