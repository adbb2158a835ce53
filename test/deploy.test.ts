// The files for deployment are readable, and speak of settings, scripts and paths that exist.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { describeConfig } from "../src/config.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const SETTINGS = new Set(describeConfig().map(({ name }) => name));
/** What remains of `npm start` once the console is built. */
const [BUILD = "", START = ""] = JSON.parse(read("package.json")).scripts.start.split(" && ") as string[];

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
  assert.ok(read("Dockerfile").includes(`RUN ${BUILD}`));
  assert.match(read("deploy/animal-store.service"), /npm run build:console/);
});
