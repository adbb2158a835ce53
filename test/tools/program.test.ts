// The command that messages name, for each way to install the package.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nameCommand } from "../../src/tools/program.ts";
import { makeFolder } from "../harness/folder.ts";

test("messages name the command that started the package, and never a package that npx would download", (t) => {
  const folder = makeFolder(t);
  const own = join(folder, "node_modules/animal-store");
  mkdirSync(own, { recursive: true });
  assert.equal(nameCommand(own), "animal-store", "installed globally");
  assert.equal(nameCommand(folder), "animal-store", "unpacked into a folder");

  const install = (manifest: object) => writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  install({ dependencies: {} });
  assert.equal(nameCommand(own), join(folder, "node_modules/.bin/animal-store"), "installed in a project");

  install({ _npx: { packages: ["/downloads/animal-store-1.1.0.tgz"] } });
  assert.equal(nameCommand(own), "npx /downloads/animal-store-1.1.0.tgz");
  install({ _npx: { packages: ["/my downloads/animal-store-1.1.0.tgz"] } });
  assert.equal(nameCommand(own), 'npx "/my downloads/animal-store-1.1.0.tgz"');
  install({ _npx: { packages: [join(process.cwd(), "dist/animal-store-1.1.0.tgz")] } });
  assert.equal(nameCommand(own), "npx ./dist/animal-store-1.1.0.tgz", "from the working folder");
});
