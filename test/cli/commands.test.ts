// The other commands: serve, migrate, openapi, doctor, help, and what a wrong start says.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import SqliteConnection from "better-sqlite3";
import { SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { makeFolder } from "../harness/folder.ts";
import { runCommand, startService } from "../harness/service.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("help is there for every command, and a wrong one is refused", async () => {
  const help = await runCommand(["--help"]);
  assert.equal(help.code, 0);
  const names = ["serve", "keys", "import", "export", "sample", "backup", "restore"];
  for (const name of [...names, "migrate", "copy", "openapi", "doctor"]) {
    assert.match(help.stdout, new RegExp(`^  ${name} +\\w`, "m"));
    const own = await runCommand([name, "--help"]);
    assert.equal(own.code, 0);
    assert.match(own.stdout, new RegExp(`^Usage: npm run -s animal-store -- ${name}`));
  }
  assert.equal((await runCommand(["keys", "create", "--help"])).code, 0);
  const none = await runCommand(["fly"]);
  assert.deepEqual(
    [none.code, none.stderr],
    [2, 'animal-store: There is no command "fly". --help lists them.\n'],
  );
  assert.equal((await runCommand([])).code, 2);
});

test("serve", async (t) => {
  await t.test("names every fault of the configuration in one message", async () => {
    const result = await runCommand(["serve"], {
      PORT: "http",
      DATABASE_URL: "mysql://x",
      DATABASE_POOL_SIZE: "0",
      REDIS_URL: "memcached://x",
      REDIS_TIMEOUT_MS: "soon",
      PUBLIC_URL: "animals",
      STAGING_URL: "https://animals.example.org/v1",
      ENVIRONMENT: "test",
      ADMIN_API_KEY: "short",
      TRUST_PROXY: "10.0.0.0/33",
      CORS_ORIGINS: "https://a.example/path",
      GET_PET_DEPRECATED_AT: "soon",
      DRAIN_SECONDS: "long",
      LOG_LEVEL: "loud",
    });
    assert.equal(result.code, 1);
    const [head, ...faults] = result.stderr.trimEnd().split("\n");
    assert.match(
      head ?? "",
      /^animal-store: The configuration is not valid\. Correct .*docs\/operating\.md.*:$/,
    );
    const named = faults.map((fault) => fault.trim().split(" ")[0]);
    const all = [
      "PORT",
      "DATABASE_URL",
      "DATABASE_POOL_SIZE",
      "REDIS_URL",
      "REDIS_TIMEOUT_MS",
      "PUBLIC_URL",
      "STAGING_URL",
      "ENVIRONMENT",
      "ADMIN_API_KEY",
      "TRUST_PROXY",
    ];
    assert.deepEqual(named, [...all, "CORS_ORIGINS", "GET_PET_DEPRECATED_AT", "DRAIN_SECONDS", "LOG_LEVEL"]);
    assert.ok(faults.every((fault) => / must be /.test(fault)));
  });

  await t.test("prints a curl line that works, once", async () => {
    const service = await startService(t);
    const [, key, url] =
      /^ {2}curl -H "Authorization: Bearer (\S+)" (\S+)$/m.exec(service.output.stdout) ?? [];
    const answer = await fetch(url ?? "", { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
    assert.equal(
      service.output.stdout.split(key ?? "-").length,
      3,
      "shown once, and once more in the line to paste",
    );
    assert.equal((await service.call("GET", "/usage")).json.plan, "enterprise");
    await service.stop();
    const again = await startService(t, service.environment);
    assert.doesNotMatch(again.output.stdout, /ask_live_/);
    await again.stop();
  });

  await t.test("prints an admin key again when none is active any more", async () => {
    const service = await startService(t);
    assert.match(service.output.stdout, /\nThis store is new\. Its first key, with access "admin", is shown/);
    assert.equal((await service.command("keys", "create", "--name", "x", "--plan", "free")).code, 0);
    assert.equal((await service.command("keys", "revoke", "1")).code, 0);
    await service.stop();
    const configured = await startService(t, {
      ...service.environment,
      ADMIN_API_KEY: "a-key-of-my-own-choice",
    });
    assert.doesNotMatch(configured.output.stdout, /ask_live_/);
    await configured.stop();
    const again = await startService(t, service.environment);
    assert.match(
      again.output.stdout,
      /\nNo admin key of this store is active\. A new key, with access "admin", is/,
    );
    assert.notEqual(again.adminKey, service.adminKey);
    assert.equal((await again.call("GET", "/keys")).status, 200);
    await again.stop();
    const third = await startService(t, service.environment);
    assert.doesNotMatch(third.output.stdout, /ask_live_/, "once");
  });

  await t.test("makes no key when ADMIN_API_KEY is set", async () => {
    const service = await startService(t, { ADMIN_API_KEY: "a-key-of-my-own-choice" });
    assert.doesNotMatch(service.output.stdout, /ask_live_|a-key-of-my-own/);
    assert.equal((await service.call("GET", "/keys")).text, "[]");
  });

  await t.test("refuses a second process on the same file in one clear line", async () => {
    const service = await startService(t);
    const second = await runCommand(["serve"], service.environment);
    assert.equal(second.code, 1);
    assert.match(
      second.stderr,
      /^animal-store: Another process already serves \S+store\.db\. Stop it first, or .*\n$/,
    );
    const link = `${service.environment.DATABASE_URL}.link`;
    symlinkSync("store.db", link.replace("sqlite:", ""));
    const linked = { ...service.environment, DATABASE_URL: link };
    assert.match((await runCommand(["serve"], linked)).stderr, /Another process already serves \S+store\.db/);
    assert.equal((await service.call("GET", "/pets")).status, 200);
  });

  await t.test("says what to do about a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    t.after(() => taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const folder = makeFolder(t);
    const result = await runCommand(["serve"], { PORT: String(port), DATABASE_URL: `sqlite:${folder}/a.db` });
    assert.equal(result.code, 1);
    assert.match(result.stderr, /EADDRINUSE.*set PORT to another/);
  });

  await t.test("refuses a newer schema", async () => {
    const service = await startService(t);
    await service.stop();
    const path = service.environment.DATABASE_URL?.replace("sqlite:", "") ?? "";
    const db = new SqliteConnection(path);
    db.exec("INSERT INTO schema_migrations VALUES (99, 'future', 0)");
    db.close();
    for (const args of [["serve"], ["keys", "list"], ["migrate"]]) {
      const result = await runCommand(args, service.environment);
      assert.equal(result.code, 1);
      assert.match(
        result.stderr,
        new RegExp(
          `^animal-store: The database has schema 99; this release knows up to ${SCHEMA_VERSION}\\. Run`,
        ),
      );
    }
    const doctor = await runCommand(["doctor"], service.environment);
    assert.match(
      doctor.stdout,
      new RegExp(`^schema +fault +version 99, this release has ${SCHEMA_VERSION}$`, "m"),
    );
  });

  await t.test("finishes what runs on SIGTERM and exits with 0", async () => {
    const service = await startService(t);
    const body = { name: "Rex", categoryId: 1 };
    const running = Array.from({ length: 50 }, () => service.call("POST", "/pets", { body }));
    await Promise.race(running);
    const code = await service.stop();
    assert.equal(code, 0);
    const answers = await Promise.allSettled(running);
    const arrived = answers.filter((each) => each.status === "fulfilled").map((each) => each.value.status);
    const created = arrived.length;
    assert.deepEqual(new Set(arrived), new Set([201]));
    const again = await startService(t, { ...service.environment, ADMIN_API_KEY: "a-key-of-my-own-choice" });
    const listed = (await again.call("GET", "/pets?limit=100")).json.length;
    assert.ok(listed >= created, `${listed} of ${created}`);
  });

  await t.test("answers a request that was half there when the stop began", async () => {
    const service = await startService(t, { LOG_LEVEL: "info" });
    const body = JSON.stringify({ name: "Late", categoryId: 1 });
    const socket = connect(service.port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (text) => {
      answer += text;
    });
    const head = ["POST /v1/pets HTTP/1.1", "Host: x", `Authorization: Bearer ${service.adminKey}`];
    const type = ["Content-Type: application/json", "Expect: 100-continue", `Content-Length: ${body.length}`];
    socket.write(`${[...head, ...type].join("\r\n")}\r\n\r\n`);
    // The invitation to go on tells that the request is under way.
    await once(socket, "data");
    service.process.kill("SIGTERM");
    while (!service.output.stderr.includes("stopping"))
      await once(service.process.stderr as Readable, "data");
    socket.write(body);
    await once(service.process, "exit");
    assert.match(answer, /HTTP\/1\.1 201 Created[\s\S]*location: http:\/\/127\.0\.0\.1:\d+\/v1\/pets\/1\r\n/);
    assert.equal(service.process.exitCode, 0);
  });

  await t.test(
    "cuts a request that never ends and exits within 10 s; a second signal ends it at once",
    async () => {
      const half =
        "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nContent-Type: application/json\r\n";
      for (const [signals, expected] of [
        [1, 0],
        [2, 1],
      ]) {
        const service = await startService(t, { LOG_LEVEL: "info" });
        const socket = connect(service.port, "127.0.0.1").on("error", () => {});
        socket.write(`${half}Authorization: Bearer ${service.adminKey}\r\nExpect: 100-continue\r\n\r\n`);
        await once(socket, "data");
        service.process.kill("SIGTERM");
        while (!service.output.stderr.includes("stopping"))
          await once(service.process.stderr as Readable, "data");
        if (signals === 2) service.process.kill("SIGTERM");
        const [code] = await once(service.process, "exit");
        assert.equal(code, expected);
      }
    },
  );

  await t.test("stops with npm when npm alone is told to", async () => {
    const environment = { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db`, PORT: "0" };
    const npm = spawn("npm", ["start"], {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      stdio: "pipe",
    });
    t.after(() => npm.kill("SIGKILL"));
    let output = "";
    npm.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    while (!/listens on (\S+)/.test(output)) await once(npm.stdout, "data");
    const [, url = ""] = /listens on (\S+)/.exec(output) ?? [];
    npm.kill("SIGTERM");
    // The pipe ends when the last process that holds it has ended.
    await once(npm.stdout, "close");
    await assert.rejects(fetch(`${url}/healthz`));
    assert.equal((await runCommand(["doctor"], environment)).stdout.includes("not being served"), true);
  });

  await t.test("writes JSON lines without keys to standard error", async () => {
    const service = await startService(t, { LOG_LEVEL: "trace" });
    await service.call("GET", "/pets");
    await service.call("GET", "/pets", { key: "wrong-key-wrong-key" });
    await service.stop();
    const lines = service.output.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const answered = lines.filter(({ msg }) => msg === "answered");
    assert.equal(answered.length, 2);
    assert.deepEqual([answered[0].operation, answered[0].status, answered[0].keyId], ["listPets", 200, "1"]);
    assert.equal(typeof answered[0].reqId, "string");
    assert.equal(typeof answered[0].ms, "number");
    assert.doesNotMatch(service.output.stderr, /ask_live_|wrong-key|authorization/i);
  });
});

test("keys on a store that is not there, or not of this environment", async (t) => {
  const folder = makeFolder(t);
  const environment = { DATABASE_URL: `sqlite:${folder}/store.db` };
  const list = await runCommand(["keys", "list"], environment);
  assert.equal(list.code, 1);
  assert.match(
    list.stderr,
    /^animal-store: There is no store at \S+store\.db\. Check DATABASE_URL; "serve" and "migrate" create one\.\n$/,
  );
  const create = ["keys", "create", "--name", "x", "--plan", "free", "--json"];
  const none = await runCommand(create, environment);
  assert.deepEqual([none.code, /There is no store at/.test(none.stderr)], [1, true]);
  assert.deepEqual(readdirSync(folder), []);
  const made = await runCommand([...create, "--create-store"], { ...environment, ENVIRONMENT: "staging" });
  assert.equal(made.code, 0, made.stderr);
  const other = await runCommand(create, environment);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /not for ENVIRONMENT=production\. Set ENVIRONMENT as for the service/);
});

test("migrate", async (t) => {
  const environment = { DATABASE_URL: `sqlite:${join(makeFolder(t), "store.db")}` };
  assert.match(
    (await runCommand(["migrate"], environment)).stdout,
    /^Applied: animals and keys, adoptions, imports, deprecated use, versions\.\n$/,
  );
  assert.match((await runCommand(["migrate"], environment)).stdout, /^The schema is up to date\.\n$/);
  assert.deepEqual(JSON.parse((await runCommand(["migrate", "--json"], environment)).stdout), {
    applied: [],
  });
});

test("openapi prints the document without touching the store", async (t) => {
  const folder = makeFolder(t);
  const environment = {
    DATABASE_URL: `sqlite:${folder}/store.db`,
    PUBLIC_URL: "https://animals.example.org",
  };
  const json = await runCommand(["openapi"], environment);
  assert.equal(JSON.parse(json.stdout).servers[0].url, "https://animals.example.org/v1");
  const yaml = await runCommand(["openapi", "--format", "yaml"], environment);
  assert.match(yaml.stdout, /^openapi: 3\.1\.0$/m);
  assert.equal(existsSync(`${folder}/store.db`), false);
  assert.equal((await runCommand(["openapi", "--format", "xml"], environment)).code, 2);
});

test("doctor", async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, "data", "store.db");
  const environment = { DATABASE_URL: `sqlite:${path}` };
  const examine = async (...flags: string[]) => {
    const result = await runCommand(["doctor", "--json", ...flags], environment);
    const findings: Array<{ check: string; result: string; detail: string; mend: string }> = JSON.parse(
      result.stdout,
    );
    return {
      code: result.code,
      ...Object.fromEntries(findings.map((finding) => [finding.check, finding])),
    } as {
      code: number;
    } & Record<
      "runtime" | "configuration" | "engine" | "schema" | "clock" | "disk",
      (typeof findings)[number]
    >;
  };

  await t.test("finds nothing amiss before the first start, and makes nothing", async () => {
    const { code, engine, clock, disk } = await examine();
    assert.equal(code, 0);
    assert.match(engine.detail, /will be created by the first start/);
    assert.deepEqual([clock.result, disk.result], ["ok", "ok"]);
    assert.equal(existsSync(join(folder, "data")), false);
  });

  await t.test("tells whether the store is being served, and reads all of it when asked", async () => {
    const service = await startService(t, environment);
    assert.match((await examine()).engine.detail, /being served/);
    await service.stop();
    const { code, engine, schema } = await examine("--deep");
    assert.equal(code, 0);
    assert.match(engine.detail, /integrity checked, not being served/);
    assert.equal(schema.detail, `version ${SCHEMA_VERSION}, this release has ${SCHEMA_VERSION}`);
  });

  await t.test("shows a table for people", async () => {
    const { stdout } = await runCommand(["doctor"], environment);
    assert.match(stdout, /^CHECK +RESULT +DETAIL\nruntime +ok +Node \d+/);
  });

  await t.test("finds a clock that is behind the data", async () => {
    const db = new SqliteConnection(path);
    db.exec(`UPDATE api_keys SET created_at_ms = ${Date.now() + 3_600_000}`);
    db.close();
    const { code, clock } = await examine();
    assert.deepEqual([code, clock.result], [1, "fault"]);
    assert.match(clock.mend, /Correct it; use NTP/);
  });

  await t.test("finds a file that is no database", async () => {
    writeFileSync(path, "a letter ".repeat(1_000));
    const { code, engine } = await examine();
    assert.deepEqual([code, engine.result], [1, "fault"]);
    assert.match(engine.detail, /not a database/);
    const serve = await runCommand(["serve"], { ...environment, PORT: "0" });
    assert.equal(serve.code, 1);
    assert.match(
      serve.stderr,
      /^animal-store: The database cannot be used: file is not a database\. To find out how to fix it, run: npm run/,
    );
  });

  await t.test("finds faults of the configuration", async () => {
    const result = await runCommand(["doctor"], { PORT: "x", LOG_LEVEL: "y" });
    assert.equal(result.code, 1);
    assert.match(result.stdout, /configuration +fault +PORT must be .*; LOG_LEVEL must be one of/);
    assert.match(result.stdout, /docs\/operating\.md lists them all/);
  });

  await t.test("says what is wrong with a folder that is a file", async () => {
    mkdirSync(join(folder, "other"));
    writeFileSync(join(folder, "other", "file"), "");
    chmodSync(join(folder, "other", "file"), 0o600);
    const result = await runCommand(["serve"], {
      PORT: "0",
      DATABASE_URL: `sqlite:${folder}/other/file/store.db`,
    });
    assert.equal(result.code, 1);
    assert.match(result.stderr, /^animal-store: The database cannot be used: (ENOTDIR|EEXIST)/);
  });
});
