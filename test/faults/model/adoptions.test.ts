// Random sequences of operations, with restarts in between: the service does what the plain model does, on every engine.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import pino from "pino";
import { readConfig } from "../../../src/config/config.ts";
import { createService, type Service } from "../../../src/service/service.ts";
import { type Answer, type Call, createCall } from "../../harness/clients/call.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { PATIENT_DATABASE_MS } from "../../harness/runner/patience.ts";
import { ADMIN_KEY, createClock } from "../../harness/servers/app.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import {
  deletePet,
  expireOrders,
  HOLD_MS,
  type Model,
  moveOrder,
  openOrderOf,
  patchPet,
  placeOrder,
} from "./model.ts";

const START_MS = Date.UTC(2027, 0, 1);
const PET_STATUSES = ["available", "pending", "sold"];
const MOVES = ["approved", "delivered", "cancelled", "returned", "placed", "expired"];

interface Real {
  call: Call;
  restart(): Promise<void>;
  setTime(ms: number): void;
  maintenance(): Promise<void>;
}

/** Commands name animals and orders by any small number, so that unknown ones are tried too. */
type Command = fc.AsyncCommand<Model, Real>;

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return { check: () => true, run, toString: () => name };
}

const reference = fc.integer({ min: 1, max: 6 });
const COMMANDS: Array<fc.Arbitrary<Command>> = [
  fc.constantFrom(...PET_STATUSES).map((status) =>
    command(`create ${status}`, async (model, { call }) => {
      const { json } = await post(model, call, "/pets", { name: "Rex", categoryId: 1, status });
      assert.equal(json.id, model.pets.size + 1);
      model.pets.set(json.id, { name: "Rex", status, isDeleted: false });
      model.changes += 1;
    }),
  ),
  fc
    .record(
      { name: fc.constantFrom("Rex", "Luna"), status: fc.constantFrom(...PET_STATUSES) },
      { requiredKeys: [] },
    )
    .filter((changes) => Object.keys(changes).length > 0)
    .chain((changes) => reference.map((id) => ({ id, changes })))
    .map(({ id, changes }) =>
      command(`patch ${id} ${JSON.stringify(changes)}`, async (model, { call }) => {
        const answer = await call("PATCH", `/pets/${id}`, { body: changes });
        assert.equal(answer.status, patchPet(model, id, changes), answer.text);
      }),
    ),
  reference.map((id) =>
    command(`delete ${id}`, async (model, { call }) => {
      assert.equal((await call("DELETE", `/pets/${id}`)).status, deletePet(model, id));
    }),
  ),
  reference.map((id) =>
    command(`order ${id}`, async (model, { call }) => {
      const answer = await post(model, call, "/store/orders", { petId: id });
      assert.equal(answer.status, placeOrder(model, id), answer.text);
    }),
  ),
  ...[0, 1].map(() =>
    fc.tuple(reference, fc.constantFrom(...MOVES)).map(([id, to]) =>
      command(`move ${id} ${to}`, async (model, { call }) => {
        const answer = await call("PATCH", `/store/orders/${id}`, { body: { status: to } });
        assert.equal(answer.status, moveOrder(model, id, to), answer.text);
      }),
    ),
  ),
  fc.constantFrom(HOLD_MS / 2, HOLD_MS).map((ms) =>
    command(`expire after ${ms}`, async (model, real) => {
      model.nowMs += ms;
      real.setTime(model.nowMs);
      await real.maintenance();
      expireOrders(model);
    }),
  ),
  fc.constant(command("restart", (_model, real) => real.restart())),
  fc.constant(command("repeat", repeatPost)),
  fc.constant(command("look", compare)),
];

/** With an Idempotency-Key of its own each. */
async function post(model: Model, call: Call, path: string, body: object): Promise<Answer> {
  const idempotencyKey = `${path} ${model.changes} ${model.nowMs}`.replaceAll(" ", "-");
  const answer = await call("POST", path, { body, headers: { "idempotency-key": idempotencyKey } });
  if (answer.status === 201) model.lastPost = { path, body, idempotencyKey, text: answer.text };
  return answer;
}

async function repeatPost({ lastPost }: Model, { call }: Real): Promise<void> {
  if (lastPost === undefined) return;
  const { path, body, idempotencyKey, text } = lastPost;
  const again = await call("POST", path, { body, headers: { "idempotency-key": idempotencyKey } });
  assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [text, "true"]);
}

async function compare(model: Model, { call }: Real): Promise<void> {
  const alive = [...model.pets].filter(([, { isDeleted }]) => !isDeleted);
  const pets = (await call("GET", "/pets?limit=100")).json;
  assert.deepEqual(
    pets,
    alive.map(([id, { name, status }]) => ({ id, name, categoryId: 1, status })),
  );
  const orders = (await call("GET", "/store/orders?limit=100")).json;
  assert.deepEqual(
    orders.map(({ petId, status }: { petId: number; status: string }) => ({ petId, status })),
    [...model.orders.values()].map(({ petId, status }) => ({ petId, status })),
  );
  for (const [id, { status }] of alive) if (openOrderOf(model, id)) assert.equal(status, "pending");
  const count = (status: string) => alive.filter(([, pet]) => pet.status === status).length;
  const [available, pending, sold] = PET_STATUSES.map(count);
  assert.deepEqual((await call("GET", "/store/inventory")).json, { available, pending, sold });
  const histories = [...model.pets.keys()].map((id) => call("GET", `/pets/${id}/history?limit=100`));
  const numbers = (await Promise.all(histories)).flatMap(({ json }) =>
    json.map(({ number }: { number: number }) => number),
  );
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    Array.from({ length: model.changes }, (_, index) => index + 1),
  );
}

async function openReal(databaseUrl: string): Promise<Real & { close(): Promise<void> }> {
  const clock = createClock(START_MS);
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: "0",
    ADMIN_API_KEY: ADMIN_KEY,
    ORDER_HOLD_HOURS: String(HOLD_MS / 3_600_000),
  });
  const log = pino({ level: "silent" });
  let service: Service | undefined;
  let call: Call | undefined;
  const start = async () => {
    service = await createService(config, { log, clock, databaseMs: PATIENT_DATABASE_MS });
    call = createCall(`${await service.listen()}/v1`, ADMIN_KEY);
  };
  const stop = async () => {
    const stopped = service;
    service = undefined;
    await stopped?.stop();
  };
  await start();
  return {
    call: (...args) => (call as Call)(...args),
    async restart() {
      await stop();
      await start();
    },
    setTime: clock.set,
    maintenance: async () => service?.runMaintenance(),
    close: stop,
  };
}

const RUNS = process.env.MODEL_RUNS === undefined ? undefined : Number(process.env.MODEL_RUNS);

const ENGINES: Record<string, { runs: number; fresh: (t: TestContext) => Promise<string> }> = {
  SQLite: { runs: RUNS ?? 6, fresh: async (t) => `sqlite:${join(makeFolder(t), "store.db")}` },
  PostgreSQL: { runs: RUNS ?? 2, fresh: createTestDatabase },
};

for (const [engine, { runs, fresh }] of Object.entries(ENGINES)) {
  test(`Adoptions on ${engine} do what the model does`, async (t) => {
    const sequences = fc.commands(COMMANDS, { maxCommands: 60, size: "max" });
    const property = fc.asyncProperty(sequences, async (commands) => {
      const real = await openReal(await fresh(t));
      const model: Model = { pets: new Map(), orders: new Map(), changes: 0, nowMs: START_MS };
      try {
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await compare(model, real);
      } finally {
        await real.close();
      }
    });
    await fc.assert(property, { numRuns: runs });
  });
}
