// The .env file: its variables become settings, the environment wins over it, and no output quotes its values.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { examine } from "../../../src/cli/doctor.ts";
import {
  describeDatabase,
  getEnvFile,
  listSettings,
  listSettingWarnings,
  loadEnvFile,
  readConfig,
} from "../../../src/config/config.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { column } from "../../harness/clients/pages.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { mainCommand, startService } from "../../harness/servers/service.ts";

/** Longer than a busy machine needs for a command. */
const BLOCKED_MS = 20_000;
const SECRET = "do-not-print-this-secret";

function writeEnvFile(t: TestContext, text: string | Buffer, mode = 0o600): string {
  const path = join(makeFolder(t), ".env");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** The environment after the file was read. */
function load(path: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const loaded: NodeJS.ProcessEnv = { ...env, ENV_FILE: path };
  loadEnvFile(loaded);
  return loaded;
}

test("the program reads .env in its working folder", (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, ".env"), "PORT=9123\n");
  const run = (env: NodeJS.ProcessEnv) => {
    const [program = "", ...args] = mainCommand(["settings", "--json"]);
    const { stdout } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
    return JSON.parse(stdout).find(({ name }: { name: string }) => name === "PORT");
  };
  const { value, source } = run({ PATH: process.env.PATH });
  assert.deepEqual([value, source], ["9123", ".env"]);
  const other = run({ PATH: process.env.PATH, ENV_FILE: "/dev/null" });
  assert.deepEqual([other.value, other.source], ["8080", "default"]);
});

test("the file may have comments, quotes, exports, values of several lines, CRLF and a byte order mark", (t) => {
  const text = [
    "\ufeff# settings of the shelter",
    "",
    "PORT=9001 # the port",
    'export HOST="127.0.0.2"',
    " PUBLIC_URL = 'https://animals.example.org' ",
    'PEM="-----BEGIN',
    "no assignment here",
    '-----END"',
    "LOG_LEVEL=warn",
  ].join("\r\n");
  const env = load(writeEnvFile(t, text));
  const { port, host, publicUrl, logLevel } = readConfig(env);
  assert.deepEqual(
    [port, host, publicUrl, logLevel],
    [9001, "127.0.0.2", "https://animals.example.org", "warn"],
  );
  assert.match(env.PEM ?? "", /BEGIN\s+no assignment here\s+-----END$/);
  assert.deepEqual(getEnvFile()?.names.toSorted(), ["HOST", "LOG_LEVEL", "PORT", "PUBLIC_URL"]);
});

test("the environment wins over the file, even with an empty variable", (t) => {
  const path = writeEnvFile(t, "PORT=9001\nHOST=127.0.0.2\nLOG_LEVEL=warn\n");
  const { port, host, logLevel } = readConfig(load(path, { PORT: "9002", HOST: "" }));
  assert.deepEqual([port, host, logLevel], [9002, "127.0.0.1", "warn"]);
  assert.deepEqual(getEnvFile()?.names, ["LOG_LEVEL"]);
});

test("a broken file is rejected with the line, and without its text", (t) => {
  const broken: Array<[string | Buffer, RegExp]> = [
    [`PORT=1\n${SECRET}\n`, /: line 2 is not NAME=value\.$/],
    [`PORT: ${SECRET}\n`, /: line 1 is not NAME=value\.$/],
    [`# x\n\nADMIN_API_KEY="${SECRET}\nPORT=1\n`, /: the quote in line 3 is not closed\.$/],
    [Buffer.from(`PORT=1\n`, "utf16le"), /: it is not UTF-8 text\. Save it as UTF-8\.$/],
    [Buffer.from(`\ufeffPORT=1\n`, "utf16le"), /: it is not UTF-8 text\. Save it as UTF-8\.$/],
  ];
  for (const [text, message] of broken) {
    const path = writeEnvFile(t, text);
    assert.throws(
      () => load(path),
      (error: Error) => message.test(error.message) && !error.message.includes(SECRET),
      String(message),
    );
  }
});

test("a file that cannot be read, and an ENV_FILE that does not exist, end the command with an explanation", async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, ".env");
  const missing = await runInHost(["settings"], { ENV_FILE: path });
  assert.equal(missing.code, 1);
  assert.match(
    missing.stderr,
    /^animal-store: There is no file \S+\.env that this user can reach\. Correct ENV_FILE, /,
  );
  mkdirSync(path);
  const unreadable = await runInHost(["settings"], { ENV_FILE: path });
  assert.equal(unreadable.code, 1);
  assert.match(
    unreadable.stderr,
    /^animal-store: The settings in \S+ cannot be read \(it is not a regular file\)\. Make it a file that/,
  );
  const help = await runInHost(["settings", "--help"], { ENV_FILE: path });
  assert.equal(help.code, 0);
});

test("a named pipe is not waited for, and nothing is read to the end that is too large", (t) => {
  const folder = makeFolder(t);
  const pipe = join(folder, "pipe");
  const huge = join(folder, "huge");
  execFileSync("mkfifo", [pipe]);
  writeFileSync(huge, "");
  truncateSync(huge, 2 ** 32);
  const [program = "", ...args] = mainCommand(["settings"]);
  // In a process of its own: waiting for the pipe would block this one.
  const { status, stderr } = spawnSync(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ENV_FILE: pipe },
    encoding: "utf8",
    timeout: BLOCKED_MS,
    killSignal: "SIGKILL",
  });
  assert.equal(status, 1);
  assert.match(stderr, /^animal-store: The settings in \S+ cannot be read \(it is not a regular file\)\. /);
  for (const path of [huge, "/dev/zero"])
    assert.throws(() => load(path), { message: /cannot be read \(it is larger than 1 MiB\)\. / });
});

test("a symbolic link to the file is followed, and its target's mode counts", (t) => {
  const path = writeEnvFile(t, `ADMIN_API_KEY=${SECRET}\n`, 0o644);
  const link = join(makeFolder(t), ".env");
  symlinkSync(path, link);
  assert.equal(load(link).ADMIN_API_KEY, SECRET);
  assert.equal(getEnvFile()?.warnings.length, 1);
});

test("an invalid value names the file that it comes from", (t) => {
  const path = writeEnvFile(t, "PORT=many\n");
  assert.throws(() => readConfig(load(path)), {
    message: /\n {2}PORT in \S+\.env must be a whole number from 0 to 65535$/,
  });
});

test("the start logs the names of the settings in the file, never their values, and warns of typos", async (t) => {
  const path = writeEnvFile(t, `ADMIN_API_KEY=${SECRET}\nDATABSE_URL=sqlite:${SECRET}.db\n`, 0o644);
  const service = await startService(t, { ENV_FILE: path, LOG_LEVEL: "info" });
  assert.equal((await service.call("GET", "/pets", { key: SECRET })).status, 200);
  await service.stop();
  const lines = service.output.stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const read = lines.find(({ msg }) => msg === "settings read from a file");
  assert.deepEqual([read.file, read.settings], [path, ["ADMIN_API_KEY"]]);
  const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg);
  assert.deepEqual(warnings, [
    `DATABSE_URL in ${path} is not a setting. Did you mean DATABASE_URL?`,
    `all users can read ${path}, which sets ADMIN_API_KEY. Run: chmod o-r ${path}`,
  ]);
  assert.doesNotMatch(service.output.stderr, new RegExp(SECRET));
});

test("doctor shows which settings come from the file, and the same warnings", async (t) => {
  const path = writeEnvFile(t, `PROT=1\nPORT=9001\nDATABASE_URL=sqlite:${makeFolder(t)}/store.db\n`);
  const env = load(path);
  t.after(() => load("/dev/null"));
  const findings = (await examine({ deep: false }, env)).filter(({ check }) => check === "configuration");
  assert.deepEqual(findings, [
    { check: "configuration", result: "ok", detail: `valid; DATABASE_URL, PORT from ${path}`, mend: "" },
    {
      check: "configuration",
      result: "warning",
      detail: `PROT in ${path} is not a setting`,
      mend: "Did you mean PORT?",
    },
  ]);
});

test("only a file with a secret that all users can read gets a warning", (t) => {
  const warningsOf = (text: string, mode: number) => {
    load(writeEnvFile(t, text, mode));
    return getEnvFile()?.warnings.length;
  };
  const url = `DATABASE_URL=postgres://store:${SECRET}@db/store\n`;
  assert.deepEqual(
    [warningsOf(url, 0o644), warningsOf(url, 0o640), warningsOf("PORT=1\n", 0o644)],
    [1, 0, 0],
  );
  const cluster = `REDIS_URL=redis://one:6379,redis://:${SECRET}@two:6379\n`;
  assert.equal(warningsOf(cluster, 0o644), 1, "the password is in the second address");
  const sentinels = `REDIS_URL=redis+sentinel://:a,${SECRET}@one,two:6379/animals\n`;
  assert.equal(warningsOf(sentinels, 0o644), 1, "the password of Redis");
  assert.equal(warningsOf(`REDIS_SENTINEL_PASSWORD=${SECRET}\n`, 0o644), 1);
  const proxy = `HTTP_PROXY=user:${SECRET}@proxy:3128\n`;
  assert.deepEqual(
    [warningsOf(proxy, 0o644), warningsOf("HTTP_PROXY=proxy:3128\nDATABASE_URL=sqlite:a@b\n", 0o644)],
    [1, 0],
  );
});

test("settings shows value and source of every setting, without secrets and passwords", async (t) => {
  const path = writeEnvFile(
    t,
    `ADMIN_API_KEY=${SECRET}\nREDIS_URL=rediss://:${SECRET}@cache:6379,redis://:${SECRET}@cache2:6379\nPORT=9001\nWEBHOOK_SECRET_KEY=${SECRET}${SECRET}\nHTTPS_PROXY=user:${SECRET}@proxy:3128\n`,
  );
  const environment = {
    ENV_FILE: path,
    DATABASE_URL: `postgres://store:${SECRET}@db/animals?password=${SECRET}`,
  };
  const shown = await runInHost(["settings"], environment);
  assert.equal(shown.code, 0, shown.stderr);
  const rows = shown.stdout.split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(rows[0], ["SETTING", "VALUE", "SOURCE"]);
  for (const row of [
    ["PORT", "9001", path],
    ["HOST", "127.0.0.1", "default"],
    ["ADMIN_API_KEY", "(hidden)", path],
    ["METRICS_TOKEN", "unset", "default"],
    ["WEBHOOK_SECRET_KEY", "(hidden)", path],
    ["HTTPS_PROXY", "http://proxy:3128", path],
    ["DATABASE_URL", "postgres://db/animals", "environment"],
    ["REDIS_URL", "rediss://cache:6379,redis://cache2:6379", path],
    ["PUBLIC_URL", "http://HOST:PORT", "default"],
  ])
    assert.deepEqual(
      rows.find(([name]) => name === row[0]),
      row,
    );
  const sentinels = `rediss+sentinel://store:${SECRET}@one,two:7/animals/2`;
  const changed = { ...environment, REDIS_URL: sentinels, REDIS_SENTINEL_PASSWORD: SECRET };
  const other = await runInHost(["settings"], changed);
  assert.match(other.stdout, /REDIS_URL +rediss\+sentinel:\/\/one:26379,two:7\/animals +environment/);
  assert.match(other.stdout, /REDIS_SENTINEL_PASSWORD +\(hidden\)/);
  const json = await runInHost(["settings", "--json"], environment);
  const settings = JSON.parse(json.stdout);
  assert.equal(settings.length, listSettings({}).length);
  assert.deepEqual(settings[1], {
    name: "PORT",
    value: "9001",
    source: path,
    default: "8080",
    description: "The port to listen on; 0 chooses a free one.",
  });
  assert.equal((shown.stdout + other.stdout + json.stdout).includes(SECRET), false);
});

test("a typo of DATABASE_URL or REDIS_URL in the file prevents the start, and no store is created", (t) => {
  const folder = makeFolder(t);
  const [program = "", ...args] = mainCommand(["serve"]);
  const serve = () => spawnSync(program, args, { cwd: folder, env: { PORT: "0" }, timeout: BLOCKED_MS });
  const typos: Array<[text: string, line: number, name: string, meant: string]> = [
    [`DATABSE_URL=postgres://a:${SECRET}@db/x\n`, 1, "DATABSE_URL", "DATABASE_URL"],
    ["# the store\n\nDATABASEURL=sqlite:a.db\n", 3, "DATABASEURL", "DATABASE_URL"],
    ["PORT=0\nexport database_url='sqlite:a.db'\n", 2, "database_url", "DATABASE_URL"],
    ['CONTACT_URL="mailto:\na@b"\nREDIS_URI=redis://cache\n', 3, "REDIS_URI", "REDIS_URL"],
  ];
  for (const [text, line, name, meant] of typos) {
    writeFileSync(join(folder, ".env"), text);
    const { status, stderr: bytes } = serve();
    const stderr = bytes.toString();
    assert.equal(status, 1);
    const says = `  ${meant} is not set, but line ${line} of .env sets ${name}: rename it to ${meant}, or remove it\n`;
    assert.ok(stderr.endsWith(says), stderr);
    assert.doesNotMatch(stderr, new RegExp(SECRET));
    assert.deepEqual(readdirSync(folder), [".env"]);
  }
});

test("a name near DATABASE_URL is only warned of where DATABASE_URL is set, and other names are accepted", (t) => {
  t.after(() => load("/dev/null"));
  const read = (text: string, env: NodeJS.ProcessEnv = {}) => readConfig(load(writeEnvFile(t, text), env));
  const typo = "DATABASE_URI=sqlite:b.db\n";
  for (const env of [{}, { DATABASE_URL: "" }])
    assert.throws(() => read(typo, env), /line 1 of .* sets DATABASE_URI: rename it/);
  for (const [text, env] of [
    [`DATABASE_URL=sqlite:a.db\n${typo}`, {}],
    [typo, { DATABASE_URL: "sqlite:a.db" }],
  ] as const) {
    assert.equal(describeDatabase(read(text, env)), "a.db");
    assert.equal(listSettingWarnings().length, 1);
  }
  read("POSTGRES_URL=postgres://db/x\nDATABASE_HOST=db\nBASE_URL=x\nREDIS_PORT=1\nPUBLC_URL=x\n");
});

test("doctor reports a typo of DATABASE_URL in the file as a fault", async (t) => {
  t.after(() => load("/dev/null"));
  const findings = await examine({ deep: false }, load(writeEnvFile(t, "DATABASE_URI=sqlite:b.db\n"), {}));
  const fault = findings.find(({ result }) => result === "fault");
  assert.equal(fault?.check, "configuration");
  assert.match(fault?.detail ?? "", /sets DATABASE_URI: rename it to DATABASE_URL/);
});

test("git and Docker ignore the file", () => {
  const lines = (name: string) =>
    readFileSync(join(import.meta.dirname, "../../..", name), "utf8").split("\n");
  assert.ok(lines(".gitignore").includes(".env"));
  assert.equal(lines(".dockerignore").at(-2), "**/.env", "the last line wins over the lines before it");
});

/** As a shell, npm, systemd, Docker, Kubernetes and CI set them. */
const USUAL =
  `PATH HOME USER SHELL LOGNAME HOSTNAME HOSTTYPE HOST_IP LANG LC_ALL PWD OLDPWD TERM TMPDIR SHLVL EDITOR MAIL DISPLAY
  SSH_AUTH_SOCK SSH_CONNECTION XDG_RUNTIME_DIR XDG_SESSION_ID NODE_ENV NODE_OPTIONS NODE_COMPILE_CACHE NO_COLOR ENV BASE_URL
  npm_config_https_proxy npm_config_noproxy npm_lifecycle_event http_proxy https_proxy no_proxy ALL_PROXY FTP_PROXY
  WS_PROXY GO_PROXY FTPS_PROXY CONTENT_URL
  INVOCATION_ID JOURNAL_STREAM STATE_DIRECTORY LOGS_DIRECTORY SYSTEMD_EXEC_PID NOTIFY_SOCKET LISTEN_FDS
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT REDIS_PORT REDIS_HOST REDIS_TLS_URL POSTGRES_PORT
  POSTGRES_PASSWORD POSTGRES_URL DATABASE_HOST DATABASE_NAME PGHOST PGPORT PGUSER CI GITHUB_TOKEN CI_COMMIT_REF_NAME
  POST COST VHOST LOG_FILE APP_ENVIRONMENT GIT_EDITOR`.split(/\s+/);

test("doctor and the start warn of typos in the environment, but not of variables of other programs", async (t) => {
  const usual = Object.fromEntries(USUAL.map((name) => [name, "x"]));
  const typos = { PUBLC_URL: SECRET, LOGLEVEL: "debug", PROT: "1" };
  const DATABASE_URL = `sqlite:${makeFolder(t)}/store.db`;
  t.after(() => load("/dev/null"));
  const warningsOf = async (env: NodeJS.ProcessEnv) => {
    const loaded = load("/dev/null", { ...env, DATABASE_URL, PORT: "0" });
    const findings = await examine({ deep: false }, loaded);
    return findings.filter(({ check, result }) => check === "configuration" && result !== "ok");
  };
  assert.deepEqual(await warningsOf(usual), []);
  const described = (await warningsOf({ ...usual, ...typos })).map(
    ({ detail, mend }) => `${detail}. ${mend}`,
  );
  const expected = [
    "PUBLC_URL in the environment is not a setting. Did you mean PUBLIC_URL?",
    "LOGLEVEL in the environment is not a setting. Did you mean LOG_LEVEL?",
    "PROT in the environment is not a setting. Did you mean PORT?",
  ];
  assert.deepEqual(described, expected);

  const service = await startService(t, { ...typos, LOG_LEVEL: "info" });
  await service.stop();
  const lines = service.output.stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    column(
      lines.filter(({ level }) => level === 40),
      "msg",
    ),
    expected,
  );
  assert.doesNotMatch(service.output.stderr, new RegExp(SECRET));
});
