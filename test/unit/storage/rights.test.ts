// The rights that the start demands on PostgreSQL tables cover every statement of the stores.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { WRITES } from "../../../src/storage/postgres/rights.ts";
import type { TableName } from "../../../src/storage/tables.ts";

const WRITE = /(INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)/g;

test("a role with the demanded rights may run every statement of the stores", () => {
  const found = globSync("src/storage/{stores,search}/**/*.ts").flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(WRITE)].map(([, words = "", table = ""]) => {
      return { path, table, right: words.split(" ")[0] ?? "" };
    }),
  );
  const known = found.filter((each): each is typeof each & { table: TableName } => each.table in WRITES);
  assert.ok(known.length > 50, "statements are found");
  const missing = known.filter(({ table, right }) => !WRITES[table].split(" ").includes(right));
  assert.deepEqual(missing, []);
});
