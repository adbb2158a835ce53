// The command that messages name, for each way to install the package.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nameCommand } from "../../../src/tools/program.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

test("messages name the command that started the package, and never a package that npx would download", (t) => {
  const folder = makeFolder(t);
  const own = join(folder, "node_modules/animal-store");
  mkdirSync(own, { recursive: true });
  assert.equal(nameCommand(own), "animal-store", "installed globally");
  assert.equal(nameCommand(folder), "animal-store", "unpacked into a folder");

  const install = (manifest: object) => writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  install({ dependencies: {} });
  assert.equal(nameCommand(own), join(folder, "node_modules/.bin/animal-store"), "installed in a project");
  const here = join(process.cwd(), "node_modules/animal-store");
  assert.equal(nameCommand(here), "./node_modules/.bin/animal-store", "in the project of the working folder");

  const npx: Array<[given: string, command: string]> = [
    ["./animal-store-1.1.0.tgz", "npx --yes ./animal-store-1.1.0.tgz"],
    ["/downloads/animal-store-1.1.0.tgz", "npx --yes file:/downloads/animal-store-1.1.0.tgz"],
    ["./my files/animal-store-1.1.0.tgz", "npx --yes './my files/animal-store-1.1.0.tgz'"],
    ["./$(id)'s.tgz", "npx --yes './$(id)'\\''s.tgz'"],
  ];
  for (const [given, command] of npx) {
    install({ _npx: { packages: [given] } });
    assert.equal(nameCommand(own), command);
  }
});
