// The deployment files are valid and use settings, scripts and paths that exist.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { BlockList } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../../../src/config/config.ts";
import { describeSettings } from "../../../src/config/settings.ts";
import { ERRORS, type ErrorCode } from "../../../src/domain/basics/errors.ts";
import { call } from "../../harness/clients/call.ts";
import { column } from "../../harness/clients/pages.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { findProgram } from "../../harness/runner/packages.ts";
import { startApp } from "../../harness/servers/app.ts";
import { runCommand } from "../../harness/servers/service.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const SETTINGS = new Set(describeSettings().map(({ name }) => name));
const { scripts, engines, version } = JSON.parse(read("package.json"));
const COMPOSE = parse(read("deploy/compose.yaml"), { merge: true });
const MANIFESTS = parseAllDocuments(read("deploy/kubernetes/animal-store.yaml")).map((each) => each.toJS());
const UNITS = ["animal-store.service", "animal-store-backup.service", "animal-store-backup.timer"];
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
});

test("the proxies send errors with the texts of the service", () => {
  for (const file of ["deploy/Caddyfile", "deploy/nginx.conf"]) {
    const bodies = [...read(file).matchAll(/\b(?:respond|return \d+) [`'](\{.*\})[`']/g)];
    assert.ok(bodies.length > 0, file);
    for (const [, body = ""] of bodies) {
      const { code, ...rest } = JSON.parse(body);
      assert.deepEqual(rest, ERRORS[code as ErrorCode], `${file}: ${code}`);
    }
  }
});

test("the proxies close an idle connection before a node does", async (t) => {
  const { headers } = await call("GET", `${(await startApp(t)).url}/healthz`, {
    agent: new Agent({ keepAlive: true }),
  });
  const nodeSeconds = Number(/timeout=(\d+)/.exec(headers["keep-alive"] ?? "")?.[1]);
  for (const pattern of [/^\t+keepalive (\d+)s$/m, /^ {4}keepalive_timeout (\d+)s;$/m]) {
    const [, seconds] = pattern.exec(read("deploy/Caddyfile") + read("deploy/nginx.conf")) ?? [];
    assert.ok(Number(seconds) < nodeSeconds, `${seconds} < ${nodeSeconds}`);
  }
});

test("the Kubernetes manifests have a deployment, a service and a disruption budget", () => {
  assert.deepEqual(column(MANIFESTS, "kind"), ["Deployment", "Service", "PodDisruptionBudget"]);
  const { terminationGracePeriodSeconds, containers } = MANIFESTS[0].spec.template.spec;
  const [{ image, env, startupProbe, readinessProbe, livenessProbe }] = containers;
  const value = (wanted: string) => env.find(({ name }: { name: string }) => name === wanted)?.value;
  assert.equal(image, `animal-store:${version}`);
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

test("the Kubernetes pods have no privileges, and can write only to a folder for imports", () => {
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
  assert.deepEqual(pod.volumes, [{ name: "imports", emptyDir: { sizeLimit: "300Mi" } }]);
  assert.deepEqual(pod.containers[0].volumeMounts, [{ name: "imports", mountPath: "/tmp" }]);
});

/** The settings of a unit, in order. */
function readUnit(file: string): string[] {
  return read(`deploy/${file}`)
    .split("\n")
    .filter((line) => /^[A-Z]\w+=/.test(line));
}

test("the systemd unit has no capabilities, a system call filter and one writable folder", () => {
  const unit = read("deploy/animal-store.service");
  const lines = new Set(readUnit("animal-store.service"));
  const wanted = `
    DynamicUser=yes StateDirectory=animal-store StateDirectoryMode=0700 UMask=0077 NoNewPrivileges=yes
    CapabilityBoundingSet= AmbientCapabilities= SystemCallFilter=@system-service SystemCallArchitectures=native
    ProtectSystem=strict ProtectHome=yes ProtectKernelTunables=yes ProtectKernelModules=yes ProtectKernelLogs=yes
    ProtectControlGroups=yes ProtectClock=yes ProtectHostname=yes ProtectProc=invisible
    PrivateTmp=yes PrivateDevices=yes PrivateUsers=yes
    RestrictNamespaces=yes RestrictRealtime=yes RestrictSUIDSGID=yes`
    .trim()
    .split(/\s+/)
    .concat("RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX", "OOMPolicy=continue");
  assert.deepEqual(
    wanted.filter((line) => !lines.has(line)),
    [],
  );
  assert.doesNotMatch(unit, /^MemoryDenyWriteExecute=/m, "the JIT compiler needs it");
  const filters = [...lines].filter((line) => line.startsWith("SystemCallFilter="));
  assert.deepEqual(filters.slice(-2), [
    "SystemCallFilter=~@privileged @resources",
    "SystemCallFilter=setpriority",
  ]);
  const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
  assert.ok(stopSeconds >= 10);
});

test("the backup unit has the user, the settings and the restrictions of the service, and no network", () => {
  const [service, backup] = ["animal-store.service", "animal-store-backup.service"].map(readUnit);
  const own = ["Description=", "Type=", "ExecStart=", "RestrictAddressFamilies="];
  const ofServiceOnly = ["After=", "Wants=", "Restart=", "RestartSec=", "TimeoutStopSec=", "WantedBy="];
  ofServiceOnly.push("OOMPolicy=", "SystemCallFilter=setpriority");
  const isShared = (line: string) => ![...own, ...ofServiceOnly].some((start) => line.startsWith(start));
  assert.deepEqual(
    service?.filter((line) => isShared(line) && !backup?.includes(line)),
    [],
  );
  for (const line of [
    "User=animal-store",
    "PrivateNetwork=yes",
    "RestrictAddressFamilies=AF_UNIX",
    "Nice=10",
  ])
    assert.ok(backup?.includes(line), line);
});

test("systemd accepts the units and the time of the timer", (t) => {
  const folder = makeFolder(t);
  for (const file of UNITS)
    writeFileSync(
      join(folder, file),
      read(`deploy/${file}`).replaceAll("/opt/animal-store", ROOT.slice(0, -1)),
    );
  const analyze = (...args: string[]) =>
    spawnSync(findProgram("systemdAnalyze"), args, { cwd: folder, encoding: "utf8" });
  const verified = analyze("verify", "--man=no", ...UNITS.map((file) => join(folder, file)));
  // It may also complain about units of the machine.
  const complaints = verified.stderr.split("\n").filter((line) => line.includes("animal-store"));
  assert.deepEqual([verified.status, complaints], [0, []]);
  const [, calendar = ""] = /^OnCalendar=(.*)$/m.exec(read("deploy/animal-store-backup.timer")) ?? [];
  assert.equal(analyze("calendar", calendar).status, 0);
});

test("the command of the backup unit writes a backup", async (t) => {
  const folder = makeFolder(t);
  const environment = { DATABASE_URL: `sqlite:${folder}/animal-store.db` };
  assert.equal((await runCommand(["migrate"], environment)).code, 0);
  const [, line = ""] = /^ExecStart=(.*)$/m.exec(read("deploy/animal-store-backup.service")) ?? [];
  const [, , ...args] = line.replaceAll("/var/lib/animal-store", folder).split(" ");
  const { code, stderr } = await runCommand(args, environment);
  assert.equal(code, 0, stderr);
  assert.match(readdirSync(join(folder, "backups")).join(), /^animal-store-\d{4}-\d\d-\d\dT\d{6}Z\.db$/);
});

test("the commands of the docs for a copy every minute give units that systemd accepts, and make a copy", async (t) => {
  const folder = makeFolder(t);
  for (const file of UNITS) writeFileSync(join(folder, file), read(`deploy/${file}`));
  const [, script = ""] =
    /\ncd \/etc\/systemd\/system\n([^`]*?)systemctl daemon-reload/.exec(read("docs/operating.md")) ?? [];
  const made = spawnSync("sh", ["-ec", script], { cwd: folder, encoding: "utf8" });
  assert.deepEqual([made.status, made.stderr], [0, ""]);
  const unit = (name: string) => readFileSync(join(folder, `animal-store-copy.${name}`), "utf8");
  assert.match(unit("timer"), /^OnCalendar=minutely\nAccuracySec=1s$/m);
  const files = ["service", "timer"].map((name) => {
    const path = join(folder, `animal-store-copy.${name}`);
    writeFileSync(path, unit(name).replaceAll("/opt/animal-store", ROOT.slice(0, -1)));
    return path;
  });
  const verified = spawnSync(findProgram("systemdAnalyze"), ["verify", "--man=no", ...files], {
    encoding: "utf8",
  });
  const complaints = verified.stderr.split("\n").filter((line) => line.includes("animal-store"));
  assert.deepEqual([verified.status, complaints], [0, []]);

  const environment = { DATABASE_URL: `sqlite:${folder}/animal-store.db` };
  assert.equal((await runCommand(["migrate"], environment)).code, 0);
  const [, line = ""] = /^ExecStart=(.*)$/m.exec(unit("service")) ?? [];
  const [, , ...args] = line.replaceAll("/var/lib/animal-store", folder).split(" ");
  for (let minute = 0; minute < 2; minute++) {
    const { code, stderr } = await runCommand(args, environment);
    assert.equal(code, 0, stderr);
  }
  assert.equal(readdirSync(join(folder, "copies")).length, 1);
});

test("every deployment file starts the service as package.json does", () => {
  const words = START.split(" ");
  assert.match(read("Dockerfile"), new RegExp(`CMD \\[${words.map((word) => `"${word}"`).join(", ")}\\]`));
  assert.ok(read("deploy/animal-store.service").includes(`/node_modules/.bin/${START}`));
  assert.ok(read("docs/operating.md").includes(`node_modules/.bin/${START}`));
  assert.match(read("deploy/animal-store.service"), /npm run build:console && npm run build:client/);
});

test("the image builds console and client with all packages, and fails if a build fails", () => {
  const [, stage = "", image = ""] = read("Dockerfile").split(/^FROM .*$/m);
  assert.match(stage, /^RUN npm ci$/m);
  for (const part of ["console", "client"]) {
    assert.ok(stage.includes(`RUN ${scripts[`build:${part}`]}\n`), part);
    assert.ok(image.includes(`COPY --from=console /app/${part}/dist ./${part}/dist\n`), part);
  }
  assert.doesNotMatch(stage, /--omit/);
  assert.doesNotMatch(image, /--omit=optional/, "the binaries of sharp are optional packages");
});

test("the files of the image are enough for the console; a failing build does not prevent the start", async (t) => {
  const folder = makeFolder(t);
  const [, stage = ""] = read("Dockerfile").split(/^FROM .*$/m);
  const copied = [...stage.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "));
  assert.ok(copied.includes("console"));
  for (const name of copied) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  rmSync(join(folder, "console/dist"), { recursive: true, force: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const run = (script: string) => {
    const [, ...words] = script.split(" ");
    return spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  };
  assert.deepEqual(run(scripts["build:console"]).stderr, "");
  assert.ok(existsSync(join(folder, "console/dist/pages.json")));
  writeFileSync(join(folder, "console/src/main.tsx"), "this is no program");
  const atStart = run(BUILD);
  assert.equal(atStart.status, 0);
  assert.match(atStart.stderr, /^The console was not built: [\s\S]*The service starts without it/);
  const alone = run(scripts["build:console"]);
  assert.equal(alone.status, 1);
  assert.match(alone.stderr, /^The console was not built: /);
});

test("the docs require the Node version of package.json", () => {
  const least = engines.node.replace(">=", "");
  assert.ok(read("docs/operating.md").includes(`Node ${least} or newer`));
});
