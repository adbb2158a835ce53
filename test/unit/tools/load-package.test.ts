// Packages that are loaded on demand, also after a failed attempt.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadPackage } from "../../../src/tools/load-package.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

test("a package whose files could not be read is loaded by the next attempt", (t) => {
  const folder = makeFolder(t);
  const main = join(folder, "index.cjs");
  writeFileSync(main, 'exports.part = require("./part.cjs");');
  assert.throws(() => loadPackage(main), { code: "MODULE_NOT_FOUND" });
  writeFileSync(join(folder, "part.cjs"), "module.exports = 1;");
  assert.deepEqual({ ...loadPackage(main) }, { part: 1 });
});
