// `doctor` on HOST and PORT: free, used by this service, by another store, by programs of every kind.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { type TestContext, test } from "node:test";
import { describeAddress } from "../../src/cli/doctor/address.ts";
import { inspect, migrateStorage } from "../../src/command-stores.ts";
import { readConfig } from "../../src/config/config.ts";
import { VERSION } from "../../src/tools/program.ts";
import { assertFinding, findAll, findOne } from "../harness/clients/findings.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { startNode } from "../harness/servers/node.ts";
import { startPeer, startSilentPeer } from "../harness/servers/peer.ts";
import { findFreePort } from "../harness/servers/ports.ts";
import { makeClosedStore } from "./stores.ts";

/** An HTTP server with these JSON responses by path. */
async function startResponses(t: TestContext, responses: Record<string, object>): Promise<string> {
  const server = createServer((request, response) => {
    const found = responses[request.url ?? ""];
    const status = found === undefined ? 404 : "code" in found ? 503 : 200;
    response.writeHead(status).end(JSON.stringify(found ?? {}));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return String((server.address() as AddressInfo).port);
}

test("doctor says that a port is free, and leaves it free", async (t) => {
  const { environment: store } = await makeClosedStore(t);
  const environment = { ...store, PORT: String(await findFreePort()) };
  for (let round = 0; round < 2; round++) {
    const found = await findOne(environment, "address");
    assertFinding(found, "ok", `http://127.0.0.1:${environment.PORT} is free`);
  }
  const { detail } = await findOne({ ...environment, PORT: "0" }, "address");
  assert.match(detail, /each start chooses a free port/);
});

test("doctor recognises the service itself by the store that it serves", async (t) => {
  const node = await startNode(t);
  const environment = { DATABASE_URL: node.environment.DATABASE_URL ?? "", PORT: String(node.port) };
  const { address, start } = await findAll(environment);
  assertFinding(address, "ok", /^this service answers at http:\/\/127\.0\.0\.1:\d+, .*, ready$/);
  assert.match(start?.detail ?? "", /^a restart changes nothing in the database/);

  await t.test("a service with another store is a fault", async (t) => {
    // A store of its own, because the copies of makeClosedStore have one epoch.
    const other = { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db`, PORT: String(node.port) };
    await migrateStorage(readConfig(other));
    const { address, start } = await findAll(other);
    const mend = /set PORT to another\. To find it, run as root: (ss|lsof|netstat) /;
    assertFinding(address, "fault", /^an Animal Store with another store uses http:/, mend);
    assertFinding(start, "fault", /would not start, because of the fault in: address/);
  });
});

test("doctor reports the version and the state of the running service", async (t) => {
  const { environment } = await makeClosedStore(t);
  const { storeId } = await inspect(readConfig(environment), { deep: false });
  const look = async (version: string, ready: object) => {
    const responses = { "/healthz": { status: "ok", version }, "/readyz": { store: storeId, ...ready } };
    return findOne({ ...environment, PORT: await startResponses(t, responses) }, "address");
  };
  const ready = await look(VERSION, { status: "ready", reasons: [] });
  assertFinding(ready, "ok", new RegExp(`, version ${RegExp.escape(VERSION)}, ready$`));
  const older = await look("1.0.9", { status: "ready", reasons: [] });
  assert.ok(older.detail.endsWith(`, version 1.0.9 (this is ${VERSION}), ready`), older.detail);
  const degraded = await look(VERSION, { status: "degraded", reasons: ["Redis does not answer"] });
  assertFinding(degraded, "warning", /, degraded; Redis does not answer$/);

  await t.test("reasons are shortened and have no control characters", async () => {
    const reasons = ["\u001b[2Jgone", "x".repeat(9_999), ...Array.from({ length: 99 }, () => "y")];
    const { detail } = await look(VERSION, { status: "degraded", reasons });
    const [, ...shown] = detail.split("; ");
    assert.deepEqual(shown.slice(0, 3), ["\\x1b[2Jgone", "x".repeat(200), "y"]);
    assert.equal(shown.length, 10);
  });

  await t.test("a service that is not ready and does not name its store is reported too", async (t) => {
    const stopping = { code: "unavailable", message: "Not ready: the service is stopping." };
    for (const alive of [{ status: "alive" }, { status: "ok", version: VERSION }]) {
      const PORT = await startResponses(t, { "/healthz": alive, "/readyz": stopping });
      const { detail } = await findOne({ ...environment, PORT }, "address");
      // No process holds the lock of this store, so it is another one.
      assert.match(detail, /^an Animal Store with another store/);
      const unknown = await findOne({ DATABASE_URL: `sqlite:${tmpdir()}`, PORT }, "address");
      assertFinding(unknown, "warning", /, not ready; Not ready: the service is stopping\.$/);
    }
  });
});

const GIBIBYTE = 2 ** 30;

test("doctor reports another program on the port, whatever it sends", { timeout: 60_000 }, async (t) => {
  const { environment } = await makeClosedStore(t);
  let sent = 0;
  const programs: Record<string, Promise<number>> = {
    "an HTTP server": startResponses(t, {}).then(Number),
    "an HTTP server with other health checks": startResponses(t, {
      "/healthz": { status: "ok", version: "1.0" },
      "/readyz": { status: "ok" },
    }).then(Number),
    "a silent one": startSilentPeer(t),
    "one that closes": startPeer(t, (socket) => void socket.destroy()),
    "one that sends garbage": startPeer(t, (socket) => void socket.end(Buffer.alloc(70_000, 0xff))),
    "one that sends a response without end": startPeer(t, (socket) => {
      const part = Buffer.alloc(2 ** 16, 0x61);
      const pump = () => {
        while (!socket.destroyed && sent < GIBIBYTE) {
          sent += part.length;
          if (!socket.write(part)) return void socket.once("drain", pump);
        }
      };
      socket.write("HTTP/1.1 200 OK\r\n\r\n", pump);
    }),
    "one that sends headers without end": startPeer(t, (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const pump = () => void (socket.destroyed || socket.write("a: b\r\n".repeat(1_000), pump));
      pump();
    }),
  };
  const looks = Object.values(programs).map(async (starting) => {
    const port = await starting;
    const found = await findOne({ ...environment, PORT: String(port) }, "address");
    const mend = /^Stop the program that uses this port, or set PORT to another\. To find it, run/;
    assertFinding(found, "fault", `another program uses http://127.0.0.1:${port}`, mend);
  });
  await Promise.all(looks);
  assert.ok(sent < 64 * 2 ** 20, `read ${sent} bytes`);
});

test("doctor reports a HOST that is not of this machine, and a port that needs privileges", async (t) => {
  const { environment } = await makeClosedStore(t);
  const foreign = await findOne({ ...environment, HOST: "192.0.2.1" }, "address");
  const noAddress = /^Set HOST to an address of this machine/;
  assertFinding(foreign, "fault", /EADDRNOTAVAIL/, noAddress);

  const config = readConfig({ ...environment, PORT: "80" });
  const describe = (code: string) => {
    const error = Object.assign(new Error(`listen ${code}`), { code });
    return describeAddress(config, { error, running: undefined }, undefined);
  };
  assertFinding(describe("EACCES"), "fault", /./, /^Ports below 1024 need privileges; set PORT to another/);
  assertFinding(describe("ENOTFOUND"), "fault", /./, noAddress);
  assertFinding(describe("EMFILE"), "fault", "listen EMFILE");
});
