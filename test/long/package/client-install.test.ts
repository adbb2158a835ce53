// The client package as npm installs it: from a running service, or from a clone.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { packClient as packTo } from "../../../client/pack.ts";
import { describeGuides } from "../../../src/reference/guides.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { RECEIVER_SETTINGS } from "../../harness/servers/receiver.ts";
import { collect, untilPrinted } from "../../harness/servers/service.ts";
import { compile, ROOT, run, unpackClient } from "../../unit/client/packed.ts";

const PETS = 45;
const PROGRAM = `import { createClient, type Pet } from "@animal-store/client";

const [baseUrl = "", apiKey = ""] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });
const pets: Pet[] = [];
for await (const pet of client.listPets({ status: "available", limit: 20 })) pets.push(pet);
console.log(pets.length, pets[0]?.name);
`;

/** The Node that ran npm, which may be older than the one of the project. */
function findOtherNode(): string {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
  const found = folders.map((each) => join(each, "node")).find((file) => existsSync(file));
  assert.ok(found, "npm runs on a Node outside node_modules");
  return found;
}

/** The command and the program of a guide at /docs. */
function readGuide(url: string, wanted: string): [command: string, program: string] {
  const [command = "", program = ""] = readCode(url, wanted);
  return [command, program.replace("ask_live_YOUR_KEY", ADMIN_KEY)];
}

function readCode(url: string, wanted: string): string[] {
  const guide = describeGuides(url).find(({ id }) => id === wanted);
  return guide?.blocks.flatMap((block) => (block.kind === "code" ? [block.code] : [])) ?? [];
}

/** Installs into an empty folder. No registry can be reached. */
async function install(t: TestContext, spec: string): Promise<string> {
  const folder = makeFolder(t);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const registry = ["--registry", "http://127.0.0.1:9", "--fetch-retries", "0", "--no-audit", "--no-fund"];
  await run("npm", ["install", spec, ...registry, "--cache", join(folder, "cache")], { cwd: folder });
  return folder;
}

test("npm installs the client from a running service without a registry, and a program reads all pages", async (t) => {
  const { url, call } = await startApp(t);
  for (let number = 1; number <= PETS; number += 1)
    await call("POST", "/pets", { body: { name: `Rex ${number}`, categoryId: 3 } });
  const folder = await install(t, `${url}/client.tgz`);
  writeFileSync(join(folder, "all-pages.ts"), PROGRAM);
  // As @types/node declares it, which the program does without.
  writeFileSync(join(folder, "node.d.ts"), "declare const process: { argv: string[] };");
  await compile(folder, ["--module", "nodenext", "all-pages.ts", "node.d.ts"]);
  const [command, list] = readGuide(url, "typed-client");
  assert.equal(command, `npm install ${url}/client.tgz`);
  writeFileSync(join(folder, "list.mjs"), list);
  writeFileSync(join(folder, "fetch.mjs"), readGuide(url, "paging")[1]);
  for (const node of [process.execPath, findOtherNode()]) {
    const { stdout } = await run(node, [join(folder, "all-pages.js"), url, ADMIN_KEY]);
    assert.equal(stdout, `${PETS} Rex 1\n`, node);
    for (const program of ["list.mjs", "fetch.mjs"]) {
      const lines = (await run(node, [join(folder, program)])).stdout.trimEnd().split("\n");
      assert.deepEqual([lines.length, lines.at(-1)], [PETS, `${PETS} Rex ${PETS}`], `${program} ${node}`);
    }
  }
});

test("the program of the guide to webhooks receives and verifies what the service sends", async (t) => {
  const { url, call } = await startApp(t, { environment: RECEIVER_SETTINGS, startMs: Date.now() });
  const port = await findFreePort();
  const { json } = await call("POST", "/webhooks", { body: { url: `http://127.0.0.1:${port}/` } });
  const { folder } = await unpackClient(t);
  const file = join(folder, "receive.mjs");
  const program = readGuide(url, "webhooks")[1]
    .replace("whsec_…", json.secret)
    .replace("listen(3000)", `listen(${port}, () => console.log("ready"))`);
  writeFileSync(file, program);
  const child = spawn(process.execPath, [file]);
  t.after(() => child.kill());
  const output = collect(child);
  await untilPrinted(child, output, /ready/);
  await call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });
  await untilPrinted(child, output, /^1 pet\.created \{ pet: \{ id: 1, name: 'Rex'/m);
  const forged = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
  assert.equal(forged.status, 400);
});

test("the program of the guide to websites shows the animals that are available", async (t) => {
  const { url, call } = await startApp(t, { startMs: Date.now() });
  await call("POST", "/pets", { body: { name: "Rex <3", categoryId: 3 } });
  const { folder } = await unpackClient(t);
  const file = join(folder, "website.mjs");
  const program = readCode(url, "website").at(-1) ?? "";
  writeFileSync(file, program.replace("ask_live_YOUR_KEY", ADMIN_KEY));
  const child = spawn(process.execPath, [file]);
  t.after(() => child.kill());
  const output = collect(child);
  const steps: Array<[method: string, path: string, body: object | undefined, shown: RegExp]> = [
    ["PATCH", "/pets/1/profile", { breeds: ["Mutt"] }, /^<ul><li><b>Rex &lt;3<\/b> Mutt<\/li><\/ul>$/m],
    ["PATCH", "/pets/1", { status: "sold" }, /^<ul><\/ul>$/m],
    ["POST", "/pets", { name: "Luna", categoryId: 3 }, /^<ul><li><b>Luna<\/b> <\/li><\/ul>$/m],
    ["PATCH", "/pets/1", { status: "available" }, /Luna.*Rex/],
    ["DELETE", "/pets/2", undefined, /<ul><li><b>Rex &lt;3<\/b> Mutt<\/li><\/ul>\n$/],
  ];
  await untilPrinted(child, output, /^<ul><li><b>Rex &lt;3<\/b> <\/li><\/ul>$/m);
  for (const [method, path, body, shown] of steps) {
    assert.match(String((await call(method, path, body && { body })).status), /^2/);
    await untilPrinted(child, output, shown);
  }
});

test("a CommonJS program gets the client with import(), and with require() in a Node that supports it", async (t) => {
  const { folder } = await unpackClient(t);
  const file = join(folder, "program.cjs");
  const print = "(client) => console.log(typeof client.createClient)";
  writeFileSync(file, `import("@animal-store/client").then(${print});`);
  for (const node of [process.execPath, findOtherNode()])
    assert.equal((await run(node, [file])).stdout, "function\n", node);
  writeFileSync(file, `(${print})(require("@animal-store/client"));`);
  assert.equal((await run(process.execPath, [file])).stdout, "function\n");
});

test("the package has its texts, one entry point, the version of the service, and no dependencies or sources", async (t) => {
  const { place } = await unpackClient(t);
  const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.deepEqual([manifest.name, manifest.version], ["@animal-store/client", version]);
  assert.deepEqual(
    Object.keys(manifest).filter((name) => /dependencies|scripts/i.test(name)),
    [],
  );
  assert.equal(manifest.sideEffects, false);
  const entry = manifest.exports["."];
  for (const file of ["README.md", "LICENSE", manifest.types, entry.types, entry.default])
    assert.ok(existsSync(join(place, file)), file);
  assert.equal(readFileSync(join(place, "LICENSE"), "utf8"), readFileSync(join(ROOT, "LICENSE"), "utf8"));
  const { stdout } = await run("find", [place, "-type", "f"]);
  assert.doesNotMatch(stdout, /(?<!\.d)\.ts$|\.tgz$/m);
  const compiled = stdout.split("\n").filter((file) => file.endsWith(".js"));
  const nodeOnly = /\bfrom "node:|\brequire\(|\bprocess\.|\bBuffer\b/;
  assert.deepEqual(
    compiled.filter((file) => nodeOnly.test(readFileSync(file, "utf8"))),
    [],
  );
});

/** A copy of the files that the build reads. */
function copyClient(t: TestContext): string {
  const folder = makeFolder(t);
  const copied = (file: string) => !file.startsWith(join(ROOT, "client/dist"));
  for (const name of ["client", "tsconfig.json", "package-lock.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: copied });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

test("the build packs the same bytes for the same sources, and builds again only after a change", async (t) => {
  const folder = copyClient(t);
  const source = join(folder, "client/src/link.ts");
  const build = () => spawnSync(process.execPath, ["client/pack.ts"], { cwd: folder, encoding: "utf8" });
  const read = () => readFileSync(join(folder, "client/dist/client.tgz"));

  assert.equal(build().stdout, "client/dist/client.tgz was built.\n");
  const first = read();
  const other = join(makeFolder(t), "new/other.tgz");
  await packTo(other);
  assert.ok(readFileSync(other).equals(first));
  assert.equal(build().stdout, "client/dist/client.tgz is up to date.\n");

  rmSync(join(folder, "client/dist/client.tgz"));
  assert.equal(build().stdout, "client/dist/client.tgz was built.\n", "after the file was deleted");
  assert.ok(read().equals(first));

  appendFileSync(source, "\nexport const added = 1;\n");
  assert.equal(build().stdout, "client/dist/client.tgz was built.\n");
  assert.ok(!read().equals(first));

  appendFileSync(source, "this is no program\n");
  const broken = build();
  assert.equal(broken.status, 1);
  assert.match(broken.stderr, /^The client was not packed: client\/src\/link\.ts/);

  rmSync(join(folder, "node_modules"));
  const withoutCompiler = build();
  assert.equal(withoutCompiler.status, 1);
  assert.equal(
    withoutCompiler.stderr,
    "The client was not packed: TypeScript is not installed. Run npm ci.\n",
  );
});
