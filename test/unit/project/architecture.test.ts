// The import rules, the diagram and paths of ARCHITECTURE.md, and a few rules on file names and header lines.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Allowed imports of each part: our own parts, and packages. An unused entry fails. Tests may import everything. Modules
 * of Node are free, except in `domain/`.
 */
const RULES: Record<string, string[]> = {
  "src/tools": [],
  "src/look": [],
  "src/files": ["src/tools"],
  "src/domain": ["src/tools", "node:crypto", "node:zlib"],
  "src/storage": ["src/domain", "src/files", "src/tools", "better-sqlite3", "pg"],
  "src/gate": ["src/domain", "src/tools", "ioredis"],
  "src/http": [
    "src/domain",
    "src/files",
    "src/tools",
    "@fastify/type-provider-typebox",
    "fast-json-stringify",
    "fastify",
    "pino",
    "prom-client",
    "typebox",
    "yaml",
  ],
  "src/webhooks": ["src/domain", "src/files", "src/tools"],
  "src/images": ["src/domain", "src/tools", "sharp"],
  "src/site": ["src/domain", "src/look", "src/tools"],
  "src/reference": ["src/domain", "src/http", "src/look", "src/tools"],
  "src/transfer": [
    "src/command-stores.ts",
    "src/config",
    "src/domain",
    "src/engines.ts",
    "src/files",
    // Rows of a file are validated by the schema of createPet, which is in http.
    "src/http",
    "src/images",
    "src/storage",
    "src/tools",
  ],
  "src/cli": [
    "src/command-stores.ts",
    "src/config",
    "src/domain",
    "src/files",
    "src/images",
    "src/log",
    "src/service",
    "src/tools",
    "src/transfer",
    "src/webhooks",
    "pino",
    "uqr",
  ],
  "src/main.ts": ["src/cli"],
  "src/config": ["src/domain", "src/tools"],
  "src/log": ["src/config", "src/tools", "pino"],
  "src/engines.ts": ["src/config", "src/domain", "src/gate", "src/storage", "src/tools"],
  "src/stores.ts": ["src/config", "src/domain", "src/storage", "src/tools"],
  "src/command-stores.ts": [
    "src/config",
    "src/domain",
    "src/engines.ts",
    "src/storage",
    "src/stores.ts",
    "src/tools",
  ],
  "src/service": [
    "src/config",
    "src/domain",
    "src/engines.ts",
    "src/files",
    "src/http",
    "src/images",
    "src/reference",
    "src/site",
    "src/storage",
    "src/stores.ts",
    "src/tools",
    "src/transfer",
    "src/webhooks",
    "fastify",
    "pino",
  ],
  "src/ecmascript.d.ts": [],
  "client/src": [],
  "client/generate.ts": ["client/comments.ts", "client/examples.ts"],
  "client/comments.ts": [],
  "client/examples.ts": [],
  "client/built-from.ts": [],
  "client/tar.ts": [],
  "client/pack.ts": ["client/built-from.ts", "client/tar.ts"],
  "console/src": [
    "client/src/client.ts",
    "@preact/signals",
    "preact",
    "uqr",
    // Limits, rules and the format of CSV files are the service's. These files need no module of Node.
    "src/domain",
    "src/look",
    "src/reference/samples/curl.ts",
    "src/transfer/formats",
  ],
  "console/build.ts": ["client/built-from.ts", "console/page-head.ts", "src/look", "esbuild"],
  "console/page-head.ts": ["esbuild"],
  // The client for its types, the words for profiles, what of a text is visible, and the corners. At run time the widget uses nothing but HTTP.
  "widget/src": [
    "client/src/client.ts",
    "src/domain/animals/words.ts",
    "src/domain/animals/words-de.ts",
    "src/domain/animals/words-en.ts",
    "src/domain/basics/text.ts",
    "src/look/tokens.ts",
  ],
  package: ["client/pack.ts", "console/build.ts"],
};

/** Rooms from top to bottom. A room imports only rooms below it. */
const ORDERED_ROOMS: Record<string, string[]> = {
  "src/http": [
    "app.ts",
    "fast-path",
    "routes",
    "events",
    "server",
    "replies",
    "admission",
    "static",
    "services.ts",
    "openapi",
    "request",
    "pages",
    "observe",
    "headers",
    "schemas",
  ],
  "console/src": [
    "main.tsx",
    "app.tsx",
    "frame",
    "lazy-views.ts",
    "find",
    "usage",
    "keys",
    "webhooks",
    "audit",
    "site",
    "categories",
    "shelters",
    "import",
    "today",
    "animals",
    "orders",
    "people",
    "sign-in",
    "reference",
    "shared",
  ],
  "src/domain": [
    "idempotency.ts",
    "webhooks",
    "events",
    "orders",
    "site",
    "animals",
    "shelters",
    "people",
    "keys",
    "usage",
    "basics",
  ],
  "src/transfer": [
    "sample.ts",
    "copy.ts",
    "backup.ts",
    "target.ts",
    "import",
    "export",
    "persist.ts",
    "member-check.ts",
    "formats",
    "progress.ts",
  ],
};

/** Inside a part: the only files and folders that may import the target. An unused entry fails. */
const IMPORTED_ONLY_BY: Record<string, string[]> = {
  "better-sqlite3": ["src/storage/sqlite"],
  pg: ["src/storage/postgres"],
  ioredis: ["src/gate/redis"],
  sharp: ["src/images/convert.ts"],
  "src/storage/sqlite": [
    "src/storage/sqlite",
    "src/storage/migrations",
    "src/engines.ts",
    "src/transfer/backup.ts",
  ],
  "src/storage/postgres": ["src/storage/postgres", "src/storage/migrations", "src/engines.ts"],
  "src/gate/redis": ["src/gate/redis", "src/engines.ts"],
  "src/http/routes": ["src/http/routes", "src/http/fast-path", "src/http/app.ts"],
  "src/http/app.ts": ["src/service/app.ts"],
};

/** Inside a part: imports in the wrong direction. */
const NEVER_IMPORTS: Record<string, string[]> = {
  // A migration never changes; the stores do.
  "src/storage/migrations": ["src/storage/stores"],
  // Routes describe the interface and do not depend on how connections are handled.
  "src/http/routes": ["src/http/server"],
  // File formats do not depend on where the rows are stored.
  "src/transfer/formats": ["src/storage", "src/command-stores.ts", "src/engines.ts"],
};

function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const found = [...text.matchAll(/(?<![".-])(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier]) => specifier as string,
  );
  return found.map((specifier) => (specifier.startsWith(".") ? join(dirname(file), specifier) : specifier));
}

function isWithin(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}/`);
}

const sources = [
  ...listFiles("src"),
  ...listFiles("client/src"),
  ...["generate", "comments", "examples", "built-from", "tar", "pack"].map((name) => `client/${name}.ts`),
  ...listFiles("console/src"),
  "console/build.ts",
  "console/page-head.ts",
  ...listFiles("widget/src"),
  ...listFiles("package"),
];

/** Files outside `target` that import it. */
function importersOf(target: string): string[] {
  return sources.filter(
    (file) => !isWithin(file, target) && importsOf(file).some((each) => isWithin(each, target)),
  );
}

/** A part imports its own files, and modules of Node unless it must stay without input and output. */
function isFree(part: string, target: string): boolean {
  return isWithin(target, part) || (target.startsWith("node:") && part !== "src/domain");
}

test("every source file belongs to a part with import rules", () => {
  const unassigned = sources.filter((file) => !Object.keys(RULES).some((part) => isWithin(file, part)));
  assert.deepEqual(unassigned, []);
});

for (const [part, allowed] of Object.entries(RULES)) {
  test(`${part} imports only what its rule allows`, () => {
    const files = sources.filter((file) => isWithin(file, part));
    assert.ok(files.length > 0, "the part has files");
    const violations = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !isFree(part, target) && !allowed.some((each) => isWithin(target, each)))
        .map((target) => `${file} → ${target}`),
    );
    assert.deepEqual(violations, []);
    const unused = allowed.filter(
      (each) => !files.some((file) => importsOf(file).some((target) => isWithin(target, each))),
    );
    assert.deepEqual(unused, [], "the rule allows imports that no file uses");
  });
}

for (const [target, allowed] of Object.entries(IMPORTED_ONLY_BY)) {
  test(`${target} is imported only by ${allowed.filter((each) => each !== target).join(", ")}`, () => {
    const importers = importersOf(target);
    const outside = importers.filter((file) => !allowed.some((each) => isWithin(file, each)));
    assert.deepEqual(outside, []);
    const unused = allowed.filter(
      (each) => each !== target && !importers.some((file) => isWithin(file, each)),
    );
    assert.deepEqual(unused, [], "the rule allows importers that do not exist");
  });
}

for (const [part, forbidden] of Object.entries(NEVER_IMPORTS)) {
  test(`${part} never imports ${forbidden.join(", ")}`, () => {
    for (const each of [part, ...forbidden]) assert.ok(existsSync(join(ROOT, each)), each);
    const violations = forbidden.flatMap((target) =>
      importersOf(target)
        .filter((file) => isWithin(file, part))
        .map((file) => `${file} → ${target}`),
    );
    assert.deepEqual(violations, []);
  });
}

for (const [part, rooms] of Object.entries(ORDERED_ROOMS)) {
  test(`the rooms of ${part} import only rooms below them`, () => {
    const rankOf = (path: string) => rooms.findIndex((room) => isWithin(path, `${part}/${room}`));
    const files = sources.filter((file) => isWithin(file, part));
    assert.deepEqual(
      files.filter((file) => rankOf(file) < 0),
      [],
      "files outside the rooms",
    );
    const upwards = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => isWithin(target, part) && rankOf(target) < rankOf(file))
        .map((target) => `${file} → ${target}`),
    );
    assert.deepEqual(upwards, []);
  });
}

const ARCHITECTURE = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

/** "src/config/config.ts" → "config" */
function shortName(part: string): string {
  return part.replace(/^src\//, "").replace(/\.ts$/, "");
}

test("the diagram of ARCHITECTURE.md equals the import rules, and its arrows point downwards", () => {
  const [, block = ""] = /```text\n([\s\S]*?)```/.exec(ARCHITECTURE) ?? [];
  const lines = block.trimEnd().split("\n");
  const drawn = lines.map((line) => {
    const [from = "", to = ""] = line.split("→").map((side) => side.trim());
    return { from, to: to === "nothing" ? [] : to.split(", ") };
  });
  const wanted = Object.entries(RULES)
    .filter(([part]) => part.startsWith("src/") && !part.endsWith(".d.ts"))
    .map(([part, allowed]) => ({
      from: shortName(part),
      to: allowed.filter((each) => each.startsWith("src/") && each !== part).map(shortName),
    }));
  const sorted = (arrows: typeof drawn) =>
    arrows.map(({ from, to }) => `${from} → ${to.toSorted().join(", ")}`).toSorted();
  assert.deepEqual(sorted(drawn), sorted(wanted));

  const rank = new Map(drawn.map(({ from }, index) => [from, index]));
  const upwards = drawn.flatMap(({ from, to }, index) =>
    to.filter((each) => (rank.get(each) ?? -1) <= index).map((each) => `${from} → ${each}`),
  );
  assert.deepEqual(upwards, []);
});

test("every path that the documents mention exists", () => {
  const decisions = readdirSync(join(ROOT, "docs/decisions")).map((name) => `docs/decisions/${name}`);
  const pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", ...decisions];
  const mentions = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/`([a-z][\w.-]*(?:\/[\w.-]+)*\/?)`/gi)]
      .map(([, path]) => path as string)
      .filter((path) => /\.(?:tsx?|md|json)$|\/$/.test(path) && path !== "test-output/")
      .map((path) => ({ page, path })),
  );
  assert.ok(mentions.length > 50, `found only ${mentions.length} paths`);
  const missing = mentions.filter(
    ({ path }) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, "src", path)),
  );
  assert.deepEqual(missing, []);
});

test("ARCHITECTURE.md names every folder of src/", () => {
  const folders = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${relative(join(ROOT, "src"), join(entry.parentPath, entry.name))}/`);
  const missing = folders.filter((folder) => !ARCHITECTURE.includes(`\`${folder}\``));
  assert.deepEqual(missing, []);
});

test("only config.ts reads the environment", () => {
  const readers = sources.filter((file) => /process\.env/.test(readFileSync(join(ROOT, file), "utf8")));
  assert.deepEqual(readers, ["src/config/config.ts"]);
});

test("only types are imported from node:http and node:https: tools/node-http.ts has the rest", () => {
  const VALUE_IMPORT = /^import (?!type )[^;]*from "node:https?"/m;
  const importers = sources.filter((file) => VALUE_IMPORT.test(readFileSync(join(ROOT, file), "utf8")));
  assert.deepEqual(importers, []);
});
test("every file starts with a comment that says what it is for", () => {
  const without = [...sources, ...listFiles("test")].filter(
    (file) => !/^(?:\/\/|#!|\/\*) ?\S.{10,}/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  assert.deepEqual(without, []);
});

test("no file has a vague name such as utils or index", () => {
  const vague = [...sources, ...listFiles("test")].filter((file) =>
    /(^|\/)(index|utils?|helpers?|common|types)(\.tsx?|\/)/.test(file),
  );
  assert.deepEqual(vague, []);
});
