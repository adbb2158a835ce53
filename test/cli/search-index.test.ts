// `migrate` and `doctor` on PostgreSQL where the role may not create the extension that speeds up searches.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { runInHost } from "../harness/clients/commands.ts";
import { assertFinding, findAll } from "../harness/clients/findings.ts";
import { askPostgres, createTestDatabase } from "../harness/servers/databases.ts";

const ADVICE =
  /extension pg_trgm is missing.*Let an administrator run in this database: CREATE EXTENSION pg_trgm;/s;

test("migrate and doctor work for a role that may not create the extension, and name the fix", async (t) => {
  const url = await createTestDatabase(t);
  const role = `plain_${randomBytes(4).toString("hex")}`;
  await askPostgres(url, `CREATE ROLE ${role} LOGIN; GRANT USAGE, CREATE ON SCHEMA public TO ${role}`);
  // After the database, which t.after deletes first.
  t.after(async () => void (await askPostgres(process.env.TEST_DATABASE_URL ?? "", `DROP ROLE ${role}`)));
  const own = new URL(url);
  own.username = role;
  const environment = { DATABASE_URL: own.href };

  await t.test("migrate succeeds, and prints the command for an administrator", async () => {
    const { code, stdout, stderr } = await runInHost(["migrate"], environment);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Created, schema \d+\.\n$/);
    assert.match(stderr, ADVICE);
  });

  await t.test("doctor warns of the missing index", async () => {
    const { search, writes, start } = await findAll(environment);
    assertFinding(search, "warning", /./);
    assert.match(`${search?.detail}. ${search?.mend}`, ADVICE);
    assert.deepEqual([writes?.result, start?.result], ["ok", "ok"]);
  });

  await t.test("the next migrate creates the index once the extension exists", async () => {
    await askPostgres(url, "CREATE SCHEMA extensions; CREATE EXTENSION pg_trgm SCHEMA extensions");
    await askPostgres(url, `GRANT USAGE ON SCHEMA extensions TO ${role}`);
    const { stdout, stderr } = await runInHost(["migrate"], environment);
    assert.deepEqual([stdout, stderr], ["The schema is up to date.\n", ""]);
    const { rows } = await askPostgres(url, "SELECT to_regclass('pet_texts_by_trigram') AS found");
    assert.equal(rows[0].found, "pet_texts_by_trigram");
    assert.equal((await findAll(environment)).search, undefined);
  });
});
