// The files for deployment are readable, and speak of settings, scripts and paths that exist.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { describeConfig } from "../src/config.ts";
import { makeFolder } from "./harness/folder.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const SETTINGS = new Set(describeConfig().map(({ name }) => name));
const { scripts, engines } = JSON.parse(read("package.json"));
/** `npm start` in its two parts. */
const [BUILD = "", START = ""] = scripts.start.split(" && ") as string[];

test("compose.yaml sets settings that exist, for two nodes alike", () => {
  const { services } = parse(read("deploy/compose.yaml"), { merge: true });
  assert.deepEqual(Object.keys(services), ["node-a", "node-b", "postgres", "valkey", "proxy"]);
  assert.deepEqual(services["node-a"], services["node-b"]);
  for (const name of Object.keys(services["node-a"].environment)) assert.ok(SETTINGS.has(name), name);
});

test("the Kubernetes manifests have a deployment, a service and a disruption budget", () => {
  const documents = parseAllDocuments(read("deploy/kubernetes/animal-store.yaml")).map((document) =>
    document.toJS(),
  );
  assert.deepEqual(
    documents.map(({ kind }) => kind),
    ["Deployment", "Service", "PodDisruptionBudget"],
  );
  const { terminationGracePeriodSeconds, containers } = documents[0].spec.template.spec;
  const [{ env, readinessProbe, livenessProbe }] = containers;
  for (const { name } of env) assert.ok(SETTINGS.has(name), name);
  assert.deepEqual([readinessProbe.httpGet.path, livenessProbe.httpGet.path], ["/readyz", "/healthz"]);
  const drain = Number(env.find(({ name }: { name: string }) => name === "DRAIN_SECONDS").value);
  assert.ok(terminationGracePeriodSeconds >= drain + 10, "a stop has the time that it needs");
});

test("every way to start it is the start of package.json", () => {
  const words = START.split(" ");
  assert.match(read("Dockerfile"), new RegExp(`CMD \\[${words.map((word) => `"${word}"`).join(", ")}\\]`));
  assert.ok(read("deploy/animal-store.service").includes(`/node_modules/.bin/${START}`));
  assert.ok(read("docs/operating.md").includes(`node_modules/.bin/${START}`));
  assert.match(read("deploy/animal-store.service"), /npm run build:console/);
});

test("the image builds its console with all packages, and fails where the build does", () => {
  const [, stage = ""] = read("Dockerfile").split(/^FROM .*$/m);
  assert.match(stage, /^RUN npm ci$/m);
  assert.ok(stage.includes(`RUN ${scripts["build:console"]}\n`));
  assert.doesNotMatch(stage, /--omit/);
});

test("a console that cannot be built does not keep the service from starting, but fails a build", async (t) => {
  const folder = makeFolder(t);
  for (const name of ["console", "client/src", "package-lock.json", "package.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  rmSync(join(folder, "console/dist"), { recursive: true, force: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "console/src/main.tsx"), "this is no program");
  const run = (script: string) => {
    const [, ...words] = script.split(" ");
    return spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  };
  const atStart = run(BUILD);
  assert.equal(atStart.status, 0);
  assert.match(atStart.stderr, /^The console was not built: [\s\S]*The service starts without it/);
  const alone = run(scripts["build:console"]);
  assert.equal(alone.status, 1);
  assert.match(alone.stderr, /^The console was not built: /);
});

test("doctor and docs ask for the Node of package.json", () => {
  const least = engines.node.replace(">=", "");
  assert.ok(read("src/cli/doctor.ts").includes(`NODE_MIN = "${least}"`));
  assert.ok(read("docs/operating.md").includes(`Node ${least} or newer`));
});
