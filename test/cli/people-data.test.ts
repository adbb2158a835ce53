// `backup`, `restore` and `copy` of a store with people: keys keep their person, and no code works twice.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { commandsIn } from "../harness/clients/commands.ts";
import { column } from "../harness/clients/pages.ts";
import { accept, codeOf, joinAs } from "../harness/clients/people.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { type LocalNode, startNode } from "../harness/servers/node.ts";
import { makeClosedStore } from "./stores.ts";

const MARIA = { name: "Maria", access: "manage" };

/** A node with a person, an open invitation and an open link. */
async function startScene(t: TestContext) {
  const { folder, path, environment } = await makeClosedStore(t);
  const node = await startNode(t, environment);
  const { key, person } = await joinAs(node, MARIA);
  const invite = async (body: object = MARIA) =>
    codeOf((await node.call("POST", "/invitations", { body })).json.url);
  const link = async () => codeOf((await node.call("POST", "/session/link", { key })).json.url);
  return {
    folder,
    path,
    environment,
    node,
    key,
    person,
    invite,
    link,
    codes: [await invite(), await link()],
  };
}

const keyOf = async ({ call }: LocalNode) => (await call("GET", "/keys")).json.at(0);

test("copy takes people, invitations and links, and their codes work in the copy", async (t) => {
  const { environment, node, key, person, codes } = await startScene(t);
  const before = await keyOf(node);
  await node.stop();
  const postgres = await createTestDatabase(t);
  await commandsIn({}).readOutput("copy", "--from", environment.DATABASE_URL, "--to", postgres);
  const copy = await startNode(t, { DATABASE_URL: postgres });
  assert.deepEqual((await keyOf(copy)).person, before.person);
  assert.deepEqual((await copy.call("GET", "/usage", { key })).json.person, before.person);
  for (const code of codes) assert.equal((await accept(copy.call, { code })).status, 201);
  const people = (await copy.call("GET", "/people")).json;
  assert.deepEqual(column(people, "id"), [person.id, person.id + 1], "ids go on");
  assert.equal(people[0].devices, 2);
});

test("restore keeps people and their devices, and closes every code", async (t) => {
  const { folder, environment, node, key, person, codes } = await startScene(t);
  const backup = join(folder, "backup.db");
  const { readOutput } = commandsIn(environment);
  await readOutput("backup", backup);
  const [used = ""] = codes;
  assert.equal((await accept(node.call, { code: used })).status, 201);
  await node.stop();
  await readOutput("restore", backup, "--force");

  const restored = await startNode(t, environment);
  const { call } = restored;
  assert.deepEqual((await call("GET", "/usage", { key })).json.person, { id: person.id, name: "Maria" });
  for (const code of codes) assert.equal((await accept(call, { code })).json.code, "invitation_not_found");
  assert.deepEqual(column((await call("GET", "/invitations")).json, "status"), ["accepted", "revoked"]);
  const fresh = codeOf((await call("POST", "/invitations", { body: MARIA })).json.url);
  assert.equal((await accept(call, { code: fresh })).status, 201);
});

test("no file of a store or a backup contains a code or a key", async (t) => {
  const { folder, path, environment, node, key, codes, invite } = await startScene(t);
  // Answers that are kept for an Idempotency-Key are encrypted.
  const headers = { "idempotency-key": "once" };
  const kept = await node.call("POST", "/invitations", { body: MARIA, headers });
  const keptLink = await node.call("POST", "/session/link", { key, headers });
  const secrets = [...codes, await invite(), codeOf(kept.json.url), codeOf(keptLink.json.url), key.slice(13)];
  assert.ok(secrets.every((secret) => secret.length > 20));
  const backup = join(folder, "backup.db");
  await commandsIn(environment).readOutput("backup", backup);
  for (const file of [path, `${path}-wal`, backup]) {
    const bytes = readFileSync(file);
    assert.ok(bytes.includes("Maria") || file.endsWith("-wal"), file);
    for (const secret of secrets) assert.equal(bytes.includes(secret), false, file);
  }
});
