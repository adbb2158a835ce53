// The samples of the reference, as /docs.md has them: all can be parsed, and those of the main operations work.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createCall } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { findProgram } from "../../harness/runner/packages.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { compile, run, unpackClient } from "../../unit/client/packed.ts";

/** In an order in which each finds what it needs, with what its output must contain. */
const EXECUTED: Array<[operationId: string, shown: RegExp]> = [
  ["createPet", /Rex/],
  ["listPets", /Rex/],
  ["getPet", /Rex/],
  ["updateProfile", /Labrador/],
  ["addPhoto", /Rex runs across a meadow/],
  ["orderPhotos", /Rex runs across a meadow/],
  ["updatePhoto", /Rex runs across a meadow/],
  ["getListing", /Rex runs across a meadow/],
  ["listListings", /Rex runs across a meadow/],
  ["countListings", /exact/],
  ["importAnimals", /isDryRun/],
  ["getExport", /ID,Internal,AnimalName/],
  ["createOrder", /case 4711/],
  ["getOrder", /placed/],
  ["listOrders", /case 4711/],
  ["updateOrder", /approved/],
  ["getInventory", /available/],
  ["putCategory", /Dogs/],
  ["listCategories", /Dogs/],
  ["listEvents", /pet\.created/],
  ["createKey", /ask_live_/],
  ["listKeys", /Website/],
  ["getUsage", /enterprise/],
  ["deletePhoto", /^(?:204)?$/],
];
const NAMES = EXECUTED.map(([name]) => name);
const MARK = "=== ";

type Samples = Record<string, string>;

/** A service of its own for each language: an animal can be ordered once. */
async function readSamples(t: TestContext, language: string, folder: string): Promise<Samples> {
  const { url } = await startApp(t);
  const { text } = await createCall(url)("GET", "/docs.md");
  const filled = text.replaceAll("ask_live_YOUR_KEY", ADMIN_KEY);
  const samples = filled.split("\n### ").flatMap((section) => {
    const [, operationId] = /Operation `(\w+)`\./.exec(section) ?? [];
    const code = section.split(`\n\`\`\`${language}\n`)[1]?.split("\n```\n")[0];
    return operationId !== undefined && code !== undefined ? [[operationId, code] as const] : [];
  });
  assert.ok(samples.length > 40, `${samples.length} samples`);
  writeFileSync(join(folder, "rex.jpg"), await drawImage("red"));
  writeFileSync(join(folder, "animals.csv"), "name,categoryId\nRex,3\n");
  return Object.fromEntries(samples);
}

/** The output has a line with each name before the output of its sample. */
function checkOutput(output: string): void {
  const parts = output.split(MARK).slice(1);
  assert.deepEqual(
    parts.map((part) => part.split("\n")[0]),
    NAMES,
  );
  for (const [index, [name, shown]] of EXECUTED.entries()) {
    const text = parts[index]?.slice(name.length).trim() ?? "";
    assert.match(text, shown, name);
    assert.doesNotMatch(text, /"code": ?"/, name);
  }
}

test("the samples for curl", async (t) => {
  const folder = makeFolder(t);
  const samples = await readSamples(t, "sh", folder);
  writeFileSync(join(folder, "all.sh"), Object.values(samples).join("\n"));
  await run("sh", ["-n", "all.sh"], { cwd: folder });
  const lines = NAMES.map((name) => `echo; echo '${MARK}${name}'\n${samples[name]}`);
  writeFileSync(join(folder, "run.sh"), lines.join("\n"));
  checkOutput((await run("sh", ["run.sh"], { cwd: folder })).stdout);
});

test("the samples for JavaScript", async (t) => {
  const { folder } = await unpackClient(t);
  const samples = await readSamples(t, "js", folder);
  const files = Object.entries(samples).map(([name, code]) => {
    writeFileSync(join(folder, `${name}.mts`), code);
    return `${name}.mts`;
  });
  // As @types/node declares it, which the samples do without.
  const declaration = "function readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;";
  writeFileSync(join(folder, "node.d.ts"), `declare module "node:fs/promises" { ${declaration} }`);
  await compile(folder, ["--noEmit", "--module", "nodenext", "node.d.ts", ...files]);
  const lines = NAMES.map((name) => `console.log('${MARK}${name}');\nawait import('./${name}.mts');`);
  writeFileSync(join(folder, "run.mjs"), lines.join("\n"));
  checkOutput((await run(process.execPath, ["run.mjs"], { cwd: folder })).stdout);
});

test("the samples for Python, and the program of its guide", async (t) => {
  const folder = makeFolder(t);
  const samples = await readSamples(t, "python", folder);
  const { url } = await startApp(t);
  const { text } = await createCall(url)("GET", "/docs.md");
  const [, guide = ""] = /### Python\n[\s\S]*?```python\n([\s\S]*?)\n```\n/.exec(text) ?? [];
  const programs = { ...samples, guide: guide.replaceAll("ask_live_YOUR_KEY", ADMIN_KEY) };
  writeFileSync(join(folder, "samples.json"), JSON.stringify({ programs, names: [...NAMES, "guide"] }));
  writeFileSync(
    join(folder, "run.py"),
    `import json
with open("samples.json") as file:
    given = json.load(file)
compiled = {name: compile(code, name, "exec") for name, code in given["programs"].items()}
for name in given["names"]:
    print("${MARK}" + name)
    exec(compiled[name], {})
`,
  );
  const { stdout } = await run(findProgram("python"), ["run.py"], { cwd: folder });
  const [rest = "", shown] = stdout.split(`${MARK}guide\n`);
  checkOutput(rest);
  assert.equal(shown, "Added 1\n1 Rex\n");
});
