// The rights that the start demands on PostgreSQL tables cover every statement of the stores.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { writesOf } from "../../../src/storage/postgres/rights.ts";
import { TABLES, type TableName } from "../../../src/storage/tables.ts";

const WRITE = /(INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)/g;

test("a role with the demanded rights may run every statement of the stores", () => {
  const found = globSync("src/storage/{stores,search}/**/*.ts").flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(WRITE)].map(([, words = "", table = ""]) => {
      return { path, table, right: words.split(" ")[0] ?? "" };
    }),
  );
  const known = found.filter((each): each is typeof each & { table: TableName } => each.table in TABLES);
  assert.ok(known.length > 50, "statements are found");
  const missing = known.filter(({ table, right }) => !writesOf(table).includes(right));
  assert.deepEqual(missing, []);
});
