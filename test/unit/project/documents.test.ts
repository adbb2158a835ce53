// The docs agree with the code.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PLANS as CLIENT_PLANS, TRANSITIONS } from "../../../client/src/client.ts";
import { renderGenerated } from "../../../docs/generate.ts";
import { PET_TRANSITIONS } from "../../../src/domain/animals/pet.ts";
import { ACCESS_LEVELS, PLANS } from "../../../src/domain/keys/plan.ts";
import { ORDER_TRANSITIONS } from "../../../src/domain/orders/order.ts";
import { SCHEMA_VERSION } from "../../../src/storage/migrations/migrate.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const { scripts, dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
const DECISION_WORDS_MAX = 250;
const PAGES = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "docs/operating.md",
  "docs/errors.md",
  "docs/interface.md",
  "docs/scaling.md",
  "docs/benchmarks.md",
  "client/README.md",
];

test("generated parts of the docs are up to date (npm run docs writes them)", () => {
  for (const [file, text] of renderGenerated()) assert.equal(read(`docs/${file}`), text, `docs/${file}`);
});

test("the OpenAPI document has extensions for sunsets, transitions and limits only", () => {
  const text = read("docs/openapi.json");
  assert.equal(JSON.parse(text).paths["/pets/{petId}"].get["x-sunset"], "2030-12-05");
  assert.doesNotMatch(text, /"x-(?!sunset|transitions|limits)/);
});

test("the OpenAPI document states the status transitions, and the client has the same table", () => {
  const { PetStatus, OrderStatus } = JSON.parse(read("docs/openapi.json")).components.schemas;
  assert.deepEqual(PetStatus["x-transitions"], PET_TRANSITIONS);
  assert.deepEqual(OrderStatus["x-transitions"], ORDER_TRANSITIONS);
  assert.deepEqual(TRANSITIONS, { PetStatus: PET_TRANSITIONS, OrderStatus: ORDER_TRANSITIONS });
});

test("the OpenAPI document states the limits of the plans, and the client has the same table", () => {
  const { Plan } = JSON.parse(read("docs/openapi.json")).components.schemas;
  assert.deepEqual(Plan["x-limits"], PLANS);
  assert.deepEqual(CLIENT_PLANS, PLANS);
});

test("docs/interface.md states the limits of every plan", () => {
  const text = read("docs/interface.md");
  for (const [plan, { perMinute, perDay }] of Object.entries(PLANS)) {
    const [, row = ""] = new RegExp(`^\\| ${plan} \\|(.*)\\|$`, "im").exec(text) ?? [];
    const numbers = row.match(/\d[\d,]*/g)?.map((number) => Number(number.replaceAll(",", "")));
    assert.deepEqual(numbers, [perMinute, perDay], plan);
  }
});

test("the titles of operations differ by more than an article", () => {
  const operations = Object.values(JSON.parse(read("docs/openapi.json")).paths as object).flatMap((path) =>
    Object.values(path),
  );
  const titles = (operations as Array<{ summary: string }>).map(({ summary }) =>
    summary.replace(/ (?:the|an?) /g, " "),
  );
  assert.ok(titles.length > 40);
  assert.deepEqual(
    titles.filter((title, index) => titles.indexOf(title) !== index),
    [],
  );
});

test("texts of the service quote numbers from constants", () => {
  const written = /\b(?:[0-9]+ [KM]iB|24 h(?:ours)?|60 minutes|1 to 255|[0-9]+ December)\b/;
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      /^(?:http|reference|domain|transfer)\/.*\.ts$/.test(file) && file !== "domain/basics/deprecation.ts",
  );
  assert.ok(files.length > 50);
  const repeated = files.filter((file) =>
    read(`src/${file}`)
      .split("\n")
      .some((line) => written.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line)),
  );
  assert.deepEqual(repeated, []);
});

test("every reference inside the OpenAPI document resolves", () => {
  const text = read("docs/openapi.json");
  const document = JSON.parse(text);
  const targets = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path]) => path as string);
  assert.ok(targets.length > 50);
  for (const target of new Set(targets)) {
    const found = target.split("/").reduce((node, name) => node?.[name], document);
    assert.ok(found, target);
  }
});

test("the guide to rolling back quotes the schema of this release", () => {
  const quoted = `The database has schema ${SCHEMA_VERSION}; this release knows up to`;
  assert.ok(read("docs/operating.md").includes(quoted), quoted);
});

test("every npm script that the docs name exists", () => {
  for (const page of PAGES) {
    const text = read(page);
    const named = [...text.matchAll(/npm run (?:-s )?([a-z:-]+)|npm (start|test)\b/g)].map(
      ([, run, own]) => run ?? own,
    );
    for (const name of named) assert.ok(scripts[name as string], `${page} names ${name}`);
  }
  assert.match(read("README.md"), /^npm ci && npm start$/m);
  assert.match(read("README.md"), /^npm ci && npm test$/m);
  assert.match(
    read(".ci/run"),
    /^npm ci && npm test && npm run test:long && npm run test:faults && \.ci\/rights$/m,
  );
});

test("README links to SECURITY.md, which names every level of access and says how to report", () => {
  assert.ok(read("README.md").includes("](SECURITY.md)"));
  const security = read("SECURITY.md");
  for (const level of ACCESS_LEVELS) assert.ok(security.includes(`| \`${level}\` key |`), level);
  assert.match(security, /private vulnerability reporting/);
});

test("every link between the docs points to a file", () => {
  const decisions = readdirSync(join(ROOT, "docs/decisions")).map((name) => `docs/decisions/${name}`);
  for (const page of [...PAGES, ...decisions]) {
    for (const [, target = ""] of read(page).matchAll(/\]\(([^)#]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      assert.ok(existsSync(join(ROOT, dirname(page), target)), `${page} → ${target}`);
    }
  }
});

test("every decision has a number of its own", () => {
  const numbers = readdirSync(join(ROOT, "docs/decisions")).map((name) => name.slice(0, 4));
  assert.deepEqual(numbers, [...new Set(numbers)]);
});

test("no decision has more than 250 words", () => {
  const long = readdirSync(join(ROOT, "docs/decisions"))
    .map((name) => ({ name, words: read(`docs/decisions/${name}`).trim().split(/\s+/).length }))
    .filter(({ words }) => words > DECISION_WORDS_MAX);
  assert.deepEqual(long, []);
});

test("every dependency is pinned, and the decisions give its reason", () => {
  const reasons = read("docs/decisions/0002-dependencies.md");
  for (const [name, version] of Object.entries({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
  })) {
    assert.match(String(version), /^\d+\.\d+\.\d+$/, name);
    assert.ok(reasons.includes(`\`${name}\``), `${name} has no reason`);
  }
  const runtimes = new Set(Object.values(optionalDependencies));
  assert.equal(runtimes.size, 1, "one version of Node on every platform");
});

test("the lockfile names no registry", () => {
  assert.doesNotMatch(read("package-lock.json"), /"resolved"/);
});
