// `migrate` and `doctor` on PostgreSQL where the role may not create the extension that speeds up searches.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { runInHost } from "../harness/clients/commands.ts";
import { findAll } from "../harness/clients/findings.ts";
import { askPostgres, createTestDatabase } from "../harness/servers/databases.ts";

const ADVICE =
  /extension pg_trgm is missing.*Let an administrator run in this database: CREATE EXTENSION pg_trgm;/s;

test("a role that may not create the extension", async (t) => {
  const url = await createTestDatabase(t);
  const role = `plain_${randomBytes(4).toString("hex")}`;
  await askPostgres(url, `CREATE ROLE ${role} LOGIN; GRANT USAGE, CREATE ON SCHEMA public TO ${role}`);
  // After the database, which t.after deletes first.
  t.after(async () => void (await askPostgres(process.env.TEST_DATABASE_URL ?? "", `DROP ROLE ${role}`)));
  const own = new URL(url);
  own.username = role;
  const environment = { DATABASE_URL: own.href };

  await t.test("migrates, and prints the command for an administrator", async () => {
    const { code, stdout, stderr } = await runInHost(["migrate"], environment);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Created, schema \d+\.\n$/);
    assert.match(stderr, ADVICE);
  });

  await t.test("is warned by doctor", async () => {
    const { search, writes, start } = await findAll(environment);
    assert.equal(search?.result, "warning");
    assert.match(`${search?.detail}. ${search?.mend}`, ADVICE);
    assert.deepEqual([writes?.result, start?.result], ["ok", "ok"]);
  });

  await t.test("creates the index with the next migrate after that", async () => {
    await askPostgres(url, "CREATE SCHEMA extensions; CREATE EXTENSION pg_trgm SCHEMA extensions");
    await askPostgres(url, `GRANT USAGE ON SCHEMA extensions TO ${role}`);
    const { stdout, stderr } = await runInHost(["migrate"], environment);
    assert.equal(stderr, "");
    assert.equal(stdout, "The schema is up to date.\n");
    const { rows } = await askPostgres(url, "SELECT to_regclass('pet_texts_by_trigram') AS found");
    assert.equal(rows[0].found, "pet_texts_by_trigram");
    assert.equal((await findAll(environment)).search, undefined);
  });
});
