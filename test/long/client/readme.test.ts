// The README of the packed client: its examples compile, run, and print what their comments say, and its links work.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { compile, ROOT, run, unpackClient } from "../../unit/client/packed.ts";

test("every example of the README compiles, runs on the service, and prints what its comments say", async (t) => {
  const [{ url }, { folder, place }] = await Promise.all([startApp(t), unpackClient(t)]);
  const readme = readFileSync(join(place, "README.md"), "utf8");
  const [setUp = "", ...examples] = [...readme.matchAll(/```(\w*)\n([\s\S]*?)```/g)]
    .filter(([, language]) => language !== "sh")
    .map(([, language, code]) => {
      assert.equal(language, "ts");
      return code as string;
    });
  assert.ok(examples.length >= 9);
  const files = examples.map((example, index) => {
    const program = (example.includes("createClient(") ? example : setUp + example)
      .replaceAll("https://animals.example.org", url)
      .replaceAll("ask_live_YOUR_KEY", ADMIN_KEY);
    writeFileSync(join(folder, `${index}.mts`), program);
    return `${index}.mts`;
  });
  await compile(folder, ["--noEmit", "--module", "nodenext", ...files]);

  for (const [index, file] of files.entries()) {
    const { stdout } = await run(process.execPath, [join(folder, file)]);
    const said = [...(examples[index] as string).matchAll(/\/\/ → (.*)/g)].map(([, text]) => `${text}\n`);
    assert.equal(stdout, said.join(""), file);
  }
});

test("every link of the README points to a file of the package or to a section of the README", async (t) => {
  const { place } = await unpackClient(t);
  const readme = readFileSync(join(place, "README.md"), "utf8");
  const targets = [...readme.matchAll(/\]\(([^)]+)\)|<(https?:[^>]+)>/g)].map(([, link, url]) => link ?? url);
  const sections = [...readme.matchAll(/^#+ (.*)/gm)].map(
    ([, title = ""]) => `#${title.toLowerCase().replaceAll(" ", "-")}`,
  );
  assert.deepEqual(
    targets.filter((target = "") => !sections.includes(target) && !existsSync(join(place, target))),
    [],
  );
});

test("README starts with the commands that install the package, and states the minimum of TypeScript", () => {
  const readme = readFileSync(join(ROOT, "client/README.md"), "utf8");
  const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text);
  assert.deepEqual(commands, [
    "npm install http://127.0.0.1:8080/client.tgz\n",
    "npm ci && npm run build:client\nnpm install ./client/dist/client.tgz\n",
  ]);
  assert.ok(readme.indexOf("```sh") < readme.indexOf("```ts"));
  assert.match(readme, /^TypeScript 5\.0 is the minimum/m);
});
