// `import --photos-from-urls`: animals move from one service to another with their photos.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { request as requestHttp } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeStore } from "../../cli/stores.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { startApp } from "../../harness/servers/app.ts";
import { runCommand } from "../../harness/servers/service.ts";
import { listen, makeCertificate } from "../../unit/webhooks/scene.ts";

/** A service behind TLS with an animal that has two photos, and an empty store to which it moves. */
async function startScene(t: TestContext) {
  const folder = makeFolder(t);
  let upstream = "";
  const certificate = makeCertificate(t, "127.0.0.1", "IP:127.0.0.1");
  const server = createServer(certificate, ({ method, url }, response) => {
    const forwarded = requestHttp(upstream + url, { method, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.end();
  });
  const publicUrl = `https://127.0.0.1:${await listen(t, server)}`;
  const source = await startApp(t, { environment: { PUBLIC_URL: publicUrl } });
  upstream = source.url;
  await source.addPet({ name: "Rex" });
  await source.call("PATCH", "/pets/1/profile", { body: { externalId: "A-1" } });
  for (const colour of ["red", "green"])
    await source.call("POST", "/pets/1/photos", {
      body: await drawImage(colour),
      headers: { "content-type": "image/png" },
    });
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, certificate.cert);
  const target = await makeStore(t);
  const trusting = { ...target.environment, NODE_EXTRA_CA_CERTS: ca };
  const run = (args: string[], environment: object = { WEBHOOK_ALLOW: "127.0.0.1" }) =>
    runCommand(["import", ...args], { ...trusting, ...environment });
  const countPhotos = async () => Number((await target.db.first("SELECT count(*) AS n FROM photos"))?.n);
  return { folder, publicUrl, source, run, countPhotos };
}

test("import --photos-from-urls", async (t) => {
  const { folder, publicUrl, source, run, countPhotos } = await startScene(t);

  for (const format of ["csv", "ndjson"])
    await t.test(`takes the photos over that a ${format} export names, once`, async () => {
      const file = join(folder, `animals.${format}`);
      const exported = await runCommand(["export", file], { ...source.engines, PUBLIC_URL: publicUrl });
      assert.equal(exported.code, 0, exported.stderr);
      const imported = await run([file, "--photos-from-urls", "--skip-bad", "--again"]);
      assert.equal(imported.code, 0, imported.stderr + imported.stdout);
      assert.equal(await countPhotos(), 2);
    });

  const photo = `${publicUrl}/photos/${"0".repeat(64)}-640.webp`;
  const bad: Record<string, [cell: string, problem: RegExp, environment?: object]> = {
    "does not exist": [photo, /the server answers with status 404/],
    "is no image": [`${publicUrl}/openapi.json`, /it is not a JPEG, PNG or WebP image/],
    "is not at an https address": ["http://127.0.0.1/rex.jpg", /it is no https address/],
    "is no address": ["rex.jpg", /it is no https address/],
    "is at a private address": [photo, /127\.0\.0\.1, a loopback address/, { WEBHOOK_ALLOW: "" }],
  };
  for (const [what, [cell, problem, environment]] of Object.entries(bad))
    await t.test(`a photo that ${what} is a problem of its row`, async () => {
      const file = join(folder, `${what}.csv`);
      writeFileSync(file, `name,categoryId,photos\nBella,3,${cell}\n`);
      const { code, stdout, stderr } = await run([file, "--photos-from-urls"], environment);
      assert.equal(code, 1, stdout);
      assert.match(stdout + stderr, problem);
      assert.equal(await countPhotos(), 2);
    });

  await t.test("--photos and --photos-from-urls exclude each other", async () => {
    const { code, stderr } = await run(["x.csv", "--photos-from-urls", "--photos", folder]);
    assert.deepEqual([code, stderr.includes("give one of them")], [2, true]);
  });
});
