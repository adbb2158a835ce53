// The import rules of ARCHITECTURE.md, and a few rules of form that a reader relies on.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What each part may import: parts of ours, and packages. Tests may import everything. Every entry is in use. */
const RULES: Record<string, string[]> = {
  "src/tools": [
    "src/tools",
    ...[
      "node:fs",
      "node:fs/promises",
      "node:net",
      "node:path",
      "node:perf_hooks",
      "node:stream",
      "node:timers/promises",
      "node:tty",
    ],
  ],
  "src/domain": ["src/domain", "src/tools", "node:crypto", "node:zlib"],
  "src/storage": [
    ...["src/domain", "src/storage", "src/tools", "better-sqlite3", "pg"],
    ...["node:crypto", "node:fs", "node:fs/promises", "node:path", "node:perf_hooks", "node:sqlite"],
    "node:timers/promises",
  ],
  "src/gate": ["src/domain", "src/gate", "src/tools", "ioredis", "node:crypto", "node:timers/promises"],
  "src/http": [
    ...["src/domain", "src/http", "src/tools"],
    ...["fastify", "@fastify/type-provider-typebox", "typebox", "prom-client", "yaml", "pino"],
    ...["node:buffer", "node:crypto", "node:fs", "node:http", "node:net", "node:timers/promises"],
  ],
  "src/reference": ["src/domain", "src/http", "src/reference", "src/tools", "node:fs"],
  "src/transfer": [
    ...["src/command-stores.ts", "src/config.ts", "src/engines.ts"],
    // The rows of a file follow the rules of createPet, which are in http.
    ...["src/domain", "src/http", "src/storage", "src/tools", "src/transfer"],
    ...[
      "node:buffer",
      "node:crypto",
      "node:fs",
      "node:fs/promises",
      "node:perf_hooks",
      "node:timers/promises",
    ],
  ],
  "src/cli": [
    ...["src/command-stores.ts", "src/config.ts", "src/log.ts", "src/service.ts"],
    ...["src/cli", "src/domain", "src/tools", "src/transfer", "pino"],
    ...["node:events", "node:fs", "node:os", "node:path", "node:stream/promises", "node:util"],
  ],
  "src/main.ts": ["src/cli", "node:module", "node:path"],
  "src/config.ts": ["src/setting-readers.ts", "src/settings.ts", "src/tools"],
  "src/settings.ts": ["src/domain", "src/setting-readers.ts"],
  "src/setting-readers.ts": ["src/domain", "node:net"],
  "src/log.ts": ["src/config.ts", "src/tools", "pino", "pino-pretty", "node:tty"],
  "src/engines.ts": ["src/config.ts", "src/domain", "src/gate", "src/storage", "src/tools", "node:fs"],
  "src/stores.ts": ["src/config.ts", "src/domain", "src/storage"],
  "src/maintenance.ts": ["src/domain"],
  "src/readiness.ts": ["src/domain", "src/http", "src/storage"],
  "src/command-stores.ts": [
    ...["src/config.ts", "src/engines.ts", "src/stores.ts", "src/domain", "src/storage", "src/tools"],
  ],
  "src/service.ts": [
    ...["src/config.ts", "src/engines.ts", "src/maintenance.ts", "src/readiness.ts", "src/stores.ts"],
    ...["src/domain", "src/http", "src/reference", "src/storage", "fastify", "pino"],
    ...["node:net", "node:timers/promises"],
  ],
  "src/ecmascript.d.ts": [],
  "client/src": ["client/src"],
  "client/generate.ts": ["client"],
  "console/src/main.tsx": ["console/src/state", "console/src/views", "preact"],
  "console/src/state": ["console/src/state", "client/src/client.ts", "@preact/signals", "preact"],
  "console/src/parts": ["console/src/parts", "console/src/state", "@preact/signals", "preact"],
  "console/src/views": [
    ...["console/src/views", "console/src/parts", "console/src/state"],
    ...["client/src/client.ts", "@preact/signals", "preact"],
  ],
  "console/build.ts": ["esbuild", "node:crypto", "node:fs", "node:path"],
};

function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const found = [...text.matchAll(/(?<!")(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier]) => specifier as string,
  );
  return found.map((specifier) => (specifier.startsWith(".") ? join(dirname(file), specifier) : specifier));
}

function isWithin(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}/`);
}

const sources = [
  ...[...listFiles("src"), ...listFiles("client/src"), "client/generate.ts"],
  ...[...listFiles("console/src"), "console/build.ts"],
];

test("every source file belongs to a part with rules", () => {
  const homeless = sources.filter((file) => !Object.keys(RULES).some((part) => isWithin(file, part)));
  assert.deepEqual(homeless, []);
});

for (const [part, allowed] of Object.entries(RULES)) {
  test(`${part} imports only what it may`, () => {
    const files = sources.filter((file) => isWithin(file, part));
    assert.ok(files.length > 0, "the part exists");
    const breaches = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !allowed.some((each) => isWithin(target, each)))
        .map((target) => `${file} → ${target}`),
    );
    assert.deepEqual(breaches, []);
    const unused = allowed.filter(
      (each) => !files.some((file) => importsOf(file).some((target) => isWithin(target, each))),
    );
    assert.deepEqual(unused, [], "a rule that nothing uses");
  });
}

test("only config.ts looks at the environment", () => {
  const readers = sources.filter((file) => /process\.env/.test(readFileSync(join(ROOT, file), "utf8")));
  assert.deepEqual(readers, ["src/config.ts"]);
});

test("every file says in its first line what it is for", () => {
  const silent = [...sources, ...listFiles("test")].filter(
    (file) => !/^(?:\/\/|#!|\/\*) ?\S.{10,}/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  assert.deepEqual(silent, []);
});

test("no file hides what it holds behind a vague name", () => {
  const vague = [...sources, ...listFiles("test")].filter((file) =>
    /(^|\/)(index|utils?|helpers?|common|types)(\.tsx?|\/)/.test(file),
  );
  assert.deepEqual(vague, []);
});
