// The published client package, and the examples of its README: they compile, run, and print what their comments say.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { ADMIN_KEY, startApp } from "../harness/app.ts";
import { makeFolder } from "../harness/folder.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const CLIENT = join(ROOT, "client");
const TSC = join(ROOT, "node_modules/.bin/tsc");
const MANIFEST = JSON.parse(readFileSync(join(CLIENT, "package.json"), "utf8"));
const README = readFileSync(join(CLIENT, "README.md"), "utf8");

/** Installs the package into an empty folder, as npm would. */
async function install(t: TestContext): Promise<string> {
  const folder = makeFolder(t);
  const place = join(folder, "node_modules", MANIFEST.name);
  mkdirSync(place, { recursive: true });
  copyFileSync(join(CLIENT, "package.json"), join(place, "package.json"));
  await run(process.execPath, [TSC, "-p", CLIENT, "--outDir", join(place, "dist")]);
  return folder;
}

test("every example of the README compiles, runs on the service, and prints what its comments say", async (t) => {
  const [{ url }, folder] = await Promise.all([startApp(t), install(t)]);
  const [setUp = "", ...examples] = [...README.matchAll(/```(\w*)\n([\s\S]*?)```/g)]
    .filter(([, language]) => language !== "sh")
    .map(([, language, code]) => {
      assert.equal(language, "ts");
      return code as string;
    });
  assert.ok(examples.length >= 9);
  const files = examples.map((example, index) => {
    const program = (example.includes("createClient(") ? example : setUp + example)
      .replaceAll("https://animals.example.org", url)
      .replaceAll("ask_live_…", ADMIN_KEY);
    writeFileSync(join(folder, `${index}.mts`), program);
    return `${index}.mts`;
  });
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--types", ""];
  const target = ["--target", "es2024", "--lib", "es2024,dom", "--module", "nodenext"];
  await run(process.execPath, [TSC, ...strict, ...target, ...files], { cwd: folder });

  for (const [index, file] of files.entries()) {
    const { stdout } = await run(process.execPath, [join(folder, file)]);
    const said = [...(examples[index] as string).matchAll(/\/\/ → (.*)/g)].map(([, text]) => `${text}\n`);
    assert.equal(stdout, said.join(""), file);
  }
});

test("the package has no dependencies, the version of the service, and its license", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.deepEqual(
    Object.keys(MANIFEST).filter((name) => /dependencies/i.test(name)),
    [],
  );
  assert.deepEqual([MANIFEST.name, MANIFEST.version], ["@animal-store/client", version]);
  assert.deepEqual(MANIFEST.files, ["dist"]);
  assert.equal(readFileSync(join(CLIENT, "LICENSE"), "utf8"), readFileSync(join(ROOT, "LICENSE"), "utf8"));
});
