// The curl commands of the reference and its forms: a shell gives curl exactly the address, headers and body.

import assert from "node:assert/strict";
import { test } from "node:test";
import { writeCurl } from "../../../src/reference/samples/curl.ts";
import { run } from "../../unit/client/packed.ts";

/** Texts that a shell would change without quotes. */
const TEXTS = [
  "it's",
  "'",
  "''a'' 'b'",
  `"it's" \\'`,
  "$HOME $(echo no) `echo no`",
  "two\nlines\\\nthree",
  "a;b|c&d>e * ? ~ # !!",
  "@/etc/hostname",
  "ä 犬 🐕",
];

/** The arguments as the shell splits them, each followed by a zero byte. */
async function argumentsOf(command: string): Promise<string[]> {
  const { stdout } = await run("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`]);
  return stdout.split("\0").slice(0, -1);
}

for (const text of TEXTS)
  test(`a shell passes ${JSON.stringify(text)} on unchanged`, async () => {
    const request = { method: "POST", url: `http://x/${text}`, headers: { "X-Name": text } };
    const head = ["-X", "POST", `http://x/${text}`, "-H", `X-Name: ${text}`];
    assert.deepEqual(await argumentsOf(writeCurl({ ...request, body: text })), [...head, "--data-raw", text]);
    assert.deepEqual(await argumentsOf(writeCurl({ ...request, file: text })), [
      ...head,
      "--data-binary",
      `@${text}`,
    ]);
  });

test("a GET has no method, and a stream is shown as it arrives", async () => {
  const get = { method: "GET", url: "http://x/", headers: {} };
  assert.deepEqual(await argumentsOf(writeCurl(get)), ["http://x/"]);
  assert.deepEqual(await argumentsOf(writeCurl({ ...get, isStream: true })), ["-N", "http://x/"]);
});
