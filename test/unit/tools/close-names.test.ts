// Mistyped names are recognised, other words are not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findCloseNames, findClosestName } from "../../../src/tools/close-names.ts";

test("a typo is recognised, another name is not", () => {
  const known = ["HOST", "PORT", "DATABASE_URL", "LOG_LEVEL"];
  const meant = ["DATABSE_URL", "DATABASEURL", "database_url", "LOGLEVEL", "PROT"].map((name) =>
    findClosestName(name, known),
  );
  assert.deepEqual(meant, ["DATABASE_URL", "DATABASE_URL", "DATABASE_URL", "LOG_LEVEL", "PORT"]);
  for (const other of ["POSTGRES_PASSWORD", "TZ", "PATH", "NODE_ENV", "DB_URL"])
    assert.equal(findClosestName(other, known), undefined, other);
});

test("finds the closest names first, and no other words", () => {
  const known = ["Dogs", "Cats", "Small animals", "Doves", "Dog"];
  assert.deepEqual(findCloseNames("Dgos", known), ["Dogs", "Dog"]);
  assert.deepEqual(findCloseNames("dogs", known), ["Dogs", "Dog", "Doves"]);
  assert.deepEqual(findCloseNames("Smal animls", known), ["Small animals"]);
  assert.deepEqual(findCloseNames("Fish", known), []);
  assert.deepEqual(findCloseNames("", known), []);
});
