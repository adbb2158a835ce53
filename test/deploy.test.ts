// The deployment files are valid and use settings, scripts and paths that exist.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../src/config.ts";
import { describeSettings } from "../src/settings.ts";
import { makeFolder } from "./harness/folder.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const SETTINGS = new Set(describeSettings().map(({ name }) => name));
const { scripts, engines } = JSON.parse(read("package.json"));
const COMPOSE = parse(read("deploy/compose.yaml"), { merge: true });
const MANIFESTS = parseAllDocuments(read("deploy/kubernetes/animal-store.yaml")).map((each) => each.toJS());
/** The parts of `npm start`. */
const [, BUILD = "", START = ""] = scripts.start.split(" && ") as string[];

test("compose.yaml uses existing settings, the same for both nodes", () => {
  const { services } = COMPOSE;
  assert.deepEqual(Object.keys(services), ["node-a", "node-b", "postgres", "valkey", "proxy"]);
  assert.deepEqual(services["node-a"], services["node-b"]);
  for (const name of Object.keys(services["node-a"].environment)) assert.ok(SETTINGS.has(name), name);
});

test("compose.yaml publishes only the proxy, and only on the loopback address", () => {
  const published = Object.entries<{ ports?: string[] }>(COMPOSE.services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => `${name} ${port}`),
  );
  assert.deepEqual(published, ["proxy 127.0.0.1:8080:8080"]);
});

test("the nodes of compose.yaml trust the proxy and the gateway, and have no privileges", () => {
  const { "node-a": node, proxy } = COMPOSE.services;
  const [{ gateway, ip_range }] = COMPOSE.networks.default.ipam.config;
  const address = proxy.networks.default.ipv4_address;
  assert.deepEqual(node.environment.TRUST_PROXY.split(","), [gateway, address]);
  assert.equal(proxy.environment.PROXY_TRUSTED, `${gateway}/32`);
  const [network, bits] = ip_range.split("/");
  const others = new BlockList();
  others.addSubnet(network, Number(bits));
  assert.equal(others.check(address), false, "no other container can get the address of the proxy");
  assert.equal(node.read_only, true);
  assert.deepEqual(node.cap_drop, ["ALL"]);
  assert.deepEqual(node.security_opt, ["no-new-privileges:true"]);
});

test("the proxy gets every variable of its Caddyfile and notices a stopping node in time", () => {
  const caddyfile = read("deploy/Caddyfile");
  const { "node-a": node, proxy } = COMPOSE.services;
  const named = [...caddyfile.matchAll(/\{\$([A-Z_]+)/g)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(proxy.environment).sort());
  assert.deepEqual(proxy.volumes, ["./Caddyfile:/etc/caddy/Caddyfile:ro"]);
  const [intervalMs = 0, timeoutMs = 0] = ["health_interval", "health_timeout"].map((option) => {
    const [, count, unit] = new RegExp(`${option} (\\d+)(ms|s)\\n`).exec(caddyfile) ?? [];
    return Number(count) * (unit === "s" ? 1_000 : 1);
  });
  assert.ok(Number(node.environment.DRAIN_SECONDS) * 1_000 > intervalMs + timeoutMs);
  assert.match(caddyfile, /^\tadmin off$/m);
  assert.match(caddyfile, /^\tauto_https off$/m);
});

test("the Kubernetes manifests have a deployment, a service and a disruption budget", () => {
  assert.deepEqual(
    MANIFESTS.map(({ kind }) => kind),
    ["Deployment", "Service", "PodDisruptionBudget"],
  );
  const { terminationGracePeriodSeconds, containers } = MANIFESTS[0].spec.template.spec;
  const [{ env, startupProbe, readinessProbe, livenessProbe }] = containers;
  const value = (wanted: string) => env.find(({ name }: { name: string }) => name === wanted)?.value;
  for (const { name } of env) assert.ok(SETTINGS.has(name), name);
  assert.deepEqual(
    [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path),
    ["/healthz", "/readyz", "/healthz"],
  );
  const drain = Number(value("DRAIN_SECONDS"));
  assert.ok(terminationGracePeriodSeconds >= drain + 10, "a stop has enough time");
  const { periodSeconds, timeoutSeconds, failureThreshold } = readinessProbe;
  assert.ok(
    drain > (periodSeconds + timeoutSeconds) * failureThreshold,
    "a stopping node is noticed in time",
  );
  assert.deepEqual(readConfig({ TRUST_PROXY: value("TRUST_PROXY") }).trustProxy, ["10.0.0.0/8"]);
});

test("the Kubernetes pods have no privileges and no writable volume", () => {
  const pod = MANIFESTS[0].spec.template.spec;
  assert.equal(pod.automountServiceAccountToken, false);
  assert.deepEqual(pod.securityContext, {
    runAsNonRoot: true,
    runAsUser: 1000,
    runAsGroup: 1000,
    seccompProfile: { type: "RuntimeDefault" },
  });
  assert.deepEqual(pod.containers[0].securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  assert.equal(pod.volumes, undefined);
});

test("the systemd unit has no capabilities, a system call filter and one writable folder", () => {
  const unit = read("deploy/animal-store.service");
  const lines = new Set(unit.split("\n").filter((line) => /^[A-Z]\w+=/.test(line)));
  const wanted = [
    "DynamicUser=yes",
    "StateDirectory=animal-store",
    "StateDirectoryMode=0700",
    "UMask=0077",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "AmbientCapabilities=",
    "SystemCallFilter=@system-service",
    "SystemCallArchitectures=native",
    ...["System=strict", "Home=yes", "KernelTunables=yes", "KernelModules=yes", "KernelLogs=yes"].map(
      (rest) => `Protect${rest}`,
    ),
    ...["ControlGroups=yes", "Clock=yes", "Hostname=yes", "Proc=invisible"].map((rest) => `Protect${rest}`),
    ...["PrivateTmp=yes", "PrivateDevices=yes", "PrivateUsers=yes"],
    ...["Namespaces=yes", "Realtime=yes", "SUIDSGID=yes"].map((rest) => `Restrict${rest}`),
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
  ];
  assert.deepEqual(
    wanted.filter((line) => !lines.has(line)),
    [],
  );
  assert.doesNotMatch(unit, /^MemoryDenyWriteExecute=/m, "the JIT compiler needs it");
  const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
  assert.ok(stopSeconds >= 10);
});

test("every deployment file starts the service as package.json does", () => {
  const words = START.split(" ");
  assert.match(read("Dockerfile"), new RegExp(`CMD \\[${words.map((word) => `"${word}"`).join(", ")}\\]`));
  assert.ok(read("deploy/animal-store.service").includes(`/node_modules/.bin/${START}`));
  assert.ok(read("docs/operating.md").includes(`node_modules/.bin/${START}`));
  assert.match(read("deploy/animal-store.service"), /npm run build:console/);
});

test("the image builds the console with all packages, and fails if that build fails", () => {
  const [, stage = ""] = read("Dockerfile").split(/^FROM .*$/m);
  assert.match(stage, /^RUN npm ci$/m);
  assert.ok(stage.includes(`RUN ${scripts["build:console"]}\n`));
  assert.doesNotMatch(stage, /--omit/);
});

test("a console that cannot be built fails the build, but not the start of the service", async (t) => {
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

test("doctor and docs require the Node version of package.json", () => {
  const least = engines.node.replace(">=", "");
  assert.ok(read("src/cli/doctor.ts").includes(`NODE_MIN = "${least}"`));
  assert.ok(read("docs/operating.md").includes(`Node ${least} or newer`));
});
