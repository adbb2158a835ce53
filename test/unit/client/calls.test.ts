// The requests of the client: headers, retries, cancellation, and arguments that it refuses to send.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type Client,
  type ClientOptions,
  ConnectionError,
  createClient,
  RateLimitError,
  UnavailableError,
} from "../../../client/src/client.ts";
import { column } from "../../harness/clients/pages.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { startProxy, type TcpProxy } from "../../harness/servers/proxy.ts";
import { startScripted } from "../../harness/servers/scripted-server.ts";
import { AWAY, clientOf, limitedFor, NEW_PET, PET } from "./scene.ts";

test("all attempts of a POST send the same Idempotency-Key and body, and each POST has another key", async (t) => {
  const server = await startScripted(t, AWAY, AWAY, { status: 201, body: PET }, { status: 201, body: PET });
  const { client, waits } = clientOf(server.url);
  await client.createPet(NEW_PET);
  await client.createPet(NEW_PET);
  const sent = server.requests.map(({ headers, body }) => `${headers["idempotency-key"]} ${body}`);
  assert.deepEqual([sent[0], sent[0]], [sent[1], sent[2]]);
  assert.notEqual(sent[0], sent[3]);
  assert.match(sent[0] as string, /^[0-9a-f]{32} \{"name":"Rex","categoryId":3\}$/);
  assert.equal(new Set(server.requests.map(({ headers }) => headers["x-request-id"])).size, 2);
  assert.deepEqual(waits, [125, 250]);
});

test("sends the Idempotency-Key of the caller, and only with a POST", async (t) => {
  const server = await startScripted(t, { status: 201, body: PET }, { body: PET });
  const { client } = clientOf(server.url);
  await client.createPet(NEW_PET, { idempotencyKey: "case-4711" });
  await client.updatePet(1, { name: "Rexi" });
  assert.deepEqual(
    server.requests.map(({ headers }) => headers["idempotency-key"]),
    ["case-4711", undefined],
  );
});

test("a call can set its own retries and timeout", async (t) => {
  const server = await startScripted(t, AWAY, "never", "never");
  const { client } = clientOf(server.url, { timeoutMs: 200, retries: 0 });
  await assert.rejects(client.getInventory(), UnavailableError);
  const patient = client.getInventory();
  const hasty = client.getInventory({ timeoutMs: 20 });
  await assert.rejects(Promise.race([patient, hasty]), /^TimeoutError: No response within 20 ms/);
  await assert.rejects(patient, /^TimeoutError: No response within 200 ms/);
});

test("waitsOutLimits waits for a 429 any number of times", async (t) => {
  const limited = limitedFor(2);
  const script = [limited, AWAY, limited, limited, AWAY, limited, { body: {} }];
  const server = await startScripted(t, ...script, limited, limited);
  const { client, waits } = clientOf(server.url, { retries: 2, waitsOutLimits: true });
  await client.getInventory();
  assert.deepEqual(waits, [2125, 125, 2125, 2125, 250, 2125]);
  const { client: hasty } = clientOf(server.url, { retries: 1 });
  await assert.rejects(hasty.getInventory(), RateLimitError);
});

test("aborting a running call rejects it at once with the reason of the signal", {
  timeout: 25_000,
}, async (t) => {
  const server = await startScripted(t, "never");
  const { client } = clientOf(server.url, { retries: 0 });
  const ending = new AbortController();
  const running = client.getInventory({ signal: ending.signal, timeoutMs: 60_000 });
  while (server.requests.length === 0) await new Promise(setImmediate);
  ending.abort(new Error("enough"));
  await assert.rejects(running, /^Error: enough$/);
});

test("aborting ends the wait between attempts at once with the reason of the signal", {
  timeout: 25_000,
}, async (t) => {
  const server = await startScripted(t, { ...AWAY, headers: { "retry-after": "50" } });
  const ending = new AbortController();
  // The client calls `random` right before it waits.
  const random = () => {
    setImmediate(() => ending.abort(new Error("enough")));
    return 0;
  };
  const { client } = clientOf(server.url, { runtime: { random } });
  await assert.rejects(client.getInventory({ signal: ending.signal }), /^Error: enough$/);
  assert.equal(server.requests.length, 1);
});

test("does not repeat the move of an order whose response was lost", async (t) => {
  const { client, cutAtAnswer } = await startCut(t);
  await client.createPet(NEW_PET);
  const { id } = await client.createOrder({ petId: 1 });
  cutAtAnswer("HTTP/1.1 200");
  await assert.rejects(client.updateOrder(id, { status: "approved" }), ConnectionError);
  cutAtAnswer(undefined);
  assert.equal((await client.getOrder(id)).status, "approved");
});

test("repeats an update and a deletion whose responses were lost", async (t) => {
  const { client, cutAtAnswer } = await startCut(t);
  await client.createPet(NEW_PET);
  cutAtAnswer("HTTP/1.1 200");
  assert.equal((await client.updatePet(1, { status: "sold" })).status, "sold");
  cutAtAnswer("HTTP/1.1 204");
  assert.equal(await client.deletePet(1), undefined);
  await assert.rejects(client.deletePet(1), { name: "NotFoundError", code: "pet_not_found", status: 404 });
});

/** `cutAtAnswer(text)` cuts every connection on which the service sends `text`, until the client waits for its next attempt. */
async function startCut(t: TestContext): Promise<{ client: Client; cutAtAnswer: TcpProxy["cutAtAnswer"] }> {
  const { url } = await startApp(t);
  const { port, cutAtAnswer } = await startProxy(t, Number(new URL(url).port));
  const runtime = { sleep: async () => cutAtAnswer(undefined) };
  const { client } = clientOf(`http://127.0.0.1:${port}`, { apiKey: ADMIN_KEY, runtime });
  return { client, cutAtAnswer };
}

test("uses the fetch that is given", async () => {
  const asked: string[] = [];
  const fetch = async (url: string, { method }: RequestInit) => {
    asked.push(`${method} ${url}`);
    return Response.json({ available: 1 });
  };
  const { client } = clientOf("https://animals.example.org/north/", { fetch });
  assert.deepEqual(await client.getInventory(), { available: 1 });
  assert.deepEqual(asked, ["GET https://animals.example.org/north/v1/store/inventory"]);
});

test("requests the next page from its own base URL, whatever host the Link header names", async (t) => {
  const other = await startScripted(t, { body: [] });
  const link = `<${other.url}/v1/pets?limit=1&status=sold&cursor=abc>; rel="next"`;
  const server = await startScripted(t, { headers: { link }, body: [PET] }, { body: [] });
  const { client } = clientOf(server.url);
  assert.deepEqual(await Array.fromAsync(client.listPets({ status: "sold", limit: 1 })), [PET]);
  assert.deepEqual(column(server.requests, "url"), [
    "/v1/pets?status=sold&limit=1",
    "/v1/pets?status=sold&limit=1&cursor=abc",
  ]);
  assert.deepEqual(other.requests, []);
});

test("warns once about an operation that was deprecated after the client was generated", async (t) => {
  const headers = { deprecation: "@1764892800", sunset: "Thu, 05 Dec 2030 00:00:00 GMT" };
  const server = await startScripted(t, { headers, body: {} }, { headers, body: {} });
  const warnings: string[] = [];
  const { client } = clientOf(server.url, { onWarning: (message) => void warnings.push(message) });
  await client.getInventory();
  await client.getInventory();
  assert.deepEqual(warnings, ["getInventory is deprecated. It ends on Thu, 05 Dec 2030 00:00:00 GMT."]);
});

test("rejects arguments that cannot be meant, before sending anything", async (t) => {
  const server = await startScripted(t);
  const { client } = clientOf(server.url);
  const refused: Record<string, () => Promise<unknown>> = {
    "an identifier that is not exact": () => client.deletePet(2 ** 53),
    "an identifier that is a path": () => client.deletePet(".." as unknown as number),
    "a filter that is not exact": () => client.listOrders({ petId: 2 ** 60 }).page(),
    "a member that is not exact": () => client.createPet({ name: "Rex", categoryId: 2 ** 60 }),
    "a limit that is NaN": () => client.updateKey(1, { perDay: Number.NaN }),
    "an Idempotency-Key with a space": () => client.createPet(NEW_PET, { idempotencyKey: "a b" }),
    "a timeout of 0": () => client.getInventory({ timeoutMs: 0 }),
    "retries that are NaN": () => client.getInventory({ retries: Number.NaN }),
  };
  for (const [what, call] of Object.entries(refused)) await assert.rejects(call, TypeError, what);
  assert.deepEqual(server.requests, []);
});

test("rejects options that cannot work with a TypeError that names the option, without showing the key", () => {
  const good = { baseUrl: "https://animals.example.org", apiKey: "ask_live_secret" };
  const bad: Record<string, Partial<ClientOptions>> = {
    "no address": { baseUrl: "animals" },
    "an address without a scheme": { baseUrl: "localhost:8080" },
    "an IP address without a scheme": { baseUrl: "127.0.0.1:8080" },
    "a path outside a web page": { baseUrl: "/v1" },
    "an empty key": { apiKey: "" },
    "a key with a line break": { apiKey: "ask_live_secret\n" },
    "endless retries": { retries: Number.POSITIVE_INFINITY },
    "endless time": { timeoutMs: Number.POSITIVE_INFINITY },
    "a wait that is too long for a timer": { maxRetryWaitMs: 2 ** 31 },
  };
  for (const [what, options] of Object.entries(bad))
    assert.throws(
      () => createClient({ ...good, ...options }),
      (error) =>
        error instanceof TypeError &&
        error.message.startsWith(`${Object.keys(options)[0]} must `) &&
        !String(error).includes("secret"),
      what,
    );
});

test("says which required option is missing, also where its name is misspelt", () => {
  const [baseUrl, apiKey] = ["https://animals.example.org", "ask_live_secret"];
  const create = (options: object) => () => createClient(options as ClientOptions);
  assert.throws(create({ baseUrl }), new TypeError("apiKey is missing"));
  assert.throws(create({ baseURL: baseUrl, apiKey }), new TypeError("baseUrl is missing"));
  assert.throws(create({ baseUrl, apiKey: undefined }), new TypeError("apiKey is missing"));
});

test("sends a file with its type, and refuses what is no file", async (t) => {
  const photo = { id: 1, width: 1, height: 1, alt: "", urls: { 320: "x" } };
  const files = {
    "image/jpeg": new Uint8Array([0xff, 0xd8, 0xff]),
    "image/png": Buffer.from("\x89PNG", "latin1"),
    "image/webp": new TextEncoder().encode("RIFF"),
    "image/x": new Blob(["x"], { type: "image/x" }),
  };
  const server = await startScripted(t, ...Object.keys(files).map(() => ({ status: 201, body: photo })));
  const { client } = clientOf(server.url);
  for (const file of Object.values(files)) await client.addPhoto(1, file, { alt: "A & B" });
  assert.deepEqual(
    server.requests.map(({ headers }) => headers["content-type"]),
    Object.keys(files),
  );
  assert.ok(server.requests.every(({ url }) => url === "/v1/pets/1/photos?alt=A+%26+B"));
  await assert.rejects(client.addPhoto(1, "text" as never), TypeError);
});
