// Host names of webhooks with a real name server that answers for some names, and never for others.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createAddressRules } from "../../../src/webhooks/addresses.ts";
import { createResolver } from "../../../src/webhooks/resolver.ts";
import { createTargets } from "../../../src/webhooks/targets.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { startReceiver } from "../../harness/servers/receiver.ts";
import { type Names, startNameServer } from "./name-server.ts";
import { attempt, SHORT_MS } from "./scene.ts";

const TOO_SLOW = /^The look-up of the host name took too long\.$/;
/** More than Node has threads. */
const SILENT = Array.from({ length: 20 }, (_, index) => `silent-${index}.example.net`);

interface SceneOptions {
  hosts?: string;
  search?: string;
  lookUpMs?: number;
}

async function startScene(t: TestContext, names: Names, options: SceneOptions = {}) {
  const { server, asked } = await startNameServer(t, names);
  const folder = makeFolder(t);
  const [hostsFile, searchFile] = [join(folder, "hosts"), join(folder, "resolv.conf")];
  writeFileSync(hostsFile, options.hosts ?? "");
  writeFileSync(searchFile, options.search ?? "");
  const files = { hostsFile, searchFile };
  const limit = options.lookUpMs === undefined ? {} : { lookUpMs: options.lookUpMs };
  return { resolve: createResolver({ servers: [server], ...files, ...limit }), asked, hostsFile };
}

test("names that are never answered do not delay deliveries and checks of other names", async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  const names: Names = { "honest.example.net": ["127.0.0.1"] };
  for (const name of SILENT) names[name] = "silent";
  const { resolve } = await startScene(t, names, { lookUpMs: 2_000 });
  const rules = createAddressRules({ allowHttp: true, allow: ["127.0.0.1"], findOwn: () => [] });
  const proxies = { httpsProxy: undefined, httpProxy: undefined, noProxy: [] };
  const targets = createTargets({ rules, proxies, resolve });
  let ended = 0;
  const silent = SILENT.flatMap((name) => [
    attempt(`http://${name}:${port}/`, { resolve }),
    targets.check(`http://${name}:${port}/`, { showsCause: true }),
  ]).map((running) => running.then(assert.ok, String).finally(() => (ended += 1)));

  for (let i = 0; i < 5; i++) {
    assert.equal((await attempt(`http://honest.example.net:${port}/`, { resolve })).status, 204);
    await targets.check(`http://honest.example.net:${port}/`, { showsCause: true });
  }
  assert.equal(ended, 0, "all others still wait");
  await Promise.all(silent);
});

test("a name server that does not answer ends the look-up after its limit, with its cause", async (t) => {
  const { resolve, asked } = await startScene(
    t,
    { "silent.example.net": "silent" },
    { lookUpMs: SHORT_MS, search: "search example.org" },
  );
  await assert.rejects(resolve("silent.example.net"), { message: TOO_SLOW });
  // IPv4 and IPv6: the limit comes before a repetition, and nothing is searched in its place.
  assert.deepEqual(asked, ["silent.example.net", "silent.example.net"]);
});

test("a server that answers for IPv4 only gives these addresses", async (t) => {
  const { resolve } = await startScene(t, { "half.example.net": "silent for IPv6" });
  assert.deepEqual(await resolve("half.example.net"), [{ address: "127.0.0.1", family: 4 }]);
});

test("an unknown name, one without an address, and a failing server have their causes", async (t) => {
  const { resolve } = await startScene(t, { "empty.example.net": [], "broken.example.net": "broken" });
  const causes = {
    "unknown.example.net": "The host name has no address.",
    "empty.example.net": "The host name has no address.",
    "name.invalid": "The host name has no address.",
    "broken.example.net": "The look-up of the host name failed.",
  };
  for (const [name, message] of Object.entries(causes))
    await assert.rejects(resolve(name), { message }, name);
});

test("the list of hosts wins over the name server, and is read again when it changes", async (t) => {
  const hosts =
    "# 10.0.0.1 comment.example.net\n10.0.0.2\tA.example.net a # b.example.net\r\nfd00::2 a\nbad a\n";
  const names: Names = { "a.example.net": ["10.0.0.9"], "comment.example.net": ["10.0.0.8"] };
  const { resolve, asked, hostsFile } = await startScene(t, names, { hosts });
  assert.deepEqual(await resolve("a.example.net"), [{ address: "10.0.0.2", family: 4 }]);
  assert.deepEqual(await resolve("a"), [
    { address: "10.0.0.2", family: 4 },
    { address: "fd00::2", family: 6 },
  ]);
  assert.deepEqual(asked, []);
  assert.deepEqual(await resolve("comment.example.net"), [{ address: "10.0.0.8", family: 4 }]);
  writeFileSync(hostsFile, "10.0.0.33 a.example.net");
  assert.deepEqual(await resolve("a.example.net"), [{ address: "10.0.0.33", family: 4 }]);
});

test("short names are searched in the domains of the system, after the name itself", async (t) => {
  const names: Names = {
    "receiver.ns.svc.cluster.local": ["10.0.0.5"],
    "whole.example.net": ["10.0.0.6"],
    "whole.example.net.cluster.local": ["10.0.0.7"],
  };
  const search =
    "nameserver 127.0.0.1\nsearch old.example\nsearch svc.cluster.local cluster.local\noptions ndots:5\n";
  const { resolve } = await startScene(t, names, { search });
  assert.deepEqual(await resolve("receiver.ns"), [{ address: "10.0.0.5", family: 4 }]);
  assert.deepEqual(await resolve("receiver.ns.svc"), [{ address: "10.0.0.5", family: 4 }]);
  assert.deepEqual(await resolve("whole.example.net"), [{ address: "10.0.0.6", family: 4 }]);
});

test("a system without these files uses its name servers alone", async (t) => {
  const { server } = await startNameServer(t, { "a.example.net": ["10.0.0.1"] });
  const missing = join(makeFolder(t), "missing");
  const resolve = createResolver({ servers: [server], hostsFile: missing, searchFile: missing });
  assert.deepEqual(await resolve("a.example.net"), [{ address: "10.0.0.1", family: 4 }]);
});
