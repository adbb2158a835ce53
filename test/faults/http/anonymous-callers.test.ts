// A flood of anonymous requests leaves memory flat and other keys undisturbed. ANONYMOUS_CALLERS sets how many.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { generateSecret } from "../../../src/domain/keys/key-secret.ts";
import { type Service, startService } from "../../harness/servers/service.ts";

const TOKENS = Number(process.env.ANONYMOUS_CALLERS ?? 40_000);
/** Fills the table of address budgets. */
const WARM_UP = 20_000;
const CONNECTIONS = 16;
/** A hundred bytes per token. */
const GROWTH_MAX = TOKENS * 100;

test(`${TOKENS} different random tokens leave memory flat and other keys undisturbed`, {
  timeout: 300_000,
}, async (t) => {
  const service = await startService(t, {
    TRUST_PROXY: "127.0.0.1",
    NODE_OPTIONS: "--inspect=127.0.0.1:0",
  });
  const { key } = await service.createKey();
  assert.equal((await service.call("GET", "/pets", { key })).status, 200);

  const heapBytes = await openInspector(t, service);
  await flood(service, WARM_UP);
  const before = await heapBytes();
  const statuses = await flood(service, TOKENS);
  const growth = (await heapBytes()) - before;

  t.diagnostic(`${JSON.stringify(statuses)}, the heap grew by ${(growth / 2 ** 20).toFixed(1)} MiB`);
  assert.deepEqual(Object.keys(statuses), ["401", "429"]);
  assert.ok(growth < GROWTH_MAX, `memory grew by ${growth} bytes`);
  assert.equal((await service.call("GET", "/pets", { key })).status, 200);
  assert.equal((await service.call("GET", "/usage", { key })).json.day.remaining, 998);
});

/** Every token is new and half of them pass the checksum; new addresses fill the table of budgets. */
async function flood(service: Service, count: number): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const share = count / CONNECTIONS;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, connection) =>
      sendInTurn(
        service.port,
        share,
        (index) => {
          const secret = generateSecret("production");
          const token = index % 2 === 0 ? secret : `${secret.slice(0, -6)}000000`;
          // One request in four has a new address; the others share nine addresses.
          const address =
            index % 4 === 0
              ? `10.${connection}.${(index >> 8) & 255}.${index & 255}`
              : `192.0.2.${index % 9}`;
          return `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
        },
        (status) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
        },
      ),
    ),
  );
  return statuses;
}

/** Sends the requests one after another over one connection. */
function sendInTurn(
  port: number,
  count: number,
  request: (index: number) => string,
  onStatus: (status: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let sent = 0;
    let answer = "";
    const sendNext = () => socket.write(request(sent++));
    socket.setEncoding("latin1").on("data", (text: string) => {
      answer += text;
      if (!/"status":\d+\}$/.test(answer)) return;
      onStatus(answer.slice("HTTP/1.1 ".length, "HTTP/1.1 401".length));
      answer = "";
      if (sent < count) sendNext();
      else socket.end(resolve);
    });
    socket.on("error", reject);
    sendNext();
  });
}

/** Heap in use after a garbage collection; resident memory also depends on when the collector runs. */
async function openInspector(t: TestContext, { output }: Service): Promise<() => Promise<number>> {
  const [url = ""] = /ws:\S+/.exec(output.stderr) ?? [];
  const socket = new WebSocket(url);
  t.after(() => socket.close());
  await once(socket, "open");
  const ask = async (method: string) => {
    const answered = once(socket, "message") as Promise<[MessageEvent]>;
    socket.send(JSON.stringify({ id: 1, method }));
    return JSON.parse((await answered)[0].data).result;
  };
  return async () => {
    await ask("HeapProfiler.collectGarbage");
    return (await ask("Runtime.getHeapUsage")).usedSize;
  };
}
