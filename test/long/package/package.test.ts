// The package of `npm run build:package`: its contents, and its service as a user starts and stops it.

import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { buildPackage } from "../../../package/build.ts";
import { column } from "../../harness/clients/pages.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { findProgram } from "../../harness/runner/packages.ts";
import {
  type Installed,
  installPackage,
  isInstalledByNpm,
  NPM_ENVIRONMENT,
  ROOT,
  readJson,
  run,
  startInstalled,
  USER_ENVIRONMENT,
} from "./installed.ts";

const own = readJson(join(ROOT, "package.json"));
const { packages: LOCK } = readJson(join(ROOT, "package-lock.json"));
/** Files without which the package is incomplete. A pattern below allows them. */
const NEEDED = [
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "package.json",
  "sbom.cdx.json",
  "client/README.md",
  "client/dist/client.tgz",
  "sample/animals.json",
  "sample/animals-de.json",
  ...["pages.json", "built-from.txt"].map((name) => `console/dist/${name}`),
  ...["operating.md", "errors.md", "interface.md", "openapi.json", "guides/01-first-request.md"].map(
    (name) => `docs/${name}`,
  ),
];
/** A Node without process.execve, whatever the machine has: the launcher starts a child process. */
const OLD = ["node", "--require", join(import.meta.dirname, "hide-execve.cjs")];

const folder = mkdtempSync(join(tmpdir(), "animal-store-test-"));
let tarball = "";
let program = "";
let installed = "";
let files: string[] = [];
before(async () => {
  tarball = await buildPackage();
  program = await installPackage(folder, tarball);
  installed = join(folder, "node_modules/animal-store");
  const { stdout } = await run("tar", ["-tzf", tarball]);
  files = stdout
    .trimEnd()
    .split("\n")
    .map((file) => file.replace("package/", ""));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("the package has the program as JavaScript, the console, the client and the docs, and nothing else", () => {
  assert.equal(tarball, join(ROOT, `dist/animal-store-${own.version}.tgz`));
  const isExpected = [
    /^(?:LICENSE|README\.md|CHANGELOG\.md|SECURITY\.md|package\.json|sbom\.cdx\.json)$/,
    /^launcher\/[a-z-]+\.cjs$/,
    /^src\/(?:[a-z0-9-]+\/)*[a-z0-9-]+\.js$/,
    /^src\/site\/style\.css$/,
    /^console\/dist\/(?:[\w-]+-[A-Z0-9]{8}\.(?:css|js)(?:\.br|\.gz)?|pages\.json|built-from\.txt)$/,
    /^client\/README\.md$/,
    /^client\/dist\/client\.tgz$/,
    /^deploy\/(?:[a-z]+\/)*[\w.-]+$/,
    /^docs\/[a-z]+\.(?:md|json|svg)$/,
    /^docs\/guides\/[0-9a-z-]+\.md$/,
    /^sample\/(?:animals(?:\.csv|(?:-de)?\.json)|drawings\/[a-z-]+(?:-\d+)?\.webp)$/,
  ];
  const unexpected = files.filter((file) => !isExpected.some((pattern) => pattern.test(file)));
  assert.deepEqual(unexpected, []);
  const list = (name: string) =>
    readdirSync(join(ROOT, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
  const modules = list("src")
    .filter((file) => /(?<!\.d)\.ts$/.test(file))
    .map((file) => file.replace(/ts$/, "js"));
  const drawings = list("sample").filter((file) => file.endsWith(".webp"));
  const needed = [
    ...NEEDED,
    ...modules,
    ...list("launcher"),
    ...list("deploy"),
    ...drawings,
    ...list("console/dist"),
  ];
  assert.deepEqual(
    needed.filter((file) => !files.includes(file)),
    [],
  );
});

test("the manifest has the command, every dependency with its exact version, and no scripts", () => {
  const { dependencies, ...manifest } = readJson(join(installed, "package.json"));
  const { name, version, description, license, type, engines, optionalDependencies } = own;
  assert.deepEqual(manifest, {
    name,
    version,
    description,
    license,
    type,
    engines,
    optionalDependencies,
    bin: { "animal-store": "launcher/animal-store.cjs" },
  });
  assert.deepEqual({ ...dependencies, ...own.dependencies }, dependencies);
  assert.equal(
    dependencies["find-my-way"],
    LOCK["node_modules/find-my-way"].version,
    "a dependency of fastify",
  );
  for (const [name, version] of Object.entries(dependencies)) {
    assert.match(String(version), /^\d+\.\d+\.\d+$/, name);
    assert.equal(LOCK[`node_modules/${name}`].dev, undefined, name);
  }
});

test("the SBOM lists exactly the packages of the lockfile that are not for development, and no registry", () => {
  const text = readFileSync(join(installed, "sbom.cdx.json"), "utf8");
  const sbom = JSON.parse(text);
  assert.equal(sbom.bomFormat, "CycloneDX");
  const pinned = Object.entries<{ version: string; dev?: boolean }>(LOCK)
    .filter(([path, { dev }]) => path !== "" && !dev)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
  const listed = sbom.components.map(({ "bom-ref": ref }: { "bom-ref": string }) => ref);
  assert.deepEqual(listed.toSorted(), [...new Set(pinned)].toSorted());
  assert.doesNotMatch(text, /registry|"timestamp"|"serialNumber"/);
});

test("every link of the packed documents points to a packed file, and they name the command of the package", () => {
  for (const file of files.filter((each) => each.endsWith(".md"))) {
    const text = readFileSync(join(installed, file), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)\)/g))
      if (!/^https?:/.test(target))
        assert.ok(existsSync(join(installed, file, "..", target)), `${file} → ${target}`);
    assert.doesNotMatch(text, /npm run -s animal-store/, file);
  }
});

test("the packed systemd units run the command of the package, and systemd accepts them", async (t) => {
  const cwd = makeFolder(t);
  const units = files.filter((file) => file.endsWith(".service"));
  assert.equal(units.length, 2);
  for (const file of units) {
    const text = readFileSync(join(installed, file), "utf8");
    assert.doesNotMatch(text, /\/opt\/|src\/main|npm ci/, file);
    writeFileSync(join(cwd, basename(file)), text.replaceAll("/usr/local/bin/animal-store", program));
  }
  const { stderr } = await run(findProgram("systemdAnalyze"), [
    "verify",
    "--man=no",
    ...units.map((file) => join(cwd, basename(file))),
  ]);
  // It may also complain about units of the machine.
  assert.doesNotMatch(stderr, /animal-store/);

  const [, ...words] = readUnit("animal-store-backup.service", "ExecStart").split(" ");
  const args = words.map((word) => word.replace("/var/lib/animal-store", cwd));
  const env = { ...USER_ENVIRONMENT, DATABASE_URL: `sqlite:${cwd}/animal-store.db` };
  await run(program, ["migrate"], { cwd, env });
  await run(program, args, { cwd, env });
  assert.equal(readdirSync(join(cwd, "backups")).length, 1);
  assert.equal(readUnit("animal-store.service", "ExecStart"), "/usr/local/bin/animal-store serve");
});

function readUnit(file: string, setting: string): string {
  const text = readFileSync(join(installed, "deploy", file), "utf8");
  return new RegExp(`^${setting}=(.*)$`, "m").exec(text)?.[1] ?? "";
}

test("the build leaves only the package", () => {
  const left = readdirSync(join(ROOT, "dist")).filter((name) => !name.endsWith(".tgz"));
  assert.deepEqual(left, []);
});

test("the installed package runs in any folder: key, animal, photo, backup, stop", async (t) => {
  const cwd = makeFolder(t);
  const service = await startInstalled(t, [program], { cwd });
  assert.match(service.output.stdout, /Other commands: \S*animal-store --help/);
  const command = async (...args: string[]) =>
    (await run(program, args, { cwd, env: USER_ENVIRONMENT })).stdout;

  assert.equal(await command("--version"), `animal-store ${own.version}\n`);
  const help = await command("--help");
  assert.match(help, /^Usage: \S*animal-store COMMAND/);
  assert.match(help, /^ {2}serve +Run the service \(the default\)\.$/m);
  const [, docs = "", deploy = ""] = /^Documentation: (\S+)\nFiles .*: (\S+)$/m.exec(help) ?? [];
  for (const path of [docs, deploy]) assert.ok(existsSync(path), path);
  const { key } = JSON.parse(
    await command("keys", "create", "--name", "a", "--plan", "free", "--access", "manage", "--json"),
  );
  const created = await service.call("POST", "/pets", { key, body: { name: "Rex", categoryId: 3 } });
  assert.equal(created.status, 201, created.text);
  const image = readFileSync(join(ROOT, "sample/drawings/hen.webp"));
  const headers = { "content-type": "image/webp" };
  const photo = await service.call("POST", "/pets/1/photos", { key, body: image, headers });
  assert.equal(photo.status, 201, photo.text);
  await command("sample", "1");
  const listings = (await service.call("GET", "/listings", { key })).json;
  assert.deepEqual(
    listings.map(({ photos }: { photos: unknown[] }) => photos.length),
    [1, 1],
  );
  for (const path of ["/", "/docs", "/openapi.json", "/client.tgz", "/console/sample/animals.json"])
    assert.equal((await fetch(service.url + path)).status, 200, path);
  assert.match(await (await fetch(`${service.url}/`)).text(), /data-command="animal-store"/);
  await command("backup", "copy.db");
  assert.ok(statSync(join(cwd, "copy.db")).size > 0);
  assert.ok(existsSync(join(cwd, "data/animal-store.db")));

  service.launcher.kill("SIGTERM");
  assert.deepEqual(await service.ended, [0, null]);
});

test("a failing command of the package exits with its code, and names the command of the package", async (t) => {
  const failed = run(program, ["keys", "list", "--nonsense"], { cwd: makeFolder(t), env: USER_ENVIRONMENT });
  await assert.rejects(failed, ({ code, stderr }) => {
    assert.equal(code, 2);
    assert.match(stderr, /See: \S*animal-store keys --help/);
    return true;
  });
});

const signalBoth = ({ launcher }: Installed, signal: NodeJS.Signals) =>
  process.kill(-(launcher.pid as number), signal);
const STOPS: Record<string, [stop: (service: Installed) => void, reason: string, ended?: unknown[]]> = {
  "a signal to the launcher alone": [({ launcher }) => launcher.kill("SIGTERM"), "SIGTERM"],
  "Ctrl-C, which signals launcher and service": [(service) => signalBoth(service, "SIGINT"), "SIGINT"],
  "SIGTERM to both, as systemd sends it": [(service) => signalBoth(service, "SIGTERM"), "SIGTERM"],
  "SIGKILL to the launcher": [
    ({ launcher }) => launcher.kill("SIGKILL"),
    "the launcher has ended",
    [null, "SIGKILL"],
  ],
};
for (const [what, [stop, reason, ended = [0, null]]] of Object.entries(STOPS))
  test(`under a Node without execve, the service stops in order after ${what}`, async (t) => {
    const service = await startInstalled(t, [...OLD, program, "serve"], { cwd: makeFolder(t) });
    stop(service);
    assert.deepEqual(await service.ended, ended);
    const log = service.output.stderr.trimEnd().split("\n");
    const last = log.slice(-2).map((line) => JSON.parse(line));
    assert.deepEqual(column(last, "msg"), ["stopping", "stopped"]);
    assert.equal(last[0].reason, reason);
  });

test("under a Node without execve, a second signal to the launcher ends the service at once with 1", async (t) => {
  const environment = { DRAIN_SECONDS: "60" };
  const service = await startInstalled(t, [...OLD, program], { cwd: makeFolder(t), environment });
  service.launcher.kill("SIGTERM");
  while ((await fetch(`${service.url}/readyz`)).status !== 503) await pause(10);
  service.launcher.kill("SIGTERM");
  assert.deepEqual(await service.ended, [1, null]);
});

test("a Node with execve is replaced by the service, which gets the signals itself", async (t) => {
  const service = await startInstalled(t, [process.execPath, program], { cwd: makeFolder(t) });
  const { stdout } = await run("ps", ["-o", "args=", "-p", String(service.launcher.pid)]);
  assert.match(stdout, /--max-semi-space-size=8 \S+src\/main\.js serve\n$/);
  signalBoth(service, "SIGINT");
  assert.deepEqual(await service.ended, [0, null]);
});

// Only in `npm run faults`: each takes some seconds of processor time.
if (isInstalledByNpm) {
  test("two builds of the same sources give the same bytes", async () => {
    const first = readFileSync(tarball);
    assert.ok(first.equals(readFileSync(await buildPackage())));
  });

  test("npx runs the package from its file, and messages name npx with this file", async (t) => {
    const cwd = makeFolder(t);
    const file = `./${basename(tarball)}`;
    cpSync(tarball, join(cwd, file));
    const service = await startInstalled(t, ["npx", "--yes", file], { cwd, environment: NPM_ENVIRONMENT });
    assert.ok(service.output.stdout.includes(`Other commands: npx --yes ${file} --help`));
    const created = await service.call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });
    assert.equal(created.status, 201, created.text);
    signalBoth(service, "SIGINT");
    // npm itself ends as it likes; the service must stop in order.
    await service.ended;
    assert.match(service.output.stderr, /"msg":"stopped"\}\n$/);
  });
}
