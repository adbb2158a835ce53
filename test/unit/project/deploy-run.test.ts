// The service under the conditions of the deployment files: read-only folder, no capabilities, health check.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createCall } from "../../harness/clients/call.ts";
import { NO_ENV_FILE } from "../../harness/clients/commands.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { copyProject } from "../../harness/servers/project.ts";
import { startService } from "../../harness/servers/service.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const KEY = "an-admin-key-for-tests-only";
/** Without capabilities, root is bound by the permissions of files like any other user. */
const WITHOUT_CAPABILITIES =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"] : [];

test("the service runs without capabilities from a read-only folder", async (t) => {
  const project = copyProject(t);
  makeReadOnly(project);
  const port = await findFreePort();
  const [program = "", ...args] = [
    ...WITHOUT_CAPABILITIES,
    process.execPath,
    join(project, "src/main.ts"),
    "serve",
  ];
  const child = spawn(program, args, {
    env: {
      ...NO_ENV_FILE,
      PORT: String(port),
      ADMIN_API_KEY: KEY,
      DATABASE_URL: `sqlite:${join(makeFolder(t), "store.db")}`,
      LOG_LEVEL: "warn",
    },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const exited = once(child, "exit");
  t.after(() => child.kill("SIGKILL"));
  const call = createCall(`http://127.0.0.1:${port}`, KEY);
  while ((await call("GET", "/readyz").catch(() => undefined))?.status !== 200) {
    assert.equal(child.exitCode, null, stderr);
    await pause(20);
  }
  const created = await call("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  assert.equal(created.status, 201, created.text);
  child.kill("SIGTERM");
  assert.deepEqual(await exited, [0, null]);
  assert.equal(stderr, "");
});

test("the health check of the image uses the port of the service", async (t) => {
  const { port, stop } = await startService(t, { PORT: String(await findFreePort()) });
  const [, words = "[]"] =
    /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(readFileSync(join(ROOT, "Dockerfile"), "utf8")) ?? [];
  const [program, ...args] = JSON.parse(words) as string[];
  assert.equal(program, "node");
  const check = () => spawnSync(process.execPath, args, { env: { PORT: String(port) } }).status;
  assert.equal(check(), 0);
  await stop();
  assert.equal(check(), 1);
});

function makeReadOnly(folder: string): void {
  const folders = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  for (const path of [folder, ...folders.map(({ parentPath, name }) => join(parentPath, name))])
    chmodSync(path, 0o555);
}
