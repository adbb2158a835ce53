// `doctor` as a process: it ends in time, even if the database, Redis and the program on PORT accept and never answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { column } from "../harness/clients/pages.ts";
import { startSilentPeer } from "../harness/servers/peer.ts";
import { runCommand } from "../harness/servers/service.ts";

test("doctor ends although no partner answers", { timeout: 30_000 }, async (t) => {
  const port = await startSilentPeer(t);
  const secret = "a-secret-of-partners";
  const redis = `redis://:${secret}@127.0.0.1:${port}`;
  const { code, stdout, stderr } = await runCommand(["doctor", "--json"], {
    DATABASE_URL: `postgres://admin:${secret}@127.0.0.1:${port}/animals`,
    REDIS_URL: [redis, redis, redis].join(","),
    PORT: String(port),
  });
  assert.equal(code, 1);
  const findings: Finding[] = JSON.parse(stdout);
  const faults = findings.filter(({ result }) => result === "fault");
  assert.deepEqual(column(faults, "check"), ["engine", "redis", "address", "start"]);
  for (const { mend } of faults) assert.notEqual(mend, "");
  assert.doesNotMatch(stdout + stderr, new RegExp(secret));
});
