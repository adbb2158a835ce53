// Runs the tests: everything on the embedded engine, then the HTTP tests again on every other combination of engines.

import { spawn } from "node:child_process";
import { once } from "node:events";

const FLAGS = [
  "--test",
  "--test-concurrency=2",
  "--test-timeout=300000",
  "--test-global-setup=test/harness/global-setup.ts",
];
const HTTP = [
  "test/http/section-*.test.ts",
  "test/http/adoption-*.test.ts",
  "test/http/direct-*.test.ts",
  "test/http/guards.test.ts",
  "test/http/metrics.test.ts",
];

const chosen = process.argv.slice(2);
const rounds: Array<[string, string[]]> =
  chosen.length > 0
    ? [[process.env.TEST_COMBINATION ?? "sqlite", chosen]]
    : [
        ["sqlite", ["test/**/*.test.ts"]],
        ["postgres+redis", HTTP],
        ["sqlite+redis", HTTP],
        ["postgres", HTTP],
      ];

for (const [combination, files] of rounds) {
  process.stdout.write(`\n${files.join(" ")} on ${combination}\n`);
  const env = { ...process.env, TEST_COMBINATION: combination };
  const [code] = await once(spawn(process.execPath, [...FLAGS, ...files], { env, stdio: "inherit" }), "exit");
  if (code !== 0) process.exit(1);
}
